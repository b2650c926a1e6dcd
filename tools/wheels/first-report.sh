#!/usr/bin/env bash
# From nothing to a tested report, with times: an empty virtual environment, a wheel, a recording that nobody knows.
#   tools/wheels/first-report.sh WHEEL RECORDING FOLDER [OPTION ...]
# FOLDER, which must not be there, gets the environment and the report; options go to `explore`.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" && exit 2; }
wheel=$1 recording=$2 folder=$3
[ ! -e "$folder" ] || { echo "$folder is there already" >&2 && exit 1; }

step() { # what, command
    local what=$1 began=$EPOCHREALTIME
    shift
    "$@"
    LC_ALL=C awk -v a="$began" -v b="$EPOCHREALTIME" -v what="$what" 'BEGIN { printf "%7.1f s  %s\n", b - a, what }'
}

mkdir -p "$folder"
step 'an empty environment' python3 -m venv "$folder/env"
step 'pip install' "$folder/env/bin/pip" -q install "$wheel"
step 'explored, with a report' "$folder/env/bin/spikemine" explore "$recording" --html "$folder/report.html" "${@:4}"
