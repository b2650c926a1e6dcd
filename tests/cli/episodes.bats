#!/usr/bin/env bats
# The commands episodes, count and engines: what they print, what they write, how they fail.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # The worked example of docs/explanation/semantics.md, in seconds.
    printf '%s\n' "time unit" "1 A" "2 A" "5 B" "8 B" "10 A" "13 A" "15 C" "18 B" "20 C" >example.txt
    macaque=$SOURCE_DIR/data/movement_PGHF.spikes.txt
    # Sanitized builds are ten times slower: fewer candidates for the slow engines.
    support=100 slow=250
    [ "${SPIKEMINE_TEST_SCALE:-1}" = 1 ] || support=250 slow=300
}

teardown() {
    cd /
    rm -rf "$folder"
}

# fails STATUS TEXT COMMAND...: one line on standard error, nothing on standard output.
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

@test "the worked example" {
    echo 'A (5s,10s] B (10s,15s] C' | "$SPIKEMINE" count example.txt -e - >out
    diff out - <<END
size	count	episode
3	1	A (5s,10s] B (10s,15s] C
END
    "$SPIKEMINE" episodes example.txt -d 0:inf -s 2 -q >out
    diff out - <<END
size	count	episode
1	4	A
1	3	B
1	2	C
2	2	A (0,inf] A
2	2	A (0,inf] B
2	2	B (0,inf] C
3	2	A (0,inf] A (0,inf] B
END
}

@test "occurrences have start, end and event times" {
    echo 'A (5s,10s] B (10s,15s] C' |
        "$SPIKEMINE" count example.txt -e - -o /dev/null --occurrences occ.tsv
    diff occ.tsv - <<END
episode	occurrence	start_s	end_s	times_s
A (5s,10s] B (10s,15s] C	1	2	20	2,8,20
END
}

@test "occurrences tell their segment and the time in it" {
    printf '# spikemine segment %s\n' "0s 12s" "12.5s 25s" >cut.txt
    cat example.txt >>cut.txt
    echo 'A (0,8s] B' | "$SPIKEMINE" count cut.txt -e - -o /dev/null --occurrences occ.tsv
    diff occ.tsv - <<END
episode	occurrence	segment	start_s	end_s	times_s	within_s	trial
A (0,8s] B	1	1	2	5	2,5	2	1
A (0,8s] B	2	2	13	18	13,18	0.5	2
END
}

@test "every engine and any number of threads and passes give the same bytes" {
    for s in $support $slow; do
        "$SPIKEMINE" episodes "$macaque" -d 0:10ms -d 10ms:20ms -s $s -q --columns time,unit >expected-$s
        [ "$(wc -l <expected-$s)" -gt 50 ]
    done
    for engine in $("$SPIKEMINE" engines --names); do
        s=$support
        case $engine in reference | fsm) s=$slow ;; esac # with all candidates they take half a minute
        for passes in on off; do
            for threads in 1 2; do
                [ "$engine" = reference ] && [ $threads = 1 ] && continue
                "$SPIKEMINE" episodes "$macaque" -d 0:10ms -d 10ms:20ms -s $s -q \
                    --columns time,unit --engine "$engine" --two-pass $passes --threads $threads >got
                cmp expected-$s got
            done
        done
    done
}

@test "what episodes writes, count reads back to the same table" {
    "$SPIKEMINE" episodes "$macaque" -d 0:10ms -s 200 -q --columns time,unit -o table.tsv
    "$SPIKEMINE" count "$macaque" --columns time,unit -e table.tsv -o again.tsv
    cmp table.tsv again.tsv
    "$SPIKEMINE" count "$macaque" --columns time,unit -e table.tsv --max-memory 1M \
        --engine fsm -o again.tsv --force
    cmp table.tsv again.tsv
}

@test "JSON is valid, says the same and where it comes from" {
    "$SPIKEMINE" episodes "$macaque" -d 0:10ms -s 200 -q --columns time,unit -o table.tsv
    "$SPIKEMINE" episodes "$macaque" -d 0:10ms -s 200 -q --columns time,unit --format json -o t.json
    sum=$(sha256sum "$macaque" | cut -d ' ' -f 1)
    python3 - "$sum" <<'END'
import json, sys
result = json.load(open("t.json"))
rows = [line.rstrip("\n").split("\t") for line in open("table.tsv")][1:]
assert result["complete"] is True
assert len(rows) == len(result["episodes"])
for row, episode in zip(rows, result["episodes"]):
    text = episode["units"][0]
    for unit, delay in zip(episode["units"][1:], episode["delays"]):
        text += " " + result["delays"][delay] + " " + unit
    assert row == [str(episode["size"]), str(episode["count"]), text]
p = result["provenance"]
assert p["engine"] == "sweep" and p["threshold"] == 200 and p["events"] == 31262
assert p["input_sha256"] == sys.argv[1]
assert [level["frequent"] for level in p["levels"]][0] == sum(r[0] == "1" for r in rows)
END
}

@test "labels with blanks survive the round trip" {
    printf '1,"left hand"\n2,x\n3,"left hand"\n4,x\n' >labels.csv
    "$SPIKEMINE" episodes labels.csv -d 0:5s -s 2 -q -o t.tsv
    grep -qxF '2	2	"left hand" (0,5s] x' t.tsv
    "$SPIKEMINE" count labels.csv -e t.tsv | cmp - t.tsv
}

@test "a picture in all three formats" {
    if ! "$SPIKEMINE" episodes example.txt -d 0:5s -s 1 -o /dev/null --figure first.png 2>err; then
        fails 1 "--figure fig.png: this build has no cairo; install" episodes example.txt -d 0:5s \
            -s 1 --figure fig.png
        return
    fi
    for kind in png svg pdf; do
        "$SPIKEMINE" episodes "$macaque" -d 0:10ms -s 200 -q --columns time,unit -o /dev/null \
            --figure fig.$kind
        [ -s fig.$kind ]
    done
    fails 1 "nofolder/fig.png: cannot write" episodes example.txt -d 0:5s -s 1 -o table.tsv \
        --figure nofolder/fig.png
    [ ! -e table.tsv ]
    fails 2 "must end in .png, .svg or .pdf" episodes example.txt -d 0:5s -s 1 --figure fig.gif
}

@test "figures have a size, a range, examples and panels" {
    "$SPIKEMINE" episodes example.txt -d 0:5s -s 1 -q -o /dev/null --figure fig.svg 2>err ||
        skip "this build draws no figures"
    grep -q 'width="180mm"' fig.svg
    grep -q '>Unit</text>' fig.svg
    lacks() {
        ! grep -q "$1" fig.svg || false
    }
    draw() {
        "$SPIKEMINE" episodes "$macaque" -d 0:10ms -s 200 -q --columns time,unit -o /dev/null \
            --figure fig.svg --force "$@"
    }
    draw --figure-size 88mm
    grep -q 'width="88mm"' fig.svg
    draw --figure-size 20x22cm --font-size 8pt
    grep -q 'width="200mm" height="220mm"' fig.svg
    grep -q 'font-size="8"' fig.svg
    draw --figure-range 12s:12.5s --panels a --figure-top 1
    grep -q '>Time (s)</text>' fig.svg
    grep -q '>12.1[0]*</text>' fig.svg
    lacks '>1[1345]\.'
    lacks '>b</text>'
    grep -q '>1</text>' fig.svg
    lacks '>2</text>'
    draw --panels a,c
    grep -q '>b</text>' fig.svg # panels are lettered as they stand
    lacks '>c</text>'
    for wrong in "--figure-size 180" "--figure-size x90mm" "--figure-size 20mm" "--font-size 7" \
        "--font-size 1pt" "--dpi 0" "--figure-range 5s" "--figure-range 2s:1s" \
        "--figure-range 9999s:" "--figure-top 8" "--panels d" "--panels a,," "--figure-size 180x20mm"; do
        read -r option value <<<"$wrong"
        fails 2 "" episodes "$macaque" -d 0:10ms -s 200 --columns time,unit -o table.tsv \
            --figure wrong.svg "$option" "$value"
        [ ! -e table.tsv ]
        [ ! -e wrong.svg ]
    done
    # count draws the list as it stands.
    printf '%s\n' "9 (0,5ms] 36" "9 (0,5ms] 36 (0,5ms] 47" "3 (0,5ms] 4 (0,5ms] 5 (0,5ms] 6" >list.txt
    "$SPIKEMINE" count "$macaque" --columns time,unit -e list.txt -o out.tsv --figure list.svg
    grep -q "^1: $(sed -n 2p out.tsv | cut -f 2) occurrences of 9 (0,5ms\] 36\$" list.svg
    grep -q '>0 occurrences</text>' list.svg
    for option in "--panels a" "--figure-top 3" "--dpi 600" "--font-size 7pt" "--figure-size 88mm"; do
        fails 2 "${option% *} needs --figure FILE; add it" episodes example.txt -d 0:5s -s 1 $option
    done
    fails 2 "--dpi is for figures of pixels" episodes example.txt -d 0:5s -s 1 --dpi 600 -o t.tsv --figure f.svg
    fails 2 "--seed needs --test exact, --support auto, --compare FILE or --compare-trials FILE" \
        episodes example.txt -d 0:5s -s 1 --seed 3
}

@test "without cairo everything but figures works" {
    command=$("$SPIKEMINE" episodes example.txt -d 0:5s -s 1 -q --figure have.svg -o /dev/null 2>&1) || skip "$command"
    mkdir libraries
    ln -s "$(readlink -f /bin/sh)" libraries/libcairo.so.2 # no such library is here
    LD_LIBRARY_PATH=$PWD/libraries "$SPIKEMINE" episodes example.txt -d 0:5s -s 1 -q | grep -q '^size'
    export LD_LIBRARY_PATH=$PWD/libraries
    fails 1 "the cairo library" episodes example.txt -d 0:5s -s 1 --figure none.svg
    [ ! -e none.svg ]
}

@test "a reader that went away is no error" {
    "$SPIKEMINE" episodes "$macaque" -d 0:10ms -d 10ms:20ms -s 50 -q --columns time,unit | head -n 1
    [ "${PIPESTATUS[0]}" -eq 0 ]
}

@test "wrong usage" {
    fails 2 "no --delay" episodes example.txt -s 2
    fails 2 "no --support" episodes example.txt -d 0:5s
    fails 2 "is empty" episodes example.txt -d 5ms:5ms -s 2
    fails 2 "has no unit" episodes example.txt -d 5:10 -s 2
    fails 2 "must be positive" episodes example.txt -d 0:5s -s 0
    fails 2 "write a count such as" episodes example.txt -d 0:5s -s few
    fails 2 "there is no engine 'warp'" episodes example.txt -d 0:5s -s 1 --engine warp -o out.tsv
    [ ! -e out.tsv ]
    fails 2 "unknown option --suport" episodes example.txt --suport 2
    fails 2 "must be one of auto|on|off" episodes example.txt --two-pass maybe
    fails 2 "must be a whole number from 1 to 64" episodes example.txt --max-size 0
    fails 2 "must be a whole number from 1 to 1024, or all" episodes example.txt -d 0:5s -s 1 --gpus few
    fails 2 "engine 'sweep' runs on processors" episodes example.txt -d 0:5s -s 1 --engine sweep --gpus 2 -o out.tsv
    fails 2 "must be one of scan|flag|atomic" count example.txt --compaction none
    fails 2 "must be a size" episodes example.txt --max-memory lots
    fails 2 "needs REC" episodes
    fails 2 "unexpected argument 'b.txt'" episodes example.txt b.txt
    fails 2 "unknown command 'episode'" episode example.txt
    fails 2 "no --episodes" count example.txt
}

@test "without a GPU its engines say so, and nothing else is in the way" {
    "$SPIKEMINE" engines >engines.tsv
    [ "$(grep -c "^episodes.cuda-" engines.tsv)" -ge 4 ]
    grep -q "^gpu" engines.tsv && skip "there is a GPU"
    [ "$(grep "^episodes.cuda-" engines.tsv | grep -c "not available: .")" -ge 4 ]
    for engine in $(sed -n "s/^episodes.\(cuda-[a-z]*\).*/\1/p" engines.tsv); do
        fails 1 "engine '$engine'" episodes example.txt -d 0:5s -s 1 --engine "$engine" -o out.tsv
    done
    fails 1 "engine 'cuda-sweep'" episodes example.txt -d 0:5s -s 1 --gpus all -o out.tsv
    fails 1 "GPU" tune
    fails 1 "GPU" calibrate # as it was called once
    [ ! -e out.tsv ]
}

@test "auto says what it took and why" {
    "$SPIKEMINE" episodes example.txt -d 0:5s -s 1 -o out.tsv 2>note
    grep -q "by engine sweep, .*; auto took the fastest engine for a job of this size" note
    "$SPIKEMINE" episodes example.txt -d 0:5s -s 1 --engine fsm -o out.tsv --force 2>note
    ! grep -q auto note || false
}

@test "failures leave no file" {
    fails 1 "cannot open" episodes none.txt -d 0:5s -s 1 -o out.tsv
    [ -z "$(ls out.tsv* 2>/dev/null)" ]
    fails 1 "choose another place" episodes example.txt -d 0:5s -s 1 -o nowhere/out.tsv
    fails 1 "'A -> B': expected a delay interval such as (5ms,10ms] at '-> B', in place of the arrow" count example.txt -e 'A -> B' -o out.tsv
    fails 1 "'A->B': expected a delay interval such as (5ms,10ms] at '->B', in place of the arrow" count example.txt -e 'A->B' -o out.tsv
    fails 1 "a quote is not closed" count example.txt -e <(echo 'A (0,5s] "Z') -o out.tsv
    fails 1 "is the disk full" episodes example.txt -d 0:5s -s 1 -q -o /dev/full
}

@test "an interrupted run keeps what is complete, under another name" {
    "$SPIKEMINE" simulate network --seed 1 --units 40 --rate 20 -o big.txt 2>/dev/null ||
        awk 'BEGIN { srand(1); for (i = 0; i < 60000; i++) printf "%.5f %d\n", i / 1000, rand() * 40 }' >big.txt
    "$SPIKEMINE" episodes big.txt --columns time,unit -d 0:50ms -s 20 --engine reference --threads 1 \
        -o out.tsv 2>err &
    pid=$!
    sleep 2
    kill -TERM $pid # the shell makes what runs beside it ignore INT
    status=0
    wait $pid || status=$?
    [ $status -eq 143 ]
    [ ! -e out.tsv ]
    tail -n 1 out.tsv.incomplete | grep -q '^# incomplete: interrupted'
    head -n 1 out.tsv.incomplete | grep -q '^size'
    grep -q interrupted err
}

@test "help teaches, the man page is well-formed" {
    for command in episodes count engines info "bench episodes"; do
        # shellcheck disable=SC2086
        "$SPIKEMINE" $command --help >out
        grep -q "^usage: spikemine $command" out
        grep -q "^examples:" out
    done
    "$SPIKEMINE" help --man >page.1
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W error page.1
    fi
    "$SPIKEMINE" --version | grep -q '^spikemine [0-9]'
}

@test "--divide changes nothing for one process, and is refused where it cannot be" {
    "$SPIKEMINE" episodes example.txt -d 5s:10s -s 1 >whole
    for divide in auto candidates time; do
        "$SPIKEMINE" episodes example.txt -d 5s:10s -s 1 --divide $divide | diff - whole
        cut -f 3 whole | "$SPIKEMINE" count example.txt -e - --divide $divide | diff - whole
    done
    fails 2 '--divide time cannot go with --test exact' \
        episodes example.txt -d 5s:10s -s 1 --divide time --test exact
    fails 2 '--divide time cannot go with --compare' \
        episodes example.txt -d 5s:10s -s 1 --divide time --compare example.txt
}
