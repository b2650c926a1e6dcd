#!/usr/bin/env bats
# What of a list of results is shown: --min-size, --distinct-units, --maximal, --closed, --top, --families.

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
    [ "$n" -eq 3098 ]
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
    fails 2 '--spectrum counts patterns' $patterns --spectrum 2d --top 3
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

@test "songbird: 11313 episodes are two families" {
    "$SPIKEMINE" episodes "$song" --sort -d 0:200ms -s 12 --families --figure song.svg \
        -o families.tsv --occurrences occ.tsv 2>err
    grep -q '^note: 2 families, 8 and 13 occurrences each, 23 units; 9933 of 11313 episodes are members$' err
    diff families.tsv - <<'END'
size	count	episode	members	family_occurrences	family_units
7	12	6 (0,200ms] 2 (0,200ms] 2 (0,200ms] 14 (0,200ms] 6 (0,200ms] 25 (0,200ms] 20	7421	8	5 1 7 10 12 6 2 17 25 14 20
6	12	38 (0,200ms] 45 (0,200ms] 42 (0,200ms] 46 (0,200ms] 47 (0,200ms] 60	2512	13	38 45 20 42 43 46 47 55 54 60 50 68
END
    [ -s song.svg ]
    # The occurrences are those of the best members.
    [ "$(wc -l <occ.tsv)" -eq 25 ]
    bird --families --top 1 -o one.tsv
    diff one.tsv <(head -2 families.tsv)
    # From other units on, and after another selection, the sequences are the same two.
    bird --families --distinct-units 3 --maximal | cut -f 6 >out
    grep -q '\b45\b.*\b46\b.*\b47\b.*\b60\b' out
    grep -q '\b6\b.*\b2\b.*\b25\b.*\b20\b' out
}

@test "families as JSON, and none where there are none" {
    bird --families --format json -o out.json
    grep -qF '"members":2512,"family_occurrences":13,"family_units":["38","45",' out.json
    "$SPIKEMINE" episodes rec.txt --columns time,unit --units A -d 0:20s -s 2 --families >out 2>err
    grep -q '^note: no families among 2 episodes$' err
    diff out <(printf 'size\tcount\tepisode\tmembers\tfamily_occurrences\tfamily_units\n')
}

@test "families of patterns, tested or not" {
    # A B C D in turn, and E F G H in turn; now and then one of them is silent.
    awk 'BEGIN { for (k = 0; k < 40; k++) { t = k * 0.5; s = k % 2 ? "ABCD" : "EFGH"
        for (p = 0; p < 4; p++) if (k % 16 != 2 * p + k % 2)
            printf "%.3f %s\n", t + p * 0.01, substr(s, p + 1, 1) } }' >two.txt
    patterns="$SPIKEMINE patterns two.txt --columns time,unit --bin 10ms --window 5
        --support 4 --families --distinct-units 3"
    $patterns -o plain.tsv 2>err
    grep -q '^note: 2 families, 8 and 8 occurrences each, 8 units; ' err
    cut -f 6- plain.tsv | diff - <(printf '%s\t%s\t%s\n' members family_occurrences family_units \
        "$(sed -n 2p plain.tsv | cut -f 6)" 8 "$(sed -n 2p plain.tsv | cut -f 8)" \
        "$(sed -n 3p plain.tsv | cut -f 6)" 8 "$(sed -n 3p plain.tsv | cut -f 8)")
    cut -f 8 plain.tsv | sort >units
    diff units <(printf 'A B C D\nE F G H\nfamily_units\n')
    $patterns --surrogates 30 --dither 200ms --report all --reduce 2,2,0 -q >tested.tsv
    diff <(cut -f 1-5 plain.tsv) <(cut -f 1-5 tested.tsv)
    head -1 tested.tsv | grep -q 'significant	kept	members	family_occurrences	family_units$'
    $patterns --format json -q | grep -qF '"family_units":["A","B","C","D"]'
}

@test "families of what an exact test leaves" {
    awk 'BEGIN { for (k = 0; k < 40; k++) { s = k % 2 ? "ABCD" : "EFGH"
        for (p = 0; p < 4; p++) printf "%.3f %s\n", k * 0.5 + p * 0.01, substr(s, p + 1, 1) } }' >two.txt
    "$SPIKEMINE" patterns two.txt --columns time,unit --bin 10ms --window 5 --support 10 -q \
        --test exact --null shift --history 800ms --jitter 200ms --surrogates 39 --families | awk -F '\t' '{ print $NF }' | sort >units
    diff units <(printf 'A B C D\nE F G H\nfamily_units\n')
    "$SPIKEMINE" episodes two.txt --columns time,unit -d 0:20ms -s 10 -q --test exact --null shift --history 800ms --jitter 200ms \
        --surrogates 39 --families >out
    head -1 out | grep -q '	fdr	.*members	family_occurrences	family_units	lags_s$'
    diff <(awk -F '\t' '{ print $(NF - 1) }' out | sort) units
}

@test "rows of a test in the order that is asked for" {
    for order in p count size; do
        bird --test exact --jitter 8/30s --surrogates 9 --report all --max-size 3 --order "$order" >out
        [ "$(wc -l <out)" -gt 20 ]
        tail -n +2 out | awk -F '\t' '{ print $2 "\t" $1 "\t" $6 }' >numbers # count, size, p
        case $order in p) key=3,3g ;; count) key=1,1gr ;; size) key=2,2gr ;; esac
        sort -c -t "$(printf '\t')" -s -k "$key" numbers
    done
    fails 2 "--order needs --test exact, --compare FILE or --compare-trials FILE" mine --order count
    fails 2 "--order cannot go with --families" mine --test exact --order count --families
}
