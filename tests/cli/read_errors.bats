#!/usr/bin/env bats
# Bad input from the command line: one line on standard error that tells the way out, nothing on
# standard output, exit status 1 (failed) or 2 (wrong usage). And what 'info' says of good input.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
}

teardown() {
    cd /
    rm -rf "$folder"
}

# fails STATUS TEXT ARGUMENT...: runs info, which must fail so.
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" info "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
        ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

@test "missing file, directory, empty file" {
    fails 1 "none.txt: cannot open: No such file" none.txt
    fails 1 "is a directory" .
    : >empty.txt
    fails 1 "empty.txt: is empty" empty.txt
    echo "# only this" >comment.txt
    fails 1 "has no data lines" comment.txt
}

@test "binary files" {
    head -c 100 /dev/zero >zero.bin
    fails 1 "looks binary" zero.bin
    printf '\x93NUMPY\x01\x00v\x00' >times.npy
    fails 1 "is cut off within its header; fetch or save it again" times.npy
    printf '0.5 \x01\n' >control.txt
    printf 'time,unit\r1.5,a\r2.5,b\r' >old_mac.txt
    fails 1 "old_mac.txt:1: a carriage return within the line: if lines end with it alone, convert them" old_mac.txt
    fails 1 "control.txt:1: a control byte" control.txt
}

@test "truncated compressed files" {
    for i in $(seq 1 2000); do echo "$i.5 $((i * 7919 % 61))"; done >rec.txt
    for tool in gzip bzip2 xz zstd; do
        command -v $tool >/dev/null || continue
        $tool -c rec.txt >whole
        "$SPIKEMINE" info whole 2>err | grep -q "^events	2000$" || grep -q "libarchive" err
        head -c "$(($(wc -c <whole) / 2))" whole >half
        fails 1 "half: " half
    done
}

@test "bad columns" {
    echo 0.5 >one.txt
    fails 1 "one.txt:1: one column" one.txt
    printf '0.5 1\n0.6 2 3\n' >three.txt
    fails 1 "three.txt:2: 3 columns, '0.6', '2', '3'" three.txt
    echo "0,5;3" >comma.txt
    fails 1 "decimal commas" comma.txt
    echo "5 3" >unclear.txt
    fails 1 "pass --columns" unclear.txt
    echo "0.5 a" >rec.txt
    fails 1 "columns swapped" rec.txt --columns unit,time
}

@test "bad times" {
    printf '0.5 a\nnan a\n' >nan.txt
    fails 1 "nan.txt:2: the time 'nan'" nan.txt
    printf '0.5 a\n1e30 a\n' >big.txt
    fails 1 "big.txt:2: time 1e30 is too large" big.txt
    printf '1.5 a\n' >rec.txt
    fails 1 "whole number of samples" rec.txt --time-unit samples@30000
    fails 2 "--time-unit minutes" rec.txt --time-unit minutes
}

@test "times that go backwards" {
    printf '1.0 a\n4.9 b\n4.2 a\n' >rec.csv
    fails 1 "rec.csv:3: time 4.2 after 4.9; sort the file or pass --sort" rec.csv
    printf 'a 1.0\na 4.9\nb 4.2\n' >rec.csv
    fails 1 "rec.csv:3: time 4.2 after 4.9; the file is grouped by unit; pass --sort" rec.csv
    "$SPIKEMINE" info rec.csv --sort 2>/dev/null | grep -q "^events	3$"
}

@test "swapped columns of a file in order are asked about before its order" {
    printf '17 0.5\n9 0.5\n12 0.75\n' >rec.txt
    fails 1 "rec.txt:2: time 9 after 17; are the columns swapped? pass --columns; if not, sort the file or pass --sort" \
        rec.txt --columns time,unit
    printf 'cell,t\n17,0.5\n9,0.75\n12,1.25\n' >rec.csv
    fails 1 "rec.csv:3: time 9 after 17; are these the right columns?" rec.csv --time-column 1 --unit-column 2
    printf '1.5 3.2\n0.5 3.1\n0.2 3.2\n' >rec.txt
    fails 1 "rec.txt:2: time 0.5 after 1.5; sort the file or pass --sort" rec.txt --columns time,unit
    printf '0.5 3.1\n1.5 3.1\n2.5 3.1\n0.5 3.2\n1 3.2\n' >rec.txt
    fails 1 "rec.txt:4: time 0.5 after 2.5; the file is grouped by unit; pass --sort" rec.txt --columns time,unit
}

@test "bad selections" {
    printf '1.0 a\n4.9 b\n' >rec.txt
    fails 2 "there is no unit 'c'; its 2 units are a, b" rec.txt --units a,c
    fails 2 "start 2s is not before stop 1s" rec.txt --start 2s --stop 1s
    fails 2 "needs REC"
}

@test "standard input, bounds and units" {
    run bash -c "printf '1.0 a\n2.0 b\n3.0 a\n' | '$SPIKEMINE' info - --stop 3s --units a"
    [ "$status" -eq 0 ]
    [[ "$output" == *$'\nevents\t1\n'* ]]
    [[ "$output" == *$'\nstop_s\t3\n'* ]]
    [[ "$output" == *$'\noutside_selection\t2\n'* ]]
}

@test "rates are those of the extent, stop outside" {
    printf '0.00 a\n0.25 b\n0.99 a\n' >rec.txt
    "$SPIKEMINE" info rec.txt 2>/dev/null >out
    grep -q "^stop_s	1$" out
    grep -q "^duration_s	1$" out
    grep -q "^rate_total_hz	3$" out
    printf '0.5 a\n0.5 b\n' | "$SPIKEMINE" info - 2>/dev/null >out
    grep -q "^duration_s	0.1$" out
    grep -q "^warning	all events have the same time" out
    echo 0.000001 a | "$SPIKEMINE" info - 2>/dev/null >out
    run grep -q "^warning	.*time unit" out
    [ "$status" -eq 1 ]
}

@test "info of the bundled recording" {
    file=$SOURCE_DIR/data/movement_PGHF.spikes.txt
    "$SPIKEMINE" info "$file" >out 2>err
    grep -q "^units	150$" out
    grep -q "^events	31262$" out
    grep -q "^tick_s	0.001$" out
    grep -q "^grid_s	0.005$" out
    if grep -q "^sha256" out; then
        [ "$(sed -n 's/^sha256	//p' out)" = "$(sha256sum "$file" | cut -d' ' -f1)" ]
    fi
    [ "$("$SPIKEMINE" info --per-unit "$file" 2>/dev/null | wc -l)" -eq 151 ]
    "$SPIKEMINE" info --per-unit --format json "$file" 2>/dev/null |
        python3 -c 'import json, sys
r = json.load(sys.stdin)
assert r["events"] == 31262 == sum(u["events"] for u in r["per_unit"])
assert [u["unit"] for u in r["per_unit"]] == sorted((u["unit"] for u in r["per_unit"]), key=int)'
}

@test "info warns of what looks wrong" {
    printf '0.0000 a\n0.0005 a\n0.0005 a\n1.0 b\n' >rec.txt
    "$SPIKEMINE" info rec.txt 2>/dev/null >out
    grep -q "^shortest_interval_s	0.0005$" out
    grep -q "^warning	1 interval within a unit is shorter than 1 ms" out
    grep -q "^warning	1 event repeats unit and time of another and counts once" out
}
