# Counts the results of an exact test with several windows that are significant at each of them:
#   spikemine episodes ... --test exact --jitter 5ms,25ms,100ms --report all -o test.tsv
#   awk -F '\t' -f examples/scales.awk test.tsv
# With n windows the limit of each p is 0.05 / n; -v alpha=0.01 sets another level.
BEGIN { if (alpha == "") alpha = 0.05 }
NR == 1 {
    for (k = 1; k <= NF; k++)
        if ($k ~ /^p_/) column[++n] = k
    for (k = 1; k <= n; k++) name[k] = substr($column[k], 3)
    next
}
{ for (k = 1; k <= n; k++) significant[k] += $column[k] <= alpha / n }
END { for (k = 1; k <= n; k++) print name[k] ": " significant[k] + 0 " of " NR - 1 }
