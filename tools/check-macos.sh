#!/usr/bin/env bash
# Compiles and links library, command and benchmarks for macOS on ARM, with warnings as errors, in build/macos. Nothing
# of it runs here. tools/wheels.sh brings the compiler and the source of jansson. HDF5 and cairo, which are loaded
# when they are needed, are represented by their headers; OpenMP, libarchive and libmicrohttpd are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/build/macos
tools/wheels.sh sources

mkdir -p "$folder/bin" "$folder/prefix/include" "$folder/prefix/lib/pkgconfig"
for name in cc c++; do
    printf '#!/bin/sh\nexec %s %s -target aarch64-macos "$@"\n' "$PWD/build/wheels/tools/bin/zig" $name >"$folder/bin/$name"
done
for name in ar ranlib; do
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$PWD/build/wheels/tools/bin/zig" $name >"$folder/bin/$name"
done
chmod +x "$folder/bin"/*
cp -r /usr/include/Random123 "$folder/prefix/include"

# A library of which the build sees headers, and an empty file under its name.
headers_of() { # module
    local name
    name=$(basename "$1" -serial)
    # shellcheck disable=SC2046 # one folder, or several
    cp -r $(pkg-config --cflags-only-I "$1" | tr ' ' '\n' | sed -n "s|^-I\(.*$name.*\)|\1/.|p") "$folder/prefix/include"
    touch "$folder/prefix/lib/lib$name.dylib"
    printf 'Name: %s\nDescription: headers\nVersion: %s\nCflags: -I%s\n' "$name" "$(pkg-config --modversion "$1")" \
        "$folder/prefix/include" >"$folder/prefix/lib/pkgconfig/$name.pc"
}
headers_of cairo
headers_of hdf5-serial
touch "$folder/prefix/include/features.h" # of glibc, which HDF5's headers name here

build() { # source, options
    local out
    out=$folder/$(basename "$1")-build
    cmake -S "$1" -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib \
        -DCMAKE_TOOLCHAIN_FILE="$PWD/tools/wheels/macos.cmake" -DCMAKE_INSTALL_PREFIX="$folder/prefix" \
        -DBUILD_SHARED_LIBS=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 "${@:2}" >"$out.log"
    nice cmake --build "$out" -j "${JOBS:-2}"
}
mkdir -p "$folder/jansson"
tar -xf build/wheels/sources/jansson_*.orig.tar.* -C "$folder/jansson" --strip-components=1
build "$folder/jansson" -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
cmake --install "$folder/jansson-build" >/dev/null
build "$PWD" -DSPIKEMINE_WERROR=ON -DSPIKEMINE_CUDA=OFF -DSPIKEMINE_BUILD_TESTS=OFF -DSPIKEMINE_CRYPTO=OFF \
    -DSPIKEMINE_OPENMP=OFF
file "$folder/$(basename "$PWD")-build/cli/spikemine" | grep 'Mach-O 64-bit arm64'
