#!/usr/bin/env bash
# A long recording mined by one process and by ranks that share it by time: seconds, peak memory, bytes read.
#
#   bench/mpi_time.sh BUILD FOLDER [EVENTS [RANKS ...]]
#
# BUILD has cli/spikemine and cli/spikemine-mpi; FOLDER gets the recording, some 15 bytes an event, which stays there
# for the next run. Making it takes up to 1.3 GB of memory for each processor, and one process some 35 bytes an event.
# LAUNCH (mpirun) starts ranks: it is followed by -n and their number. The results are compared byte for byte. Fails where
# a rank holds more than a RANKS-th of what one process takes and 200 MB.
set -euo pipefail
build=$(realpath "$1")
folder=$2
events=${3:-100000000}
shift $(($# < 3 ? $# : 3))
ranks=("${@:-8}")
read -ra launch <<<"${LAUNCH:-mpirun}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_WAIT_POLICY=passive
mkdir -p "$folder"
cd "$folder"
units=64
seconds=$((events / units / 10))
rec=network-$events.txt
job=(episodes "$rec" -d 4ms:6ms -s 0.01% --max-size 4 --threads 1 -q)

# Of a program and of the processes that it started: seconds, the largest resident set in MB, and the most bytes in MB
# that a process named spikemine... has read, as the system counts them every tenth of a second.
cat >measure.py <<'END'
import glob, resource, subprocess, sys, time

def below(top, pid):
    while pid > 1 and pid != top:
        pid = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
    return pid == top

def bytes_read(top):
    most = 0
    for comm in glob.glob("/proc/[0-9]*/comm"):
        folder = comm[:-4]
        try:
            if open(comm).read().startswith("spikemine") and below(top, int(folder.split("/")[2])):
                most = max(most, int(open(folder + "io").readline().split()[1]))
        except (OSError, ValueError, IndexError):
            pass  # it has ended
    return most

begin = time.monotonic()
job = subprocess.Popen(sys.argv[2:])
most = 0
while job.poll() is None:
    most = max(most, bytes_read(job.pid))
    time.sleep(0.1)
seconds = time.monotonic() - begin
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"{seconds:.1f} {peak} {most // 1000000}", file=open(sys.argv[1], "w"))
sys.exit(job.returncode)
END

# Part K: a recording of its own seed whose times begin where the part before ends.
# shellcheck disable=SC2317 # called through xargs
make_part() {
    local k=$1 long=$2
    "$build/cli/spikemine" simulate network --units "$units" --rate 10 --duration "${long}s" --chain-rate 0.5 \
        --seed $((k + 1)) -o "part-$k.txt" -q --force
    awk -v shift=$((k * long)) -F '[.\t]' '!/^#/ && !/^t/ { print $1 + shift "." $2 "\t" $3 }' "part-$k.txt" \
        >"part-$k.rows"
    rm "part-$k.txt" "part-$k.txt.truth.json"
}

# Parts of at most 50 million events, so that all processors make some.
if [ ! -e "$rec" ]; then
    parts=$(((events + 49999999) / 50000000))
    begin=$(date +%s)
    export -f make_part
    export build units
    seq 0 $((parts - 1)) | xargs -P "$(nproc)" -I K bash -c "make_part K $((seconds / parts))"
    {
        printf '# spikemine segment 0s %ds\ntime_s\tunit\n' $((seconds / parts * parts))
        for ((k = 0; k < parts; k++)); do
            cat "part-$k.rows"
            rm "part-$k.rows"
        done
    } >"$rec.tmp"
    mv "$rec.tmp" "$rec"
    echo "made in $(($(date +%s) - begin)) s, $(($(stat -c %s "$rec") / 1000000)) MB of text"
    echo
fi

echo "| processes | seconds | largest resident set of a process (MB) | limit (MB) | most bytes that one read (MB) |"
echo "|---|---|---|---|---|"
python3 measure.py one "$build/cli/spikemine" "${job[@]}" -o one.tsv --force
read -r one_s one_mb one_read <one
echo "| 1 | $one_s | $one_mb | | $one_read |"
failed=0
for n in "${ranks[@]}"; do
    python3 measure.py many "${launch[@]}" -n "$n" "$build/cli/spikemine-mpi" "${job[@]}" \
        --divide time -o many.tsv --force
    read -r s mb n_read <many
    limit=$((one_mb / n + 200))
    echo "| $n | $s | $mb | $limit | $n_read |"
    cmp one.tsv many.tsv
    if [ "$mb" -gt "$limit" ]; then failed=1; fi
done
rm -f made one many measure.py one.tsv many.tsv
exit $failed
