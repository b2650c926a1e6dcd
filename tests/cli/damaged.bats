#!/usr/bin/env bats
# Damaged files of each kind, and runs that are ended at random moments: tests/attack/attack.py.

@test "a damaged file of any kind ends with an answer or with a reason" {
    python3 "$SOURCE_DIR/tests/attack/attack.py" "$SPIKEMINE" --damaged 306 --seed 7
}

@test "a run that is ended leaves nothing that looks complete" {
    python3 "$SOURCE_DIR/tests/attack/attack.py" "$SPIKEMINE" --kills 12 --seed 7
}
