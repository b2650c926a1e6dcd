# Lists the links of episodes, unit -> unit, and how many episodes have each, the most frequent first:
#   awk -F '\t' -f examples/links.awk episodes.tsv
NR == 1 { for (k = 1; k <= NF; k++) if ($k == "episode") at = k; next }
{
    n = split($at, part, " ")
    for (k = 1; k + 2 <= n; k += 2) count[part[k] " -> " part[k + 2]]++
}
END {
    while (1) {
        best = ""
        for (link in count)
            if (best == "" || count[link] > count[best] || (count[link] == count[best] && link < best)) best = link
        if (best == "") break
        print count[best], best
        delete count[best]
    }
}
