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
    ! grep -q "note: support" err || false
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

@test "a test with --support auto has the least support, and asks more of busy units where time is short" {
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support auto --test exact --jitter 50ms --surrogates 1 --max-size 4 \
        --format json >long.json 2>err
    [ "$(support long.json)" -eq 6 ]
    grep -q "support 6: the smallest that is tried" err
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support auto --support-time 30ms --test exact --jitter 50ms \
        --surrogates 1 --max-size 4 --format json >short.json 2>err
    share=$(sed -n 's/^note: support 6: with link share \([0-9.e-]*\) the.*/\1/p' err)
    "$SPIKEMINE" episodes rec.txt --delay 0:20ms --support 6 --link-share "$share" --test exact --jitter 50ms \
        --surrogates 1 --max-size 4 --format json >given.json 2>err
    cmp <(jq .episodes short.json) <(jq .episodes given.json)
    [ "$(jq '.provenance.levels | map(.frequent) | add' short.json)" -lt \
        "$(jq '.provenance.levels | map(.frequent) | add' long.json)" ]
}

@test "patterns --support auto takes supports from surrogates, and the published recipe where it is asked for" {
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 6 --support auto --test exact --jitter 50ms \
        --surrogates 9 -o auto.tsv 2>err
    grep -q "number of spikes: 6 for 2 and more" err
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 6 --support 6 --test exact --jitter 50ms \
        --surrogates 9 -o six.tsv 2>err
    cmp auto.tsv six.tsv
    # Nothing tells chance from the rest without a test.
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 30 --support auto -o listed.tsv 2>err
    [ "$(sed -n 's/.*spikes: \([0-9]*\) for 2.*/\1/p' err)" -gt 6 ]
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 6 --support auto --auto-by published -o recipe.tsv 2>err
    grep -q "10 for [2-9] and more" err
    fails 2 "cannot go with several windows of --jitter" patterns rec.txt --bin 5ms --window 6 --support auto --test exact \
        --jitter 25ms,50ms
    echo "0 1" >windows.txt
    fails 2 "auto-by published" patterns windows.txt --input-format transactions --support auto
}

@test "info --suggest leaves no set of delays out, however short its time is" {
    "$SPIKEMINE" info rec.txt --suggest --suggest-time 1us >out 2>err
    [ "$(grep -c '^tried	' out)" -eq 25 ]
    ! grep -q tried_partly out || false
}

@test "--support auto says what does not go with it" {
    fails 2 "leave out --link-share" episodes rec.txt --delay 0:20ms --support auto --link-share 0.1
    fails 2 "above 0" episodes rec.txt --delay 0:20ms --support auto --support-time 0s
    fails 2 "cannot go with several windows of --jitter" episodes rec.txt --delay 0:20ms --support auto --test exact --jitter 25ms,50ms
    fails 2 "infinite" episodes rec.txt --delay 0:inf --support auto
    fails 2 "2 to 64 units" episodes rec.txt --delay 0:20ms --support auto --max-size 1
    fails 2 "or auto" episodes rec.txt --delay 0:20ms
}

# key FILE: the value of a key in the report.
value() {
    sed -n "s/^$1	//p" "$2"
}

# The command of --suggest runs within the time and with the number of results that are told, each within a factor; what
# it lists is what the finding says.
check_suggestion() {
    local out=$1 seconds results
    seconds=$(value suggestion_seconds "$out")
    results=$(value suggestion_results "$out")
    [ "$seconds" -ge 1 ]
    [ -n "$results" ] || skip "this machine is too busy to try the whole recording"
    [ "$results" -gt 0 ]
    # Machines that do other things, too: ten times the time.
    timeout $((10 * seconds + 10)) $(value suggestion "$out") -q -o found.tsv --force
    found=$(tail -n +2 found.tsv | wc -l)
    [ "$found" -gt 0 ]
    [ $((found * 4)) -ge "$results" ]
    [ "$found" -le $((results * 4)) ]
    [ "$(value suggestion_tested "$out")" -ge "$results" ]
}

@test "info --suggest: the songbird's sequences are at one frame" {
    [ "${SPIKEMINE_TEST_SCALE:-1}" = 1 ] || skip "all of it: the pages have the same, which are checked, too"
    "$SPIKEMINE" info "$SOURCE_DIR/data/songbird_spikes.txt" --sort --suggest --suggest-time 600s >out 2>err
    head="tried delays jitter support found_2 chance_2 found_3 chance_3 found_4 chance_4"
    [ "$(grep '^tried	' out | head -n 1 | tr '\t' ' ')" = "$head" ]
    [ "$(grep -c '^tried	' out)" = 17 ]
    value finding out | grep -q "^delays 0:50ms: .* episodes of 4 different units"
    command=$(value suggestion out)
    case $command in
    "$SPIKEMINE episodes $SOURCE_DIR/data/songbird_spikes.txt --sort --delay 0:50ms --support 6 "*) ;;
    *) echo "$command" && false ;;
    esac
    # 8 sets were tried, hence the level.
    case $command in *"--test exact --jitter 250ms --surrogates 199 --alpha 0.0062") ;; *) false ;; esac
    check_suggestion out
}

@test "info --suggest: rates that change together make no command for the macaque" {
    events=31262
    [ "${SPIKEMINE_TEST_SCALE:-1}" = 1 ] || events=2994 # all that come before the next one at the same time
    "$SPIKEMINE" info "$SOURCE_DIR/data/movement_PGHF.spikes.txt" --suggest --suggest-time 600s \
        --suggest-events $((events > 3000 ? 50000 : 3000)) >out 2>err
    [ "$(grep -c '^tried	' out)" = 25 ]
    [ "$(value tried_events out)" = $events ]
    value finding out | grep -q "^nothing: "
    [ "$(value suggestion out)" = none ]
}

@test "info --suggest as JSON is the same, and options of info stay out of the command" {
    # All of the sets are tried four times: the chain, and a unit beside.
    awk '$1 < 5 && index(" 0 5 6 11 1 ", " " $2 " ")' rec.txt >short.txt
    "$SPIKEMINE" info short.txt --suggest --suggest-events 100000 --suggest-time 600s >out 2>/dev/null
    "$SPIKEMINE" info short.txt --suggest --format json --suggest-events=100000 --suggest-time=600s 2>/dev/null >out.json
    "$SPIKEMINE" info --format=json --suggest short.txt --suggest-time 600s --units-table 2>/dev/null >units.json
    [ "$(value finding out)" = "$(jq -r .finding out.json)" ]
    [ "$(value suggestion out)" = "$(jq -r .suggestion out.json)" ]
    [ "$(jq -r .suggestion out.json)" = "$(jq -r .suggestion units.json)" ]
    jq -r '.suggestion' out.json | grep -q "^$SPIKEMINE episodes short.txt --delay "
    "$SPIKEMINE" info short.txt --suggest --suggest-events 100000 --suggest-time 600s --threads 1 >one 2>/dev/null
    cmp <(grep -v '^suggestion' out) <(grep -v '^suggestion' one)
    [ "$(value suggestion one)" = "$(value suggestion out | sed 's/ --delay / --threads 1 --delay /')" ]
    [ "$(jq '.tried | length' out.json)" = 24 ]
    [ "$(jq -c '.tried[0] | keys_unsorted' out.json)" = \
        '["delays","jitter","support","found_2","chance_2","found_3","chance_3","found_4","chance_4"]' ]
    cmp <(grep '^tried	' out | tail -n +2 | cut -f 2-4) \
        <(jq -r '.tried[] | [.delays, .jitter, .support] | @tsv' out.json)
    check_suggestion out
}

@test "info --suggest of a part of a recording chooses the support of the whole" {
    "$SPIKEMINE" info rec.txt --suggest --suggest-events 1000 --suggest-time 600s >out 2>/dev/null
    [ "$(value tried_events out)" -le 1000 ]
    value suggestion out | grep -q -- "--support 6 "
    check_suggestion out
}

@test "info --suggest says so where nothing exceeds chance" {
    awk '$1 < 5' rec.txt >short.txt
    "$SPIKEMINE" surrogates short.txt --method randomise-spikes -n 1 -o chance -q
    "$SPIKEMINE" info chance/surrogate-0001.txt --suggest --suggest-time 600s >out 2>/dev/null
    value finding out | grep -q "^nothing"
    [ "$(value suggestion out)" = none ]
    value suggestion_next out | grep -q -- "--support auto"
    printf '%s\n' "time unit" "1 A" "2 A" >two.txt
    "$SPIKEMINE" info two.txt --suggest 2>/dev/null | grep -q '^suggestion	none$'
    fails 2 "delays are suggested for one of them; name one" info rec.txt two.txt --suggest
}
