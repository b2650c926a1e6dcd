#!/usr/bin/env bats
# Brakes: limits end a job with what to do, and what is complete is kept under another name.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) printf "%.5f %d\n", i / 1000, rand() * 20 }' >rec.txt
    episodes="episodes rec.txt --columns time,unit -d 0:50ms -s 20 -q"
    patterns="patterns rec.txt --columns time,unit --bin 5ms --window 3 --support 2"
}

teardown() {
    cd /
    rm -rf "$folder"
}

# ends TEXT ARGUMENT...: the command fails with status 1 and a line with TEXT, and leaves only complete names.
ends() {
    local status=0 text=$1
    shift
    "$SPIKEMINE" "$@" 2>err || status=$?
    if [ $status -ne 1 ] || ! grep -q -- "^spikemine: .*$text" err || [ -n "$(find . -name '*.tmp')" ]; then
        echo "status $status, expected 1 with '$text':"
        cat err
        return 1
    fi
}

# The sizes of a table's rows.
sizes() {
    grep -v '^#' "$1" | sed 1d | cut -f 1 | uniq | tr '\n' ' '
}

@test "the number of results: sizes before the one that passes it are kept" {
    "$SPIKEMINE" $episodes --max-size 2 -o two.tsv --occurrences two.occ
    rows=$(($(wc -l <two.tsv) - 1))
    [ $rows -gt 100 ]
    ends "episodes of size 3 and the $rows rows before them are more than --max-results $rows allows; raise --support" \
        $episodes --max-results $rows -o out.tsv
    [ ! -e out.tsv ]
    grep -q "^note: out.tsv.incomplete: .*; all frequent episodes up to size 2 are here" err
    sed '$d' out.tsv.incomplete | cmp - two.tsv
    tail -n 1 out.tsv.incomplete | grep -q '^# incomplete: .* --max-results'
    # None is lost where the limit is met exactly.
    "$SPIKEMINE" $episodes --max-size 2 --max-results $rows -o again.tsv
    cmp again.tsv two.tsv
    "$SPIKEMINE" $episodes --max-size 2 --max-results none -o again.tsv --force
    cmp again.tsv two.tsv
}

@test "the number of results: occurrences count too" {
    rows=$(($("$SPIKEMINE" $episodes --max-size 2 | wc -l) - 1))
    ends "occurrences of size 2 and the 0 rows before them are more" $episodes --max-results $rows -o out.tsv \
        --occurrences occ.tsv
    [ "$(sizes out.tsv.incomplete)" = "1 " ]
    [ "$(wc -l <occ.tsv.incomplete)" -eq 2 ] # the names of columns, and why there is no more
    printf '%s\n' '1 (0,50ms] 2' '3 (0,50ms] 4' >list.txt
    ends "more than --max-results 5 allows" count rec.txt --columns time,unit -e list.txt -o out.tsv \
        --occurrences occ.tsv --max-results 5
    [ ! -e out.tsv ]
}

@test "the number of results: patterns" {
    "$SPIKEMINE" $patterns --moving-window-filter off -o all.tsv 2>err
    [ "$(wc -l <all.tsv)" -gt 1000 ]
    ends "more patterns than --max-results 900 allows" $patterns --moving-window-filter off \
        --max-results 900 -o out.tsv
    if [ -e out.tsv.incomplete ]; then # what came before, and each row is right
        [ "$(wc -l <out.tsv.incomplete)" -le 902 ]
        sed '$d' out.tsv.incomplete | sort >some
        sort all.tsv | comm -13 - some | (! grep .)
    fi
    rows=$(($(wc -l <all.tsv) - 1)) # each pattern occurs twice or more often
    ends "more occurrences than --max-results $rows allows" $patterns --max-results $rows \
        -o out.tsv --occurrences occ.tsv
    [ ! -e out.tsv ]
    [ ! -e occ.tsv ]
    "$SPIKEMINE" $patterns --max-results 1 --spectrum 2d -o spectrum.tsv 2>err
}

@test "the number of results: what is no number" {
    for text in 0 -1 1.5 many 5k ''; do
        for job in "$episodes" "$patterns"; do
            status=0
            "$SPIKEMINE" $job --max-results "$text" 2>err || status=$?
            [ $status -eq 2 ]
            grep -q "or none" err
        done
    done
}

@test "the memory limit keeps the sizes that are complete" {
    ends "over the memory limit" $episodes --max-memory 700k -o out.tsv --occurrences occ.tsv
    [ ! -e out.tsv ]
    size=$(sed -n 's/^note: out.tsv.incomplete: .*all frequent episodes up to size \([0-9]*\) are here/\1/p' err)
    [ "$size" -ge 2 ]
    "$SPIKEMINE" $episodes --max-size "$size" -o all.tsv --occurrences all.occ
    sed '$d' out.tsv.incomplete | cmp - all.tsv
    sed '$d' occ.tsv.incomplete | cmp - all.occ
    ends "over the memory limit" $episodes --max-memory 700k --format json -o out.json
    python3 -c 'import json
result = json.load(open("out.json.incomplete"))
assert result["complete"] is False
n_levels = len(result["provenance"]["levels"])
assert {episode["size"] for episode in result["episodes"]} == set(range(1, n_levels + 1))'
}

@test "a disk with too little space, and a limit for files, keep the sizes that are complete" {
    "$SPIKEMINE" $episodes --max-size 2 -o two.tsv
    awk '{ print $1, "a-unit-with-a-long-label-so-that-files-grow-" $2 }' rec.txt >long.txt
    job="episodes long.txt --columns time,unit -d 0:50ms -d 50ms:100ms -d 100ms:150ms -d 150ms:200ms
        -s 1 --max-size 3 -q"
    ends "writing failed: No space left on device; is the disk full" $job -o out.tsv --disk-reserve 1000T
    [ "$(sizes out.tsv.incomplete)" = "1 2 " ]
    tail -n 1 out.tsv.incomplete | grep -q '^# incomplete: out.tsv: writing failed'
    rm out.tsv.incomplete
    "$SPIKEMINE" $episodes --max-size 2 -o small.tsv --disk-reserve 1000T # small results are written
    cmp small.tsv two.tsv
    status=0
    (
        ulimit -f 3000
        exec "$SPIKEMINE" $job -o out.tsv 2>err
    ) || status=$?
    [ $status -eq 1 ]
    grep -q '^spikemine: out.tsv: writing failed: .*ulimit -f' err
    [ "$(sizes out.tsv.incomplete)" = "1 2 " ]
    [ -z "$(find . -name '*.tmp')" ]
}

@test "where a result is printed, what is there says how far it goes" {
    ends "--max-results" $episodes --max-results 30 >out
    [ "$(sizes out)" = "1 " ]
    tail -n 1 out | grep -q '^# incomplete: .*; all frequent episodes up to size 1 are here$'
}

@test "NWB on a disk that takes no more: an error, no file, and no crash" {
    "$SPIKEMINE" convert rec.txt probe.nwb -q || skip "needs HDF5"
    for blocks in 1 4 16 64 100; do
        status=0
        (
            ulimit -f $blocks
            "$SPIKEMINE" convert rec.txt out.nwb -q 2>err
        ) || status=$?
        [ $status -eq 1 ] || { echo "$blocks blocks: status $status" && false; }
        grep -q "out.nwb: .*failed" err
        [ ! -e out.nwb ]
        [ -z "$(find . -name '.spikemine*')" ]
    done
}
