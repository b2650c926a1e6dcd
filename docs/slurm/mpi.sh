#!/bin/bash
# One job over several machines, with a rank of MPI for each processor:
#     sbatch --ntasks=64 docs/slurm/mpi.sh REC OUTPUT
#SBATCH --job-name=spikemine-mpi
#SBATCH --cpus-per-task=1
#SBATCH --time=2:00:00
set -eu
recording=$1
output=$2

# shellcheck disable=SC2086 # the options of the job are many words
srun "${SPIKEMINE_MPI:-spikemine-mpi}" patterns "$recording" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    ${SPIKEMINE_JOB:---bin 5ms --window 20 --support auto} --surrogates "${SURROGATES:-5000}" \
    --seed "${SEED:-7}" --checkpoint "$output.spk" --force -o "$output"
