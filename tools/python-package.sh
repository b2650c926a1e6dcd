#!/bin/sh
# The Python package with the library of build/release, without an installation:
#   tools/python-package.sh PYTHON FOLDER
# PYTHON has cffi. Afterwards PYTHONPATH=FOLDER finds the package.
set -eu
cd "$(dirname "$0")/.."
python=$1 folder=$2

rm -rf "$folder"
mkdir -p "$folder"
cp -r python/spikemine "$folder"
ln -s "$PWD"/build/release/src/libspikemine.so.* "$folder/spikemine"
"$python" python/build_ffi.py "${CC:-cc}" "$folder/spikemine/_binding.py" include build/release/generated >/dev/null
