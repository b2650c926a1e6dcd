#!/bin/sh
# The benchmarks whose outcome lies in bench/results:  tools/bench.sh COMMAND [NAME ...]
# Without names all of bench/*.sh run; RUNS sets how often each figure is taken (5).
set -eu
cd "$(dirname "$0")/.."
command=$1
shift
if [ $# = 0 ]; then
    set -- episodes patterns read_text
fi
for name in "$@"; do
    "bench/$name.sh" "$command" "${RUNS:-5}"
    echo
done
