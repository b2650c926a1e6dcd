#!/usr/bin/env bash
# Checks, sanitizes, profiles and times the GPU engines on this machine:
#   bench/gpu.sh [STEP ...]
# Steps, all by default, in this order; each can be run alone:
#   build       a release build with tests in build/release; left out when BUILD is set
#   check       the tests of GPUs and engines, at full scale
#   recordings  every recording below SPIKEMINE_DATA: each engine's whole result equals sweep's
#   generated   the same with a generated culture of EVENTS events
#   patterns    the paper's jobs and a test of patterns by cuda-bitmap and bitmap: equal, and timed in
#               patterns.tsv, the median of RUNS runs
#   sanitize    compute-sanitizer (memcheck, racecheck, initcheck) over test_gpu and test_maxima
#   profile     Nsight Compute over cuda-ptpe in one pass and two: profiler.tsv (Fig. 12)
#   time        the figures of spikemine-bench-gpu, one table each: FIGURE.tsv
# A step that fails does not keep the next ones from running; the exit status is 1 then, as where no
# GPU engine runs. A step that lacks a tool or recordings is named in the report as left out.
#
#   OUT              output folder (gpu-report); report.md in it tells machine, commands and outcomes
#   BUILD            a build tree, or a folder with bin/spikemine, test programs in tests/ or bin/ and
#                    spikemine-bench-gpu in bench/ or bin/
#   SPIKEMINE_DATA   folder of recordings, two columns: time in s, unit
#   ENGINES          engines to check (all cuda- ones that run here)
#   GPUS             most GPUs to use (all)
#   FIGURES          figures of step time (all)
#   RUNS             runs of each, in step time (3)
#   RECORDING        a recording for the figures in place of generated ones
#   SUPPORTS         supports for the figures, blanks between
#   EVENTS           events of the generated culture (10000000)
#   SPIKEMINE_TEST_EVENTS  of one more culture for step check, cuda-sweep against sweep (none)
#   SANITIZE_SCALE   SPIKEMINE_TEST_SCALE of step sanitize (0.01)
#   COMMIT           the commit of the build, where git cannot tell
#   LIMIT_STEP       seconds for one command of a step, e.g. LIMIT_CHECK (600)
set -uo pipefail

all_steps=(build check recordings generated patterns sanitize profile time)
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${OUT:-gpu-report}

usage() {
    sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

case ${1-} in
-h | --help)
    usage
    exit 0
    ;;
esac
for step in "$@"; do
    if [[ " ${all_steps[*]} " != *" $step "* ]]; then
        echo "bench/gpu.sh: no step '$step'; there are: ${all_steps[*]}" >&2
        exit 2
    fi
done
[ $# -gt 0 ] || set -- "${all_steps[@]}"

mkdir -p "$out/logs" || exit 1
out=$(cd "$out" && pwd)
build=${BUILD:-$source_folder/build/release}
[ ! -d "$build" ] || build=$(cd "$build" && pwd)
# An installed tree brings its libraries.
[ ! -d "$build/lib" ] || export LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- what a build tree or an installed tree has ---------------------------------------------------

# first_program PATH...: the first that can be run
first_program() {
    local path
    for path in "$@"; do
        if [ -x "$path" ] && [ ! -d "$path" ]; then
            echo "$path"
            return 0
        fi
    done
    return 1
}

find_command() {
    first_program "$build/cli/spikemine" "$build/bin/spikemine" "$build/spikemine"
}

find_bench() {
    first_program "$build/bench/spikemine-bench-gpu" "$build/bin/spikemine-bench-gpu" \
        "$build/spikemine-bench-gpu"
}

find_test() {
    first_program "$build/tests/$1" "$build/bin/$1" "$build/$1"
}

# tool NAME: a CUDA tool, on the path or where CUDA is usually installed
tool() {
    command -v "$1" || first_program "${CUDA_HOME:-/usr/local/cuda}/bin/$1" \
        "${CUDA_HOME:-/usr/local/cuda}/compute-sanitizer/$1" /opt/nvidia/nsight-compute/*/"$1"
}

gpu_engines() {
    if [ -n "${ENGINES:-}" ]; then
        tr ' ' '\n' <<<"$ENGINES"
    else
        "$command" engines --names | grep '^cuda-'
    fi
}

# ---- the report -----------------------------------------------------------------------------------

say() {
    echo "$*" | tee -a "$out/report.md"
}

# limit_of STEP: seconds for one command
limit_of() {
    local name
    name=LIMIT_$(tr '[:lower:]' '[:upper:]' <<<"$1")
    echo "${!name:-600}"
}

# quoted WORD...: as a shell reads it, so that the report's lines can be run again
quoted() {
    printf '%q ' "$@" | sed 's/ $//'
}

# logged NAME COMMAND...: runs under the step's limit; output in logs/STEP-NAME.log
logged() {
    local name=$1 log status=0 began=$SECONDS
    shift
    log=$out/logs/$current-${name//\//_}.log
    timeout --kill-after=10 "$(limit_of "$current")" "$@" </dev/null >"$log" 2>&1 || status=$?
    if [ "$status" = 0 ]; then
        say "- ok: $name, $((SECONDS - began)) s: \`$(quoted "$@")\`"
        return 0
    fi
    local what="status $status"
    [ "$status" != 124 ] && [ "$status" != 137 ] || what='out of time'
    say "- **FAILED** ($what): $name, $((SECONDS - began)) s: \`$(quoted "$@")\`"
    tail -n 15 "$log" | sed 's/^/      /' | tee -a "$out/report.md"
    return 1
}

# Exit status of a step that lacks something: 77.
leave_out() {
    say "- left out: $*"
    return 77
}

# The engines to check, one a line, in $work/engines. A machine without a GPU can check nothing.
need_gpu() {
    if ! gpu_engines >"$work/engines"; then
        say '- **FAILED**: no GPU engine runs here'
        "$command" engines | awk -F '\t' '$2 ~ /^cuda-/ { print "      " $2 ": " $4 }' |
            tee -a "$out/report.md"
        return 1
    fi
}

report_machine() {
    {
        echo '# GPU report'
        echo
        echo "- $(date -u '+%Y-%m-%d %H:%M UTC'), steps: $*"
        echo "- machine: $(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo)," \
            "$(nproc) processors, $(uname -sr)"
        if command -v nvidia-smi >/dev/null; then
            nvidia-smi --query-gpu=index,name,driver_version,memory.total,clocks.max.sm \
                --format=csv,noheader 2>&1 | sed 's/^/- GPU /'
        else
            echo '- no nvidia-smi'
        fi
        local nvcc
        if nvcc=$(tool nvcc); then
            echo "- $("$nvcc" --version | grep release)"
        fi
        local commit
        if [ -n "${COMMIT:-}" ]; then
            echo "- commit $COMMIT"
        elif commit=$(git -C "$source_folder" rev-parse --short HEAD 2>/dev/null); then
            [ -z "$(git -C "$source_folder" status --porcelain -uno)" ] || commit+=' and changes'
            echo "- commit $commit"
        else
            echo '- commit unknown: no git here'
        fi
        echo "- build: $build"
    } >>"$out/report.md"
}

# ---- steps ----------------------------------------------------------------------------------------

step_build() {
    if [ -n "${BUILD:-}" ]; then
        leave_out "BUILD=$BUILD is given"
        return
    fi
    logged release env -C "$source_folder" tools/build.sh release
}

# The tests of GPUs, and of what goes with them on the host. One that is not there fails.
step_check() {
    local program folder status=0
    program=$(find_test test_gpu) || {
        leave_out "no test programs in $build"
        return
    }
    folder=$(dirname "$program")
    for program in "$folder"/test_{gpu,cuda}* \
        "$folder"/test_{engines,tuning,workers,policy,mine,ranks_time,patterns,maxima}; do
        logged "$(basename "$program")" env -u SPIKEMINE_TEST_SCALE "$program" || status=1
    done
    # Without a GPU the tests above skip what they are here for.
    need_gpu && return $status
}

# same_as_sweep NAME RECORDING OPTION...: every engine, on one GPU and on all that may be used
same_as_sweep() {
    local name=$1 engine gpus options status=0
    shift
    logged "$name by sweep" "$command" episodes "$@" --engine sweep --force --output "$work/sweep.tsv" ||
        return 1
    while read -r engine; do
        for gpus in "${gpu_counts[@]}"; do
            options=()
            [ "$gpus" = 1 ] || options=(--gpus "$gpus")
            logged "$name by $engine on $gpus" "$command" episodes "$@" --engine "$engine" \
                "${options[@]}" --force --output "$work/other.tsv" || {
                status=1
                continue
            }
            logged "$name, $engine on $gpus equals sweep" \
                cmp "$work/sweep.tsv" "$work/other.tsv" || status=1
        done
    done <"$work/engines"
    return $status
}

# Engines to compare, and on how many GPUs.
prepare_comparison() {
    need_gpu || return
    gpu_counts=(1)
    local n=${GPUS:-all}
    [ "$n" != all ] || n=$n_gpus
    [ "$n" -le 1 ] || gpu_counts+=("$n")
}

at_least() {
    echo $(($1 > $2 ? $1 : $2))
}

step_recordings() {
    local file name events status=0
    if [ -z "${SPIKEMINE_DATA:-}" ]; then
        leave_out 'SPIKEMINE_DATA is not set'
        return
    fi
    prepare_comparison || return
    find -L "$SPIKEMINE_DATA" -type f \
        \( -name '*.spk.txt' -o -name '*.spikes.txt' -o -name '*_spikes.txt' \) -print0 |
        sort -z >"$work/recordings"
    if [ ! -s "$work/recordings" ]; then
        leave_out "no recording (*.spk.txt, *.spikes.txt, *_spikes.txt) in $SPIKEMINE_DATA"
        return
    fi
    while IFS= read -r -d '' file <&3; do
        name=$(basename "$file" .txt)
        events=$(grep -vc '^#' "$file")
        same_as_sweep "$name" "$file" --sort --delay 5ms:10ms \
            --support "$(at_least $((events / 1000)) 50)" || status=1
        same_as_sweep "$name, three intervals" "$file" --sort --delay 0:5ms --delay 5ms:10ms \
            --delay 10ms:15ms --support "$(at_least $((events / 300)) 100)" || status=1
    done 3<"$work/recordings"
    return $status
}

step_generated() {
    prepare_comparison || return
    logged simulate "$command" simulate culture --seed 1 --events "${EVENTS:-10000000}" \
        --output "$work/culture.txt" || return 1
    local status=0
    same_as_sweep culture "$work/culture.txt" --delay 5ms:10ms --support 0.3% || status=1
    rm -f "$work/culture.txt" "$work/culture.txt.truth.json"
    return $status
}

# timed_patterns NAME OPTION...: by both engines, in turn; a row of patterns.tsv
timed_patterns() {
    local name=$1 engine run begin status=0
    shift
    for run in $(seq "${RUNS:-3}"); do
        for engine in bitmap cuda-bitmap; do
            begin=$(date +%s.%N)
            logged "$name by $engine, run $run" "$command" patterns "$@" --engine "$engine" --force \
                --output "$work/$engine.tsv" || return 1
            awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }' >>"$work/$engine.s"
        done
    done
    logged "$name, cuda-bitmap equals bitmap" cmp "$work"/{bitmap,cuda-bitmap}.tsv || status=1
    for engine in bitmap cuda-bitmap; do
        sort -g "$work/$engine.s" | awk '{ v[NR] = $1 } END { printf "%.3f\n", v[int((NR + 1) / 2)] }' \
            >"$work/$engine.median"
        rm "$work/$engine.s"
    done
    printf '%s\t%s\t%s\n' "$name" "$(<"$work/bitmap.median")" "$(<"$work/cuda-bitmap.median")" \
        >>"$out/patterns.tsv"
    return $status
}

step_patterns() {
    local job status=0
    local search=("$source_folder/data/movement_PGHF.spikes.txt" --columns 'time,unit' --bin 5ms --window 20)
    local moved=(--surrogate-method dither-spikes --dither 15ms --seed 1)
    "$command" engines | grep -q $'^patterns\tcuda-bitmap\tyes' || {
        say '- **FAILED**: cuda-bitmap does not run here'
        return 1
    }
    printf 'job\tbitmap_s\tcuda_bitmap_s\n' >"$out/patterns.tsv"
    for job in 88,2 25,3 12,4 10,5 10,6 10,7 10,8 10,9; do
        timed_patterns "($job)" "${search[@]}" --support "${job%,*}" --min-spikes "${job#*,}" \
            --min-neurons "${job#*,}" || status=1
    done
    search+=(--support 10 --min-spikes 5 --min-neurons 5)
    for job in 100 1000; do
        timed_patterns "(10,5), $job surrogates" "${search[@]}" "${moved[@]}" --surrogates "$job" || status=1
    done
    timed_patterns '(10,5), 200 surrogates, 3d' "${search[@]}" "${moved[@]}" --surrogates 200 --spectrum 3d ||
        status=1
    local test=("${search[@]}" --test exact --jitter 25ms)
    timed_patterns '(10,5), exact test, 199 surrogates' "${test[@]}" --surrogates 199 || status=1
    # At a level of 1 all patterns are listed, so that scores and p of all are compared.
    RUNS=1 timed_patterns '(10,5), exact test, 19 surrogates, all listed' "${test[@]}" --surrogates 19 --alpha 1 ||
        status=1
    return $status
}

step_sanitize() {
    local sanitizer program check status=0
    sanitizer=$(tool compute-sanitizer) || {
        leave_out 'no compute-sanitizer'
        return
    }
    program=$(find_test test_gpu) || {
        leave_out "no test_gpu in $build"
        return
    }
    need_gpu || return
    for check in memcheck racecheck initcheck; do
        logged "$check of test_gpu" env SPIKEMINE_TEST_SCALE="${SANITIZE_SCALE:-0.01}" "$sanitizer" \
            --tool "$check" --error-exitcode 99 "$program" || status=1
        # A smaller share of its recordings may have too few patterns for what it asks of them.
        logged "$check of test_maxima" env SPIKEMINE_TEST_SCALE=0.05 "$sanitizer" \
            --tool "$check" --error-exitcode 99 "$(dirname "$program")/test_maxima" || status=1
    done
    return $status
}

# ---- the profiler ---------------------------------------------------------------------------------

# Local memory: what registers do not hold. Uniform branches: whose threads all go one way; active
# threads: of the 32 of a warp, on average.
metrics=(l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum
    l1tex__t_requests_pipe_lsu_mem_local_op_st.sum
    smsp__sass_branch_targets.sum
    smsp__sass_branch_targets_threads_divergent.sum
    smsp__thread_inst_executed_per_inst_executed.ratio
    gpu__time_duration.sum)

# profiler_table METHOD: rows of profiler.tsv from ncu's long CSV
profiler_table() {
    python3 "$source_folder/bench/profiler_table.py" "$1"
}

step_profile() {
    local ncu method options status=0
    ncu=$(tool ncu) || {
        leave_out 'no Nsight Compute (ncu)'
        return
    }
    need_gpu || return
    command -v python3 >/dev/null || {
        leave_out 'no python3 to read what ncu writes'
        return
    }
    local recording=${RECORDING:-}
    if [ -z "$recording" ]; then
        recording=$work/profiled.txt
        logged simulate "$command" simulate culture --seed 26 --events 300000 \
            --output "$recording" || return 1
    fi
    local supports=${SUPPORTS:-0.3%}
    profiler_table header >"$out/profiler.tsv.part"
    for method in one-pass two-pass; do
        options=(--two-pass off)
        [ "$method" = one-pass ] || options=(--two-pass on)
        logged "$method" "$ncu" --csv --page details --print-units base \
            --log-file "$work/$method.csv" --metrics "$(IFS=, && echo "${metrics[*]}")" \
            "$command" episodes "$recording" --delay 5ms:10ms --support "${supports%% *}" \
            --engine cuda-ptpe "${options[@]}" --output /dev/null || {
            status=1
            cp "$work/$method.csv" "$out/logs/" 2>/dev/null
            continue
        }
        cp "$work/$method.csv" "$out/logs/"
        profiler_table "$method" <"$work/$method.csv" >>"$out/profiler.tsv.part" || status=1
    done
    [ $status != 0 ] || mv "$out/profiler.tsv.part" "$out/profiler.tsv"
    return $status
}

# ---- times ----------------------------------------------------------------------------------------

step_time() {
    local bench figure support status=0
    bench=$(find_bench) || {
        leave_out "no spikemine-bench-gpu in $build"
        return
    }
    need_gpu || return
    local options=(--gpus "${GPUS:-all}" --runs "${RUNS:-3}")
    [ -z "${RECORDING:-}" ] || options+=(--recording "$RECORDING")
    for support in ${SUPPORTS:-}; do
        options+=(--support "$support")
    done
    for figure in ${FIGURES:-crossover two-pass gpus cpu tracking bound sweep}; do
        logged "$figure" "$bench" "$figure" "${options[@]}" --output "$out/$figure.tsv" ||
            status=1
    done
    return $status
}

# ---- the run --------------------------------------------------------------------------------------

report_machine "$@"
n_gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU ')
failed=()
left_out=()
for current in "$@"; do
    say ''
    say "## $current"
    say ''
    if ! command=$(find_command) && [ "$current" != build ]; then
        say "- **FAILED**: no spikemine in $build: run step build, or set BUILD"
        failed+=("$current")
        continue
    fi
    began=$SECONDS
    "step_$current"
    case $? in
    0) say "- done, $((SECONDS - began)) s" ;;
    77) left_out+=("$current") ;;
    *) failed+=("$current") ;;
    esac
done
say ''
[ ${#left_out[@]} = 0 ] || say "Left out: ${left_out[*]}"
if [ ${#failed[@]} -gt 0 ]; then
    say "**Failed: ${failed[*]}**"
    exit 1
fi
say 'Nothing failed.'
