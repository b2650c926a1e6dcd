#!/bin/bash
# Speed and memory of reading arrays: bench/formats.sh COMMAND [RUNS [EVENTS]]
# Makes recordings of 60 units at 30 kHz as a phy folder, an ALF folder, an .npz archive and a table
# of two columns, and prints MB of spike data a second and peak bytes an event beyond the recording.
# The time is that of the whole command 'info', the best of RUNS (5). The slice is one of 10 s.
set -eu
spikemine=$1
runs=${2:-5}
events=${3:-10000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

python3 - "$folder" "$events" <<'PYTHON'
import array, os, random, struct, sys, zipfile
folder, n = sys.argv[1], int(sys.argv[2])
random.seed(1)
ticks, t = array.array('q'), 0
units = array.array('i')
for _ in range(n):
    t += 1 + int(random.random() * 20)
    ticks.append(t)
    units.append(int(random.random() * 60))
seconds = array.array('d', (t / 30000 for t in ticks))

def npy(kind, shape, data):
    head = "{'descr': '<%s', 'fortran_order': False, 'shape': %s, }\n" % (kind, shape)
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data.tobytes()

def save(name, content):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(content)

one = '(%d,)' % n
save('phy/spike_times.npy', npy('i8', one, ticks))
save('phy/spike_clusters.npy', npy('i4', one, units))
save('phy/params.py', b'sample_rate = 30000.\n')
save('alf/spikes.times.npy', npy('f8', one, seconds))
save('alf/spikes.clusters.npy', npy('i4', one, units))
table = array.array('d', (x for pair in zip(seconds, units) for x in pair))
save('table.npy', npy('f8', '(%d, 2)' % n, table))
with zipfile.ZipFile(os.path.join(folder, 'pair.npz'), 'w') as archive:
    archive.writestr('times.npy', npy('f8', one, seconds))
    archive.writestr('units.npy', npy('i4', one, units))
save('one/spike_times.npy', npy('i8', '(1,)', ticks[:1]))
save('one/spike_clusters.npy', npy('i4', '(1,)', units[:1]))
save('one/params.py', b'sample_rate = 30000.\n')
PYTHON

# "seconds kilobytes" of one run
measure() {
    /usr/bin/time -f "%e %M" -o "$folder/time" "$spikemine" info "$@" >/dev/null 2>&1
    cat "$folder/time"
}

# NAME BYTES ARGUMENT ...
row() {
    local name=$1 bytes=$2
    shift 2
    for _ in $(seq "$runs"); do
        measure "$@"
    done | sort -n | head -1 | awk -v name="$name" -v bytes="$bytes" -v n="$events" -v base="$base" \
        '{printf "%s\t%.2f\t%.0f\t%.1f\n", name, $1, bytes / 1e6 / ($1 > 0 ? $1 : 0.005),
          ($2 - base) * 1024 / n - 16}'
}

base=$(measure "$folder/one" | cut -d' ' -f2)
printf 'input\tseconds\tMB/s\tbytes_per_event_beyond_the_recording\n'
row phy $((12 * events)) "$folder/phy"
row phy_slice $((12 * events)) "$folder/phy" --start 100s --stop 110s
row alf $((12 * events)) "$folder/alf"
row table.npy $((16 * events)) "$folder/table.npy"
row pair.npz $((12 * events)) "$folder/pair.npz"
