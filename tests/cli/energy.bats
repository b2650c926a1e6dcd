#!/usr/bin/env bats
# --energy: joules where meters can be read, else the cause. GPUs are played by a library.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    for k in $(seq 1 40); do echo "0.$((100 + k * 10)) $((k % 4))"; done >rec.txt
    export SPIKEMINE_NVML=$SPIKEMINE_FAKE_NVML FAKE_NVML=2
}

@test "every mining command tells the meters at its end" {
    "$SPIKEMINE" episodes rec.txt -d 5ms:15ms -s 2 --energy -o a.tsv 2>talk
    grep -E '^energy: GPU 1 Fake 1000: [0-9]+\.[0-9]{3} J$' talk
    grep -E '^energy: (package|processors)' talk
    "$SPIKEMINE" patterns rec.txt --bin 10ms --window 3 --energy -o b.tsv 2>talk
    grep -q '^energy: GPU 0' talk
    echo '0 (5ms,15ms] 1' >list.txt
    "$SPIKEMINE" count rec.txt -e list.txt --energy -o c.tsv 2>talk
    grep -q '^energy: all: ' talk
    "$SPIKEMINE" count rec.txt -e list.txt -o d.tsv 2>talk
    [ "$(grep -c energy talk)" = 0 ]
    cmp c.tsv d.tsv
    "$SPIKEMINE" count rec.txt -e list.txt --energy --quiet -o e.tsv 2>talk
    [ ! -s talk ]
}

@test "JSON has the meters, readable or not" {
    FAKE_NVML=old "$SPIKEMINE" episodes rec.txt -d 5ms:15ms -s 2 --energy --format json -o a.json 2>talk
    jq -e '.provenance.energy | map(select(.meter == "GPU 0 Fake 1000"))[0].joules > 0' a.json
    jq -e '.provenance.energy | map(select(.meter == "GPU 1 Fake 1000"))[0].not_readable == "the NVIDIA driver says: Not Supported"' a.json
    "$SPIKEMINE" patterns rec.txt --bin 10ms --window 3 --energy --format json 2>talk >b.json
    jq -e '.provenance.energy | length >= 3' b.json
}

@test "without a driver the cause is told" {
    SPIKEMINE_NVML=/nowhere.so "$SPIKEMINE" episodes rec.txt -d 5ms:15ms -s 2 --energy -o a.tsv 2>talk
    grep -q '^energy: GPUs: not readable: the library of the NVIDIA driver (/nowhere.so) is not here$' talk
}

@test "bench has a column of joules" {
    "$SPIKEMINE" bench episodes rec.txt -d 5ms:15ms -s 2 --engines sweep,fsm --runs 2 --energy >table 2>talk
    head -1 table | grep -q $'frequent\tjoules$'
    sed -n 2p table | grep -E $'\t[0-9]+\\.[0-9]{3}$'
    "$SPIKEMINE" bench patterns rec.txt --bin 10ms --window 3 --jobs 2,2 --runs 2 --energy >table 2>talk
    sed -n 2p table | grep -E $'\t[0-9]+\\.[0-9]{3}$'
    FAKE_NVML=0 "$SPIKEMINE" bench patterns rec.txt --bin 10ms --window 3 --jobs 2,2 --runs 1 >table
    head -1 table | grep -q $'patterns$'
}
