#!/usr/bin/env bats
# spikemine live: each partition's line has what spikemine episodes finds in its slice.

setup() {
    type -p python3 >/dev/null || skip "needs python3"
    folder=$(mktemp -d)
    cd "$folder"
    macaque=$SOURCE_DIR/data/movement_PGHF.spikes.txt
    search="-d 0:20ms -s 1% --max-size 3"
    live="live $macaque --columns time,unit --speed max --partition 10s --step 5s"
}

teardown() {
    cd /
    rm -rf "$folder"
}

@test "each partition equals mining its slice" {
    "$SPIKEMINE" $live $search >got 2>err
    [ "$(wc -l <got)" -ge 4 ]
    python3 - got <<'END' >slices
import json, sys
for k, line in enumerate(open(sys.argv[1])):
    event = json.loads(line)
    print(k, event["start_s"], event["stop_s"], event["state"])
    with open(f"slice{k}", "w") as out:
        print("size\tcount\tepisode", file=out)
        for e in event["episodes"]:
            print(e["size"], e["count"], e["episode"], sep="\t", file=out)
END
    while read -r k start stop state; do
        [ $state != skipped ]
        "$SPIKEMINE" episodes "$macaque" --columns time,unit $search --start ${start}s --stop ${stop}s -q |
            cmp - slice$k
        [ "$(wc -l <slice$k)" -gt 10 ]
    done <slices
    grep -q "^$(wc -l <got) partitions mined, 0 skipped$" err
}

@test "a run mines and watches, tests, and shortens its lists" {
    printf '9 (0,20ms] 143\n' >list.txt
    "$SPIKEMINE" $live -d 0:20ms -s 30 --max-size 2 -e list.txt --test exact --surrogates 9 --top 2 -q >got
    grep -c '"type":"episode"' got >n
    "$SPIKEMINE" count "$macaque" --columns time,unit -e list.txt -q | grep -q "^2	$(cat n)	"
    python3 - got <<'END'
import json, sys
partitions = [e for e in map(json.loads, open(sys.argv[1])) if e["type"] == "partition"]
assert partitions and all(len(e["episodes"]) == 2 < e["frequent"] for e in partitions)
tested = [e for e in partitions if e["untested"] == ""]
assert tested and all(0 < row["p"] <= 1 for e in tested for row in e["episodes"])
assert all(row["trend"] == "new" for row in partitions[0]["episodes"])
END
}

@test "without --step a test has the time of a partition" {
    "$SPIKEMINE" live $macaque --columns time,unit --speed max -d 0:20ms -s 30 --max-size 2 --test exact \
        --surrogates 1 >got 2>err
    [ "$(wc -l <got)" -lt 8 ]
    ! grep "where time allows" err || false
    "$SPIKEMINE" live $macaque --columns time,unit --speed 1000 -d 0:20ms -s 30 --max-size 2 --test exact \
        --surrogates 1 >got 2>err
    grep -q "note: a partition is tested where time allows; --speed max has no clock and tests every partition" err
    grep -qE "^tested [0-9]+ of [0-9]+(: .*; --speed max waits for every test of a replay)?$" err
}

@test "a jitter that moves nothing is told before the replay begins" {
    ! "$SPIKEMINE" live $macaque --columns time,unit --speed 1 -d 0:5ms -s 200 --test exact --jitter 1us >got 2>err || false
    grep -q "jitter 1us: a window of this length has less than two ticks" err
    grep -q "^0 spikes" err
}

@test "a summary says how many partitions were tested, why others were not, and what to change" {
    "$SPIKEMINE" $live -d 0:20ms -s 30 --max-size 2 --test exact --surrogates 9 >got 2>err
    n=$(wc -l <got)
    grep -q "^tested $n of $n$" err
    "$SPIKEMINE" $live -d 0:20ms -s 5000 --max-size 2 --test exact --surrogates 9 >got 2>err
    n=$(grep -c '"state":"mined"' got) # the rest that the end cut short is not due
    [ "$n" -lt "$(wc -l <got)" ]
    grep -q "^tested 0 of $n: $n without an episode of two units; take a smaller --support or a longer --delay$" err
    "$SPIKEMINE" $live -d 0:20ms -s 5000 --max-size 2 >got 2>err
    ! grep '^tested' err || false
}

@test "a table to read" {
    "$SPIKEMINE" $live $search --format table --top 3 -q >got
    grep -q '^0 s to 10 s: .* spikes, .* episodes of two units or more, support' got
    [ "$(grep -c ' new ' got)" -ge 3 ]
}

@test "errors name cause and remedy" {
    for try in "there is no --delay:$live -s 5" "there is no --support:$live -d 0:5ms" \
        "a state is that of what is watched:$live $search --state x" "must be:$live $search --page 70000"; do
        status=0
        # shellcheck disable=SC2086
        "$SPIKEMINE" ${try#*:} >out 2>err || status=$?
        [ $status -eq 2 ]
        [ ! -s out ]
        grep -qF -- "${try%%:*}" err
    done
}

@test "the sources are listed, with what is missing" {
    "$SPIKEMINE" formats --live >out
    [ "$(head -n 1 out)" = $'source\taddress\tavailable\twhat' ]
    [ "$(tail -n +2 out | cut -f 1 | sort | tr '\n' ' ')" = "intan lsl open-ephys replay stdin tcp tcp-listen unix unix-listen " ]
    [ "$(grep -c $'\tno\t.*; not available: .*install' out)" -eq "$(cut -f 3 out | grep -cx no)" ]
    "$SPIKEMINE" formats --live --format json >out.json
    python3 -c 'import json; assert len(json.load(open("out.json"))["sources"]) == 9'
}

@test "trials cut what is replayed" {
    printf '0.1 1\n0.2 2\n0.9 1\n1.0 2\n' >rec.txt
    printf '0s 0.3s\n0.15s 1.5s\n' >trials.txt
    printf '1 (0,1s] 2\n' >list.txt
    "$SPIKEMINE" count rec.txt --trials trials.txt -e list.txt -q >want
    "$SPIKEMINE" watch rec.txt --trials trials.txt -e list.txt -q --speed max >out
    grep -q "\"episode_counts\":\[$(tail -n 1 want | cut -f 2)\]" out
    status=0
    "$SPIKEMINE" watch - --trials trials.txt -e list.txt </dev/null >out 2>err || status=$?
    [ $status -eq 2 ]
    [ ! -s out ]
    grep -q 'its segments come with it' err
}

@test "what is told and recorded of a replay names the trials as they were given" {
    # From the last to the first one; nothing is left of the second, and two pieces of the third.
    printf '9 13\n20 21\n4 9\n0 4\n' >back.txt
    printf '0.5 6\n6.5 20\n' >ran.txt
    printf '0.6 A\n0.61 B\n5 A\n5.01 B\n7 A\n7.01 B\n10 A\n10.01 B\n' >rec.txt
    printf 'A (0,200ms] B\n' >list.txt
    "$SPIKEMINE" watch rec.txt --trials back.txt --segments ran.txt -e list.txt -q --speed max --record kept.txt >out
    "$SPIKEMINE" watch - -e list.txt -q <kept.txt >piped
    for told in out piped; do
        [ "$(sed -n 's/.*"segment":\([0-9]*\),"trial":\([0-9]*\),.*/\1 \2/p' $told | tr '\n' ' ')" = "1 4 2 3 3 3 4 1 " ]
    done
    for cut in "rec.txt --trials back.txt --segments ran.txt" kept.txt; do
        # shellcheck disable=SC2086
        "$SPIKEMINE" count $cut -e list.txt -o /dev/null -q --force --occurrences where
        [ "$(cut -f 3,8 where | tr '\t\n' '  ')" = "segment trial 1 4 2 3 3 3 4 1 " ]
    done
    grep -q ' 4 4$' kept.txt
    # The pieces of a trial are no trials for a test, either.
    test="-d 0:200ms -s 1 --test exact --null trials --surrogates 9 --trials back.txt --segments ran.txt"
    for command in "episodes rec.txt" "live rec.txt --speed max --partition 20s --step 20s"; do
        status=0
        # shellcheck disable=SC2086
        "$SPIKEMINE" $command $test -q >out 2>err || status=$?
        [ $status -ne 0 ]
        grep -q 'trial 3 is in pieces' err
    done
}

@test "a run that continues a state records all that comes" {
    printf '1 (0,1s] 2\n' >list.txt
    printf '0.1 1\n' | "$SPIKEMINE" watch - -e list.txt -q --state state --record first.txt >out
    printf '0.2 2\n0.3 1\n' | "$SPIKEMINE" watch - -e list.txt -q --state state --record second.txt >out
    grep -q '"episode_counts":\[1\]' out
    printf '%s\n' time_s$'\t'unit 0.200000000$'\t'2 0.300000000$'\t'1 | cmp - second.txt
}

@test "a source that says nothing leaves empty files, not missing ones" {
    printf '1 (0,1s] 2\n' >list.txt
    "$SPIKEMINE" watch - -e list.txt -q --record rec.txt --state state --recent 1s </dev/null >out
    [ "$(cat out)" = '{"type":"counts","spikes":0,"episode_counts":[0],"pattern_counts":[],"recent_episode_counts":[0],"recent_pattern_counts":[]}' ]
    "$SPIKEMINE" info rec.txt -q | grep -qx $'events\t0'
    printf '0.1 1\n0.2 2\n' | "$SPIKEMINE" watch - -e list.txt -q --state state --recent 1s --record second.txt >out
    grep -q '"episode_counts":\[1\]' out
}
