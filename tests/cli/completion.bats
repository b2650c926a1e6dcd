#!/usr/bin/env bats
# The completion scripts: what each shell offers at places of a command line.

setup() {
    folder=$(mktemp -d)
    cd "$folder"
    : >'my rec.txt'
    : >other.tsv
    for shell in bash zsh fish; do
        "$SPIKEMINE" completion $shell >script.$shell
    done
}

teardown() {
    cd /
    rm -rf "$folder"
}

# offers WORD...: what bash offers for the last word, a line each. Its --option=value is three words.
offers() {
    bash -c 'source script.bash
        COMP_WORDS=("$@")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _spikemine
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort
}

# expect "WORD ..." WORD...: bash offers just these.
expect() {
    local expected
    # shellcheck disable=SC2086
    expected=$(printf '%s\n' $1 | sort)
    shift
    [ "$(offers "$@")" = "$expected" ] || {
        echo "for $*:"
        offers "$@"
        return 1
    }
}

@test "bash offers commands and kinds" {
    expect "engines episodes explore" spikemine e
    expect "$("$SPIKEMINE" --help --verbose | sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\)  .*/\1/p' | sort -u |
        tr '\n' ' ')" spikemine ""
    expect "sym26 network probe culture" spikemine simulate ""
    expect "sym26" spikemine simulate s
    expect "bash zsh fish" spikemine completion ""
    expect "patterns" spikemine help pat
    expect "episodes patterns" spikemine help bench ""
}

@test "bash offers every option of every command" {
    n=0
    while read -r command; do
        # shellcheck disable=SC2086
        "$SPIKEMINE" $command --help --verbose | sed '/^examples:/,$d' | grep -oE '^  (-., |    )--[a-z-]+' |
            grep -oE -- '--[a-z-]+' | sort >options
        # shellcheck disable=SC2086
        offers spikemine $command -- | diff - options
        n=$((n + $(wc -l <options)))
    done < <("$SPIKEMINE" --help --verbose |
        sed -n '/^commands:/,/^$/s/^  \([a-z0-9 ]*[a-z0-9]\)  .*/\1/p')
    [ "$n" -gt 100 ]
    expect "--max-size" spikemine episodes rec.txt --max-s
    expect "--delay" spikemine episodes rec.txt --support 5 --del
}

@test "bash offers values, engines and files" {
    expect "$("$SPIKEMINE" formats | sed -n '2,$s/^\([^\t]*\)\tyes.*/\1/p' | tr '\n' ' ')" \
        spikemine info rec.txt --input-format ""
    expect "tsv json" spikemine episodes rec.txt --format ""
    expect "json" spikemine episodes rec.txt --format = j
    expect "tsv json" spikemine episodes rec.txt --format =
    expect "guess time,unit unit,time" spikemine info --columns ""
    expect "auto bitmap cuda-bitmap fpgrowth" spikemine patterns --engine ""
    expect "auto $("$SPIKEMINE" engines | sed -n 's/^episodes\t\([^\t]*\).*/\1/p' | tr '\n' ' ')" \
        spikemine count --engine ""
    expect "all" spikemine episodes --gpus ""
    expect "auto" spikemine patterns --support a
    expect "holm-sidak holm" spikemine patterns --correction hol
    expect "" spikemine episodes --support ""
    expect "" spikemine engines ""
    [ "$(offers spikemine info my)" = "my rec.txt" ]
    [ "$(offers spikemine episodes rec.txt -o oth)" = other.tsv ]
    [ "$(offers spikemine count rec.txt --episodes oth)" = other.tsv ]
    [ "$(offers spikemine patterns rec.txt --trials oth)" = other.tsv ]
}

@test "bash completes words that a user types" {
    type -p python3 >/dev/null || skip "needs python3"
    python3 - <<'END'
import os, pty, select, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ["PS1"] = "ready>"
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
def read(seconds):
    seen, end = b"", time.time() + seconds
    while time.time() < end and select.select([terminal], [], [], 0.2)[0]:
        try:
            seen += os.read(terminal, 4096)
        except OSError:
            break
    return seen
read(5)
os.write(terminal, b"source script.bash; spikemine() { printf 'got:%s|' \"$@\"; echo; }\n")
read(5)
os.write(terminal, b"spikemine epis\tmy\t--form\tj\t\n")
seen = read(5)
assert b"got:episodes|got:my rec.txt|got:--format|got:json|" in seen, seen
os.close(terminal)
END
}

@test "zsh and fish take their scripts" {
    if command -v zsh >/dev/null; then
        zsh -n script.zsh
        zsh -f -c 'autoload -Uz compinit; compinit -D; source ./script.zsh; [[ $_comps[spikemine] == _spikemine ]]'
    fi
    if ! command -v fish >/dev/null; then
        grep -q -- "-l support -s s -x" script.fish
        skip "the rest needs fish"
    fi
    fish -n script.fish
    fish_offers() {
        fish --no-config -c "source script.fish; complete -C '$1'" | cut -f 1 | sort | tr '\n' ' '
    }
    [ "$(fish_offers 'spikemine e')" = "engines episodes explore " ]
    [ "$(fish_offers 'spikemine simulate ')" = "culture network probe sym26 " ]
    [ "$(fish_offers 'spikemine info --format ')" = "json text " ]
    [ "$(fish_offers 'spikemine bench patterns --job')" = "--jobs " ]
    [ "$(fish_offers 'spikemine patterns --engine ')" = "auto bitmap cuda-bitmap fpgrowth " ]
    [ "$(fish_offers 'spikemine count --episodes oth')" = "other.tsv " ]
}
