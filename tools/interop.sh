#!/usr/bin/env bash
# Files that other programs write are read, and ours are read by them; SPADE finds what Elephant finds,
# with every tests/python/test_elephant*.py; the Python package is installed (pip install .) and takes
# the objects of other packages, with every test of tests/python/package:
#   tools/interop.sh COMMAND
# The other programs come from PyPI into build/interop, once. Where they are not to be had the tests are
# skipped, with a message.
set -euo pipefail
cd "$(dirname "$0")/.."

command=$1
wanted=tests/python/interop-requirements.txt
folder=build/interop

# Installs unless this list was installed already.
prepare() {
    cmp -s "$wanted" "$folder/installed.txt" && return 0
    rm -rf "$folder"
    python3 -m venv "$folder" >"$folder.log" 2>&1 || return 1
    timeout 300 "$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
        --retries 1 --timeout 20 -r "$wanted" >>"$folder.log" 2>&1 || return 1
    cp "$wanted" "$folder/installed.txt"
}

mkdir -p build
if ! prepare; then
    echo "skipped: the packages of $wanted cannot be installed; $folder.log says why"
    exit 0
fi
SPIKEMINE=$(realpath "$command")
export SPIKEMINE
"$folder/bin/python" -W ignore tests/python/test_interop.py
"$folder/bin/python" -W ignore -m pytest -q -p no:cacheprovider tests/python/test_elephant*.py

# Without GPU code, which takes minutes; the wheel is the one that users build otherwise.
"$folder/bin/pip" install --quiet --disable-pip-version-check --config-settings=cmake.define.SPIKEMINE_CUDA=OFF . \
    >"$folder/wheel.log" 2>&1 || { tail -n 30 "$folder/wheel.log"; exit 1; }
"$folder/bin/python" -W ignore -m pytest -q -p no:cacheprovider tests/python/package
# Elephant's own tests against our functions; 77: its sources cannot be fetched.
status=0
"$folder/bin/python" tests/python/run_elephant_tests.py "$folder" || status=$?
[ "$status" = 0 ] || [ "$status" = 77 ]
(cd "$folder" && bin/mypy --config-file ../../pyproject.toml --cache-dir=/dev/null -p spikemine)
"$folder/bin/ruff" check --no-cache python
"$folder/bin/ruff" format --no-cache --check python
