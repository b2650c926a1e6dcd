#!/usr/bin/env bats
# spikemine explore: what it finds is what its commands find; what the time does not suffice for is told.

setup_file() {
    folder=$(mktemp -d)
    export folder
    export PATH="$(dirname "$SPIKEMINE"):$PATH" # commands are told by name
    cd "$folder"
    # y fires 3 ms after x, 80 times; two spikes a second of a to d beside.
    awk 'BEGIN {
        srand(5)
        for (k = 0; k < 80; k++) {
            t = 30 * rand()
            printf "%.4f x\n%.4f y\n", t, t + 0.003 + 0.001 * rand()
        }
        for (u = 0; u < 4; u++)
            for (i = 0; i < 60; i++)
                printf "%.4f %c\n", 30 * rand(), 97 + u
    }' | sort -n >rec.txt
    "$SPIKEMINE" explore rec.txt --stop 30s --time 3000s -q >told.txt
}

teardown_file() {
    rm -rf "$folder"
}

setup() {
    cd "$folder"
}

@test "sentences tell what is in it, what was chosen, and what was found" {
    grep -q "6 units with 400 spikes in " told.txt
    grep -q "sets of delays were tried on 400 spikes" told.txt
    grep -Eq "episodes with delays of 0 to [0-9.]+ ms.* (is|are) significant" told.txt
    ! grep -v "^  [^ ]*spikemine " told.txt | grep -Eq "[0-9]:[0-9.]+ms" || false
    grep -Eq "^    x -> y: [0-9]+ times, [0-9.]+ by chance, p 0.00[0-9]+" told.txt
    ! grep -q "left out" told.txt || false
    grep -q "^report: rec.report.html$" told.txt
    grep -q "spikemine-report" rec.report.html
}

@test "its commands give the same results" {
    command=$(grep " episodes rec.txt" told.txt)
    [[ "$command" != *"--time"* && "$command" == *"--stop 30s"* ]]
    [[ "$command" == "  spikemine episodes "* ]] # whatever the folder that it was called from
    mkdir "bin dir" && ln -s "$SPIKEMINE" "bin dir/spikemine"
    "bin dir/spikemine" explore rec.txt --time 1us -q --html path.html | grep -q "^  spikemine episodes rec.txt"
    eval "$command" >table.tsv
    count=$(sed -n 's/^    x -> y: \([0-9]*\) times.*/\1/p' told.txt)
    awk -F '\t' -v n="$count" '$3 ~ /^x .* y$/ && $2 == n { found = 1 } END { exit !found }' table.tsv
    rows=$(tail -n +2 table.tsv | wc -l) # of which five are told
    [ "$(grep -c "by chance, p 0" told.txt)" -eq $((rows < 5 ? rows : 5)) ]
    command=$(grep " sequences rec.txt" told.txt)
    [[ "$command" == *"--surrogates 99 --alpha 0.025"* ]]
    grep -q "^  Half of the level of 0.05 is for episodes, and half for whole sequences" told.txt
}

@test "its commands are as a shell takes them" {
    cp rec.txt "it's my rec.txt"
    "$SPIKEMINE" explore "it's my rec.txt" --stop 30s --time 3000s -q --html "my report.html" >again.txt
    [ -s "my report.html" ]
    ! grep -q "spikemine .*my report" again.txt || false
    eval "$(grep 'spikemine episodes ' again.txt)" >table.tsv
    eval "$(grep 'spikemine episodes ' told.txt)" | cmp - table.tsv
    [[ "$(grep 'spikemine sequences ' again.txt)" == *" sequences 'it'\\''s my rec.txt' --stop 30s "* ]]
}

@test "rates that change together are told where whole sequences were found" {
    "$SPIKEMINE" simulate probe --seed 1 --units 7 --duration 10s --rate 6 --sequences 1 --modulation 0.8 \
        --modulation-rate 0.3 -o wave.txt -q
    "$SPIKEMINE" explore wave.txt --time 1000s -q --html wave.html >wave.told
    [ "$(grep -c "Rates of units do change together here" wave.told)" -eq 1 ]
    [ "$(grep -c "do change together here" told.txt)" -eq 0 ]
}

@test "findings come first, then what to be careful about, then how; each once" {
    [ "$(grep -E '^[a-z].*:$' told.txt | head -4 | tr '\n' ' ')" = \
        "the recording: what was found: what to be careful about: how it was tested: " ]
    [ "$(sed -n '/^what was found/,/^$/p' told.txt | grep -c ' by chance, p ')" -ge 1 ]
    [ "$(grep -c "rates rise and fall together" told.txt)" -eq 1 ]
    [ "$(grep -v '^$' told.txt | sort | uniq -d | wc -l)" -eq 0 ]
    "$SPIKEMINE" explore rec.txt --stop 30s --time 3000s --html noted.html 2>&1 >/dev/null | grep "^note: " >noted.txt || true
    ! grep -q "rates rise" noted.txt || false
    [[ "$(grep ' episodes rec.txt' told.txt)" == *" --report core --families "* ]]
}

@test "the first lines say how much of it was tested" {
    sed -n '/^the recording:/,/^$/p' told.txt | grep -q "^  Episodes were tested in all of it, and whole sequences looked for, with all 6 units$"
    "$SPIKEMINE" explore rec.txt --time 30ms -q --html part.html >part.txt
    sed -n '/^the recording:/,/^$/p' part.txt | grep -Eq "^  Episodes.* were tested in its first [0-9.]+ s of [0-9.]+ s \([0-9]+ %\).*, with all 6 units$"
}

@test "what repeats a unit, or goes both ways, is told as a number of its kind, behind sequences" {
    # a -> b -> c is a sequence; d fires in bursts of three at its end.
    awk 'BEGIN {
        srand(8)
        for (k = 0; k < 70; k++) {
            t = 40 * rand()
            printf "%.4f a\n%.4f b\n%.4f c\n", t, t + 0.003 + 0.001 * rand(), t + 0.006 + 0.001 * rand()
            for (i = 0; i < 3; i++) printf "%.4f d\n", t + 0.009 + 0.002 * i + 0.0005 * rand()
        }
    }' | sort -n >bursts.txt
    "$SPIKEMINE" explore bursts.txt --time 3000s -q >bursts.out
    found=$(sed -n '/^what was found:/,/^$/p' bursts.out)
    grep -Eq "^  [0-9,]+ of the [0-9,]+ may be (a sequence|sequences) of different units in one direction; in [0-9,]+ a unit repeats, so that rhythm or a burst" <<<"$found"
    grep -Eq "^  .* core: .*( famil(y|ies), of which 1|them; 1 of them) may be a sequence$" <<<"$found"
    grep -q "by chance, p .*, more often in this order than back" <<<"$found"
    # The episode is the whole sequence that stands above: each of its 70 occurrences is at the times of that.
    grep -q "^    a -> b -> c -> d: 4 units " <<<"$found"
    [ "$(grep -A 1 " by chance, p " <<<"$found" | tail -1)" = \
        "      (4 of its 4 units and 70 of its 70 occurrences are those of a -> b -> ... above)" ]
    ! grep -q "by chance, p .*a unit repeats" <<<"$found" || false
}

@test "a pair that is significant in both directions is told in one line" {
    awk 'BEGIN { # v fires 3 ms after u, or u after v
        srand(1)
        for (k = 0; k < 240; k++) {
            t = 120 * rand()
            printf "%.4f %s\n%.4f %s\n", t, k % 2 ? "u" : "v", t + 0.002 + 0.002 * rand(), k % 2 ? "v" : "u"
            printf "%.4f w\n%.4f u\n%.4f v\n", 120 * rand(), 120 * rand(), 120 * rand()
        }
    }' | sort -n >pair.txt
    "$SPIKEMINE" explore pair.txt --time 3000s -q >pair.out
    grep -Eq "^    [uv] .*[uv]: [0-9]+ times, .* by chance, p [0-9.]+, both directions: synchrony \(back [0-9]+ times, .* by chance, p [0-9.]+\)" pair.out
    [ "$(grep -Ec "^    [uv] .*[uv]: " pair.out)" -eq 1 ]
}

@test "a doubt of the unit of time stands before everything else" {
    awk '$1 < 8 { printf "%.7f %s\n", $1 / 1000, $2 }' rec.txt >fast.txt
    "$SPIKEMINE" explore fast.txt --time 100ms -q >fast.out
    head -2 fast.out | grep -q "is the unit of time right"
    [ "$(head -1 fast.out)" = "check this first:" ]
    [ "$(grep -c "is the unit of time right" fast.out)" -eq 1 ]
    sed -n '/id="spikemine-data">/,/<\/script>/p' fast.report.html | grep -o '"summary":\["[^"]*' | grep -q "unit of time"
}

@test "times of another unit, on a grid of 1e9 s, are searched all the same, behind a doubt" {
    "$SPIKEMINE" sample -q
    awk '$2 + 0 == $2 { printf "%.0f000000000 %s\n", $1 * 30, $2 }' songbird_spikes.txt >song.txt
    "$SPIKEMINE" explore song.txt --columns time,unit --time 500ms -q >long.out
    head -2 long.out | grep -q "is the unit of time right"
    grep -Eq "episodes with delays of 0 to [0-9]*000000000 s are significant" long.out
}

@test "one spike is one spike, and labels of floats are read as numbers" {
    printf 'time_s,unit\n0.1,3.0\n0.2,3.0\n0.5,4.0\n' >tiny.csv
    "$SPIKEMINE" explore tiny.csv --time 1s -q --force >tiny.out
    ! grep -Eq "(^|[^0-9.,])1 [a-z]+s\>" <(grep -v spikemine tiny.out) || false
    awk '{ printf "%s %d.0\n", $1, index("abcdxy", $2) }' rec.txt >floats.txt
    "$SPIKEMINE" explore floats.txt --stop 30s --time 3000s -q | grep -Eq "^    5 -> 6: [0-9]+ times, "
}

@test "however short the time is, something is tested, and what is left out is told" {
    run "$SPIKEMINE" explore rec.txt --time 1us -q --html hasty.html
    [ "$status" -eq 0 ]
    [[ "$output" == *"what was found"*"x -> y: "*"left out for lack of time"*"Episodes of three units and more"* ]]
    [ -s hasty.html ]
}

@test "its own report is replaced, and no other file" {
    mkdir own && cd own
    awk '$1 < 10' ../rec.txt >rec.txt
    "$SPIKEMINE" explore rec.txt --time 3000s -q >first.txt
    cp rec.report.html first.html
    "$SPIKEMINE" explore rec.txt --time 3000s -q --seed 2 >second.txt
    grep -q "^report: rec.report.html, in place of " second.txt
    ! cmp -s rec.report.html first.html || false
    for file in named foreign; do
        [ "$file" = foreign ] && echo mine >rec.report.html
        [ "$file" = named ] && "$SPIKEMINE" explore rec.txt --time 3000s -q --html rec.report.html --force
        cp rec.report.html before.html
        run "$SPIKEMINE" explore rec.txt
        [ "$status" -ne 0 ]
        [[ "$output" == *"rec.report.html"*"--force"* ]]
        cmp rec.report.html before.html
    done
    cp first.html mine.html
    run "$SPIKEMINE" explore rec.txt --html mine.html
    [ "$status" -ne 0 ]
    [[ "$output" == *"mine.html"*"--force"* ]]
    run "$SPIKEMINE" explore rec.txt --time 0 --html other.html
    [ "$status" -eq 2 ]
    [[ "$output" == *"must be above 0"* ]]
}

@test "the report has the commands, and the sequences beside the episodes" {
    sed -n '/id="spikemine-data">/,/<\/script>/p' rec.report.html | sed -e '1s/.*id="spikemine-data">//' -e '$s/<\/script>.*//' >data.json
    python3 - <<'END'
import json
report = json.load(open("data.json"))
told = open("told.txt").read()
assert len(report["again"]) == 2 and all(f"\n  {line}\n" in told for line in report["again"])
assert [line for line in report["notes"] if "rates rise and fall together" in line] == report["notes"][:1]
assert any("sets of delays were tried" in line for line in report["method"])
assert not any(" by chance, p " in line for line in report["summary"] + report["notes"] + report["method"])
sequences = report["sequences"]
assert sequences["kind"] == "sequences" and len(sequences["rows"]) == len(sequences["results"])
END
}

@test "times that go backwards are put in order, and its commands say so" {
    sort -k2,2 rec.txt >grouped.txt
    run "$SPIKEMINE" info grouped.txt
    [ "$status" -ne 0 ]
    [[ "$output" == *"--sort"* ]]
    "$SPIKEMINE" explore grouped.txt --stop 30s --time 3000s -q >again.txt
    grep -q "^  The times were not in order and have been sorted" again.txt
    [[ "$(grep " episodes grouped.txt" again.txt)" == *" --sort" ]]
    diff <(eval "$(grep " episodes grouped.txt" again.txt)") <(eval "$(grep " episodes rec.txt" told.txt)")
    ! grep -q -e "--sort" told.txt || false
}

@test "commands of a beginning name the units that --min-rate left" {
    # "la,te" fires at the end alone: --min-rate would leave it out of the beginning.
    awk 'BEGIN {
        srand(3)
        for (u = 0; u < 3; u++)
            for (i = 0; i < 1000; i++)
                printf "%.4f %c\n", 100 * rand(), 97 + u
        for (i = 0; i < 300; i++)
            printf "%.4f \"la,te\"\n", 80 + 20 * rand()
        print "5.0 rare"
    }' | sort -n >long.txt
    "$SPIKEMINE" explore long.txt --min-rate 0.5 --time 1us >part.txt 2>/dev/null
    again=$(grep " episodes long.txt" part.txt)
    [[ "$again" == *" --stop "*" --units 'a,b,c,\"la,te\"' "* && "$again" != *"--min-rate"* ]]
    eval "$again --format json -q" >again.json
    [ "$(jq '.provenance.levels[0].candidates' again.json)" = 4 ]
    # Of all of it this is the same.
    awk 'NR % 3 == 0' long.txt >few.txt
    "$SPIKEMINE" explore few.txt --min-rate 0.5 --time 3000s -q >whole.txt
    grep " episodes few.txt" whole.txt | grep -q -e " --min-rate 0.5 "
}

@test "progress says what is done, and how many of how many" {
    awk '$2 == "y" { printf "%.4f z\n", $1 + 0.005 } { print }' rec.txt | sort -n >three.txt
    script -qc "TERM=xterm '$SPIKEMINE' explore three.txt --time 3000s --html again.html" terminal.txt >/dev/null
    grep -Eq "step 1 of 3 \(delays\), sets of delays: [0-9]+ of 12" terminal.txt
    grep -Eq "step 2 of 3 \(test of episodes\), surrogates: [0-9]+ of [0-9]+" terminal.txt
    grep -Eq "step 3 of 3 \(sequences, round 1 of up to 10\), surrogates: [0-9]+ of [0-9]+" terminal.txt
}

@test "there is a recording to try it with, in any folder" {
    mkdir try && cd try
    "$SPIKEMINE" sample 2>said.txt
    grep -q "next: spikemine explore songbird_spikes.txt" said.txt
    "$SPIKEMINE" explore songbird_spikes.txt --time 1us 2>said.txt | grep -q "^  74 units with 3,336 spikes in 22.2 s"
    grep -q "^note: up to 1us of work: sets" said.txt
    grep -q "^# .*MIT licence" songbird_spikes.txt
    awk '!/^#/ && !/^time_s/ { print $2 "\t" $1 }' songbird_spikes.txt | sort |
        cmp - <(sort "$SOURCE_DIR/data/songbird_spikes.txt")
    run "$SPIKEMINE" sample
    [ "$status" -ne 0 ]
    [[ "$output" == *"songbird_spikes.txt"*"--force"* ]]
    "$SPIKEMINE" sample -o other.txt 2>&1 | grep -q "next: spikemine explore other.txt"
    cmp songbird_spikes.txt other.txt
    run "$SPIKEMINE" sample one.txt -o two.txt
    [ "$status" -eq 2 ]
    [[ "$output" == *"OUT is given twice: one.txt and --output two.txt"* ]]
    [ ! -e one.txt ]
}
