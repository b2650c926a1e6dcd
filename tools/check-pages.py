#!/usr/bin/env python3
"""Checks the pages: what a machine can tell of prose.

    tools/check-pages.py [--update] COMMAND      COMMAND is build/release/cli/spikemine

  - lines have at most 120 characters (tables of bench/results and what a command prints excepted)
  - links lead to files and headings that exist; docs/README.md reaches every page
  - worn-out phrases are gone from pages, public headers and help texts
  - explanations hold no machine, commit or speed
  - every option of a spikemine command in a page exists
  - the sessions (```console) of the pages in SESSIONS print what the page shows; --update writes what they print
  - the other commands of the pages run; those that need a device, a GPU or a cluster stand in tools/page_commands.py
  - pages run in an empty folder, as a wheel leaves it; those that link data/README.md find data/ and examples/ there
  - the table of environment variables has all that the sources read, and no other
  - JSON results fit the schemas of docs/reference/schemas (with python3-jsonschema)
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import page_commands

ROOT = Path(__file__).resolve().parent.parent
SESSIONS = [
    ROOT / "docs" / page
    for page in (
        "tutorial.md",
        "gallery.md",
        "how-to/choose-delays-and-support.md",
        "how-to/compare-conditions.md",
        "how-to/does-a-lead-b.md",
        "how-to/find-whole-sequences.md",
        "how-to/test-patterns.md",
        "how-to/worked-tests.md",
    )
]
WIDTH = 120

WORN_OUT = [
    r"\bthose that\b", r"\bwhat there is\b", r"\bso many\b", r"\bmost different\b", r"\bare left only\b",
    r"\bas many \w+ as the one that\b", r"\b\d+ travel\b", r"\bhidden so\b", r"\bdo when no\b",
]
RESULT = re.compile(r"\bcommit [0-9a-f]{7}\b|\bH[12]00\b|\bEPYC\b|\bXeon\b|times as fast|\b\d+(\.\d+)? (GB|TB)/s")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")

failures = []


def fail(place, what):
    failures.append(f"{place}: {what}")


def pages():
    found = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [ROOT / name for name in found.stdout.split() if (ROOT / name).exists()]


def name_of(path):
    return path.relative_to(ROOT)


# ---- form ----------------------------------------------------------------------------------------


def check_width(path, lines):
    session = False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            session = line == "```console"
        table = line.startswith("|") and "bench/results" in str(path)
        printed = session and not line.startswith("$ ")
        if len(line) > WIDTH and not table and not printed:
            fail(f"{name_of(path)}:{number}", f"{len(line)} characters; at most {WIDTH}")


def anchors(path):
    """The headings of a page, as links name them."""
    found = set()
    for line in path.read_text().splitlines():
        heading = re.match(r"#+ (.*)", line)
        if heading:
            text = re.sub(r"[^\w\- ]", "", heading.group(1).lower())
            found.add(text.replace(" ", "-"))
    return found


def links(path, text):
    """Targets of the links outside of code."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for match in LINK.finditer(re.sub(r"`[^`]*`", "", text)):
        yield match.group(1)


def check_links(path, text, reached):
    for target in links(path, text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        other = (path.parent / file).resolve() if file else path
        if not other.exists():
            fail(name_of(path), f"the link {target} leads nowhere")
        elif anchor and anchor not in anchors(other):
            fail(name_of(path), f"the link {target} names a heading that is not there")
        else:
            reached.setdefault(path, set()).add(other)


def check_reach(reached):
    start = ROOT / "docs/README.md"
    seen, ways = {start}, [start]
    while ways:
        for other in reached.get(ways.pop(), ()):
            if other not in seen and other.suffix == ".md":
                seen.add(other)
                ways.append(other)
    for path in pages():
        if ROOT / "docs" in path.parents and path not in seen:
            fail(name_of(path), "no link leads here from docs/README.md")


# ---- words ---------------------------------------------------------------------------------------


def check_words(place, text):
    for number, line in enumerate(text.splitlines(), 1):
        for phrase in WORN_OUT:
            if re.search(phrase, line):
                fail(f"{place}:{number}", f"worn-out phrase {phrase!r}: {line.strip()}")


def check_explanation(path, text):
    if "docs/explanation" in str(path) or "docs/how-to" in str(path):
        for match in RESULT.finditer(text):
            fail(name_of(path), f"'{match.group(0)}' is a result; results lie in bench/results")


# ---- commands ------------------------------------------------------------------------------------


def help_of(command, words, known={}):
    key = tuple(words)
    if key not in known:
        ran = subprocess.run([command, *words, "--help"], capture_output=True, text=True)
        known[key] = ran.stdout if ran.returncode == 0 else None
    return known[key]


def options_of(command, words):
    # The manual has all options, also those that --help leaves out where no GPU is.
    text = help_of(command, words)
    return None if text is None else set(re.findall(r"--[a-z][\w-]*", text))


def manual_options(command, known={}):
    if "all" not in known:
        ran = subprocess.run([command, "help", "--man"], capture_output=True, text=True)
        known["all"] = set(re.findall(r"--[a-z][\w-]*", ran.stdout.replace("\\-", "-")))
    return known["all"]


def check_command(place, line, command, names):
    """One line of a page that runs spikemine: its command and options must exist."""
    for part in re.split(r"\||;|\$\(|&&", line):
        words = part.strip().lstrip("$ ").split()
        if not words or not re.fullmatch(r"(build/release/cli/)?spikemine", words[0]) or len(words) < 2:
            continue
        kind = words[1:3] if words[1] in ("simulate", "bench") and not words[2:3] == ["--help"] else words[1:2]
        if kind[0].startswith("-") or kind[0].isupper() or kind[0] in ("help", "completion"):
            continue
        options = options_of(command, kind)
        if options is None:
            fail(place, f"there is no command 'spikemine {' '.join(kind)}'")
            continue
        comment = part.find(" #")
        text = part if comment < 0 else part[:comment]
        for option in re.findall(r"(?<=\s)--[a-z][\w-]*", text):
            if option not in options and option not in manual_options(command):
                fail(place, f"'spikemine {' '.join(kind)}' has no option {option}")


def check_commands(path, lines, command, names):
    code, whole = False, ""
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            code = not code
        elif code or line.startswith("    "):
            whole += line.rstrip("\\")
            if not line.endswith("\\"):
                check_command(f"{name_of(path)}:{number}", whole, command, names)
                whole = ""
        for inline in re.findall(r"`(spikemine [^`]*)`", line):
            check_command(f"{name_of(path)}:{number}", inline, command, names)


# ---- sessions ------------------------------------------------------------------------------------


def run_session(page, lines, folder, path):
    """Runs the lines that begin with '$ ' one after the other; gives the text that a terminal shows."""
    shown, k = [], 0
    while k < len(lines):
        if not lines[k].startswith("$ "):
            k += 1
            continue
        shown.append(lines[k])
        text = lines[k][2:]
        while text.endswith("\\"):
            k += 1
            shown.append(lines[k])
            text = text[:-1] + lines[k].lstrip("> ")
        k += 1
        # A page shows what comes where the time suffices, however busy this machine is.
        text = re.sub(r"--suggest(?!-time| --suggest-time)(?= )", "--suggest --suggest-time 600s", text)
        ran = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {text}"], cwd=folder, env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if ran.returncode != 0:
            fail(name_of(page), f"'{text}' ends with {ran.returncode}: {ran.stdout}")
        shown += ran.stdout.rstrip("\n").split("\n") if ran.stdout else []
    return shown


def same(shown, printed):
    """Times differ from run to run."""
    def plain(lines):
        return [re.sub(r"\d+\.\d+ s\b", "T s", re.sub(r"\d+ threads?\b", "threads", line)) for line in lines]

    return plain(shown) == plain(printed)


def check_sessions(page, command, update):
    text = page.read_text()
    with tempfile.TemporaryDirectory() as folder:
        binaries = Path(folder) / "bin"
        binaries.mkdir()
        (binaries / "spikemine").symlink_to(Path(command).resolve())
        work = Path(folder) / "work"
        work.mkdir()
        page_commands.copy_source(ROOT, work, text)

        def session(match):
            lines = match.group(1).rstrip("\n").split("\n")
            printed = run_session(page, lines, work, f"{binaries}:{os.environ['PATH']}")
            if not update and not same(lines, printed):
                fail(name_of(page), "a session prints something else; tools/check-pages.py --update shows it:\n"
                     + "\n".join(printed))
            return "```console\n" + "\n".join(printed if update else lines) + "\n```"

        text = re.sub(r"```console\n(.*?)```", session, text, flags=re.S)
    if update:
        page.write_text(text)


# ---- schemas -------------------------------------------------------------------------------------


def check_schemas(command):
    try:
        import jsonschema
    except ImportError:
        print("python3-jsonschema is not here: JSON is not compared with its schemas", file=sys.stderr)
        return
    macaque, songbird = ROOT / "data/movement_PGHF.spikes.txt", ROOT / "data/songbird_spikes.txt"
    bins = ["--bin", "5ms", "--window", "20", "--support", "10", "--min-spikes", "6", "--min-neurons", "6"]
    with tempfile.TemporaryDirectory() as folder:
        watched = Path(folder) / "watched.txt"
        watched.write_text('"1" (0,50ms] "2"\n')
        replay = ["--speed", "max", "--format", "json"]
        search = ["-d", "0:50ms", "-s", "5", "--partition", "100s", "--step", "100s", "--max-size", "2"]
        truth = Path(folder) / "truth.json"
        few = ["--bin", "5ms", "--window", "4", "--support", "20", "--min-spikes", "2", "--surrogates", "9"]
        exact = ["--test", "exact", "--surrogates", "19", "--jitter", "50ms", "--format", "json", "--peel-max", "2"]
        trials, labels = Path(folder) / "trials.txt", Path(folder) / "labels.txt"
        trials.write_text("".join(f"{k} {k + 1}\n" for k in range(20)))
        labels.write_text("a\nb\n" * 10)
        compare = ["--trials", trials, "--compare-trials", labels, "--report", "all", "--format", "json"]
        simulate = ["simulate", "network", "--seed", "1", "-o", f"{folder}/rec.txt", "--truth", str(truth)]
        jobs = [
            ("truth", simulate),
            ("episodes", ["episodes", macaque, "-d", "0:5ms", "-s", "300", "--format", "json"]),
            ("episodes", ["episodes", songbird, "--sort", "-d", "0:200ms", "-s", "20", "--families", "--format", "json"]),
            ("episodes", ["count", macaque, "-e", "5 (0,5ms] 9", "-e", "5 (0,5ms] 5", *exact[:-2]]),
            ("patterns", ["patterns", macaque, *bins, "--format", "json"]),
            ("patterns", ["patterns", macaque, *bins, "--families", "--format", "json"]),
            ("spectrum", ["patterns", macaque, *bins, "--spectrum", "2d", "--format", "json"]),
            ("spectrum", ["patterns", macaque, *bins, "--spectrum", "3d", "--format", "json"]),
            ("patterns", ["patterns", f"{folder}/rec.txt", *few, "--report", "all", "--format", "json"]),
            ("episodes", ["episodes", f"{folder}/rec.txt", *exact, "-d", "5ms:15ms", "-s", "20", "--peel"]),
            ("patterns", ["patterns", f"{folder}/rec.txt", *exact, "--bin", "5ms", "--window", "4", "--support", "30", "--peel"]),
            ("calibration", ["episodes", f"{folder}/rec.txt", *exact[:-2], "-d", "5ms:15ms", "-s", "60", "--calibrate", "2"]),
            ("episodes", ["episodes", f"{folder}/rec.txt", *compare, "-d", "5ms:15ms", "-s", "50"]),
            ("patterns", ["patterns", f"{folder}/rec.txt", *compare, "--bin", "5ms", "--support", "9"]),
            ("sequences", ["sequences", f"{folder}/rec.txt", "--stop", "20s", "--surrogates", "1", "--alpha", "1", "--max-sequences", "2", "--format", "json"]),
            ("pvalues", ["patterns", f"{folder}/rec.txt", *few, "--pvalues", "-", "-o", "/dev/null", "--format", "json"]),
            ("info", ["info", songbird, "--sort", "--per-unit", "--format", "json"]),
            ("formats", ["formats", "--format", "json"]),
            ("live", ["live", macaque, *replay, *search, "--test", "exact", "--surrogates", "9", "-e", watched]),
        ]
        for schema, job in jobs:
            ran = subprocess.run([command, *map(str, job)], capture_output=True, text=True)
            if ran.returncode != 0:
                fail(schema, ran.stderr)
                continue
            text = truth.read_text() if schema == "truth" else ran.stdout
            rules = json.loads((ROOT / f"docs/reference/schemas/{schema}.schema.json").read_text())
            for document in map(json.loads, text.splitlines() if schema == "live" else [text]):
                for error in jsonschema.Draft202012Validator(rules).iter_errors(document):
                    fail(f"{schema}.schema.json", f"{'/'.join(map(str, error.path))}: {error.message}")
                for key in set(document) - set(rules["properties"]):
                    fail(f"{schema}.schema.json", f"says nothing of '{key}'")


def check_environment():
    """One table has all variables."""
    reads = re.compile(r'(?:getenv\(|\bvariable\(|\.variable = |environ(?:\.get)?[\[(])"([A-Z_]+)"')
    sources = [p for part, kind in (("src", "[ch]"), ("cli", "[ch]"), ("src", "cu"), ("python/spikemine", "py"))
               for p in (ROOT / part).rglob(f"*.{kind}")]
    read = {name for path in sources for name in reads.findall(path.read_text())}
    page = ROOT / "docs/reference/command.md"
    table = page.read_text().split("## Environment\n")[-1].strip().split("\n\n")[0]
    told = {name for row in table.splitlines() for name in re.findall(r"`([A-Z_]+)`", row.split("|")[1])}
    for name in sorted(read ^ told):
        fail(name_of(page), f"{name} is {'read, but not in the table' if name in read else 'read nowhere'}")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    command = str(Path(arguments[0]).resolve())
    overview = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    for page in SESSIONS:
        check_sessions(page, command, "--update" in sys.argv)
    guides = [path for path in pages() if path.name == "README.md" or ROOT / "docs" in path.parents]
    counts = page_commands.check(guides, ROOT, command, fail)
    print("commands of pages: " + "; ".join(f"{n} {what}" for what, n in counts.items()))
    reached = {}
    for path in pages():
        text = path.read_text()
        check_width(path, text.splitlines())
        check_links(path, text, reached)
        check_explanation(path, text)
        if path.name != "CHANGELOG.md":
            check_words(name_of(path), text)
            check_commands(path, text.splitlines(), command, overview)
    check_reach(reached)
    check_environment()
    for header in sorted((ROOT / "include/spikemine").glob("*.h")):
        check_words(name_of(header), header.read_text())
    manual = subprocess.run([command, "help", "--man"], capture_output=True, text=True, check=True).stdout
    check_words("spikemine help --man", manual)
    check_schemas(command)
    print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
