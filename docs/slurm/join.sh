#!/bin/bash
# Joins the shards of array.sh or loop.sh, and tests the patterns of the recording with them:
#     docs/slurm/join.sh REC FOLDER
# The variables that changed the shards must be the same here.
#SBATCH --job-name=spikemine-join
#SBATCH --cpus-per-task=8
#SBATCH --time=1:00:00
set -eu
recording=$1
folder=$2
command=${SPIKEMINE:-spikemine}

"$command" merge "$folder"/shard*.spk --force -o "$folder/all.spk"
# shellcheck disable=SC2086 # the options of the job are many words
"$command" patterns "$recording" ${SPIKEMINE_JOB:---bin 5ms --window 20 --support auto} \
    --surrogates "${SURROGATES:-5000}" --seed "${SEED:-7}" --threads "${SLURM_CPUS_PER_TASK:-0}" \
    --maxima "$folder/all.spk" --force -o "$folder/patterns.tsv"
