#!/bin/sh
# Configures and builds one preset, quietly unless it fails:  tools/build.sh PRESET [CMAKE-OPTION ...]
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift

mkdir -p "build/$preset"
log=build/$preset/configure.log
if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
    cat "$log"
    echo "spikemine: configuring '$preset' failed; see above" >&2
    exit 1
fi
cmake --build --preset "$preset" -- ${JOBS:+-j "$JOBS"}
