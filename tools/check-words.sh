#!/bin/sh
# One meaning a word: names the lines that use a word in a sense that the house has given up.
#   tools/check-words.sh
set -eu
cd "$(dirname "$0")/.."
failed=0

# forbid WHAT PATTERN PATH...: names the lines that match, case ignored
forbid() {
    what=$1
    pattern=$2
    shift 2
    # shellcheck disable=SC2046 # a list of files
    if grep -niE "$pattern" $(git ls-files "$@" | grep -vE '/(build_config\.h\.in|check-words\.sh)$'); then
        echo "^ $what" >&2
        failed=1
    fi
}

forbid 'say workers, run, copy threads, selection, balance, probe, case (of a benchmark)' \
    '\b(crews?|fleets?|carriers?|showcases?|entrants?)\b' 'src/*' 'include/*' 'cli/*' 'bench/*.[ch]' 'tests/*.[ch]'
forbid 'support is the limit, count the result' \
    '\bthresholds?\b' 'include/*' 'src/episode/*' 'src/pattern/*' 'cli/*' 'examples/*'
forbid 'units are kept, and results selected' '\b(select_units|unit selection)\b' 'src/*' 'include/*' 'cli/*'
forbid 'base/ names no device' '\b(gpus?|cuda)\b' 'src/base/*'
forbid 'the macros of base/memory.h need no cast' '\(void \*\*\)&' 'src/*' 'cli/*' 'bench/*.[ch]'
forbid 'say smallest, largest, and name the thing' \
    '\b(least number|so many|those that|what there is)\b' 'cli/*'
forbid 'say jitter; dither is in names of methods and of an option' \
    "\b(the|a|its) dither\b|dither's|\bdithering moves" 'docs/*' 'cli/*.c' 'src/operation/*'
exit "$failed"
