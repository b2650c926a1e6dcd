#!/usr/bin/env bash
# What the moving-window step costs a search for patterns, as Markdown:
#   bench/moving_window.sh COMMAND [OTHER] > bench/results/moving_window.md
# COMMAND is a spikemine; OTHER one of another commit, which runs in turn with it and must write the same
# bytes. Medians of RUNS (5) of the whole command: reading, mining, the step, writing.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${RUNS:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# measure COMMAND FILE OPTION...: appends "SECONDS MEGABYTES" to FILE.
measure() {
    local command=$1 file=$2
    shift 2
    /usr/bin/time -o "$folder/time" -f '%e %M' "$command" patterns data/movement_PGHF.spikes.txt --bin 5ms --window 20 \
        --max-results none -q --force -o "$folder/out.tsv" "$@"
    awk '{ printf "%s %.0f\n", $1, $2 * 1024 / 1e6 }' "$folder/time" >>"$file"
}

# median FILE COLUMN
median() {
    awk -v column="$2" '{ print $column }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

echo "# The moving-window step"
echo
echo "Made by \`bench/moving_window.sh\` on $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)," \
    "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) processors. Medians of $runs runs of the whole"
echo "command on the macaque recording, with as many threads; in brackets the largest memory in MB. \"before\" is the"
echo "command of an older commit, which kept all patterns for the step. Both wrote the same bytes."
echo
echo "| job | lines | without the step, s | with it, s | before, s | ratio |"
echo "|---|---:|---:|---:|---:|---:|"
for job in "25 3" "12 4" "10 5"; do
    read -r support spikes <<<"$job"
    options=(--support "$support" --min-spikes "$spikes" --min-neurons "$spikes")
    rm -f "$folder"/*.times
    for ((run = 0; run < runs; run++)); do
        measure "$1" "$folder/without.times" "${options[@]}" --moving-window-filter off
        measure "$1" "$folder/with.times" "${options[@]}"
        mv "$folder/out.tsv" "$folder/new.tsv"
        if [ -n "${2-}" ]; then
            measure "$2" "$folder/before.times" "${options[@]}"
            cmp "$folder/new.tsv" "$folder/out.tsv"
        fi
    done
    lines=$(($(wc -l <"$folder/new.tsv") - 1))
    before='-' ratio='-'
    if [ -n "${2-}" ]; then
        before="$(median "$folder/before.times" 1) ($(median "$folder/before.times" 2))"
        ratio=$(awk -v a="$(median "$folder/before.times" 1)" -v b="$(median "$folder/with.times" 1)" 'BEGIN { printf "%.2f", a / b }')
    fi
    echo "| ($support,$spikes) | $lines | $(median "$folder/without.times" 1) ($(median "$folder/without.times" 2)) |" \
        "$(median "$folder/with.times" 1) ($(median "$folder/with.times" 2)) | $before | $ratio |"
done
