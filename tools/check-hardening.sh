#!/bin/sh
# The command and the libraries of an optimised build carry what cmake/Hardening.cmake promises:
#   tools/check-hardening.sh BUILD-FOLDER
# All that is missing is named, not only the first.
set -eu
cd "$(dirname "$0")/.."
command=$1/cli/spikemine
library=$1/src/libspikemine.so
archive=$1/src/libspikemine.a
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missing=0

# expect FILE WHAT PATTERN: the description of FILE in $work/facts has a line that matches
expect() {
    if ! grep -q -e "$3" "$work/facts"; then
        echo "$1: no $2" >&2
        missing=1
    fi
}

# refuse FILE WHAT PATTERN: it has none
refuse() {
    if grep -q -e "$3" "$work/facts"; then
        echo "$1: $2" >&2
        missing=1
    fi
}

# properties FILE: which kinds of CET or branch protection the whole file is marked with
properties() {
    readelf --notes "$1" 2>/dev/null | sed -n -e 's/.*x86 feature: //p' -e 's/.*AArch64 feature: //p' |
        sort -u
}

for file in "$command" "$library"; do
    readelf -W --file-header --program-headers --dynamic "$file" >"$work/facts"
    expect "$file" 'relocations before the start (-z now)' '(FLAGS.*NOW'
    expect "$file" 'RELRO segment' 'GNU_RELRO'
    expect "$file" 'segment for the stack' 'GNU_STACK'
    refuse "$file" 'the stack can be executed' 'GNU_STACK.*RWE'
    refuse "$file" 'a segment can be written and executed' 'LOAD.*RWE'
    refuse "$file" 'code is relocated at the start' 'TEXTREL'
    refuse "$file" 'the present folder is searched for libraries' 'PATH).*\[\(.*:\)\{0,1\}[^/$]'
    nm -D --undefined-only "$file" >"$work/facts"
    expect "$file" 'stack protector' '__stack_chk_fail'
    expect "$file" 'checked functions (_FORTIFY_SOURCE)' '__[a-z]*printf_chk'
    expect "$file" 'checked copies (_FORTIFY_SOURCE)' '__mem[a-z]*_chk'
done
readelf -W --file-header --dynamic "$command" >"$work/facts"
expect "$command" 'position independence (PIE)' 'Type:.*DYN'
expect "$command" 'mark as PIE' 'FLAGS_1.*PIE'

# A linked file is marked for CET, or for ARM's branch protection, when every object in it is. What the C
# library brings to a program decides whether one can be; our own objects have to be marked in any case.
echo 'int main(void) { return 0; }' >"$work/empty.c"
for flag in -fcf-protection -mbranch-protection=standard; do
    if cc "$flag" -c -o "$work/empty.o" "$work/empty.c" 2>/dev/null; then
        cc "$flag" -o "$work/empty" "$work/empty.c"
        if [ "$(properties "$work/empty")" != "$(properties "$command")" ]; then
            echo "$command: not marked as $flag marks an empty program" >&2
            missing=1
        fi
        if [ -e "$archive" ] && [ "$(properties "$work/empty.o")" != "$(properties "$archive")" ]; then
            echo "$archive: its code is not made with $flag" >&2
            missing=1
        fi
    fi
done
exit "$missing"
