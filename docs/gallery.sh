#!/usr/bin/env bash
# Runs what docs/gallery.md shows:
#   docs/gallery.sh FOLDER [NAME ...]      FOLDER gets a table, a figure and the notes of each
# `spikemine` is the one in the path, or $SPIKEMINE. Bundled recordings are there; the others are looked for in
# $SPIKEMINE_DATA, and where one is missing the script says where it comes from.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' docs/gallery.sh && exit 2; }
out=$1
shift
spikemine=${SPIKEMINE:-spikemine}
data=${SPIKEMINE_DATA:-/nowhere}
test=(--distinct-units 2 --test exact)

# name, file, where it comes from; then the rest of the command.
show() {
    local name=$1 file=$2 origin=$3
    shift 3
    if [ "${#wanted[@]}" -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then
        return
    fi
    if [ ! -e "$file" ]; then
        echo "$name: $file is not here. $origin"
        return
    fi
    echo "$name"
    "$spikemine" episodes "$file" "$@" "${test[@]}" -o "$out/$name.tsv" --figure "$out/$name.svg" --force 2>"$out/$name.notes" ||
        { cat "$out/$name.notes" >&2 && exit 1; }
    grep -e significant -e families "$out/$name.notes"
}

wanted=("$@")
mkdir -p "$out"
show songbird data/songbird_spikes.txt bundled \
    --sort -d 0:50ms -s 10 --jitter 250ms --alpha 0.0062 --families
show macaque data/movement_PGHF.spikes.txt bundled \
    --columns time,unit -d 0:5ms -d 5ms:10ms -s 100 --max-size 2 --surrogates 99
show macaque-short "$data/reach_to_grasp/test_short.spikes.txt" \
    'The repository fporrmann/FPG has it as test_short, in the form of windows; spikes at 5 ms are restored from these.' \
    --columns time,unit -d 0:5ms -d 5ms:10ms -s 30 --max-size 2 --surrogates 99
show head-direction "$data/nwb/A8604-211122.nwb" \
    'It is a test file of pynapple, in its repository.' \
    -d 0:5ms -d 5ms:20ms -s 50 --max-size 2 --surrogates 99 --jitter 100ms
show culture "$data/wagenaar/2-1-20.spk.txt" \
    'Wagenaar, Pine and Potter 2006 publish it with their paper in BMC Neuroscience: culture 2-1, day 20.' \
    --stop 300s -d 0:5ms -d 5ms:10ms -s 40 --max-size 3 --surrogates 49 --jitter 100ms --families
show chains "$data/tdm/sim-64-size20.csv" \
    'OpenDwarfs has it among the data of its benchmark tdm.' \
    --time-unit s -d 0:10ms -s 200 --max-size 2 --surrogates 49 --jitter 50ms
