#!/usr/bin/env bats
# --trials and --segments: every command cuts the recording, and nothing crosses a border.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # A then B after 1 s, twice within a trial of each pair and once across.
    printf '%s\n' "time unit" "1 A" "2 B" "3 A" "4 B" "5 A" "6 B" >rec.txt
    printf '0 2.5\n2.5s 5.5s\n5500ms 9\n' >trials.txt
}

teardown() {
    cd /
    rm -rf "$folder"
}

# fails STATUS TEXT ARGUMENT...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err </dev/null || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || ! grep -qF -- "$text" err; then
        echo "spikemine $*: status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

# The value of a key in the report of info.
value() {
    local key=$1
    shift
    "$SPIKEMINE" info rec.txt "$@" 2>err | sed -n "s/^$key\t//p"
}

@test "an episode counts within trials" {
    for delay in 0:1s 0:inf; do
        for engine in sweep fsm reference; do
            "$SPIKEMINE" episodes rec.txt -q -d $delay -s 1 --engine $engine >out
            grep -q "^2	3	.*A .* B" out
            "$SPIKEMINE" episodes rec.txt -q -d $delay -s 1 --engine $engine --trials trials.txt >out
            grep -q "^2	2	.*A .* B" out
        done
    done
    printf 'A (0,inf] B\n' >list.txt
    "$SPIKEMINE" count rec.txt -q -e list.txt --trials trials.txt --occurrences where.tsv >out
    grep -q "^2	2	" out
    [ "$(tail -n +2 where.tsv | wc -l)" -eq 2 ]
}

@test "a share of the events is one of those in trials" {
    printf '0 2.5\n' >one.txt
    "$SPIKEMINE" episodes rec.txt -q -d 0:1s -s 50% --trials one.txt >out # one of two events
    [ "$(tail -n +2 out | wc -l)" -eq 3 ]
    "$SPIKEMINE" episodes rec.txt -q -d 0:1s -s 51% --trials one.txt >out
    [ "$(tail -n +2 out | wc -l)" -eq 0 ]
}

@test "info tells the segments" {
    [ "$(value segments)" -eq 1 ]
    [ "$(value segments --trials trials.txt)" -eq 3 ]
    [ "$(value duration_s --trials trials.txt)" = 9 ]
    [ "$(value segment_shortest_s --trials trials.txt)" = 2.5 ]
    [ "$(value segment_longest_s --trials trials.txt)" = 3.5 ]
    printf '0 2.5\n4.5 10.5\n' >parts.txt
    [ "$(value events --trials parts.txt)" -eq 4 ]
    [ "$(value outside_selection --trials parts.txt)" -eq 2 ]
    [ "$(value duration_s --trials parts.txt)" = 8.5 ]
    [ "$(value longest_gap_s --trials parts.txt)" = 1 ]
    "$SPIKEMINE" info rec.txt --trials trials.txt --format json | grep -q '"segments": 3'
    [ -z "$(value trials)" ]
    [ "$(value trials --trials trials.txt)" -eq 3 ]
    [ -z "$(value trials_left)" ]
    printf '0.5 4\n4.5 5.5\n' >ran.txt # two pieces of the second trial, and nothing of the third
    [ "$(value segments --trials trials.txt --segments ran.txt)" -eq 3 ]
    [ "$(value trials --trials trials.txt --segments ran.txt)" -eq 3 ]
    [ "$(value trials_left --trials trials.txt --segments ran.txt)" -eq 2 ]
}

@test "start and stop cut trials, and segments cut them" {
    [ "$(value duration_s --trials trials.txt --start 1s --stop 6s)" = 5 ]
    [ "$(value segments --trials trials.txt --start 3s)" -eq 2 ]
    printf '0 1\n2 6\n' >ran.txt
    [ "$(value segments --trials trials.txt --segments ran.txt)" -eq 4 ]
    [ "$(value duration_s --trials trials.txt --segments ran.txt)" = 5 ]
    fails 2 "none of 3 segments, the first from 0 to 2.5s, lies in the recording" \
        info rec.txt --trials trials.txt --start 100s
}

@test "trials may overlap, segments may not" {
    printf '0 4.5\n2.5 9\n' >over.txt
    "$SPIKEMINE" episodes rec.txt -d 0:1s -s 1 --trials over.txt >out 2>err
    grep -q "^2	4	.*A .* B" out
    grep -qF 'note: trials overlap: 2 events in more than one trial count in each' err
    [ "$(value events_in_segments --trials over.txt)" -eq 8 ]
    fails 1 "--segments over.txt: the segments from 0 to 4.5s and from 2.5s to 9s overlap" \
        episodes rec.txt -d 0:1s -s 1 --segments over.txt
}

@test "what is wrong with trials is told" {
    printf '100 200\n' >none.txt
    "$SPIKEMINE" info rec.txt --trials none.txt 2>err >out
    grep -qF 'none of 6 events lies in the trials; is the unit of their times right?' err
    fails 1 "--trials epochs: there is no such file, and no such table: rec.txt: the format text has no tables" \
        info rec.txt --trials epochs
    fails 1 "./epochs: cannot read the times: No such file" info rec.txt --segments ./epochs
    status=0
    "$SPIKEMINE" info - --trials epochs <rec.txt >out 2>err || status=$?
    [ $status -eq 1 ]
    grep -qF 'standard input is read once' err
}

@test "trials keep their numbers, in whatever order they come and whatever cuts them" {
    # From the last to the first one; nothing is left of the second, and two pieces of the third.
    printf '9 13\n20 21\n4 9\n0 4\n' >back.txt
    printf '0.5 6\n6.5 20\n' >ran.txt
    printf '0.6 A\n0.61 B\n5 A\n5.01 B\n7 A\n7.01 B\n10 A\n10.01 B\n' >r.txt
    for format in txt npz; do
        "$SPIKEMINE" convert r.txt "cut.$format" --trials back.txt -q
        "$SPIKEMINE" convert "cut.$format" "pieces.$format" --segments ran.txt -q
        for cut in "r.txt --trials back.txt --segments ran.txt" "cut.$format --segments ran.txt" \
            "pieces.$format"; do
            # shellcheck disable=SC2086
            echo 'A (0,200ms] B' | "$SPIKEMINE" count $cut -e - -o /dev/null -q --force \
                --occurrences w.tsv
            [ "$(cut -f 3,4,8 w.tsv | tr '\n' ' ')" = \
                "segment	start_s	trial 1	0.6	4 2	5	3 3	7	3 4	10	1 " ]
            # shellcheck disable=SC2086
            "$SPIKEMINE" patterns $cut --bin 200ms --window 1 --support 4 -q --force \
                --occurrences w.tsv >out
            [ "$(cut -f 2 w.tsv | tr '\n' ' ')" = "trial 4 3 3 1 " ]
        done
    done
    # Of one trial that is left the number stays, too.
    echo 'A (0,200ms] B' | "$SPIKEMINE" count pieces.npz -e - -o /dev/null -q --force --stop 2s \
        --occurrences w.tsv
    [ "$(tail -n 1 w.tsv | cut -f 8)" = 4 ]
}

@test "patterns have the recording's segments as trials" {
    "$SPIKEMINE" patterns rec.txt -q --bin 1s --window 2 --trials trials.txt --occurrences where.tsv \
        --moving-window-filter off >out
    grep -q "^2	2	2	1	A@0 B@1" out
    cut -f 2 where.tsv | tail -n +2 | sort -u | tr '\n' ' ' | grep -q '1 2'
    fails 2 "transactions are windows already" patterns rec.txt --input-format transactions --trials trials.txt
}
