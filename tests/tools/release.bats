# tools/release.sh in a small tree of its own: what is filled in, what is refused, what is left behind.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    local file
    for file in CITATION.cff SECURITY.md CODE_OF_CONDUCT.md CMakeLists.txt pyproject.toml CHANGELOG.md LICENSE tools/release.sh \
        packaging/debian/control packaging/debian/changelog packaging/debian/copyright packaging/conda/recipe.yaml; do
        mkdir -p "tree/$(dirname "$file")"
        cp "$SOURCE_DIR/$file" "tree/$file"
    done
    cd tree || exit 1
    version=$(sed -n 's/^project(spikemine VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
    out=build/release-$version/out
    printf '%s\n' /build/ >.gitignore
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    git init -q . && git add -A && git commit -qm tree
    sed 's/^\([A-Z_]*\)=.*/\1=the \1 of it/' "$SOURCE_DIR/tools/release.conf.example" >../settings
}

@test "a dry run fills in every place, cuts the changelog, and changes nothing" {
    tools/release.sh --dry-run ../settings source
    (cd "$out" && sha256sum --quiet -c SHA256SUMS)
    tar -xzf "$out/spikemine-$version-source.tar.gz"
    cd "spikemine-$version"
    ! grep -rE --exclude=release.sh '@[A-Z_]+@' . || false
    grep -q "^version: \"$version\"$" CITATION.cff
    grep -q 'the SECURITY_CONTACT of it' SECURITY.md
    grep -q "^## \[$version\] - 20[0-9-]*$" CHANGELOG.md
    grep -q '^### Find patterns$' "../$out/NOTES.md"
    ! grep -q '^## ' "../$out/NOTES.md" || false
    cd ..
    [ -z "$(git tag)" ]
    git diff --quiet
}

@test "two runs give the same bytes" {
    tools/release.sh --dry-run ../settings source >/dev/null
    cp "$out/SHA256SUMS" ../first
    sleep 1
    tools/release.sh --dry-run ../settings source >/dev/null
    cmp ../first "$out/SHA256SUMS"
}

@test "a name without a value, changes without a commit, an unknown step" {
    grep -v AUTHORS ../settings >../short
    run tools/release.sh --dry-run ../short source
    [ "$status" = 1 ]
    [[ $output == *"says nothing of: @AUTHORS@"* ]]
    run tools/release.sh ../settings everything
    [ "$status" = 1 ]
    [[ $output == *"there is no step 'everything'"* ]]
    echo >>SECURITY.md
    run tools/release.sh ../settings source
    [ "$status" = 1 ]
    [[ $output == *"changes that are not committed"* ]]
}

@test "a release is a cut changelog and a tag with notes and names, and is not made twice" {
    tools/release.sh ../settings source
    [ "$(git log -1 --format=%s)" = "The changelog of $version" ]
    [ "$(git log -1 --format=%s "v$version")" = "Release $version" ]
    git diff --quiet
    grep -q '@VERSION@' CITATION.cff
    git show "v$version:CITATION.cff" | grep -q "^version: \"$version\"$"
    git show "v$version:CHANGELOG.md" | cmp - CHANGELOG.md
    git tag -l --format='%(contents)' "v$version" | grep -q 'Find patterns'
    run tools/release.sh ../settings source
    [ "$status" = 1 ]
    [[ $output == *"the tag v$version is there already"* ]]
}

@test "the version stands in CMakeLists.txt alone, and the wheel has the command" {
    ! grep -n "$version" CITATION.cff SECURITY.md pyproject.toml packaging/debian/* packaging/conda/recipe.yaml || false
    grep -q '^dynamic = \["version"\]$' pyproject.toml
    grep -q '^input = "CMakeLists.txt"$' pyproject.toml
    grep -q '^spikemine = "spikemine_command:main"$' pyproject.toml
    grep -q '^wheel.py-api = "py3"$' pyproject.toml
}
