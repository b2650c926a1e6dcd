#!/bin/sh
# How mining SPADE patterns grows, beside Table 8 of Porrmann et al. 2021, as Markdown:
#   bench/patterns_scale.sh COMMAND [SECONDS]
# 300 and 450 neurons: the bundled recording stacked with copies of itself, shifted circularly in time
# by a third and two thirds of its length. 1000 s: generated, 150 units, log-normal rates about 6 Hz,
# slow common modulation, supports from --min-occurrences auto. 5 s: the paper's short piece, which is
# the first 7,320 spikes.
# A job that takes longer than SECONDS (300) is stopped and reported as such.
set -eu
cd "$(dirname "$0")/.."
command=$1
limit=${2:-300}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# stack COPIES: the recording with unit numbers 150 k + u for copy k
stack() {
    awk -v copies="$1" '/^#/ { next } { time[n] = $1; unit[n++] = $2; if ($1 > last) last = $1 }
        END { bins = int(last / 0.005 + 0.5) + 1
              for (c = 0; c < copies; c++) for (i = 0; i < n; i++) {
                  bin = (int(time[i] / 0.005 + 0.5) + int(c * bins / 3)) % bins
                  printf "%.3f %d\n", bin * 0.005, unit[i] + 150 * c } }' \
        data/movement_PGHF.spikes.txt | sort -n -s -k1,1
}

# job NAME FILE OCCURRENCES SPIKES: one line of the table
job() {
    status=0
    timeout "$limit" /usr/bin/time -f '%e %M' -o "$folder/time" "$command" patterns "$2" \
        --columns time,unit --bin 5ms --window 20 --min-occurrences "$3" --min-spikes "$4" \
        --min-neurons "$4" --moving-window-filter off --spectrum 2d -o "$folder/out.tsv" \
        2>"$folder/notes" || status=$?
    if [ "$status" != 0 ]; then
        echo "| $1 | $3 | $4 | - | over $limit s | - |"
        return 0
    fi
    awk -v head="| $1 | $3 | $4" -v n="$(awk 'NR > 1 { n += $3 } END { print n + 0 }' "$folder/out.tsv")" \
        '{ printf "%s | %d | %.2f | %.0f |\n", head, n, $1, $2 / 1024 }' "$folder/time"
}

echo "# SPADE patterns: growth"
echo
echo "Made by \`bench/patterns_scale.sh\` on $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)," \
    "$(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors and threads," \
    "$("$command" --version). Seconds of the whole command with --spectrum 2d; peak memory in MB."
echo
echo "| recording | occurrences | spikes = neurons | patterns | s | MB |"
echo "|---|---|---|---|---|---|"
head -n 7320 data/movement_PGHF.spikes.txt >"$folder/short.txt"
for pair in '36 2' '15 3' '10 4' '10 5' '10 6' '10 7' '10 8' '10 9'; do
    job '5 s, 150 neurons' "$folder/short.txt" "${pair% *}" "${pair#* }"
done
for pair in '88 2' '25 3' '12 4' '10 5' '10 6' '10 7' '10 8' '10 9'; do
    job '22 s, 150 neurons' data/movement_PGHF.spikes.txt "${pair% *}" "${pair#* }"
done
stack 2 >"$folder/300.txt"
for pair in '71 2' '21 3' '11 4' '10 5' '10 6' '10 7' '10 8' '10 9'; do
    job '22 s, 300 neurons' "$folder/300.txt" "${pair% *}" "${pair#* }"
done
stack 3 >"$folder/450.txt"
for pair in '71 2' '22 3' '10 4' '10 5' '10 6' '10 7' '10 8' '10 9'; do
    job '22 s, 450 neurons' "$folder/450.txt" "${pair% *}" "${pair#* }"
done
"$command" simulate network --seed 1 --duration 1000s --units 150 --rate 6 --rate-spread 0.7 \
    --modulation 0.5 --modulation-rate 0.2 --chains 0 -o "$folder/long.txt" --truth "$folder/truth.json"
for spikes in 2 3 4 5 6 7 8 9; do
    job '1000 s, 150 units, generated' "$folder/long.txt" auto $spikes
done
