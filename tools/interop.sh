#!/usr/bin/env bash
# Files that other programs write are read, and ours are read by them; SPADE finds what Elephant finds,
# with every tests/python/test_elephant*.py; streams of the Lab Streaming Layer come in and go out; the Python package is installed (pip install .) and takes
# the objects of other packages, with every test of tests/python/package; the same wheel serves another
# version of Python, where one is found here:
#   tools/interop.sh COMMAND
# The other programs come from PyPI into build/interop, once. Where they are not to be had the tests are
# skipped, with a message.
#   SPIKEMINE_OTHER_PYTHON    the other interpreter; PyPI has none, and nothing is fetched from elsewhere
set -euo pipefail
cd "$(dirname "$0")/.."

command=$1
wanted=tests/python/interop-requirements.txt
folder=build/interop
# Minutes of counting, which ask nothing of the packages that are here, nor calls by the ten thousand: they are
# part of `make test`.
counted=(--ignore tests/python/package/test_questions.py --ignore tests/python/package/test_robust.py)

# Installs unless this list was installed already.
prepare() {
    cmp -s "$wanted" "$folder/installed.txt" && return 0
    rm -rf "$folder"
    python3 -m venv "$folder" >"$folder.log" 2>&1 || return 1
    timeout 300 "$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
        --no-compile --retries 1 --timeout 20 -r "$wanted" >>"$folder.log" 2>&1 || return 1
    cp "$wanted" "$folder/installed.txt"
}

# What `pip install .` does first, in the folder of the preset strict-clang: what is compiled there stays, and the wheel
# is without GPU code, which takes minutes. Otherwise it is the one that users build. The lock is that of tools/build.sh.
build_wheel() {
    mkdir -p build/strict-clang
    rm -rf "$folder/wheel"
    flock build/strict-clang/lock "$folder/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$folder/wheel" \
        --config-settings=build-dir=build/strict-clang --config-settings=cmake.args=--preset=strict-clang . \
        >"$folder/wheel.log" 2>&1
}

# The newest Python from 3.10 on that is here and of another version than ours: in the path, or made by pyenv.
other_python() {
    local ours python version found
    found=(python3.{20..10} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3 /usr/bin/python3)
    if [ -n "${SPIKEMINE_OTHER_PYTHON:-}" ]; then
        found=("$SPIKEMINE_OTHER_PYTHON")
    fi
    ours=$("$folder/bin/python" -c 'import sys; print(sys.version_info[1])')
    for python in "${found[@]}"; do
        version=$("$python" -c 'import sys, venv; print(sys.version_info[1])' 2>/dev/null) || continue
        if [ "$version" -ge 10 ] && [ "$version" != "$ours" ]; then
            echo "$version $python"
        fi
    done | sort -k 1,1nr -s | sed -n '1s/^[0-9]* //p'
}

# Our wheel and what it needs in a clean environment of another Python, and its tests there.
test_other_python() {
    local python
    python=$(other_python)
    if [ -z "$python" ]; then
        echo 'one version of Python: no other one from 3.10 on is here'
        return 0
    fi
    rm -rf "$folder-other"
    if ! "$python" -m venv --without-pip "$folder-other" ||
        ! timeout 300 "$folder/bin/pip" --python "$folder-other/bin/python" install --quiet \
            --disable-pip-version-check --only-binary :all: --no-compile --retries 1 --timeout 20 \
            cffi numpy pytest; then # the versions that this Python has
        echo "one version of Python: the packages of $python cannot be installed"
        return 0
    fi
    "$folder/bin/pip" --python "$folder-other/bin/python" install --quiet --disable-pip-version-check \
        "$folder"/wheel/spikemine-*-py3-none-*.whl
    "$folder-other/bin/python" -V
    # Memory that was given back is filled, so that whoever still reads it is seen.
    PYTHONMALLOC=debug "$folder-other/bin/python" -W ignore -m pytest -q -p no:cacheprovider \
        "${counted[@]}" tests/python/package
}

# The Lab Streaming Layer of pylsl as a source and as a sink.
test_lsl() {
    local library
    library=$(find "$folder/lib" -name 'liblsl.so*' | sort | head -n 1)
    SPIKEMINE_LSL=$(realpath "$library")
    export SPIKEMINE_LSL
    "$folder/bin/python" tests/live/test_connections.py -k lsl
    if [ -x build/release/tests/test_live_lsl ]; then
        build/release/tests/test_live_lsl 2>&1 | tail -n 2
    fi
}

mkdir -p build
if ! prepare; then
    echo "skipped: the packages of $wanted cannot be installed; $folder.log says why"
    exit 0
fi
SPIKEMINE=$(realpath "$command")
export SPIKEMINE
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
build_wheel & # these tests use one processor
wheel=$!
"$folder/bin/python" -W ignore tests/python/test_interop.py
"$folder/bin/python" -W ignore -m pytest -q -p no:cacheprovider tests/python/test_elephant*.py
test_lsl

wait "$wheel" || { tail -n 30 "$folder/wheel.log"; exit 1; }
"$folder/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps \
    "$folder"/wheel/spikemine-*-py3-none-*.whl
"$folder/bin/python" -W ignore -m pytest -q -p no:cacheprovider "${counted[@]}" \
    --ignore tests/python/package/test_results.py tests/python/package
test_other_python >"$folder-other.log" 2>&1 & # as do these
other=$!
# Elephant's own tests against our functions; 77: its sources cannot be fetched.
status=0
"$folder/bin/python" tests/python/run_elephant_tests.py "$folder" || status=$?
[ "$status" = 0 ] || [ "$status" = 77 ]
(cd "$folder" && bin/mypy --config-file ../../pyproject.toml --cache-dir=/dev/null -p spikemine)
"$folder/bin/ruff" check --no-cache python
"$folder/bin/ruff" format --no-cache --check python
wait "$other" || { tail -n 60 "$folder-other.log"; exit 1; }
tail -n 5 "$folder-other.log"
