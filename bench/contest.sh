#!/usr/bin/env bash
# A contest of methods on recordings with known truth: makes an environment with the other methods, runs what is not
# there yet, and writes the page bench/results/contest.md.
#
#   bench/contest.sh [--size first|full] [--cells A,B] [--methods A,B] [--columns rule,own] [--recordings N]
#                    [--seed N] [--jobs N] [--seconds S] [--longest-first] [--rows FILE]
#
# bench/contest/cells.py has the recordings, methods and settings. The full contest takes days of processor time; an
# interrupted one goes on where it stopped.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/contest
if ! [ -e "$environment/.done" ] || [ bench/contest/requirements.txt -nt "$environment/.done" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet -r bench/contest/requirements.txt
    touch "$environment/.done"
fi
export NUMBA_CACHE_DIR=$PWD/$environment/numba PYTHONDONTWRITEBYTECODE=1
nice "$environment/bin/python" bench/contest/run.py "$@"
"$environment/bin/python" bench/contest/page.py >bench/results/contest.md.new
mv bench/results/contest.md.new bench/results/contest.md
