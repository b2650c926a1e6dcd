#!/usr/bin/env bats
# --html of episodes, count and patterns: the file, what goes with it, what does not, and failures.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    awk 'BEGIN { for (k = 0; k < 120; k++) { print k / 10, "A"; print k / 10 + 0.004 + k % 3 / 1000, "B"
        if (k % 2) print k / 10 + 0.012, "C" } }' | sort -g >rec.txt
    episodes="episodes rec.txt --columns time,unit -d 0:10ms -s 20"
    patterns="patterns rec.txt --columns time,unit --bin 4ms --window 5 --support 20"
    exact="--test exact --null interval-jitter --jitter 50ms --surrogates 19" # all units keep one beat
}

teardown() {
    cd /
    rm -rf "$folder"
}

# check FILE PYTHON: the data of a report, as JSON, are `d`.
check() {
    local file=$1
    shift
    sed -n '/id="spikemine-data">/,/<\/script>/p' "$file" |
        sed '1s/.*id="spikemine-data">//; s/<\/script>.*//' >data.json
    python3 -c "import json; d = json.load(open('data.json'))
$*" || { echo "not so in $file: $*"; return 1; }
}

fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err || status=$?
    [ "$status" -eq "$expected" ] && grep -qF -- "$text" err || { echo "$status"; cat err; return 1; }
    [ ! -s out ]
    [ ! -e r.html ]
}

@test "reports of episodes hold what the table holds, and open without a network" {
    "$SPIKEMINE" $episodes -q -o out.tsv --html r.html
    check r.html "assert d['kind'] == 'episodes' and d['test'] is None
table = [line.split('\t') for line in open('out.tsv').read().splitlines()[1:]]
assert 'the largest of %d events' % max(r[1] for r in d['rows']) in ' '.join(d['summary'])
assert sorted((str(r[1]), str(r[3]), r[0]) for r in d['rows']) == sorted(map(tuple, table))
assert ['delay', '0ms:10ms'] not in d['settings'] and ['delay', '0:10ms'] in d['settings']
assert d['title'] == 'rec.txt' and '--html r.html' in d['command'] and ['support', '20'] in d['settings']"
    [ "$(grep -c '<script' r.html)" -ge 2 ]
    ! grep -Eq '(src|href)="?(https?:)?//' r.html || false
    printf 'A (0,10ms] B\nB (0,10ms] C\n' >list.txt
    "$SPIKEMINE" count rec.txt --columns time,unit -e list.txt -q -o count.tsv --html count.html
    check count.html "assert [r[0] for r in d['rows']] == ['A (0,10ms] B', 'B (0,10ms] C']"
    mv r.html first.html
    rm out.tsv
    "$SPIKEMINE" $episodes -q -o out.tsv --html r.html
    cmp r.html first.html
}

@test "reports of tests have p-values, the null distribution, and what is significant" {
    "$SPIKEMINE" $episodes $exact -q --report all --jitter 20ms,50ms -o out.tsv --html r.html --figure fig.svg \
        --occurrences occ.tsv || "$SPIKEMINE" $episodes $exact -q --report all -o out.tsv --html r.html --force
    check r.html "t = d['test']; keys = [c['key'] for c in d['columns']]
assert t['method'] == 'exact' and len(t['largest_scores']) == len(t['scales']) > 0
assert all(len(column) == t['surrogates'] == 19 for column in t['largest_scores'])
assert t['significant'] == [r[keys.index('p')] <= t['alpha'] for r in d['rows']] and ['test', 'exact'] in d['settings']"
    "$SPIKEMINE" $episodes $exact -q --peel -o out.tsv --html r.html --force
    check r.html "assert 'round' in [c['key'] for c in d['columns']] and any('Counts are those' in note for note in d['notes'])"
    "$SPIKEMINE" $episodes $exact -q --report core --families --distinct-units 2 -o out.tsv --html r.html --force
    check r.html "assert 'family_units' in [c['key'] for c in d['columns']]"
    "$SPIKEMINE" $episodes -q --families --distinct-units 2 -o out.tsv --html r.html --force
    check r.html "assert 'family_units' in [c['key'] for c in d['columns']] and d['rows']"
}

@test "families are named as families, in reports and figures, and how their best member is found" {
    "$SPIKEMINE" $episodes -q --families -o out.tsv --html r.html --figure f.svg || skip "no figures"
    members=$(awk -F'\t' 'NR == 2 { print $4 }' out.tsv)
    [ "$(wc -l <out.tsv)" -eq 2 ]
    check r.html "assert '1 family ($members members) is listed by its best episode, of ' in ' '.join(d['summary'])
units = [r['units'] for r in d['results']]
assert any('repeat a unit' in n for n in d['notes']) == any(len(set(u)) < len(u) for u in units), d['notes']"
    grep -qF "; 1 family ($members members) by its best episode; not tested: counts only<" f.svg
    "$SPIKEMINE" $patterns -q --families --distinct-units 2 -o out.tsv --html r.html --figure f.svg --force
    check r.html "n = len(d['rows'])
assert any(s.startswith('%d famil' % n) and ' best pattern' in s for s in d['summary']), d['summary']"
    grep -Eq "; [0-9]+ famil(y|ies) .* best patterns?; not tested: counts only<" f.svg
}

@test "reports of patterns: plain, families, signatures, exact, peeled" {
    "$SPIKEMINE" $patterns -q -o out.tsv --html r.html
    check r.html "assert d['kind'] == 'patterns' and d['bin'] * d['recording']['tick_s'] == 0.004
assert len(d['rows']) == len(open('out.tsv').readlines()) - 1"
    "$SPIKEMINE" $patterns -q --families --distinct-units 2 -o out.tsv --html r.html --force
    check r.html "assert 'family_units' in [c['key'] for c in d['columns']]"
    "$SPIKEMINE" $patterns -q --surrogates 40 --spectrum 3d --report all --reduce 0,0,0 -o out.tsv --html r.html --force
    check r.html "t = d['test']; keys = [c['key'] for c in d['columns']]
assert t['method'] == 'signature' and t['spectrum'] and 'kept' in keys and ['reduce', '0,0,0'] in d['settings']
assert t['significant'] == [r[keys.index('kept')] == 'yes' for r in d['rows']]"
    "$SPIKEMINE" $patterns $exact -q --report all -o out.tsv --html r.html --force
    check r.html "assert d['test']['method'] == 'exact' and len(d['test']['largest_scores'][0]) == 19"
    "$SPIKEMINE" $patterns $exact -q --peel -o out.tsv --html r.html --force
    check r.html "assert 'round' in [c['key'] for c in d['columns']]"
}

@test "limits are options, and told in the file" {
    "$SPIKEMINE" $episodes -q -o out.tsv --html r.html --html-rows 2 --html-occurrences 100
    check r.html "assert len(d['rows']) == 2 and len(d['occurrences']['v']) <= 100
assert any('first 2 of' in note for note in d['notes']) and any('occurrences' in note for note in d['notes'])"
}

@test "what does not go with it is refused before any work" {
    fails 2 "must end in .html" $episodes --html r.pdf
    fails 1 "nofolder/r.html: cannot write" $episodes --html nofolder/r.html
    fails 2 "--html-rows needs --html" $episodes --html-rows 5
    fails 2 "--html cannot go with --compare" $episodes --compare rec.txt --html r.html
    fails 2 "--html cannot go with --compare-trials" $patterns --compare-trials rec.txt --html r.html
    fails 2 "--html cannot go with --calibrate" $patterns $exact --calibrate 3 --html r.html
    fails 2 "--spectrum 2d cannot go with --html" $patterns --spectrum 2d --html r.html
    fails 2 "--input-format transactions cannot go with --html" patterns rec.txt --input-format transactions \
        --html r.html
    fails 2 "goes there; choose another file" $episodes -o r.html --html r.html
    touch old.html
    fails 1 "--html old.html: exists already" $episodes --html old.html
}

@test "a full disk is told, and nothing is left" {
    ln -s /dev/full full.html
    run "$SPIKEMINE" $episodes -q -o out.tsv --html full.html
    [ "$status" -eq 1 ]
    [[ "$output" == *"full.html: writing failed"* ]]
    (ulimit -f 2; ! "$SPIKEMINE" $episodes -q -o /dev/null --html r.html 2>err)
    [ ! -e r.html ]
    [ -z "$(find . -name '.*' -type f)" ]
}

@test "the report of the macaque recording is at most 5 MB" {
    awk '{ printf "%d\t%s\n", $1 * 200 + 0.5, $2 }' "$SOURCE_DIR/data/movement_PGHF.spikes.txt" | sort -n >macaque.txt
    "$SPIKEMINE" episodes macaque.txt --columns time,unit --time-unit samples@200 -d 0ms:5ms -d 5ms:10ms -d 10ms:15ms \
        -s 50 -q -o /dev/null --html macaque.html
    [ "$(stat -c %s macaque.html)" -le 5000000 ]
}
