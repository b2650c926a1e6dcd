#!/usr/bin/env bats
# Supports and delays that are chosen: episodes --support auto, info --suggest.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # 12 units at 8 Hz, and 5 -> 0 -> 6 -> 11 with 10 ms between them
    "$SPIKEMINE" simulate network -q --units 12 --duration 15s --rate 8 --chains 1 --chain-size 4 --delay 10ms \
        --jitter 0ms --chain-rate 1.5 --seed 3 -o rec.txt
}

teardown() {
    cd /
    rm -rf "$folder"
}

# fails STATUS TEXT ARGUMENT...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

# The support of a result, and why.
support() {
    jq -r .provenance.threshold "$1"
}

@test "--support auto takes the support that the note and the result tell" {
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support auto --format json >auto.json 2>err
    grep -q "^note: support $(support auto.json): .*at most 1000 episodes.*9 surrogates.*100ms, seed 1)$" err
    jq -r .provenance.threshold_choice auto.json | grep -q "^the smallest.*at most 1000 episodes"
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support "$(support auto.json)" --format json >given.json 2>err
    ! grep -q "note: support" err
    [ "$(jq -c .provenance.threshold_choice given.json)" = null ]
    cmp <(jq .episodes auto.json) <(jq .episodes given.json)
    # One more number of threads, one more time.
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support auto --threads 3 --format json >again.json 2>err
    [ "$(jq -r .provenance.threshold_choice again.json)" = "$(jq -r .provenance.threshold_choice auto.json)" ]
}

@test "wider delays get a larger support" {
    before=0
    for delay in 0:20ms 0:50ms 0:100ms; do
        "$SPIKEMINE" episodes rec.txt --delay "$delay" --support auto --max-size 4 --format json -q >out.json
        [ "$(support out.json)" -gt "$before" ]
        before=$(support out.json)
    done
}

@test "a test with --support auto takes the window and the seed of the test, and is exact on parts" {
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support auto --test exact --jitter 50ms --surrogates 19 --seed 4 \
        --report all --format json >one.json 2>err
    grep -q "^note: support .*50ms, seed 4)" err
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support "$(support one.json)" --test exact --jitter 50ms \
        --surrogates 19 --seed 4 --report all --format json >two.json 2>err
    cmp <(jq .episodes one.json) <(jq .episodes two.json)
    for part in 1 2; do
        "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support auto --test exact --jitter 50ms --surrogates 19 \
            --seed 4 --shard $part/2 -o $part.spk -q
    done
    "$SPIKEMINE" merge 1.spk 2.spk -o all.spk -q
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support auto --test exact --jitter 50ms --seed 4 --maxima all.spk \
        --report all --format json >three.json 2>err
    cmp <(jq .episodes one.json) <(jq .episodes three.json)
}

@test "--support auto says what does not go with it" {
    fails 2 "one window of --jitter" episodes rec.txt --delay 0:20ms --support auto --test exact --jitter 25ms,50ms
    fails 2 "infinite" episodes rec.txt --delay 0:inf --support auto
    fails 2 "2 to 64 units" episodes rec.txt --delay 0:20ms --support auto --max-size 1
    fails 2 "or auto" episodes rec.txt --delay 0:20ms
}
