#!/usr/bin/env bash
# Makes wheels for Linux that need no compiler and no package of the system, in build/wheels/dist:
#   tools/wheels.sh [x86_64|aarch64 ...]       x86_64 without a name; `tools` and `sources` bring those alone
# They run with glibc 2.28 and newer (Debian 10, RHEL 8, Ubuntu 18.10). Tools come from PyPI, the sources of the
# libraries inside from Debian (tools/wheels/libraries.sh); nothing on this machine changes.
#
# What is inside, and what is not, with sizes: docs/reference/wheels.md.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/wheels
architectures=("$@")
if [ $# = 0 ]; then
    architectures=(x86_64)
fi
glibc=2.28
packages=(zlib bzip2 xz-utils libzstd jansson libarchive libmicrohttpd libpng1.6 expat freetype fontconfig pixman cairo hdf5)

need() { # command, package of Debian
    command -v "$1" >/dev/null || { echo "wheels: $1 is not here; install $2" >&2 && exit 1; }
}

install_tools() {
    if [ -e "$work/tools/complete" ]; then
        return
    fi
    python3 -m venv "$work/tools"
    "$work/tools/bin/pip" -q install 'ziglang>=0.15' 'auditwheel>=6.4' 'wheel>=0.45' 'build>=1.2' 'scikit-build-core>=0.10' 'cffi>=1.15'
    ln -sf "$("$work/tools/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig" \
        "$work/tools/bin/zig"
    touch "$work/tools/complete"
}

# Sources as apt brings and checks them; its books are kept apart from the system's.
fetch_sources() {
    local apt=$work/apt missing=() package
    for package in "${packages[@]}"; do
        compgen -G "$work/sources/${package}_*.orig.tar.*" >/dev/null || missing+=("$package")
    done
    if [ ${#missing[@]} = 0 ]; then
        return
    fi
    mkdir -p "$work/sources" "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$apt/parts/debian.sources"
    local options=(-qq -o APT::Sandbox::User= -o "Dir::Etc::sourceparts=$apt/parts" -o Dir::Etc::sourcelist=/dev/null
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache")
    apt-get "${options[@]}" update
    (cd "$work/sources" && apt-get "${options[@]}" source --download-only --tar-only "${missing[@]}")
}

# Zig's compiler under the names that build systems know.
make_compilers() { # architecture
    local name bin=$work/$1/bin
    mkdir -p "$bin"
    for name in cc c++; do
        printf '#!/bin/sh\nexec %s %s -target %s-linux-gnu.%s "$@"\n' "$work/tools/bin/zig" $name "$1" $glibc >"$bin/$name"
    done
    for name in ar ranlib; do
        printf '#!/bin/sh\nexec %s %s "$@"\n' "$work/tools/bin/zig" $name >"$bin/$name"
    done
    chmod +x "$bin"/*
}

# What goes into the wheel beside the libraries of libraries.sh brings its terms as well.
keep_terms() { # architecture, name, file
    mkdir -p "$work/$1/prefix/bundle/licenses/$2"
    cp "$3" "$work/$1/prefix/bundle/licenses/$2"
}

# The threads of clang's OpenMP, as a package of PyPI has them for this processor. LLVM's and Intel's library end the
# process where they find another of their kind in it, as numpy with MKL brings one; ours signs in under another name.
fetch_openmp() { # architecture
    local folder=$work/$1/openmp
    if [ -e "$folder/complete" ]; then
        return
    fi
    rm -rf "$folder"
    "$work/tools/bin/pip" -q download --no-deps --only-binary :all: --platform "manylinux_2_28_$1" -d "$folder" cmeel-libomp
    (cd "$folder" && python3 -m zipfile -e cmeel_libomp-*.whl .)
    mkdir -p "$work/$1/prefix/bundle" "$work/$1/prefix/include"
    cp "$folder/cmeel.prefix/include/omp.h" "$work/$1/prefix/include"
    cp "$folder/cmeel.prefix/lib/libomp.so" "$work/$1/prefix/bundle"
    # The package has no terms; LLVM's are the same for all its libraries, of which Zig has some.
    keep_terms "$1" openmp "$(dirname "$(readlink "$work/tools/bin/zig")")/lib/libunwind/LICENSE.TXT"
    LC_ALL=C sed -i 's/__KMP_REGISTERED_LIB_/__SPK_REGISTERED_LIB_/g' "$work/$1/prefix/bundle/libomp.so"
    touch "$folder/complete"
}

# Headers alone, which are the same for every processor.
take_random123() { # architecture
    [ -e /usr/include/Random123 ] || { echo 'wheels: Random123 is not here; install librandom123-dev' >&2 && exit 1; }
    cp -r /usr/include/Random123 "$work/$1/prefix/include"
    keep_terms "$1" Random123 /usr/share/doc/librandom123-dev/copyright
}

make_wheel() { # architecture
    local prefix=$work/$1/prefix out=$work/$1/wheel
    rm -rf "$out"
    if ! grep -q "^CMAKE_HOME_DIRECTORY:INTERNAL=$PWD\$" "$work/$1/build/CMakeCache.txt" 2>/dev/null; then
        rm -rf "$work/$1/build" # of another tree
    fi
    local defines=(CMAKE_TOOLCHAIN_FILE="$PWD/tools/wheels/toolchain.cmake" SPIKEMINE_WHEEL_ARCH="$1"
        SPIKEMINE_CRYPTO=OFF SPIKEMINE_BUNDLE="$prefix/bundle"
        OpenMP_C_FLAGS="-fopenmp" OpenMP_C_LIB_NAMES=omp OpenMP_omp_LIBRARY="$prefix/bundle/libomp.so")
    # CUDA's headers refuse Zig's C++ library: gcc compiles what of GPU code runs on processors.
    local nvcc
    if [ "$1" = "$(uname -m)" ] && nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc); then
        defines+=(SPIKEMINE_CUDA=ON SPIKEMINE_GPU_CODE=all CMAKE_CUDA_COMPILER="$nvcc" CMAKE_CUDA_HOST_COMPILER="$(command -v g++)"
            SPIKEMINE_GCC_RUNTIME="$(g++ -print-file-name=libstdc++.so)")
    else
        echo "wheels: no nvcc for $1 is here, so that the wheel has no GPU code" >&2
        defines+=(SPIKEMINE_CUDA=OFF)
    fi
    "$work/tools/bin/pip" wheel . --no-deps --no-build-isolation -w "$out" \
        --config-settings=build-dir="$work/$1/build" "${defines[@]/#/--config-settings=cmake.define.}" >"$work/$1/logs/wheel" 2>&1 ||
        { tail -n 40 "$work/$1/logs/wheel" && exit 1; }
    (cd "$out" && "$work/tools/bin/wheel" tags --remove --platform-tag "manylinux_${glibc/./_}_$1" ./*.whl >/dev/null)
    local made=("$out"/*.whl)
    "$work/tools/bin/auditwheel" show "${made[0]}" >"$work/$1/logs/auditwheel"
    if ! tr '\n' ' ' <"$work/$1/logs/auditwheel" | grep -q "consistent with.*manylinux_2_\(1[0-9]\|2[0-8]\)_$1"; then
        cat "$work/$1/logs/auditwheel"
        echo "wheels: the wheel for $1 needs more than glibc $glibc" >&2
        exit 1
    fi
    mkdir -p "$work/dist"
    cp "${made[0]}" "$work/dist"
    ls -l "$work/dist/$(basename "${made[0]}")"
}

need gcc gcc
need ninja ninja-build
need pkg-config pkg-config
need gperf gperf
install_tools
if [ "${architectures[0]}" = tools ]; then
    exit 0
fi
fetch_sources
if [ "${architectures[0]}" = sources ]; then
    exit 0
fi
for arch in "${architectures[@]}"; do
    if [ "$arch" = aarch64 ]; then
        need qemu-aarch64 qemu-user
        need aarch64-linux-gnu-strip binutils-aarch64-linux-gnu
    fi
    make_compilers "$arch"
    mkdir -p "$work/$arch/logs"
    tools/wheels/libraries.sh "$arch"
    fetch_openmp "$arch"
    take_random123 "$arch"
    make_wheel "$arch"
done
