#!/bin/sh
# Runs the tests of one build and closes with the number of test cases that passed and failed:
#   tools/run-tests.sh PRESET [CTEST-OPTION ...]
# A program that fails without naming a case (a crash, a time-out) counts as one failure.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift

log=build/$preset/Testing/Temporary/LastTest.log
rm -f "$log"
status=0
# Two more than there are processors: some tests wait for a clock.
ctest --preset "$preset" -j "$((${JOBS:-2} + 2))" "$@" || status=$?
if [ ! -f "$log" ]; then
    echo 'no tests were run' >&2
    exit 1
fi

awk -v status="$status" '
    # cmocka names every case, and lists the failed and skipped ones again at the end; bats writes TAP.
    /^\[       OK \] / { passed++ }
    /^\[  SKIPPED \] [0-9]+ test\(s\), listed below/ { skipped += $4 }
    /^\[  FAILED  \] [0-9]+ test\(s\), listed below/ { named += $4 }
    /^not ok [0-9]+/ { named++ }
    /^ok [0-9]+/ { if (/ # skip/) skipped++; else passed++ }
    # pytest ends with a line "1 failed, 63 passed, 2 skipped in 9.8s".
    / in [0-9.]+s( \([0-9:]+\))?$/ && /^[0-9]+ (passed|failed|skipped|error)/ {
        for (k = 1; k < NF; k += 2) {
            if ($(k + 1) ~ /^passed/) passed += $k
            if ($(k + 1) ~ /^(failed|error)/) named += $k
            if ($(k + 1) ~ /^skipped/) skipped += $k
        }
    }
    /^Test (Passed|Failed|timeout|Timeout)/ || /^Test .*\.$/ { verdict = $0 }
    /^".*" end time:/ {
        if (verdict != "Test Passed.") failed += named > 0 ? named : 1
        named = 0; verdict = ""
    }
    END {
        if (status != 0 && failed == 0) failed = 1
        if (skipped > 0)
            printf "%d skipped (what they need is not on this machine)\n", skipped
        printf "%d passed, %d failed\n", passed, failed
    }' "$log"
exit "$status"
