#!/usr/bin/env bash
# A long recording mined by one process and by ranks that share it by time: peak memory and seconds.
#
#   bench/mpi_time.sh BUILD FOLDER [EVENTS [RANKS ...]]
#
# BUILD has cli/spikemine and cli/spikemine-mpi; FOLDER gets the recording, some 17 bytes an event,
# which stays there for the next run. The results are compared byte for byte. Fails where a rank
# holds more than a RANKS-th of what one process takes and 200 MB.
set -euo pipefail
build=$(realpath "$1")
folder=$2
events=${3:-100000000}
shift $(($# < 3 ? $# : 3))
ranks=("${@:-8}")
launch=(mpirun)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_WAIT_POLICY=passive
mkdir -p "$folder"
cd "$folder"
units=64
seconds=$((events / units / 10))
rec=network-$events.txt
job=(episodes "$rec" -d 4ms:6ms -s 0.01% --max-size 4 --threads 1 -q)
if [ ! -e "$rec" ]; then
    "$build/cli/spikemine" simulate network --units $units --rate 10 --duration ${seconds}s \
        --chain-rate 0.5 -o "$rec" -q
fi

# The largest resident set of a program and of the processes that it started, and its seconds.
cat >measure.py <<'END'
import resource, subprocess, sys, time
begin = time.monotonic()
code = subprocess.call(sys.argv[2:])
seconds = time.monotonic() - begin
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"{seconds:.1f} {peak}", file=open(sys.argv[1], "w"))
sys.exit(code)
END

echo "| processes | seconds | largest resident set of a process (MB) | limit (MB) |"
echo "|---|---|---|---|"
python3 measure.py one "$build/cli/spikemine" "${job[@]}" -o one.tsv --force
read -r one_s one_mb <one
echo "| 1 | $one_s | $one_mb | |"
failed=0
for n in "${ranks[@]}"; do
    python3 measure.py many "${launch[@]}" -n "$n" "$build/cli/spikemine-mpi" "${job[@]}" \
        --divide time -o many.tsv --force
    read -r s mb <many
    limit=$((one_mb / n + 200))
    echo "| $n | $s | $mb | $limit |"
    cmp one.tsv many.tsv
    if [ "$mb" -gt "$limit" ]; then failed=1; fi
done
rm -f one many measure.py one.tsv many.tsv
exit $failed
