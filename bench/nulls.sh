#!/usr/bin/env bash
# How often is the exact test alarmed by real units that were shifted apart, and how long does it take?
#   bench/nulls.sh COPIES [OUT.tsv]
# A copy of a recording has each unit moved in a circle by an amount of its own: nothing holds between units, while their
# rhythm, bursts and refractory periods stay. A row for each recording, language and null hypothesis says in how many
# copies anything has p <= 0.05. Promised are 5 %.
#
#   SPIKEMINE   the command (build/release/cli/spikemine)
#   SPIKEMINE_DATA  a folder with phy, wagenaar, nwb, tdm; without it the bundled recordings only
#   NULLS       null hypotheses, with options of their own after a colon:
#               "default interval-jitter pattern-jitter pattern-jitter:--history=10ms shift shift-apart"
#   ONLY        a pattern of the rows' names that are wanted, such as "songbird.*patterns"
#   THREADS     threads of a run (all)
#   SEED        of the copies (1); rows of several seeds add up
set -euo pipefail

if ! [[ ${1-} =~ ^[0-9]+$ ]]; then
    sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
fi
copies=$1
out=${2:-/dev/stdout}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=${SPIKEMINE:-build/release/cli/spikemine}
data=${SPIKEMINE_DATA-}
nulls=${NULLS:-default interval-jitter pattern-jitter shift shift-apart}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '{ printf "%d\t%s\n", $2 * 30 + 0.5, $1 }' data/songbird_spikes.txt | sort -n >"$work/song.txt"
"$program" simulate culture --seed 3 --events 20000 --force -q -o "$work/bursts.txt"

# name | recording | how it is read | episodes | patterns | jitter
recordings() {
    echo "macaque|data/movement_PGHF.spikes.txt|--columns time,unit|--delay 0:5ms --delay 5ms:10ms|--bin 5ms --window 6|25ms"
    echo "songbird|$work/song.txt|--time-unit samples@30|--delay 0:34ms --delay 34ms:67ms|--bin 1/30s --window 6|500ms"
    echo "simulated culture|$work/bursts.txt||--delay 0:5ms --delay 5ms:10ms|--bin 5ms --window 6|25ms"
    [ -n "$data" ] || return 0
    echo "probe|$data/phy|--time-unit samples@30000 --group good --start 0s --stop 120s|--delay 0:5ms --delay 5ms:10ms|--bin 5ms --window 4|25ms"
    for file in 2-1-20 2-1-10 8-1-31; do
        echo "culture $file|$data/wagenaar/$file.spk.txt|--columns time,unit|--delay 0:5ms --delay 5ms:10ms|--bin 5ms --window 6|25ms"
    done
    echo "three units|$data/nwb/A8604-211122.nwb||--delay 0:5ms --delay 5ms:10ms|--bin 5ms --window 6|25ms"
    echo "simulated network|$data/tdm/sim-64-size20.csv|--columns unit,time|--delay 0:5ms --delay 5ms:10ms|--bin 5ms --window 6|25ms"
}

# The support with which chance gives some hundred results, from the recording's own surrogates.
pattern_options() {
    case $1 in
    macaque) echo "--support 60 --max-spikes 3" ;;
    songbird) echo "--support 12 --max-spikes 3" ;;
    probe) echo "--support 800 --max-spikes 3" ;;
    culture\ 2-1-10) echo "--support 10 --max-spikes 3" ;;
    culture\ 8-1-31) echo "--support 4 --max-spikes 3" ;;
    three\ units) echo "--support 20 --max-spikes 3" ;;
    *) echo "--support 200 --max-spikes 3" ;;
    esac
}

run() { # name language null options...
    local name=$1 language=$2 null=$3 begin end
    shift 3
    [[ "$name $language $null" =~ ${ONLY:-.} ]] || return 0
    local -a own=()
    [ "${null%%:*}" = default ] || own=(--null "${null%%:*}")
    [ "${null#*:}" = "$null" ] || read -r -a more <<<"${null#*:}"
    [ "${null#*:}" = "$null" ] || own+=("${more[@]}")
    begin=$(date +%s.%N)
    "$program" "$@" "${own[@]}" --distinct-units 2 --test exact --calibrate "$copies" --calibrate-method shift-apart \
        ${THREADS:+--threads "$THREADS"} --seed "${SEED:-1}" -q --format json --force -o "$work/runs.json"
    end=$(date +%s.%N)
    python3 - "$work/runs.json" "$name" "$language" "$null" "$begin" "$end" <<'PYTHON'
import json, sys
made = json.load(open(sys.argv[1]))["rates"][-1]
rates = [f"{made[k]:.4g}" for k in ("alarms", "share", "low", "high")]
print("\t".join([*sys.argv[2:5], *rates, f"{float(sys.argv[6]) - float(sys.argv[5]):.1f}"]), flush=True)
PYTHON
}

{
    printf 'recording\tresults\tnull\talarms\tshare\tlow\thigh\tseconds\n'
    recordings | while IFS='|' read -r name file reading episodes patterns jitter; do
        read -r -a reading <<<"$reading"
        read -r -a episodes <<<"$episodes"
        read -r -a patterns <<<"$patterns $(pattern_options "$name")"
        for null in $nulls; do
            run "$name" episodes "$null" episodes "$file" "${reading[@]}" "${episodes[@]}" --support auto --max-size 4 \
                --jitter "$jitter"
            run "$name" patterns "$null" patterns "$file" "${reading[@]}" "${patterns[@]}" --min-spikes 2 \
                --jitter "$jitter"
        done
    done
} >"$out"
