#!/bin/sh
# Speed and memory of reading text: bench/read_text.sh COMMAND [RUNS [EVENTS]]
# Prints MB/s of stored text and peak bytes an event, for plain sorted, unsorted and gzip input. The
# time is that of the whole command 'info', the best of RUNS (5); the peak is less that of one event.
set -eu
spikemine=$1
runs=${2:-5}
events=${3:-10000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

awk -v n="$events" 'BEGIN {
    srand(1)
    for (i = 0; i < n; i++) {
        t += int(rand() * 20) + 1
        printf "%d.%05d %d\n", int(t / 100000), t % 100000, int(rand() * 60)
    }
}' >"$folder/sorted.txt"
sort -n -s -k2,2 "$folder/sorted.txt" >"$folder/unsorted.txt"
gzip -1 -k "$folder/sorted.txt"
echo "0.5 1" >"$folder/one.txt"

# "seconds kilobytes" of one run
measure() {
    /usr/bin/time -f "%e %M" -o "$folder/time" "$spikemine" info --columns time,unit --sort "$1" \
        >/dev/null
    cat "$folder/time"
}

base=$(measure "$folder/one.txt" | cut -d' ' -f2)
bytes=$(wc -c <"$folder/sorted.txt")
printf 'input\tMB/s\tbytes_per_event\n'
for name in sorted.txt unsorted.txt sorted.txt.gz; do
    for _ in $(seq "$runs"); do
        measure "$folder/$name"
    done | sort -n | head -1 | awk -v name="$name" -v bytes="$bytes" -v n="$events" -v base="$base" \
        '{printf "%s\t%.0f\t%.1f\n", name, bytes / 1e6 / $1, ($2 - base) * 1024 / n}'
done
