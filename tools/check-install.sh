#!/bin/sh
# Installs a build to a fresh folder and builds tests/install against it, as somebody else's project
# would: with the shared and the static library, each through find_package and through pkg-config. Then
# runs the installed command and its manual.
#   tools/check-install.sh BUILD-FOLDER
set -eu
cd "$(dirname "$0")/.."
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly COMMAND...: what it prints is shown when it fails
quietly() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
}

# run_consumer PROGRAM shared|static: it works, and links what it should
run_consumer() {
    "$1"
    linked=static
    if ldd "$1" | grep -q libspikemine; then
        linked=shared
    fi
    if [ "$linked" != "$2" ]; then
        echo "$1 links the $linked library, not the $2 one" >&2
        exit 1
    fi
}

# with_cmake PREFIX shared|static
with_cmake() {
    quietly cmake -S tests/install -B "$work/$2" -G Ninja -DCMAKE_PREFIX_PATH="$1" -DLIBRARY="$2"
    quietly cmake --build "$work/$2"
    run_consumer "$work/$2/consumer" "$2"
}

# with_pkg_config LIBRARY-FOLDER shared|static [PKG-CONFIG-OPTION]
with_pkg_config() {
    PKG_CONFIG_PATH=$1/pkgconfig
    export PKG_CONFIG_PATH
    flags=$(pkg-config ${3:+"$3"} --cflags --libs spikemine)
    # shellcheck disable=SC2086 # a list of options
    quietly cc -std=c17 -Wall -Werror -o "$work/$2/with-pkg-config" tests/install/consumer.c \
        $flags -Wl,-rpath,"$1"
    run_consumer "$work/$2/with-pkg-config" "$2"
}

quietly cmake --install "$build" --prefix "$work/prefix"
library=$(dirname "$(find "$work/prefix" -name libspikemine.so)")
with_cmake "$work/prefix" shared
with_pkg_config "$library" shared

# The linker takes the shared library where it finds both. The static one is alone in a copy, which also
# tells whether an installed tree can be moved.
if [ -e "$library/libspikemine.a" ]; then
    with_cmake "$work/prefix" static
    cp -R "$work/prefix" "$work/moved"
    moved=$work/moved${library#"$work/prefix"}
    rm "$moved"/libspikemine.so*
    with_pkg_config "$moved" static --static
fi

# Folders of an installed tree, and no others: files of the Python package are for wheels.
for folder in "$work"/prefix/*; do
    case ${folder##*/} in
    bin | include | lib | lib64 | share) ;;
    *)
        echo "$folder is installed, but is no folder of a prefix" >&2
        exit 1
        ;;
    esac
done

# The command alone, and its ranks where they were built: programs that measure (bench/) are not for users.
for program in "$work"/prefix/bin/*; do
    case ${program##*/} in
    spikemine | spikemine-mpi) ;;
    *)
        echo "$program is installed, but is not for users" >&2
        exit 1
        ;;
    esac
done
"$work/prefix/bin/spikemine" --version
test -s "$work/prefix/share/man/man1/spikemine.1"
test -s "$work/prefix/share/bash-completion/completions/spikemine"
test -s "$work/prefix/share/zsh/site-functions/_spikemine"
test -s "$work/prefix/share/fish/vendor_completions.d/spikemine.fish"
