#!/usr/bin/env bats
# What of a list of results is shown: --min-size, --distinct-units, --maximal, --closed, --top.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    song=$SOURCE_DIR/data/songbird_spikes.txt
    # A B C four times, 1 s apart, and B C twice alone.
    for t in 10 20 30 40; do
        printf '%s\n' "$t A" "$((t + 1)) B" "$((t + 2)) C"
    done >rec.txt
    printf '%s\n' "50 B" "51 C" "60 B" "61 C" >>rec.txt
}

teardown() {
    cd /
    rm -rf "$folder"
}

mine() {
    "$SPIKEMINE" episodes rec.txt --columns time,unit -d 0:2s -s 2 -q "$@"
}

bird() {
    "$SPIKEMINE" episodes "$song" --sort -d 0:200ms -s 12 -q "$@"
}

# fails STATUS TEXT COMMAND...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat err
        return 1
    fi
}

@test "the example: all, maximal, closed, large, diverse and best episodes" {
    mine >all.tsv
    [ "$(wc -l <all.tsv)" -eq 8 ]
    mine --maximal >out
    diff out - <<'END'
size	count	episode
2	4	A (0,2s] C
3	4	A (0,2s] B (0,2s] C
END
    mine --closed >out
    diff out - <<'END'
size	count	episode
2	6	B (0,2s] C
2	4	A (0,2s] C
3	4	A (0,2s] B (0,2s] C
END
    mine --min-size 3 >out
    diff out <(head -1 all.tsv; grep '^3' all.tsv)
    mine --distinct-units 2 >out
    diff out <(grep -v '^1' all.tsv)
    mine --top 2 >out
    diff out - <<'END'
size	count	episode
3	4	A (0,2s] B (0,2s] C
2	6	B (0,2s] C
END
}

@test "options go together, and the list says how much it leaves out" {
    mine --closed --min-size 2 --top 1 >out
    diff out - <<'END'
size	count	episode
3	4	A (0,2s] B (0,2s] C
END
    "$SPIKEMINE" episodes rec.txt --columns time,unit -d 0:2s -s 2 --maximal >/dev/null 2>err
    grep -q '^note: 2 of 7 episodes are listed$' err
    mine --min-size 9 >out
    diff out <(printf 'size\tcount\tepisode\n')
}

@test "JSON keeps the table of intervals, whatever is listed" {
    "$SPIKEMINE" episodes rec.txt --columns time,unit -d 3s:4s -d 0:2s -s 2 -q --format json \
        --top 1 >out
    grep -qF '"delays": ["(3s,4s]", "(0,2s]"]' out
    grep -qF '"units": ["A", "B", "C"], "delays": [1, 1]' out
    "$SPIKEMINE" episodes rec.txt --columns time,unit -d 3s:4s -d 0:2s -s 2 -q --format json \
        --min-size 2 >out
    grep -qF '"delays": ["(3s,4s]", "(0,2s]"]' out
}

@test "songbird: through four units, as counted by another program" {
    bird -o all.tsv
    bird --distinct-units 4 -o four.tsv
    n=$(awk -F '\t' 'NR > 1 {
        n = 0; split("", seen); m = split($3, part, " ")
        for (k = 1; k <= m; k += 2) if (!(part[k] in seen)) { seen[part[k]]; n++ }
        if (n >= 4) many++ } END { print many }' all.tsv)
    [ "$n" -eq 2766 ]
    [ "$(wc -l <four.tsv)" -eq "$((n + 1))" ]
    # In the order of the whole list.
    diff four.tsv <(grep -xFf four.tsv all.tsv)
}

@test "songbird: nothing that is listed lies in anything else" {
    bird --maximal --min-size 5 -o maximal.tsv
    bird --min-size 5 -o all.tsv
    # By definition: all parts of five units and more are what lies in something.
    awk -F '\t' 'NR == 1 { next }
        { m = split($3, part, " ")
          line[NR] = $3
          for (n = 5; 2 * n - 1 < m; n++)
              for (first = 1; first + 2 * n - 2 <= m; first += 2) {
                  text = part[first]
                  for (k = first + 1; k <= first + 2 * n - 2; k++) text = text " " part[k]
                  inside[text]
              }
        }
        END { for (k = 2; k <= NR; k++) if (!(line[k] in inside)) print line[k] }' all.tsv >expected
    [ "$(wc -l <expected)" -gt 1000 ]
    [ "$(wc -l <expected)" -lt 4000 ]
    diff expected <(cut -f 3 maximal.tsv | tail -n +2)
}

@test "the limit on rows is one on what is listed" {
    bird --top 5 --max-results 5 -o five.tsv
    [ "$(wc -l <five.tsv)" -eq 6 ]
    fails 1 '--max-results 5 allows' bird --top 6 --max-results 5 -o six.tsv
    [ ! -e six.tsv ]
}

@test "the result does not depend on threads and passes" {
    bird --closed --top 500 --threads 1 -o one.tsv
    bird --closed --top 500 --threads 2 --two-pass on -o two.tsv
    cmp one.tsv two.tsv
}

@test "patterns: the same options" {
    patterns="$SPIKEMINE patterns rec.txt --columns time,unit --bin 1s --window 4 -q"
    $patterns --moving-window-filter off >all
    grep -qF 'A@0 B@1 C@2' all
    $patterns --maximal >out
    diff out - <<'END'
spikes	occurrences	neurons	duration	pattern
3	4	3	2	A@0 B@1 C@2
END
    $patterns --moving-window-filter off --min-spikes 1 --closed | cut -f 5 | sort >out
    diff out - <<'END'
A@0 B@1 C@2
B@0 C@1
pattern
END
    $patterns --top 1 --min-size 2 | cut -f 5 >out
    diff out <(printf 'pattern\nA@0 B@1 C@2\n')
    $patterns --distinct-units 3 | cut -f 5 >out
    diff out <(printf 'pattern\nA@0 B@1 C@2\n')
    # shellcheck disable=SC2086
    fails 2 '--spectrum counts all patterns' $patterns --spectrum 2d --top 3
}

@test "patterns that were tested: what is listed keeps its p-value and verdict" {
    test="$SPIKEMINE patterns rec.txt --columns time,unit --bin 1s --window 4 -q --surrogates 20
        --dither 5s --report all --reduce 2,2,0"
    $test >all
    $test --top 1 >one
    $test --maximal >maximal
    diff one <(head -1 all; grep 'A@0 B@1 C@2' all)
    diff maximal one
}
