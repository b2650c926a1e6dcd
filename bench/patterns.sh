#!/bin/sh
# The figures for SPADE patterns on the paper's benchmark, as Markdown:  bench/patterns.sh COMMAND [RUNS]
# Mining times: reading, the moving-window step and output excluded. The ratio to the published module
# is bench/compare_elephant.py's business, because that one needs minutes a job.
set -eu
cd "$(dirname "$0")/.."
command=$1
runs=${2:-5}
recording=data/movement_PGHF.spikes.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

as_table() {
    awk -F '\t' '{ line = "|"; rule = "|"
        for (k = 1; k <= NF; k++) { line = line " " $k " |"; rule = rule "---|" }
        print line; if (NR == 1) print rule }'
}

echo "# SPADE patterns"
echo
echo "Made by \`bench/patterns.sh\` on $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)," \
    "$(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors," \
    "$("$command" --version). movement_PGHF, 150 neurons, 22.32 s, 5 ms bins, windows of 20."
for threads in 1 2; do
    echo
    echo "## The eight jobs of Porrmann et al. 2021, $threads thread(s), medians of $runs"
    echo
    "$command" bench patterns "$recording" --columns time,unit --threads "$threads" --runs "$runs" |
        as_table
done
echo
echo "## Both engines, the quick pair of jobs, one thread"
echo
"$command" bench patterns "$recording" --columns time,unit --jobs '88,2;25,3' --runs 3 \
    --engines bitmap,fpgrowth | as_table
echo
echo "## Memory and output"
echo
# list OCCURRENCES SPIKES THREADS ENDING
list() {
    /usr/bin/time -f '%e %M' -o "$folder/time" "$command" patterns "$recording" \
        --columns time,unit --bin 5ms --window 20 --support "$1" --min-spikes "$2" \
        --min-neurons "$2" --moving-window-filter off --threads "$3" --max-results none --force -o "$folder/out.$4" \
        2>"$folder/notes"
    awk -v job="($1,$2)" -v threads="$3" -v ending="$4" -v bytes="$(wc -c <"$folder/out.$4")" \
        '{ printf "- %s, %d thread(s), .%s: a file of %.1f MB, %.2f s in all, %.0f MB at the peak\n",
           job, threads, ending, bytes / 1e6, $1, $2 / 1024 }' "$folder/time"
}
list 88 2 1 tsv
list 25 3 1 tsv
list 12 4 1 tsv
for ending in gz zst; do
    list 25 3 1 "$ending"
    list 25 3 2 "$ending"
done
