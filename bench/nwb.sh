#!/bin/sh
# Speed and memory of reading NWB: bench/nwb.sh COMMAND [RUNS]
# A file of 100 MB read as a whole, and of a sparse one of 10 GB a minute. Prints seconds, MB/s of spike
# times and the peak of memory; the best of RUNS (5). PYTHON has h5py (python3).
set -eu
spikemine=$1
runs=${2:-5}
python=${PYTHON:-python3}
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# "seconds kilobytes" of the best run of a command
best() {
    for _ in $(seq "$runs"); do
        /usr/bin/time -f "%e %M" -o "$folder/time" "$@" >/dev/null 2>&1
        cat "$folder/time"
    done | sort -n | head -1
}

"$python" "$here/make_nwb.py" "$folder/full.nwb" 100 125000 full >/dev/null
from=$("$python" "$here/make_nwb.py" "$folder/sparse.nwb" 1000 1250000 sparse)
printf 'input\tseconds\tMB/s\tpeak_MB\n'
best "$spikemine" info "$folder/full.nwb" |
    awk '{ printf "100 MB, whole\t%.2f\t%.0f\t%.0f\n", $1, 100 / $1, $2 / 1024 }'
best "$spikemine" info "$folder/sparse.nwb" --start "${from}s" --stop "$((from + 60))s" |
    awk '{ printf "10 GB, one minute\t%.2f\t\t%.0f\n", $1, $2 / 1024 }'
