#!/usr/bin/env bash
# Makes a release of the commit that is checked out, in build/release-VERSION/out:
#   tools/release.sh [--dry-run] SETTINGS [source|sdist|wheels ...]
# SETTINGS is a file of lines NAME=VALUE; tools/release.conf.example has all names. They fill in what the pages leave
# open as @NAME@. The version is that of CMakeLists.txt. Without steps all of them are done:
#
#   source   the tree as an archive, with the changelog cut and everything filled in; notes of the release
#   sdist    what pip builds from (its tools come from PyPI)
#   wheels   tools/wheels.sh of that tree
#
# SHA256SUMS lies beside them. Without --dry-run the cut changelog is committed, and the tag vVERSION names a commit
# with all that was filled in. Nothing is uploaded: `git push`, and the files of `out`, are the last step, by hand.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "release: $*" >&2
    exit 1
}

dry_run=no
if [ "${1:-}" = --dry-run ]; then
    dry_run=yes
    shift
fi
[ $# -ge 1 ] || fail 'usage: tools/release.sh [--dry-run] SETTINGS [source|sdist|wheels ...]'
settings=$1
shift
steps=${*:-source sdist wheels}
for step in $steps; do
    case $step in source | sdist | wheels) ;; *) fail "there is no step '$step'" ;; esac
done
version=$(sed -n 's/^project(spikemine VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || fail 'CMakeLists.txt names no version'
work=$PWD/build/release-$version
tree=$work/spikemine-$version
out=$work/out

check_state() {
    [ -e "$settings" ] || fail "there is no file $settings"
    if [ $dry_run = no ]; then
        [ -z "$(git status --porcelain)" ] || fail 'the tree has changes that are not committed'
    fi
    ! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "the tag v$version is there already: raise the version"
    grep -q '^## \[Unreleased\]$' CHANGELOG.md || fail 'CHANGELOG.md has no section [Unreleased]'
}

# Puts the values of SETTINGS in the places of @NAME@. A name without a value ends the release.
fill_in() { # tree
    local name value file left
    while IFS='=' read -r name value; do
        case $name in '' | \#*) continue ;; esac
        [ -n "$value" ] || fail "$settings: $name has no value"
        for file in "${filled[@]}"; do
            value=$value name=$name perl -pi -e 's/\@$ENV{name}\@/$ENV{value}/g' "$1/$file"
        done
    done < <(cat "$settings" && printf '\nVERSION=%s\nDATE=%s\nRFC_DATE=%s\n' "$version" "$date" "$(git log -1 --format=%cD)")
    for file in "${filled[@]}"; do
        [ -e "$1/$file" ] || fail "$file is not in the tree that is checked out"
    done
    left=$(cd "$1" && grep -oh '@[A-Z_]*@' "${filled[@]}" | sort -u) || true
    [ -z "$left" ] || fail "$settings says nothing of: $left"
}

# [Unreleased] becomes the version, below a new empty section; its text is the notes.
cut_changelog() { # tree
    awk -v head="## [$version] - $date" '$0 == "## [Unreleased]" { print; print ""; print head; next } { print }' \
        "$1/CHANGELOG.md" >"$1/CHANGELOG.new"
    mv "$1/CHANGELOG.new" "$1/CHANGELOG.md"
    awk -v head="## [$version] - $date" '/^## / { on = 0 } on { print } $0 == head { on = 1 }' "$1/CHANGELOG.md" |
        sed '/./,$!d' >"$out/NOTES.md"
    [ -s "$out/NOTES.md" ] || fail 'the section [Unreleased] of CHANGELOG.md is empty'
}

# Archives hold the date of the commit, so that they are the same whenever they are made.
make_source() {
    local moment
    moment=$(git log -1 --format=%ct)
    tar --sort=name --mtime="@$moment" --owner=0 --group=0 --numeric-owner -C "$work" -c "spikemine-$version" |
        gzip -n9 >"$out/spikemine-$version-source.tar.gz"
}

make_sdist() {
    tools/wheels.sh tools
    (cd "$tree" && ../../wheels/tools/bin/python -m build --sdist --no-isolation -o "$out" . >"$work/sdist.log" 2>&1) ||
        { tail -n 20 "$work/sdist.log" && fail 'the sdist cannot be made'; }
}

# Libraries that are built already are those of this tree.
make_wheels() {
    mkdir -p build/wheels "$tree/build"
    ln -sfn "$PWD/build/wheels" "$tree/build/wheels"
    rm -rf build/wheels/dist
    (cd "$tree" && tools/wheels.sh)
    cp build/wheels/dist/*.whl "$out"
    rm "$tree/build/wheels" && rmdir "$tree/build"
}

# The branch gets the cut changelog. What was filled in is in the commit of the tag alone, beside the branch, so that the
# next release finds the places again.
tag_release() {
    local index=$work/index commit
    cp "$tree/CHANGELOG.md" CHANGELOG.md
    git add CHANGELOG.md
    git commit -qm "The changelog of $version"
    GIT_INDEX_FILE=$index git read-tree HEAD
    GIT_INDEX_FILE=$index git --work-tree="$tree" add "${filled[@]}"
    commit=$(git commit-tree -p HEAD -m "Release $version" "$(GIT_INDEX_FILE=$index git write-tree)")
    git tag -a --cleanup=verbatim "v$version" -F "$out/NOTES.md" "$commit"
    echo "tagged v$version; to publish: git push --follow-tags, then the files of $out"
}

filled=(CITATION.cff SECURITY.md CODE_OF_CONDUCT.md CMakeLists.txt pyproject.toml packaging/debian/control
    packaging/debian/changelog packaging/debian/copyright packaging/conda/recipe.yaml)
date=$(git log -1 --format=%cs)
check_state
rm -rf "$work"
mkdir -p "$tree" "$out"
git archive HEAD | tar -x -C "$tree"
fill_in "$tree"
cut_changelog "$tree"
for step in $steps; do
    "make_$step"
done
(cd "$out" && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS && ls -l)
if [ $dry_run = no ]; then
    tag_release
fi
