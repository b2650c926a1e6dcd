#!/bin/sh
# Installs a build to a fresh folder and builds tests/install against it, as somebody else's project
# would: through find_package, and through pkg-config. Then runs the installed command and its manual.
#   tools/check-install.sh BUILD-FOLDER
set -eu
cd "$(dirname "$0")/.."
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
library=$(dirname "$(find "$work/prefix" -name libspikemine.so)")

cmake -S tests/install -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
cmake --build "$work/consumer" >"$work/log" || { cat "$work/log" >&2; exit 1; }
"$work/consumer/consumer"

PKG_CONFIG_PATH=$library/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # pkg-config gives a list of options
cc -std=c17 -Wall -Werror -o "$work/with-pkg-config" tests/install/consumer.c \
    $(pkg-config --cflags --libs spikemine) -Wl,-rpath,"$library"
"$work/with-pkg-config"

# The command alone: programs that measure (bench/) are not for users.
test "$(ls "$work/prefix/bin")" = spikemine
"$work/prefix/bin/spikemine" --version
test -s "$work/prefix/share/man/man1/spikemine.1"
