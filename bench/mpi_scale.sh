#!/usr/bin/env bash
# How jobs over ranks scale with the number of ranks, as Markdown:
#
#   bench/mpi_scale.sh BIN FOLDER [RANKS ...] > bench/results/mpi_scale.md
#
# BIN has spikemine and spikemine-mpi; FOLDER gets made-up recordings. Each job runs with one thread a rank; the table
# has the median of RUNS (3) runs. Efficiency is the time of one rank over the time of n ranks and n. The results of all
# runs are compared byte for byte. LAUNCH (mpirun -n) starts ranks: it is followed by their number and the command.
set -euo pipefail
bin=$(realpath "$1")
folder=$2
shift 2
ranks=("${@:-1 2 4 8 16}")
read -ra ranks <<<"${ranks[*]}"
read -ra launch <<<"${LAUNCH:-mpirun -n}"
macaque=$(realpath "$(dirname "$0")/../data/movement_PGHF.spikes.txt")
runs=${RUNS:-3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMP_NUM_THREADS=1
mkdir -p "$folder"
cd "$folder"

# Seconds of a job over N ranks.
seconds() {
    local n=$1 begin end
    shift
    begin=$(date +%s.%N)
    "${launch[@]}" "$n" "$bin/spikemine-mpi" "$@" --threads 1 -q --force -o out.tsv
    end=$(date +%s.%N)
    awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.3f\n", b - a }'
}

# TITLE ARGUMENT ...
job() {
    local title=$1 one='' median n
    shift
    rm -f first.tsv
    for n in "${ranks[@]}"; do
        median=$(for ((k = 0; k < runs; k++)); do
            seconds "$n" "$@"
            if [ -e first.tsv ]; then cmp first.tsv out.tsv >&2; else mv out.tsv first.tsv; fi
        done | sort -n | sed -n "$(((runs + 1) / 2))p")
        one=${one:-$(awk -v t="$median" -v n="$n" 'BEGIN { print t * n }')}
        awk -v t="$title" -v n="$n" -v s="$median" -v o="$one" \
            'BEGIN { printf "| %s | %d | %.2f | %.2f |\n", t, n, s, o / (n * s) }'
    done
}

[ -e network.txt ] ||
    "$bin/spikemine" simulate network --units 64 --rate 10 --duration "${SECONDS_LONG:-15000}s" --chain-rate 0.5 \
        -o network.txt -q

echo "# Jobs over ranks: time and efficiency"
echo
echo "Made by \`bench/mpi_scale.sh BIN FOLDER ${ranks[*]}\` on $(date -u +%Y-%m-%d), commit ${COMMIT:-$(git -C "$(dirname \
    "$macaque")" rev-parse --short HEAD)},"
echo "$(lscpu | sed -n 's/^Model name: *//p'), $(nproc) processors, $(lscpu | sed -n 's/^Thread(s) per core: *//p')" \
    "of them a core. ${LAUNCH:-mpirun -n}; one thread a rank; medians of $runs runs."
echo
echo "| job | ranks | seconds | efficiency |"
echo "|---|---:|---:|---:|"
job 'patterns, 5 spikes in 8 windows' patterns "$macaque" --columns time,unit --bin 5ms --window 20 \
    --support 8 --min-spikes 5
job 'patterns (10,5), 200 surrogates' patterns "$macaque" --columns time,unit --bin 5ms --window 20 \
    --support 10 --min-spikes 5 --min-neurons 5 --surrogates 200 --surrogate-method dither-spikes \
    --dither 15ms --seed 7
job 'episodes, three intervals, support 20' episodes "$macaque" --columns time,unit --delay 0:5ms --delay 5ms:10ms \
    --delay 10ms:15ms --support 20 --divide candidates
job 'episodes of a long recording, by time' episodes network.txt --delay 4ms:6ms --support 0.01% --max-size 4 \
    --divide time
rm -f first.tsv out.tsv
