#!/bin/sh
# Mines the two bundled recordings, and a shifted copy of each, and shows what comes out:  tools/demo.sh COMMAND
# The events of both recordings lie on a grid (frames of 1/30 s, bins of 5 ms) and are read as numbers of steps.
set -eu
cd "$(dirname "$0")/.."
command=$1
mkdir -p demo
rm -f demo/songbird.* demo/macaque.*

# A table whose columns stand below each other, numbers with three digits.
align() {
    awk -F '\t' '
        { for (k = 1; k <= NF; k++) {
              if ($k ~ /^[0-9]*\.[0-9]+(e-?[0-9]+)?$/) $k = sprintf("%.3g", $k)
              cell[NR, k] = $k
              if (length($k) > width[k]) width[k] = length($k)
          } }
        END { for (row = 1; row <= NR; row++) {
                  line = ""
                  for (k = 1; k <= NF; k++) line = line sprintf("%-" width[k] + 2 "s", cell[row, k])
                  sub(/ +$/, "", line)
                  print "  " line
              } }'
}

# The most frequent of the longest episodes through the largest number of different units. A unit that fires in bursts
# makes long episodes all by itself.
show_episodes() {
    awk -F '\t' 'NR == 1 { print "0\t" $0; next }
        { n = split($3, word, " "); split("", seen); units = 0
          for (k = 1; k <= n; k += 2) if (!(word[k] in seen)) { seen[word[k]]; units++ }
          print units "\t" $0 }' "$1" |
        { read -r header; echo "$header"; sort -t "$(printf '\t')" -k1,1nr -k2,2nr -k3,3nr; } |
        cut -f 2- | sed "$2q" | align
}

# mine NAME SAMPLES-PER-SECOND OPTION ...: demo/NAME.txt and its shifted copy
mine() {
    name=$1 rate=$2
    shift 2
    echo "  spikemine episodes demo/$name.txt --time-unit samples@$rate $*"
    "$command" episodes "demo/$name.txt" --columns time,unit --time-unit "samples@$rate" "$@" \
        -o "demo/$name.tsv" --occurrences "demo/$name.occurrences.tsv" --figure "demo/$name.png"
    "$command" episodes "demo/$name.shifted.txt" --columns time,unit --time-unit "samples@$rate" "$@" -q \
        -o "demo/$name.shifted.tsv"
    printf '\nEpisodes through the largest number of different neurons:\n\n'
    show_episodes "demo/$name.tsv" 7
    printf '\nepisodes by number of different neurons:\n\n'
    awk -F '\t' -f examples/neurons.awk "demo/$name.tsv" >"demo/$name.units"
    awk -F '\t' -f examples/neurons.awk "demo/$name.shifted.tsv" >"demo/$name.shifted.units"
    { printf 'neurons\trecording\tshifted copy\n'
      join -a 1 -a 2 -e 0 -o 0,1.3,2.3 "demo/$name.units" "demo/$name.shifted.units" | tr ' ' '\t'; } | align
    rm "demo/$name.units" "demo/$name.shifted.units"
}

# test NAME SAMPLES-PER-SECOND OPTION ...: what chance does not explain, in the recording and in its shifted copy
test_chance() {
    name=$1 rate=$2
    shift 2
    echo "  spikemine episodes demo/$name.txt --time-unit samples@$rate --test exact $*"
    "$command" episodes "demo/$name.txt" --columns time,unit --time-unit "samples@$rate" --test exact "$@" \
        -o "demo/$name.test.tsv" --figure "demo/$name.test.png" --html "demo/$name.html"
    if [ "$(wc -l <"demo/$name.test.tsv")" -gt 1 ]; then
        printf '\nThe least likely ones, with the count that chance gives and p of the whole search:\n\n'
        sed 6q "demo/$name.test.tsv" | cut -f 1-4,6 | align
    else
        printf '\nNone is significant: chance does the same.\n'
    fi
    printf '\nA report to look at, in a browser: demo/%s.html (%d kB)\n' "$name" \
        "$(($(wc -c <"demo/$name.html") / 1000))"
}

# The same in the shifted copy.
test_shifted() {
    name=$1 rate=$2
    shift 2
    printf '\nThe same in the shifted copy:\n'
    "$command" episodes "demo/$name.shifted.txt" --columns time,unit --time-unit "samples@$rate" --test exact "$@" \
        -o "demo/$name.shifted.test.tsv" 2>&1 | grep significant
}

cat <<END
1. Songbird: 74 neurons of the brain region HVC while the bird sings, 3,336 spikes, 30 frames a second.

END
awk '{ printf "%d\t%s\n", $2 * 30 + 0.5, $1 }' data/songbird_spikes.txt | sort -n >demo/songbird.txt
awk -v span=667 -f examples/shift.awk demo/songbird.txt | sort -n >demo/songbird.shifted.txt
printf 'Which neurons fire one after another, within two frames, more often than chance gives? 199 surrogates are searched,
too. There each neuron keeps its bursts and its rhythm, and is shifted against the others. Core episodes are those that no
part of them explains.\n\n'
set -- --delay 0ms:34ms --delay 34ms:67ms --support 12 --distinct-units 2 --jitter 500ms --report core
test_chance songbird 30 "$@"
test_shifted songbird 30 "$@"
printf '\nCounts alone, without a test and with longer delays, say much less:\n\n'
mine songbird 30 --delay 0ms:200ms --support 12
printf '\nSPADE patterns against 200 surrogates, whose spikes moved up to 0.2 s; significant ones through most neurons:\n\n'
set -- --bin 1/30s --window 6 --min-spikes 4 --min-neurons 4 --support 8 --surrogates 200 --dither 200ms
echo "  spikemine patterns demo/songbird.txt --time-unit samples@30 $*"
"$command" patterns demo/songbird.txt --columns time,unit --time-unit samples@30 "$@" \
    -o demo/songbird.patterns.tsv --pvalues demo/songbird.pvalues.tsv --figure demo/songbird.patterns.png \
    --html demo/songbird.patterns.html
{ head -n 1 demo/songbird.patterns.tsv
  tail -n +2 demo/songbird.patterns.tsv | sort -t "$(printf '\t')" -k3,3nr -k2,2nr -k1,1nr -s | sed 6q; } |
    cut -f 1-3,5-7 | align
cat <<END

The shifted copy has the same neurons, each moved in time by its own amount. It shows what busy neurons give without any
link between them: pairs, some triples, and hardly a sequence through four neurons. The recording itself has many.

2. Macaque: 150 neurons of motor cortex while the monkey grasps, 31,262 spikes in bins of 5 ms.

END
awk '{ printf "%d\t%s\n", $1 * 200 + 0.5, $2 }' data/movement_PGHF.spikes.txt | sort -n >demo/macaque.txt
awk -v span=4967 -v window=40 -f examples/shift.awk demo/macaque.txt | sort -n >demo/macaque.shifted.txt
mine macaque 200 --delay 0ms:5ms --delay 5ms:10ms --delay 10ms:15ms --support 50
cat <<END

Here the neurons were shifted inside windows of 0.2 s. Firing rates alone give half of the pairs, and many triples. A count
is no finding by itself. The test asks which episodes chance does not explain. What a neuron does between two pauses is
shifted within 0.1 s there, and it keeps its bursts:

END
test_chance macaque 200 --delay 0ms:5ms --delay 5ms:10ms --delay 10ms:15ms --support 50 --distinct-units 2 \
    --jitter 100ms --report core
cat <<END

Would a sequence be found in these neurons if one were there? One of five neurons is planted 30 times, with a spread of
1 ms. Before that each neuron is shifted in a circle, which removes all that they do together.

  spikemine simulate probe --background data/movement_PGHF.spikes.txt --sequences 1 ... -o demo/macaque.planted.txt
  spikemine sequences demo/macaque.planted.txt --longest-lag 75ms --jitter 100ms --max-sequences 1

END
"$command" simulate probe --background data/movement_PGHF.spikes.txt --sequences 1 --min-size 5 --max-size 5 \
    --min-step 5ms --max-step 15ms --jitter 1ms --failing 0 --repeats 30 --seed 5 -q -o demo/macaque.planted.txt
printf 'planted: '
tr -d '\n' <demo/macaque.planted.txt.truth.json | sed 's/.*"units": \[\([^]]*\)\].*/\1/; s/"//g; s/, / -> /g'
printf '\n'
"$command" sequences demo/macaque.planted.txt --longest-lag 75ms --jitter 100ms --max-sequences 1 --surrogates 19 \
    -o demo/macaque.planted.tsv --figure demo/macaque.planted.png
python=''
for candidate in python3 /usr/bin/python3; do
    if [ -z "$python" ] &&
        "$candidate" -c 'import sys, cffi, numpy; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        python=$candidate
    fi
done
if [ -n "$python" ]; then
    tools/python-package.sh "$python" demo/python
    printf '\n3. The songbird again, in Python: examples/songbird.py\n\n'
    PYTHONPATH=demo/python "$python" examples/songbird.py demo/songbird.txt demo/songbird.python.png ||
        echo "$python could not run it; all else of the demo is there"
else
    printf '\nThe Python package needs cffi and numpy, which are not here; docs/how-to/use-python.md tells how to get it.\n'
fi
cat <<END

docs/how-to/ask-whether-it-is-chance.md tells what the columns mean.

  demo/NAME.tsv               all frequent episodes with their counts
  demo/NAME.occurrences.tsv   when each of them occurs
  demo/NAME.png               raster with the top episodes, and who follows whom
  demo/NAME.test.*            episodes that chance does not explain, with their p-values
  demo/NAME.html              the report of that test: open it in a browser, no network is needed
  demo/macaque.planted.*      a recording with a sequence that is known, where it was planted, and what was found
  demo/songbird.patterns.*    significant SPADE patterns with their p-values, and the spectrum with its border
  demo/songbird.python.png    the raster that Python draws, where it has cffi, numpy and matplotlib
  demo/songbird.pvalues.tsv   p-values of all signatures, significant or not

For a file of your own, tested, and with a report at the end:

  $command explore FILE
END
