#!/usr/bin/env bats
# Times as users give them: bounds between the ticks, fractions, units of time, grids.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
}

teardown() {
    cd /
    rm -rf "$folder"
}

# Where the spikes of r.txt are: trial, bin and time.
where() {
    "$SPIKEMINE" patterns r.txt --columns time,unit --support 1 --min-spikes 1 \
        --occurrences where.tsv -o table.tsv --force "$@" 2>err || { cat err; return 1; }
    tail -n +2 where.tsv | sort
}

# fails STATUS TEXT COMMAND ARGUMENT...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

@test "bins are counted from exactly the start that was given" {
    printf '1.71 a\n' >r.txt
    [ "$(where --start 1.705s --bin 123456ns)" = 'a@0	1	40	1.70993824' ]
    [ "$(where --start 1.705s --bin 5ms)" = 'a@0	1	1	1.71' ]
    printf -- '-1.352 a\n0 b\n' >r.txt
    [ "$(where --start=-1.3525s --bin 2.5ms)" = 'a@0	1	0	-1.3525
b@0	1	541	0' ]
    [ "$(where --start=-4057/3000s --bin 1/3s)" = 'a@0	1	0	-1.352333333334
b@0	1	4	-0.019' ]
}

@test "zeros at the end of a number change nothing" {
    printf '0.01 a\n0.02 b\n0.05 a\n' >r.txt
    where --start 0.001s --bin 6ms --window 3 >coarse
    "$SPIKEMINE" patterns r.txt --columns time,unit --start 0.001s --bin 6ms --window 3 \
        --support auto --auto-by published 2>&1 | grep occurrences >coarse.auto
    printf '0.01000 a\n0.020 b\n0.05 a\n' >r.txt
    where --start 0.001s --bin 6ms --window 3 | diff coarse -
    "$SPIKEMINE" patterns r.txt --columns time,unit --start 0.001s --bin 6ms --window 3 \
        --support auto --auto-by published 2>&1 | grep occurrences | diff coarse.auto -
}

@test "trials between the ticks" {
    printf '0.0001 a\n0.0002 b\n0.0003 c\n0.0004 d\n' >r.txt
    printf '0.00015 0.00035\n' >trials
    [ "$(where --bin 1ms --trials trials | cut -f 1)" = 'b@0 c@0' ]
    printf '0.00021 0.00022\n0.00019 0.00021\n' >trials # shorter than a tick: none and one
    [ "$(where --bin 1ms --trials trials)" = 'b@0	2	0	0.00019' ]
}

@test "numbers of a trial file are in the recording's unit" {
    printf '100 a\n200 b\n300 c\n' >r.txt
    printf '150 250\n0.25s 0.35s\n' >trials
    [ "$(where --time-unit ms --bin 1ms --trials trials | cut -f 1-3)" = 'b@0	1	50
c@0	2	50' ]
    grep -qF 'trials: numbers without a unit are read in ms, as the recording' err
    [ "$(where --time-unit samples@1000 --bin 1ms --trials trials | cut -f 1-3)" = 'b@0	1	50
c@0	2	50' ]
    grep -qF 'trials: numbers without a unit are read in samples' err
    printf '0.15 0.25\n' >trials
    printf '0.1 a\n0.2 b\n' >r.txt
    where --bin 1ms --trials trials >out
    ! grep -q 'without a unit' err || false
    printf '0.5 1\n' >trials
    printf '1 a\n2 b\n' >r.txt
    fails 1 "trials:1: start '0.5' is no time; write 45000 (samples" patterns r.txt --bin 1ms \
        --time-unit samples@1000 --columns time,unit --trials trials
}

@test "bounds of any number of digits are read, as times are" {
    printf '100 a\n200 b\n300 c\n' >r.txt
    for stretch in '150.0000000000000000001 250.00000000000000000000000000000000000000000000000000000000000000001' \
        '1500000000000000000000000e-22 0.25000000000000000000000000000s' '0149.99999999999999999999999ms +25e1'; do
        echo "$stretch" >trials
        [ "$(where --time-unit ms --bin 1ms --trials trials | cut -f 1-3)" = 'b@0	1	50' ]
    done
    echo '-1.23456789012345678901234 250' >trials
    where --time-unit ms --bin 1ms --trials trials >out
    echo '150x 250' >trials
    fails 1 "trials:1: start '150x' is no time" patterns r.txt --bin 1ms --time-unit ms --columns time,unit --trials trials
}

@test "trials that share events are told" {
    printf '0.1 a\n0.2 b\n0.3 c\n' >r.txt
    printf '0 0.25\n0.15 0.35\n' >trials
    where --bin 1ms --trials trials >out
    grep -qF 'note: trials overlap: 1 event in more than one trial counts in each' err
    printf '0 0.2\n0.2 0.35\n' >trials
    where --bin 1ms --trials trials >out
    ! grep -q overlap err || false
}

@test "bins that 64 bits do not number are refused" {
    printf '0 a\n18446744074 b\n' >r.txt
    fails 1 'more bins than 64 bit count; take wider bins' patterns r.txt --columns time,unit --bin 1ns
}

@test "fractions of a unit wherever a duration is" {
    printf '0 a\n1 b\n2 c\n30 a\n' >r.txt
    run() { "$SPIKEMINE" episodes r.txt --columns time,unit --time-unit samples@30 -s 1 "$@"; }
    run -d 0:1/30s 2>err >out
    grep -q '^2	1	a (0,1/30s\] b$' out
    ! grep -q ' c$' <(grep '^2	1	a' out) || false
    run -d 1/30s:2/30s 2>err >out
    grep -q '^2	1	a (1/30s,2/30s\] c$' out
    "$SPIKEMINE" count r.txt --columns time,unit --time-unit samples@30 -e out 2>err | diff out -
    [ "$(where --time-unit samples@30 --bin 1/30s --start 1/30s --stop 1.0001s | cut -f 1-3)" = \
        'a@0	1	29
b@0	1	0
c@0	1	1' ]
    run -d 1/0s:1s 2>err || [ $? -eq 2 ]
    grep -qF "duration '1/0s': is not a number with a unit" err
    fails 2 '--bin 1/99999999999s: must be a duration' patterns r.txt --bin 1/99999999999s
}

@test "a header that says ms or us is believed, one that says samples asks for the rate" {
    printf 'time_ms,unit\n1000,a\n2000,b\n3000.5,a\n' >r.csv
    "$SPIKEMINE" info r.csv 2>err | grep -qx 'stop_s	3.0006'
    grep -qF "note: r.csv: times are read in ms, as the column 'time_ms' says" err
    "$SPIKEMINE" info r.csv --time-unit ms 2>err >out
    [ ! -s err ]
    fails 1 "r.csv:1: the column 'time_ms' says ms, but s was asked for; pass --time-unit ms" \
        episodes r.csv -d 0:5ms -s 2 --time-unit s
    printf 'spike_samples\tunit\n100\ta\n200\tb\n' >r.tsv
    fails 1 "r.tsv:1: the column 'spike_samples' says samples or frames; how many are a second" \
        patterns r.tsv --bin 5ms
    "$SPIKEMINE" info r.tsv --time-unit samples@100 | grep -qx 'start_s	1'
}

@test "rates that are no whole number" {
    printf '390625 a\n781250 b\n' >r.txt
    for rate in 24414.0625 390625/16 3906250/160; do
        "$SPIKEMINE" info r.txt --columns time,unit --time-unit samples@$rate |
            grep -qx 'start_s	16'
    done
    for rate in 0 -1 x 30k 5/0 '' 1e13 3s; do
        fails 2 "--time-unit samples@$rate: must be guess, s, ms, us or samples@RATE" \
            info r.txt --time-unit "samples@$rate"
    done
    where --time-unit samples@24414.0625 --bin 10ms | grep -q '^b@0	1	1600	32$'
}

@test "implausible rates are told by every command that reads a recording" {
    awk 'BEGIN { for (i = 0; i < 300; i++) print i * 1000, "abc"; }' >r.txt # ms taken for seconds
    echo abc >list
    for command in info 'episodes -d 0:5ms -s 2' 'count -e list' 'patterns --bin 5ms'; do
        set -- $command
        "$SPIKEMINE" $1 r.txt "${@:2}" --columns time,unit --time-unit us 2>err >out
        [ ! -s err ] || ! grep -q 'unit of time right' err
        "$SPIKEMINE" $1 r.txt "${@:2}" --columns time,unit --time-unit samples@1e9 2>err >out
        grep -qF 'note: r.txt: half of the units fire more than 1e+06 times a second; is the unit of time right (--time-unit)?' err
    done
    ! "$SPIKEMINE" info r.txt -q --columns time,unit --time-unit samples@1e9 2>&1 >out | grep . || false
}

@test "times a thousand times too short or too long are doubted, and those of real recordings are not" {
    sort -k2,2g "$SOURCE_DIR/data/songbird_spikes.txt" | awk '{ print $2, $1 }' >bird.txt
    awk 'NF == 2 && $1 + 0 == $1 { print $1, $2 }' "$SOURCE_DIR/data/movement_PGHF.spikes.txt" >macaque.txt
    # Only the fastest of these units passes 1000 Hz: Poisson units of 0.2 to 2 Hz.
    awk 'BEGIN {
        srand(3)
        for (u = 1; u <= 10; u++)
            for (t = -log(1 - rand()) / (u < 9 ? 0.3 : 2); t < 300; t += 0.004 - log(1 - rand()) / (u < 9 ? 0.3 : 2))
                printf "%.5f %d\n", t, u
    }' | sort -g >slow.txt
    for name in bird macaque slow; do
        for factor in 0.001 1 1000; do
            awk -v factor=$factor '{ printf "%.8f %s\n", $1 * factor, $2 }' $name.txt >scaled.txt
            "$SPIKEMINE" info scaled.txt --columns time,unit 2>err >out
            n=$(grep -c 'is the unit of time right' err) || true
            [ "$n" -eq "$([ $factor = 1 ] && echo 0 || echo 1)" ] || { echo "$name times $factor"; cat err; return 1; }
        done
    done
}

@test "a recording of days, and delays and windows of seconds, are doubted once" {
    awk 'BEGIN { for (i = 0; i < 3000; i++) print i * 100000, i % 3 }' >r.txt
    "$SPIKEMINE" info r.txt --columns time,unit --time-unit ms 2>err | grep -F "the recording lasts 3.47 days; is the unit of time right (--time-unit)?"
    awk 'BEGIN { for (i = 0; i < 600; i++) print i / 10, i % 3 }' >s.txt
    # Nearly every unit follows every other one: without a limit on their size episodes have no end.
    run "$SPIKEMINE" episodes s.txt --columns time,unit -d 0s:5s -s 20
    [ "$status" -eq 2 ] || [ "$status" -eq 1 ]
    [[ "$output" == *'is its unit right, as in 5ms? If it is, limit the search, as with --max-size 3'* ]]
    for command in 'episodes -d 0s:5s -d 0s:6s -s 2000 --max-size 3' 'patterns --bin 1s --window 6 --min-occurrences 2000'; do
        set -- $command
        "$SPIKEMINE" $1 s.txt "${@:2}" --columns time,unit 2>err >out
        [ "$(grep -c 'spikes of the median unit: nearly every unit follows every other one within it; is its unit right' err)" -eq 1 ]
        "$SPIKEMINE" $1 s.txt $(echo "${@:2}" | sed 's/\([0-9]\)s/\1ms/g') --columns time,unit 2>err >out
        ! grep -q 'of the median unit' err || false
    done
}

@test "a jitter of seconds, and a longest lag, are doubted once" {
    local pair='0 (0,5ms] 1' doubt='s, and the recording lasts 59.91 s: where spikes move so far'
    awk 'BEGIN { for (i = 0; i < 600; i++) print i / 10 + i % 7 / 1000, i % 3 }' >s.txt
    for command in "episodes -d 0s:5ms -s 20 --test exact" "patterns --bin 5ms --window 2 --support 20 --test exact"; do
        "$SPIKEMINE" $command s.txt --columns time,unit --surrogates 19 --jitter 250s 2>err >out
        [ "$(grep -c "note: --jitter: 250 $doubt.*; is its unit right, as in 25ms?" err)" -eq 1 ]
        "$SPIKEMINE" $command s.txt --columns time,unit --surrogates 19 --jitter 250ms 2>err >out
        ! grep -q 'as in 25ms' err || false
    done
    "$SPIKEMINE" count s.txt --columns time,unit -e "$pair" --test exact --surrogates 19 --jitter 5ms,10s 2>err >out
    grep -qF "note: --jitter: 10 $doubt" err
    "$SPIKEMINE" sequences s.txt --columns time,unit --longest-lag 2s --max-sequences 1 --surrogates 19 2>err >out
    [ "$(grep -c 'note: --longest-lag: 2 s is 3.3 % of the recording, and holds' err)" -eq 1 ]
}

@test "a cut that can merge events says so" {
    printf '0.0000000000000000001 a\n9.5 b\n' >r.txt
    "$SPIKEMINE" info r.txt --columns time,unit 2>err >out
    grep -qF 'note: r.txt: times were cut to whole ticks of 0.00000001ns, because' err || { cat err; false; }
    grep -qF 'events of one unit within a tick count once' err
}

@test "times on a grid of 1/30 s, and what does not go with it" {
    song="$SOURCE_DIR/data/songbird_spikes.txt"
    "$SPIKEMINE" info "$song" --sort 2>err >out
    grep -qx 'grid_s	1/30' out
    grep -qx 'clock	a grid of 1/30s' out
    grep -qF 'note: '"$song"': times are rounded multiples of 1/30 s, and are taken to be exactly these' err
    "$SPIKEMINE" info "$song" --sort --format json 2>err >out
    grep -qF '"grid_fraction": "1/30"' out
    grep -qF '"grid_s": 0.0333333333333333' out
    "$SPIKEMINE" episodes "$song" --sort -d 0:33.333ms -s 15 2>err >out
    [ "$(awk '$1 > 1' out | wc -l)" -eq 1 ]
    grep -qF 'note: no delay falls into (0,33.333ms]: all times lie on a grid of 1/30s, whose next delay is 1/30s; an upper bound of 1/30s takes it in' err
    "$SPIKEMINE" count "$song" --sort -e <(echo '6.0 (0,33.333ms] 43.0') 2>err >out
    grep -qF 'note: no delay falls into (0,33.333ms]' err
    "$SPIKEMINE" episodes "$song" --sort -d 0:33.34ms -s 15 2>err >out
    [ "$(wc -l <out)" -eq 491 ]
    ! grep -q "the grid" err || false
    for bound in 50ms 1/30s; do
        "$SPIKEMINE" episodes "$song" --sort -d 0:$bound -s 15 2>err | diff <(sed "s,33.34ms,$bound,g" out) -
        ! grep -q "the grid" err || false
    done
    # Of numbered frames, and of frames that are written with fewer digits, the same.
    awk '{ printf "%d\t%s\n", $2 * 30 + 0.5, $1 }' "$song" | sort -n >frames.txt
    awk '{ printf "%.4f\t%s\n", $1 / 30, $2 }' frames.txt >short.txt
    patterns="--bin 1/30s --window 4 --min-spikes 3 --support 10 --stop 10s -q"
    "$SPIKEMINE" patterns frames.txt --time-unit samples@30 $patterns >expected
    [ "$(wc -l <expected)" -gt 100 ]
    "$SPIKEMINE" patterns "$song" --sort $patterns | diff expected -
    "$SPIKEMINE" patterns short.txt --columns time,unit $patterns | diff expected -
    # What is asked for in the times as they were written is that frame; and so it is shown.
    "$SPIKEMINE" episodes short.txt --columns time,unit -q -d 0:5s -s 1 --max-size 2 --start 0.2333s \
        --stop 5.0333s -o /dev/null --occurrences occ.tsv
    tail -n +2 occ.tsv | cut -f 3,4 | tr '\t' '\n' | sort -u >out
    awk '$1 >= 0.2333 && $1 < 5.0333 { print $1 + 0 }' short.txt | sort -u | diff out -
    # So it is of a few times of them, in any order of the file.
    sort -r short.txt >back.txt
    for few in "--start 0.2333s --stop 0.4334s" "--units 72.0 --stop 1s"; do
        "$SPIKEMINE" episodes short.txt --columns time,unit -q -d 0:1/30s -s 1 --max-size 2 $few >out
        "$SPIKEMINE" episodes back.txt --sort --columns time,unit -q -d 0:1/30s -s 1 --max-size 2 $few | cmp - out
        "$SPIKEMINE" info back.txt --sort --columns time,unit $few -q >out
        grep -qx 'clock	a grid of 1/30s' out
    done
    # JSON names the grid.
    "$SPIKEMINE" episodes short.txt --columns time,unit -q -d 0:1/30s -s 15 --format json |
        grep -qF '"input_clock": "a grid of 1/30s"'
    # Samples are taken as they are, and what rounding would decide is refused.
    awk '{ print int($1 * 10000 + 0.5), $2 }' short.txt >samples.txt
    status=0
    "$SPIKEMINE" episodes samples.txt --columns time,unit --time-unit samples@10000 -d 0:1/30s -s 15 2>err >out ||
        status=$?
    [ $status -eq 1 ]
    grep -qF 'rounding decides which of these delays count' err
}

@test "what info says of a recording on a grid of decimals" {
    printf '0.000 a\n0.005 b\n0.020 a\n0.045 c\n' >r.txt
    "$SPIKEMINE" info r.txt --columns time,unit | grep -qx 'grid_s	0.005'
    "$SPIKEMINE" episodes r.txt --columns time,unit -d 0:4ms -s 1 2>err >out
    grep -qF 'no delay falls into (0,4ms]: all times lie on a grid of 5ms, whose next delay is 5ms' err
    "$SPIKEMINE" patterns r.txt --columns time,unit --bin 5ms 2>err >out
    ! grep -q grid err || false
    "$SPIKEMINE" patterns r.txt --columns time,unit --bin 12ms 2>err >out
    grep -qF 'bins of 12ms hold now 2, now 3 points of the grid of 5ms' err
}

@test "a grid that takes the place of the one told before says so" {
    mkdir -p phy
    python3 - <<'END'
import random
import struct

draw = random.Random(4)
times = sorted(round(draw.randrange(3_000_000) / 30000, 6) for _ in range(4000))
for name, kind, code, values in (("times", "<f8", "d", times), ("clusters", "<i4", "i", [k % 3 for k in range(4000)])):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (4000,), }" % kind
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(f"phy/spikes.{name}.npy", "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        out.write(struct.pack(f"<4000{code}", *values))
END
    "$SPIKEMINE" info phy 2>err >out
    grep -qF 'rounded multiples of 1/30000 s, and are taken to be exactly these: ' err
    ! grep -qF 'a grid of 1us' err || false # one clock, told once
    grep -qx 'clock	a grid of 1/30000s' out
}
