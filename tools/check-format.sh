#!/bin/sh
# Every C source is as clang-format writes it (.clang-format); shows where they are not.
#   tools/check-format.sh          check
#   tools/check-format.sh --fix    rewrite them
set -eu
cd "$(dirname "$0")/.."

list() {
    git ls-files -z '*.c' '*.h' '*.cu' '*.cuh'
}

if [ "${1:-}" = --fix ]; then
    list | xargs -0 clang-format -i
elif ! list | xargs -0 clang-format --dry-run --Werror; then
    echo 'not as clang-format writes them: tools/check-format.sh --fix' >&2
    exit 1
fi
