# The example programs: they run, give what their comments promise, stay short, and the docs show them
# as they are.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    macaque=$SOURCE_DIR/data/movement_PGHF.spikes.txt
    songbird=$SOURCE_DIR/data/songbird_spikes.txt
}

@test "mine_arrays prints the episodes of its arrays" {
    run "$EXAMPLES/mine_arrays"
    [ "$status" = 0 ]
    [[ $output == *"4 times A (5ms,10ms] B"* ]]
    [[ $output == *"3 times A (5ms,10ms] B (5ms,10ms] C"* ]]
}

@test "count_list counts as the command does" {
    "$EXAMPLES/count_list" "$songbird" '2.0 (0,200ms] 6.0' '2.0 (0,100ms] 6.0' >got
    printf '2.0 (0,200ms] 6.0\n2.0 (0,100ms] 6.0\n' |
        "$SPIKEMINE" count "$songbird" --sort -e - 2>notes | tail -n +2 | cut -f 2 >expected
    cut -f 1 got | cmp - expected
    run "$EXAMPLES/count_list" "$songbird" '2.0 (0,200ms] nobody'
    [ "$status" = 1 ]
    [[ $output == *nobody* ]]
}

@test "analyse lists the families that the command lists" {
    "$EXAMPLES/analyse" "$songbird" >got
    "$SPIKEMINE" episodes "$songbird" --sort -d 0:50ms -s 20 --max-size 4 --test exact --jitter 100ms \
        --surrogates 99 --report core --families 2>notes |
        awk -F '\t' -v OFS='\t' 'NR > 1 { print $6, $2, $12, $3 }' >expected
    [ -s expected ]
    cmp got expected
    run "$EXAMPLES/analyse" nothing.txt
    [ "$status" = 1 ]
    [[ $output == *nothing.txt* ]]
}

@test "spade writes the table that the command writes" {
    "$EXAMPLES/spade" "$macaque" table.tsv
    "$SPIKEMINE" patterns "$macaque" --bin 5ms --window 20 --support 10 --min-spikes 5 \
        --min-neurons 5 -o expected.tsv 2>notes
    cmp table.tsv expected.tsv
}

@test "cancel ends a job, and tells how far it came" {
    SECONDS=0
    run "$EXAMPLES/cancel" "$macaque" 0.2
    [ "$status" = 0 ]
    [[ $output == *"sizes are complete"* ]]
    [ "$SECONDS" -lt 30 ]
}

@test "columns_to_plot gives a picture and the columns" {
    run "$EXAMPLES/columns_to_plot" picture.svg
    if [[ $output == *cairo* ]]; then
        skip 'built without cairo'
    fi
    [ "$status" = 0 ]
    [ "${lines[0]}" = "$(printf 'size\tcount')" ]
    [ "${#lines[@]}" -gt 64 ]
    grep -q '<svg' picture.svg
}

@test "examples are shorter than 60 lines, and docs/reference/library.md shows each of them as it is" {
    for file in "$SOURCE_DIR"/examples/*.c; do
        name=$(basename "$file")
        [ "$(wc -l <"$file")" -lt 60 ]
        sed -n "/^<!-- examples\/$name -->/,/^\`\`\`\$/p" "$SOURCE_DIR/docs/reference/library.md" |
            sed -e '1,/^```c$/d' -e '/^```$/d' >shown
        diff "$file" shown
    done
}

@test "shift.awk keeps every unit's number of spikes, the span and the grid, and refuses a span that is too small" {
    printf '0\tA\n3\tB\n5\tA\n9\tB\n9\tC\n' >frames.txt
    for window in 0 5; do
        awk -v span=10 -v window=$window -f "$SOURCE_DIR/examples/shift.awk" frames.txt >shifted.txt
        [ "$(cut -f 2 shifted.txt | sort | uniq -c)" = "$(cut -f 2 frames.txt | sort | uniq -c)" ]
        awk '$1 < 0 || $1 >= 10 || $1 != int($1) { exit 1 }' shifted.txt
    done
    # Inside windows of 5 the number of spikes in each window stays, too.
    [ "$(awk '$1 < 5' shifted.txt | wc -l)" = 2 ]
    run awk -v span=9 -f "$SOURCE_DIR/examples/shift.awk" frames.txt
    [ "$status" = 1 ]
    [[ $output == *'lies at or behind the end'* ]]
    # Every unit is shifted by one amount, and another seed gives another one.
    awk -v span=1000 -f "$SOURCE_DIR/examples/shift.awk" frames.txt >one.txt
    awk -v span=1000 -v seed=2 -f "$SOURCE_DIR/examples/shift.awk" frames.txt >two.txt
    ! cmp -s one.txt two.txt || false
    [ "$(awk '$2 == "A" { t[n++] = $1 } END { print (t[1] - t[0] + 1000) % 1000 }' one.txt)" = 5 ]
}

@test "neurons.awk counts episodes by the number of their different units" {
    printf 'size\tcount\tepisode\n1\t9\tA\n3\t4\tA (0,5ms] B (0,5ms] A\n2\t3\tB (0,5ms] A\n' >e.tsv
    run awk -F '\t' -f "$SOURCE_DIR/examples/neurons.awk" e.tsv
    [ "$output" = "$(printf '1 units: 1\n2 units: 2')" ]
}
