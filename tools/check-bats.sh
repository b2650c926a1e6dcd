#!/bin/sh
# Lines of bats tests that cannot fail: the shell ends a test neither where `! command` is false, nor
# where the first part of `a && b` is. They need `|| false` behind them, or a line each.
#   tools/check-bats.sh [FILE.bats ...]
set -eu
[ $# -gt 0 ] || {
    cd "$(dirname "$0")/.."
    # shellcheck disable=SC2046 # a list of files
    set -- $(git ls-files 'tests/*.bats')
}
if grep -nE '^ +(! ([^|;]|\|[^|])*[^\\]|\[.*\] && .*\]|(cmp|grep) .* && (cmp|grep) ([^|]|\|[^|])*)$' "$@"; then
    echo "^ cannot fail: end the line with || false, or give each part a line" >&2
    exit 1
fi
