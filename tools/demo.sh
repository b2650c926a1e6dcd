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

# A unit that fires in bursts makes the longest episodes all by itself; the demo shows those that run
# through most different units, then the longest, then the most frequent. The header stays on top.
printf '\nOf %s frequent episodes, those through most different neurons:\n\n' \
    "$(($(wc -l <demo/episodes.tsv) - 1))"
awk -F '\t' 'NR == 1 { print "0\t" $0; next }
    { n = split($3, word, " "); split("", seen); units = 0
      for (k = 1; k <= n; k += 2) if (!(word[k] in seen)) { seen[word[k]]; units++ }
      print units "\t" $0 }' demo/episodes.tsv |
    { read -r header; echo "$header"; sort -t "$(printf '\t')" -k1,1nr -k2,2nr -k3,3nr; } |
    cut -f 2- | sed 11q

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
