#!/usr/bin/env bats
# spikemine simulate: writes recording and truth, the same bytes for the same seed, and refuses what
# makes no sense with one line on standard error.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
}

teardown() {
    cd /
    rm -rf "$folder"
}

# refuses TEXT ARGUMENT...: simulate must exit with 2, one line with TEXT, and leave no file.
refuses() {
    local status=0 text=$1
    shift
    "$SPIKEMINE" simulate "$@" >out 2>err || status=$?
    if [ "$status" -ne 2 ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
        ! grep -qF -- "$text" err || [ "$(ls | wc -l)" -ne 2 ]; then
        echo "status $status, expected 2 with '$text':"
        cat out err
        ls
        return 1
    fi
}

differ() {
    if cmp -s "$1" "$2"; then
        echo "$1 and $2 are the same"
        return 1
    fi
}

# value KEY FILE: what info says of a recording.
value() {
    "$SPIKEMINE" info "$2" 2>/dev/null | sed -n "s/^$1	//p"
}

@test "the kinds" {
    refuses "needs a kind; the kinds are sym26, network, probe and culture"
    refuses "there is no kind 'cultures'; the kinds are sym26, network, probe and culture" cultures
    run "$SPIKEMINE" simulate --help
    [ "$status" -eq 0 ]
    for kind in sym26 network probe culture; do
        [[ "$output" == *"  $kind"* ]]
        "$SPIKEMINE" simulate $kind --help | grep -q -- "--seed N"
        "$SPIKEMINE" help simulate $kind | grep -q "^usage: spikemine simulate $kind \[OPTION"
    done
}

@test "sym26: recording and truth" {
    "$SPIKEMINE" simulate sym26 --seed 26 -o rec.txt 2>err
    [ ! -s err ]
    [ "$(value units rec.txt)" -eq 26 ]
    [ "$(value tick_s rec.txt)" = 1e-05 ]
    events=$(value events rec.txt)
    [ "$events" -gt 47500 ]
    [ "$events" -lt 52500 ]
    python3 - <<'END'
import json
truth = json.load(open("rec.txt.truth.json"))
assert [c["units"] for c in truth["chains"]] == [list("ABCD"), list("HIJKLMNO")]
lines = set(open("rec.txt").read().split("\n"))
for c in truth["chains"]:
    assert c["planted"] == c["kept"] == len(c["times_s"]) > 50
    for row in c["times_s"]:
        for time, unit in zip(row, c["units"]):
            assert "%.5f\t%s" % (time, unit) in lines, (time, unit)
        for a, b in zip(row, row[1:]):
            assert 0.005 < round(b - a, 5) <= 0.01
END
}

@test "the same seed gives the same bytes, another one others" {
    for kind in "sym26 --duration 5s" "network --duration 5s --rate-spread 1 --modulation 0.5" \
        "culture --events 5000"; do
        for name in a b; do
            "$SPIKEMINE" simulate $kind --seed 9 -o $name.txt --force
        done
        "$SPIKEMINE" simulate $kind --seed 10 -o c.txt --force
        cmp a.txt b.txt
        cmp a.txt.truth.json b.txt.truth.json
        differ a.txt c.txt
    done
}

@test "network options reach the recording" {
    "$SPIKEMINE" simulate network --duration 20s --units 12 --rate 5 --chains 1 --chain-size 3 \
        --delay 8ms --jitter 500us --chain-rate 4 --strength 1 --refractory 2ms \
        -o net.txt --truth planted.json
    [ ! -e net.txt.truth.json ]
    [ "$(value units net.txt)" -eq 12 ]
    python3 - <<'END'
import json
(chain,) = json.load(open("planted.json"))["chains"]
assert len(chain["units"]) == 3 and chain["delays_s"] == [0.008, 0.008]
assert chain["jitter_s"] == 0.0005
assert 40 < chain["planted"] < 120
END
}

@test "probe options reach the recording and its truth" {
    "$SPIKEMINE" simulate probe --seed 3 --duration 60s --units 20 --sequences 2 --min-size 4 --max-size 4 \
        --min-step 5ms --max-step 8ms --jitter 0 --failing 0.5 --repeats 20 --reversed 1 --merged 2 -o rec.txt
    [ "$(value units rec.txt)" -eq 18 ]
    "$SPIKEMINE" simulate probe --background rec.txt --sequences 0 -o apart.txt
    [ "$(value events apart.txt)" -eq "$(value events rec.txt)" ]
    [ "$(value units apart.txt)" -eq 18 ]
    differ rec.txt apart.txt
    python3 - <<'END'
import json
truth = json.load(open("rec.txt.truth.json"))
lines = set(open("rec.txt").read().split("\n"))
missing = 0
for c in truth["chains"]:
    assert len(c["units"]) == 4 and c["planted"] == c["kept"] == len(c["times_s"]) == 20
    assert all(0.00499 <= d <= 0.008 for d in c["delays_s"]), c["delays_s"]
    for row in c["times_s"]:
        there = [(time, unit) for time, unit in zip(row, c["units"]) if time is not None]
        missing += 4 - len(there)
        assert there == sorted(there, reverse=True), there
        for time, unit in there:
            assert "%.5f\t%s" % (time, unit) in lines, (time, unit)
assert 50 < missing < 110, missing
END
}

@test "probe: what does nothing is refused" {
    refuses "--truth cannot go with --shuffle: nothing planted is left" probe --shuffle --truth t
    refuses "--rhythm-rate needs --rhythm" probe --rhythm-rate 5
    for option in "--duration 5s" "--units 5" "--rate 5" "--rate-spread 1" "--bursts 1" "--modulation 1" \
        "--stimulus 5s" "--rhythm 1"; do
        # shellcheck disable=SC2086
        refuses "--background cannot go with ${option% *}: its units fire as they did" probe --background none $option
    done
}

@test "culture options reach the recording" {
    "$SPIKEMINE" simulate culture --events 20000 --units 20 --burst-spikes 5 --tonic-rate 0 -o c.txt
    [ "$(value units c.txt)" -eq 20 ]
    [ "$(value tick_s c.txt)" = 4e-05 ]
    [ "$(value intervals_below_1ms c.txt)" -eq 0 ]
    python3 -c 'import json
(chain,) = json.load(open("c.txt.truth.json"))["chains"]
assert sorted(chain["units"], key=int) == [str(u) for u in range(20)]
assert 150 < chain["planted"] < 250, chain["planted"]'
}

@test "standard output and a reader that leaves" {
    "$SPIKEMINE" simulate sym26 --seed 4 --duration 2s >out.txt
    "$SPIKEMINE" simulate sym26 --seed 4 --duration 2s -o rec.txt --truth t.json
    cmp out.txt rec.txt
    [ "$(ls | wc -l)" -eq 3 ]
    "$SPIKEMINE" simulate sym26 --seed 4 --duration 2s -o rec2.txt --truth - | cmp - t.json
    # No truth lies beside what is no file.
    "$SPIKEMINE" simulate sym26 --seed 4 --duration 2s -o /dev/stdout | cmp - out.txt
    "$SPIKEMINE" simulate sym26 --seed 4 --duration 2s -o /dev/stdout >out2.txt
    cmp out2.txt out.txt
    [ ! -e /dev/stdout.truth.json ]
    run bash -c "'$SPIKEMINE' simulate sym26 2>err | head -1; echo \${PIPESTATUS[0]}"
    [ "$output" = "$(printf '# spikemine segment 0s 60s\n0')" ]
    [ ! -s err ]
}

@test "shuffled: the same numbers, other times, no truth" {
    "$SPIKEMINE" simulate sym26 --seed 4 -o rec.txt
    "$SPIKEMINE" simulate sym26 --seed 4 --shuffle -o shuffled.txt
    [ ! -e shuffled.txt.truth.json ]
    for file in rec.txt shuffled.txt; do
        "$SPIKEMINE" info --per-unit $file 2>/dev/null | cut -f1,2 >$file.counts
    done
    [ "$(head -1 rec.txt.counts)" = "$(printf 'unit\tevents')" ]
    cmp rec.txt.counts shuffled.txt.counts
    differ rec.txt shuffled.txt
}

@test "bad options" {
    refuses "--strength 2: must be a number from 0 to 1" sym26 --strength 2 -o rec.txt
    refuses "--duration 5: must be a duration" sym26 --duration 5 -o rec.txt
    refuses "the duration is 0" sym26 --duration 0 -o rec.txt
    refuses "unknown option --units" sym26 --units 5 -o rec.txt
    refuses "unexpected argument 'rec.txt'" sym26 rec.txt
    refuses "the chain size is 65" network --chain-size 65 -o rec.txt
    refuses "without overlap" network --chain-rate 100 -o rec.txt
    refuses "bursts a minute would overlap" culture --bursts-per-min 100 -o rec.txt
    refuses "there are no events" culture --bursts-per-min 0 --tonic-rate 0 -o rec.txt
    refuses "--truth cannot go with --shuffle" culture --shuffle --truth t.json -o rec.txt
    refuses "the recording goes there" sym26 -o rec.txt --truth rec.txt
    refuses "the recording goes there" sym26 --truth -
}

@test "places that cannot be written" {
    run "$SPIKEMINE" simulate sym26 --duration 1s -o no/such/rec.txt
    [ "$status" -eq 1 ]
    [[ "$output" == *"no/such/rec.txt: cannot write here"* ]]
}
