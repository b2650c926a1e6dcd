#!/usr/bin/env bats
# What every command that writes files does for its user: no input is overwritten, no two results go to
# one file, nothing that exists is replaced without --force, and nothing is left behind.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    printf '%s\n' "time unit" "1 A" "2 A" "5 B" "8 B" "10 A" "13 A" "15 C" "18 B" "20 C" >rec.txt
    printf 'A (0,5s] B\n' >list.txt
    printf '0 30\n' >trials.txt
    cp rec.txt rec.before
    episodes="episodes rec.txt -q -d 0:5s -s 1"
    count="count rec.txt -e list.txt"
    patterns="patterns rec.txt --columns time,unit --bin 1s --window 3 --trials trials.txt"
    simulate="simulate sym26 --duration 1s"
}

teardown() {
    cd /
    rm -rf "$folder"
}

# fails STATUS TEXT ARGUMENT...: nothing on standard output, a line with TEXT, and the inputs stay.
fails() {
    local status=0 expected=$1 text=$2
    shift 2
    "$SPIKEMINE" "$@" >out 2>err </dev/null || status=$?
    if [ "$status" -ne "$expected" ] || [ -s out ] || ! grep -qF -- "$text" err ||
        ! cmp -s rec.txt rec.before; then
        echo "spikemine $*: status $status, expected $expected with '$text':"
        cat out err
        return 1
    fi
    rm out err
}

has_figures() {
    "$SPIKEMINE" $episodes -o /dev/null --figure probe.svg 2>/dev/null && rm probe.svg
}

@test "no input is overwritten, also not through links, also not with --force" {
    ln -s rec.txt soft
    ln rec.txt hard
    mkdir sub
    for name in rec.txt ./rec.txt sub/../rec.txt "$PWD/rec.txt" soft hard; do
        for job in "$episodes" "$count" "$patterns"; do
            for option in -o --occurrences; do
                fails 2 "is the recording that is read" $job $option "$name" --force
            done
        done
    done
    ln -s rec.txt rec.html
    fails 2 "is the recording that is read" $episodes --html rec.html --force
    fails 2 "is the recording that is read" $patterns --html rec.html --force
    rm rec.html
    fails 2 "is the list of episodes that is read" $count -o list.txt --force
    fails 2 "is the list of trials that is read" $patterns --occurrences trials.txt --force
    mv rec.txt rec.svg
    ln -s rec.svg rec.txt
    if has_figures; then
        fails 2 "is the recording that is read" $episodes --figure rec.svg --force
        fails 2 "is the recording that is read" $patterns --figure rec.svg --force
    fi
    mv rec.svg out.tsv.incomplete
    ln -sf out.tsv.incomplete rec.txt
    fails 2 "ends early" $episodes -o out.tsv
    mkdir -p config/spikemine
    echo '{}' >config/spikemine/gpu.json
    XDG_CONFIG_HOME=$PWD/config fails 2 "is the tuning" $episodes --force \
        -o config/spikemine/gpu.json
}

@test "no member of a folder is overwritten" {
    python3 - <<'END' || skip "needs numpy"
import os
import numpy as np
os.mkdir("phy")
np.save("phy/spike_times.npy", np.arange(0, 30000, 100))
np.save("phy/spike_clusters.npy", np.arange(300) % 3)
open("phy/params.py", "w").write("sample_rate = 30000\n")
open("phy/cluster_group.tsv", "w").write("cluster_id\tgroup\n0\tgood\n1\tgood\n2\tgood\n")
END
    ln -s phy/params.py away
    cp -r phy phy.before
    for name in phy/spike_times.npy phy/spike_clusters.npy phy/params.py phy/cluster_group.tsv away; do
        for option in -o --occurrences; do
            fails 2 "is one of the files that were read" episodes phy -d 0:5ms -s 5 $option $name --force
        done
    done
    diff -r phy phy.before
}

@test "an input from standard input is not overwritten" {
    status=0
    "$SPIKEMINE" episodes - -d 0:5s -s 1 -o rec.txt --force <rec.txt 2>err || status=$?
    [ $status -eq 2 ]
    status=0
    "$SPIKEMINE" $episodes >>rec.txt 2>err || status=$?
    [ $status -eq 2 ]
    cmp rec.txt rec.before
}

@test "no two results go to one file" {
    ln -s new soft
    for name in new ./new soft; do
        fails 2 "goes there; choose another file" $episodes -o new --occurrences $name
        fails 2 "goes there; choose another file" $count -o new --occurrences $name
        fails 2 "goes there; choose another file" $patterns -o new --occurrences $name
        fails 2 "goes there; choose another file" $simulate -o new --truth $name
    done
    fails 2 ".incomplete; choose another file" $episodes -o new --occurrences new.incomplete
    for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
        fails 2 "the table goes there" $episodes --occurrences $name
        fails 2 "the table goes there" $patterns --occurrences $name
        fails 2 "the recording goes there" $simulate --truth $name
    done
    fails 2 "goes there; choose another file" $simulate -o r --truth ./r
    if has_figures; then
        fails 2 "goes there; choose another file" $episodes -o f.svg --figure f.svg
        fails 2 "goes there; choose another file" $patterns --occurrences f.svg --figure f.svg
    fi
    rm soft
    [ "$(ls)" = "$(printf '%s\n' list.txt rec.before rec.txt trials.txt)" ]
    "$SPIKEMINE" $episodes -o /dev/null --occurrences /dev/null
}

@test "what exists is replaced with --force only" {
    for job in "$episodes" "$count" "$patterns" "$simulate"; do
        echo precious >old
        fails 1 "old: exists already; choose another name, or pass --force" $job -o old
        grep -qx precious old
        "$SPIKEMINE" $job -o old --force 2>err
        ! grep -qx precious old || false
    done
    fails 1 "--occurrences old: exists already" $episodes --occurrences old
    fails 1 "--truth old.truth.json: exists already" $simulate -o other --truth old.truth.json
    if has_figures; then
        touch old.svg
        fails 1 "--figure old.svg: exists already" $episodes --figure old.svg
    fi
    echo earlier >new.incomplete
    "$SPIKEMINE" $episodes -o new
    grep -qx earlier new.incomplete
    "$SPIKEMINE" $episodes -o /dev/null
}

@test "a link stays, modes are kept, and open files are written in place" {
    ln -s target link
    umask 027
    "$SPIKEMINE" $episodes -o link
    [ -L link ]
    [ "$(stat -c %a target)" = 640 ]
    chmod 604 target
    "$SPIKEMINE" $episodes -o link --force
    [ -L link ]
    [ "$(stat -c %a target)" = 604 ]
    "$SPIKEMINE" $episodes >expected
    cmp target expected
    number=$(stat -c %i expected)
    for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
        "$SPIKEMINE" $episodes -o $name >got
        cmp got expected
        { echo first; "$SPIKEMINE" $episodes -o $name; echo last; } >got
        { echo first; cat expected; echo last; } | cmp - got
    done
    [ "$number" = "$(stat -c %i expected)" ]
    "$SPIKEMINE" $episodes -o /dev/fd/7 7>got
    cmp got expected
}

@test "what cannot be written is told before the recording is read" {
    mkfifo recording # reading it would wait for ever
    for option in -o --occurrences --figure; do
        has_figures || [ $option != --figure ] || continue
        fails 1 "none/out.svg: cannot write here" episodes recording -d 0:5s -s 1 $option none/out.svg
        fails 1 "none/out.svg: cannot write here" count recording -e list.txt $option none/out.svg
        fails 1 "none/out.svg: cannot write here" patterns recording --bin 1s $option none/out.svg
    done
    fails 1 "none/truth: cannot write here" simulate culture --events 1000000000 -o new \
        --truth none/truth
    [ ! -e new ]
    long=$(printf 'x%.0s' $(seq 255))
    "$SPIKEMINE" $episodes -o "$long"
    fails 1 "give a shorter name" $episodes -o "x$long"
    fails 1 "give a shorter name" $simulate -o "$long" --force
}

@test "a standard output that is closed is no other file" {
    status=0
    "$SPIKEMINE" $episodes --occurrences occ.tsv >&- 2>err || status=$?
    [ $status -eq 1 ]
    grep -q "standard output: writing failed" err
    [ ! -e occ.tsv ]
}
