#!/usr/bin/env bats
# Labels and paths with bytes that mean something to a table, a list or a terminal.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    escape=$'\033[31m'
}

teardown() {
    cd /
    rm -rf "$folder"
}

# fails STATUS TEXT COMMAND...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
        ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

# clean FILE...: no byte that a terminal obeys
clean() {
    if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@"; then
        cat -v "$@"
        return 1
    fi
}

@test "a tab in a label breaks no table and comes back" {
    printf '%s,"a\tb"\n%s,#c\n' 1 2 3 4 5 6 >rec.csv
    "$SPIKEMINE" episodes rec.csv --columns time,unit -d 0:5s -s 2 -q -o table.tsv \
        --occurrences occ.tsv
    [ "$(awk -F '\t' '{ print NF }' table.tsv | sort -u)" = 3 ]
    [ "$(awk -F '\t' '{ print NF }' occ.tsv | sort -u)" = 5 ]
    grep -qF $'2\t2\t"#c" (0,5s] "a\\tb"' table.tsv
    "$SPIKEMINE" count rec.csv --columns time,unit -e table.tsv | cmp - table.tsv
    cut -f 1 occ.tsv | uniq | "$SPIKEMINE" count rec.csv --columns time,unit -e - >again.tsv
    grep '^2' table.tsv | sort | cmp - <(grep '^2' again.tsv | sort)
    # A plain list, too: its first line is no comment.
    sed 1d table.tsv | cut -f 3 | sort >list.txt
    [ "$(head -c 3 list.txt)" = '"#c' ]
    "$SPIKEMINE" count rec.csv --columns time,unit -e list.txt | sed 1d | cut -f 3 | cmp - list.txt
    "$SPIKEMINE" patterns rec.csv --columns time,unit --bin 1s --window 2 -q >patterns.tsv
    [ "$(awk -F '\t' '{ print NF }' patterns.tsv | sort -u)" = 5 ]
    grep -qF '"#c"@0 "a\tb"@1' patterns.tsv
    "$SPIKEMINE" info rec.csv --columns time,unit --per-unit >units.tsv
    [ "$(awk -F '\t' '{ print NF }' units.tsv | sort -u | wc -l)" = 1 ]
}

@test "a line of a list that begins with # is a comment, or an error where it could be a result" {
    printf '%s,#a\n%s,b\n' 1 2 3 4 5 6 >rec.csv
    printf '%s\n' '# #a (0,5s] b' '#' '#note' '#note (see below)' '#b@home' '"#a" (0,5s] b' >list.txt
    "$SPIKEMINE" count rec.csv --columns time,unit -e list.txt | sed 1d | cmp - <(printf '2\t3\t"#a" (0,5s] b\n')
    for line in '#a (0,5s] b' '#a(0,5s] b' '#b (0,5s] "#a"'; do
        printf 'b\n%s\n' "$line" >list.txt
        fails 1 "list.txt:2: '$line' is a comment or a result; put a blank behind the #" \
            count rec.csv --columns time,unit -e list.txt
    done
    printf '# a@0\n#note a@0\n#a@x\nb@0 #a@1\n#a@0 b@1\n' >list.txt
    fails 1 "list.txt:5: '#a@0 b@1' is a comment or a result" \
        watch rec.csv --columns time,unit --bin 1s --patterns list.txt
    # Rows of a table may be taken out by a #.
    printf 'size\tcount\tepisode\n#2\t3\t"#a" (0,5s] b\n1\t3\tb\n' >table.tsv
    "$SPIKEMINE" count rec.csv --columns time,unit -e table.tsv | sed 1d | cmp - <(printf '1\t3\tb\n')
}

@test "labels as tables have them select units" {
    printf '1,"a\tb"\n2,#c\n3,"a,""b"\n4,left hand\n' | sed 's/left hand/"left hand"/' >rec.csv
    "$SPIKEMINE" info rec.csv --columns time,unit --units '"a\tb","#c","a,""b"' >out
    grep -qx $'units\t3' out
    "$SPIKEMINE" info rec.csv --columns time,unit --units 'left hand,#c' >out
    grep -qx $'units\t2' out
    fails 2 "a quote is not closed" info rec.csv --columns time,unit --units '"a'
    fails 2 "text follows a closing quote" info rec.csv --columns time,unit --units '"#c"x'
    fails 2 "no unit 'd'" info rec.csv --columns time,unit --units '#c,d'
}

@test "a NUL byte is an error with its line, wherever text is read" {
    printf '1 A\n2 B\n3 A\n' >rec.txt
    printf '1 A\n2 B\0 junk\n3 A\n' >zero.txt
    fails 1 "zero.txt:2: a NUL byte" info zero.txt
    printf 'A\nA (0,5s] \0B\n' >list.txt
    fails 1 "list.txt:2: a NUL byte" count rec.txt --columns time,unit -e list.txt
    printf '# x\0 1 2\n0 3\n' >trials.txt
    fails 1 "trials.txt:1: a NUL byte" patterns rec.txt --columns time,unit --bin 1s \
        --trials trials.txt
    printf '0 1\n1 \0 2\n' >windows.txt
    fails 1 "windows.txt:2: a NUL byte" patterns windows.txt --input-format transactions --window 3
}

@test "no escape byte of a path, a label or an argument reaches the terminal" {
    name="rec$escape.txt"
    printf '1 5\n2 6\n3 5\n' >"$name"
    bad=$'\302\233'31m
    printf '1,"%s"\n2,x\n3,"%s"\n' "$bad" "$bad" >labels.csv
    {
        "$SPIKEMINE" info "$name"
        "$SPIKEMINE" info labels.csv --columns time,unit
        "$SPIKEMINE" info labels.csv --columns time,unit --per-unit
        "$SPIKEMINE" episodes labels.csv --columns time,unit -d 0:5s -s 1
        "$SPIKEMINE" patterns labels.csv --columns time,unit --bin 1s --window 2
        "$SPIKEMINE" episodes "$name" -d 0:5s -s 1 -v
        "$SPIKEMINE" info "none$escape" || true
        "$SPIKEMINE" "$escape" || true
        "$SPIKEMINE" info "--x$escape" || true
        "$SPIKEMINE" info --format "$escape" || true
        "$SPIKEMINE" info "$name" --units "$escape" || true
        "$SPIKEMINE" info "$name" "more$escape" || true
        "$SPIKEMINE" episodes "$name" -d "$escape" -s 1 || true
        "$SPIKEMINE" episodes "$name" -d 0:1s -s "$escape" || true
        "$SPIKEMINE" episodes "$name" -d 0:1s -s 1 -o "no$escape/out" || true
        "$SPIKEMINE" simulate sym26 --duration 1s -o "no$escape/out" || true
        printf 'A%s\n' "$escape" | "$SPIKEMINE" count "$name" -e - || true
        printf 'A%s (\n' "$escape" | "$SPIKEMINE" count "$name" -e - || true
        printf '1 A\nx%s B\n' "$escape" | "$SPIKEMINE" info - || true
    } >all 2>&1
    clean all
    grep -qF 'rec\x1b[31m.txt' all
    grep -qF '\xc2\x9b31m' all
}

@test "an absent unit counts 0, with a note" {
    printf '%s\n' "1 A" "2 B" "3 A" "4 B" >rec.txt
    printf '%s\n' 'Z (0,5s] A' 'A (0,5s] B' 'A' 'Q (0,5s] Q' 'Z' >list.txt
    "$SPIKEMINE" count rec.txt --columns time,unit -e list.txt --occurrences occ.tsv >out 2>err
    diff out - <<END
size	count	episode
2	0	Z (0,5s] A
2	2	A (0,5s] B
1	2	A
2	0	Q (0,5s] Q
1	0	Z
END
    grep -qF "note: list.txt: the recording has no unit Z, Q; episodes with these count 0" err
    [ "$(sed 1d occ.tsv | cut -f 1 | sort -u)" = "$(printf 'A\nA (0,5s] B')" ]
    for engine in $("$SPIKEMINE" engines --names); do
        "$SPIKEMINE" count rec.txt --columns time,unit -q -e - --engine "$engine" <list.txt | cmp - out
    done
    "$SPIKEMINE" count rec.txt --columns time,unit -e list.txt -q 2>err >out
    [ ! -s err ]
}
