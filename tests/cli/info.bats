#!/usr/bin/env bats
# spikemine info: several recordings, and the table of units.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    printf '%s\n' "time unit" "1.000 A" "1.001 A" "1.0012 B" "3 A" "3.0001 B" "8 C" >a.txt
    printf '%s\n' "time unit" "1 A" "2 A" >b.txt
    printf '%s\n' "time unit" "2 A" "1 A" >bad.txt
}

teardown() {
    cd /
    rm -rf "$folder"
}

@test "several recordings are one table" {
    "$SPIKEMINE" info a.txt b.txt >out
    [ "$(head -1 out | cut -f1-5)" = "$(printf 'recording\tformat\tunits\tevents\tsegments')" ]
    [ "$(sed -n 2p out | cut -f1-5)" = "$(printf 'a.txt\ttext\t3\t6\t1')" ]
    [ "$(sed -n 3p out | cut -f1-5)" = "$(printf 'b.txt\ttext\t1\t2\t1')" ]
    [ "$(wc -l <out)" = 3 ]
    [ "$(awk -F'\t' '{ print NF }' out | sort -u)" = 13 ]
}

@test "an error of one recording does not stop the others" {
    status=0
    "$SPIKEMINE" info a.txt none.txt bad.txt b.txt >out 2>err || status=$?
    [ "$status" = 1 ]
    [ "$(cut -f1 out | tr '\n' ' ')" = "recording a.txt none.txt bad.txt b.txt " ]
    sed -n 3p out | cut -f13 | grep -q "none.txt: cannot open"
    sed -n 4p out | cut -f13 | grep -q "bad.txt:3: "
    [ "$(sed -n 5p out | cut -f4)" = 2 ]
    grep -q "2 of 4 recordings" err
    status=0
    "$SPIKEMINE" info a.txt none.txt b.txt --format json >out 2>err || status=$?
    [ "$status" = 1 ]
    [ "$(jq -r '.[] | .events // "none"' out | tr '\n' ' ')" = "6 none 2 " ]
    jq -r '.[1].error' out | grep -q "cannot open"
}

@test "a wrong option is told once, for all" {
    status=0
    "$SPIKEMINE" info a.txt b.txt --time-unit weeks >out 2>err || status=$?
    [ "$status" = 2 ]
    [ ! -s out ]
    [ "$(grep -c weeks err)" = 1 ]
}

@test "the table of units" {
    "$SPIKEMINE" info a.txt --units-table >out
    cmp out <("$SPIKEMINE" info a.txt --per-unit)
    columns="unit events rate_hz first_s last_s shortest_interval_s intervals_below_1ms cv share_below_2ms twin twin_share"
    [ "$(head -1 out | tr '\t' ' ')" = "$columns" ]
    # A has the intervals 1 ms and 1.999 s: mean 1 s, deviation 0.999 s. Two of its three events have
    # one of B at most 0.25 ms away, and both events of B have one of A.
    [ "$(sed -n 2p out | cut -f1,2,8- | tr '\t' ' ')" = "A 3 0.999 0.5 B 0.666666666666667" ]
    [ "$(sed -n 3p out | cut -f1,2,10- | tr '\t' ' ')" = "B 2 A 1" ]
    [ "$(sed -n 4p out | cut -f1,2,8- | tr '\t' ' ')" = "C 1 - - - -" ]
    "$SPIKEMINE" info a.txt b.txt --units-table >out
    [ "$(cut -f1,2 out | tr '\t\n' '. ')" = "recording.unit a.txt.A a.txt.B a.txt.C b.txt.A " ]
}

@test "times too coarse for an answer give none" {
    "$SPIKEMINE" info b.txt --units-table >out
    [ "$(sed -n 2p out | cut -f9-)" = "$(printf -- '-\t-\t-')" ]
}

@test "units that fire rarely are left out, and a note counts them" {
    { seq 0.1 0.1 10 | sed 's/$/ fast/'; printf '1.05 slow\n2.05 slow\n'; } | sort -n >rates.txt
    "$SPIKEMINE" info rates.txt --min-rate 1 >out 2>err
    grep -qx $'units\t1' out
    grep -q '1 of 2 units are left out, which fire less than 1 times a second' err
    "$SPIKEMINE" info rates.txt --min-rate 0.1 -q | grep -qx $'units\t2'
    run "$SPIKEMINE" info rates.txt --min-rate 50
    [ "$status" -eq 2 ]
    [[ "$output" == *"no unit fires 50 times a second or more"* ]]
}

@test "the place of an interruption has digits that tell, even of times that count from 1970" {
    { seq 1700000000.5 0.5 1700000100; seq 1700000200 0.5 1700000250; } | sed 's/$/ a/' >late.txt
    "$SPIKEMINE" info late.txt | grep -q "nothing happens for 100 s from 1700000100 s on"
    "$SPIKEMINE" explore late.txt --time 1us --html late.html | grep -q "Nothing happens for 100 s from 1700000100 s on"
}

@test "trials that were put one after the other are told" {
    "$SPIKEMINE" info "$SOURCE_DIR/data/movement_PGHF.spikes.txt" -q >out
    grep -qF "all units fall silent together 35 times for 0.2 s; trials" out
    for ((k = 0; k < 36; k++)); do awk -v k=$k 'BEGIN { printf "%.3fs %.3fs\n", 0.695 * k, 0.695 * k + 0.5 }'; done >trials.txt
    "$SPIKEMINE" info "$SOURCE_DIR/data/movement_PGHF.spikes.txt" --trials trials.txt -q >out
    ! grep -q "fall silent" out || false
}

@test "a report begins with three sentences for people" {
    "$SPIKEMINE" info a.txt >out
    [ "$(sed -n 1p out)" = "3 units with 6 spikes in 7 s." ]
    sed -n 2p out | grep -q "^The median unit fires "
    [ "$(sed -n 3p out)" = "1 thing may be wrong: see the warning." ]
    [ -z "$(sed -n 4p out)" ]
    [ "$(grep -c "^warning" out)" = 1 ]
    sed -n 5p out | grep -q "^recording"
    "$SPIKEMINE" info a.txt --format json | jq -e 'has("sentences") | not'
}
