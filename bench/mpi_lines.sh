#!/usr/bin/env bash
# What ranks take to find patterns and to write them, as Markdown:
#   bench/mpi_lines.sh COMMAND [OTHER] > bench/results/mpi_lines.md
# COMMAND is a spikemine-mpi; OTHER one of another commit, which runs in turn with it. All must write the bytes of
# one rank. Medians of RUNS (5) of the whole command; MPIRUN ("mpirun -n") starts ranks.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${RUNS:-5}
read -r -a mpirun <<<"${MPIRUN:-mpirun -n}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# measure COMMAND RANKS FILE OPTION...: appends "SECONDS MEGABYTES", of the largest rank, to FILE.
measure() {
    local command=$1 ranks=$2 file=$3
    shift 3
    /usr/bin/time -o "$folder/time" -f '%e %M' "${mpirun[@]}" "$ranks" "$command" patterns \
        data/movement_PGHF.spikes.txt --bin 5ms --window 20 --threads 1 --max-results none -q --force \
        -o "$folder/out.tsv" "$@"
    awk '{ printf "%s %.0f\n", $1, $2 * 1024 / 1e6 }' "$folder/time" >>"$file"
    cmp "$folder/out.tsv" "$folder/one.tsv"
}

# median FILE COLUMN
median() {
    awk -v column="$2" '{ print $column }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

echo "# Lines that ranks make"
echo
echo "Made by \`bench/mpi_lines.sh\` on $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)," \
    "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) processors. Medians of $runs runs of the whole"
echo "command on the macaque recording, with one thread in each rank; in brackets the memory of the largest rank in MB."
echo "\"before\" is the command of an older commit, in which each rank got all patterns. All wrote the same bytes."
echo
echo "| job | lines | ranks | seconds | before | ratio |"
echo "|---|---:|---:|---:|---:|---:|"
for job in "25 3" "12 4"; do
    read -r support spikes <<<"$job"
    options=(--support "$support" --min-spikes "$spikes" --min-neurons "$spikes")
    "${mpirun[@]}" 1 "$1" patterns data/movement_PGHF.spikes.txt --bin 5ms --window 20 --max-results none -q \
        --force -o "$folder/one.tsv" "${options[@]}"
    lines=$(($(wc -l <"$folder/one.tsv") - 1))
    for ranks in ${RANKS:-1 2 4 8}; do
        rm -f "$folder"/*.times
        for ((run = 0; run < runs; run++)); do
            measure "$1" "$ranks" "$folder/now.times" "${options[@]}"
            [ -z "${2-}" ] || measure "$2" "$ranks" "$folder/before.times" "${options[@]}"
        done
        before='-' ratio='-'
        if [ -n "${2-}" ]; then
            before="$(median "$folder/before.times" 1) ($(median "$folder/before.times" 2))"
            ratio=$(awk -v a="$(median "$folder/before.times" 1)" -v b="$(median "$folder/now.times" 1)" \
                'BEGIN { printf "%.2f", a / b }')
        fi
        echo "| ($support,$spikes) | $lines | $ranks | $(median "$folder/now.times" 1)" \
            "($(median "$folder/now.times" 2)) | $before | $ratio |"
    done
done
