#!/usr/bin/env bats
# The shards of a significance test: joined when they are all there and of one job, else told apart.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    for k in 1 2 3; do
        shard $k/3 5ms >shard$k.spk
    done
}

teardown() {
    cd /
    rm -rf "$folder"
}

# with_sum: standard input, and its checksum as the format has it.
with_sum() {
    cat >body
    cat body
    printf '# sha256: %s\n' "$(sha256sum <body | cut -d ' ' -f 1)"
    rm body
}

# head SHARD BIN DONE [FORMAT]
head_of() {
    printf '# spikemine maxima %s\n# version: 0.1.0\n# bin: %s\n# spectrum: 2d\n' "${4:-1}" "$2"
    printf '# surrogates: 8\n# shard: %s\n# done: %s\n' "$1" "$3"
    printf 'surrogate\tsize\tduration\tcount\n'
}

# shard I/N BIN: surrogates I, I + N, ... of 8, the fourth without any pattern.
shard() {
    local k rows='' done=0
    for ((k = ${1%/*}; k <= 8; k += ${1#*/})); do
        if [ $k -eq 4 ]; then
            rows+="4\t0\t0\t0\n"
        else
            rows+="$k\t2\t0\t$((20 + k))\n$k\t3\t0\t$((10 + k))\n"
        fi
        done=$((done + 1))
    done
    { head_of "$1" "$2" $done; printf "$rows"; } | with_sum
}

# refuses TEXT FILE...: status 1, one line with TEXT, nothing written.
refuses() {
    local status=0 text=$1
    shift
    "$SPIKEMINE" merge "$@" -o new.spk 2>err || status=$?
    if [ $status -ne 1 ] || ! grep -qF -- "$text" err || [ "$(wc -l <err)" -ne 1 ] || [ -e new.spk ]; then
        echo "status $status, expected 1 with '$text':"
        cat err
        return 1
    fi
}

@test "shards join to what one run would have written, in any order" {
    shard 1/1 5ms >expected
    "$SPIKEMINE" merge shard3.spk shard1.spk shard2.spk -o all.spk 2>err
    cmp all.spk expected
    grep -q '^note: 3 shards joined: 8 surrogates, none missing; .*--maxima all.spk' err
    "$SPIKEMINE" merge shard*.spk -q | cmp - expected
    "$SPIKEMINE" merge all.spk -q | cmp - expected
}

@test "compressed shards are read and written" {
    shard 1/1 5ms >expected
    if ! "$SPIKEMINE" merge shard*.spk -q -o all.spk.gz 2>err; then
        grep -q "this build has no libarchive" err
        skip "this build does not compress"
    fi
    gzip -dc all.spk.gz | cmp - expected
    gzip shard2.spk
    "$SPIKEMINE" merge shard1.spk shard3.spk - -q <shard2.spk.gz | cmp - expected
}

@test "missing and doubled shards are named" {
    refuses "of 3 shards these are missing: 2; " shard1.spk shard3.spk
    refuses "of 3 shards these are missing: 1, 2; " shard3.spk
    cp shard2.spk again.spk
    refuses "again.spk: is shard 2/3, and so is shard2.spk" shard1.spk shard2.spk shard3.spk again.spk
    { head_of 2/3 5ms 1; printf '2\t0\t0\t0\n'; } | with_sum >shard2.spk
    refuses "shard2.spk: 2 of the 3 surrogates of shard 2/3 are missing" shard1.spk shard2.spk shard3.spk
}

@test "shards of another job are refused with both values" {
    shard 2/3 7ms >shard2.spk
    refuses "shard2.spk: was made with bin 7ms, and shard1.spk has 5ms" shard1.spk shard2.spk shard3.spk
    shard 2/4 5ms >shard2.spk
    refuses "shard2.spk: is one of 4 shards, and shard1.spk one of 3" shard1.spk shard2.spk shard3.spk
}

@test "damaged, foreign, older and newer files are refused with a reason" {
    for k in 1 40 100 150 200; do
        { head -c $((k - 1)) shard2.spk; printf '~'; tail -c +$((k + 1)) shard2.spk; } >bad.spk
        refuses "bad.spk: " shard1.spk bad.spk shard3.spk
        head -c $k shard2.spk >bad.spk
        refuses "bad.spk: " shard1.spk bad.spk shard3.spk
    done
    printf '0.1 A\n0.2 B\n' >rec.txt
    refuses "rec.txt: is no file of maxima" shard1.spk rec.txt
    head_of 2/3 5ms 0 0 | with_sum >old.spk
    refuses "old.spk: has format 0, which is older" shard1.spk old.spk
    head_of 2/3 5ms 0 2 | with_sum >new.bad
    refuses "new.bad: has format 2, which is newer" shard1.spk new.bad
    : >empty.spk
    refuses "empty.spk: is empty" empty.spk
    refuses "none.spk: " none.spk
}

@test "no shard is overwritten, and no file without --force" {
    cp shard2.spk before
    status=0
    "$SPIKEMINE" merge shard*.spk -o shard2.spk --force 2>err || status=$?
    [ $status -eq 2 ]
    grep -q "is a shard that is read" err
    cmp shard2.spk before
    echo precious >all.spk
    status=0
    "$SPIKEMINE" merge shard*.spk -o all.spk 2>err || status=$?
    [ $status -eq 1 ]
    grep -qx precious all.spk
    "$SPIKEMINE" merge shard*.spk -q -o all.spk --force
    [ "$(wc -l <all.spk)" -gt 10 ]
}
