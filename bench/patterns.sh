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
echo "## Memory and output, one thread"
echo
for job in '88 2' '25 3' '12 4'; do
    # shellcheck disable=SC2086 # two words
    set -- $job
    /usr/bin/time -f '%e %M' -o "$folder/time" "$command" patterns "$recording" \
        --columns time,unit --bin 5ms --window 20 --support "$1" --min-spikes "$2" \
        --min-neurons "$2" --moving-window-filter off --threads 1 --max-results none --force -o "$folder/out.tsv" \
        2>"$folder/notes"
    awk -v job="($1,$2)" -v n="$(($(wc -l <"$folder/out.tsv") - 1))" -v bytes="$(wc -c <"$folder/out.tsv")" \
        '{ printf "- %s: %d patterns streamed to a file of %.0f MB: %.2f s in all, %.0f MB at the peak\n",
           job, n, bytes / 1e6, $1, $2 / 1024 }' "$folder/time"
done
