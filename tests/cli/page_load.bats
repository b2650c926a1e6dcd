#!/usr/bin/env bats
# The page of a live run under load: clients that read nothing, and many that may not ask.

setup() {
    type -p python3 >/dev/null || skip "needs python3"
    folder=$(mktemp -d)
    cd "$folder"
    "$SPIKEMINE" simulate network --duration 1000s --units 50 --rate 20 --chains 1 -o made.txt -q
    printf '0 (0,10ms] 1\n' >list.txt
    live="live made.txt -d 4ms:6ms -s 500 --max-size 3 --partition 100s --step 100s --backlog 16 -e list.txt"
}

teardown() {
    for job in $pid; do kill -KILL "$job" 2>/dev/null || :; done
    cd /
    rm -rf "$folder"
}

# until_mined FILE: waits for the ten partitions of the recording.
until_mined() {
    for _ in $(seq 3000); do
        [ "$(grep -c '"type":"partition"' "$1")" -lt 10 ] || return 0
        sleep 0.02
    done
    cat "$1"
    return 1
}

# run_it SCRIPT NAME: starts the replay nearly halted, so that the clients of the script are there when it is told to go
# as fast as possible; what is printed goes to NAME.out, the largest size of the process in kB to NAME.kb.
run_it() {
    : >"$2.err" # it is read before the replay may have begun
    # shellcheck disable=SC2086
    env --default-signal=INT "$SPIKEMINE" $live --speed 0.001 --page any --page-stay >"$2.out" 2>"$2.err" &
    pid=$!
    for _ in $(seq 1000); do
        url=$(sed -n 's/^note: the page is at //p' "$2.err")
        [ -z "$url" ] || break
        sleep 0.02
    done
    [ -n "$url" ] || return 77
    python3 clients.py "$url" "$1" >"$2.said"
    sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' /proc/$pid/status >"$2.kb"
    until_mined "$2.out"
    kill -INT $pid
    wait $pid
    pid=
}

@test "clients that read nothing cost bounded memory, hold up no mining, and are counted" {
    cat >clients.py <<'END'
import json, socket, sys, urllib.error, urllib.parse, urllib.request
url = urllib.parse.urlsplit(sys.argv[1])
host, port = url.netloc.split(":")
token = url.query[6:]

def dial(path, token, times=1):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(30)
    s.connect((host, int(port)))
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Spikemine-Token: {token}\r\n\r\n".encode() * times)
    return s

def order(**fields):
    body = urllib.parse.urlencode(fields).encode()
    urllib.request.urlopen(urllib.request.Request(f"http://{url.netloc}/action", body, {"X-Spikemine-Token": token})).read()

def news():
    request = urllib.request.Request(f"http://{url.netloc}/news", headers={"X-Spikemine-Token": token})
    for line in urllib.request.urlopen(request, timeout=60):
        if line.startswith(b"data: "):
            yield json.loads(line[6:])

slow = sys.argv[2] == "slow"
kept = [dial("/news", token) for _ in range(4)] if slow else []
order(action="speed", value=0)
n = 0
for seen in news():  # while it floods: readers of the history that do not read, and strangers
    if slow and len(kept) < 12:
        kept.append(dial("/data?spikes=0&occurrences=0", token, 4))
    if slow:
        for _ in range(10):
            dial("/data", "x" * 32).close()
    if seen["ended"] and len(kept) in (0, 12):
        break
kept += [dial("/data?spikes=0&occurrences=0", token, 4) for _ in range(4 * slow)]
for seen in news():
    if seen["dropped"] >= 4 * slow:
        break
print(seen["spikes"], seen["meters"]["accepted"], seen["meters"]["partitions_skipped"], seen["dropped"])
END
    status=0
    run_it none alone || status=$?
    [ $status -ne 77 ] || skip "this build serves no page"
    [ $status -eq 0 ]
    run_it slow beside
    read -r spikes accepted skipped dropped <beside.said
    [ "$accepted" -eq "$(grep -vc '^[#t]' made.txt)" ]
    [ "$spikes" -le "$accepted" ]
    [ "$skipped" -eq 0 ]
    [ "$dropped" -ge 4 ]
    # The same partitions and occurrences, but for the times that they took.
    for name in alone beside; do
        sed -E 's/"(lag_s|seconds|latency_us)":[0-9.e-]+//g' $name.out | LC_ALL=C sort >$name.same
    done
    cmp alone.same beside.same
    [ "$(grep -c '"type":"partition"' beside.out)" -eq 10 ]
    [ "$(cat beside.kb)" -lt $(($(cat alone.kb) + 65536)) ]
    grep -qE '^page: [0-9,]+ requests answered, [1-9][0-9,]* refused, [0-9,]+ clients dropped, [0-9,]+ spikes not shown$' beside.err
}

@test "beside floods every spike and occurrence arrives, and who has the token is answered" {
    "$SPIKEMINE" watch made.txt -e list.txt --speed max --emit none --page any -q 2>/dev/null || skip "this build serves no page"
    python3 "$SOURCE_DIR/bench/live_flood.py" "$SPIKEMINE" --seconds 2 --rate 5000 --kinds idle,slow,garbage
}
