#!/bin/sh
# Two builds of the same sources, in folders of different names and at different times, install the same
# bytes:  tools/check-reproducible.sh [FOLDER]
# FOLDER is where the first of them is left, in FOLDER/build, for tools/check-engine-list.sh.
# The builds are those of packagers, by CMake's default Makefiles. Eight processes start what no rule holds
# back, so that a file which one target takes from another without a word is missing, and the build fails.
# They have debug information, which has most to tell of a folder, and are not optimised, which takes half
# the time. They are without CUDA; cmake/Reproducible.cmake tells why. A compiler cache would hide a difference.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
one=${1:-$work/one}
rm -rf "$one"
CCACHE_DISABLE=1
export CCACHE_DISABLE

# build_in FOLDER BUILD-FOLDER PREFIX: what git knows of, with changes that are not committed
build_in() {
    mkdir -p "$1"
    git ls-files --cached --others --exclude-standard |
        while IFS= read -r file; do
            [ ! -e "$file" ] || printf '%s\n' "$file"
        done | tar -c -T - | tar -x -m -C "$1"
    if ! { cmake -S "$1" -B "$1/$2" -G 'Unix Makefiles' -DSPIKEMINE_CUDA=OFF -DSPIKEMINE_BUILD_TESTS=OFF \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O0 -g -DNDEBUG' && cmake --build "$1/$2" -- -j 8 &&
        cmake --install "$1/$2" --prefix "$3"; } >"$work/log" 2>&1; then
        tail -n 40 "$work/log" >&2
        exit 1
    fi
}

build_in "$one" build "$work/installed"
TZ=Asia/Tokyo LC_ALL=C build_in "$work/another/place" out "$work/another/installed"
if ! diff -r "$work/installed" "$work/another/installed" >&2; then
    echo 'two builds of the same sources differ' >&2
    exit 1
fi
