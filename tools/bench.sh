#!/bin/sh
# Times the episode engines against each other in one run, on the bundled recording:
#   tools/bench.sh COMMAND [ARGUMENT ...]
# Arguments replace the recording and its options; see COMMAND bench episodes --help.
set -eu
cd "$(dirname "$0")/.."
command=$1
shift

if [ $# = 0 ]; then
    set -- data/movement_PGHF.spikes.txt --delay 5ms:10ms --support 100
fi
exec "$command" bench episodes "$@"
