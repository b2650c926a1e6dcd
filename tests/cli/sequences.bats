#!/usr/bin/env bats
# spikemine sequences: tables that tell the same, the same result for any number of threads, what is refused.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # Units a to e every 15 ms, 20 times, a spike missing now and then; two spikes a second beside.
    awk 'BEGIN {
        srand(5)
        for (k = 0; k < 20; k++)
            for (m = 0; m < 5; m++)
                if ((k + m) % 5 != 4)
                    printf "%.4f %c\n", 0.5 + 0.9 * k + 0.015 * m + 0.006 * (rand() - 0.5), 97 + m
        for (u = 0; u < 10; u++)
            for (i = 0; i < 40; i++)
                printf "%.4f %c\n", 20 * rand(), 97 + u
    }' | sort -n >rec.txt
}

teardown() {
    cd /
    rm -rf "$folder"
}

@test "members, occurrences and JSON tell the same" {
    run "$SPIKEMINE" sequences rec.txt -n 19 -o members.tsv --occurrences when.tsv --stop 20s
    [ "$status" -eq 0 ]
    [[ "$output" == *"a -> b -> c -> d -> e: 5 units in "*" times, p 0.05"* ]]
    "$SPIKEMINE" sequences rec.txt -n 19 -f json -q --stop 20s >all.json
    [ "$(tail -n +2 members.tsv | awk '$1 == 1' | cut -f 5 | tr '\n' ' ')" = "a b c d e " ]
    [ "$(jq -r '[.sequences[0].members[].unit] | join(" ")' all.json)" = "a b c d e" ]
    [ "$(jq '.sequences[0].occurrences | length' all.json)" = "$(awk '$1 == 1' when.tsv | wc -l)" ]
    [ "$(jq '[.sequences[0].occurrences[] | .missing] | add' all.json)" = \
      "$(awk '$1 == 1 { n += $6 } END { print n }' when.tsv)" ]
    [ "$(jq '[.sequences[0].occurrences[].times_s[] | select(. == null)] | length' all.json)" = \
      "$(awk '$1 == 1 { n += $6 } END { print n }' when.tsv)" ]
    [ "$(jq '.sequences[0].occurrences[].p' all.json)" = "$(awk -F '\t' '$1 == 1 { print $5 }' when.tsv)" ]
    [ "$(jq -r .format all.json)" = "spikemine sequences 1" ]
    [ "$(jq .complete all.json)" = true ]
}

@test "a sequence that --longest-lag may have cut is told" {
    run "$SPIKEMINE" sequences rec.txt -n 19 -o one.tsv --longest-lag 70ms --max-sequences 1
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 sequence may go on: --longest-lag 70ms has no room for one more step"* ]]
    run "$SPIKEMINE" sequences rec.txt -n 19 -o two.tsv --max-sequences 1
    [ "$status" -eq 0 ]
    [[ "$output" != *"may go on"* ]]
}

@test "lengths that are not given follow a coarse clock, and are told" {
    "$SPIKEMINE" sample -q
    for given in "" "--longest-lag 32/30s" "--jitter 8/30s"; do
        "$SPIKEMINE" sequences songbird_spikes.txt --stop 8s $given -n 3 --alpha 0.3 --max-sequences 1 -f json -o out.json --force 2>err
        grep -q "steps of more than 6.25 ms, so that this is a search with --longest-lag 32/30s --jitter 8/30s" err
        jq -c '[.longest_lag, .jitter, .sequences]' out.json >>found
    done
    "$SPIKEMINE" sequences songbird_spikes.txt --stop 8s -l 32/30s -j 8/30s -n 3 --alpha 0.3 --max-sequences 1 -f json \
        -o out.json --force 2>err
    ! grep "6.25 ms" err || false
    jq -c '[.longest_lag, .jitter, .sequences]' out.json >>found
    [ "$(uniq found | wc -l)" -eq 1 ]
    "$SPIKEMINE" sequences rec.txt --stop 5s -n 3 --max-sequences 1 -f json -o fine.json 2>err
    ! grep "6.25 ms" err || false
    [ "$(jq -c '[.longest_lag, .jitter]' fine.json)" = "$(jq -n -c '["200ms", "50ms"]')" ]
}

@test "rates that change together are told, where the null takes them for an answer" {
    "$SPIKEMINE" simulate probe --seed 1 --units 12 --duration 30s --rate 6 --sequences 1 --modulation 0.8 \
        --modulation-rate 0.3 -o wave.txt -q
    options="-l 100ms -n 19 --max-sequences 1 -o out.tsv --force"
    "$SPIKEMINE" sequences wave.txt $options 2>&1 | grep -q "rates of units change together.*--null shift"
    [ "$("$SPIKEMINE" sequences wave.txt $options --null shift 2>&1 | grep -c "change together")" = 0 ]
    [ "$("$SPIKEMINE" sequences rec.txt -n 19 -o steady.tsv --stop 20s 2>&1 | grep -c "change together")" = 0 ]
}

@test "threads change nothing" {
    "$SPIKEMINE" sequences rec.txt -n 5 --alpha 0.5 -q -t 1 --occurrences - -o /dev/null >one.tsv
    "$SPIKEMINE" sequences rec.txt -n 5 --alpha 0.5 -q -t 3 --occurrences - -o /dev/null >three.tsv
    cmp one.tsv three.tsv
}

@test "chance has none, and says so" {
    awk 'BEGIN { srand(2); for (i = 0; i < 200; i++) print 20 * rand(), i % 5 }' | sort -n >chance.txt
    run "$SPIKEMINE" sequences chance.txt -n 19
    [ "$status" -eq 0 ]
    [[ "$output" == *"no sequence: the best one of the recording has p = "* ]]
}

@test "every null hypothesis is one of surrogates" {
    printf '%s\n' '0 5' '5 10' '10 15' >trials
    for null in interval-jitter pattern-jitter shift trials shift-apart; do
        "$SPIKEMINE" sequences rec.txt --trials trials -n 1 -q --null "$null" --max-sequences 1 -f json --alpha 1 >out.json
        [ "$(jq -r .null out.json)" = "$null" ]
    done
    "$SPIKEMINE" sequences rec.txt -n 1 -q --max-sequences 1 -f json --alpha 1 >out.json
    [ "$(jq -r .null out.json)" = shift-apart ]
}

@test "what is refused" {
    run "$SPIKEMINE" sequences rec.txt --history 5ms
    [ "$status" -eq 2 ]
    [[ "$output" == *"--history needs --null pattern-jitter or --null shift"* ]]
    run "$SPIKEMINE" sequences rec.txt --longest-lag 1ms
    [ "$status" -ne 0 ]
    [[ "$output" == *"a jitter of "*"at most 4 times the longest lag"* ]]
    run "$SPIKEMINE" sequences rec.txt --longest-lag inf
    [ "$status" -ne 0 ]
    [[ "$output" == *"take a shorter longest lag"* ]]
    run "$SPIKEMINE" sequences rec.txt --null papyrus
    [ "$status" -eq 2 ]
    run "$SPIKEMINE" sequences rec.txt --alpha 2
    [ "$status" -eq 2 ]
    run "$SPIKEMINE" sequences rec.txt -o rec.txt
    [ "$status" -ne 0 ]
    [[ "$output" == *rec.txt* ]]
    run "$SPIKEMINE" sequences rec.txt -n 5 --occurrences no/where.tsv
    [ "$status" -ne 0 ]
}

@test "trials that cannot be dealt anew are refused, as in an exact test" {
    run "$SPIKEMINE" sequences rec.txt --null trials -n 5
    [ "$status" -eq 2 ]
    [[ "$output" == *"no two of them"*"name its trials"* ]]
    printf '%s\n' '0 5' '5 10' '10 18' >trials
    run "$SPIKEMINE" sequences rec.txt --null trials --trials trials -n 5 --shard 1/2 -o out.spk
    [ "$status" -eq 2 ]
    [[ "$output" == *"theirs are of 5 to 8 s"* ]]
    [ ! -e out.spk ]
    printf '%s\n' '0 5' '5 10' '10 15' >trials
    run "$SPIKEMINE" sequences rec.txt --null trials --trials trials -n 5
    [ "$status" -eq 0 ]
    [[ "$output" == *"only 3 trials are dealt anew"* ]]
    [ "$(grep -c "dealt anew: few" <<<"$output")" -eq 1 ]
}

@test "windows of one tick, in which nothing moves, are refused; too few surrogates are told" {
    run "$SPIKEMINE" sequences rec.txt -j 0.1ms --null interval-jitter -n 5
    [ "$status" -eq 2 ]
    [[ "$output" == *"a jitter of at least 2 ticks of the recording"* ]]
    run "$SPIKEMINE" sequences rec.txt -n 5 --max-sequences 1
    [ "$status" -eq 0 ]
    [[ "$output" == *"5 surrogates are too few for alpha 0.05: no p-value can be below 0.167"* ]]
}

@test "shards and checkpoints of each round give what one run gives" {
    find="sequences rec.txt -n 7 --alpha 0.3 --max-sequences 2 -q -t 1 --occurrences -"
    "$SPIKEMINE" $find -o one.tsv >one.when
    "$SPIKEMINE" $find -o kept.tsv --checkpoint kept.spk >kept.when
    for k in 2 1; do "$SPIKEMINE" sequences rec.txt -n 7 --shard $k/2 -q -o first$k.spk; done
    "$SPIKEMINE" merge first1.spk first2.spk -q -o first.spk
    cmp first.spk kept.spk
    for k in 1 2; do
        "$SPIKEMINE" sequences rec.txt -n 7 --alpha 0.3 --maxima first.spk --shard $k/2 -q -o second$k.spk \
            --checkpoint half$k.spk
        cmp second$k.spk half$k.spk.round-2
    done
    "$SPIKEMINE" merge second1.spk second2.spk -q -o second.spk
    cmp second.spk kept.spk.round-2
    "$SPIKEMINE" $find -o joined.tsv --maxima first.spk --maxima second.spk >joined.when
    "$SPIKEMINE" $find -o again.tsv --checkpoint kept.spk >again.when
    "$SPIKEMINE" $find -o half.tsv --maxima first.spk >half.when
    for name in kept joined again half; do cmp one.when $name.when; cmp one.tsv $name.tsv; done
}

@test "surrogates of another job, and rounds that cannot be, are refused" {
    "$SPIKEMINE" sequences rec.txt -n 7 --shard 1/1 -q -o first.spk
    run "$SPIKEMINE" sequences rec.txt -n 7 --seed 2 --maxima first.spk -q -o out.tsv
    [ "$status" -ne 0 ]
    [[ "$output" == *"was made with seed 1, and this job has 2"* ]]
    [ ! -e out.tsv ]
    run "$SPIKEMINE" sequences rec.txt -n 7 --alpha 0.01 --maxima first.spk --maxima first.spk -o out.tsv
    [ "$status" -eq 0 ]
    [[ "$output" == *"the scores of round 2 are of no use"*"ends with round 1"* ]]
    rm out.tsv
    run "$SPIKEMINE" sequences rec.txt -n 7 --alpha 0.01 --maxima first.spk --shard 1/2 -q -o out.spk
    [ "$status" -ne 0 ]
    [[ "$output" == *"round 1 accepts no sequence, with p = "* ]]
    [ ! -e out.spk ]
    run "$SPIKEMINE" sequences rec.txt --shard 1/2
    [ "$status" -eq 2 ]
    [[ "$output" == *"-o shard1.spk"* ]]
    run "$SPIKEMINE" sequences rec.txt --shard 1/2 -o -
    [ "$status" -eq 2 ]
    [[ "$output" == *"-o shard1.spk"* ]]
    run "$SPIKEMINE" sequences rec.txt -n 7 --shard 1/2 -o half.spk --figure fig.svg
    [ "$status" -eq 0 ]
    [[ "$output" == *"the file of --figure comes from"* ]]
    [ ! -e fig.svg ]
    run "$SPIKEMINE" sequences rec.txt --shard 3/2 -o out.spk
    [ "$status" -eq 2 ]
}

@test "a report has the members and the occurrences of the tables" {
    "$SPIKEMINE" sequences rec.txt -n 19 -q -o members.tsv --occurrences when.tsv --html report.html
    sed -n '/id="spikemine-data">/,/<\/script>/p' report.html | sed -e '1s/.*id="spikemine-data">//' -e '$s/<\/script>.*//' >data.json
    [ "$(jq -r .kind data.json)" = sequences ]
    [ "$(jq -r '[.parts[0].rows[0][][0]] | join(" ")' data.json)" = "a b c d e" ]
    [ "$(jq '.parts[1].rows[0] | length' data.json)" = "$(awk '$1 == 1' when.tsv | wc -l)" ]
    if "$SPIKEMINE" sequences rec.txt -n 19 -q --force -o members.tsv --figure f.svg; then # of a build with figures
        grep -qF ">rec.txt<" f.svg
        grep -q "10 units, [0-9,]* spikes; [0-9]* searches of 19 surrogates" f.svg
        tr -d '\n' <f.svg | sed 's/<[^>]*>/ /g; s/  */ /g' | grep -Eq "[0-9] sequences? with p up to 0.05"
    fi
    run "$SPIKEMINE" sequences rec.txt -n 19 --html report.pdf
    [ "$status" -ne 0 ]
    [[ "$output" == *"must end in .html"* ]]
    run "$SPIKEMINE" sequences rec.txt -n 19 --html-rows 3
    [ "$status" -eq 2 ]
    [[ "$output" == *"--html-rows needs --html"* ]]
}

@test "an exact test of episodes that finds nothing names sequences" {
    hint="spikemine sequences finds such sequences"
    test_of() { "$SPIKEMINE" episodes "$@" -s 3 --max-size 3 --test exact --jitter 50ms --surrogates 19 2>&1 >/dev/null; }
    grep -v '[a-e]$' rec.txt >noise.txt
    [[ "$(test_of noise.txt -d 10ms:11ms)" == *" 0 of "*"$hint"* ]]
    [[ "$(test_of rec.txt -d 5ms:25ms)" != *"$hint"* ]]
}
