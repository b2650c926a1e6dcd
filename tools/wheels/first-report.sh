#!/usr/bin/env bash
# From nothing to a tested report, with times: an empty virtual environment, a wheel, a recording.
#   tools/wheels/first-report.sh WHEEL RECORDING FOLDER [OPTION ...]
# FOLDER, which must not be there, gets the environment, the report and its table. Options go to `episodes`; without
# any they are what `info --suggest` prints, or a test of pairs within 20 ms where it sees nothing.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" && exit 2; }
wheel=$1 recording=$2 folder=$3
shift 3
[ ! -e "$folder" ] || { echo "$folder is there already" >&2 && exit 1; }

step() { # what, command
    local what=$1 began=$EPOCHREALTIME
    shift
    "$@"
    LC_ALL=C awk -v a="$began" -v b="$EPOCHREALTIME" -v what="$what" 'BEGIN { printf "%7.1f s  %s\n", b - a, what }'
}

suggest() {
    "$folder/env/bin/spikemine" info "$recording" --suggest -q >"$folder/info.tsv"
    sed -n 's/^suggestion\t//p' "$folder/info.tsv" >"$folder/command"
    if ! grep -q '^spikemine' "$folder/command"; then
        echo 'spikemine episodes FILE -d 0:5ms -d 5ms:20ms --support 50 --max-size 2 --distinct-units 2 --test exact' \
            '--jitter 100ms' >"$folder/command"
    fi
}

report() {
    if [ $# = 0 ]; then
        read -r -a words <"$folder/command"
        set -- "${words[@]:3}"
    fi
    "$folder/env/bin/spikemine" episodes "$recording" "$@" -o "$folder/report.tsv" --html "$folder/report.html"
}

mkdir -p "$folder"
step 'an empty environment' python3 -m venv "$folder/env"
step 'pip install' "$folder/env/bin/pip" -q install "$wheel"
if [ $# = 0 ]; then
    step 'delays are chosen' suggest
fi
step 'tested, with a report' report "$@"
echo "$(($(wc -l <"$folder/report.tsv") - 1)) results in $folder/report.html"
