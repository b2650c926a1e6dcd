#!/usr/bin/env bats
# The page of spikemine live and spikemine watch, as a program of the network sees it; tests/page has the browser's view.

setup() {
    type -p python3 >/dev/null || skip "needs python3"
    folder=$(mktemp -d)
    cd "$folder"
    macaque=$SOURCE_DIR/data/movement_PGHF.spikes.txt
    printf '9 (0,20ms] 143\n' >list.txt
    watch="watch $macaque --columns time,unit -e list.txt --speed max"
    # shellcheck disable=SC2086
    if ! "$SPIKEMINE" $watch --emit none --page any -q 2>err; then
        grep -q 'this build serves no page' err
        skip "this build serves no page"
    fi
}

teardown() {
    for job in $pid; do kill -KILL "$job" 2>/dev/null || :; done
    cd /
    rm -rf "$folder"
}

# serve ARGUMENT...: starts a command and waits for its page; $pid and $url are of it. Ctrl-C works, as in a terminal.
serve() {
    env --default-signal=INT "$SPIKEMINE" "$@" >out 2>err &
    pid=$!
    for _ in $(seq 1000); do
        url=$(sed -n 's/^note: the page is at //p' err)
        [ -z "$url" ] || return 0
        sleep 0.02
    done
    cat err
    return 1
}

# until_ended FILE: waits for the note that the source has ended: what came is then through.
until_ended() {
    for _ in $(seq 3000); do
        ! grep -q '^note: the source has ended; the page stays until Ctrl-C$' "$1" || return 0
        sleep 0.02
    done
    cat "$1"
    return 1
}

# refused STATUS TEXT ARGUMENT...
refused() {
    local status=0 expected=$1 text=$2
    shift 2
    # shellcheck disable=SC2086
    timeout 20 "$SPIKEMINE" $watch "$@" >out 2>err </dev/null || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || ! grep -qF -- "$text" err; then
        echo "status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
}

@test "the page stays after the end of its source, and Ctrl-C is then a clean end" {
    # shellcheck disable=SC2086
    serve $watch --page any --page-stay --record copy.txt --state state
    cat >news.py <<'END'
import json, sys, urllib.parse, urllib.request
url = urllib.parse.urlsplit(sys.argv[1])
request = urllib.request.Request(f"http://{url.netloc}/news", headers={"X-Spikemine-Token": url.query[6:]})
with urllib.request.urlopen(request, timeout=20) as answer:
    for line in answer:
        if line.startswith(b"data: ") and (news := json.loads(line[6:]))["ended"]:
            meters = news["meters"]
            print(news["spikes"], meters["accepted"], meters["position_s"] == meters["duration_s"], meters["replay"])
            break
END
    [ "$(python3 news.py "$url")" = "31262 31262 True True" ]
    until_ended err
    kill -INT $pid
    wait $pid
    pid=
    [ "$(grep -c interrupted err)" -eq 0 ]
    [ "$(grep -c '"type":"episode"' out)" -eq "$("$SPIKEMINE" count copy.txt -e list.txt -q | sed 1d | cut -f 2)" ]
    [ -s state ]
}

@test "marks are lines, and comments of the recording" {
    # shellcheck disable=SC2086
    serve $watch --page any --page-stay --record copy.txt
    cat >mark.py <<'END'
import sys, urllib.parse, urllib.request
url = urllib.parse.urlsplit(sys.argv[1])
for place, text in ((12_345, "cue η, \"2\""), (0, "")):
    body = urllib.parse.urlencode({"action": "mark", "place": place, "text": text}).encode()
    request = urllib.request.Request(f"http://{url.netloc}/action", body, {"X-Spikemine-Token": url.query[6:]})
    print(urllib.request.urlopen(request, timeout=20).status)
END
    [ "$(python3 mark.py "$url")" = "$(printf '200\n200')" ]
    until_ended err
    kill -INT $pid
    wait $pid
    pid=
    grep '"type":"mark"' out >marks
    printf '%s\n' '{"type":"mark","time_s":12.345,"segment":1,"trial":1,"text":"cue η, \"2\""}' \
        '{"type":"mark","time_s":0,"segment":1,"trial":1,"text":""}' | cmp - marks
    grep '^# mark' copy.txt >comments
    printf '%s\n' '# mark 12.345 cue η, "2"' '# mark 0.000' | cmp - comments
    "$SPIKEMINE" count copy.txt -e list.txt -q >got
    "$SPIKEMINE" count "$macaque" --columns time,unit -e list.txt -q | cmp - got
}

@test "a token is kept in a file" {
    refused 2 "--page-token-file needs --page" --page-token-file token
    refused 2 "--page-stay needs --page" --page-stay
    printf 'short\n' >token
    refused 1 "--page-token-file token: holds no token" --page any --page-token-file token
    printf 'a-token-of-16-letters and more\n' >token
    refused 1 "remove the file, and a new one is made" --page any --page-token-file token
    refused 1 "no-folder/token: " --page any --page-token-file no-folder/token
    refused 2 "list.txt" --page any --page-token-file list.txt
    rm token
    # shellcheck disable=SC2086
    "$SPIKEMINE" $watch --emit none --page any --page-token-file token 2>err
    grep -q '^note: token: keeps a new token' err
    [ "$(stat -c %a token)" = 600 ]
    grep -qE '^[0-9a-f]{32}$' token
    chmod 644 token
    # shellcheck disable=SC2086
    "$SPIKEMINE" $watch --emit none --page any --page-token-file token 2>err
    grep -q "/?token=$(cat token)\$" err
    grep -q '^note: token: other users of this machine may reach' err
}

@test "-q tells the address of the page, and nothing else" {
    # shellcheck disable=SC2086
    "$SPIKEMINE" $watch --emit none --page any -q >out 2>err
    [ ! -s out ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -qE '^note: the page is at http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}$' err
}

@test "the page is there before its source" {
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    serve watch tcp://127.0.0.1:$port -e list.txt --columns time,unit --page any
    cat >news.py <<'END'
import json, socket, sys, urllib.parse, urllib.request
url = urllib.parse.urlsplit(sys.argv[1])
request = urllib.request.Request(f"http://{url.netloc}/news", headers={"X-Spikemine-Token": url.query[6:]})
with urllib.request.urlopen(request, timeout=60) as answer:
    server = None
    for line in answer:
        if not line.startswith(b"data: "):
            continue
        news = json.loads(line[6:])
        if server is None and news.get("meters", {}).get("state", "").startswith("waiting for"):
            print(news["rate"], news["begun"])
            server = socket.create_server(("127.0.0.1", int(sys.argv[2])))
            sender = server.accept()[0]
            sender.sendall(b"0.5 9\n0.51 143\n")
        if news["spikes"] == 2:
            print(news["rate"], news["begun"])
            break
END
    [ "$(python3 news.py "$url" $port)" = "$(printf '[0, 0] False\n[1000000000, 1] True')" ]
    kill -INT $pid
    wait $pid || :
    pid=
}

@test "a source that comes and goes does not fill a terminal" {
    cat >fickle.py <<'END'
import socket, sys, time
port = 0
while True:
    server = socket.create_server(("127.0.0.1", port))
    port = server.getsockname()[1]
    print(port, flush=True)
    connection = server.accept()[0]
    time.sleep(0.6)
    connection.close()
    server.close()
    time.sleep(0.6)
END
    python3 fickle.py >ports &
    fickle=$!
    until [ -s ports ]; do sleep 0.02; done
    read -r port <ports
    env --default-signal=INT "$SPIKEMINE" watch tcp://127.0.0.1:$port -e list.txt --emit none 2>err &
    pid="$! $fickle"
    for _ in $(seq 600); do
        ! grep -q '^note: the source changes often' err || break
        sleep 0.1
    done
    sleep 1.5
    kill -INT ${pid% *}
    wait ${pid% *} || :
    kill $fickle
    grep -q '^note: the source changes often' err
    [ "$(grep -cE '^(waiting|connected)' err)" -eq 10 ]
}

# What a run watched of the list from its start, and of the page's choice from its begin to its end, is what a run whose
# list has both tells of the same spikes.
@test "an episode that was chosen on the page is told as one of the list" {
    grep -v '^#' "$macaque" | head -6000 | split -l 2000 - part
    printf '143 (0,20ms] 9\n' >both.txt
    cat list.txt >>both.txt
    head -1 both.txt >first.txt
    cat >choose.py <<'END'
import json, re, subprocess, sys, urllib.error, urllib.parse, urllib.request

run = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
page, token = re.search(r"(http://\S+)/\?token=(\S+)", run.stderr.readline()).groups()
headers = {"X-Spikemine-Token": token}
news = urllib.request.urlopen(urllib.request.Request(page + "/news", headers=headers))

def until(ready):
    for line in news:
        if line.startswith(b"data: ") and ready(json.loads(line[6:])):
            return

def order(**fields):
    body = urllib.parse.urlencode(fields).encode()
    try:
        return urllib.request.urlopen(urllib.request.Request(page + "/action", body, headers)).status
    except urllib.error.HTTPError as refused:
        return refused.code

def feed(part, n):
    run.stdin.write(open(part).read())
    run.stdin.flush()
    until(lambda now: now.get("meters", {}).get("accepted") == n)

feed("partaa", 2000)
episode = open("both.txt").read().splitlines()[1]
assert order(action="unwatch", place=0) == 409, "nobody chose it"
assert order(action="watch", text=episode) == 200
until(lambda now: now["choices"] == 1)
assert order(action="watch", text=episode) == 200, "watched already: nothing happens"
assert order(action="watch", text="9 (0,20ms]") == 200, "no episode: nothing happens"
feed("partab", 4000)
assert order(action="unwatch", place=1) == 200
until(lambda now: now["choices"] == 2)
assert order(action="unwatch", place=1) == 409
feed("partac", 6000)
run.stdin.close()
sys.exit(run.wait())
END
    python3 choose.py "$SPIKEMINE" watch - --columns time,unit -e first.txt --page any -q >out
    grep '"type":"watch"' out >choices
    seconds() { tail -1 "$1" | awk '{ print $1 + 0 }'; }
    printf '{"type":"watch","state":"%s","item":1,"episode":"9 (0,20ms] 143","spikes":%d,"segment":1,"trial":1,"after_s":%s}\n' \
        begun 2000 "$(seconds partaa)" ended 4000 "$(seconds partab)" | cmp - choices
    told() { grep "\"type\":\"episode\",\"item\":$1," | sed 's/,"latency_us":[0-9.]*//'; }
    told 1 <out >chosen
    [ -s chosen ]
    "$SPIKEMINE" watch partab --columns time,unit -e both.txt --speed max --emit stdout -q | told 1 | cmp - chosen
    cat parta? >all.txt
    "$SPIKEMINE" watch all.txt --columns time,unit -e both.txt --speed max --emit stdout -q | told 0 | cmp - <(told 0 <out)
    grep -q "\"episode_counts\":\[$(told 0 <out | wc -l),$(wc -l <chosen)\]" out
}
