#!/usr/bin/env bash
# What jobs take beside what --max-memory allows, as a table: bench/memory.sh [SPIKEMINE] >bench/results/memory.md
#
# Peak is the most resident memory of the whole process. A job that does not fit ends with a message, and its
# peak must keep to the limit as well. The last line says by how much the worst of them passed it.
set -euo pipefail
spikemine=$(realpath "${1:-build/release/cli/spikemine}")
commit=$(git -C "$(dirname "$0")" rev-parse --short HEAD)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$spikemine" simulate network --seed 1 --units 60 -o small.txt 2>/dev/null
awk 'BEGIN { for (i = 0; i < 1500000; i++) printf "%.4f u%d\n", i / 5000, (i * 7919 + int(i / 97)) % 101 }' >large.txt
awk 'BEGIN { for (w = 0; w < 18; w++) for (u = 0; u < 18; u++) if (u != w) print w / 10, "u" u }' >sets.txt
awk 'BEGIN { for (i = 0; i < 1000000; i++) print "0 5 9 1000000" }' >items.txt
awk 'BEGIN { for (i = 0; i < 6000000; i++) print (i < 1000 ? i / 1000 " u" i % 7 : "# nothing") }' | gzip -1 >comments.txt.gz

# PEAK-KB STATUS of a command; its talk in `err`.
measure() {
    python3 - "$@" <<'END'
import resource, subprocess, sys
with open('err', 'w') as talk:
    done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=talk, check=False)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.returncode)
END
}

worst=0
base=$(measure "$spikemine" --version | cut -d ' ' -f 1)
# row LIMIT-MB JOB...
row() {
    local limit=$1 peak status outcome over
    shift
    rm -f out.tsv occ.tsv out.svg
    read -r peak status <<<"$(measure "$spikemine" "$@" --max-memory "${limit}M" --threads 2)"
    outcome="done"
    if [ "$status" != 0 ]; then
        outcome="refused: $(grep -o -m 1 'over the memory limit\|more than the memory limit\|memory limit' err | head -n 1 || tail -n 1 err)"
    fi
    over=$((peak / 1000 - limit))
    worst=$((over > worst ? over : worst))
    # shellcheck disable=SC2016 # no command: code in the table
    printf '| `%s` | %s | %s | %s |\n' "$*" "$limit" "$((peak / 1000))" "$outcome"
}

cat <<END
# Memory: limits and peaks

Made by \`bench/memory.sh\` on $(date -u +%Y-%m-%d), commit $commit, $(awk -F ': ' '/model name/ { print $2; exit }' \
    /proc/cpuinfo), $(nproc) processors.

Sizes are in MB (10^6 bytes). The program by itself has a peak of $((base / 1000)) MB. This comes on top of the limit, as do
buffers of files and the tables that an engine has at least.

| job | limit | peak | outcome |
|---|---|---|---|
END
for limit in 5 20 100; do
    row "$limit" episodes small.txt -d 0:5ms -d 5ms:10ms -s 3 --max-size 4 -o out.tsv
    row "$limit" episodes small.txt -d 0:5ms -d 5ms:10ms -s 3 --max-size 4 --two-pass on -o out.tsv
    row "$limit" episodes small.txt -d 0:5ms -s 5 --max-size 3 --engine fsm --two-pass on -o out.tsv
    row "$limit" episodes small.txt -d 0:5ms -s 5 --max-size 3 -o out.tsv --occurrences occ.tsv --figure out.svg
done
for limit in 10 40 200; do
    row "$limit" episodes large.txt -d 0:1ms -s 2000 --max-size 2 -o out.tsv
    row "$limit" patterns large.txt --bin 1ms --window 2 --support 5000 -o out.tsv
    row "$limit" patterns large.txt --bin 1ms --window 2000 --support 5000 -o out.tsv
    row "$limit" patterns sets.txt --bin 5ms --support 1 -o out.tsv
    row "$limit" patterns sets.txt --bin 5ms --support 1 --engine fpgrowth -o out.tsv
    row "$limit" patterns items.txt --input-format transactions --support 2 --window 20 -o out.tsv
    row "$limit" episodes comments.txt.gz -d 0:1ms -s 2000 --max-size 2 -o out.tsv
done
printf '\nThe most that a job took beyond its limit: %s MB.\n' "$worst"
