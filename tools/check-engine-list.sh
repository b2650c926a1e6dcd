#!/usr/bin/env bash
# An engine is one file and one line in src/engine/list.h: adds engines to a copy of the tree, two for
# processors and one for GPUs, builds it without CUDA, and sees that they are listed, named by the help,
# chosen, tested, and caught when they are wrong. Also, that the documentation names every engine.
#   tools/check-engine-list.sh [COPY]
# COPY is a copy of the tree with a build of it, as tools/check-reproducible.sh leaves it; without it one is made.
# It is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
source_dir=$PWD
mkdir -p build
copy=${1:-$(mktemp -d "$PWD/build/engine-list.XXXXXX")}
mkdir -p "$copy"
copy=$(realpath "$copy")
trap 'rm -rf "$copy"' EXIT

fail() {
    echo "engine list: $*" >&2
    exit 1
}

# expect PATTERN FILE: the file has a line like that.
expect() {
    grep -q -e "$1" "$2" || {
        cat "$2" >&2
        fail "no '$1' in $(basename "$2")"
    }
}

copy_tree() {
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do
            [ ! -f "$file" ] || printf '%s\0' "$file"
        done | tar -c --null -T - | tar -x -C "$copy"
}

# add_line MACRO LINE: the line becomes the last one of that list.
add_line() {
    awk -v macro="#define $1(X)" -v line="$2" '
        index($0, macro) { inside = 1 }
        inside && !/\\$/ { print $0 " \\"; print "    " line; inside = 0; next }
        { print }' src/engine/list.h >list.new
    mv list.new src/engine/list.h
}

# Quickly: -O0, whose warnings are others than those of a release, and no errors. The options are those of
# tools/check-reproducible.sh, so that what it compiled stays but for the lists.
build() {
    cmake -S . -B build -G 'Unix Makefiles' -DSPIKEMINE_CUDA=OFF -DSPIKEMINE_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O0 -g -DNDEBUG' >configure.log 2>&1 || { cat configure.log >&2; fail 'configuring failed'; }
    cmake --build build --target spikemine_command "${tests[@]}" -- -j "${JOBS:-2}" >build.log 2>&1 ||
        { tail -n 40 build.log >&2; fail 'building failed'; }
}

# Runs a test program on its own engines, as the checks do.
run_test() {
    SPIKEMINE_TEST_SCALE=${SPIKEMINE_TEST_SCALE:-0.02} "build/tests/$1" >"$1.log" 2>&1
}

tests=(test_engines test_mine test_workers test_patterns test_policy)
copy_tree
cd "$copy"
cp tests/dummy/episode_engine.c src/episode/engine/dummy.c
cp tests/dummy/gpu_episode_engine.c src/episode/engine/cuda/dummy.c
cp tests/dummy/pattern_engine.c src/pattern/engine/dummy.c
add_line SPK_EPISODE_ENGINES 'X(dummy, "dummy", CPU, "an engine that was added")'
add_line SPK_EPISODE_ENGINES 'X(cuda_dummy, "cuda-dummy", GPU, "an engine for GPUs that was added")'
add_line SPK_PATTERN_ENGINES 'X(dummy, "dummy", CPU, "an engine for patterns that was added")'
build

spikemine() {
    build/cli/spikemine "$@"
}

# Listed, with kind and cause.
spikemine engines >engines.tsv
expect "^episodes.dummy.yes.an engine that was added$" engines.tsv
expect "^episodes.cuda-dummy.no.an engine for GPUs that was added; not available: not built" engines.tsv
expect "^patterns.dummy.yes.an engine for patterns that was added$" engines.tsv
spikemine engines --names >names
expect '^dummy$' names

# Named by the help and the manual.
for command in episodes count patterns; do
    spikemine "$command" --help --verbose >"help-$command"
    expect 'dummy' "help-$command"
done
expect 'cuda-dummy' help-episodes
spikemine help --man >manual
expect 'cuda\\-dummy' manual

# Chosen, with the results of the others; "not built" is told.
rec=(data/songbird_spikes.txt --columns "unit,time" --sort)
job=("${rec[@]}" --delay 0:20ms --support 20 --quiet)
spikemine episodes "${job[@]}" --engine reference >reference.tsv
spikemine episodes "${job[@]}" --engine dummy >dummy.tsv
[ "$(wc -l <reference.tsv)" -gt 50 ] || fail 'too few episodes to compare'
cmp reference.tsv dummy.tsv || fail 'engine dummy gives other counts than reference'
spikemine episodes "${job[@]}" --engine dummy --format json >dummy.json
expect '"engine": "dummy"' dummy.json
spikemine count "${rec[@]}" --episodes reference.tsv --engine dummy >counted.tsv
cmp reference.tsv counted.tsv || fail 'engine dummy counts otherwise than it mines'
job=("${rec[@]}" --bin 5ms --window 5 --support 8 --format json)
spikemine patterns "${job[@]}" --engine dummy >patterns.json 2>note
expect '"engine": "dummy"' patterns.json
expect 'by engine dummy' note
if spikemine episodes "${rec[@]}" -d 0:20ms -s 20 --engine cuda-dummy >none 2>error; then
    fail 'engine cuda-dummy runs, though it is not built'
fi
expect "engine 'cuda-dummy': not built" error

# Tested.
for test in "${tests[@]}"; do
    run_test "$test" || { tail -n 40 "$test.log" >&2; fail "$test fails with the new engines"; }
done
for test in test_engines test_mine test_workers; do
    expect 'engine for episodes: dummy: tested' "$test.log"
    expect 'engine for episodes: cuda-dummy: not built' "$test.log"
done
expect 'engine for patterns: dummy: tested' test_patterns.log

# A wrong one is caught.
sed -i 's/MISTAKE = 0/MISTAKE = 1/' src/episode/engine/dummy.c src/pattern/engine/dummy.c
build
for test in test_engines test_mine test_workers test_patterns; do
    ! run_test "$test" || fail "$test passes with a wrong engine"
done

# Every engine has its place in the documentation.
cd "$source_dir"
for language in episodes:docs/explanation/episodes.md patterns:docs/explanation/patterns.md; do
    awk -F '\t' -v language="${language%%:*}" '$1 == language && $2 !~ /dummy/ { print $2 }' \
        "$copy/engines.tsv" | while read -r name; do
        expect "\`$name\`" "${language#*:}"
    done
done
echo 'engines that were added are listed, named, chosen, tested, and caught when wrong'
