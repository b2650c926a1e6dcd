# Counts episodes by the number of their different units:  awk -F '\t' -f examples/neurons.awk episodes.tsv
NR > 1 {
    n = split($3, word, " ")
    split("", seen)
    units = 0
    for (k = 1; k <= n; k += 2)
        if (!(word[k] in seen)) {
            seen[word[k]]
            units++
        }
    episodes[units]++
    if (units > most)
        most = units
}
END {
    for (k = 1; k <= most; k++)
        print k, "units:", episodes[k] + 0
}
