#!/usr/bin/env bats
# Two conditions: --compare, --compare-trials, --permutations.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # Ten trials of 1 s, 2 s apart. In trials "go" (odd ones) unit B follows A by 3 ms five times,
    # in the others it fires as often, but half a second later.
    for k in 0 1 2 3 4 5 6 7 8 9; do
        start=$((2 * k))
        echo "$start $((start + 1))" >>trials.txt
        if [ $((k % 2)) -eq 1 ]; then label=go; else label=stay; fi
        echo "$label" >>labels.txt
        echo "$start $((start + 1))" >>"$label.txt"
        for e in 1 2 3 4 5; do
            echo "$start.0${e}0 A" >>rec.txt
            if [ $label = go ]; then echo "$start.0${e}3 B"; else echo "$start.5${e}3 B"; fi >>rec.txt
        done
    done
}

teardown() {
    cd /
    rm -rf "$folder"
}

mine() {
    "$SPIKEMINE" episodes rec.txt --columns time,unit --sort --trials trials.txt -d 0:5ms -s 5 "$@"
}

bin() {
    "$SPIKEMINE" patterns rec.txt --columns time,unit --sort --trials trials.txt --bin 2ms \
        --window 3 --support 5 "$@"
}

# The two kinds of trials as recordings of their own.
part() {
    for label in go stay; do
        "$SPIKEMINE" convert rec.txt "$label.spikes.txt" --columns time,unit --sort \
            --trials "$label.txt" -q
    done
}

# fails STATUS TEXT COMMAND...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat err
        return 1
    fi
}

# Column NAME of the rows on standard input.
column() {
    awk -F '\t' -v name="$1" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k; next }
        { print $c }'
}

@test "an episode of one kind of trials is found, with direction, counts and interval" {
    mine --compare-trials labels.txt >out 2>err
    [ "$(column episode <out)" = "A (0,5ms] B" ]
    [ "$(column count_a <out)" = 25 ]
    [ "$(column count_b <out)" = 0 ]
    [ "$(column rate_a_hz <out)" = 5 ]
    [ "$(column difference_hz <out)" = -5 ]
    [ "$(column upper_hz <out)" = -5 ]
    [ "$(column more_in <out)" = a ]
    # 2 of the 252 ways to deal out 5 and 5 labels are as extreme: 2/252
    [ "$(column p <out)" = 0.00793650793651 ]
    grep -q 'all 251 permutations' err
    grep -q 'condition a: go, 5 trials, 5 s' err
    mine --compare-trials labels.txt --report all -q >all
    [ "$(wc -l <all)" -eq 4 ]
    [ "$(column p <all | tail -n 1)" = 1 ]
}

@test "two recordings are compared as the trials of one" {
    part
    mine --compare-trials labels.txt -q >one
    for cut in "" "--trials trials.txt"; do
        # shellcheck disable=SC2086
        "$SPIKEMINE" episodes go.spikes.txt --compare stay.spikes.txt $cut -d 0:5ms -s 5 -q >two
        cmp one two
    done
    bin --compare-trials labels.txt --report all -q >one
    "$SPIKEMINE" patterns go.spikes.txt --compare stay.spikes.txt --bin 2ms --window 3 \
        --support 5 --report all -q >two
    cmp one two
    [ "$(column pattern <one | head -n 1)" = "A@0 B@1" ]
    [ "$(column more_in <one | head -n 1)" = a ]
}

@test "the same answer with one thread, and another one with another seed" {
    for threads in 1 2; do
        mine --compare-trials labels.txt --report all --permutations 60 --threads $threads -q \
            >of$threads
    done
    cmp of1 of2
    mine --compare-trials labels.txt --report all --permutations 60 --seed 2 -q >other
    column episode <other >episodes
    column episode <of1 | cmp - episodes
    mine --compare-trials labels.txt --permutations 5 2>err >out
    grep -q 'too few for alpha 0.05: no p-value can be below 0.167' err
}

@test "labels with numbers of trials, in any order" {
    mine --compare-trials labels.txt -q >one
    awk '{ print NR "\t" $1 }' labels.txt | sort -r >numbered.txt
    mine --compare-trials numbered.txt -q >two
    cmp one two
}

@test "selection, families, occurrences and JSON go with a comparison" {
    mine --compare-trials labels.txt --report all --min-size 2 -q >out
    [ "$(column episode <out)" = "A (0,5ms] B" ]
    mine --compare-trials labels.txt --report all --top 1 -q >out
    [ "$(column episode <out)" = "A (0,5ms] B" ]
    mine --compare-trials labels.txt --report all --families --distinct-units 2 -q >out
    [ "$(column members <out)" = 1 ]
    mine --compare-trials labels.txt --occurrences occ.tsv -q >out
    [ "$(wc -l <occ.tsv)" -eq 26 ]
    mine --compare-trials labels.txt --report all --format json -q >out.json
    python3 - out.json <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
first, comparison = result["episodes"][0], result["provenance"]["comparison"]
assert first["count_a"] == 25 and first["count_b"] == 0 and first["more_in"] == "a", first
assert comparison["a"] == {"label": "go", "trials": 5, "duration_s": 5.0}, comparison
assert comparison["permutations"] == 251 and comparison["all_permutations"], comparison
assert comparison["results_significant"] == 1, comparison
PYTHON
}

@test "what cannot be compared is said, with the way out" {
    part
    fails 1 "the recording has one trial" "$SPIKEMINE" episodes rec.txt --columns time,unit \
        --sort -d 0:5ms -s 5 --compare-trials labels.txt
    fails 1 "rec.txt: the recording has one trial" "$SPIKEMINE" episodes go.spikes.txt \
        --columns time,unit --sort --compare rec.txt -d 0:5ms -s 5
    sed '$d' labels.txt >short.txt
    fails 1 "9 labels for 10 trials" mine --compare-trials short.txt
    sed 's/stay/go/' labels.txt >same.txt
    fails 1 "all trials have the label 'go'" mine --compare-trials same.txt
    sed '3s/.*/wait/' labels.txt >three.txt
    fails 1 "three.txt:3: 'wait' is a third label" mine --compare-trials three.txt
    sed 's/stay/go/;1s/go/stay/' labels.txt >few.txt
    fails 1 "no p-value can be below 0.1, and --alpha is 0.05" mine --compare-trials few.txt
    mine --compare-trials few.txt --alpha 0.2 -q >out
    fails 1 "cannot read the labels" mine --compare-trials none.txt
}

@test "labels are of trials, in whatever order these are given" {
    mine --compare-trials labels.txt --report all -q >one
    paste trials.txt labels.txt | sort -k 3 >both.txt
    cut -f 1 both.txt >trials.txt
    cut -f 2 both.txt >labels.txt
    mine --compare-trials labels.txt --report all -q >two
    cmp one two
    bin --compare-trials labels.txt --report all -q | column more_in | head -n 1 | grep -qx a
}

@test "labels are of trials, whatever else cuts them" {
    # A part of each trial without spikes is cut out, and the first trial.
    for k in 0 2 4 6 8 10 12 14 16 18; do echo "$k.8 $((k + 2)).6"; done >ran.txt
    mine --compare-trials labels.txt --segments ran.txt --start 2s --report all >two 2>err
    grep -qF 'note: nothing is left of 1 of 10 trials; their conditions are not used' err
    grep -q 'note: condition a: go, 5 trials' err
    grep -q 'note: condition b: stay, 4 trials' err
    grep -q 'all 125 permutations' err
    [ "$(column count_a <two | head -n 1)" = 25 ]
    # 1 of the 126 ways to deal out 5 and 4 labels is as extreme.
    [ "$(column p <two | head -n 1)" = 0.00793650793651 ]
    # Labels of the first trials alone: none of the others is left.
    sed '1,5s/.*/go/;6,10s/.*/stay/' labels.txt >blocks.txt
    fails 1 "0 trials of 'go' and 5 of 'stay' are too few" mine --start 10s \
        --compare-trials blocks.txt
}

@test "options that do not go together are refused before anything is read" {
    fails 2 "give one of them" mine --compare-trials labels.txt --compare none.txt
    fails 2 "--permutations needs --compare FILE or --compare-trials FILE" mine --permutations 10
    fails 2 "--test exact cannot go with --compare-trials" mine --compare-trials labels.txt \
        --test exact
    fails 2 "--jitter needs --test exact" mine --compare-trials labels.txt \
        --jitter 5ms
    fails 2 "--report core needs --test exact" mine --compare-trials labels.txt --report core
    fails 2 "--figure cannot go with --compare" mine --compare rec.txt --figure x.svg
    fails 2 "--occurrences cannot go with --compare" bin --compare rec.txt --occurrences x.tsv
    fails 2 "--surrogates cannot go with --compare" bin --compare rec.txt --surrogates 9
    fails 2 "--spectrum 2d cannot go with --compare" bin --compare rec.txt --spectrum 2d
    fails 2 "--report core" bin --compare rec.txt --report core
    fails 2 "standard input" "$SPIKEMINE" episodes - --compare - -d 0:5ms -s 5
    fails 2 "labels" mine --compare-trials labels.txt -o labels.txt --force
    grep -qx stay labels.txt
}
