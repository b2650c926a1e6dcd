#!/usr/bin/env bash
# How the time of the reduction of SPADE patterns grows with their number, as Markdown:
#   bench/reduction.sh BUILD > bench/results/reduction.md
# BUILD is a build tree (build/release).
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1/bench/spikemine-bench-significance

# TITLE ARGUMENT...
growth() {
    printf '\n## %s\n\n' "$1"
    shift
    echo "    spikemine-bench-significance reduction data/movement_PGHF.spikes.txt --columns time,unit $*"
    echo
    "$program" reduction data/movement_PGHF.spikes.txt --columns time,unit "$@" -q |
        awk -F '\t' '{ line = "|"; for (k = 1; k <= NF; k++) line = line " " $k " |"; print line
            if (NR == 1) { gsub(/[^|]+/, "---", line); print line } }'
}

echo "# The reduction of SPADE patterns: growth"
echo
echo "Made by \`bench/reduction.sh\` on $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)," \
    "$(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo), one thread."
echo
echo "movement_PGHF, 150 neurons, 22.32 s, 5 ms bins, windows of 20. The most frequent patterns are those of its busiest"
echo "units. A lower support gives more of them, and the reduction has the same support."
growth 'Patterns of 3 spikes and more, h, k, l = 0' --min-spikes 3 -s 60
growth 'The same, h, k, l = 2, 2, 0' --min-spikes 3 -s 60 --k 2
growth 'Patterns of 6 spikes and more, h, k, l = 0' --min-spikes 6 -s 30
