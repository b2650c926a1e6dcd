#!/usr/bin/env bash
# What is checked beyond the tests, in stages; each prints its name and duration, the first failure
# ends the run and is named.  tools/check.sh [STAGE ...]  runs all of them, or those named.
#
#   SPIKEMINE_FUZZ_SECONDS    time for each fuzz target of binary formats (5), a quarter of it for others
#   SPIKEMINE_FAULT_SECONDS   time for failing allocations and calls of the system (50), or all of them: full
#   SPIKEMINE_TEST_SCALE      share of the random tests that sanitized builds run (0.02)
set -euo pipefail
cd "$(dirname "$0")/.."

fuzz_seconds=${SPIKEMINE_FUZZ_SECONDS:-5}
jobs=${JOBS:-2}
# First what is quick to fail, and the build of `release`, which many stages use and none changes. Then two rows of
# stages at once: one whose stages keep one processor busy, and one whose stages build trees of their own. Last what
# measures times.
first_stages=(format scripts api strict)
beside_stages=(layers flags interop mpi pages web site headers install faults hardening cuda)
own_stages=(reproducible engines analysers asan tsan fuzz arm64)
last_stages=(frames)

# The release build is the strict one of gcc, too, and has the command for MPI where an MPI is.
build_release() {
    local mpi=OFF
    if command -v mpicc >/dev/null; then
        mpi=ON
    fi
    tools/build.sh release -DSPIKEMINE_WERROR=ON -DSPIKEMINE_GPU_CODE=all -DSPIKEMINE_BUILD_TESTS=ON -DSPIKEMINE_MPI=$mpi
}

stage_format() {
    tools/check-format.sh
}

# Who may use whom (src/layers.txt), by includes and by object files, the map in CONTRIBUTING.md, and one
# meaning a word.
stage_layers() {
    tools/check-words.sh
    tools/build.sh release
    tools/check-layers.py build/release
}

stage_scripts() {
    shellcheck tools/*.sh tools/wheels/*.sh docs/gallery.sh bench/*.sh .ci/run
    tools/check-bats.sh
}

# What packagers ask for reaches the compiler.
stage_flags() {
    tools/check-flags.sh
}

# Public headers keep the promises that their text shows, and whoever checks that is checked first.
stage_api() {
    python3 tests/python/test_check_api.py
    tools/check-api.py
}

# Pages: links, words, widths, options that they name, the sessions of two pages, JSON and its schemas.
stage_pages() {
    python3 tests/python/test_check_pages.py
    tools/build.sh release
    tools/check-pages.py build/release/cli/spikemine
}

# The documentation site is built without a warning, and nothing is missing in it.
stage_site() {
    python3 tests/python/test_site.py
    tools/build.sh release
    tools/site.sh
}

# The pages in headless Chromium: no error, no request, what a click shows.
stage_web() {
    tools/build.sh release
    SPIKEMINE=$PWD/build/release/cli/spikemine python3 tests/page/test_page.py
    python3 tests/page/test_sequences.py
    SPIKEMINE=$PWD/build/release/cli/spikemine python3 tests/page/test_layout.py
    python3 tests/page/test_raster.py
    SPIKEMINE=$PWD/build/release/cli/spikemine python3 tests/page/test_live.py
    SPIKEMINE=$PWD/build/release/cli/spikemine python3 tests/page/test_command.py
}

# How long the live page takes for a frame.
stage_frames() {
    tools/build.sh release
    python3 tests/page/test_live_time.py
}

# gcc and clang, warnings are errors; clang builds the tests in the stage `tsan`. What gcc builds here, with the GPU
# code of all architectures, is what the stages after it look at and run.
stage_strict() {
    build_release
    tools/build.sh strict-clang
}

stage_headers() {
    tools/build.sh release
    tools/check-headers.sh build/release
}

# Programs of labs: what they write is read, and what is written they read.
stage_interop() {
    tools/build.sh release
    tools/interop.sh build/release/cli/spikemine
}

stage_install() {
    tools/build.sh release
    tools/check-install.sh build/release
}

# As users get it, and with clang, whose build has no CUDA.
stage_hardening() {
    tools/build.sh release
    tools/check-hardening.sh build/release
    tools/build.sh strict-clang
    tools/check-hardening.sh build/strict-clang
}

# Two builds of the same sources are the same to the byte.
stage_reproducible() {
    tools/check-reproducible.sh build/reproducible
}

# An engine that is added to a copy of the tree, that of the stage before, is taken up by listing, help, choice and tests.
stage_engines() {
    tools/check-engine-list.sh build/reproducible
}

# The command as ranks of MPI, with every MPI that is here: the same bytes, failures, kills.
stage_mpi() {
    if ! command -v mpicc >/dev/null; then
        echo 'spikemine-mpi is not built: no MPI is here'
        return 0
    fi
    build_release
    tools/check-mpi.sh build/release
}

# Our own sources only; both read the compile commands, so that they see the same flags. Findings that
# a reader of the code would not want changed are named in .clang-tidy and tools/cppcheck.txt.
# What calls MPI is left out: those builds have no MPI.
# One file per clang-tidy: given several, version 14 loses track of va_start in all but the first.
stage_analysers() {
    tools/build.sh strict-clang
    git ls-files 'src/*.c' 'cli/*.c' 'bench/*.c' | grep -v -e '_simd\.c$' -e '/cuda/' -e '/absent\.c$' -e '^cli/mpi/' -e '^bench/balance/' |
        xargs -P "$jobs" -n 1 clang-tidy --quiet -p build/strict-clang 2>/dev/null
    if has_cuda; then # what calls CUDA, and what is built with the tests, is in this build only
        build_release
        git ls-files 'src/*/cuda/*.c' 'src/cuda/*.c' 'bench/balance/*.c' | grep -v '/absent\.c$' |
            xargs -P "$jobs" -n 1 clang-tidy --quiet -p build/release 2>/dev/null
    fi
    cppcheck --quiet --enable=warning,performance,portability --std=c11 --inline-suppr \
        --error-exitcode=1 --suppressions-list=tools/cppcheck.txt -j "$jobs" \
        -Iinclude -Isrc -Icli -Ibuild/strict-clang/generated \
        -DSPK_SIMD_SUFFIX=portable src cli bench/gpu
}

stage_asan() {
    tools/build.sh asan
    # What these search and pack is what unit tests do; two measure memory, which a sanitized program uses otherwise.
    # The last two of the command run scripts; all pairs of options, their completion and times need no memory of their
    # own. The command's live runs are in live_connections, cli_pipes and cli_watch.
    local again='^test_operation$|^cli_(bench|bench_significance|calibrate|checkpoints|choose|compare|completion|compressed|exact'
    again+='|explore|limits|live|memory|options|page_load|peel|progress|select|sequences|signals|significance|time|layers|release)$'
    # Leaks at the end of a run count, and so does reading past a string's end.
    LSAN_OPTIONS=suppressions=$PWD/tools/lsan.supp:print_suppressions=0 \
        ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1 \
        UBSAN_OPTIONS=print_stacktrace=1 SPIKEMINE_TEST_SCALE=${SPIKEMINE_TEST_SCALE:-0.02} \
        tools/run-tests.sh asan -E "$again"
}

# The thread sanitizer knows nothing of OpenMP's barriers; Archer, which comes with LLVM's runtime,
# tells it. Without Archer every parallel loop would look like a race.
stage_tsan() {
    local archer
    archer=$(clang -print-file-name=libarcher.so)
    if [ ! -e "$archer" ]; then
        archer=$(find /usr/lib -name libarcher.so 2>/dev/null | head -n 1)
    fi
    if [ -z "$archer" ]; then
        echo 'libarcher.so is missing: install libomp-dev' >&2
        return 1
    fi
    tools/build.sh tsan
    # What the command does with one thread needs no search for races, nor does what it does around its engines.
    local alone='^cli_(compressed|completion|convert|damaged|formats|info|labels|layers|options|read_errors|time'
    alone+='|episodes|examples|exact|files|html|layers|limits|page|pipes|plan|progress|release|segments|signals|simulate)$'
    # The threads of these are those of test_choose, test_compare, test_exact, test_explore, test_maxima_runs, test_partitions*,
    # test_peel, test_sequences and test_surrogates.
    local again='^(live_connections|cli_(bench|bench_significance|calibrate|checkpoints|choose|compare|explore|live|memory'
    again+='|page_load|peel|select|sequences|significance|surrogates))$'
    # Files are read and written by one thread, and so are these parts; test_output has the threads that compress. None
    # of these starts a thread, but for the search of families, which test_mine has.
    local files='^test_(culture|decimal|duration|exact_(classes|draw|score|sieve)|families|figure.*|grid|hdf5_.*|live_watch|locale|matlab'
    files+='|memory_limit|np[yz]|nulls|nwb|occurrences|operation|page|phy|read_.*|round_trips|sequences_together|sha256|shuffle'
    files+='|simulate|sort_events|text_formats|utf8|write_.*|writers)$'
    OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS=ignore_noninstrumented_modules=1 OMP_NUM_THREADS=4 \
        SPIKEMINE_TEST_SCALE=${SPIKEMINE_TEST_SCALE:-0.02} tools/run-tests.sh tsan -E "$alone|$again|$files"
}

# Each allocation, and each write, read, rename, open and close, fails in turn: a sample, or all of them.
stage_faults() {
    local seconds=${SPIKEMINE_FAULT_SECONDS:-50}
    tools/build.sh release -DSPIKEMINE_BUILD_TESTS=ON
    if [ "$seconds" = full ]; then
        python3 tests/faults/run.py build/release/cli/spikemine build/release/tests/libfail_malloc.so --full
    else
        python3 tests/faults/run.py build/release/cli/spikemine build/release/tests/libfail_malloc.so \
            --seconds "$seconds"
    fi
}

# One fuzz target: a corpus that grows in build/, seeds from tests/fuzz/corpus/NAME where there are any.
fuzz_one() {
    local target=$1 name corpus seconds
    name=$(basename "$target")
    case $name in
        fuzz_lines | fuzz_npy | fuzz_nwb | fuzz_phy) seconds=$fuzz_seconds ;;
        *) seconds=$(((fuzz_seconds + 3) / 4)) ;;
    esac
    corpus=build/fuzz-corpus/$name
    mkdir -p "$corpus"
    local folders=("$corpus")
    if [ -d "tests/fuzz/corpus/${name#fuzz_}" ]; then
        folders+=("tests/fuzz/corpus/${name#fuzz_}")
    fi
    if ! "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="build/fuzz-corpus/$name-" "${folders[@]}" >"$corpus.log" 2>&1; then
        tail -n 40 "$corpus.log"
        echo "$name found a failure; its input is build/fuzz-corpus/$name-*" >&2
        return 1
    fi
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus.log") inputs"
}

stage_fuzz() {
    if ! compgen -G 'tests/fuzz/fuzz_*.c' >/dev/null; then
        echo 'no fuzz targets'
        return 0
    fi
    TARGET=fuzzers tools/build.sh fuzz
    export -f fuzz_one
    export fuzz_seconds
    find build/fuzz -name 'fuzz_*' -type f -perm -u+x -print0 |
        xargs -0 -P "$jobs" -I{} bash -euo pipefail -c 'fuzz_one {}'
    # The memory sanitizer must see all code, hence without the libraries that a build can do without.
    TARGET=fuzzers tools/build.sh fuzz-memory
    fuzz_seconds=$((fuzz_seconds / 4 + 1))
    # Two targets read what libraries without the sanitizer, or the system, wrote: it would not know.
    find build/fuzz-memory -name 'fuzz_*' -type f -perm -u+x ! -name fuzz_tuning \
        ! -name fuzz_round_trip -print0 |
        xargs -0 -P "$jobs" -I{} bash -euo pipefail -c 'fuzz_one {}'
}

# NEON's kernels, and that nothing else rests on the processor: the tests and whole results. QEMU takes
# about fifty times as long.
stage_arm64() {
    if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
        echo 'not built for ARM: its compiler or qemu-aarch64 is not here'
        return 0
    fi
    if ! tools/arm64-packages.sh; then
        echo 'not built for ARM: its libraries are not to be had'
        return 0
    fi
    tools/build.sh arm64
    # Minutes, of arithmetic and texts that other tests, or the whole results below, have, too: kernels have tests of their
    # own here (bitmap, engines, fpgrowth, maxima, mine, patterns, simd), bytes of text have text_formats, utf8, labels.
    local again='^test_(analysis|calibrate|choose|culture|exact(_explain|_null)?|explore|families|live_(page.*|recordings|session|sinks)'
    again+='|maxima_runs|memory_limit|moving_window|operation|page|partitions.*|peel|phy|probe|ranks.*|read_(part.*|shared|text)'
    again+='|sequences(_part)?|shuffle|simulate|sort(_events)?|suggest)$'
    SPIKEMINE_TEST_SCALE=0.02 tools/run-tests.sh arm64 -E "$again"
    tools/build.sh release
    tools/compare-arm64.sh build/release/cli/spikemine build/arm64/cli/spikemine
}

has_cuda() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]
}

# The library carries GPU code for all that it promises, made without a warning; running it needs a
# GPU: bench/gpu.sh. Without CUDA everything else is there, and says why CUDA is not. What is installed has
# all GPU code, whatever a quick build before it left out.
stage_cuda() {
    if ! make -n install | grep -e '-DSPIKEMINE_GPU_CODE=all' >/dev/null; then
        echo 'make install does not ask for GPU code of all architectures' >&2
        return 1
    fi
    tools/check-gpu-code.sh
    tools/build.sh strict-clang
    build/strict-clang/cli/spikemine engines | grep -q 'cuda-sweep.*this build has no CUDA'
    if ! has_cuda; then
        echo 'GPU code is not compiled: nvcc is not here'
        return 0
    fi
    build_release
    local architecture
    # What nvcc was told; where there is cuobjdump, also what came of it.
    ninja -C build/release -t commands | grep -e '-x cu ' >build/release/cuda-commands.txt
    for architecture in 'code=\[sm_80\]' 'code=\[compute_90,sm_90\]'; do
        if grep -v -q -e "arch=.*$architecture" build/release/cuda-commands.txt; then
            echo "GPU code is made without $architecture" >&2
            return 1
        fi
    done
    if command -v cuobjdump >/dev/null; then
        cuobjdump --list-elf --list-ptx build/release/src/libspikemine.so >build/release/cuda-code.txt
        for architecture in '\.sm_80\.cubin' '\.sm_90\.cubin' '\.sm_90\.ptx'; do
            if ! grep -q "$architecture" build/release/cuda-code.txt; then
                echo "no $architecture in the library" >&2
                return 1
            fi
        done
    fi
}

run_stage() {
    local name=$1 began=$SECONDS
    echo "== $name"
    # Not in a condition: there bash would ignore failures inside the function.
    current=$name
    "stage_$name"
    echo "== $name: ok, $((SECONDS - began)) s"
}

current='' beside=''
fail_note() {
    local status=$?
    if [ "$status" != 0 ]; then
        [ -z "$beside" ] || kill "$beside" 2>/dev/null || true
        echo "FAILED in stage: $current" >&2
    fi
}
trap fail_note EXIT

run_stages() {
    for stage in "$@"; do
        if ! declare -F "stage_$stage" >/dev/null; then
            current=$stage
            echo "no such stage; there are: ${first_stages[*]} ${beside_stages[*]} ${own_stages[*]} ${last_stages[*]}" >&2
            exit 2
        fi
        run_stage "$stage"
    done
}

if [ $# = 0 ]; then
    run_stages "${first_stages[@]}"
    echo "== in build/beside.log meanwhile: ${beside_stages[*]}"
    tools/check.sh "${beside_stages[@]}" >build/beside.log 2>&1 &
    beside=$!
    run_stages "${own_stages[@]}"
    current='one of those meanwhile'
    wait "$beside" || { cat build/beside.log && exit 1; }
    grep '^== .*: ok' build/beside.log
    set -- "${last_stages[@]}"
fi
run_stages "$@"
echo "all checks passed, $SECONDS s"
