#!/usr/bin/env bash
# The documentation site, of the pages in docs/, the C headers and the Python package with the library of
# build/release, and with notebooks that are run; any warning is an error:
#   tools/site.sh            build/site/html/index.html
# Sphinx comes from PyPI into build/site-env, once. Where it is not to be had nothing is built, with a
# message. Nothing is fetched while the site is built, nor when somebody reads it.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=docs/requirements.txt
folder=build/site-env
site=build/site
package=$site/package

# Installs unless this list was installed already.
prepare() {
    cmp -s "$wanted" "$folder/installed.txt" && return 0
    rm -rf "$folder"
    python3 -m venv "$folder" >"$folder.log" 2>&1 || return 1
    timeout 300 "$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
        --no-compile --retries 1 --timeout 20 -r "$wanted" >>"$folder.log" 2>&1 || return 1
    cp "$wanted" "$folder/installed.txt"
}

mkdir -p build
if ! prepare; then
    echo "no site: the packages of $wanted cannot be installed; $folder.log says why"
    exit 0
fi

rm -rf "$site"
# Also where the build itself has no package, since its Python lacks what the tests need.
tools/python-package.sh "$folder/bin/python" "$package"
export PYTHONPATH=$PWD/$package
# Notebooks leave nothing in the home of who builds, and say nothing of how they talk to this program.
export IPYTHONDIR=$PWD/$site/ipython JUPYTER_RUNTIME_DIR=$PWD/$site/jupyter MPLCONFIGDIR=$PWD/$folder/matplotlib
mkdir -p "$IPYTHONDIR/profile_default" "$JUPYTER_RUNTIME_DIR"
echo 'c.IPKernelApp.log_level = "ERROR"' >"$IPYTHONDIR/profile_default/ipython_kernel_config.py"
"$folder/bin/python" docs/site/pages.py "$site/source" build/release/generated
"$folder/bin/python" -m sphinx -W --keep-going -n -q -j 2 -c docs/site -d "$site/doctrees" "$site/source" "$site/html"
"$folder/bin/python" tools/check-site.py "$site/html" "$package/spikemine"
echo "$site/html/index.html"
