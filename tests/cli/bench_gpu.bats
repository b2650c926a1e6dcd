#!/usr/bin/env bats
# spikemine bench gpu: refuses what it does not know before it looks for a GPU, and says why where
# there is none. Its tables need a GPU and are checked by bench/gpu.sh.

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
    "$SPIKEMINE" bench gpu "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ]
    [ ! -s out ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -qF -- "$text" err
}

@test "unknown figures are refused, and the known ones named" {
    refuses "no figure 'nosuch'; there are crossover, two-pass, gpus, cpu" two-pass nosuch
}

@test "a number of GPUs must be one" {
    refuses '--gpus 2x: must be a number from 1 on, or all' --gpus 2x
    refuses '--gpus 0: must be a number' --gpus 0
    refuses '--gpus : must be a number' --gpus ''
}

@test "a wrong delay is refused" {
    refuses 'delay interval (10ms,5ms] is empty' --delay 10ms:5ms two-pass
}

@test "without a GPU it fails with the reason and leaves no file" {
    if "$SPIKEMINE" engines --names | grep -q '^cuda-'; then
        skip 'this machine has a GPU'
    fi
    local status=0
    "$SPIKEMINE" bench gpu two-pass --output tables.tsv >out 2>err || status=$?
    [ "$status" -eq 1 ]
    [ ! -s out ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -q '^spikemine: GPU: ' err
    [ -z "$(ls | grep -v -e '^out$' -e '^err$')" ]
}
