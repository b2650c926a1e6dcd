#!/usr/bin/env bats
# spikemine explore: what it finds is what its commands find; what the time does not suffice for is told.

setup_file() {
    folder=$(mktemp -d)
    export folder
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
    grep -Eq "^    x -> y: [0-9]+ times, [0-9.]+ by chance, p 0.00[0-9]+" told.txt
    ! grep -q "left out" told.txt
    grep -q "^report: report.html" told.txt
    grep -q "spikemine-report" report.html
}

@test "its commands give the same results" {
    command=$(grep " episodes rec.txt" told.txt)
    [[ "$command" != *"--time"* && "$command" == *"--stop 30s"* ]]
    eval "$command" >table.tsv
    count=$(sed -n 's/^    x -> y: \([0-9]*\) times.*/\1/p' told.txt)
    awk -F '\t' -v n="$count" '$3 ~ /^x .* y$/ && $2 == n { found = 1 } END { exit !found }' table.tsv
    rows=$(tail -n +2 table.tsv | wc -l) # of which five are told
    [ "$(grep -c "by chance, p 0" told.txt)" -eq $((rows < 5 ? rows : 5)) ]
    command=$(grep " sequences rec.txt" told.txt)
    [[ "$command" == *"--surrogates 99"* ]]
}

@test "its commands are as a shell takes them" {
    cp rec.txt "it's my rec.txt"
    "$SPIKEMINE" explore "it's my rec.txt" --stop 30s --time 3000s -q --html "my report.html" >again.txt
    [ -s "my report.html" ]
    ! grep -q "spikemine .*report" again.txt
    eval "$(grep 'spikemine episodes ' again.txt)" >table.tsv
    eval "$(grep 'spikemine episodes ' told.txt)" | cmp - table.tsv
    [[ "$(grep 'spikemine sequences ' again.txt)" == *" sequences 'it'\\''s my rec.txt' --stop 30s "* ]]
}

@test "what the time does not suffice for is told, and there is no report without a result" {
    run "$SPIKEMINE" explore rec.txt --time 1us -q --html none.html
    [ "$status" -eq 0 ]
    [[ "$output" == *"left out for lack of time"*"the search for whole sequences did not end in time"* ]] ||
        [[ "$output" == *"left out for lack of time"*"The search for whole sequences did not end in time"* ]]
    [ ! -e none.html ]
}

@test "a report that exists stays, and no time is refused" {
    run "$SPIKEMINE" explore rec.txt
    [ "$status" -ne 0 ] && [[ "$output" == *"report.html"*"--force"* ]]
    run "$SPIKEMINE" explore rec.txt --time 0 --html other.html
    [ "$status" -eq 2 ] && [[ "$output" == *"must be above 0"* ]]
}
