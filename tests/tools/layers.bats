# tools/check-layers.py finds what it is for: each test breaks one rule in a copy of the tree.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    mkdir tools src
    cp -r "$SOURCE_DIR/src" "$SOURCE_DIR/CONTRIBUTING.md" .
    cp "$SOURCE_DIR/tools/check-layers.py" "$SOURCE_DIR/tools/steps-left.txt" tools/
    mkdir cli python
    cp "$SOURCE_DIR"/cli/*.c cli
    cp -r "$SOURCE_DIR/python/spikemine" python
}

@test "the tree as it is keeps its rules" {
    tools/check-layers.py
}

@test "an include that the rules do not allow is named with its line" {
    sed -i '1i #include "episode/engine/engine.h"' src/base/arena.c
    run tools/check-layers.py
    [ "$status" = 1 ]
    [[ $output == *"src/base/arena.c:1: base may not use episode/engine (episode/engine/engine.h)"* ]]
}

@test "a public header of a higher folder is such an include too" {
    sed -i '1i #include "spikemine/episode.h"' src/recording/recording.c
    run tools/check-layers.py
    [ "$status" = 1 ]
    [[ $output == *"src/recording/recording.c:1: recording may not use <episode>"* ]]
}

@test "a folder without a line, and a folder that is not on the map" {
    mkdir src/elsewhere
    echo '/* New. */' >src/elsewhere/new.c
    run tools/check-layers.py
    [ "$status" = 1 ]
    [[ $output == *"src/elsewhere/new.c: folder elsewhere has no line in src/layers.txt"* ]]
    [[ $output == *"CONTRIBUTING.md: the map leaves out src/elsewhere/"* ]]
}

@test "a line that names a folder below it" {
    sed -i 's/^base: */&episode /' src/layers.txt
    run tools/check-layers.py
    [ "$status" = 1 ]
    [[ $output == *"base names episode, which has no line above"* ]]
}

@test "a step of an analysis that the command or Python calls itself, and one that is listed no more" {
    echo 'int take(void) { return spk_exact_test_episodes(); }' >>cli/main.c
    echo 'own.run(lib.spk_select_patterns, columns)' >>python/spikemine/_rules.py
    sed -i 's/spk_maxima_merge(/merge(/' cli/*.c
    run tools/check-layers.py
    [ "$status" = 1 ]
    [[ $output == *"cli/main.c:"*": calls spk_exact_test_episodes, a step of an analysis"* ]]
    [[ $output == *"_rules.py:"*": calls spk_select_patterns"* ]]
    [[ $output == *"steps-left.txt: cli no longer calls spk_maxima_merge; remove it"* ]]
}

@test "arrows of the map that leave a folder out, or point the other way" {
    sed -i 's/select, sequence -> significance/significance -> sequence/' CONTRIBUTING.md
    run tools/check-layers.py
    [ "$status" = 1 ]
    [[ $output == *"CONTRIBUTING.md: select is in the arrows or in src/layers.txt, but not in both"* ]]
    [[ $output == *"CONTRIBUTING.md: sequence uses significance, but does not stand left of it"* ]]
}

# object FOLDER FILE FUNCTION CALLED: an object file as a build leaves it
object() {
    mkdir -p "src/$1" "build/src/CMakeFiles/spikemine_objects.dir/$1"
    echo "void $4(void); void $3(void); void $3(void) { $4(); }" >"src/$1/$2"
    cc -c "src/$1/$2" -o "build/src/CMakeFiles/spikemine_objects.dir/$1/$2.o"
}

@test "two files that need each other, and a use that no include tells" {
    object recording one.c one two
    object recording two.c two one
    object base three.c three one
    run tools/check-layers.py build
    [ "$status" = 1 ]
    [[ $output == *"src/recording/one.c: 2 files need each other"* ]]
    [[ $output == *"src/base/three.c: uses one of src/recording/one.c, which base may not use"* ]]
}
