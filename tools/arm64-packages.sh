#!/usr/bin/env bash
# Unpacks what the preset arm64 links and tests with, as built by Debian for 64-bit ARM, into
# build/arm64-packages. apt keeps books of its own for it, so nothing on this machine changes:
#   tools/arm64-packages.sh
# Ends with 3 where there is no apt.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(libjansson-dev libjansson4 libcmocka-dev libcmocka0 librandom123-dev)
folder=$PWD/build/arm64-packages
if [ -e "$folder/complete" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    echo 'no apt here: packages for ARM come from Debian' >&2
    exit 3
fi

rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/apt/deb"
touch "$folder/apt/status"
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=
    -o "Dir::State=$folder/apt" -o "Dir::State::Lists=$folder/apt/lists"
    -o "Dir::State::status=$folder/apt/status" -o "Dir::Cache=$folder/apt/cache")
apt-get "${options[@]}" update
(cd "$folder/apt/deb" && apt-get "${options[@]}" download "${packages[@]}")
for deb in "$folder"/apt/deb/*.deb; do
    dpkg-deb -x "$deb" "$folder"
done
rm -rf "$folder/apt"
touch "$folder/complete"
