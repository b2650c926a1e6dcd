#!/usr/bin/env bats
# spikemine-bench-significance, a program of its own ($SPIKEMINE_BENCH_SIGNIFICANCE): rows are the same however
# the runs were shared out and whenever they were done, and a file of other options is left alone.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
}

teardown() {
    cd /
    rm -rf "$folder"
}

# study ARGUMENT...: the validation of one realisation, with few surrogates.
study() {
    "$SPIKEMINE_BENCH_SIGNIFICANCE" validation --runs 1 --surrogates 2 "$@"
}

@test "shares, threads and a second call give the rows of one run" {
    study -o whole.tsv --threads 1
    study -o part.tsv --share 2 --shares 3 --threads 2
    study -o part.tsv --share 1 --shares 3
    # Cut off in the middle of a row, as by a crash.
    head -c -7 part.tsv >cut.tsv
    mv cut.tsv part.tsv
    cp whole.tsv.background0 part.tsv.background0
    study -o part.tsv
    [ "$(grep -c '^[0-9]' whole.tsv)" -eq 256 ]
    grep -E '^[0-9]+(	[0-9]+){10}$' part.tsv | sort -n >joined
    grep '^[0-9]' whole.tsv | sort -n | cmp - joined
}

@test "a file of a study with other options is refused and stays" {
    study -o rows.tsv --share 1 --shares 256
    cp rows.tsv before.tsv
    local status=0
    study -o rows.tsv --seed 2 --spectrum own 2>err || status=$?
    [ "$status" -eq 1 ]
    grep -q 'other options' err
    cmp rows.tsv before.tsv
}

@test "planted patterns are in the recordings that it writes" {
    mkdir trains
    study --trains trains
    # Background 0, 10 spikes, 10 occurrences: ten starts of unit 0 after which unit 9 fires 45 ms later.
    awk '!/^#/ { at[$2, $1] = 1; if ($2 == 0) start[$1] = 1 }
        END { for (t in start) { found = 1
                for (u = 1; u < 10; u++) found = found && ((u, sprintf("%.6f", t + 0.005 * u)) in at)
                n += found }
            print n }' trains/63.txt >n
    [ "$(cat n)" -ge 10 ]
    [ "$(grep -vc '^#' trains/63.txt)" -gt "$(grep -vc '^#' trains/background0.txt)" ]
}

@test "calibration tests every method and interval jitter in bins" {
    "$SPIKEMINE_BENCH_SIGNIFICANCE" calibration --runs 1 --surrogates 3 -o rows.tsv
    cut -f 3 rows.tsv | grep -q '^interval-jitter in bins$'
    [ "$(cut -f 3 rows.tsv | grep -c '^trial-shifting$')" -eq 4 ]
    # Placements within bins' windows keep the number of occupied bins; 6th column.
    [ "$(awk -F '\t' '$3 == "interval-jitter in bins" && $6 == 1' rows.tsv | wc -l)" -eq 4 ]
}

@test "maxima of the timed surrogates are those of mining in full" {
    for spectrum in 2d 3d; do
        "$SPIKEMINE_BENCH_SIGNIFICANCE" speed "$SOURCE_DIR/data/songbird_spikes.txt" --sort --columns unit,time \
            --bin 1/30s --window 6 --dither 200ms --support 8 --min-spikes 3 --spectrum "$spectrum" -B 2 --full 2 >out
        [ "$(grep -c 'mine in full' out)" -eq 1 ]
    done
}

@test "the reduction of more and more patterns has a row for each number" {
    # Three units that fire together and by chance: 9 patterns or more.
    awk 'BEGIN { srand(1); for (b = 0; b < 400; b++) for (u = 0; u < 3; u++) if (rand() < 0.4) print b * 0.005 + 0.001, u }' >rec.txt
    "$SPIKEMINE_BENCH_SIGNIFICANCE" reduction rec.txt --columns time,unit --window 4 -s 20 -n 3,9 -q >rows.tsv
    [ "$(cut -f 1 rows.tsv | paste -s -d ' ')" = "patterns 3 9" ]
    local status=0
    "$SPIKEMINE_BENCH_SIGNIFICANCE" reduction rec.txt --columns time,unit -n 3,x 2>err || status=$?
    [ "$status" -eq 2 ]
    grep -q 'commas' err
}

# curve POINT ROWS: of the study of power 4 recordings of one point, the number of its key in a run.
curve() {
    "$SPIKEMINE_BENCH_SIGNIFICANCE" power --runs 4 --surrogates 39 --share $(($1 + 1)) --shares 72 -q -o "$2"
}

# whole COLUMN ROWS: in how many recordings the test of that column finds the whole chain.
whole() {
    awk -F '\t' -v column="$1" '$1 == "key" { for (k = 1; k <= NF; k++) if ($k == column) at = k }
        /^[0-9]/ { split($at, n, " "); found += n[1] > 0 } END { print found + 0 }' "$2"
}

@test "chains of slow units among fast ones are found by the exact test alone" {
    curve 61 patterns.tsv
    curve 60 episodes.tsv
    for rows in patterns.tsv episodes.tsv; do
        [ "$(grep -c 'rate of the planted units among others' "$rows")" -eq 4 ]
        [ "$(whole exact "$rows")" -eq 4 ]
        [ "$(whole core "$rows")" -eq 4 ]
        [ "$(whole published "$rows")" -eq 0 ]
    done
}

@test "a strong chain is found by every test, and a weak one by none" {
    for point in 10 11; do
        curve "$point" strong.tsv
        [ "$(grep -c 'size	8' strong.tsv)" -eq 4 ]
        [ "$(whole exact strong.tsv)" -eq 4 ]
        [ "$(whole published strong.tsv)" -eq 4 ]
        rm strong.tsv
    done
    # 4 units at 10 Hz as all others, 6 occurrences.
    for point in 18 19; do
        curve "$point" equal.tsv
        [ "$(grep -c 'occurrences	6' equal.tsv)" -eq 4 ]
        [ "$(whole exact equal.tsv)" -eq 4 ]
        rm equal.tsv
    done
    curve 0 weak.tsv
    [ "$(grep -c "size	2" weak.tsv)" -eq 4 ]
    [ "$(whole exact weak.tsv)" -eq 0 ]
}

@test "what is planted is in the recordings of the study of power" {
    mkdir trains
    "$SPIKEMINE_BENCH_SIGNIFICANCE" power --runs 1 --trains trains
    # Point 11: patterns of 8 units, 6 times, 5 ms between them.
    awk '!/^#/ { at[$2, $1] = 1; if ($2 == 0) start[$1] = 1 }
        END { for (t in start) { found = 1
                for (u = 1; u < 8; u++) found = found && ((u, sprintf("%.6f", t + 0.005 * u)) in at)
                n += found }
            print n }' trains/11.txt >n
    [ "$(cat n)" -ge 5 ]
}

# mean COLUMN ROWS: its mean over the rows.
mean() {
    awk -F '\t' -v column="$1" '$1 == "key" { for (k = 1; k <= NF; k++) if ($k == column) at = k }
        /^[0-9]/ { sum += $at; n++ } END { printf "%.4f\n", sum / n }' "$2"
}

# holds EXPRESSION: whether it does, in awk.
holds() {
    awk "BEGIN { exit !($1) }"
}

@test "connections of units with unequal rates come first by the exact test and by correlograms, not by counts" {
    # Key 8 of 20: unequal rates, strength 0.08.
    "$SPIKEMINE_BENCH_SIGNIFICANCE" connectivity --runs 3 --surrogates 39 --share 9 --shares 20 -q -o rows.tsv
    [ "$(grep -c 'unequal rates	0.08' rows.tsv)" -eq 3 ]
    holds "$(mean exact rows.tsv) > 0.92 && $(mean peak rows.tsv) > 0.92 && $(mean hollow rows.tsv) > 0.92"
    holds "$(mean count rows.tsv) < 0.85"
    # Of 16 connections most are significant, and hardly another pair of 224.
    holds "$(mean found rows.tsv) >= 9 && $(mean false rows.tsv) <= 1"
}

# alarms CELL: in how many of 6 recordings the episodes of a case under a null hypothesis have p <= 0.05.
alarms() {
    "$SPIKEMINE_BENCH_SIGNIFICANCE" exact --runs 6 --surrogates 19 --share $((2 * $1 + 1)) --shares 104 -q -o "$1.tsv"
    [ "$(grep -c 'own bursts of 4 spikes' "$1.tsv")" -eq 6 ]
    awk -F '\t' '/^[0-9]/ { n += $9 <= 0.05 } END { print n + 0 }' "$1.tsv"
}

@test "bursts of single units alarm interval jitter, and not what keeps them" {
    [ "$(alarms 35)" -ge 4 ]
    for cell in 36 37 38; do # pattern jitter, shift, units shifted apart
        [ "$(alarms "$cell")" -le 2 ]
    done
}

@test "a chain that is planted into a real recording is found under each null hypothesis" {
    "$SPIKEMINE" convert "$SOURCE_DIR/data/movement_PGHF.spikes.txt" macaque.npz --columns time,unit -q
    "$SPIKEMINE_BENCH_SIGNIFICANCE" real macaque.npz --runs 2 --surrogates 19 --share 5 --shares 18 -q -o rows.tsv
    [ "$(grep -c 'macaque	episodes	repeats	1' rows.tsv)" -eq 2 ]
    for test in interval-jitter pattern-jitter shift shift-apart default; do
        [ "$(whole "$test" rows.tsv)" -eq 2 ]
    done
}

@test "a recording of another name is refused: nobody said what to search for" {
    "$SPIKEMINE" simulate sym26 --duration 1s -q -o rec.txt
    "$SPIKEMINE_BENCH_SIGNIFICANCE" real rec.txt -o rows.tsv 2>err && false
    grep -q 'the name is not one of macaque' err
    [ ! -e rows.tsv ]
}
