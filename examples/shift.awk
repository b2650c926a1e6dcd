# Shifts every unit in a circle by its own amount, so that no link between units is left:
#
#   awk -v span=667 -f examples/shift.awk frames.txt | sort -n > shifted.txt
#
# The input has two columns, time and unit, without a header.
#   span     length of the recording, in the unit of its times; every time lies below it
#   window   shift inside windows of this length, anew in each; without it over the whole span
#   grid     step of the times; 1 for frames, samples and bins, for example 0.001 for seconds
#   seed     another number gives other shifts
BEGIN {
    if (!grid)
        grid = 1
    if (!seed)
        seed = 1
    span = int(span / grid + 0.5)
    window = window ? int(window / grid + 0.5) : span
}
function draw(n) { # uniform from 0 to n - 1; Park and Miller's generator, the same in every awk
    seed = (seed * 16807) % 2147483647
    return int(seed / 2147483647 * n)
}
/^[0-9]/ {
    time = int($1 / grid + 0.5)
    if (time >= span) {
        print "shift.awk: time " $1 " lies at or behind the end, " span * grid "; give a larger span" > "/dev/stderr"
        exit 1
    }
    start = time - time % window
    size = start + window > span ? span - start : window
    if (!(($2, start) in shift))
        shift[$2, start] = draw(size)
    time = start + (time - start + shift[$2, start]) % size
    if (grid == 1)
        printf "%d\t%s\n", time, $2
    else
        printf "%.9g\t%s\n", time * grid, $2
}
