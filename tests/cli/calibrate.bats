#!/usr/bin/env bats
# --calibrate of episodes and patterns: surrogates as data, the rate of false alarms, its table.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    "$SPIKEMINE" simulate network -q --units 8 --duration 8s --rate 8 --chains 0 --seed 3 -o rec.txt
}

teardown() {
    cd /
    rm -rf "$folder"
}

episodes() {
    "$SPIKEMINE" episodes rec.txt --delay 8ms:12ms --support 3 --test exact "$@"
}

patterns() {
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 6 --support 3 --test exact "$@"
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

@test "a row for each run, and the rate within what is promised" {
    episodes --jitter 50ms --calibrate 40 >out 2>err
    head -n 1 out | grep -qxF "run	p	rank"
    [ "$(wc -l <out)" -eq 41 ]
    awk -F '\t' 'NR > 1 { if ($1 != NR - 1 || $2 * 20 < 0.999 || $2 > 1 || $3 < 1 || $3 > 20) exit 1 }' out
    grep -qE "40 runs on surrogates \(shift-pieces, 50ms, seed 1\), each against 19 of its own, in [0-9.]+ s" err
    alarms=$(awk -F '\t' 'NR > 1 && $2 <= 0.05' out | wc -l)
    [ "$alarms" -le 10 ]
    grep -qF "$alarms runs have p <= 0.05: a rate of" err
    grep -qF "promised is at most 0.05; ranks of the data are uniform with p" err
}

@test "threads change no byte, in both languages" {
    episodes -q --jitter 50ms --calibrate 6 --threads 1 -o one.tsv
    episodes -q --jitter 50ms --calibrate 6 --threads 2 -o two.tsv
    cmp one.tsv two.tsv
    patterns -q --jitter 20ms,50ms --calibrate 3 --surrogates 9 --threads 1 -o three.tsv
    patterns -q --jitter 20ms,50ms --calibrate 3 --surrogates 9 --threads 2 -o four.tsv
    cmp three.tsv four.tsv
}

@test "several windows: each alone and all together" {
    episodes --jitter 20ms,50ms --calibrate 4 >out 2>err
    head -n 1 out | grep -qxF "run	p	p_20ms	rank_20ms	p_50ms	rank_50ms"
    awk -F '\t' 'NR > 1 { p = 2 * ($3 < $5 ? $3 : $5); if ($2 != (p < 1 ? p : 1)) exit 1 }' out
    grep -qF "each against 39 of its own" err
    grep -qF "20ms alone: " err
    grep -qF "50ms alone: " err
    grep -qF "all windows together: " err
}

@test "other data, which keep a rhythm, are alarming" {
    # units that fire in pairs, 10 ms apart
    awk 'BEGIN { srand(2); for (k = 0; k < 200; k++) { t = int(rand() * 8000); u = int(rand() * 3)
        print t / 1000 "\t" u; print (t + 10) / 1000 "\t" u } }' | sort -n >rec.txt
    episodes --jitter 50ms --null interval-jitter --calibrate 10 >out 2>err
    [ "$(awk -F '\t' 'NR > 1 && $2 <= 0.05' out | wc -l)" -le 4 ]
    episodes --jitter 50ms --null interval-jitter --calibrate 10 --calibrate-method trial-shifting >out 2>err
    [ "$(awk -F '\t' 'NR > 1 && $2 <= 0.05' out | wc -l)" -eq 10 ]
    grep -qF "this is more than promised: the null hypothesis does not hold for data by this method" err
}

@test "JSON has the rates" {
    episodes -q --jitter 20ms,50ms --calibrate 4 --format json -o out.json
    grep -qF '"format": "spikemine calibration 1"' out.json
    grep -qF '{"jitter":"20ms","alarms":' out.json
    grep -qF '{"jitter":null,"alarms":' out.json
    grep -qF '{"run":4,"p":' out.json
    grep -qF '"complete": true' out.json
}

@test "nothing to find: p is 1" {
    "$SPIKEMINE" episodes rec.txt --delay 8ms:12ms --support 5000 --test exact --jitter 50ms --calibrate 30 >out 2>err
    awk -F '\t' 'NR > 1 && $2 != 1 { exit 1 }' out
    grep -qF "0 runs have p <= 0.05: a rate of 0" err
}

@test "what does not go together is refused before any work" {
    exact="episodes rec.txt -d 5ms:10ms -s 5 --test exact"
    fails 2 "--calibrate needs --test exact" episodes rec.txt -d 5ms:10ms -s 5 --calibrate 9
    fails 2 "--calibrate-method needs --calibrate" $exact --calibrate-method dither-spikes
    fails 2 "--calibrate cannot go with --peel" $exact --calibrate 9 --peel
    fails 2 "--calibrate cannot go with --shard" $exact --calibrate 9 --shard 1/2 -o shard.spk
    fails 2 "--calibrate cannot go with --checkpoint" $exact --calibrate 9 --checkpoint a.spk
    fails 2 "--calibrate cannot go with --report" $exact --calibrate 9 --report core
    fails 2 "--calibrate cannot go with --top" $exact --calibrate 9 --top 3
    fails 2 "--calibrate cannot go with --occurrences" $exact --calibrate 9 --occurrences o.tsv
    fails 2 "--calibrate cannot go with --figure" $exact --calibrate 9 --figure f.png
    fails 2 "--calibrate needs --test exact" patterns rec.txt --bin 5ms --window 5 --calibrate 9
    fails 2 "--calibrate cannot go with --figure" patterns rec.txt --bin 5ms --window 5 --test exact --calibrate 9 --figure f.png
}
