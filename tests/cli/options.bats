#!/usr/bin/env bats
# What all commands have in common: numbers, options given twice, suggestions, -q, -v, -V, help.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    printf '%s\n' "time unit" "1 A" "2 A" "5 B" "8 B" "10 A" "13 A" "15 C" "18 B" "20 C" >rec.txt
    printf '%s\n' "1 5" "2 6" "3 5" "4 6" >guess.txt # its columns are guessed, with a note
}

teardown() {
    cd /
    rm -rf "$folder"
}

# refused TEXT COMMAND...: wrong usage, one line with TEXT on standard error and nothing else.
refused() {
    local status=0 text=$1
    shift
    "$SPIKEMINE" "$@" >out 2>err || status=$?
    if [ "$status" -ne 2 ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
        ! grep -qF -- "$text" err; then
        echo "spikemine $*: status $status, expected 2 with '$text':"
        cat out err
        return 1
    fi
}

# absent TEXT FILE
absent() {
    if grep -n -- "$1" "$2"; then
        return 1
    fi
}

@test "an option with one value is given once" {
    refused "--support is given twice, as 2 and as 3; give it once" \
        episodes rec.txt -d 0:5s -s 2 --support 3
    refused "--bin is given twice, as 1s and as 2s" patterns rec.txt --bin 1s --bin=2s
    refused "--output is given twice, as a and as b" simulate sym26 -oa --output b
    refused "--columns is given twice" info rec.txt --columns time,unit --columns time,unit
    refused "--runs is given twice" bench patterns rec.txt --runs 1 --runs 2
    [ "$(ls)" = "$(printf 'err\nguess.txt\nout\nrec.txt')" ]
    # Where several values make sense, and where there is none, twice is as well.
    "$SPIKEMINE" episodes rec.txt -d 0:5s -d 5s:10s -s 2 --sort --sort -q -q
}

@test "whole numbers are digits, everywhere" {
    for number in -1 +1 ' 1' '1 ' 1.0 1e2 0x10 1k '' one 99999999999999999999; do
        for job in "episodes --threads" "episodes --max-size" "episodes --gpus" "count --gpus" \
            "patterns --support" "patterns --window" "patterns --max-spikes" \
            "simulate sym26 --seed" "simulate network --units" "bench episodes --runs" \
            "tune --gpu"; do
            option=${job##* }
            # shellcheck disable=SC2086
            refused "$option $number: must be a whole number from " ${job% *} "$option" "$number"
        done
    done
    refused "--gpus 0: must be a whole number from 1 to 1024, or all" episodes rec.txt --gpus 0
    refused "--support 0: must be a whole number from 1 to 4294967294, or auto" \
        patterns rec.txt --support 0
    refused "must be a whole number from 0 to 18446744073709551615" simulate sym26 --seed -1
    "$SPIKEMINE" simulate sym26 --seed 18446744073709551615 --duration 1s >seed.txt
    for list in sweep@0 sweep@+1 sweep@1x sweep@ '@1'; do
        refused "--engines: cannot read '$list'" bench episodes rec.txt -d 0:5s -s 2 --engines "$list"
    done
    for jobs in 2 2, ,2 2,2x -2,2 2,0 '2;2'; do
        refused "--jobs: cannot read '" bench patterns rec.txt --columns time,unit --bin 1s \
            --jobs "$jobs"
    done
}

@test "options of the input are for the formats that heed them" {
    for command in "info rec.txt" "episodes rec.txt -d 0:5s -s 2" "count rec.txt -e list.txt" \
        "patterns rec.txt --bin 1s" "bench episodes rec.txt -d 0:5s -s 2" "bench patterns rec.txt"; do
        printf 'A (0,5s] B\n' >list.txt
        for option in time-column=a unit-column=a label-column=a select=a==b group=good unit-file=list.txt; do
            # shellcheck disable=SC2086
            "$SPIKEMINE" $command --input-format text --$option >out 2>err && return 1
            [ ! -s out ]
            [ "$(wc -l <err)" -eq 1 ]
            grep -qF -- "rec.txt: --${option%%=*} is of no use for the format text; leave it out" err
        done
        # shellcheck disable=SC2086
        refused "--input-format txet: there is no format 'txet'; did you mean text?" \
            $command --input-format txet
        # shellcheck disable=SC2086
        refused "--input-format papyrus: there is no format 'papyrus'; spikemine formats lists them" \
            $command --input-format papyrus
    done
    "$SPIKEMINE" info rec.txt --input-format text | grep -q '^events	9$'
    # The file of units is an input.
    for command in "episodes rec.txt -d 0:5s -s 2" "count rec.txt -e list.txt" "patterns rec.txt --bin 1s"; do
        cp list.txt ids
        # shellcheck disable=SC2086
        refused "ids" $command --unit-file ids -o ids --force
        cmp list.txt ids
    done
}

@test "formats are listed" {
    "$SPIKEMINE" formats >out
    head -n 1 out | grep -qx "format	reads	writes	available	endings	options	what"
    grep -q "^text	yes	[a-z]*	yes	.txt .csv .tsv .dat	--columns --time-unit	" out
    [ "$(awk -F '\t' 'NF != 7' out | wc -l)" -eq 0 ]
    "$SPIKEMINE" formats --format json >json
    type -p python3 >/dev/null || skip "needs python3"
    python3 - <<'END'
import json
rows = [line.rstrip("\n").split("\t") for line in open("out")][1:]
formats = json.load(open("json"))["formats"]
assert [f["name"] for f in formats] == [row[0] for row in rows]
for f, row in zip(formats, rows):
    assert ["yes" if f[key] else "no" for key in ("reads", "writes", "available")] == row[1:4]
    assert " ".join(f["endings"]) == row[4] and " ".join(f["options"]) == row[5]
    assert (f["reason"] == "") == f["available"] and f["summary"] in row[6]
END
}

@test "other numbers, sizes" {
    for number in -0.5 +0.5 ' 0.5' 0x1 nan inf 0.5s . ''; do
        refused "--strength $number: must be a number from 0 to 1" simulate sym26 --strength "$number"
    done
    "$SPIKEMINE" simulate sym26 --strength 5e-1 --duration 1s >a
    "$SPIKEMINE" simulate sym26 --strength .5 --duration 1s | cmp - a
    for size in 0 0.5 -1 +1M 1e9 0x1G 1Q G '' 0.0001k 99999999999999999999 1e99G; do
        refused "--max-memory $size: must be a size" episodes rec.txt --max-memory "$size"
    done
    for size in 1000000 1M 0.5G 1.5GiB 2TB; do
        "$SPIKEMINE" episodes rec.txt -d 0:5s -s 2 -q --max-memory "$size" >out
    done
}

@test "supports are counts or shares, never guessed" {
    job="episodes none.txt -d 0:5s -s"
    refused "write 1 for a count, 1% or 100% for a share of the events" $job 1.0
    refused "write 0.5% or 50% for a share" $job 0.5
    refused "write 250 for a count" $job 250.0
    refused "is over 100%" $job 100.5%
    refused "must be positive" $job 0%
    refused "must be positive" $job 0
    for support in +5 -5 ' 5' 1e2 5%% % '' '5 %' 99999999999999999999; do
        refused "support '$support'" $job "$support"
    done
    "$SPIKEMINE" episodes rec.txt -d 0:5s -s 100% -q | diff - <(printf 'size\tcount\tepisode\n')
    "$SPIKEMINE" episodes rec.txt -d 0:5s -s 33.4% -q | diff - <(printf 'size\tcount\tepisode\n1\t4\tA\n')
}

@test "mistyped words are recognised" {
    refused "unknown command 'episode'; did you mean episodes?" episode rec.txt
    refused "unknown command 'hepl'; did you mean help?" hepl
    refused "unknown command 'pattrens'; did you mean patterns?" help pattrens
    refused "did you mean sym26?" simulate sim26
    refused "unknown option --suport; did you mean --support?" episodes rec.txt --suport 2
    refused "unknown option --suport=2; did you mean --support?" \
        patterns rec.txt --suport=2
    refused "unknown option --occ; did you mean --occurrences?" episodes rec.txt --occ x
    refused "unknown option --verison; did you mean --version?" info --verison
    refused "must be one of text|json; did you mean json?" info rec.txt --format jsn
    refused "there is no engine 'swep' for episodes; did you mean sweep?" episodes rec.txt --engine swep
    refused "there is no engine 'bitmaps' for patterns; did you mean bitmap?" patterns rec.txt --engine bitmaps
    refused "zhs: must be one of bash|zsh|fish; did you mean zsh?" completion zhs
    refused "there is no engine 'sweep' for patterns" patterns rec.txt --engine sweep
    # What is near to nothing gets no suggestion.
    for job in "xyzzy" "episodes --xyzzy" "episodes -x" "info --format yaml"; do
        # shellcheck disable=SC2086
        refused "" $job
        absent 'did you mean' err
    done
    refused "-q stands where a command is expected" -q info rec.txt
}

# Every command with a quick job: the command, a colon, its arguments.
jobs() {
    cat <<'END'
info: info guess.txt
episodes: episodes guess.txt -d 0:5s -d 0:5s -s 1
patterns: patterns guess.txt --bin 1s --window 3
explore: explore guess.txt --time 2s --html explored.html --force
sequences: sequences guess.txt --jitter 2s --longest-lag 4s --surrogates 19
count: count guess.txt -e list.txt
plan episodes: plan episodes guess.txt -d 0:5s -s 1 --measure 200ms
plan patterns: plan patterns guess.txt --bin 1s --window 3 --measure 200ms
live: live rec.txt --speed max -d 0:5s -s 1 --partition 10s --step 5s
watch: watch rec.txt --speed max -e list.txt
merge: merge all.spk
surrogates: surrogates guess.txt --dither 1s -o made --force
formats: formats
convert: convert guess.txt -
sample: sample -
engines: engines
simulate sym26: simulate sym26 --duration 2s
simulate network: simulate network --duration 2s
simulate probe: simulate probe --duration 20s
simulate culture: simulate culture --events 2000
bench episodes: bench episodes guess.txt -d 0:5s -s 1 --runs 1 --engines sweep
bench patterns: bench patterns guess.txt --bin 1s --window 3 --runs 1 --jobs 2,2
completion: completion fish
help: help
END
}

commands() {
    "$SPIKEMINE" --help --verbose | sed -n '/^commands:/,/^$/s/^  \([a-z0-9 ]*[a-z0-9]\)  .*/\1/p'
}

@test "every command is quiet with -q, tells more with -v, knows its version" {
    printf '5 (0,5s] 6\n' >list.txt
    printf '# spikemine maxima 1\n# version: 0\n# spectrum: 2d\n# surrogates: 1\n# shard: 1/1\n# done: 1\n' >all.spk
    printf 'surrogate\tsize\tduration\tcount\n1\t2\t0\t9\n' >>all.spk
    printf '# sha256: %s\n' "$(sha256sum <all.spk | cut -d ' ' -f 1)" >>all.spk
    while read -r command; do
        # shellcheck disable=SC2086
        "$SPIKEMINE" $command -V | grep -qx 'spikemine [0-9].*'
        # shellcheck disable=SC2086
        "$SPIKEMINE" $command --version | grep -qx 'spikemine [0-9].*'
        case $command in
        simulate | bench | plan | tune) continue ;; # have kinds; needs a GPU
        esac
        arguments=$(jobs | sed -n "s/^$command: //p")
        [ -n "$arguments" ] || {
            echo "no job for $command"
            return 1
        }
        # shellcheck disable=SC2086
        "$SPIKEMINE" $arguments -q >quiet.out 2>quiet.err
        # shellcheck disable=SC2086
        "$SPIKEMINE" $arguments >usual.out 2>usual.err
        # shellcheck disable=SC2086
        "$SPIKEMINE" $arguments -v >verbose.out 2>verbose.err
        [ ! -s quiet.err ]
        case $command in
        bench* | live | watch | plan*) ;; # times differ
        help) cmp quiet.out usual.out ;;
        *) cmp quiet.out usual.out; cmp verbose.out usual.out ;;
        esac
        case $arguments in
        *guess.txt*)
            grep -q '^note: guess.txt: columns guessed' usual.err
            grep -q 'guess.txt: 2 units, 4 events from 1 s to 5 s, read in ' verbose.err
            absent 'read in' usual.err
            ;;
        esac
    done < <(commands)
    "$SPIKEMINE" -V | cmp - <("$SPIKEMINE" --version)
    refused "contradict each other" info rec.txt -q -v
}

@test "-v tells each size as it ends, and where the time went" {
    "$SPIKEMINE" episodes rec.txt -d 0:inf -s 2 -v 2>err >out
    grep -q '^size 1: 3 candidates, 3 frequent' err
    grep -q '^size 2: 9 candidates.* 3 frequent' err
    grep -q '^opening .* s, candidates .* s, .*counting .* s$' err
    grep -q '^7 frequent episodes' err
    echo 'A (0,5s] B' | "$SPIKEMINE" count rec.txt -e - -v 2>err >out
    grep -q '^1 episode counted in .* s by engine ' err
}

@test "-v tells what simulate writes and how patterns cuts" {
    "$SPIKEMINE" simulate sym26 --duration 2s -v -o sym.txt 2>err
    grep -q '^26 units, [0-9]* events go to sym.txt$' err
    "$SPIKEMINE" patterns rec.txt --bin 1s --window 2 -v 2>err >out
    grep -q '^9 windows of 2 bins with a spike, 3 units$' err
}

@test "a list of commands begins with what is used first, and has each once" {
    "$SPIKEMINE" --help >short
    [ "$(sed -n '/^commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p' short | head -n 5 | xargs)" = "explore sample info episodes sequences" ]
    [ -z "$(sed -n '/^commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p' short | sort | uniq -d)" ]
    "$SPIKEMINE" help -v | grep -q "^  simulate sym26 "
}

@test "help of every command, in every way to ask" {
    while read -r command; do
        # shellcheck disable=SC2086
        "$SPIKEMINE" $command --help >expected
        grep -q "^usage: spikemine $command" expected
        grep -q -- '-q, --quiet' expected
        # shellcheck disable=SC2086
        for way in "$command -h" "help $command" "--help $command" "-h $command" \
            "$command --nothing-like-this --help"; do
            case $way in
            *nothing*) refused "unknown option --nothing-like-this" $way ;;
            *) "$SPIKEMINE" $way | cmp - expected ;;
            esac
        done
    done < <(commands)
    "$SPIKEMINE" help | cmp - <("$SPIKEMINE" --help)
    "$SPIKEMINE" help | grep -qx 'Exit status: 0 done, 1 failed, 2 wrong usage, 128 + N ended by signal N.'
    "$SPIKEMINE" help --man | grep -q '^0 done, 1 failed, 2 wrong usage, 128 + N ended by signal N'
    refused "has no kind 'sym'" help simulate sym
    refused "has no kinds, hence no 'x'" help episodes x
}

@test "GPUs are no subject where there is none, unless asked for" {
    "$SPIKEMINE" help --man >man
    for option in gpus compaction; do
        grep -q "^\.B .*$option" <(tr -d '\\' <man)
        "$SPIKEMINE" episodes --help --verbose | grep -q -- "--$option"
        "$SPIKEMINE" help -v count | grep -q -- "--$option"
    done
    "$SPIKEMINE" --help -v | grep -q '^  tune '
    "$SPIKEMINE" bench --help -v | grep -q spikemine-bench-gpu
    refused "spikemine-bench-gpu" bench gpu
    "$SPIKEMINE" engines | grep -q cuda
    if [ -e /dev/nvidiactl ] || [ -e /dev/nvidia0 ] || [ -e /dev/dxg ]; then
        "$SPIKEMINE" episodes --help | grep -q -- --gpus
        skip "the rest is for machines without a GPU"
    fi
    printf 'A (0,5s] B\n' >list.txt
    {
        "$SPIKEMINE" --help
        for command in info explore episodes patterns count simulate "simulate sym26" "simulate network" "simulate probe" \
            "simulate culture" bench "bench episodes" "bench patterns" completion help; do
            # shellcheck disable=SC2086
            "$SPIKEMINE" $command --help
        done
        "$SPIKEMINE" episodes rec.txt -d 0:5s -s 1 -v
        awk 'BEGIN { for (i = 0; i < 300000; i++) print i / 1000, i % 3000 }' >large.txt
        "$SPIKEMINE" episodes large.txt --columns time,unit -d 0:1ms -s 101 -v
        "$SPIKEMINE" count rec.txt -e list.txt -v
        "$SPIKEMINE" patterns rec.txt --bin 1s -v
        "$SPIKEMINE" bench 2>&1 || true
        "$SPIKEMINE" simulate sym26 --duration 2s -v -o sym26.txt
    } >said 2>&1
    [ "$(wc -l <said)" -gt 100 ]
    absent '[Gg][Pp][Uu]\|[Cc][Uu][Dd][Aa]' said
    # No driver is looked for.
    if command -v strace >/dev/null; then
        # The search for leaks does not work under strace.
        ASAN_OPTIONS=detect_leaks=0 strace -f -o calls "$SPIKEMINE" episodes --help >out
        absent 'libcuda' calls
    fi
}
