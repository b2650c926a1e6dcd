#!/usr/bin/env bats
# spikemine watch: what is told while spikes come in is what count gives for the file of them.

setup() {
    type -p python3 >/dev/null || skip "needs python3"
    folder=$(mktemp -d)
    cd "$folder"
    macaque=$folder/macaque.txt
    head -n 12000 "$SOURCE_DIR/data/movement_PGHF.spikes.txt" >"$macaque"
    "$SPIKEMINE" episodes "$macaque" --columns time,unit -d 0:20ms -s 96 --max-size 2 -q -o list.tsv
    "$SPIKEMINE" count "$macaque" --columns time,unit -e list.tsv -q -o want.tsv --occurrences want.occ
    [ "$(wc -l <want.occ)" -gt 1000 ]
    # occurrences LINES: those of the table, sorted.
    cat >occurrences.py <<'END'
import json, sys
from decimal import Decimal
for line in open(sys.argv[1]):
    event = json.loads(line, parse_float=Decimal, parse_int=str)
    if event["type"] == "episode":
        print(event["episode"], event["count"], ",".join(map(str, event["times_s"])), sep="\t")
END
    tail -n +2 want.occ | cut -f 1,2,5 | LC_ALL=C sort >want
}

teardown() {
    for job in $pid $other; do kill -KILL "$job" 2>/dev/null || :; done
    cd /
    rm -rf "$folder"
}

same() {
    python3 occurrences.py "$1" | LC_ALL=C sort | cmp - want
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# refused STATUS TEXT ARGUMENT...
refused() {
    local status=0 expected=$1 text=$2
    shift 2
    timeout 20 "$SPIKEMINE" watch "$@" >out 2>err <"${input:-/dev/null}" || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

@test "a replay gives the occurrences of count, and its recording gives them again" {
    "$SPIKEMINE" watch "$macaque" --columns time,unit --speed max -e list.tsv --record out.txt >got 2>err
    same got
    grep -q '^12,000 spikes of 149 units in .* 0 lost, 0 late, 0 out of order, 0 twice, 0 garbage$' err
    [ ! -e out.txt.part ]
    "$SPIKEMINE" count out.txt -e list.tsv -q --occurrences again.occ | cmp - want.tsv
    cmp again.occ want.occ
    refused 1 "out.txt: exists already" "$macaque" -e list.tsv --record out.txt
}

@test "standard input, TCP and UNIX sockets give the same" {
    "$SPIKEMINE" watch - --columns time,unit -e list.tsv -q <"$macaque" >got
    same got
    port=$(free_port)
    for address in "tcp-listen://127.0.0.1:$port" "unix-listen:$folder/socket"; do
        "$SPIKEMINE" watch "$address" --columns time,unit -e list.tsv -q --no-reconnect >got &
        pid=$!
        python3 - "$address" "$macaque" <<'END'
import socket, sys, time
address = sys.argv[1]
unix = address.startswith("unix")
for _ in range(200):
    s = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
    try:
        s.connect(address.split(":", 1)[1] if unix else ("127.0.0.1", int(address.rsplit(":", 1)[1])))
        break
    except OSError:
        time.sleep(0.02)
s.sendall(open(sys.argv[2], "rb").read())
END
        wait $pid || :
        pid=
        same got
    done
}

@test "a label that is too long is garbage, and the recording goes on" {
    {
        printf '0.1 a\n0.2 '
        head -c 300000 /dev/zero | tr '\0' x
        printf '\n0.3 b\n'
    } | "$SPIKEMINE" watch - -e list.tsv --emit none --record rec.txt 2>err
    grep -q '^2 spikes of 2 units in .* 1 garbage' err
    [ "$(grep -v '^#' rec.txt)" = $'time_s\tunit\n0.100000000\ta\n0.300000000\tb' ]
}

@test "a state goes on where a run stopped" {
    head -n 6000 "$macaque" >first
    tail -n +6001 "$macaque" >second
    "$SPIKEMINE" watch - --columns time,unit -e list.tsv -q --state state <first >got
    "$SPIKEMINE" watch - --columns time,unit -e list.tsv --state state <second >>got 2>err
    grep -q '^note: state: the counts go on from there$' err
    same got
}

@test "a state that is refused is never touched" {
    printf '0.1 1\n0.2 2\n' >spikes
    printf '1 (0,1s] 2\n' >other.txt # another list than that of the state
    "$SPIKEMINE" watch - --columns time,unit -e list.tsv -q --emit none --state state <spikes
    echo precious >text
    head -c -9 state >cut
    : >empty
    cp spikes rec.txt
    for try in "state:other.txt:2:is the state of another list" "text:list.tsv:1:is no state" "cut:list.tsv:1:the file was cut" \
        "rec.txt:list.tsv:1:is no state" "empty:list.tsv:1:is no state"; do
        IFS=: read -r file list expected text <<<"$try"
        cp "$file" before
        input=spikes refused "$expected" "$file: $text" - --columns time,unit -e "$list" -q --emit none --state "$file"
        cmp "$file" before
    done
}

@test "clients of tcp get every line" {
    port=$(free_port)
    mkfifo pipe
    "$SPIKEMINE" watch - --columns time,unit -e list.tsv --emit tcp:$port --client-buffer 64M <pipe 2>err &
    pid=$!
    exec 8>pipe
    python3 - $port >got 8>&- <<'END' &
import socket, sys, time
for _ in range(200):
    try:
        s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        break
    except OSError:
        time.sleep(0.02)
for line in s.makefile():
    print(line, end="", flush=True)
END
    other=$!
    for _ in $(seq 200); do
        [ -s got ] && break
        sleep 0.02
    done
    [ "$(head -n 1 got)" = '{"type":"hello","format":1}' ]
    cat "$macaque" >&8
    exec 8>&-
    wait $pid
    wait $other
    pid= other=
    same got
    grep -q '^1 client, 0 dropped' err
}

@test "Ctrl-C is a clean end" {
    mkfifo pipe
    env --default-signal=INT "$SPIKEMINE" watch - --columns time,unit -e list.tsv --tolerance 10s --record out.txt \
        <pipe >got 2>err &
    pid=$!
    exec 8>pipe
    cat "$macaque" >&8
    sleep 0.7
    kill -INT $pid
    status=0
    wait $pid || status=$?
    pid=
    [ $status -eq 130 ]
    grep -q '^note: interrupted; all that came before is complete$' err
    grep -q '^12,000 spikes' err
    same got
    "$SPIKEMINE" count out.txt -e list.tsv -q | cmp - want.tsv
}

@test "patterns are watched, and disorder is counted" {
    printf '1@0 2@1\n' >patterns.txt
    printf '%s\n' '0.001 1' '0.0061 2' '0.0060 9' '0.1 1' '0.1 1' '0.05 3' '0.104 2' >spikes.txt
    "$SPIKEMINE" watch - --patterns patterns.txt --bin 5ms --columns time,unit --tolerance 1ms <spikes.txt >got 2>err
    [ "$(grep -c '"type":"pattern","item":0,"pattern":"1@0 2@1"' got)" -eq 2 ]
    grep -q '0 lost, 1 late, 1 out of order, 1 twice, 0 garbage$' err
}

@test "a table on request, and nothing of events with --emit none" {
    "$SPIKEMINE" watch "$macaque" --columns time,unit --speed max -e list.tsv -q --format table >table
    [ "$(wc -l <table)" -eq "$(wc -l <want.occ)" ] # one line is the head of either
    "$SPIKEMINE" watch "$macaque" --columns time,unit --speed max -e list.tsv --emit none >out 2>err
    [ ! -s out ]
}

@test "errors name place, cause and remedy" {
    refused 2 "there is no --episodes and no --patterns; give" -
    refused 2 "there is no sink 'nowhere'; take stdout, tcp, zmq, lsl or open-ephys" - -e list.tsv --emit nowhere
    refused 2 "write tcp:PORT or tcp:ADDRESS:PORT" - -e list.tsv --emit tcp:x
    refused 2 "is given twice" - -e list.tsv --emit stdout,stdout
    refused 2 "--speed fast: must be a number above 0" "$macaque" -e list.tsv --speed fast
    refused 2 "--patterns needs --bin" - --patterns list.tsv
    refused 2 "--page-address needs --page" - -e list.tsv --page-address 0.0.0.0
    refused 1 "no-such-file" - -e no-such-file
    printf 'A (0,1s\n' >wrong.txt
    refused 1 "wrong.txt:1" - -e wrong.txt
    refused 2 "a live recording is text" "$macaque" -e list.tsv --record out.npz
    port=$(free_port)
    "$SPIKEMINE" watch unix-listen:"$folder/s" -e list.tsv --emit tcp:$port -q &
    pid=$!
    sleep 0.5
    refused 1 "tcp:$port: cannot listen" - -e list.tsv --emit tcp:$port
}
