#!/usr/bin/env bash
# Builds the libraries that a wheel holds, for one processor and glibc 2.28:
#   tools/wheels/libraries.sh x86_64|aarch64
# Sources are those of Debian's packages, whose digests apt checks. The compiler is Zig's, which knows the
# names of older C libraries; tools/wheels.sh installs it. What is built already is left as it is.
set -euo pipefail
cd "$(dirname "$0")/../.."
arch=$1
top=$PWD
work=$top/build/wheels
folder=$work/$arch
prefix=$folder/prefix
jobs=${JOBS:-2}
strip="strip"
if [ "$arch" = aarch64 ]; then
    strip=aarch64-linux-gnu-strip
fi
export CC=$folder/bin/cc CXX=$folder/bin/c++ AR=$folder/bin/ar RANLIB=$folder/bin/ranlib
export CFLAGS="-O2 -g0 -fPIC -fvisibility=default" CXXFLAGS="-O2 -g0 -fPIC" CPPFLAGS="-I$prefix/include"
export LDFLAGS="-L$prefix/lib" PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig PKG_CONFIG_PATH=

# A source tree of its own for this processor, from what apt brought.
unpack() { # package, folder
    mkdir -p "$2"
    local archives=("$work/sources/$1"_*.orig.tar.*[!c])
    tar -xf "${archives[0]}" -C "$2" --strip-components=1
}

# Its terms go where it goes.
keep_licence() { # package
    mkdir -p "$prefix/bundle/licenses/$1"
    (cd "$folder/$1" && find . -maxdepth 2 -type f -size +0 \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -name 'FTL.TXT' \) \
        -exec cp {} "$prefix/bundle/licenses/$1" \;)
}

with_cmake() { # source, options
    local source=$1
    shift
    cmake -S "$source" -B "$source/build-here" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_TOOLCHAIN_FILE="$top/tools/wheels/toolchain.cmake" \
        -DSPIKEMINE_WHEEL_ARCH="$arch" -DBUILD_SHARED_LIBS=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 "$@"
    cmake --build "$source/build-here" -j "$jobs"
    cmake --install "$source/build-here"
}

with_configure() { # source, options; WITHIN is the folder to make, where the others are tests
    (cd "$1" && shift &&
        ./configure --host="$arch-linux-gnu" --build="$(gcc -dumpmachine)" --prefix="$prefix" --libdir="$prefix/lib" \
            --disable-shared --enable-static --disable-dependency-tracking "$@" &&
        make -j "$jobs" -C "${WITHIN:-.}" && make -C "${WITHIN:-.}" install)
}

# One shared library of static ones, NAME.so as lib/NAME.so, which shows the names that match PATTERN and no
# others. Its name is ours, so that no library of another package is taken for it, or it for theirs.
shared() { # name, pattern, library that is taken whole, what it needs
    local out=$prefix/bundle/$1
    mkdir -p "$prefix/bundle"
    echo "{ global: $2; local: *; };" >"$folder/$1.map"
    "$CXX" -shared -o "$out" -Wl,-soname,"$1" -Wl,--version-script="$folder/$1.map" -Wl,-z,now "-L$prefix/lib" \
        -Wl,--whole-archive "$prefix/lib/$3" -Wl,--no-whole-archive "${@:4}" -lm -lpthread -ldl
    "$strip" --strip-unneeded "$out"
}

build_zlib() {
    (cd "$1" && CHOST="$arch-linux-gnu" ./configure --static --prefix="$prefix" && make -j "$jobs" libz.a && make install)
}
build_bzip2() {
    (cd "$1" && for file in blocksort huffman crctable randtable compress decompress bzlib; do
        "$CC" -O2 -fPIC -D_FILE_OFFSET_BITS=64 -c $file.c
    done && "$AR" rcs "$prefix/lib/libbz2.a" ./*.o && cp bzlib.h "$prefix/include")
}
build_xz-utils() {
    with_configure "$1" --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-scripts --disable-doc --disable-nls
}
build_libzstd() { with_cmake "$1/build/cmake" -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF -DZSTD_LEGACY_SUPPORT=OFF; }
build_jansson() {
    with_cmake "$1" -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
}
build_libarchive() {
    with_configure "$1" --disable-bsdtar --disable-bsdcpio --disable-bsdcat --disable-acl --disable-xattr \
        --without-openssl --without-xml2 --without-expat --without-nettle --without-libb2 --without-lz4 --without-iconv
    sed -i 's/^Libs: .*/& -lz -lbz2 -llzma -lzstd/' "$prefix/lib/pkgconfig/libarchive.pc"
}
build_libmicrohttpd() {
    with_configure "$1" --disable-https --disable-doc --disable-examples --disable-curl --disable-tools
}
build_libpng1.6() { with_configure "$1" --disable-tools; }
build_expat() {
    with_cmake "$1/expat" -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF -DEXPAT_BUILD_DOCS=OFF -DEXPAT_SHARED_LIBS=OFF
}
build_freetype() {
    with_cmake "$1" -DFT_DISABLE_HARFBUZZ=ON -DFT_DISABLE_BROTLI=ON -DFT_DISABLE_BZIP2=ON -DFT_REQUIRE_ZLIB=ON -DFT_REQUIRE_PNG=ON
}
build_fontconfig() {
    with_configure "$1" --sysconfdir=/etc --localstatedir=/var --disable-docs --disable-nls
    rm -rf "${prefix:?}/var"
}
build_pixman() { with_configure "$1" --disable-gtk --disable-libpng --disable-arm-a64-neon --disable-openmp; }
build_cairo() {
    WITHIN=src ax_cv_c_float_words_bigendian=no with_configure "$1" --disable-xlib --disable-xcb --disable-ps --disable-script \
        --disable-interpreter --disable-gobject --disable-trace --disable-gtk-doc --enable-pdf --enable-svg --enable-png \
        --enable-ft --enable-fc
    shared libspikemine-cairo.so 'cairo_*' libcairo.a -lpixman-1 -lfontconfig -lfreetype -lpng16 -lexpat -lz
    ln -sf ../bundle/libspikemine-cairo.so "$prefix/lib/libcairo.so" # what the build looks for
}
build_hdf5() {
    mkdir -p "$1/build-here"
    export CFLAGS="$CFLAGS -Wno-error=implicit-int"
    cd "$1/build-here" # a program of its configuration leaves a file in the present folder
    with_cmake "$1" -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_CPP_LIB=OFF \
        -DBUILD_TESTING=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DZLIB_ROOT="$prefix" -DHDF5_ENABLE_EMBEDDED_LIBINFO=OFF
    shared libspikemine-hdf5.so 'H5*' libhdf5.a -lz
    ln -sf ../bundle/libspikemine-hdf5.so "$prefix/lib/libhdf5.so"
    printf 'Name: hdf5\nDescription: HDF5\nVersion: %s\nCflags: -I%s\n' \
        "$(sed -n 's/^#define H5_PACKAGE_VERSION "\(.*\)"/\1/p' "$prefix/include/H5pubconf.h")" "$prefix/include" \
        >"$prefix/lib/pkgconfig/hdf5.pc"
}
mkdir -p "$prefix/lib" "$prefix/include" "$folder/logs"
for package in zlib bzip2 xz-utils libzstd jansson libarchive libmicrohttpd libpng1.6 expat freetype fontconfig pixman \
    cairo hdf5; do
    if [ -e "$folder/logs/$package.done" ]; then
        continue
    fi
    echo "building $package for $arch"
    rm -rf "${folder:?}/$package"
    unpack "$package" "$folder/$package"
    # Not in a condition: there bash would ignore failures inside the function.
    set +e
    (set -e; "build_$package" "$folder/$package") >"$folder/logs/$package" 2>&1
    status=$?
    set -e
    if [ $status != 0 ]; then
        tail -n 30 "$folder/logs/$package"
        echo "$package cannot be built for $arch; $folder/logs/$package has all of it" >&2
        exit 1
    fi
    keep_licence "$package"
    rm -rf "${folder:?}/$package"
    touch "$folder/logs/$package.done"
done
