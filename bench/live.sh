#!/usr/bin/env bash
# The figures for live runs, as Markdown:  bench/live.sh BUILD [SECONDS] [CULTURE]
# Load: a million spikes a second from a local socket, 1,000 watched episodes, spikemine on one core; then three.
# Steps: what each one costs, from a line of text to an event.
# Latency: 1,000 units at 20 Hz, 1,000 watched episodes, from a spike's arrival to its event out.
# CORE (0): the processor of the watch.
# Partitions: a culture (2-1-20 of Wagenaar et al.) replayed a hundred times as fast as it was.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
seconds=${2:-60}
culture=${3:-}
command=$build/cli/spikemine
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "# Live runs"
echo
echo "Made by \`bench/live.sh BUILD $seconds CULTURE\` on $(date -u +%Y-%m-%d), commit ${COMMIT:-$(git rev-parse --short HEAD)}," \
    "$(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors, $("$command" --version)."

awk 'BEGIN { srand(7); for (e = 0; e < 1000; e++) { n = 2 + int(rand() * 3); line = int(rand() * 1000)
    for (p = 1; p < n; p++) line = line " (5ms,10ms] " int(rand() * 1000); print line } }' >"$folder/list.txt"

# run NAME RATE EMIT: what sender and command say. The sender works where it finds room.
run() {
    local name=$1 rate=$2 emit=$3
    "$build/bench/spikemine-bench-live-send" "$folder/$name" "$rate" "$seconds" 1000 >"$folder/$name.sent" &
    sleep 0.3
    taskset -c "${CORE:-0}" "$command" watch "unix:$folder/$name" --no-reconnect --episodes "$folder/list.txt" --emit "$emit" \
        >"$folder/$name.out" 2>"$folder/$name.err"
    wait
    echo
    echo "    $(cat "$folder/$name.sent")"
    grep -e ' spikes of ' -e '^watching' "$folder/$name.err" | fold -s -w 110 | sed 's/^/    /'
}

echo
echo "## Load: 1,000,000 spikes a second, 1,000 units, 1,000 episodes of size 2 to 4, one core"
run load 1000000 stdout
echo "    $(wc -l <"$folder/load.out") lines of JSON written"
rm -f "$folder/load.out"
echo
echo "## Three million spikes a second, the same otherwise"
run three 3000000 stdout
rm -f "$folder/three.out"
echo
echo "## Steps: nanoseconds of the processor a spike"
echo
"$build/bench/spikemine-bench-live-watch" | sed 's/^/    /'
echo
echo "## Latency: 20,000 spikes a second, 1,000 units, 1,000 episodes"
run latency 20000 stdout

if [ -n "$culture" ]; then
    echo
    echo "## Partitions: $(basename "$culture") at 100 times real time, 60 s each 5 s, support 0.2 %, delay 5ms:10ms"
    echo
    "$command" live "$culture" --speed 100 -d 5ms:10ms -s 0.2% --partition 60s --step 5s \
        >"$folder/partitions.jsonl" 2>"$folder/partitions.err"
    grep -e ' spikes of ' -e 'partitions' "$folder/partitions.err" | sed 's/^/    /'
    python3 - "$folder/partitions.jsonl" <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
mined = [r for r in rows if r["state"] != "skipped"]
lag = sorted(r["lag_s"] for r in mined)
work = sorted(r["seconds"] for r in mined)
at = lambda x, q: 1000 * x[min(len(x) - 1, int(q * len(x)))]
print(f"    {len(mined)} partitions mined, {len(rows) - len(mined)} skipped; "
      f"mining median {at(work, .5):.1f} ms, largest {1000 * work[-1]:.1f} ms; "
      f"from the last spike to the result median {at(lag, .5):.1f} ms, p99 {at(lag, .99):.1f} ms")
END
fi
