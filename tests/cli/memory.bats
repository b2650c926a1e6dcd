#!/usr/bin/env bats
# The memory limit as users meet it: what --max-memory refuses, what it takes, compressed files.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    # sanitizers take memory of their own, and terabytes of address space
    sanitized=no
    ! grep -qaE "__(asan|tsan|msan)_init" "$SPIKEMINE" || sanitized=yes
}

teardown() {
    cd /
    rm -rf "$folder"
}

# fails STATUS TEXT ARGUMENT...
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

# The most memory, in MB, that a command had at a time, 0 with a sanitizer; its talk lies in `err`.
peak() {
    python3 - $sanitized "$@" <<'END'
import resource, subprocess, sys
with open('err', 'w') as talk:
    subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=talk, check=False)
print(0 if sys.argv[1] == 'yes' else resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000)
END
}

events() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%.3f u%d\n", i / 1000, i % 7 }'
}

@test "a size is at least a byte, and bytes are whole" {
    events 10 >rec.txt
    for size in 0.5 1.5 0 0.0001k -3 nan inf 1e400 "" 4X; do
        fails 2 "such as 400M or 4G" info rec.txt --max-memory "$size"
    done
    "$SPIKEMINE" info rec.txt --max-memory 4.5k >out
    fails 1 "over the memory limit of 1 bytes" info rec.txt --max-memory 1
}

@test "reading asks before it takes" {
    events 300000 >rec.txt
    fails 1 "over the memory limit of 2.00 MB; raise --max-memory" info rec.txt --max-memory 2M
    grep -q "^spikemine: events: " err
    fails 1 "over the memory limit" episodes rec.txt -d 0:5ms -s 10 --max-memory 2M -o out.tsv
    fails 1 "over the memory limit" patterns rec.txt --bin 5ms --max-memory 2M -o out.tsv
    [ ! -e out.tsv ]
    "$SPIKEMINE" info rec.txt --max-memory 6M | grep -q "^events	300000"
}

@test "windows that are too wide are refused before they are made" {
    events 60000 >rec.txt
    [ "$(peak "$SPIKEMINE" patterns rec.txt --bin 1ms --window 20000 --max-memory 100M)" -lt 60 ]
    grep -q "window items: .* over the memory limit of 100 MB" err
}

@test "a transaction with a large item, and one without an end" {
    echo "4294967290" >large.txt
    fails 1 "larger than any that can be read (999999)" patterns large.txt --input-format transactions
    echo "500000000" >large.txt
    [ "$(peak "$SPIKEMINE" patterns large.txt --input-format transactions --window 1000 --support 1 --max-memory 100M)" -lt 140 ]
    grep -q "memory limit" err
    yes 1 | tr '\n' ' ' | head -c 100000000 >endless.txt
    [ "$(peak "$SPIKEMINE" patterns endless.txt --input-format transactions --max-memory 50M)" -lt 80 ]
    grep -q "window items: .* over the memory limit" err
}

@test "a file without an end in place of trials" {
    events 100 >rec.txt
    [ "$(peak "$SPIKEMINE" patterns rec.txt --bin 5ms --trials /dev/zero --max-memory 50M)" -lt 80 ]
    grep -q "/dev/zero:1: a NUL byte" err
    yes 1 | tr '\n' ' ' | head -c 10000000 >line.txt
    fails 1 "line.txt:1: the line is too long" patterns rec.txt --bin 5ms --trials line.txt
    yes "0.01 0.02" | head -n 3000000 >many.txt
    [ "$(peak "$SPIKEMINE" patterns rec.txt --bin 5ms --trials many.txt --max-memory 20M)" -lt 60 ]
    grep -q "over the memory limit" err
}

@test "a small file that grows without measure is refused" {
    { events 1000; yes "# nothing" | head -c 70000000; } | zstd -q >bomb.txt.zst
    { echo 1 2; head -c 70000000 /dev/zero | tr '\0' '\n'; } | zstd -q >bomb.items.zst
    fails 1 "--max-expansion" info bomb.txt.zst
    fails 1 "times as many, which no recording does" patterns bomb.items.zst --input-format transactions
    "$SPIKEMINE" info bomb.txt.zst --max-expansion 100000 | grep -q "^events	1000"
    fails 2 "--max-expansion 0" info bomb.txt.zst --max-expansion 0
    events 100000 | xz -9 >recording.txt.xz
    "$SPIKEMINE" info recording.txt.xz | grep -q "^events	100000"
}

@test "every command has a limit of its own accord" {
    [ $sanitized = no ] || skip "under a sanitizer"
    events 400000 >rec.txt
    # Room for the program itself, which takes more where GPU code is built in, and for little else.
    room=30000
    until (ulimit -v $room; exec "$SPIKEMINE" --version) >out 2>err; do
        room=$((room + 10000))
        [ $room -lt 4000000 ]
    done
    status=0
    (ulimit -v $((room + 10000)); exec "$SPIKEMINE" info rec.txt) >out 2>err || status=$?
    if [ $status -eq 0 ]; then
        grep -q "^events	400000" out
    else
        [ ! -s out ]
        grep -q "memory" err
    fi
    for command in info episodes count patterns "bench episodes"; do
        "$SPIKEMINE" $command --help | tr -s ' \n' ' ' | grep -q "three quarters of what the machine"
    done
}

@test "threads that the system refuses are done without" {
    [ $sanitized = no ] || skip "under a sanitizer"
    events 20000 >rec.txt
    "$SPIKEMINE" episodes rec.txt -d 0:5ms -s 100 --max-size 3 --threads 1 -o one.tsv 2>err
    if (ulimit -v 400000 && true); then
        (ulimit -v 400000; "$SPIKEMINE" episodes rec.txt -d 0:5ms -s 100 --max-size 3 --threads 4096 -o many.tsv 2>err)
        cmp one.tsv many.tsv
        grep -q "threads* of 4096: the system gives no more" err
    fi
}

@test "an address space that holds the threads, but not the teams of the last surrogates, is no crash" {
    [ $sanitized = no ] || skip "under a sanitizer"
    awk 'BEGIN { srand(5); for (i = 0; i < 3000; i++) printf "%.4f %d\n", i / 100, rand() * 12 }' >rec.txt
    run=("$SPIKEMINE" episodes rec.txt -d 0:20ms -s 5 --max-size 3 --test exact --jitter 25ms --surrogates 99 --report all)
    "${run[@]}" --threads 1 -o one.tsv 2>err
    if (ulimit -v 3000000 && true); then
        (ulimit -v 3000000; "${run[@]}" --threads 64 -o many.tsv 2>err)
        cmp one.tsv many.tsv
        grep -q "threads* of 64: the system gives no more" err
    fi
}

@test "live mining keeps to the limit, and goes on behind a partition that does not fit" {
    awk 'BEGIN { srand(5); for (i = 0; i < 600; i++) printf "%.4f %d\n", i / 60, rand() * 12
        for (i = 0; i < 40; i++) printf "%.4f %d\n", 10.05 + i / 4, i % 2 }' >rec.txt
    run=(live rec.txt --speed max -d 0:1s -s 3 --partition 5s --step 5s --format json --max-memory 40M)
    [ "$(peak "$SPIKEMINE" "${run[@]}")" -lt 90 ]
    "$SPIKEMINE" "${run[@]}" >out 2>err
    [ "$(grep -o '"state":"[a-z]*"' out | tr -d '"' | tr '\n' ' ')" = "state:skipped state:skipped state:mined state:cut " ]
    [ "$(grep -c '"why":"[^"]*over the memory limit of 39[^"]*raise' out)" -eq 2 ]
    grep -q '^note: the last partition that was skipped: .*over the memory limit of 39' err
}

@test "the labels of live units keep to the limit, and what came before is complete" {
    printf 'a (0ms,10ms] b\n' >list.txt
    lines() {
        awk -v n="$1" 'BEGIN { for (p = "x"; length(p) < 200; p = p p); for (i = 0; i < n; i++) printf "%.4f %s%d\n", i / 1000, p, i }'
    }
    run=("$SPIKEMINE" watch - -e list.txt --emit none --max-memory 50M --record rec.txt --force)
    [ "$(peak bash -c "$(declare -f lines); lines 300000 | \"\$@\"" - "${run[@]}")" -lt 90 ]
    grep -q '^spikemine: unit labels: .* over the memory limit of 50.00 MB' err
    "$SPIKEMINE" info rec.txt | grep -qE '^events	[0-9]{5}'
}

@test "a search keeps to its limit, in two passes too" {
    "$SPIKEMINE" simulate network --seed 1 --units 60 -o rec.txt 2>err
    for passes in off on; do
        [ "$(peak "$SPIKEMINE" episodes rec.txt -d 0:5ms -d 5ms:10ms -s 3 --max-size 4 --two-pass $passes \
            --max-memory 10M --threads 2 -o out.tsv)" -lt 35 ]
        grep -q "over the memory limit of 10.00 MB, of which" err
        rm -f out.tsv*
    done
}
