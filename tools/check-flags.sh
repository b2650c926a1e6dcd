#!/bin/sh
# What a packager asks for reaches the compiler and the linker, and nothing of ours overrides it; asserts
# are live in the builds that look for mistakes:  tools/check-flags.sh
# Configures only, without CUDA.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# configure CMAKE-OPTION ...: leaves the commands in $work/compile and $work/link, one a line
configure() {
    rm -rf "$work/build"
    if ! cmake -S . -B "$work/build" -G Ninja -DSPIKEMINE_CUDA=OFF -DSPIKEMINE_BUILD_TESTS=OFF "$@" \
        >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
    ninja -C "$work/build" -t commands >"$work/commands"
    grep -e ' -c [^ ]*\.c$' "$work/commands" >"$work/compile"
    grep -e ' -o src/libspikemine\.so' -e ' -o cli/spikemine ' "$work/commands" >"$work/link"
}

# every FILE PATTERN WHY: each line has it
every() {
    if grep -v -e "$2" "$work/$1" >&2; then
        echo "these commands lack $2: $3" >&2
        exit 1
    fi
}

# none FILE PATTERN WHY
none() {
    if grep -e "$2" "$work/$1" >&2; then
        echo "these commands have $2: $3" >&2
        exit 1
    fi
}

# As Debian and Fedora build: a type without flags of its own, and theirs in the environment.
CFLAGS='-O2 -DPACKAGER_FLAG' LDFLAGS=-L/packager configure -DCMAKE_BUILD_TYPE=None
every compile '-DPACKAGER_FLAG' 'CFLAGS of the environment'
every link '-L/packager' 'LDFLAGS of the environment'
none compile '-O3' 'build type None has the packager'\''s flags alone'
none compile '-D_FORTIFY_SOURCE' 'build type None has the packager'\''s flags alone'

# As vcpkg, Nix and others do: flags of a build type replaced, one of ours among them.
configure -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O1 -DPACKAGER_FLAG -D_FORTIFY_SOURCE=1'
every compile '-O1 -DPACKAGER_FLAG' 'CMAKE_C_FLAGS_RELEASE'
none compile '-O3' 'CMAKE_C_FLAGS_RELEASE replaces it'
none compile '-D_FORTIFY_SOURCE=[23]' 'the packager chose another level'

configure -DCMAKE_BUILD_TYPE=Release -DSPIKEMINE_HARDENING=OFF
every compile '-O3 -DNDEBUG' 'a release is optimised'
none compile '-fstack-protector' 'SPIKEMINE_HARDENING is OFF'
none compile '-D_FORTIFY_SOURCE' 'SPIKEMINE_HARDENING is OFF'

for preset in debug asan tsan; do
    configure --preset "$preset" -B "$work/build"
    none compile '-DNDEBUG' "asserts are live in preset $preset"
done
