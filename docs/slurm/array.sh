#!/bin/bash
# An array of jobs, each with one shard of the surrogates:
#     sbatch --array=1-16 docs/slurm/array.sh REC FOLDER
# and when all are done, the test itself:
#     sbatch --dependency=afterok:JOB docs/slurm/join.sh REC FOLDER
#SBATCH --job-name=spikemine
#SBATCH --cpus-per-task=8
#SBATCH --time=2:00:00
set -eu
recording=$1
folder=$2
command=${SPIKEMINE:-spikemine}
k=$SLURM_ARRAY_TASK_ID
n=${SLURM_ARRAY_TASK_COUNT:?start it with sbatch --array=1-N}

mkdir -p "$folder"
# shellcheck disable=SC2086 # the options of the job are many words
"$command" patterns "$recording" ${SPIKEMINE_JOB:---bin 5ms --window 20 --support auto} \
    --surrogates "${SURROGATES:-5000}" --seed "${SEED:-7}" --threads "${SLURM_CPUS_PER_TASK:-0}" \
    --shard "$k/$n" --checkpoint "$folder/run$k.spk" --force -o "$folder/shard$k.spk"
