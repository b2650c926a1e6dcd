#!/bin/bash
# The same shards on one machine, or on machines without a scheduler, one after the other:
#     docs/slurm/loop.sh REC FOLDER [SHARDS]
# A shard that is there already is passed over, so that the same line goes on after a stop.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$2
export SLURM_ARRAY_TASK_COUNT=${3:-4}

for k in $(seq "$SLURM_ARRAY_TASK_COUNT"); do
    [ -e "$folder/shard$k.spk" ] || SLURM_ARRAY_TASK_ID=$k "$here/array.sh" "$1" "$folder"
done
"$here/join.sh" "$1" "$folder"
