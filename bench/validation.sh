#!/usr/bin/env bash
# The long studies of significance, on all processors:
#   bench/validation.sh SECONDS [STUDY ...]
# Studies, all by default, in this order; each begins no run when SECONDS of all are over:
#   shared       the validation of Stella et al. (2019): validation.tsv, and the spectra of the backgrounds
#   more         the same with four times as many surrogates: more.tsv
#   calibration  how often independent units have a significant pattern: calibration.tsv
#   exact        how often the exact test finds something where all is chance: exact.tsv
#   power        planted chains that the exact test and the signature test find: power.tsv
#   real         planted chains in real recordings that are shifted apart, by null hypothesis: real.tsv
#   connectivity planted connections, by the exact test and by correlograms: connectivity.tsv
#   own          the validation with surrogates of each run: own.tsv
#   elephant     the validation with Elephant, its recordings written first: elephant.tsv
# A study that was not finished goes on from its files when the same command is given again.
#
#   OUT         folder of the files (build/validation)
#   FROM        a folder with files of an earlier call, which are copied to OUT first
#   PROGRAM     spikemine-bench-significance; built from this tree unless given
#   PYTHON      for elephant: has elephant and statsmodels (python3)
#   SPIKEMINE   for real: the command, which makes its recordings (build/release/cli/spikemine)
#   SPIKEMINE_DATA  for real: a folder with phy, wagenaar; without it the bundled recordings only
#   RUNS        realisations of each cell (100); for elephant 10 of them
#   SURROGATES  of each background or run (5000); for elephant a fifth
# bench/significance_report.py makes tables and figures of the rows.
set -euo pipefail

began=$SECONDS
if ! [[ ${1-} =~ ^[0-9]+$ ]]; then
    sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
fi
end=$((began + $1))
shift
[ $# -gt 0 ] || set -- shared more calibration exact power real connectivity own elephant
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${OUT:-build/validation}
mkdir -p "$out"
out=$(cd "$out" && pwd)
runs=${RUNS:-100}
surrogates=${SURROGATES:-5000}
[ -z "${FROM-}" ] || cp -r "$FROM"/. "$out"

program=${PROGRAM-}
if [ -z "$program" ]; then
    build=$source_folder/build/validation-program
    cmake -S "$source_folder" -B "$build" -DSPIKEMINE_BUILD_TESTS=OFF -DSPIKEMINE_CUDA=OFF \
        -DSPIKEMINE_HDF5=OFF -DSPIKEMINE_CAIRO=OFF -DSPIKEMINE_LIBARCHIVE=OFF >"$out/build.log"
    cmake --build "$build" -j "$(nproc)" --target spikemine_bench_significance >>"$out/build.log"
    program=$build/bench/spikemine-bench-significance
fi

# REC OUT OPTION ...: a recording of the study `real`.
convert() {
    "${SPIKEMINE:-$source_folder/build/release/cli/spikemine}" convert "$@" -q --force
}

# The recordings of `real`, in the folder $out; songbird times are frames.
make_recordings() {
    awk '{ printf "%d\t%s\n", $2 * 30 + 0.5, $1 }' "$source_folder/data/songbird_spikes.txt" | sort -n |
        convert - "$out/songbird.npz" --columns time,unit --time-unit samples@30
    convert "$source_folder/data/movement_PGHF.spikes.txt" "$out/macaque.npz" --columns time,unit
    [ -n "${SPIKEMINE_DATA-}" ] || return 0
    convert "$SPIKEMINE_DATA/phy" "$out/probe.npz" --time-unit samples@30000 --group good --start 0s --stop 30s
    convert "$SPIKEMINE_DATA/wagenaar/2-1-20.spk.txt" "$out/culture.npz" --columns time,unit --stop 300s
}

# Seconds that are left, at least 1.
left() {
    local n=$((end - SECONDS))
    echo $((n > 1 ? n : 1))
}

study() {
    case $1 in
    shared)
        "$program" validation --runs "$runs" --surrogates "$surrogates" --seconds "$(left)" -o "$out/validation.tsv"
        ;;
    more)
        "$program" validation --runs "$runs" --surrogates $((4 * surrogates)) --seconds "$(left)" -o "$out/more.tsv"
        ;;
    calibration)
        "$program" calibration --seconds "$(left)" -o "$out/calibration.tsv"
        ;;
    exact)
        "$program" exact --seconds "$(left)" -o "$out/exact.tsv"
        ;;
    power)
        "$program" power --seconds "$(left)" -o "$out/power.tsv"
        ;;
    real)
        make_recordings
        recordings=("$out/macaque.npz" "$out/songbird.npz")
        [ -z "${SPIKEMINE_DATA-}" ] || recordings+=("$out/probe.npz" "$out/culture.npz")
        "$program" real "${recordings[@]}" --seconds "$(left)" -o "$out/real.tsv"
        ;;
    connectivity)
        "$program" connectivity --seconds "$(left)" -o "$out/connectivity.tsv"
        ;;
    own)
        "$program" validation --spectrum own --runs "$runs" --surrogates "$surrogates" --seconds "$(left)" \
            -o "$out/own.tsv"
        ;;
    elephant)
        trains=$(mktemp -d)
        trap 'rm -r "$trains"' EXIT
        "$program" validation --runs 10 --trains "$trains"
        "${PYTHON:-python3}" "$source_folder/bench/validation_elephant.py" "$trains" --seconds "$(left)" \
            --surrogates $((surrogates / 5)) -o "$out/elephant.tsv"
        ;;
    *)
        echo "bench/validation.sh: no study '$1'" >&2
        exit 2
        ;;
    esac
}

{
    echo "$("$program" validation --version), $(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo)," \
        "$(nproc) processors, $(date -u +%Y-%m-%d), commit ${COMMIT:-$(git -C "$source_folder" rev-parse --short HEAD)}"
} >>"$out/machine.txt"
for name in "$@"; do
    study_began=$SECONDS
    study "$name"
    echo "$name: $((SECONDS - study_began)) s" | tee -a "$out/machine.txt"
done
