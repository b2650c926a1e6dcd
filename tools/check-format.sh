#!/bin/sh
# Every C source is as clang-format writes it (.clang-format); names those that are not.
#   tools/check-format.sh          check
#   tools/check-format.sh --fix    rewrite them
set -eu
cd "$(dirname "$0")/.."

differing=''
for file in $(git ls-files '*.c' '*.h' '*.cu' '*.cuh'); do
    if ! clang-format "$file" | cmp -s - "$file"; then
        differing="$differing $file"
    fi
done
[ -z "$differing" ] && exit 0
if [ "${1:-}" = --fix ]; then
    # shellcheck disable=SC2086 # a list of files
    clang-format -i $differing
    exit 0
fi
echo "not as clang-format writes them (tools/check-format.sh --fix):$differing" >&2
exit 1
