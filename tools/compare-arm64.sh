#!/usr/bin/env bash
# The bytes that a command made for ARM writes, run by QEMU, against those of this machine's:
#   tools/compare-arm64.sh COMMAND ARM-COMMAND
set -euo pipefail
cd "$(dirname "$0")/.."
native=$1
arm=$2
libraries=/usr/aarch64-linux-gnu/lib:$PWD/build/arm64-packages/usr/lib/aarch64-linux-gnu

notes=$(mktemp)
trap 'rm -f "$notes"' EXIT

on_arm() {
    OMP_WAIT_POLICY=passive qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$libraries" "$arm" "$@"
}

compare() {
    local ours theirs
    ours=$("$native" "$@" 2>/dev/null | sha256sum)
    theirs=$(on_arm "$@" 2>"$notes" | sha256sum)
    if [ "$ours" != "$theirs" ]; then
        cat "$notes" >&2
        echo "spikemine $*: ARM writes something else" >&2
        return 1
    fi
    echo "the same: spikemine $*"
}

recording=data/movement_PGHF.spikes.txt
compare simulate culture --seed 3 --events 20000 -o /dev/stdout
compare simulate sym26 --seed 5 -o /dev/stdout
compare episodes "$recording" -d 0:5ms -d 5ms:10ms -s 100 --engine sweep
compare episodes "$recording" -d 0:10ms -s 150 --engine fsm --two-pass on
compare patterns "$recording" --bin 5ms --window 20 --support 32 --min-spikes 4 --min-neurons 3
compare patterns "$recording" --bin 5ms --window 20 --support 40 --min-spikes 2 --min-neurons 2 --spectrum 3d
# Tests against chance and whole sequences: floating point from end to end.
compare episodes "$recording" --stop 4s -d 0:5ms -s 20 --test exact --surrogates 2 --alpha 0.4 --report all
compare patterns "$recording" --stop 4s --bin 5ms --window 10 --support 16 --min-spikes 3 --test exact \
    --null interval-jitter --surrogates 2 --alpha 0.4 --report all
compare sequences data/songbird_spikes.txt --columns unit,time --sort --stop 6s --longest-lag 100ms \
    --surrogates 1 --alpha 1 --max-sequences 2
