#!/bin/sh
# Every public header compiles alone, as C17 and as C++, and so does the example in spikemine.h. Every
# function that a header declares is exported by both libraries, which export nothing else:
#   tools/check-headers.sh BUILD-FOLDER
set -eu
cd "$(dirname "$0")/.."
build=$1

headers=$(ls include/spikemine/*.h "$build"/generated/spikemine/*.h)
for header in $headers; do
    for language in 'cc -x c -std=c17' 'c++ -x c++ -std=c++11'; do
        # shellcheck disable=SC2086 # a command and its options
        if ! printf '#include <spikemine/%s>\nextern int not_empty;\n' "${header##*/}" |
            $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
                -Iinclude -I"$build/generated" -; then
            echo "$header does not compile alone ($language)" >&2
            exit 1
        fi
    done
done

# The example in the overview is a program.
if ! sed -n '/^ \*     #include/,/^ \*     }$/s/^ \* \{0,5\}//p' include/spikemine/spikemine.h |
    cc -x c -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        -Iinclude -I"$build/generated" -; then
    echo 'the example in spikemine.h does not compile' >&2
    exit 1
fi

# A declaration starts with SPK_API; its function's name is the first spk_ word before a parenthesis.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # a list of files
cat $headers | tr '\n' ' ' | grep -o 'SPK_API [^(;]*(' | grep -o 'spk_[a-z0-9_]* *($' |
    tr -d ' (' | sort -u >"$work/declared"

# Reads nm's lines, and compares the names in them with the declared ones.
compare_with_declared() {
    awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
    if ! diff "$work/declared" "$work/exported" >"$work/difference"; then
        sed -n -e "s/^< /declared, but not in $1: /p" \
            -e "s/^> /exported from $1, but in no public header: /p" "$work/difference" >&2
        exit 1
    fi
}
nm -D --defined-only "$build/src/libspikemine.so" | compare_with_declared libspikemine.so
# Locks of OpenMP's critical sections are shared by name, which is what OpenMP wants. C++ templates that
# the CUDA code instantiates are weak, and may be defined any number of times.
if [ -e "$build/src/libspikemine.a" ]; then
    nm -g --defined-only "$build/src/libspikemine.a" |
        grep -v -e ' [CB] \.gomp_critical_user_' -e ' [VWu] _Z' | compare_with_declared libspikemine.a
fi
