#!/usr/bin/env bats
# Outputs whose names ask for compression.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    awk 'BEGIN { srand(1); for (i = 0; i < 6000; i++) printf "%.5f %d\n", i / 1000, rand() * 20 }' >rec.txt
    episodes="episodes rec.txt --columns time,unit -d 0:50ms -s 20 -q --max-size 2"
    if ! "$SPIKEMINE" $episodes -o probe.gz 2>err; then
        [ ! -e probe.gz ]
        grep -q "probe.gz: this build has no libarchive to compress with" err
        skip "this build does not compress"
    fi
}

teardown() {
    cd /
    rm -rf "$folder"
}

# unpack FILE: by the programs that users have.
unpack() {
    case $1 in
    *.gz*) gzip -dc <"$1" ;;
    *.bz2*) bzip2 -dc <"$1" ;;
    *.xz*) xz -dc <"$1" ;;
    *.zst*) zstd -dcq <"$1" ;;
    esac
}

@test "every kind of file and of compression, the same bytes each time" {
    "$SPIKEMINE" $episodes -o table --occurrences occ
    "$SPIKEMINE" simulate sym26 --duration 2s -o sym --truth truth
    for ending in gz bz2 xz zst; do
        "$SPIKEMINE" $episodes -o table.$ending --occurrences occ.$ending
        "$SPIKEMINE" simulate sym26 --duration 2s -o sym.$ending --truth truth.$ending
        for file in table occ sym truth; do
            unpack $file.$ending | cmp - $file
            [ "$(stat -c %s $file.$ending)" -lt "$(stat -c %s $file)" ]
        done
        "$SPIKEMINE" info sym.$ending | grep -v -e ^recording -e sha256 >info
        "$SPIKEMINE" info sym | grep -v -e ^recording -e sha256 | diff - info
    done
    sleep 1.1 # a clock that a file holds would tell
    for ending in gz bz2 xz zst; do
        cp table.$ending before
        "$SPIKEMINE" $episodes -o table.$ending --force
        cmp before table.$ending
    done
}

@test "several members are one file, zeros may follow, and anything else behind them is damage" {
    head -n 3000 rec.txt >a
    tail -n +3001 rec.txt >b
    head -c 512 /dev/zero >zeros
    for tool in gzip bzip2 xz zstd; do
        command -v "$tool" >/dev/null || continue
        "$tool" -c -q a >a.packed
        "$tool" -c -q b >b.packed
        cat a.packed b.packed >both
        [ "$("$SPIKEMINE" info both -q --columns time,unit --format json | jq .events)" -eq 6000 ]
        "$SPIKEMINE" info - -q --columns time,unit --format json <both | cmp - <(
            "$SPIKEMINE" info - -q --columns time,unit --format json < <(cat both))
        { cat a.packed; printf '\x01'; tail -c +2 b.packed; } >damaged
        for file in damaged -; do
            run "$SPIKEMINE" info "$file" -q --columns time,unit <damaged
            [ "$status" -eq 1 ]
            [[ "$output" == *"fetch or compress it again"* ]]
        done
        [ "$tool" != zstd ] || continue # asks for whole frames
        cat both zeros >padded
        [ "$("$SPIKEMINE" info padded -q --columns time,unit --format json | jq .events)" -eq 6000 ]
    done
    : | gzip -c >none.gz
    run "$SPIKEMINE" info none.gz
    [[ "$output" == *"none.gz: is empty; give lines of time and unit"* ]]
}

@test "what is written compressed, count reads back" {
    "$SPIKEMINE" $episodes -o table.tsv
    "$SPIKEMINE" $episodes -o table.tsv.xz
    "$SPIKEMINE" count rec.txt --columns time,unit -e table.tsv.xz | cmp - table.tsv
}

@test "what is complete when a signal comes can be read" {
    awk 'BEGIN { srand(1); for (i = 0; i < 60000; i++) printf "%.5f %d\n", i / 1000, rand() * 40 }' >big.txt
    job="episodes big.txt --columns time,unit -d 0:50ms -s 20 -q"
    for ending in gz zst; do
        "$SPIKEMINE" $job --engine reference --threads 1 -o out.$ending --occurrences occ.$ending 2>err &
        pid=$!
        sleep 1
        kill -TERM $pid
        status=0
        wait $pid || status=$?
        [ $status -eq 143 ]
        [ ! -e out.$ending ]
        size=$(sed -n 's/^note: .*all frequent episodes up to size \([0-9]*\) are here/\1/p' err | head -n 1)
        "$SPIKEMINE" $job --max-size "$size" -o all --occurrences all.occ --force
        unpack out.$ending.incomplete | sed '$d' | cmp - all
        unpack occ.$ending.incomplete | sed '$d' | cmp - all.occ
        unpack out.$ending.incomplete | tail -n 1 | grep -q '^# incomplete: interrupted'
    done
}

@test "a full disk is told through the compression" {
    [ -w /dev/full ] || skip "there is no /dev/full"
    ln -s /dev/full full.gz
    status=0
    "$SPIKEMINE" $episodes -o full.gz 2>err || status=$?
    [ $status -eq 1 ]
    grep -q "full.gz: writing failed: No space left on device" err
}
