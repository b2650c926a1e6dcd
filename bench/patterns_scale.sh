#!/bin/sh
# How mining SPADE patterns grows, beside Table 8 of Porrmann et al. 2021, as Markdown:
#   bench/patterns_scale.sh COMMAND [--limit SECONDS] [--threads N] [--part NAME]... [--rows FILE]
# Parts, all by default:
#   short      the paper's short piece: the first 7,320 spikes, 5 s
#   recording  the bundled recording, 22 s, 150 neurons
#   300, 450   stacked with copies of itself, shifted circularly in time by a third and two thirds
#   long       1000 s, generated: 150 units, log-normal rates about 6 Hz, slow common modulation;
#              the paper's eight jobs, with the support that --support auto chooses per size
# A job that takes longer than SECONDS (300) is stopped, and jobs whose search contains that of a
# stopped one (no larger support, no more spikes) are not tried. A job that fails ends the script.
# Rows are added to FILE as jobs end; jobs that FILE holds already are not run again, so a run that
# was broken off goes on where it was, and parts can be run one by one.
set -eu
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

[ $# -ge 1 ] || usage
command=$1
shift
limit=300 threads=$(nproc) parts='' rows=''
while [ $# -gt 1 ]; do
    case $1 in
    --limit) limit=$2 ;;
    --threads) threads=$2 ;;
    --part) parts="$parts $2" ;;
    --rows) rows=$2 ;;
    *) usage ;;
    esac
    shift 2
done
[ $# -eq 0 ] || usage
[ -n "$parts" ] || parts='short recording 300 450 long'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ -n "$rows" ] || rows=$folder/rows
touch "$rows"
recording=data/movement_PGHF.spikes.txt

# stack COPIES: the recording with unit numbers 150 k + u for copy k
stack() {
    awk -v copies="$1" '/^#/ { next } { time[n] = $1; unit[n++] = $2; if ($1 > last) last = $1 }
        END { bins = int(last / 0.005 + 0.5) + 1
              for (c = 0; c < copies; c++) for (i = 0; i < n; i++) {
                  bin = (int(time[i] / 0.005 + 0.5) + int(c * bins / 3)) % bins
                  printf "%.3f %d\n", bin * 0.005, unit[i] + 150 * c } }' "$recording" |
        sort -n -s -k1,1
}

# mine FILE OPTION...: without the moving-window step, as the paper counts
mine() {
    file=$1
    shift
    "$command" patterns "$file" --columns time,unit --bin 5ms --window 20 --threads "$threads" \
        --moving-window-filter off --spectrum 2d "$@"
}

# done_already PART OCCURRENCES SPIKES
done_already() {
    awk -F '\t' -v p="$1" -v n="$2" -v k="$3" '$1 == p && $2 == n && $3 == k { found = 1 }
        END { exit !found }' "$rows"
}

# hopeless PART OCCURRENCES SPIKES: a job that searches less was stopped
hopeless() {
    awk -F '\t' -v p="$1" -v n="$2" -v k="$3" '
        $1 == p && $4 == "stopped" && $2 >= n && $3 >= k { found = 1 } END { exit !found }' "$rows"
}

# add_row FIELD...
add_row() {
    (IFS='	' && echo "$*") | tee -a "$rows" >&2
}

# job PART FILE OCCURRENCES SPIKES. GNU time stands outside timeout, so that it sees the peak memory
# of stopped jobs, too: it counts the children that timeout has waited for.
job() {
    done_already "$1" "$3" "$4" && return 0
    if hopeless "$1" "$3" "$4"; then
        add_row "$1" "$3" "$4" untried 0 0 0
        return 0
    fi
    status=0
    /usr/bin/time -f '%e %M' -o "$folder/time" timeout -k 30 "$limit" \
        "$command" patterns "$2" --columns time,unit --bin 5ms --window 20 --threads "$threads" \
        --moving-window-filter off --spectrum 2d --support "$3" --min-spikes "$4" \
        --min-neurons "$4" -o "$folder/out.tsv" --force 2>"$folder/notes" || status=$?
    seconds=$(awk 'END { print $1 }' "$folder/time")
    memory=$(awk 'END { printf "%.0f", $2 / 1024 }' "$folder/time")
    case $status in
    0)
        found=$(awk 'NR > 1 { n += $3 } END { printf "%.0f", n }' "$folder/out.tsv")
        add_row "$1" "$3" "$4" ended "$found" "$seconds" "$memory"
        ;;
    124 | 137) # stopped in time, or killed because it would not stop
        found=$(sed -n 's/.*interrupted after \([0-9]*\) patterns.*/\1/p' "$folder/notes")
        add_row "$1" "$3" "$4" stopped "${found:-0}" "$seconds" "$memory"
        ;;
    *)
        echo "patterns_scale.sh: part $1, job ($3,$4) failed with status $status:" >&2
        cat "$folder/notes" >&2
        exit 1
        ;;
    esac
}

# jobs PART FILE OCCURRENCES,SPIKES...
jobs() {
    part=$1 file=$2
    shift 2
    for pair in "$@"; do
        job "$part" "$file" "${pair%,*}" "${pair#*,}"
    done
}

# The supports that auto chooses, as OCCURRENCES,SPIKES from 9 spikes down. Nothing is mined: no
# pattern occurs at most once and at least as often as auto asks.
auto_jobs() {
    mine "$1" --support auto --auto-by published --max-occurrences 1 2>&1 >/dev/null |
        sed -n 's/.*least occurrences by number of spikes: //p' | tr ',' '\n' |
        awk '{ least[$3] = $1; last = $3 }
            END { for (k = 9; last > 0 && k >= 2; k--)
                      print least[(k > last) ? last : k] "," k }'
}

# From many spikes to few: a job that is stopped spares those that contain it.
run_part() {
    case $1 in
    short)
        head -n 7320 "$recording" >"$folder/short.txt"
        jobs short "$folder/short.txt" 10,9 10,8 10,7 10,6 10,5 10,4 15,3 36,2
        ;;
    recording) jobs recording "$recording" 10,9 10,8 10,7 10,6 10,5 12,4 25,3 88,2 ;;
    300)
        stack 2 >"$folder/300.txt"
        jobs 300 "$folder/300.txt" 10,9 10,8 10,7 10,6 10,5 11,4 21,3 71,2
        ;;
    450)
        stack 3 >"$folder/450.txt"
        jobs 450 "$folder/450.txt" 10,9 10,8 10,7 10,6 10,5 10,4 22,3 71,2
        ;;
    long)
        "$command" simulate network --seed 1 --duration 1000s --units 150 --rate 6 \
            --rate-spread 0.7 --modulation 0.5 --modulation-rate 0.2 --chains 0 \
            -o "$folder/long.txt" --truth "$folder/truth.json" --force
        chosen=$(auto_jobs "$folder/long.txt")
        if [ -z "$chosen" ]; then
            echo "patterns_scale.sh: part long: cannot read what auto chose" >&2
            exit 1
        fi
        # shellcheck disable=SC2086 # words
        jobs long "$folder/long.txt" $chosen
        ;;
    *)
        echo "patterns_scale.sh: there is no part '$1'" >&2
        usage
        ;;
    esac
}

# tables: the rows as Markdown, the parts in order; the paper's Table 8 is its optimised flow with 12
# threads, all eight jobs in sum.
tables() {
    sort -t '	' -k3,3n "$rows" | awk -F '\t' -v limit="$limit" '
        function grouped(n,    text, out) {
            text = sprintf("%.0f", n)
            while (length(text) > 3) {
                out = "," substr(text, length(text) - 2) out
                text = substr(text, 1, length(text) - 3)
            }
            return text out
        }
        BEGIN {
            n_parts = split("short recording 300 450 long", part, " ")
            name["short"] = "5 s, 150 neurons"; name["recording"] = "22 s, 150 neurons"
            name["300"] = "22 s, 300 neurons"; name["450"] = "22 s, 450 neurons"
            name["long"] = "1000 s, 150 units, generated"
            paper["short"] = "73,172 | 4.0"; paper["recording"] = "10,214,712 | 196.8"
            paper["300"] = "28,077,304 | 432.2"; paper["450"] = "64,933,631 | 1241.1"
            paper["long"] = "7,097,875 | 3052.6"
        }
        {
            line = "| " name[$1] " | " $2 " | " $3 " | "
            if ($4 == "untried")
                line = line "| not tried: contains a stopped job | |"
            else if ($4 == "stopped")
                line = line "at least " grouped($5) " | **stopped** after " limit " | " $7 " |"
            else
                line = line grouped($5) " | " $6 " | " $7 " |"
            table[$1] = table[$1] line "\n"
            open[$1] += $4 != "ended"
            patterns[$1] += $5; seconds[$1] += $6; if ($7 > peak[$1]) peak[$1] = $7
        }
        END {
            print "| recording | occurrences | spikes = neurons | patterns | s | MB |"
            print "|---|---|---|---|---|---|"
            for (p = 1; p <= n_parts; p++)
                if (part[p] in table)
                    printf "%s", table[part[p]]
            print "\n## The eight jobs in sum, beside Table 8 of the paper\n"
            print "| recording | patterns | s | peak MB | paper: patterns | paper: s, 12 threads |"
            print "|---|---|---|---|---|---|"
            for (p = 1; p <= n_parts; p++) {
                q = part[p]
                if (!(q in table))
                    continue
                more = open[q] > 0 ? "more than " : ""
                printf "| %s | %s%s | %s%.2f | %d | %s |\n", name[q], more, grouped(patterns[q]),
                    more, seconds[q], peak[q], paper[q]
            }
        }'
}

for p in $parts; do
    run_part "$p"
done
echo "# SPADE patterns: growth"
echo
echo "Made by \`bench/patterns_scale.sh\` on $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)," \
    "$(awk -F ': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors, $threads threads," \
    "$("$command" --version). Seconds of the whole command with --spectrum 2d, peak memory in MB; jobs were" \
    "stopped after $limit s."
echo
tables
