#!/usr/bin/env bash
# The speed of the test of SPADE patterns, as Markdown:
#   bench/significance.sh BUILD > bench/results/significance.md
# BUILD is a build tree (build/release). Whole tests use all processors; steps, mining in full and Elephant use one,
# in the same run, so that their ratios mean something. ELEPHANT names a Python that has Elephant 1.2.1; without it its
# column is left out. SURROGATES, of the first test (1000), makes it shorter.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1/bench/spikemine-bench-significance
recording=data/movement_PGHF.spikes.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

as_table() {
    awk -F '\t' '{ line = "|"; rule = "|"
        if ($1 == "test" || $1 == "step") print ""
        for (k = 1; k <= NF; k++) { line = line " " $k " |"; rule = rule "---|" }
        print line; if ($1 == "test" || $1 == "step") print rule }'
}

# TITLE ARGUMENT...: a whole test and its steps.
job() {
    printf '\n## %s\n' "$1"
    shift
    echo
    echo "spikemine-bench-significance speed $*" | fold -s -w 110 | sed 's/^/    /; s/ *$//'
    "$program" speed "$@" 2>"$folder/notes" | tee "$folder/job.tsv" | as_table
    sed -n 's/^note: \(size.*\)/\n- \1/p' "$folder/notes"
}

# ARGUMENT...: seconds of a surrogate in Elephant's pvalue_spectrum, and the ratio to ours, both with one thread.
beside_elephant() {
    [ -n "${ELEPHANT-}" ] || return 0
    local theirs ours
    theirs=$("$ELEPHANT" -W ignore bench/significance_elephant.py "$recording" "$@")
    ours=$(awk -F '\t' '$1 == "make" || $1 == "windows" || $1 == "maxima" { s += $3 } END { print s / 1000 }' "$folder/job.tsv")
    awk -v theirs="$theirs" -v ours="$ours" -v n="$1" 'BEGIN {
        printf "\nElephant takes %.1f s for a surrogate (the mean of %d), spikemine %.3f s: ratio %.0f.\n", theirs, n, ours, theirs / ours
        printf "1,000 surrogates would take Elephant %.1f hours.\n", theirs / 3.6 }'
}

echo "# The test of SPADE patterns: speed"
echo
echo "Made by \`bench/significance.sh\` on $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)," \
    "$(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors."
echo "movement_PGHF, 150 neurons, 22.32 s, 5 ms bins. Whole tests use all processors," \
    "steps one; steps are processor time."

n=${SURROGATES:-1000}
small=("$recording" --columns 'time,unit' --window 20 --support 10 --min-spikes 5 --min-neurons 5)
job '(10,5), 2d, dithering by 15 ms' "${small[@]}" --test "$n" -B 20 --full 5
beside_elephant 3 20 10 5 5 15 dither_spikes '#'
job '(10,5), 3d' "${small[@]}" --test "$n" -B 20 --full 5 --spectrum 3d
beside_elephant 2 20 10 5 5 15 dither_spikes '3d#'

# The list of patterns with fewer neurons is too long for a whole test.
any=("$recording" --columns 'time,unit' --window 20 --support 10 --min-spikes 5)
job 'Patterns of any number of neurons, 2d' "${any[@]}" -B 20 --full 3
job 'Patterns of any number of neurons, 3d' "${any[@]}" -B 20 --full 3 --spectrum 3d

# The recording consists of 36 pieces of 620 ms: trials for trial shifting.
for k in $(seq 0 35); do
    echo "$((k * 620))ms $(((k + 1) * 620))ms"
done >"$folder/trials.txt"
cp "$folder/trials.txt" build/trials-of-movement.txt
job 'Windows of 12, sizes from 2, supports by the published recipe, 3d, trial shifting by 25 ms' "$recording" \
    --columns time,unit --trials build/trials-of-movement.txt --window 12 --support auto --auto-by published --min-spikes 2 \
    --spectrum 3d --surrogate-method trial-shifting --dither 25ms --test $((5 * n)) -B 20 --full 5
