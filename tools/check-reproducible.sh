#!/bin/sh
# Two builds of the same sources, in folders of different names and at different times, install the same
# bytes:  tools/check-reproducible.sh
# The builds are those of packagers, by CMake's default Makefiles. Eight processes start what no rule holds
# back, so that a file which one target takes from another without a word is missing, and the build fails.
# They have debug information, which has most to tell of a folder, and are not optimised, which takes half
# the time. They are without CUDA; cmake/Reproducible.cmake tells why. A compiler cache would hide a difference.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CCACHE_DISABLE=1
export CCACHE_DISABLE

# build_in FOLDER BUILD-FOLDER: what git knows of, with changes that are not committed
build_in() {
    mkdir -p "$work/$1"
    git ls-files --cached --others --exclude-standard |
        while IFS= read -r file; do
            [ ! -e "$file" ] || printf '%s\n' "$file"
        done | tar -c -T - | tar -x -m -C "$work/$1"
    if ! { cmake -S "$work/$1" -B "$work/$1/$2" -G 'Unix Makefiles' -DSPIKEMINE_CUDA=OFF -DSPIKEMINE_BUILD_TESTS=OFF \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O0 -g -DNDEBUG' && cmake --build "$work/$1/$2" -- -j 8 &&
        cmake --install "$work/$1/$2" --prefix "$work/$1/installed"; } >"$work/log" 2>&1; then
        tail -n 40 "$work/log" >&2
        exit 1
    fi
}

build_in one build
TZ=Asia/Tokyo LC_ALL=C build_in another/place out
if ! diff -r "$work/one/installed" "$work/another/place/installed" >&2; then
    echo 'two builds of the same sources differ' >&2
    exit 1
fi
