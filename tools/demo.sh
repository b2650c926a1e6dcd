#!/bin/sh
# Mines the bundled recording and shows what comes out:  tools/demo.sh COMMAND
# The recording's events lie on a 5 ms grid, so the three intervals mean exactly 5, 10 and 15 ms.
set -eu
cd "$(dirname "$0")/.."
command=$1
recording=data/movement_PGHF.spikes.txt
support=${SUPPORT:-50}

mkdir -p demo
echo "Mining $recording: macaque motor cortex, 150 neurons, 31,262 spikes"
set -- "$recording" --delay 0ms:5ms --delay 5ms:10ms --delay 10ms:15ms --support "$support"
echo "  spikemine episodes $*"
"$command" episodes "$@" -o demo/episodes.tsv --occurrences demo/occurrences.tsv \
    --figure demo/episodes.png

# Longest first, most frequent first among equals; the header stays on top.
printf '\nThe longest of %s frequent episodes:\n\n' "$(($(wc -l <demo/episodes.tsv) - 1))"
head -n 1 demo/episodes.tsv
tail -n +2 demo/episodes.tsv | sort -t "$(printf '\t')" -k1,1nr -k2,2nr | sed 10q
cat <<END

count: how many times the episode occurs, without overlaps.
A (5ms,10ms] B: unit B fires more than 5 ms and at most 10 ms after unit A.

  demo/episodes.tsv      all frequent episodes with their counts
  demo/occurrences.tsv   when each of them occurs
  demo/episodes.png      raster with the top episodes, and who follows whom

For a file of your own, two columns of time in seconds and unit:

  $command info FILE
  $command episodes FILE --delay 5ms:10ms --support 0.1% --figure picture.png
END
