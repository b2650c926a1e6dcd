#!/bin/sh
# The benchmarks whose outcome lies in bench/results:  tools/bench.sh COMMAND [NAME ...]
# Without names all that do not take hours run, those of GPUs where one is; RUNS sets how often each
# figure is taken (5), SECONDS_OF_LOAD how long each load of live runs lasts (10).
set -eu
cd "$(dirname "$0")/.."
command=$1
shift
if [ $# = 0 ]; then
    set -- episodes patterns read_text live
    if "$command" engines --names | grep -q '^cuda-'; then
        set -- "$@" gpu
    fi
fi
for name in "$@"; do
    if [ "$name" = gpu ]; then
        OUT=build/gpu-report BUILD=$(dirname "$command")/.. RUNS=${RUNS:-5} bench/gpu.sh time
    elif [ "$name" = live ]; then
        bench/live.sh "$(dirname "$command")/.." "${SECONDS_OF_LOAD:-10}"
    else
        "bench/$name.sh" "$command" "${RUNS:-5}"
    fi
    echo
done
