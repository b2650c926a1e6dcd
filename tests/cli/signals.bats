#!/usr/bin/env bats
# Signals: when the program ends, with which status, what it keeps, and that no file in the making stays.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    awk 'BEGIN { srand(1); for (i = 0; i < 60000; i++) printf "%.5f %d\n", i / 1000, rand() * 40 }' >big.txt
    # Counts for minutes, so that a signal meets it at work.
    slow="episodes big.txt --columns time,unit -d 0:50ms -s 20 --engine reference --threads 1"
}

teardown() {
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :
    cd /
    rm -rf "$folder"
}

# start ARGUMENT...: the command with the usual signals (a shell lets what runs beside it ignore INT).
start() {
    env --default-signal=INT,TERM,HUP,XCPU "$SPIKEMINE" "$@" 2>err <&0 &
    pid=$!
}

# ends STATUS SECONDS: the command ends with this status within so many seconds.
ends() {
    local status=0 began
    began=$(date +%s%N)
    timeout "$2" tail -s 0.02 --pid=$pid -f /dev/null || {
        echo "still there after $2 s"
        return 1
    }
    wait $pid || status=$?
    pid=
    if [ $status -ne "$1" ]; then
        echo "status $status, expected $1, after $((($(date +%s%N) - began) / 1000000)) ms:"
        cat err
        return 1
    fi
}

nothing_is_left() {
    [ -z "$(find . -name '*.tmp')" ]
}

# Long enough to have read the recording and to mine: 0.2 s of its processor's time, or 1.5 s where none is told.
at_work() {
    for _ in $(seq 100); do
        [ -r /proc/$pid/stat ] || break
        [ "$(cut -d ' ' -f 14 /proc/$pid/stat)" -lt 20 ] || return 0
        sleep 0.05
    done
    sleep 1.5
}

@test "one signal ends what waits for its input" {
    mkfifo pipe
    for signal in INT:130 TERM:143 HUP:129 XCPU:152; do
        start episodes pipe -d 0:5s -s 1 -o out.tsv # waits until somebody opens the pipe
        sleep 0.3
        kill -"${signal%:*}" $pid
        ends "${signal#*:}" 2
        exec 8<>pipe # and here until somebody writes
        start count pipe -e big.txt -o out.tsv
        sleep 0.3
        kill -"${signal%:*}" $pid
        ends "${signal#*:}" 2
        start episodes - -d 0:5s -s 1 -o out.tsv <pipe
        sleep 0.3
        kill -"${signal%:*}" $pid
        ends "${signal#*:}" 2
        exec 8>&-
    done
    [ ! -e out.tsv ]
    nothing_is_left
}

@test "one signal ends an endless list" {
    start count big.txt --columns time,unit -e <(yes '1 (0,5s] 2') -o out.tsv
    sleep 0.5
    kill -TERM $pid
    ends 143 2
    [ ! -e out.tsv ]
    nothing_is_left
}

@test "every signal that asks keeps what is complete, and the message names the file" {
    for signal in INT:130 TERM:143 HUP:129 XCPU:152; do
        start $slow -o out.tsv --occurrences occ.tsv
        at_work
        kill -"${signal%:*}" $pid
        ends "${signal#*:}" 3
        [ ! -e out.tsv ]
        [ ! -e occ.tsv ]
        text="interrupted; all frequent episodes up to size"
        size=$(sed -n "s/^note: out.tsv.incomplete: $text \([0-9]*\) are here$/\1/p" err)
        grep -qx "note: occ.tsv.incomplete: $text $size are here" err
        [ "$(tail -n 1 out.tsv.incomplete)" = "# incomplete: $text $size are here" ]
        "$SPIKEMINE" episodes big.txt --columns time,unit -d 0:50ms -s 20 --max-size "$size" -q \
            -o out.tsv --occurrences occ.tsv --force
        sed '$d' out.tsv.incomplete | cmp - out.tsv
        sed '$d' occ.tsv.incomplete | cmp - occ.tsv
        rm out.tsv occ.tsv
        rm ./*.incomplete
        nothing_is_left
    done
}

@test "live skips what would still be mined for minutes, and completes its files" {
    start live big.txt --columns time,unit --speed 10 -d 0:50ms -s 20 --engine reference --threads 1 --partition 5s \
        --step 5s --test exact --record rec.txt --format json >out
    sleep 1.5 # of a replay
    kill -TERM $pid
    ends 143 3
    grep -q '^note: interrupted; all that came before is complete$' err
    [ "$(grep -c '"state":"skipped","why":"the run was interrupted before this partition was mined"' out)" -ge 1 ]
    grep -q '^tested [0-9]* of [0-9]*: .* not mined when the run was interrupted' err || { cat err; false; }
    [ ! -e rec.txt.part ]
    tail -n 1 rec.txt | grep -qE '^[0-9.]+'$'\t''[0-9]+$'
}

# A terminal of its own is closed: what wrote to it is told by HUP, and its last words go nowhere.
@test "a terminal that is closed at any moment leaves complete files, and the state goes on" {
    type -p python3 >/dev/null || skip "needs python3"
    head -n 20000 big.txt >part.txt
    printf '1 (0ms,50ms] 2\n3 (0ms,20ms] 4 (0ms,20ms] 5\n' >list.txt
    "$SPIKEMINE" count part.txt --columns time,unit -e list.txt -q | tail -n +2 | cut -f 2 | tr '\n' ' ' >want
    cat >close.py <<'END'
import fcntl, json, os, pty, random, signal, subprocess, sys, termios, time
command, seed = sys.argv[1], int(os.environ.get("SPIKEMINE_TEST_SEED", 1))
rng = random.Random(seed)
lines = open("part.txt").readlines()
for trial in range(4):
    for name in ("state", "rec.txt"):
        if os.path.exists(name): os.unlink(name)
    live = ["live", "-", "-d", "0:20ms", "-s", "9", "--partition", "2s", "--test", "exact"] if trial % 2 else ["watch", "-"]
    run = [command, *live, "--columns", "time,unit", "-e", "list.txt", "--state", "state", "--record", "rec.txt"]
    master, slave = pty.openpty()
    def own_terminal():
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
    job = subprocess.Popen(run, stdin=subprocess.PIPE, stdout=slave, stderr=slave, preexec_fn=own_terminal)
    os.close(slave)
    os.set_blocking(master, False)
    stop = rng.randrange(1, len(lines))
    for k in range(0, stop, 500):
        job.stdin.write("".join(lines[k:min(k + 500, stop)]).encode())
        job.stdin.flush()
        try:
            while os.read(master, 65536): pass
        except BlockingIOError: pass
    while job.poll() is None and not os.path.exists("rec.txt.part"): time.sleep(0.01) # signals are caught from then on
    time.sleep(rng.random() * 0.2)
    os.close(master)
    status = job.wait(20)
    assert status == 129, (trial, status)
    assert not os.path.exists("rec.txt.part"), trial
    kept = [line.split() for line in open("rec.txt") if line[0].isdigit()]
    assert [(float(t), u) for t, u in kept] == [(float(a), b) for a, b in map(str.split, lines[:len(kept)])], trial
    again = subprocess.run([command, "watch", "-", "--columns", "time,unit", "-e", "list.txt", "-q", "--state", "state"],
                           input="".join(lines[len(kept):]).encode(), stdout=subprocess.PIPE, check=True).stdout
    counts = [json.loads(line) for line in again.splitlines()][-1]["episode_counts"]
    assert counts == list(map(int, open("want").read().split())), (trial, len(kept), counts)
END
    python3 close.py "$SPIKEMINE"
    nothing_is_left
}

@test "patterns that are written when a signal comes are kept, and each is right" {
    macaque=$SOURCE_DIR/data/movement_PGHF.spikes.txt
    start patterns "$macaque" --columns time,unit --bin 5ms --window 20 --support 7 \
        --moving-window-filter off --max-results none --threads 1 -o out.tsv
    at_work
    kill -INT $pid
    ends 130 3
    [ ! -e out.tsv ]
    grep -q '^note: out.tsv.incomplete: interrupted after [0-9]* patterns; what is here is exact' err
    [ "$(wc -l <out.tsv.incomplete)" -gt 1000 ]
    tail -n 1 out.tsv.incomplete | grep -q '^# incomplete: '
    # Rows are whole, and the rarest patterns are there no more rarely than was asked for.
    sed '1d;$d' out.tsv.incomplete | awk -F '\t' 'NF != 5 || $2 < 7 || split($5, s, " ") != $1 { exit 1 }'
    nothing_is_left
}

# The first signal leaves the write that waits half a second, and the status is then that of TERM. A second
# signal before that ends the program with its own status. On a busy machine half a second may pass between
# the two kills, so the test tries several times.
@test "a second signal ends the program at once" {
    mkfifo pipe
    sleep 60 <pipe & # a reader that reads nothing
    reader=$!
    status=143
    for _ in 1 2 3 4 5; do
        [ $status -eq 143 ] || break
        start episodes big.txt --columns time,unit -d 0:50ms -s 20 --max-size 2 -q -o out.tsv --force \
            --occurrences pipe
        sleep 1.5 # until it waits for the pipe
        kill -TERM $pid
        sleep 0.27
        kill -INT $pid || :
        status=0
        wait $pid || status=$?
        pid=
        [ $status -eq 130 ] || [ $status -eq 143 ]
        [ $status -eq 143 ] || [ -z "$(ls out.tsv* 2>/dev/null)" ]
        rm -f out.tsv*
        nothing_is_left
    done
    kill $reader
    [ $status -eq 130 ]
}

@test "a write that waits for a reader ends too" {
    mkfifo pipe
    "$SPIKEMINE" episodes big.txt --columns time,unit -d 0:50ms -s 20 --max-size 2 -q \
        -o expected.tsv --occurrences all.occ
    sleep 30 <pipe &
    reader=$!
    start episodes big.txt --columns time,unit -d 0:50ms -s 20 --max-size 2 -q -o out.tsv \
        --occurrences pipe
    sleep 2
    kill -TERM $pid
    ends 143 2
    kill $reader
    [ ! -e out.tsv ]
    nothing_is_left
}

@test "what was ignored stays ignored" {
    (
        trap '' HUP INT
        exec "$SPIKEMINE" $slow -o out.tsv 2>err
    ) &
    pid=$!
    at_work
    kill -HUP $pid
    kill -INT $pid
    sleep 0.5
    kill -0 $pid
    kill -TERM $pid
    ends 143 3
}

@test "signals that end a program on the spot leave nothing" {
    for signal in QUIT ABRT USR1 ALRM KILL; do
        (
            ulimit -c 0
            exec env --default-signal=QUIT "$SPIKEMINE" $slow -o out.tsv 2>err
        ) &
        pid=$!
        at_work
        kill -$signal $pid
        ends $((128 + $(kill -l $signal))) 2
        [ ! -e out.tsv ]
        # Without a name until it is complete, where the file system knows such files.
        [ $signal = KILL ] || nothing_is_left
    done
}

@test "the limit for files is an error with the file's name" {
    status=0
    (
        ulimit -f 200
        exec env --default-signal=XFSZ "$SPIKEMINE" simulate culture --events 100000 -o new 2>err
    ) || status=$?
    [ $status -eq 1 ]
    grep -q 'new: writing failed: .*ulimit -f' err
    [ ! -e new ]
    nothing_is_left
}

@test "simulate and figures end at the first signal" {
    start simulate culture --events 20000000 -o new
    sleep 0.7
    kill -TERM $pid
    ends 143 2
    [ ! -e new ]
    nothing_is_left
}
