#!/usr/bin/env bats
# The jobs of docs/slurm: what they write is what one process writes.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    slurm=$SOURCE_DIR/docs/slurm
    awk 'BEGIN { srand(5); for (k = 0; k < 600; k++) printf "%.3f %d\n", k * 0.01 + rand() * 0.004, int(rand() * 6) }' >rec.txt
    export SPIKEMINE_JOB="--bin 5ms --window 5 --support 5 --dither 15ms" SURROGATES=40 SEED=3
    # shellcheck disable=SC2086 # many words
    "$SPIKEMINE" patterns rec.txt $SPIKEMINE_JOB --surrogates 40 --seed 3 -o alone.tsv
}

@test "every script is one for bash" {
    for script in "$slurm"/*.sh; do
        bash -n "$script"
        [ -x "$script" ]
    done
}

@test "an array of three tasks and the join" {
    for k in 2 3 1; do
        SLURM_ARRAY_TASK_ID=$k SLURM_ARRAY_TASK_COUNT=3 SLURM_CPUS_PER_TASK=1 "$slurm/array.sh" rec.txt run
    done
    "$slurm/join.sh" rec.txt run
    cmp alone.tsv run/patterns.tsv
}

@test "outside of an array a task says how it is started" {
    run env -u SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_ID=1 "$slurm/array.sh" rec.txt run
    [ "$status" != 0 ]
    [[ "$output" = *"sbatch --array=1-N"* ]]
}

@test "the loop, also after a stop" {
    "$slurm/loop.sh" rec.txt run 3
    cmp alone.tsv run/patterns.tsv
    rm run/shard2.spk run/all.spk run/patterns.tsv
    "$slurm/loop.sh" rec.txt run 3
    cmp alone.tsv run/patterns.tsv
}
