#!/usr/bin/env bash
# What spikemine plan predicts, beside what the jobs take: one process and ranks of Open MPI.
#
#   bench/plan.sh BUILD FOLDER [EVENTS ...]
#
# BUILD has cli/spikemine and cli/spikemine-mpi; FOLDER gets the recordings, which stay there. Ranks
# share the processors of this machine, and the prediction is told so. Each job is run three times
# with one thread a rank, and the fastest run counts. Processor seconds are those of one process: ranks
# that wait for each other take some, too. Then come predictions for long recordings.
set -euo pipefail
build=$(realpath "$1")
folder=$2
macaque=$(realpath "$(dirname "$0")/../data/movement_PGHF.spikes.txt")
shift 2
sizes=("${@:-100000}")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_WAIT_POLICY=passive
mkdir -p "$folder"
cd "$folder"

# The fewest seconds of three runs, the fewest processor seconds, and the largest resident set in MB.
cat >measure.py <<'END'
import os, subprocess, sys, time
wall, work, peak = [], [], []
for _ in range(3):
    begin = time.monotonic()
    child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, code, used = os.wait4(child.pid, 0)
    if code != 0:
        sys.exit("failed: " + " ".join(sys.argv[1:]))
    wall.append(time.monotonic() - begin)
    work.append(used.ru_utime + used.ru_stime)
    peak.append(used.ru_maxrss / 1024)
print(f"{min(wall):.2f} {min(work):.2f} {max(peak):.0f}")
END

# A number of a prediction: FIELD RANKS DIVISION
predicted() {
    python3 - "$@" <<'END'
import json, sys
field, ranks, divide = sys.argv[1:]
for p in json.load(open("plan.json"))["predictions"]:
    if p["ranks"] == int(ranks) and p.get("divide", divide) == divide:
        print(f"{p[field] / (1e6 if field == 'memory_bytes' else 1):.2f}")
        break
END
}

# compare NAME DIVISIONS COMMAND...
compare() {
    local name=$1 divisions=$2 n divide
    shift 2
    "$build/cli/spikemine" plan "$@" --ranks 1,2,4,8 --processors "$(nproc)" --latency 0.00002s \
        --json -q >plan.json
    read -r wall work peak < <(python3 measure.py "$build/cli/spikemine" "$@" --threads 1 -q -o out --force)
    echo "| $name | 1 | | $(predicted seconds 1 candidates) | $wall | $(predicted processor_seconds 1 candidates) |" \
        "$work | $(predicted memory_bytes 1 candidates) | $peak |"
    for divide in $divisions; do
        for n in 2 4 8; do
            local how=()
            if [ "$1" = episodes ]; then how=(--divide "$divide"); fi
            read -r wall _ _ < <(python3 measure.py mpirun -n "$n" "$build/cli/spikemine-mpi" "$@" \
                --threads 1 -q -o out --force "${how[@]}")
            echo "| $name | $n | $divide | $(predicted seconds "$n" "$divide") | $wall | | |" \
                "$(predicted memory_bytes "$n" "$divide") | |"
        done
    done
}

echo "| job | ranks | divided by | predicted s | measured s | predicted processor s | measured |" \
    "predicted MB | measured |"
echo "|---|---:|---|---:|---:|---:|---:|---:|---:|"
for n in "${sizes[@]}"; do
    rec=net-$n.txt
    if [ ! -e "$rec" ]; then
        "$build/cli/spikemine" simulate network --units 64 --rate 10 --duration $((n / 640))s \
            --chain-rate 0.5 -o "$rec" -q
    fi
    compare "$n events" "candidates time" episodes "$rec" -d 4ms:6ms -s 0.01% --max-size 4
done
for limits in 25,3 10,5; do
    compare "macaque ($limits)" "branches" patterns "$macaque" --bin 5ms --window 20 \
        --support "${limits%,*}" --min-spikes "${limits#*,}" --min-neurons "${limits#*,}"
done
rm -f measure.py plan.json out

last=net-${sizes[-1]}.txt
for n in 1e10 1e11 1e12; do
    echo
    "$build/cli/spikemine" plan episodes "$last" -d 4ms:6ms -s 0.01% --max-size 4 --events "$n" \
        --ranks 10,100,1000,10000 --divide time
done
