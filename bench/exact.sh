#!/usr/bin/env bash
# The speed of the exact test, as Markdown:
#   bench/exact.sh BUILD [ENGINE ...] > bench/results/exact.md
# BUILD is a build tree (build/release). Each job is the plain search, and the search with its test: 199 surrogates and
# the 24 pilots. Their ratio, divided by 224 searches, tells what a surrogate costs beside a plain search. ENGINE: of
# episodes (auto). SPIKEMINE_DATA names the folder with the cultures of Wagenaar et al.; without it their job is left
# out. SURROGATES (199) makes all of it shorter. NULLS: null hypotheses, which take turns; ROUNDS (1) of them give
# medians.
set -euo pipefail
cd "$(dirname "$0")/.."
command=$1/cli/spikemine
shift
[ $# -gt 0 ] || set -- auto
surrogates=${SURROGATES:-199}
nulls=${NULLS:-interval-jitter pattern-jitter shift}
culture=${SPIKEMINE_DATA-}/wagenaar/2-1-20.spk.txt
three=(--delay 0:5ms --delay 5ms:10ms --delay 10ms:15ms)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Seconds of a command; what it says goes to a file.
seconds() {
    local begin end
    begin=$(date +%s.%N)
    "$command" "$@" --force -o "$folder/out.tsv" 2>"$folder/notes" || {
        cat "$folder/notes" >&2
        return 1
    }
    end=$(date +%s.%N)
    awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.2f", b - a }'
}

# The median of the numbers in a file.
median() {
    sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# TITLE ARGUMENT ...
job() {
    local title=$1 plain null round
    shift
    rm -f "$folder"/seconds-*
    plain=$(seconds "$@") || return 1
    for ((round = 0; round < ${ROUNDS:-1}; round++)); do
        for null in $nulls; do
            seconds "$@" --test exact --jitter 25ms --surrogates "$surrogates" --seed 7 --null "$null" \
                >>"$folder/seconds-$null" || return 1
            echo >>"$folder/seconds-$null"
            sed -n 's/.*seed 7): \([0-9]*\) of \([0-9]*\) .*/\1 of \2/p' "$folder/notes" >"$folder/found-$null"
        done
    done
    for null in $nulls; do
        awk -v t="$title" -v n="$null" -v p="$plain" -v x="$(median "$folder/seconds-$null")" \
            -v first="$(median "$folder/seconds-${nulls%% *}")" -v f="$(cat "$folder/found-$null")" -v k=$((surrogates + 25)) \
            'BEGIN { printf "| %s | %s | %.2f | %.1f | %.2f | %.2f | %s |\n", t, n, p, x, x / first, x / (k * p), f }'
    done
}

echo "# The exact test: speed"
echo
echo "Made by \`bench/exact.sh BUILD $*\` on $(date -u +%Y-%m-%d), commit ${COMMIT:-$(git rev-parse --short HEAD)},"
echo "$(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors$(command -v nvidia-smi >/dev/null &&
    nvidia-smi --query-gpu=name --format=csv,noheader | sed 's/^/, /' | head -n 1)."
echo "$surrogates surrogates within 25 ms, and 24 pilots. The plain search includes reading the file and writing all results;"
echo "searches of surrogates run side by side, one a processor, and plain episodes use all processors."
echo
echo "| job | null hypothesis | plain search, s | with its test, s | beside ${nulls%% *} | a surrogate, in plain searches | significant |"
echo "|---|---|---:|---:|---:|---:|---|"
for engine in "$@"; do
    job "macaque, three intervals, support 50, $engine" episodes data/movement_PGHF.spikes.txt --columns time,unit \
        "${three[@]}" --support 50 --engine "$engine"
    [ ! -e "$culture" ] ||
        job "culture 2-1-20, three intervals, support 173, $engine" episodes "$culture" --columns time,unit \
            "${three[@]}" --support 173 --engine "$engine"
done
[ -n "${NO_PATTERNS-}" ] ||
    job 'macaque, patterns at (10,5), window 20' patterns data/movement_PGHF.spikes.txt --columns time,unit --bin 5ms \
        --window 20 --support 10 --min-spikes 5 --min-neurons 5
