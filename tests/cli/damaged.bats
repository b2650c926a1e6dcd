#!/usr/bin/env bats
# Damaged binary files: whatever byte is wrong, the command ends with an answer, or with one line that
# says what is wrong with the file.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Converts a small recording to the format $1 and reads $2 damaged copies of it.
damage() {
    "$SPIKEMINE" simulate network --units 5 --rate 4 --duration 20s --seed 3 -o rec.txt
    "$SPIKEMINE" convert rec.txt "rec.$1" -q
    python3 - "$SPIKEMINE" "rec.$1" "$2" <<'END'
import random
import subprocess
import sys

command, path, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
whole = open(path, "rb").read()
chance = random.Random(7)
seen = set()
for k in range(n):
    damaged = bytearray(whole)
    for _ in range(chance.choice((1, 1, 2, 4, 16, 64))):
        at = chance.randrange(len(damaged))
        damaged[at] = chance.choice((0, 255, chance.randrange(256), damaged[at] ^ 1 << chance.randrange(8)))
    if chance.random() < 0.1:
        damaged = damaged[:chance.randrange(len(damaged))]
    name = "damaged." + path.rsplit(".", 1)[1]
    open(name, "wb").write(damaged)
    run = subprocess.run([command, "info", name, "-q", "--sort"], capture_output=True)
    lines = run.stderr.splitlines()
    assert run.returncode in (0, 1, 2), (k, run.returncode, run.stderr)
    assert len(lines) == (run.returncode != 0), (k, run.returncode, run.stderr)
    seen.add(run.returncode)
assert seen >= {0, 1}, seen
END
}

@test "damaged NWB files" {
    "$SPIKEMINE" formats | grep -q "^nwb	yes	yes	yes" || skip "this build has no HDF5"
    damage nwb 150
}

@test "damaged npz files" {
    "$SPIKEMINE" formats | grep -q "^npz	yes	yes	yes" || skip "this build does not read npz"
    damage npz 100
}
