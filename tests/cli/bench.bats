#!/usr/bin/env bats
# spikemine bench: every engine has its row, numbers of results are those of the commands that mine, and
# what cannot be read is refused.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    "$SPIKEMINE" simulate sym26 --duration 5s --seed 1 -o rec.txt
}

teardown() {
    cd /
    rm -rf "$folder"
}

# refuses TEXT ARGUMENT...: exit 2, nothing on standard output, TEXT in the last line.
refuses() {
    local status=0 text=$1
    shift
    "$SPIKEMINE" bench "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ]
    [ ! -s out ]
    tail -n 1 err | grep -qF -- "$text"
}

# ordered FIELDS: in every row of `out` minimum <= median <= maximum; FIELDS is the column before them.
ordered() {
    awk -F '\t' -v c="$1" 'NR > 1 && $1 != "sum" && !($(c + 2) <= $(c + 1) && $(c + 1) <= $(c + 3)) { exit 1 }' out
}

@test "episodes: a row for every engine, with the number of frequent episodes" {
    "$SPIKEMINE" episodes rec.txt -d 5ms:10ms -s 20 -q -o mined.tsv
    "$SPIKEMINE" bench episodes rec.txt -d 5ms:10ms -s 20 --engines sweep,fsm+two-pass,reference --runs 3 >out
    [ "$(cut -f 1 out | paste -sd ' ')" = 'engine sweep fsm+two-pass reference' ]
    [ "$(sed 1d out | cut -f 6 | sort -u)" = "$(sed 1d mined.tsv | wc -l)" ]
    [ "$(sed -n 2p out | cut -f 5)" = 1.00 ]
    ordered 1
}

@test "patterns: a row for every job and engine, with the number of patterns, and sums" {
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 20 --support 15 --min-spikes 3 --min-neurons 3 \
        --moving-window-filter off -o mined.tsv
    "$SPIKEMINE" bench patterns rec.txt --jobs '15,3;30,2' --engines bitmap,fpgrowth --runs 2 >out
    [ "$(cut -f 1,2 out | paste -sd ' ')" = \
        $'job\tengine 15,3\tbitmap 15,3\tfpgrowth 30,2\tbitmap 30,2\tfpgrowth sum\tbitmap sum\tfpgrowth' ]
    [ "$(grep '^15,3' out | cut -f 7 | sort -u)" = "$(sed 1d mined.tsv | wc -l)" ]
    ordered 2
}

@test "what cannot be read is refused" {
    refuses "--engines: cannot read 'sweep@x'" episodes rec.txt -d 5ms:10ms -s 20 --engines fsm,sweep@x
    refuses 'delay interval (10ms,5ms] is empty' episodes rec.txt -d 10ms:5ms -s 20
    refuses 'there is no --delay' episodes rec.txt -s 20
    refuses 'there is no --support' episodes rec.txt -d 5ms:10ms
    refuses '--engines: more than 8' patterns rec.txt --engines a,b,c,d,e,f,g,h,i
}

@test "a job that cannot be read is told before the first one runs" {
    refuses "--jobs: cannot read '12'" patterns rec.txt --jobs '30,2;12' --runs 1
}

@test "the kinds" {
    refuses 'needs a kind; the kinds are episodes and patterns'
    refuses "there is no kind 'spikes'; the kinds are episodes and patterns" spikes rec.txt --runs 3
    refuses 'unknown option --runs' --runs 3
    "$SPIKEMINE" bench --help | grep -q '^usage: spikemine bench episodes|patterns'
}
