#!/usr/bin/env bats
# Which format a file is taken for: by its content, its name and the options; what is refused, and
# the way out that the message names.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
}

teardown() {
    cd /
    rm -rf "$folder"
}

# fails STATUS TEXT ARGUMENT...: one line on standard error, nothing on standard output.
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
        ! grep -qF -- "$text" err; then
        echo "spikemine $*: status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

# has EVENTS UNITS ARGUMENT...: info counts so many.
has() {
    "$SPIKEMINE" info -q "${@:3}" >out
    [ "$(grep -E '^(events|units)	' out | cut -f2 | sort -n | tr '\n' ' ')" = \
        "$(printf '%s\n' "$1" "$2" | sort -n | tr '\n' ' ')" ] || {
        cat out
        return 1
    }
}

@test "text formats are told by their content, whatever the name" {
    printf '0.1 a\n0.2 b\n0.3 a\n' >rec.nex
    has 3 2 rec.nex
    printf 'unit,time,x\na,0.1,1\nb,0.2,1\na,0.3,1\n' >table.txt
    has 3 2 table.txt
    printf 'a: 0.1 0.3\nb: 0.2\nc:\n' >lines.csv
    has 3 3 lines.csv
    for file in rec.nex table.txt lines.csv; do
        gzip -c $file >$file.gz
        cmp <("$SPIKEMINE" info -q $file.gz --per-unit) <("$SPIKEMINE" info -q $file --per-unit)
        cmp <("$SPIKEMINE" info -q - --per-unit <$file) <("$SPIKEMINE" info -q $file --per-unit)
    done
    # Every command takes them.
    "$SPIKEMINE" episodes lines.csv -q -d 0:1s -s 1 | cut -f2- >lines.out
    "$SPIKEMINE" episodes table.txt -q -d 0:1s -s 1 | cut -f2- | cmp - lines.out
    "$SPIKEMINE" patterns table.txt -q --bin 100ms --window 2 >out
    echo 'a (0,1s] b' | "$SPIKEMINE" count table.txt -q -e - >out
}

@test "what is not clear is asked for" {
    printf '1 2 3\n4 5 6\n' >unclear.txt
    fails 1 "unclear.txt: more than one format is possible; pass --input-format table (" info unclear.txt
    grep -qF -- "or --input-format lines (" err
    has 6 2 unclear.txt --input-format lines --unit-column none
    has 4 2 unclear.txt --input-format lines --unit-column 1
    has 2 2 unclear.txt --time-column 1 --unit-column 3
    fails 1 "unclear.txt:1: 3 columns" info unclear.txt --input-format text
    printf 'a: 1 2\nb: x\n' >lines.txt
    fails 1 "lines.txt:2: 'x' is not a time" info lines.txt
}

@test "transactions are for patterns" {
    printf '0 3\n1 3\n0 3\n' >windows.txt
    "$SPIKEMINE" patterns windows.txt --input-format transactions --window 3 >out
    fails 2 "only spikemine patterns reads them" info windows.txt --input-format transactions
    fails 2 "only spikemine patterns reads them" episodes windows.txt --input-format transactions -d 0:1s -s 1
    fails 2 "transactions have neither times nor labels" patterns windows.txt --input-format transactions --units a
    fails 2 "did you mean --input-format?" patterns windows.txt --input transactions
    "$SPIKEMINE" formats | grep -q '^transactions	yes	no	yes		.*for patterns only'
}

@test "files of other programs are named, with a way out" {
    while IFS='|' read -r name bytes text; do
        # shellcheck disable=SC2059
        printf "$bytes\0\0\0\0\0\0\0\0" >"$name"
        fails 1 "$name: is $text" info "$name"
        grep -q "; .*[a-z]" err
    done <<'END'
rec.nev|NEURALEV|a Blackrock file, which is not read; convert it with Neo
rec.nex|NEX1|a NeuroExplorer file
rec.plx|PLEX|a Plexon file
rec.pl2|xx|a Plexon file
rec.smr|\1\0(C) CED 87|a Spike2 file
rec.smrx|xx|a Spike2 file
rec.rhd|\x02\x27\x91\xc6|an Intan file of signals
rec.parquet|PAR1|a Parquet file, which is not read; convert it with pandas (Python): pandas.read_parquet
rec.xlsx|PK\x03\x04xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx[Content_Types].xml|an Excel workbook
rec.pkl|\x80\x04\x95|a pickle, which is not read; pickles are programs and are never run here
rec.bin|SQLite format 3|a database
END
    # The name alone condemns no text.
    printf '0.1 a\n0.2 b\n' >rec.pkl
    has 2 2 rec.pkl
    printf '\xff\xfe0\0.\0' >wide.csv
    fails 1 "wide.csv: is text in UTF-16; convert it, for example with iconv" info wide.csv
}

@test "a folder names the files that may be meant" {
    mkdir empty many
    fails 1 "empty: is a directory, and none of a known format; give a file in it" info empty
    touch many/b.csv many/a.txt.gz many/notes.doc many/c.tsv many/d.dat
    fails 1 "give a file in it, one of a.txt.gz, b.csv, c.tsv ..." info many
    fails 1 "is a directory" info many --input-format text
}
