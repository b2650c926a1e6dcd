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
for module in ffi:_binding operations:_operations; do
  "$python" "python/build_${module%:*}.py" "${CC:-cc}" "$folder/spikemine/${module#*:}.py" include build/release/generated >/dev/null
done
