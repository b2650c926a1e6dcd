#!/usr/bin/env bats
# Tables on a terminal: columns below each other, few digits, the first rows. Files and pipes have all as it is.

setup() {
    type -p python3 script >/dev/null || skip "needs python3 and script"
    folder=$(mktemp -d)
    cd "$folder"
    "$SPIKEMINE" sample -q
    search="episodes songbird_spikes.txt -d 0:50ms -s 10 -q"
    test="--test exact --jitter 250ms --distinct-units 2 --surrogates 19"
}

teardown() { rm -rf "$folder"; }

# What a terminal of so many columns gets: on_terminal COLUMNS ARGUMENT...
on_terminal() {
    local columns=$1
    shift
    script -qec "stty cols $columns; '$SPIKEMINE' $*" /dev/null </dev/null | tr -d '\r' >shown
}

@test "the first rows, in columns, with the numbers of the table" {
    "$SPIKEMINE" $search $test >table
    on_terminal 150 $search $test
    python3 - <<'END'
import re
rows = [line.split("\t") for line in open("table").read().splitlines()]
shown = open("shown").read().splitlines()
assert len(rows) > 100 and len(shown) == 22, len(shown)
head = shown[0].split()
assert head[:3] == ["size", "count", "episode"] and "p" in head and "lags_s" not in head, head
for row, line in zip(rows[1:], shown[1:21]):
    cells = re.split(r"  +", line.strip())
    assert cells[:3] == row[:3], cells
    assert all(abs(float(a) - float(b)) <= 0.005 * float(b) for a, b in zip(cells[3:6], row[3:6])), cells
starts = {line.index(row[2]) for row, line in zip(rows[1:], shown[1:21])}
assert len(starts) == 1, starts
assert max(map(len, shown)) <= 150
assert re.fullmatch(rf"\.\.\. 20 of {len(rows) - 1} rows and {len(head)} of {len(rows[0])} columns; -o FILE has all", shown[21])
END
}

@test "a narrow terminal has p and what it may mean rather than scores" {
    on_terminal 100 $search $test
    head -1 shown | grep -q "expected  *p  *fdr  *meaning$"
    [ "$(awk '{ print length }' shown | sort -n | tail -1)" -le 100 ]
    on_terminal 20 $search $test
    head -1 shown | grep -qx "size  count  episode *"
}

@test "files, pipes and a form that was asked for are whole" {
    "$SPIKEMINE" $search >table
    on_terminal 80 $search --format tsv
    cmp table shown
    "$SPIKEMINE" $search | cmp table -
    on_terminal 80 $search -o file
    cmp table file
    [ ! -s shown ]
    few=${search/-s 10/-s 100}
    on_terminal 80 $few
    [ -z "$(grep " of " shown)" ]
    [ "$(wc -l <shown)" -eq "$("$SPIKEMINE" $few | wc -l)" ]
}

@test "names stay as they are, and long ones are cut" {
    long=$(printf 'n%.0s' $(seq 80))
    for k in $(seq 1 9); do printf '0.%s\t1.23456789\n0.%s01\t%s\n' $k $k "$long"; done >rec.txt
    on_terminal 80 episodes rec.txt --columns time,unit -d 0:5ms -s 5 -q
    grep -q "1.23456789 *$" shown
    grep -q "n… *$" shown
    [ -z "$(grep "$long" shown)" ]
}

@test "a failure shows its message alone" {
    on_terminal 80 episodes missing.txt -d 0:5ms -s 5 -q || true
    grep -q "missing.txt" shown
    [ -z "$(grep "rows" shown)" ]
}
