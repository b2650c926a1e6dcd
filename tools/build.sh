#!/bin/sh
# Configures and builds one preset, quietly unless it fails:  tools/build.sh PRESET [CMAKE-OPTION ...]
#   TARGET    what is built, all without it
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift

mkdir -p "build/$preset"
# One at a time: CMake and Ninja take no care of each other in a folder.
if command -v flock >/dev/null; then
    exec 9>"build/$preset/lock"
    flock 9
fi
log=build/$preset/configure.log
if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
    cat "$log"
    echo "spikemine: configuring '$preset' failed; see above" >&2
    exit 1
fi
cmake --build --preset "$preset" ${TARGET:+--target "$TARGET"} -- ${JOBS:+-j "$JOBS"}
