#!/usr/bin/env bats
# spikemine-bench-gpu, a program of its own ($SPIKEMINE_BENCH_GPU): refuses what it does not know
# before it looks for a GPU, and says why where there is none. Its tables need a GPU and are checked by
# bench/gpu.sh.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
}

teardown() {
    cd /
    rm -rf "$folder"
}

# refuses TEXT ARGUMENT...: exit 2, nothing on standard output, one line with TEXT.
refuses() {
    local status=0 text=$1
    shift
    "$SPIKEMINE_BENCH_GPU" "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ]
    [ ! -s out ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -q '^spikemine-bench-gpu: ' err
    grep -qF -- "$text" err
}

@test "its help has its options, an example and every figure" {
    "$SPIKEMINE_BENCH_GPU" --help >out 2>err
    [ ! -s err ]
    head -n 1 out | grep -qx 'usage: spikemine-bench-gpu \[FIGURE ...\] \[OPTION ...\]'
    grep -q '^      --runs N .*\[3\]$' out
    grep -q '^  spikemine-bench-gpu two-pass' out
    for figure in crossover two-pass gpus cpu tracking bound sweep; do
        grep -q "^  $figure " out
    done
}

@test "the command names it in place of a kind of bench" {
    for arguments in gpu 'gpu two-pass --runs 3' 'gpu --help'; do
        local status=0
        # shellcheck disable=SC2086 # words
        "$SPIKEMINE" bench $arguments >out 2>err || status=$?
        [ "$status" -eq 2 ]
        [ ! -s out ]
        [ "$(wc -l <err)" -eq 1 ]
        grep -q "^spikemine bench: there is no kind 'gpu'; .* spikemine-bench-gpu (see " err
    done
}

@test "unknown figures are refused, and the known ones named" {
    refuses "no figure 'nosuch'; there are crossover, two-pass, gpus, cpu" two-pass nosuch
}

@test "a number of GPUs must be one" {
    refuses '--gpus 2x: must be a whole number from 1 to 1024, or all' --gpus 2x
    refuses '--gpus 0: must be a whole number' --gpus 0
    refuses '--gpus : must be a whole number' --gpus ''
}

@test "a wrong delay is refused" {
    refuses 'delay interval (10ms,5ms] is empty' --delay 10ms:5ms two-pass
}

@test "without a GPU it fails with the reason and leaves no file" {
    if "$SPIKEMINE" engines --names | grep -q '^cuda-'; then
        skip 'this machine has a GPU'
    fi
    local status=0
    "$SPIKEMINE_BENCH_GPU" two-pass --output tables.tsv >out 2>err || status=$?
    [ "$status" -eq 1 ]
    [ ! -s out ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -q '^spikemine-bench-gpu: GPU: ' err
    [ -z "$(ls | grep -v -e '^out$' -e '^err$')" ]
}
