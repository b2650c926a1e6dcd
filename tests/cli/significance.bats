#!/usr/bin/env bats
# spikemine patterns --surrogates: what a test reports, refuses and writes, on planted patterns, on
# independent units, and on the bundled recordings.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # 12 units at 8 Hz, and 5 -> 0 -> 6 -> 11 with 10 ms between them
    "$SPIKEMINE" simulate network -q --units 12 --duration 15s --rate 8 --chains 1 --chain-size 4 --delay 10ms \
        --jitter 0ms --chain-rate 1.5 --seed 3 -o rec.txt --truth truth.json
}

teardown() {
    cd /
    rm -rf "$folder"
}

# find OPTION ...: patterns of at least 3 spikes in windows of 50 ms
find_patterns() {
    case $* in
    *--support*) ;;
    *) set -- --support 5 "$@" ;;
    esac
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 10 --min-spikes 3 "$@"
}

# The planted pattern, as the table writes it.
planted() {
    sed -n 's/.*"units": \["\(.*\)"\],*/\1/p' truth.json | sed 's/", "/ /g' |
        awk '{ for (k = 1; k <= NF; k++) printf "%s%s@%d", (k > 1 ? " " : ""), $k, 2 * (k - 1) }'
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

@test "a planted pattern is significant, and only significant patterns are listed" {
    find_patterns --surrogates 99 >out 2>err
    head -n 1 out | grep -qxF "spikes	occurrences	neurons	duration	pattern	p	p_corrected	significant"
    awk -F '\t' -v pattern="$(planted)" '$5 == pattern && $6 == 0.01 && $8 == "yes" { found = 1 }
        NR > 1 && $8 != "yes" { other = 1 } END { exit !found + other }' out
    grep -qE "99 surrogates \(joint-isi-dithering, seed 1\): [0-9]+ of [0-9]+ signatures and [0-9]+ of [0-9]+ patterns are significant" err
    find_patterns >all
    [ "$(wc -l <out)" -lt "$(wc -l <all)" ]
}

@test "--report all lists what was mined, each with its verdict" {
    find_patterns -q | tail -n +2 | sort >all
    find_patterns -q --surrogates 99 --report all >out
    tail -n +2 out | cut -f 1-5 | sort | diff all -
    find_patterns -q --surrogates 99 | tail -n +2 | sort >significant
    awk -F '\t' '$8 == "yes"' out | sort | diff significant -
    awk -F '\t' '$8 == "no"' out | grep -q .
}

@test "independent units have no significant pattern with most seeds" {
    found=0
    for seed in 1 2 3 4 5 6; do
        "$SPIKEMINE" simulate network -q --units 12 --duration 15s --rate 8 --chains 0 --seed $seed -o rec.txt --force
        rows=$(find_patterns -q --surrogates 99 --support 3 | wc -l)
        [ "$rows" -eq 1 ] || found=$((found + 1))
    done
    [ "$found" -le 1 ]
}

@test "the same result for any number of threads, and another one for another seed" {
    find_patterns -q --surrogates 60 --report all --pvalues p1 --threads 1 >one
    find_patterns -q --surrogates 60 --report all --pvalues p2 --threads 2 >two
    diff one two
    diff p1 p2
    find_patterns -q --surrogates 60 --report all --pvalues p3 --seed 2 >three
    ! diff p1 p3 >/dev/null || false
}

@test "--pvalues has the spectrum and all signatures of the recording" {
    find_patterns -q --surrogates 99 --pvalues p.tsv >out
    head -n 1 p.tsv | grep -qxF "spikes	occurrences	surrogates	p	p_published	tested	p_corrected	significant	patterns"
    find_patterns -q --spectrum 2d | tail -n +2 >spectrum
    awk -F '\t' -v OFS='\t' 'NR > 1 && $9 > 0 { print $1, $2, $9 }' p.tsv | diff spectrum -
    awk -F '\t' 'NR > 1 { if ($4 < ($3 + 1) / 100 - 1e-9 || $4 > ($3 + 1) / 100 + 1e-9 ||
        $5 < $3 / 99 - 1e-9 || $5 > $3 / 99 + 1e-9) exit 1 }' p.tsv
    find_patterns -q --surrogates 99 --support 3 --pvalues p.tsv --force >out
    awk -F '\t' '$3 > 0 && $9 == 0 && $6 == "no"' p.tsv | grep -q . # what only surrogates have
    find_patterns -q --surrogates 99 --spectrum 3d --pvalues p3.tsv >out
    find_patterns -q --spectrum 3d | tail -n +2 >spectrum
    awk -F '\t' -v OFS='\t' 'NR > 1 && $10 > 0 { print $1, $2, $3, $10 }' p3.tsv | diff spectrum -
}

@test "JSON tells the test" {
    find_patterns -q --surrogates 60 --format json --seed 9 --pvalues p.json --alpha 0.2 --correction fdr_by >out
    for file in out p.json; do
        for text in '"method": "joint-isi-dithering"' '"dither": "15ms"' '"seed": 9' '"surrogates": 60' '"alpha": 0.2' \
            '"correction": "fdr-by"' '"spectrum": "2d"' '"patterns_significant": '; do
            grep -qF "$text" $file
        done
    done
    grep -qE '"p":0.0163934426[0-9]*,"p_corrected":[0-9.e-]+,"significant":true' out
}

@test "wide bins have a wider dither, where none is given and no rule is published" {
    "$SPIKEMINE" sample -o frames.txt
    dither() {
        "$SPIKEMINE" patterns "$@" --window 5 --min-spikes 3 --support 20 --surrogates 9 --format json -q |
            jq -r .provenance.test.dither
    }
    [ "$(dither frames.txt --bin 1/30s)" = 100ms ]
    [ "$(dither frames.txt --bin 1/30s --dither 200ms)" = 200ms ]
    [ "$(dither rec.txt --bin 10ms)" = 30ms ]
    [ "$(dither rec.txt --bin 5ms)" = 15ms ]
    [ "$(dither rec.txt --bin 1ms)" = 15ms ]
    [ "$(dither rec.txt --bin 10ms --published)" = 15ms ]
}

@test "without a test nothing changes" {
    find_patterns -q >out
    head -n 1 out | grep -qxF "spikes	occurrences	neurons	duration	pattern"
    find_patterns -q --format json >out
    ! grep -q '"test"\|"p"' out || false
}

@test "methods of surrogates, and the published rule" {
    for method in dither_spikes trial-shifting interval-jitter bin-shuffling joint-isi-dithering; do
        find_patterns -q --surrogates 99 --surrogate-method $method >out
        grep -q "$(planted)" out
    done
    find_patterns -q --surrogates 99 --published --report all --pvalues p.tsv >out
    awk -F '\t' 'NR == FNR { p[$1, $2] = $5; next } FNR > 1 && $6 != p[$1, $2] { exit 1 }' p.tsv out
    awk -F '\t' '$5 == 0 && $6 == "no" && $8 == "yes"' p.tsv | grep -q . # beyond every surrogate: untested
}

@test "the reduction keeps the planted pattern and drops its parts" {
    find_patterns -q --surrogates 99 >before
    find_patterns --surrogates 99 --reduce 2,2,0 >after 2>err
    grep -q "$(planted)" after
    [ "$(wc -l <after)" -le "$(wc -l <before)" ]
    grep -qE "the reduction keeps $(($(wc -l <after) - 1)) of $(($(wc -l <before) - 1))" err
    # --report all tells in a column which are kept
    find_patterns -q --surrogates 99 --reduce 2,2,0 --report all >all
    head -n 1 all | grep -q "	significant	kept$"
    awk -F '\t' '$9 == "yes"' all | cut -f 1-8 >kept
    tail -n +2 after | diff kept -
}

@test "stability has two columns" {
    find_patterns -q --surrogates 99 --stability 0.1,0.1 >out
    head -n 1 out | grep -q "	significant	stability_intensional	stability_extensional$"
    awk -F '\t' 'NR > 1 && ($9 < 0 || $9 > 1 || $10 < 0 || $10 > 1 || NF != 10) { exit 1 }' out
    find_patterns -q --surrogates 99 --stability 0.1,0.1 --format json | grep -q '"stability_extensional":'
    find_patterns -q --surrogates 99 --stability 0.1,0.1 --threads 1 | diff out -
    fails 2 "must be two numbers" rec.txt --bin 5ms --surrogates 9 --stability 0.1
    fails 2 "must be two numbers" rec.txt --bin 5ms --surrogates 9 --stability 0,0.1
}

@test "shards, merged, give what one run gives" {
    find_patterns -q --surrogates 30 --pvalues p1 >one
    for shard in 3 1 2; do
        find_patterns -q --surrogates 30 --shard $shard/3 -o shard$shard.spk
    done
    "$SPIKEMINE" merge -q shard2.spk shard3.spk shard1.spk -o all.spk
    find_patterns -q --maxima all.spk --pvalues p2 >two
    diff one two
    diff p1 p2
    find_patterns -q --surrogates 30 --maxima all.spk | diff one -
    fails 2 "30" rec.txt --bin 5ms --window 10 --min-spikes 3 --support 5 --maxima all.spk --surrogates 31
    fails 2 "shard" rec.txt --bin 5ms --window 10 --min-spikes 3 --support 5 --maxima shard1.spk
    fails 2 "was made with support 5, and this job has 6" rec.txt --bin 5ms --window 10 --min-spikes 3 --support 6 --maxima all.spk
}

@test "a checkpoint is gone on with" {
    find_patterns -q --surrogates 30 >one
    find_patterns -q --surrogates 10 --checkpoint state.spk >ten
    [ -s state.spk ]
    find_patterns -q --surrogates 30 --checkpoint state.spk >two
    diff one two
}

# bundled FILE RATE OPTION ...: significant patterns of a bundled recording, whose times lie on a grid
bundled() {
    local file=$1 rate=$2
    shift 2
    "$SPIKEMINE" patterns "$file" --columns time,unit --time-unit "samples@$rate" -q "$@"
}

@test "bundled recordings: the songbird has long significant patterns, its shifted copy has none through as many" {
    awk '{ printf "%d\t%s\n", $2 * 30 + 0.5, $1 }' "$SOURCE_DIR/data/songbird_spikes.txt" | sort -n >bird.txt
    awk -v span=667 -f "$SOURCE_DIR/examples/shift.awk" bird.txt | sort -n >shifted.txt
    set -- --bin 1/30s --window 6 --min-spikes 4 --min-neurons 4 --support 8 --surrogates 99 --dither 200ms
    bundled bird.txt 30 "$@" >out
    awk -F '\t' 'NR > 1 && $3 >= 6 { n++ } END { exit n < 10 }' out
    bundled bird.txt 30 "$@" --threads 1 | diff out -
    bundled shifted.txt 30 "$@" --published --alpha 0.01 | awk -F '\t' 'NR > 1 && $3 >= 5 { exit 1 }'
}

@test "a bundled recording: the macaque in trials, both spectra, any share of the surrogates" {
    awk '{ printf "%d\t%s\n", $1 * 200 + 0.5, $2 }' "$SOURCE_DIR/data/movement_PGHF.spikes.txt" | sort -n >ape.txt
    printf '0s 0.5s\n0.7s 1.2s\n1.4s 1.9s\n' >trials.txt
    set -- --bin 5ms --window 10 --min-spikes 4 --min-neurons 3 --support 4 --trials trials.txt --surrogates 6
    for spectrum in 2d 3d; do
        bundled ape.txt 200 "$@" --spectrum $spectrum --report all --surrogate-method trial-shifting >out
        [ "$(wc -l <out)" -gt 10 ]
        for shard in 1 2; do
            bundled ape.txt 200 "$@" --spectrum $spectrum --surrogate-method trial-shifting --shard $shard/2 -o $shard.spk --force
        done
        "$SPIKEMINE" merge -q 1.spk 2.spk -o all.spk --force
        bundled ape.txt 200 "$@" --spectrum $spectrum --report all --surrogate-method trial-shifting --maxima all.spk |
            diff out -
    done
}

@test "pipes" {
    find_patterns -q --surrogates 9 --report all | head -n 1 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 0 ]
    "$SPIKEMINE" patterns - --bin 5ms --window 10 --min-spikes 3 --support 5 -q --surrogates 60 <rec.txt >two
    find_patterns -q --surrogates 60 | diff - two
}

@test "the figure has the spectrum with its border" {
    if find_patterns -q --surrogates 60 --figure fig.svg -o out.tsv 2>err; then
        for text in 'border of significance against' '>Significant</text>' '>Patterns</text>' 'times, p 0.01'; do
            grep -q -- "$text" fig.svg
        done
        find_patterns -q --surrogates 60 --spectrum 3d --figure fig.svg -o out.tsv --panels g --force
        grep -q '>3 spikes' fig.svg
        grep -q '>Duration (bins)' fig.svg
        fails 2 "letters from a to f" rec.txt --bin 5ms --figure fig2.svg --panels g
    else
        grep -qF "this build has no cairo" err
    fi
}

@test "too few surrogates are told" {
    find_patterns --surrogates 9 2>err >out
    grep -qF "9 surrogates are too few for alpha 0.05: no p-value can be below 0.1" err
    [ "$(wc -l <out)" -eq 1 ]
}

@test "surrogates that are too few for the correction are told, with a number that is enough" {
    find_patterns --surrogates 30 --correction bonferroni --pvalues p 2>err >out
    tests=$(awk -F '\t' 'NR > 1 && $9 > 0' p | wc -l)
    grep -qE "no surrogate reaches [0-9]+ of the signatures that are not significant: their p-value, 0.0323, is the smallest that 30 surrogates give, and the correction for $tests tests asks for less; $((tests * 20)) surrogates are enough" err
    find_patterns --surrogates $((tests * 20)) --correction bonferroni 2>err >out
    [ "$(wc -l <out)" -gt 1 ]
    ! grep -q "no surrogate reaches" err || false
}

@test "memory that does not suffice names what helps" {
    fails 1 "raise --support or --min-spikes" rec.txt --bin 5ms --window 10 --support 1 \
        --max-memory 300k --surrogates 9
}

@test "the methods of intervals take their options" {
    find_patterns -q --surrogates 5 --surrogate-method isi-dithering --interval-bins 50 --sigma 3ms --truncation 200ms \
        --refractory 2ms --in-order --square-root --up-to-neighbours --no-cutoff --checkpoint c --report all >out
    for line in 'truncation: ' 'histogram-bins: 50' 'sigma: ' 'refractory: '; do
        grep -q "^# $line" c
    done
    find_patterns -q --surrogates 5 --surrogate-method isi-dithering --checkpoint d --report all >other
    grep -q '^# histogram-bins: 100' d
    ! cmp -s <(grep -v '^#' c) <(grep -v '^#' d) || false
    fails 2 "--square-root needs --surrogates N or --maxima FILE" rec.txt --bin 5ms --square-root
}

@test "wrong usage" {
    for option in "--alpha 0.01" "--dither 5ms" "--correction holm" "--reduce 2,2,0" "--pvalues p" "--shard 1/2" \
        "--checkpoint c" "--report all" "--surrogate-method trial-shifting" "--published" "--stability 0.1,0.1"; do
        fails 2 "${option%% *} needs --" rec.txt --bin 5ms $option
    done
    set -- rec.txt --bin 5ms --surrogates 10
    fails 2 "did you mean dither-spikes?" "$@" --surrogate-method dither-spike
    fails 2 "did you mean holm?" "$@" --correction holn
    fails 2 "must be two numbers" "$@" --stability 0.1
    fails 2 "must be two numbers" "$@" --stability 0.1,0.1,0.1
    fails 2 "must be two numbers" "$@" --stability 0,0.1
    fails 2 "must be three whole numbers" "$@" --reduce 2,2
    fails 2 "must be three whole numbers" "$@" --reduce 2,2,0,1
    fails 2 "must be three whole numbers" "$@" --reduce 2,-2,0
    fails 2 "must be I/N" "$@" --shard 4/3 -o s.spk
    fails 2 "must be I/N" "$@" --shard 3 -o s.spk
    fails 2 "--shard needs --output FILE" "$@" --shard 1/3
    fails 2 "give its name" "$@" --shard 1/3 -o -
    fails 2 "--shard makes surrogates, and --maxima has them all" "$@" --maxima m --shard 1/3 -o s.spk
    fails 2 "--seed needs --test exact, --support auto, --surrogates N, --maxima FILE, --compare FILE or --compare-trials FILE" \
        rec.txt --bin 5ms --seed 3
    fails 2 "--edges needs --surrogates N or --maxima FILE" rec.txt --bin 5ms --edges keep
    fails 2 "--shard cannot go with --maxima" rec.txt --bin 5ms --maxima m --shard 1/3 -o s.spk
    fails 2 "--maxima cannot go with --checkpoint" rec.txt --bin 5ms --maxima m --checkpoint c
    fails 2 "--surrogates" rec.txt --bin 5ms --surrogates 0
    fails 2 "--alpha" "$@" --alpha 1.5
    fails 2 "--alpha" "$@" --alpha 0
    fails 1 "nowhere" rec.txt --bin 5ms --maxima nowhere
    fails 2 "needs a recording" rec.txt --input-format transactions --surrogates 10
    fails 2 "are the same" "$@" --pvalues rec.txt || fails 2 "rec.txt" "$@" --pvalues rec.txt
}
