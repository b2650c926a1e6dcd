#!/usr/bin/env bats
# spikemine patterns: tables, spectrum, occurrences and trials on a few spikes; refusals; threads.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # a at 0, b 10 ms later, c 20 ms later; three times, 100 ms apart; d fires alone.
    for start in 0 100 200; do
        printf '%s\n' "0.$(printf %03d $start) a" "0.$(printf %03d $((start + 10))) b" \
            "0.$(printf %03d $((start + 20))) c"
    done >rec.txt
    echo '0.260 d' >>rec.txt
}

teardown() {
    cd /
    rm -rf "$folder"
}

mine() {
    case $* in
    *--support* | *-s\ *) ;;
    *) set -- --support 3 "$@" ;;
    esac
    "$SPIKEMINE" patterns rec.txt --columns time,unit --bin 5ms --window 6 "$@"
}

# fails STATUS TEXT ARGUMENT...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" patterns "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

@test "a sequence that is there three times, without the views of later windows" {
    mine >out
    printf 'spikes\toccurrences\tneurons\tduration\tpattern\n3\t3\t3\t4\ta@0 b@2 c@4\n' >expected
    diff expected out
    mine --moving-window-filter off | sort >out
    printf '%s\n' '2	3	2	2	b@0 c@2' '3	3	3	4	a@0 b@2 c@4' \
        'spikes	occurrences	neurons	duration	pattern' | diff - out
}

@test "a support is called --support; another name is accepted and told nowhere" {
    mine -s 3 >wanted
    "$SPIKEMINE" patterns rec.txt --columns time,unit --bin 5ms --window 6 --min-occurrences 3 | cmp - wanted
    "$SPIKEMINE" episodes rec.txt --columns time,unit --delay 5ms:15ms --support 3 >wanted
    "$SPIKEMINE" episodes rec.txt --columns time,unit --delay 5ms:15ms --min-occurrences=3 | cmp - wanted
    fails 2 "--support-time needs --support auto" rec.txt --bin 5ms --auto-time 3s
    for command in episodes patterns; do
        "$SPIKEMINE" $command --help >help
        grep -q -- "-s, --support " help
        if grep -q -e "--min-occurrences" -e "--auto-time" help; then
            return 1
        fi
    done
}

@test "every engine and any number of threads, the same table" {
    mine --moving-window-filter off --support 1 | sort >one
    for engine in $("$SPIKEMINE" engines | awk -F '\t' '$1 == "patterns" && $3 == "yes" { print $2 }'); do
        mine --moving-window-filter off --support 1 --engine $engine --threads 3 | sort |
            diff one -
    done
}

@test "patterns as they are found are the same lines" {
    mine --support 1 --min-spikes 1 --moving-window-filter off --threads 1 >ordered.tsv
    mine --support 1 --min-spikes 1 --moving-window-filter off --threads 2 --unordered -o found.tsv
    [ "$(wc -l <found.tsv)" -gt 3 ]
    [ "$(head -n 1 found.tsv)" = "$(head -n 1 ordered.tsv)" ]
    [ "$(sort found.tsv)" = "$(sort ordered.tsv)" ]
    mine --support 1 --threads 1 >ordered.tsv
    mine --support 1 --threads 2 --unordered -o found.tsv --force
    [ "$(sort found.tsv)" = "$(sort ordered.tsv)" ]
    set -- rec.txt --columns time,unit --bin 5ms --window 6 --support 3 --unordered
    fails 2 'moving-window step here, which needs all' "$@" --engine fpgrowth
    fails 2 '--unordered cannot go with --spectrum 2d' "$@" --spectrum 2d
    fails 2 'cannot go with --surrogates' "$@" --surrogates 9
    fails 2 'cannot go with --top' "$@" --top 3
    fails 2 'cannot go with --figure' "$@" --figure a.png
    fails 2 'cannot go with --html' "$@" --html a.html
}

@test "occurrences with trial, bin and time" {
    mine --occurrences where.tsv -o table.tsv
    printf 'pattern\ttrial\tbin\ttime_s\na@0 b@2 c@4\t1\t0\t0\na@0 b@2 c@4\t1\t20\t0.1\na@0 b@2 c@4\t1\t40\t0.2\n' |
        diff - where.tsv
    [ -z "$(find . -name '*.tmp')" ]
}

@test "without --window a note tells that this is synchrony, and what to write" {
    note() { "$SPIKEMINE" patterns rec.txt --columns time,unit -o out --force "$@" 2>&1 | grep "which is synchrony" || true; }
    [[ "$(note --bin 5ms)" == *": --window 20 finds patterns with lags of up to 19 bins, too" ]]
    [[ "$(note --bin 20ms)" == *": --window 5 finds patterns with lags of up to 4 bins, too" ]]
    [ -z "$(note --bin 5ms --window 1)$(note --bin 5ms --window 3)" ]
}

@test "windows end with their trial" {
    printf '# one a line\n0 0.015\n100ms 115ms\n0.2s, 0.215s\n' >trials
    mine --trials trials | tail -n +2 >out
    printf '2\t3\t2\t2\ta@0 b@2\n' | diff - out
    echo '0.3 0.1' >trials
    fails 1 "trials:1: the segment stops before it starts" rec.txt --bin 5ms --trials trials
    fails 1 "--trials nowhere: there is no such file" rec.txt --bin 5ms --trials nowhere
    { printf '#%0300d\n' 0; echo '7 8'; } >trials # a long comment is one line
    mine --trials trials 2>err | tail -n +2 >out
    [ ! -s out ]
    grep -qF "no spike lies in the trials" err
}

@test "spectrum and JSON" {
    mine --spectrum 3d >out
    printf 'spikes\toccurrences\tduration\tpatterns\n3\t3\t4\t1\n' | diff - out
    mine --format json >out
    grep -qF '{"spikes":3,"occurrences":3,"neurons":3,"duration":4,"pattern":[["a",0],["b",2],["c",4]]}' out
    for out in out spectrum; do
        [ $out = out ] || mine --format json --spectrum 2d >spectrum
        grep -qF '"engine": "bitmap"' $out
        grep -qF '"input": "rec.txt"' $out
        grep -qF '"threshold": 3' $out
    done
}

@test "transactions" {
    printf '0 3\n0 3\n\n0 3 5\n' >windows
    "$SPIKEMINE" patterns windows --input-format transactions --window 3 >out
    printf 'spikes\toccurrences\tneurons\tduration\tpattern\n2\t3\t2\t0\t0@0 1@0\n' | diff - out
    echo '0 -3' >windows
    fails 1 "windows:1: item -3 is negative" windows --input-format transactions --window 3
    : >windows
    fails 1 "windows: is empty" windows --input-format transactions --window 3
    echo '0 6' >windows
    fails 1 "windows:1: item 6 is outside 2 units x 3 bins" windows --input-format transactions --window 3 \
        --n-units 2
    echo '0 1.5' >windows
    fails 1 "windows:1: '1.5' is not a whole number" windows --input-format transactions --window 3
    fails 1 "nowhere: cannot open: No such file" nowhere --input-format transactions
    fails 1 "take fewer units or a shorter window" windows --input-format transactions --window 65535 \
        --n-units 70000
}

@test "auto tells what it chose" {
    mine --support auto --auto-by published 2>err >out
    grep -qF "smallest number of occurrences by number of spikes: 10 for 2 and more" err
    [ "$(wc -l <out)" -eq 1 ]
    mine --support auto --auto-by published --auto-floor 3 2>err >out
    grep -qE "number of spikes: [3-9] for 2" err
    [ "$(wc -l <out)" -eq 2 ]
    # the published supports, told before a search that would take minutes
    timeout 20 "$SPIKEMINE" patterns "$SOURCE_DIR/data/movement_PGHF.spikes.txt" --columns time,unit --bin 5ms \
        --window 20 --support auto --auto-by published --auto-bins 4464 --min-neurons 12 --min-spikes 12 --spectrum 2d \
        --engine bitmap --max-memory 40M 2>err >out || :
    grep -qF "86 for 2, 25 for 3, 12 for 4, 10 for 5 and more" err
    fails 2 "--auto-alpha 0" rec.txt --bin 5ms --auto-alpha 0
    fails 2 "--auto-rate-percentile" rec.txt --bin 5ms --auto-rate-percentile 1.5
}

@test "wrong usage" {
    fails 2 "give the width of a bin" rec.txt --window 3
    fails 2 "--window 0" rec.txt --bin 5ms --window 0
    fails 2 "must be a whole number from 1 to 65535" rec.txt --bin 5ms --window 65536
    for number in -1 1.5 +3 ' 3' 3x ''; do # told before the file is looked for
        fails 2 "must be a whole number from 1 to 4294967294, or auto" nowhere --bin 5ms \
            --support "$number"
    done
    fails 2 "--min-spikes 0" rec.txt --bin 5ms --min-spikes 0
    fails 2 "--min-neurons 0" rec.txt --bin 5ms --min-neurons 0
    fails 2 "--support 0" rec.txt --bin 5ms --support 0
    fails 2 "bin width must be above 0" rec.txt --bin 0ms --columns time,unit
    fails 2 "there is no engine 'none' for patterns" rec.txt --bin 5ms --engine none --columns time,unit
    fails 2 "at most 2 spikes and at least 3" rec.txt --bin 5ms --columns time,unit --min-spikes 3 \
        --max-spikes 2
}

@test "a reader that has seen enough is no error" {
    mine --support 1 --moving-window-filter off --min-spikes 1 | head -n 1 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 0 ]
}

@test "a memory limit that is too small is refused, nothing is left behind" {
    # 12 units, 12 windows, each without one of them: all sets of units are closed patterns
    awk 'BEGIN { for (w = 0; w < 12; w++) for (u = 0; u < 12; u++) if (u != w) print w / 10, "u" u }' >sets.txt
    fails 1 "more than the memory limit" sets.txt --columns time,unit --bin 5ms --window 6 \
        --max-memory 60k -o table.tsv --support 1 --engine fpgrowth
    [ ! -e table.tsv ]
    [ -z "$(find . -name '*.tmp')" ]
    fails 1 "memory limit" sets.txt --columns time,unit --bin 5ms --window 6 --support 1 \
        --max-memory 60k --engine fpgrowth --moving-window-filter off
    # what streams is not collected
    "$SPIKEMINE" patterns sets.txt --columns time,unit --bin 5ms --window 6 --support 1 \
        --max-memory 60k --engine bitmap >out
    [ "$(wc -l <out)" -gt 4000 ]
}

@test "a search that is interrupted tells how far it came, and leaves nothing behind" {
    # 50 units, 50 windows, each without one of them: all sets of units are closed patterns
    for k in $(seq 0 49); do
        seq 0 49 | grep -vx "$k" | tr '\n' ' '
        echo
    done >windows
    for seconds in 0.5 3 20; do # on a busy machine mining begins late
        status=0
        timeout $seconds "$SPIKEMINE" patterns windows --input-format transactions --support 1 \
            --spectrum 2d -o out.tsv 2>err || status=$?
        [ "$status" -eq 124 ]
        if grep -qE "interrupted after [0-9]+ patterns" err; then
            break
        fi
    done
    grep -qE "interrupted after [0-9]+ patterns" err
    # two signals at once are one wish
    "$SPIKEMINE" patterns windows --input-format transactions --support 1 --spectrum 2d \
        -o out.tsv 2>err &
    sleep "$(awk -v s="$seconds" 'BEGIN { print 3 * s }')" # it may begin later than the one before
    for k in 1 2 3; do
        kill -TERM $!
        sleep 0.001
    done 2>/dev/null || :
    ! wait $! || false
    grep -qE "interrupted after [0-9]+ patterns" err
    [ ! -e out.tsv ]
    [ -z "$(find . -name '*.tmp')" ]
}

@test "compressed transactions, and JSON names their digest" {
    printf '0 1 4\n0 4\n1\n' >windows
    "$SPIKEMINE" patterns windows --input-format transactions --window 3 >expected
    "$SPIKEMINE" patterns - --input-format transactions --window 3 <windows >got
    diff expected got
    gzip -k windows
    if "$SPIKEMINE" patterns windows.gz --input-format transactions --window 3 >got 2>err; then
        diff expected got
    else
        grep -q "built without libarchive" err
    fi
    "$SPIKEMINE" patterns windows --input-format transactions --window 3 --format json >got
    grep -q "\"input_sha256\": \"$(sha256sum windows | cut -d ' ' -f 1)\"" got
}

@test "a picture in all three formats, of recordings only" {
    if mine --support 2 --figure fig.png -o table.tsv 2>err; then
        for kind in png svg pdf; do
            mine --support 2 --figure fig.$kind -o table.tsv --force
            [ -s fig.$kind ]
        done
        fails 2 "must end in .png, .svg or .pdf" rec.txt --bin 5ms --figure fig.gif
        rm table.tsv # told before any work
        fails 1 "nofolder/fig.png: cannot write" rec.txt --bin 5ms --figure nofolder/fig.png \
            -o table.tsv
        [ ! -e table.tsv ]
        mine --support 2 --figure fig.svg -o table.tsv --panels c --figure-size 80x50mm --force
        grep -q 'width="80mm" height="50mm"' fig.svg
        grep -q '>Patterns of each unit' fig.svg
        rm table.tsv
        fails 2 "letters from a to f" rec.txt --bin 5ms --figure fig.svg --panels g
        fails 2 "has no room" rec.txt --bin 5ms --figure fig.svg --figure-size 20mm
    else # a build without cairo says what is missing, before any work
        cat err
        fails 1 "--figure fig.png: this build has no cairo; install" nowhere --bin 5ms \
            --figure fig.png
        [ ! -e table.tsv ]
    fi
    fails 2 "a picture needs a recording" rec.txt --input-format transactions --figure fig.png
    fails 2 "--spectrum 2d cannot go with --figure" rec.txt --bin 5ms --spectrum 2d --figure fig.png
}

@test "all engines write the same bytes" {
    "$SPIKEMINE" simulate network --duration 20s --units 8 --chains 1 --chain-size 3 --seed 3 \
        -o network.txt -q
    for options in "--moving-window-filter off" "--min-spikes 3" "--max-spikes 3 --trials trials.txt"; do
        printf '0 7\n9 20\n' >trials.txt
        for engine in bitmap fpgrowth; do
            # shellcheck disable=SC2086
            "$SPIKEMINE" patterns network.txt --bin 5ms --window 4 --support 4 $options \
                --engine $engine -q >"of.$engine"
        done
        [ "$(wc -l <of.bitmap)" -gt 40 ]
        cmp of.bitmap of.fpgrowth
    done
}
