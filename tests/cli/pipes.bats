#!/usr/bin/env bats
# Standard output of every command: a reader that goes away (| head) is no error, a full disk is.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    printf '%s\n' "1 A" "2 A" "5 B" "8 B" "10 A" "13 A" "15 C" "18 B" "20 C" >rec.txt
    printf 'A (0,5s] B\n' >list.txt
    printf '0 5\n5 10\n10 21\n' >trials.txt
    printf 'x\ny\ny\n' >labels.txt
    printf '# spikemine maxima 1\n# version: 0\n# spectrum: 2d\n# surrogates: 1\n# shard: 1/1\n# done: 1\n' >all.spk
    printf 'surrogate\tsize\tduration\tcount\n1\t2\t0\t9\n' >>all.spk
    printf '# sha256: %s\n' "$(sha256sum <all.spk | cut -d ' ' -f 1)" >>all.spk
}

teardown() {
    cd /
    rm -rf "$folder"
}

# A line for every way to print: the command, a colon, its arguments.
prints() {
    cat <<'END'
overview: --help
version: --version
help: help
help: help --man
help: episodes --help
completion: completion bash
completion: completion zsh
completion: completion fish
info: info rec.txt --columns time,unit
info: info rec.txt --columns time,unit --format json --per-unit
info: info rec.txt rec.txt --columns time,unit
info: info rec.txt rec.txt --columns time,unit --format json
info: info rec.txt rec.txt --columns time,unit --units-table
episodes: episodes rec.txt -q -d 0:5s -s 1
episodes: episodes rec.txt -q -d 0:5s -s 1 --format json
episodes: episodes rec.txt -q -d 0:5s -s 1 -o table.tsv --occurrences - --force
episodes: episodes rec.txt -q -d 0:5s -s 1 --maximal --top 3
episodes: episodes rec.txt -q -d 0:5s -s 1 --families
episodes: episodes rec.txt -q -d 0:5s -s 1 --test exact --jitter 4s --surrogates 2 --peel
episodes: episodes rec.txt -q -d 0:5s -s 1 --test exact --jitter 4s --surrogates 2 --calibrate 2
episodes: episodes rec.txt -q -d 0:5s -s 1 --trials trials.txt --compare-trials labels.txt --report all --alpha 0.5
count: count rec.txt -e list.txt
live: live rec.txt -q --speed max -d 0:5s -s 1 --partition 10s --step 5s
live: live rec.txt -q --speed max -d 0:5s -s 1 --partition 10s --step 5s --format table
watch: watch rec.txt -q --speed max -e list.txt
watch: watch rec.txt -q --speed max -e list.txt --format table
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3 --format json
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3 --spectrum 3d
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3 -o table.tsv --occurrences - --force
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3 -q --surrogates 2 --dither 2s --report all
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3 -q --surrogates 2 --dither 2s -o table.tsv --pvalues - --force
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3 -q --maximal --top 3
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3 -q --families
patterns: patterns rec.txt --columns time,unit --bin 1s --window 3 -q --test exact --jitter 4s --surrogates 2 --peel
sequences: sequences rec.txt --columns time,unit -q -l 4s -j 8s -n 1 --alpha 1
sequences: sequences rec.txt --columns time,unit -q -l 4s -j 8s -n 1 --alpha 1 --format json
sequences: sequences rec.txt --columns time,unit -q -l 4s -j 8s -n 1 --alpha 1 -o table.tsv --occurrences - --force
explore: explore rec.txt --columns time,unit -q --time 1us --html explored.html
plan episodes: plan episodes rec.txt -d 0:5s -s 1 --ranks 1,2 --measure 200ms
plan episodes: plan episodes rec.txt -d 0:5s -s 1 --measure 200ms --json
plan patterns: plan patterns rec.txt --columns time,unit --bin 1s --window 3 --measure 200ms
plan patterns: plan patterns rec.txt --columns time,unit --bin 1s --window 3 --measure 200ms --json
merge: merge all.spk
simulate sym26: simulate sym26 --duration 3s
simulate sym26: simulate sym26 --duration 3s -o sym26.txt --truth - --force
simulate network: simulate network --duration 3s
simulate probe: simulate probe --duration 20s --repeats 10
simulate culture: simulate culture --events 2000
formats: formats
formats: formats --format json
sample: sample -
convert: convert rec.txt - --columns time,unit
convert: convert rec.txt - --columns time,unit --to text
engines: engines
bench episodes: bench episodes rec.txt -d 0:5s -s 1 --runs 1 --engines sweep,fsm
bench patterns: bench patterns rec.txt --columns time,unit --bin 1s --window 3 --runs 1
END
}

# for_each OUTPUT FUNCTION: runs every line of prints, its standard output being file descriptor 7.
for_each() {
    local arguments status
    while IFS=: read -r _ arguments; do
        status=0
        # shellcheck disable=SC2086
        "$SPIKEMINE" $arguments >&7 2>err || status=$?
        if ! "$@" "$status"; then
            echo "spikemine $arguments: status $status"
            cat err
            return 1
        fi
    done < <(prints)
}

ends_well() {
    [ "$1" -eq 0 ] && ! grep -q '^spikemine' err
}

tells_of_the_disk() {
    [ "$1" -eq 1 ] && [ "$(grep -c '^spikemine: .*is the disk full?$' err)" -eq 1 ] || return 1
}

# nobody_reads: file descriptor 7 becomes a pipe whose reader is gone.
nobody_reads() {
    exec 7> >(:)
    wait $!
}

@test "every command is tried here" {
    "$SPIKEMINE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z0-9 ]*[a-z0-9]\)  .*/\1/p' >commands
    [ "$(wc -l <commands)" -ge 10 ]
    while read -r command; do
        case $command in
        simulate | bench | plan | tune) continue ;; # have kinds; needs a GPU
        surrogates) continue ;; # prints nothing
        esac
        prints | grep -q "^$command:" || {
            echo "no line for $command"
            return 1
        }
    done <commands
}

@test "nobody reads" {
    nobody_reads
    for_each ends_well
}

@test "a reader that has seen enough" {
    while IFS=: read -r _ arguments; do
        # shellcheck disable=SC2086
        "$SPIKEMINE" $arguments 2>err | head -n 1 >line
        [ "${PIPESTATUS[0]}" -eq 0 ]
        [ "$(wc -l <line)" -eq 1 ]
        ! grep '^spikemine' err || false
    done < <(prints)
}

@test "a full disk" {
    [ -w /dev/full ] || skip "there is no /dev/full"
    exec 7>/dev/full
    for_each tells_of_the_disk
}

@test "what else was asked for is written all the same" {
    episodes="episodes rec.txt -q -d 0:5s -s 1"
    patterns="patterns rec.txt --columns time,unit --bin 1s --window 3"
    "$SPIKEMINE" $episodes -o episodes.tsv --occurrences episodes.occ 2>/dev/null
    "$SPIKEMINE" $patterns -o patterns.tsv --occurrences patterns.occ 2>/dev/null
    nobody_reads
    for job in episodes patterns; do
        "$SPIKEMINE" ${!job} --occurrences half.occ --force >&7 2>/dev/null
        cmp half.occ $job.occ
        "$SPIKEMINE" ${!job} -o half.tsv --occurrences - --force >&7 2>/dev/null
        cmp half.tsv $job.tsv
    done
    [ -z "$(find . -name '*.tmp')" ]
}

@test "a search ends when nobody reads" {
    # Candidates without end: only the reader ends it.
    awk 'BEGIN { for (i = 0; i < 20000; i++) print i / 1000, i % 40 }' >long.txt
    nobody_reads
    timeout 60 "$SPIKEMINE" episodes long.txt --columns time,unit -d 0:100ms -d 100ms:200ms -s 1 \
        >&7 2>/dev/null
}
