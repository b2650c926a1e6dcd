#!/usr/bin/env bats
# spikemine episodes and patterns --test exact: what the test reports, refuses and writes, on a planted
# chain and on independent units.

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

find_episodes() {
    case $* in
    *--jitter*) ;;
    *) set -- --jitter 50ms "$@" ;;
    esac
    "$SPIKEMINE" episodes rec.txt --delay 8ms:12ms --support 5 --test exact "$@"
}

find_patterns() {
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 10 --min-spikes 3 --support 5 --test exact --jitter 50ms \
        "$@"
}

# The planted chain as units with blanks between them.
planted() {
    sed -n 's/.*"units": \["\(.*\)"\],*/\1/p' truth.json | sed 's/", "/ /g'
}

# fails STATUS TEXT ARGUMENT...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

@test "a planted chain is found, the least likely episodes come first" {
    find_episodes --surrogates 99 >out 2>err
    head -n 1 out | grep -q "^size	count	episode	expected	score	p	e_value	fdr	explained_by	meaning	direction_p"
    chain=$(planted | sed 's/ / (8ms,12ms] /g')
    awk -F '\t' -v chain="$chain" '$3 == chain && $6 == 0.01 && $9 == "-" { found = 1 } END { exit !found }' out
    awk -F '\t' 'NR > 1 { if ($6 > 0.05 || $6 < before) exit 1; before = $6 }' out
    awk -F '\t' 'NR > 1 && ($7 < 0.01 || $8 < 0.01) { exit 1 }' out # 99 surrogates show no less
    grep -qE "99 surrogates \(shift within 50ms, seed 1\): [0-9]+ of [0-9]+ episodes are significant" err
}

@test "no mean is 0 only because two units never met in the draw that means are of" {
    "$SPIKEMINE" episodes "$SOURCE_DIR/data/songbird_spikes.txt" --sort --delay 0:50ms --jitter 250ms --support 6 \
        --distinct-units 2 --test exact --null shift-apart --surrogates 99 --seed 1 --report significant >out 2>err
    awk -F '\t' 'NR > 1 && (!($4 > 0) || $5 > 1000) { exit 1 }' out
    # Of one p, what repeats a unit comes last; most of the song is between different units.
    awk -F '\t' '$6 != p { p = $6; aside = 0 } NR > 1 && $10 != "-" { aside = 1 } NR > 1 && $10 == "-" { n++; if (aside) exit 1 }
        END { if (n < 100) exit 1 }' out
}

@test "a table without rows has the same columns" {
    find_episodes --surrogates 99 2>err | head -n 1 >head
    find_episodes --surrogates 99 --min-size 9 2>err | diff head -
    find_episodes --surrogates 99 --min-size 9 --peel 2>err | sed 's/	round//' | diff head -
}

@test "a planted pattern is found" {
    find_patterns --surrogates 99 >out 2>err
    pattern=$(planted | awk '{ for (k = 1; k <= NF; k++) printf "%s%s@%d", (k > 1 ? " " : ""), $k, 2 * (k - 1) }')
    awk -F '\t' -v pattern="$pattern" '$5 == pattern && $8 == 0.01 { found = 1 } END { exit !found }' out
}

@test "independent units have hardly anything significant" {
    "$SPIKEMINE" simulate network -q --units 12 --duration 15s --rate 8 --chains 0 --seed 5 -o other.txt
    mv other.txt rec.txt
    find_episodes -q --surrogates 99 --alpha 0.01 >out
    [ "$(wc -l <out)" -eq 1 ]
    find_patterns -q --surrogates 99 --alpha 0.01 >out
    [ "$(wc -l <out)" -eq 1 ]
}

@test "--report all lists what was mined, core a part of what is significant" {
    "$SPIKEMINE" episodes -q rec.txt --delay 8ms:12ms --support 5 | tail -n +2 | sort >all
    find_episodes -q --surrogates 19 --report all | tail -n +2 >out
    cut -f 1-3 out | sort | diff all -
    find_episodes -q --surrogates 19 | tail -n +2 | sort >significant
    awk -F '\t' '$6 <= 0.05' out | sort | diff significant -
    find_episodes -q --surrogates 19 --report core | tail -n +2 | sort >core
    awk -F '\t' '$9 == "-"' significant | diff core -
}

@test "limits on size and units hold for the test; the best ones are chosen by score" {
    find_episodes -q --surrogates 19 --min-size 3 --distinct-units 3 --report all | tail -n +2 >out
    awk -F '\t' '$1 < 3 { exit 1 }' out
    find_episodes -q --surrogates 19 --top 1 >out
    [ "$(wc -l <out)" -eq 2 ]
}

@test "several windows: p at each, and the best one" {
    find_episodes -q --surrogates 39 --jitter 50ms,20ms >out
    head -n 1 out | grep -qF "fdr	jitter	p_20ms	p_50ms	explained_by"
    awk -F '\t' 'NR > 1 { p = $10 < $11 ? $10 : $11; if ($6 != 2 * p) exit 1 }' out
}

@test "threads, shards and a checkpoint change no byte" {
    find_episodes -q --surrogates 21 --threads 1 -o whole.tsv
    find_episodes -q --surrogates 21 --threads 2 -o two.tsv
    cmp whole.tsv two.tsv
    for k in 1 2 3; do find_episodes -q --surrogates 21 --shard $k/3 -o shard$k.spk; done
    "$SPIKEMINE" merge -q shard3.spk shard1.spk shard2.spk -o all.spk
    find_episodes -q --maxima all.spk -o merged.tsv
    cmp whole.tsv merged.tsv
    find_episodes -q --surrogates 21 --checkpoint check.spk -o kept.tsv
    cmp all.spk check.spk
    cmp whole.tsv kept.tsv
    rm whole.tsv merged.tsv shard?.spk
    find_patterns -q --surrogates 9 -o whole.tsv
    for k in 1 2; do find_patterns -q --surrogates 9 --shard $k/2 -o shard$k.spk; done
    "$SPIKEMINE" merge -q shard1.spk shard2.spk -o parts.spk
    find_patterns -q --maxima parts.spk -o merged.tsv
    cmp whole.tsv merged.tsv
}

@test "the command of the test makes its shards: what only the result heeds is unused" {
    result="--report all --format json --top 5 --html r.html --occurrences occ.tsv"
    find_episodes -q --surrogates 6 --shard 1/2 -o plain.spk
    find_episodes $result --surrogates 6 --shard 1/2 -o whole.spk 2>err
    cmp plain.spk whole.spk
    grep -qx 'note: --shard makes surrogates only; the file of --occurrences comes from the command that tests' err
    find_patterns -q --surrogates 4 --shard 2/2 -o plain.spk --force
    find_patterns -q $result --surrogates 4 --shard 2/2 -o whole.spk --force
    cmp plain.spk whole.spk
    signatures="patterns rec.txt --columns time,unit --bin 5ms --window 5 --support 20 --surrogates 4 --shard 1/2"
    "$SPIKEMINE" $signatures -q -o plain.spk --force
    "$SPIKEMINE" $signatures -q $result --reduce 2,2,0 --stability 0.1,0.1 --pvalues p.tsv -o whole.spk --force
    cmp plain.spk whole.spk
    [ ! -e r.html ]
    [ ! -e occ.tsv ]
    [ ! -e p.tsv ]
}

@test "all CPU engines give the same answer" {
    find_episodes -q --surrogates 9 --engine sweep -o sweep.tsv
    find_episodes -q --surrogates 9 --engine fsm -o fsm.tsv
    cmp sweep.tsv fsm.tsv
}

@test "nulls that keep a rhythm find the chain, too; JSON and notes tell them" {
    chain=$(planted | sed 's/ / (8ms,12ms] /g')
    for null in pattern-jitter shift; do
        find_episodes --surrogates 39 --null "$null" --history 10ms --shard 1/2 --force -o first.spk
        find_episodes --surrogates 39 --null "$null" --history 10ms --shard 2/2 --force -o second.spk
        "$SPIKEMINE" merge first.spk second.spk --force -o both.spk
        find_episodes --maxima both.spk --null "$null" --history 10ms --format json >out 2>err
        grep -qF "\"null\": \"$null\"" out
        grep -qF '"history": "10ms"' out
        grep -qE "39 surrogates \((pattern jitter|shift) within 50ms, history 10ms, seed 1\): " err
        find_episodes --surrogates 39 --null "$null" --history 10ms | grep -qF "$chain"
        find_patterns --surrogates 39 --null "$null" | grep -qF "$(planted | cut -d ' ' -f 1)@0"
        fails 2 "was made with null $null, which this job has not; " episodes rec.txt --delay 8ms:12ms --support 5 \
            --test exact --jitter 50ms --null interval-jitter --maxima both.spk
        find_episodes --surrogates 9 --null interval-jitter --shard 1/1 --force -o other.spk
        fails 2 "was made without null $null, which this job has; " episodes rec.txt --delay 8ms:12ms --support 5 \
            --test exact --jitter 50ms --null "$null" --history 10ms --maxima other.spk
    done
    for t in $(seq 0 14); do echo "${t}s $((t + 1))s"; done >trials
    find_episodes --surrogates 39 --null trials --trials trials | grep -qF "$chain"
    tac trials >other_trials # of the same times: shards of two tables are not joined
    find_episodes --surrogates 9 --null trials --trials trials --shard 1/2 --force -o first.spk
    find_episodes --surrogates 9 --null trials --trials other_trials --shard 2/2 --force -o second.spk
    fails 1 "was made with recording sha256" merge first.spk second.spk
    fails 2 "name its trials" episodes rec.txt --delay 8ms:12ms --support 5 --test exact --null trials
    fails 2 "--history needs --null pattern-jitter or --null shift" episodes rec.txt --delay 8ms:12ms --support 5 --test exact --history 5ms
    fails 2 "--null needs --test exact" episodes rec.txt --delay 8ms:12ms --support 5 --null shift
    fails 2 "--null needs --test exact" patterns rec.txt --bin 5ms --window 3 --null shift
}

@test "a rhythm that interval jitter breaks is told, and one that it does not is not" {
    find_episodes --null interval-jitter --surrogates 1 -o none.tsv 2>err
    ! grep -q "breaks the rhythm" err || false
    awk 'BEGIN { srand(5); for (t = 0; t < 15; t += 0.018 + 0.004 * rand()) printf "%.4f regular\n", t }' >regular.txt
    { grep -v '[#u]' rec.txt; cat regular.txt; } | sort -n >both.txt
    "$SPIKEMINE" episodes both.txt --columns time,unit --delay 8ms:12ms --support 20 --test exact --jitter 50ms \
        --null interval-jitter --surrogates 1 -o some.tsv 2>err
    grep -q "interval jitter within 50ms breaks the rhythm of 1 of 13 units: regular has" err
    "$SPIKEMINE" episodes both.txt --columns time,unit --delay 8ms:12ms --support 20 --test exact --jitter 10ms \
        --null pattern-jitter --history 30ms --surrogates 1 -o few.tsv 2>err
    ! grep -q "breaks the rhythm" err || false
}

@test "the default null is shift, and shift-apart where units pause too rarely, which a note tells" {
    find_episodes --surrogates 9 --format json >out 2>err
    grep -qF '"null": "shift",' out
    ! grep -q "shifted as a whole" err || false
    find_episodes --surrogates 9 --jitter 250ms --format json >out 2>err
    grep -qF '"null": "shift-apart",' out
    grep -q "rates rise and fall together.*shifted as a whole; more than half of the units pause too rarely" err
    find_episodes -q --surrogates 9 --jitter 250ms --null shift-apart -o named.tsv
    find_episodes -q --surrogates 9 --jitter 250ms -o chosen.tsv
    cmp named.tsv chosen.tsv
    find_patterns --surrogates 9 --format json | grep -qF '"null": "shift",'
    fails 2 "--history needs --null pattern-jitter" patterns rec.txt --bin 5ms --window 3 --test exact --history 10ms
}

@test "JSON tells the test and the position that a part lacks" {
    find_episodes -q --surrogates 19 --format json -o out.json
    grep -qF '"method": "exact"' out.json
    grep -qF '"explained_without":' out.json
    grep -qF '"results_core":' out.json
}

@test "what does not go together is refused before any work" {
    fails 2 "--jitter needs --test exact" episodes rec.txt -d 5ms:10ms -s 5 --jitter 25ms
    fails 2 "--surrogates needs --test exact" episodes rec.txt -d 5ms:10ms -s 5 --surrogates 9
    fails 2 "must be a time or several" episodes rec.txt -d 5ms:10ms -s 5 --test exact --jitter 5ms,
    fails 2 "given twice" episodes rec.txt -d 5ms:10ms -s 5 --test exact --jitter 5ms,5ms
    fails 2 "--shard 4/3" episodes rec.txt -d 5ms:10ms -s 5 --test exact --shard 4/3 -o s.spk
    fails 2 "--shard needs --output FILE" episodes rec.txt -d 5ms:10ms -s 5 --test exact --shard 1/3
    fails 2 "--maxima makes no surrogates" episodes rec.txt -d 5ms:10ms -s 5 --test exact --maxima a --checkpoint b
    fails 2 "--jitter needs --test exact" patterns rec.txt --bin 5ms --window 5 --jitter 25ms
    fails 2 "--report core needs --test exact" patterns rec.txt --bin 5ms --window 5 --surrogates 9 --report core
    fails 2 "--test exact cannot go with --reduce: these belong to a test of signatures" patterns rec.txt --bin 5ms --window 5 --test exact --reduce 2,2,0
    fails 2 "less than two bins of 5ms" patterns rec.txt --bin 5ms --window 5 --test exact --jitter 9ms
    awk 'BEGIN { for (k = 0; k < 60; k++) printf "%.3f %d\n", k / 30, k % 3 }' >frames.txt
    fails 2 "jitter 25ms: a window of this length has less than two ticks of 33.3ms" episodes frames.txt -d 0:100ms -s 5 --test exact
    fails 2 "; try jitter 250ms" episodes frames.txt -d 0:100ms -s 5 --test exact
    "$SPIKEMINE" episodes frames.txt -d 0:100ms -s 5 --test exact --jitter 250ms --surrogates 9 >/dev/null
}

@test "scores of another job are refused with what differs" {
    find_episodes -q --surrogates 5 --shard 1/1 -o a.spk
    fails 2 "was made with seed 1, and this job has 2" episodes rec.txt --delay 8ms:12ms --support 5 --test exact \
        --jitter 50ms --seed 2 --maxima a.spk
    fails 2 "was made with support 5, and this job has 6" episodes rec.txt --delay 8ms:12ms --support 6 --test exact \
        --jitter 50ms --maxima a.spk
}

@test "too few surrogates are told" {
    find_episodes --surrogates 9 >out 2>err
    grep -qF "9 surrogates are too few for alpha 0.05" err
}

@test "what a result may be beside a sequence is told" {
    # a and b fire together within 2 ms, in either order; c follows after 5 ms.
    awk 'BEGIN { srand(3); for (k = 0; k < 300; k++) {
        t = k / 5 + rand() * 0.1; s = (rand() - 0.5) * 0.004
        printf "%.4f a\n%.4f b\n%.4f c\n", t, t + s, t + 0.005 } }' | sort -n >together.txt
    "$SPIKEMINE" episodes together.txt -d 0ms:3ms -d 3ms:8ms -s 30 --max-size 2 --test exact --jitter 50ms \
        --surrogates 19 --report all -o out 2>err
    [ "$(awk -F'\t' '$3 == "a (0,3ms] b" { print $10 }' out)" = synchrony ]
    [ "$(awk -F'\t' '$3 == "b (0,3ms] a" { print $10 }' out)" = synchrony ]
    [ "$(awk -F'\t' '$3 == "a (3ms,8ms] c" { print $10 }' out)" = - ]
    awk -F'\t' '$3 == "a (3ms,8ms] c" { exit !($11 < 1e-6) }' out
    awk -F'\t' '$3 == "a (0,3ms] b" { exit !($11 > 1e-6) }' out
    grep -qE ': both directions are significant in 2(,|$)' err
}

@test "figures say what the test found, with lags on one axis" {
    find_episodes -q --surrogates 19 --figure fig.svg -o out || skip "this build draws no figures"
    grep -qE "; $(($(wc -l <out) - 1)) of [0-9,]+ tested (is|are) significant \(p up to 0\.05\)<" fig.svg
    read -r count expected < <(awk -F '\t' -v OFS=' ' 'NR == 2 { printf "%d %.2g\n", $2, $4 }' out)
    grep -qF ">$count times, $expected by chance</text>" fig.svg
    grep -qF '>p 0.05, FDR 0.05</text>' fig.svg
    grep -q '>direction p ' fig.svg
    grep -qF '>Delay behind the unit above (ms)</text>' fig.svg
    find_patterns -q --surrogates 19 --figure fig.svg -o out --force --panels g
    grep -qF ' by chance</text>' fig.svg
    grep -qF '>Time from the start of the window (ms)</text>' fig.svg
    find_episodes -q --surrogates 19 --peel --figure fig.svg -o out --force --panels d
    grep -qF ' by chance</text>' fig.svg
    fails 2 "letters from a to d" episodes rec.txt --delay 8ms:12ms --support 5 --test exact --figure x.svg --panels e
    "$SPIKEMINE" patterns rec.txt --bin 5ms --window 10 --min-spikes 3 --support 5 --surrogates 19 -q \
        --report all --figure fig.svg -o out --force --panels h
    grep -q '>p [0-9.]*, corrected [0-9.]*</text>' fig.svg
}

# ---- given episodes ----------------------------------------------------------------------------------

# The planted step 0 -> 1 and its opposite, with what else a list may have.
count_given() {
    set -- "$@" --test exact --jitter 50ms --surrogates 99
    read -r a b _ <<<"$(planted)"
    "$SPIKEMINE" count rec.txt -e "$a (8ms,12ms] $b" -e "$b (8ms,12ms] $a" -e "$a (8ms,12ms] nobody" "$@"
}

@test "given episodes are tested, in their order, significant or not" {
    count_given >out 2>err
    head -n 1 out | grep -q "	direction_p	back	back_p	asymmetry	lags_s$"
    awk -F '\t' 'NR == 2 && $6 == 0.01 && $14 == "forward" && $15 > 0.0079 && $15 < 0.0121 { a = 1 }
        NR == 3 && $6 > 0.05 && $14 == "backward" && $15 > 0.0079 { b = 1 }
        NR == 4 && $2 == 0 && $6 == 1 && $14 == "-" && $15 == "-" { c = 1 }
        END { exit !(a && b && c && NR == 4) }' out
    [ "$(awk -F '\t' 'NR == 2 { print $12 }' out)" = "$(awk -F '\t' 'NR == 3 { print $2 }' out)" ]
    grep -q "1 of 3 given episodes is significant at 0.05" err
    grep -q "times the other way: this direction is more frequent" err
    # a list in a file is the same, and so is one thread
    tail -n +2 out | cut -f 3 >list.txt
    "$SPIKEMINE" count rec.txt -e list.txt --test exact --jitter 50ms --surrogates 99 --threads 1 -q | diff out -
    "$SPIKEMINE" count rec.txt -e list.txt --test exact --jitter 50ms --surrogates 99 --format json -q |
        jq -e '.provenance.threshold == 1' >/dev/null
}

@test "shards and a checkpoint of given episodes give the same rows" {
    count_given -q >whole
    count_given -q --shard 1/2 -o one.spk
    count_given -q --shard 2/2 -o two.spk
    "$SPIKEMINE" merge -q one.spk two.spk -o all.spk
    count_given -q --maxima all.spk | diff whole -
    count_given -q --checkpoint point.spk | diff whole -
    # of another list they mean nothing
    fails 2 "with given 3 episodes" count rec.txt -e '5 (8ms,12ms] nobody' --test exact --jitter 50ms \
        --surrogates 99 --maxima all.spk
}

@test "what does not go with given episodes is told before any work" {
    fails 2 "--jitter needs --test exact" count rec.txt -e '5 (8ms,12ms] 0' --jitter 50ms
    fails 2 "--checkpoint" count rec.txt -e '5 (8ms,12ms] 0' --checkpoint point.spk
    fails 2 "a test needs the whole recording on every rank" count rec.txt -e '5 (8ms,12ms] 0' --test exact \
        --divide time
    fails 2 "give a file with an episode on each line, or an episode" count rec.txt --test exact
    echo 5 >list.txt
    fails 2 "one unit each" count rec.txt -e list.txt --test exact
    fails 1 "a unit is missing" count rec.txt -e '5 (8ms,12ms]' --test exact
}
