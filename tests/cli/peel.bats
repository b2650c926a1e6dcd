#!/usr/bin/env bats
# --peel of episodes and patterns: each planted chain once, chance hardly ever, what is refused, what stays after
# an interruption.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # 20 units at 8 Hz, and two chains of 4 units with 10 ms between them
    "$SPIKEMINE" simulate network -q --units 20 --duration 15s --rate 8 --chains 2 --chain-size 4 --delay 10ms \
        --jitter 0ms --chain-rate 1.5 --seed 3 -o rec.txt --truth truth.json
}

teardown() {
    cd /
    rm -rf "$folder"
}

find_episodes() {
    case $* in
    *--jitter*) ;;
    *) set -- --jitter 50ms "$@" ;;
    esac
    case $* in
    *--surrogates*) ;;
    *) set -- --surrogates 99 "$@" ;;
    esac
    "$SPIKEMINE" episodes rec.txt --delay 8ms:12ms --support 5 --test exact "$@"
}

find_patterns() {
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 10 --min-spikes 3 --support 5 --test exact --jitter 50ms \
        --surrogates 99 "$@"
}

# The planted chains, one a line, as units with blanks between them.
planted() {
    sed -n 's/.*"units": \["\(.*\)"\],*/\1/p' truth.json | sed 's/", "/ /g' | sort
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

@test "each planted chain is listed once, in the order of rounds" {
    find_episodes -q | tail -n +2 >all
    [ "$(wc -l <all)" -gt 2 ]
    find_episodes --peel >out 2>err
    head -n 1 out | grep -q "^size	count	episode	expected	score	p	e_value	fdr	explained_by	meaning	direction_p	round"
    tail -n +2 out | cut -f 3 | sed 's/ (8ms,12ms] / /g' | sort >chains
    planted | diff - chains
    [ "$(tail -n +2 out | cut -f 12 | paste -sd ' ')" = "1 2" ]
    # the first round is the test without --peel
    [ "$(sed -n 2p out | cut -f 1-11)" = "$(head -n 1 all | cut -f 1-11)" ]
    grep -qE "3 rounds of 99 surrogates \(shift within 50ms, seed 1\): [0-9]+ of [0-9]+ episodes are" err
    grep -qF "are significant at 0.05, and peeling accepts 2" err
    grep -qF "the smallest p of what is left is" err
}

@test "each planted pattern is listed once" {
    find_patterns -q --peel >out
    tail -n +2 out | cut -f 5 | sed 's/@[0-9]*//g' | sort >chains
    planted | diff - chains
}

@test "--report core, several windows, JSON and a figure" {
    find_episodes -q --peel --report core --jitter 20ms,50ms --format json --figure peel.svg -o out.json
    grep -qF '"round":2' out.json
    grep -qF '"p_20ms":' out.json
    grep -qF '"rounds": 3' out.json
    grep -q '"complete": true' out.json
    [ -s peel.svg ]
}

@test "threads change no byte, --peel-max ends it" {
    find_episodes -q --peel --threads 1 -o one.tsv
    find_episodes -q --peel --threads 2 -o two.tsv
    cmp one.tsv two.tsv
    find_episodes --peel --peel-max 1 >out 2>err
    head -n 2 one.tsv | diff - out
    grep -qF "there may be more: --peel-max 1 ended it" err
    find_patterns -q --peel --threads 1 -o three.tsv
    find_patterns -q --peel --threads 2 -o four.tsv
    cmp three.tsv four.tsv
}

@test "independent units leave nothing" {
    "$SPIKEMINE" simulate network -q --units 12 --duration 15s --rate 8 --chains 0 --seed 5 -o other.txt
    mv other.txt rec.txt
    find_episodes -q --peel --alpha 0.01 >out
    [ "$(wc -l <out)" -eq 1 ]
    find_patterns -q --peel --alpha 0.01 >out
    [ "$(wc -l <out)" -eq 1 ]
}

@test "an interruption keeps what was accepted" {
    touch err
    "$SPIKEMINE" episodes rec.txt --delay 8ms:12ms --support 5 --test exact --jitter 50ms --surrogates 4000 --peel \
        --verbose -o out.tsv 2>err &
    pid=$!
    while ! grep -q "^round 1:" err; do
        kill -0 $pid
        sleep 0.05
    done
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 143 ]
    [ ! -e out.tsv ]
    [ "$(sed -n 2p out.tsv.incomplete | cut -f 12)" -eq 1 ]
    tail -n 1 out.tsv.incomplete | grep -q "^# incomplete: interrupted in round 2 of peeling; 1 round is here$"
}

@test "what does not go together is refused before any work" {
    exact="episodes rec.txt -d 5ms:10ms -s 5 --test exact"
    fails 2 "--peel needs --test exact" episodes rec.txt -d 5ms:10ms -s 5 --peel
    fails 2 "--peel-max needs --peel" $exact --peel-max 3
    fails 2 "--peel cannot go with --shard" $exact --peel --shard 1/2 -o shard.spk
    fails 2 "--peel cannot go with --maxima" $exact --peel --maxima a.spk
    fails 2 "--peel cannot go with --checkpoint" $exact --peel --checkpoint a.spk
    fails 2 "--peel cannot go with --report all" $exact --peel --report all
    fails 2 "--peel cannot go with --families" $exact --peel --families
    fails 2 "--peel-max N ends after N findings" $exact --peel --top 3
    fails 2 "--occurrences" $exact --peel --occurrences o.tsv
    fails 2 "--peel needs --test exact" patterns rec.txt --bin 5ms --window 5 --surrogates 9 --peel
    fails 2 "--peel cannot go with --closed" patterns rec.txt --bin 5ms --window 5 --test exact --peel --closed
}
