#!/usr/bin/env bats
# Long runs of surrogates: killed, interrupted, out of space, in shards; the result stays the same.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    recording=$SOURCE_DIR/data/movement_PGHF.spikes.txt
    # Half a second or more of surrogates; fewer where processors are emulated.
    n=30
    awk -v s="${SPIKEMINE_TEST_SCALE:-1}" 'BEGIN { exit !(s > 0 && s < 0.05) }' && n=20
    job="patterns $recording --columns time,unit --bin 5ms --window 20 --support 60 --min-spikes 3
        --surrogates $n --surrogate-method dither-spikes --dither 15ms --seed 7"
}

teardown() {
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :
    cd /
    [ -z "$folder" ] || rm -rf "$folder"
}

# run_all OPTION...: the maxima of the job go to all.spk.
run_all() {
    "$SPIKEMINE" $job --shard 1/1 -q "$@"
}

# How many times something is done: all of them, or a share in checks that repeat much.
scaled() {
    awk -v n="$1" -v s="${SPIKEMINE_TEST_SCALE:-1}" 'BEGIN { n *= s > 0 ? s : 1; print n < 2 ? 2 : int(n) }'
}

nothing_is_left() {
    [ -z "$(find . -name '*.tmp')" ]
}

# done_in FILE: surrogates that it holds.
done_in() {
    sed -n 's/^# done: //p' "$1"
}

@test "killed at random moments and resumed, the result is the same to the byte" {
    began=$(date +%s%N)
    run_all -o expected.spk
    took=$((($(date +%s%N) - began) / 1000000)) # however slow the machine is, a run may end or not
    kills=0
    wanted=$(scaled 20)
    while [ $kills -lt "$wanted" ]; do
        rm -f check.spk all.spk
        while [ ! -e all.spk ]; do
            "$SPIKEMINE" $job --shard 1/1 --threads $((1 + RANDOM % 3)) -q --checkpoint check.spk \
                -o all.spk &
            pid=$!
            sleep "$(awk -v r=$RANDOM -v t=$took 'BEGIN { printf "%.3f", t * r / 32768 / 1000 }')"
            kill -KILL $pid 2>/dev/null || :
            status=0
            wait $pid || status=$?
            pid=
            [ $status -eq 0 ] || [ $status -eq 137 ] || [ -n "$(ls all.spk)" ]
            kills=$((kills + (status == 137)))
        done
        cmp all.spk expected.spk
        cmp check.spk expected.spk
    done
}

@test "Ctrl-C leaves a checkpoint, and tells how to go on" {
    status=0
    all=$((n / 2))
    while [ $status -eq 0 ] && [ $all -lt 10000 ]; do # a run that ends before the signal shows nothing
        job=${job/surrogates $all/surrogates $((2 * all))}
        all=$((2 * all))
        rm -f check.spk all.spk
        env --default-signal=INT "$SPIKEMINE" $job --shard 1/1 --threads 1 --checkpoint check.spk \
            -o all.spk 2>err &
        pid=$!
        for _ in $(seq 200); do # until something is there
            [ ! -e check.spk ] || [ "$(done_in check.spk)" -eq 0 ] || break
            sleep 0.05
        done
        kill -INT $pid 2>/dev/null || :
        wait $pid || status=$?
        pid=
    done
    [ $status -eq 130 ]
    [ ! -e all.spk ]
    nothing_is_left
    kept=$(done_in check.spk)
    [ "$kept" -gt 0 ]
    [ "$kept" -lt $all ]
    grep -q "interrupted after $kept of $all surrogates, which check.spk keeps; the same command goes on" err
    "$SPIKEMINE" $job --shard 1/1 --checkpoint check.spk -o all.spk 2>err
    grep -q "^note: check.spk: $kept of $all surrogates are there already" err
    run_all -o expected.spk
    cmp all.spk expected.spk
}

@test "a signal that ends the program on the spot leaves the checkpoint, and no lock beside it" {
    job=${job/surrogates $n/surrogates 2000}
    "$SPIKEMINE" $job --shard 1/1 --threads 1 --checkpoint check.spk -q -o all.spk &
    pid=$!
    for _ in $(seq 200); do
        [ ! -e check.spk ] || break
        sleep 0.05
    done
    [ -e check.spk.lock ]
    kill -USR1 $pid
    status=0
    wait $pid || status=$?
    pid=
    [ $status -eq 138 ]
    [ "$(find . -type f)" = ./check.spk ]
}

@test "threads and shards change no byte, and merge says what comes next" {
    run_all --threads 1 -o one.spk
    run_all --threads 2 -o two.spk
    cmp one.spk two.spk
    for k in 3 1 2; do
        "$SPIKEMINE" $job --shard $k/3 -q -o shard$k.spk
    done
    "$SPIKEMINE" merge shard*.spk -q -o all.spk
    cmp all.spk one.spk
}

@test "a full disk is an error, and the old checkpoint stays whole" {
    printf '%s\n' "1 A" "2 B" "5 A" "8 B" "10 A" "13 B" >small.txt
    job="patterns small.txt --columns time,unit --bin 1s --window 2 --support 2
        --surrogates 2000 --surrogate-method dither-spikes --dither 2s --seed 7"
    # The thread sanitizer keeps its own notes in files.
    (ulimit -f 8 && "$SPIKEMINE" $job --shard 1/1 -q -o /dev/null) || skip "does not run with small files only"
    status=0
    (
        ulimit -f 8 # blocks of 1024 bytes: more than the head, less than the result
        exec env --default-signal=XFSZ "$SPIKEMINE" $job --shard 1/1 --checkpoint check.spk -o all.spk 2>err
    ) || status=$?
    [ $status -eq 1 ]
    grep -q '^spikemine: check.spk: writing failed' err
    [ ! -e all.spk ]
    nothing_is_left
    [ "$(done_in check.spk)" -lt 2000 ]
    run_all -o expected.spk
    run_all --checkpoint check.spk -o all.spk
    cmp all.spk expected.spk
}

# refused TEXT [CHANGE]: the small job, with its options changed by sed, does not take check.spk.
refused() {
    local status=0 changed
    changed=$(sed "${2:-}" <<<"$small")
    "$SPIKEMINE" $changed -q --checkpoint check.spk -o new.spk 2>err || status=$?
    if [ $status -eq 0 ] || ! grep -qF -- "$1" err || [ -e new.spk ]; then
        echo "status $status, expected a failure with '$1':"
        cat err
        return 1
    fi
}

@test "a checkpoint of another job, a damaged or a foreign one is refused and stays" {
    small="${job/surrogates $n/surrogates 2} --shard 1/1"
    "$SPIKEMINE" $small -q --checkpoint check.spk -o all.spk
    cp check.spk before
    refused "made with seed 7, and this job has 8" 's/--seed 7/--seed 8/'
    refused "made with dither 15ms, and this job has 25ms" 's/--dither 15ms/--dither 25ms/'
    refused "made with window 20, and this job has 19" 's/--window 20/--window 19/'
    refused "made with recording sha256" 's/--seed/--stop 1s --seed/'
    refused "is of shard 1/1, and this is shard 2/4" 's,--shard 1/1,--shard 2/4,'
    refused "is of a job of 2 surrogates, more than the 1" 's/--surrogates 2/--surrogates 1/'
    cmp check.spk before
    printf 'x' >>check.spk
    refused "is cut off or was changed"
    head -c 500 before >check.spk
    refused "is cut off"
    sed 's/^1\t\([0-9]*\)\t/1\t9\1\t/' before >check.spk
    refused "is damaged"
    sed '1s/1/7/' before >check.spk
    refused "has format 7, which is newer"
    cp "$recording" check.spk
    refused "is no file of maxima"
    cmp check.spk "$recording"
}

@test "maxima from a file test as those that were just made, and only of the same job" {
    plain=${job/surrogates $n/surrogates 10}
    "$SPIKEMINE" $plain -q -o made.tsv
    "$SPIKEMINE" $plain --shard 1/1 -q -o all.spk
    "$SPIKEMINE" $(sed 's/--surrogates 10//' <<<"$plain") -q --maxima all.spk -o read.tsv
    cmp made.tsv read.tsv
    "$SPIKEMINE" $plain --shard 2/3 -q -o shard.spk
    for change in 's/--seed 7/--seed 8/' 's/--window 20/--window 19/' 's/--min-spikes 3/--min-spikes 2/'; do
        status=0
        "$SPIKEMINE" $(sed "s/--surrogates 10//;$change" <<<"$plain") -q --maxima all.spk -o new.tsv 2>err ||
            status=$?
        [ $status -ne 0 ]
        grep -q "^spikemine: all.spk: was made with " err
    done
    status=0
    "$SPIKEMINE" $(sed 's/--surrogates 10//' <<<"$plain") -q --maxima shard.spk -o new.tsv 2>err || status=$?
    [ $status -ne 0 ]
    grep -q "shard.spk: is shard 2 of 3 only; join all of them first" err
    [ ! -e new.tsv ]
}
