#!/usr/bin/env bats
# The progress line: what it says on a terminal, that it fits, and that nothing of it stays.

setup() {
    type -p python3 >/dev/null || skip "needs python3"
    folder=$(mktemp -d)
    cd "$folder"
    macaque=$SOURCE_DIR/data/movement_PGHF.spikes.txt
    cat >terminal.py <<'END'
"""Runs a command whose standard error is a terminal: terminal.py WIDTH UNTIL COMMAND...
Prints what a terminal got, a line for each time that the line was written anew. Once a line matches
UNTIL (and is not empty) the command is interrupted."""
import fcntl, os, pty, re, signal, struct, sys, termios, time

width, until, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
pid = os.fork()
if pid == 0:
    os.close(master)
    os.dup2(slave, 2)
    os.environ.setdefault("TERM", "xterm")
    os.execvp(command[0], command)
os.close(slave)
seen, end, asked = b"", time.time() + 60, False
while True:
    try:
        part = os.read(master, 65536)
    except OSError:
        break
    if not part:
        break
    seen += part
    if not asked and (until and re.search(until.encode(), seen) or time.time() > end):
        asked = True
        os.kill(pid, signal.SIGINT)
_, status = os.waitpid(pid, 0)
for line in re.split(rb"[\r\n]+", seen):
    sys.stdout.write(line.decode().replace("\033[K", "<K>") + "\n")
sys.exit(os.waitstatus_to_exitcode(status))
END
}

teardown() {
    cd /
    [ -z "$folder" ] || rm -rf "$folder"
}

# A search that does not end soon, in little memory.
endless() {
    python3 terminal.py "$1" "$2" "$SPIKEMINE" patterns "$macaque" --columns time,unit --bin 5ms \
        --window 20 --support 7 --moving-window-filter off --threads 1 --max-results none -o /dev/null
}

@test "results, bytes and time left are told, and the line goes away" {
    TERM=xterm endless 120 's left|min left|h left' >seen || true
    grep -qE '^mining: [0-9.]+ %, [0-9,]+ found, [0-9.]+ [kMGT]B written, [0-9.]+ (s|min|h) left<K>$' seen
    # The first seconds tell nothing of the time left.
    [ "$(grep -m 1 '^mining: ' seen | grep -c left)" -eq 0 ]
    # The last thing of it is an empty line; then comes the message.
    grep -q '^<K>spikemine: interrupted' seen
}

@test "the line is never wider than the terminal" {
    for width in 100 30 12 2; do
        TERM=xterm python3 terminal.py $width '' "$SPIKEMINE" episodes "$macaque" \
            --columns time,unit -d 0:20ms -s 200 --max-size 3 -o out.tsv --occurrences occ.tsv --force >seen
        grep '<K>$' seen | sed 's/<K>$//' >lines
        [ "$(wc -l <lines)" -gt 3 ]
        [ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' lines)" -lt $width ]
        # Parts are dropped as a whole where some fit.
        [ $width -lt 20 ] || [ "$(grep -cE ', ?$|fo$|foun$|writ$' lines)" -eq 0 ]
        tail -n 2 seen | grep -q '^<K>[0-9]* frequent episodes'
    done
    grep -q found <(TERM=xterm python3 terminal.py 100 '' "$SPIKEMINE" episodes "$macaque" \
        --columns time,unit -d 0:20ms -s 200 --max-size 3 -o out.tsv --occurrences occ.tsv --force)
}

@test "nothing without a terminal, with -q, or on one that cannot go back" {
    job=(episodes "$macaque" --columns time,unit -d 0:20ms -s 200 --max-size 2 -o out.tsv --force)
    "$SPIKEMINE" "${job[@]}" 2>err
    [ "$(wc -l <err)" -eq 1 ]
    if grep -q $'[\r\033]' err; then
        return 1
    fi
    TERM=xterm python3 terminal.py 80 '' "$SPIKEMINE" "${job[@]}" -q >seen
    [ -z "$(tr -d '\n' <seen)" ]
    TERM=dumb python3 terminal.py 80 '' "$SPIKEMINE" "${job[@]}" >seen
    if grep '<K>' seen; then
        return 1
    fi
}

@test "surrogates are counted, with the time left, and nothing of what happens within one is shown" {
    TERM=xterm python3 terminal.py 120 's left|min left|h left' "$SPIKEMINE" patterns "$macaque" \
        --columns time,unit --bin 5ms --window 20 --support 60 --min-spikes 3 --surrogates 600 \
        --seed 1 --shard 1/1 --threads 1 --checkpoint check.spk -o out.spk >seen || true
    grep -qE '^surrogates: [0-9]+ of 600,( [0-9.]+ [kM]B written,)? [0-9.]+ (s|min|h) left<K>$' seen
    [ "$(grep '<K>$' seen | grep -vc -e '^surrogates: ' -e '^reading: ' -e '^<K>$')" -eq 0 ]
    grep -q 'interrupted after [0-9]* of 600 surrogates, which check.spk keeps' seen
}
