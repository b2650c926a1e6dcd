#!/bin/sh
# The figures for serial episodes, as Markdown:  bench/episodes.sh COMMAND [RUNS]
# Recordings that may not be bundled are looked for in SPIKEMINE_DATA, else ../shared/data; rows whose
# recording is not there are left out. Times are mining times where not said otherwise.
set -eu
cd "$(dirname "$0")/.."
command=$1
runs=${2:-5}
data=${SPIKEMINE_DATA:-../shared/data}
culture=$data/wagenaar/2-1-20.spk.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# as_table: a tab separated table as Markdown
as_table() {
    awk -F '\t' '{ line = "|"; rule = "|"
        for (k = 1; k <= NF; k++) { line = line " " $k " |"; rule = rule "---|" }
        print line; if (NR == 1) print rule }'
}

# whole COMMAND...: wall time and peak memory of a whole process
whole() {
    /usr/bin/time -f '%e %M' -o "$folder/time" "$@" >/dev/null 2>"$folder/notes"
    awk '{ printf "%.2f s in all, %.0f MB at the peak", $1, $2 / 1024 }' "$folder/time"
}

# instruction_sets: those that kernels are built for and this machine runs
instruction_sets() {
    echo portable
    ! grep -qw avx2 /proc/cpuinfo || echo avx2
    ! grep -qw avx512_bitalg /proc/cpuinfo || echo avx512
    [ "$(uname -m)" != aarch64 ] || echo neon
}

echo "# Serial episodes"
echo
echo "Made by \`bench/episodes.sh\` on $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)," \
    "$(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors," \
    "$("$command" --version)."

if [ -e "$culture" ]; then
    one="$culture --columns time,unit --delay 5ms:10ms --support 173"
    three="$culture --columns time,unit --delay 0:5ms --delay 5ms:10ms --delay 10ms:15ms --support 173"
    echo
    echo "## 2-1-20, (5,10] ms, threshold 173: one thread, medians of $runs runs in turn"
    echo
    # shellcheck disable=SC2086 # words
    "$command" bench episodes $one --engines sweep,fsm+two-pass,fsm,reference --runs "$runs" |
        as_table
    echo
    echo "## 2-1-20, (0,5] (5,10] (10,15] ms, threshold 173: all sizes"
    echo
    for threads in 1 2; do
        # shellcheck disable=SC2086
        "$command" bench episodes $three --engines sweep --runs 3 --threads $threads |
            awk -F '\t' -v n=$threads 'NR > 1 { printf "- %d thread(s): %s s (%s to %s), %s frequent\n", n, $2, $3, $4, $6 }'
    done
    # shellcheck disable=SC2086
    echo "- one thread, result streamed to a file: $(whole "$command" episodes $three --threads 1 \
        --max-memory 1G --max-results none -o "$folder/three.tsv"), $(($(wc -l <"$folder/three.tsv") - 1)) episodes"
    echo
    echo "## The same with each instruction set (SPIKEMINE_SIMD), one thread"
    echo
    for simd in $(instruction_sets); do
        # shellcheck disable=SC2086
        SPIKEMINE_SIMD=$simd "$command" bench episodes $three --engines sweep --runs 3 |
            awk -F '\t' -v simd="$simd" 'NR > 1 { printf "- %s: %s s (%s to %s)\n", simd, $2, $3, $4 }'
    done
fi

echo
echo "## Generated recordings"
echo
"$command" simulate sym26 --seed 26 -o "$folder/sym26.txt"
echo "- Sym26, (5,10] ms, threshold 100: $(whole "$command" episodes "$folder/sym26.txt" \
    --delay 5ms:10ms --support 100 -o "$folder/sym26.tsv"), the longest of size" \
    "$(tail -n 1 "$folder/sym26.tsv" | cut -f 1)"
"$command" simulate culture --seed 1 --events 10000000 -o "$folder/culture.txt"
echo "- Culture, 59 channels, $(($(wc -l <"$folder/culture.txt") - 1)) events, (5,10] ms, threshold 1 %," \
    "one thread: $(whole "$command" episodes "$folder/culture.txt" --delay 5ms:10ms --support 1% \
        --threads 1); $(grep frequent "$folder/notes")"

"$command" simulate culture --units 1000 --tonic-rate 5 --bursts-per-min 0.5 --burst-spikes 1 --seed 7 \
    --events 5000000 -o "$folder/many.txt"
echo "- 1,000 units, $(($(wc -l <"$folder/many.txt") - 1)) events, (0,5] ms, threshold 0.02 %," \
    "2 threads: $(whole "$command" episodes "$folder/many.txt" --delay 0:5ms --support 0.02% \
        --threads 2); $(grep frequent "$folder/notes")"

echo
echo "## Bundled recording (macaque), (0,5] (5,10] (10,15] ms, threshold 50, one thread"
echo
"$command" bench episodes data/movement_PGHF.spikes.txt --columns time,unit --delay 0:5ms \
    --delay 5ms:10ms --delay 10ms:15ms --support 50 --engines sweep,fsm+two-pass,fsm --runs "$runs" |
    as_table
