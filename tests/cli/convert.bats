#!/usr/bin/env bats
# spikemine convert: what is written reads back to the same recording, and nothing else is touched.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    "$SPIKEMINE" simulate sym26 -q --duration 3s -o rec.txt --truth /dev/null
}

teardown() {
    cd /
    rm -rf "$folder"
}

@test "text comes back as the same bytes" {
    "$SPIKEMINE" convert rec.txt out.txt
    cmp rec.txt out.txt
    "$SPIKEMINE" convert rec.txt out.txt.gz
    "$SPIKEMINE" convert - - --to text <out.txt.gz | cmp - rec.txt
}

@test "a part: stretch of time and units" {
    "$SPIKEMINE" convert rec.txt part.txt --start 1s --stop 2s --units A,C
    "$SPIKEMINE" info part.txt --format json >info.json
    [ "$(jq .units info.json)" = 2 ]
    [ "$(awk '$2 != "A" && $2 != "C" && !/^#/' part.txt)" = "$(printf 'time_s\tunit')" ]
    awk '!/^#/ && NR > 1 && $1 != "time_s" && ($1 < 1 || $1 >= 2) { exit 1 }' part.txt
}

@test "what cannot be written is told before anything is read" {
    run "$SPIKEMINE" convert none.txt out --to papyrus
    [ "$status" -eq 2 ]
    [[ "$output" == *"'papyrus' cannot be written; these can: text"* ]]
    run "$SPIKEMINE" convert none.txt rec.txt
    [ "$status" -eq 1 ]
    [[ "$output" == *"--force"* ]]
    run "$SPIKEMINE" convert rec.txt rec.txt --force
    [ "$status" -eq 2 ]
    run "$SPIKEMINE" convert none.txt out.txt
    [ "$status" -eq 1 ]
    [ ! -e out.txt ]
}
