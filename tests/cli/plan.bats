#!/usr/bin/env bats
# spikemine plan: a line for each number of ranks, what was measured and assumed, and what is refused.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    "$SPIKEMINE" simulate network --units 12 --rate 10 --duration 100s --chain-rate 0.5 --seed 3 -o rec.txt -q
    job=(rec.txt -d 4ms:6ms -s 0.2% --max-size 4 --measure 500ms)
}

# refuses TEXT ARGUMENT...: exit 2, nothing on standard output, TEXT in the last line.
refuses() {
    local status=0 text=$1
    shift
    "$SPIKEMINE" plan "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ]
    [ ! -s out ]
    tail -n 1 err | grep -qF -- "$text"
}

@test "episodes: a line for each number of ranks, and for both divisions" {
    "$SPIKEMINE" plan episodes "${job[@]}" --ranks 1,4,16 >out
    [ "$(awk '$1 == 1 || $1 == 4 || $1 == 16 { printf "%s %s;", $1, $2 }' out)" = \
        "1 -;4 candidates;4 time;16 candidates;16 time;" ]
    grep -q '^--divide auto takes candidates$' out
    grep -q '^measured in .* stretches of up to' out
    grep -q '^assumed: latency 2.00 us, 10 GB/s into a rank, 10 GB/s from the file system' out
    grep -q '^by time: more than [0-9]* ranks save little' out
    [ "$("$SPIKEMINE" plan episodes "${job[@]}" --ranks 4 --divide time | awk '$1 == 4 { print $2 }')" = time ]
}

@test "episodes: JSON whose parts add up, for a recording that is a sample of a longer one" {
    "$SPIKEMINE" plan episodes "${job[@]}" --ranks 2,10000 --events 1e12 --json >out
    /usr/bin/python3 - <<'END'
import json
plan = json.load(open("out"))
assert plan["plan"] == "episodes" and plan["events"] == 10**12 and plan["auto_divides"] == "candidates"
assert len(plan["predictions"]) == 4 and len(plan["limits"]) == 2
for p in plan["predictions"] + plan["limits"]:
    assert abs(sum(p["parts"].values()) - p["seconds"]) <= 1e-9 * p["seconds"]
    assert p["possible"] == (p["divide"] == "time" and p["ranks"] > 232), p
many = [p for p in plan["predictions"] if p["ranks"] == 10000 and p["divide"] == "time"][0]
assert 1e8 <= many["events_a_rank"] < 1.01e8
END
}

@test "episodes: surrogates of a test are shared, and not by time" {
    "$SPIKEMINE" plan episodes "${job[@]}" --ranks 1,8 --surrogates 1000 --json >with
    "$SPIKEMINE" plan episodes "${job[@]}" --ranks 1,8 --json >without
    /usr/bin/python3 - <<'END'
import json
a, b = (json.load(open(name))["predictions"] for name in ("with", "without"))
assert [p["ranks"] for p in a] == [1, 8]
assert a[0]["seconds"] > 50 * b[0]["parts"]["search"] and a[1]["seconds"] < a[0]["seconds"] / 4
END
    refuses "--surrogates" episodes "${job[@]}" --surrogates 10 --divide time
}

@test "patterns: a line for each number of ranks, and surrogates" {
    patterns=(rec.txt --bin 5ms --window 5 --support 20 --measure 2s)
    "$SPIKEMINE" plan patterns "${patterns[@]}" --ranks 1,4,64 >out
    [ "$(awk '$1 == 1 || $1 == 4 || $1 == 64 { printf "%s;", $1 }' out)" = "1;4;64;" ]
    grep -q '^more than [0-9]* ranks save little' out
    ! grep -q 'divide' out || false
    "$SPIKEMINE" plan patterns "${patterns[@]}" --ranks 8 --surrogates 80 --events 1e10 --json >out
    /usr/bin/python3 - <<'END'
import json
plan = json.load(open("out"))
assert plan["plan"] == "patterns" and plan["assumed"]["surrogates"] == 80
assert not plan["predictions"][0]["possible"] and not plan["limits"][0]["possible"]
END
    "$SPIKEMINE" plan patterns "${patterns[@]}" --ranks 1 --surrogates 80 >signatures
    ! grep -q 'a surrogate costs' signatures || false
    "$SPIKEMINE" plan patterns "${patterns[@]}" --ranks 1 --surrogates 80 --test exact >exact
    grep -q 'a surrogate costs as much as the search' exact
    "$SPIKEMINE" plan patterns "${patterns[@]}" --ranks 1 --surrogates 8 --spectrum 3d --surrogate-method \
        trial-shifting --dither 25ms >out
    refuses "--surrogate-method" patterns "${patterns[@]}" --surrogates 8 --surrogate-method none
    refuses "fpgrowth" patterns "${patterns[@]}" --engine fpgrowth
    refuses "--bin" patterns rec.txt
    refuses "transactions" patterns rec.txt --input-format transactions
}

@test "more memory than a rank may have is marked" {
    "$SPIKEMINE" plan episodes "${job[@]}" --ranks 1,256 --events 1e9 --json >out
    # A limit between the two, which depend on the build.
    limit=$(/usr/bin/python3 - <<'END'
import json
of = {(p["ranks"], p["divide"]): p["memory_bytes"] for p in json.load(open("out"))["predictions"]}
one, many = of[1, "candidates"], of[256, "time"]
assert one > 4 * many, of
print(int(one + many) // 2)
END
    )
    "$SPIKEMINE" plan episodes "${job[@]}" --ranks 1,256 --events 1e9 --max-memory "$limit" >out
    awk '$1 == 1 { exit !/too large/ }' out
    awk '$1 == 256 && $2 == "time" { exit /too large/ }' out
}

@test "what cannot be read is refused" {
    refuses "--ranks 1,,2" episodes "${job[@]}" --ranks 1,,2
    refuses "--ranks 0" episodes "${job[@]}" --ranks 0
    refuses "--events" episodes "${job[@]}" --events 0
    refuses "--measure" episodes "${job[@]}" --measure 0s
    refuses "--bandwidth" episodes "${job[@]}" --bandwidth 0
    refuses "--delay" episodes rec.txt -s 10
    refuses "--support" episodes rec.txt -d 4ms:6ms
    refuses "engines on processors" episodes "${job[@]}" --engine cuda-sweep
    refuses "there is no kind" nothing rec.txt
    run "$SPIKEMINE" plan episodes missing.txt -d 4ms:6ms -s 10
    [ "$status" -eq 1 ]
    [[ "$output" = *"missing.txt"* ]]
    : >empty.txt
    run "$SPIKEMINE" plan episodes empty.txt -d 4ms:6ms -s 10
    [ "$status" -ne 0 ]
}
