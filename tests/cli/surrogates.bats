#!/usr/bin/env bats
# spikemine surrogates: files that appear whole or not at all, the same whatever else is made.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    "$SPIKEMINE" simulate sym26 -q --duration 3s -o rec.txt --truth /dev/null
}

teardown() {
    cd /
    rm -rf "$folder"
}

@test "surrogate K is the same whatever the others are" {
    "$SPIKEMINE" surrogates rec.txt -q -m trial-shifting --seed 7 -n 3 -o a
    "$SPIKEMINE" surrogates rec.txt -q -m trial_shifting --seed 7 --first 3 -o b
    [ "$(ls a)" = "$(printf 'surrogate-%s.txt\n' 0001 0002 0003)" ]
    [ "$(ls b)" = surrogate-0003.txt ]
    cmp a/surrogate-0003.txt b/surrogate-0003.txt
    run cmp -s a/surrogate-0002.txt a/surrogate-0003.txt
    [ "$status" -eq 1 ]
    "$SPIKEMINE" surrogates rec.txt -q -m trial-shifting --seed 8 --first 3 -o c
    run cmp -s a/surrogate-0003.txt c/surrogate-0003.txt
    [ "$status" -eq 1 ]
}

@test "every method keeps extent, units and, unless it warns of edges, the number of spikes" {
    "$SPIKEMINE" info -q rec.txt --format json >rec.json
    methods=$("$SPIKEMINE" completion bash | grep -o 'dither-spikes [a-z -]*randomise-spikes' | head -1)
    [ "$(wc -w <<<"$methods")" = 15 ]
    for method in $methods; do
        case $method in
        dither-spikes | dither-spike-train) set -- --edges keep ;;
        bin-shuffling | *-jitter | shift-pieces) set -- --bin 5ms ;;
        *) set -- ;;
        esac
        "$SPIKEMINE" surrogates rec.txt -q -m "$method" "$@" -o "$method"
        "$SPIKEMINE" info -q "$method/surrogate-0001.txt" --format json >made.json
        for key in units events start_s stop_s; do
            [ "$(jq ".$key" made.json)" = "$(jq ".$key" rec.json)" ]
        done
    done
}

@test "trials stay, and so does the number of spikes in each" {
    printf '0.5 1\n1 1.75\n2 2.0001\n' >trials.txt
    "$SPIKEMINE" surrogates rec.txt -q -m shuffle-isis --trials trials.txt -o made
    "$SPIKEMINE" info -q made/surrogate-0001.txt --format json >made.json
    [ "$(jq .segments made.json)" = 3 ]
    "$SPIKEMINE" info -q rec.txt --trials trials.txt --format json >rec.json
    [ "$(jq .events made.json)" = "$(jq .events rec.json)" ]
}

@test "known failures are told" {
    run "$SPIKEMINE" surrogates rec.txt -m dither-spikes -o a
    [ "$status" -eq 0 ]
    [[ "$output" == *"surrogates by dither-spikes: moved spikes"*"false positives"* ]]
    run "$SPIKEMINE" surrogates rec.txt -m interval-jitter -o b
    [[ "$output" == *"surrogates by interval-jitter: without a bin, moved spikes"* ]]
    run "$SPIKEMINE" surrogates rec.txt -m interval-jitter --bin 5ms -o c
    [[ "$output" != *"moved spikes"* ]]
}

@test "other formats" {
    "$SPIKEMINE" surrogates rec.txt -q -m randomise-spikes -o a --to npz
    "$SPIKEMINE" surrogates rec.txt -q -m randomise-spikes -o a
    "$SPIKEMINE" convert a/surrogate-0001.npz back.txt
    cmp back.txt a/surrogate-0001.txt
    run "$SPIKEMINE" surrogates rec.txt -o b --to papyrus
    [ "$status" -eq 2 ]
    [ ! -e b ]
}

@test "nothing is replaced without --force, and no folder stays behind" {
    mkdir there
    echo mine >there/surrogate-0002.txt
    run "$SPIKEMINE" surrogates rec.txt -n 2 -o there
    [ "$status" -eq 1 ]
    [[ "$output" == *"surrogate-0002.txt: exists already"* ]]
    [ "$(cat there/*)" = mine ]
    "$SPIKEMINE" surrogates rec.txt -q -n 2 -o there --force
    [ "$(wc -l <there/surrogate-0002.txt)" -gt 1 ]
    run "$SPIKEMINE" surrogates none.txt -o new
    [ "$status" -eq 1 ]
    [ ! -e new ]
    run "$SPIKEMINE" surrogates rec.txt -o rec.txt
    [ "$status" -eq 1 ]
    [[ "$output" == *"this folder cannot be made"* ]]
    run "$SPIKEMINE" surrogates rec.txt -o no/where
    [ "$status" -eq 1 ]
    [[ "$output" == *"this folder cannot be made"* ]]
    run "$SPIKEMINE" surrogates rec.txt
    [ "$status" -eq 2 ]
    [[ "$output" == *"-o DIR"* ]]
}

@test "wrong options are told with a remedy" {
    run "$SPIKEMINE" surrogates rec.txt -o a -m dither-spike
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean dither-spikes?"* ]]
    run "$SPIKEMINE" surrogates rec.txt -o a -m bin-shuffling
    [ "$status" -eq 2 ]
    [[ "$output" == *"needs the width of a bin"* ]]
    run "$SPIKEMINE" surrogates rec.txt -o a --dither 1ns
    [ "$status" -eq 2 ]
    [[ "$output" == *"less than a tick"*"; try dither "* ]]
    "$SPIKEMINE" surrogates rec.txt -q -o tried --dither "${output##* }"
    [ ! -e a ]
}
