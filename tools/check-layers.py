#!/usr/bin/env python3
"""The tree of folders: who may use whom (src/layers.txt), which files need each other, and the map.

    tools/check-layers.py [BUILD-FOLDER]

1. Every #include of src/ is one that the folder's line in src/layers.txt allows; every folder has a
   line, and lines name only folders above them.
2. Every folder of src/ stands in the map of CONTRIBUTING.md, and the map names no other. The line of arrows
   there has every folder of the first level, each left of all that it uses.
3. cli/ and python/ have tests and selections done by the library's analysis: of the functions of its
   single steps they call those that tools/steps-left.txt names, and that file names no other.
4. With a build folder: what the object files of src/ use of each other keeps to the same lines, also
   where no include tells, and no two .c files of src/ or of cli/ need each other, directly or in a
   circle. A registry's references to what it lists are left out.
5. No two modules of the Python package need each other when they are loaded.

Each finding is a line FILE: what is wrong; what to do. Exit status 1 when there is one.
"""

import ast
import collections
import glob
import os
import re
import subprocess
import sys

SOURCES = (".c", ".h", ".cu", ".cuh")


class Rules:
    """src/layers.txt as data."""

    def __init__(self, path):
        self.path = path
        self.may_use = {}  # folder -> set of folders and <headers>
        self.registries = set()
        self.findings = []
        for number, line in enumerate(open(path), 1):
            line = line.split("#")[0].strip()
            if line.startswith("registry "):
                self.registries.add(line.split()[1])
            elif line:
                self.read_rule(line, f"{path}:{number}")

    def read_rule(self, line, place):
        folder, colon, names = line.partition(":")
        if not colon or folder in self.may_use:
            self.findings.append(f"{place}: not 'FOLDER: NAMES', or the folder's second line")
            return
        for name in names.split():
            if not name.startswith("<") and name not in self.may_use:
                self.findings.append(
                    f"{place}: {folder} names {name}, which has no line above; a folder may use only"
                    " folders above it")
        self.may_use[folder] = set(names.split())

    def allows(self, folder, name):
        return name == folder or name in self.may_use.get(folder, ())


def source_files():
    for folder, _, files in sorted(os.walk("src")):
        for name in sorted(files):
            if name.endswith(SOURCES):
                yield os.path.join(folder, name)


def folder_of(path):
    """src/episode/engine/fsm.c -> episode/engine"""
    return os.path.dirname(path)[len("src/"):]


def check_includes(rules):
    for path in source_files():
        folder = folder_of(path)
        if folder not in rules.may_use:
            yield f"{path}: folder {folder} has no line in {rules.path}; add one"
            continue
        for number, line in enumerate(open(path), 1):
            match = re.match(r'\s*#\s*include\s+[<"]([^">]+)[">]', line)
            if not match:
                continue
            target = match.group(1)
            if target.startswith("spikemine/"):
                name = "<" + target[len("spikemine/"):].removesuffix(".h") + ">"
            elif os.path.exists(os.path.join("src", target)):
                name = os.path.dirname(target)
            else:
                continue
            if not rules.allows(folder, name) and not is_covered(rules, folder, name):
                yield (f"{path}:{number}: {folder} may not use {name} ({target}); move the code, or"
                       f" change {rules.path} if the house is to change")


def is_covered(rules, folder, name):
    """Status, context and export belong to base: who may use base may use them."""
    basic = {"<status>", "<context>", "<export>", "<version>", "<duration>"}
    return name in basic and rules.allows(folder, "base")


def check_map(rules):
    page = "CONTRIBUTING.md"
    named = set(re.findall(r"^\| `src/([a-z0-9/_]+?)/?` \|", open(page).read(), re.M))
    present = {folder_of(path) for path in source_files()}
    for folder in sorted(present - named):
        yield f"CONTRIBUTING.md: the map leaves out src/{folder}/; add a row | `src/{folder}/` | ..."
    for folder in sorted(named - present):
        yield f"CONTRIBUTING.md: the map names src/{folder}/, which is not there; remove its row"
    for folder in sorted(set(rules.may_use) - present):
        yield f"{rules.path}: a line for {folder}, which is not there; remove it"


def check_arrows(rules):
    """The arrows of CONTRIBUTING.md, `    a -> b, c -> d`: lines that go on begin with an arrow."""
    arrows = re.search(r"^    cli, python( ->[^\n]*\n)(?:    (->[^\n]*\n))*", open("CONTRIBUTING.md").read(), re.M)
    groups = arrows.group(0).split("->")[1:] if arrows else []
    place = {name.strip(): number for number, group in enumerate(groups) for name in group.split(",")}
    top = {folder.split("/")[0] for folder in rules.may_use}
    for folder in sorted(top ^ place.keys()):
        yield f"CONTRIBUTING.md: {folder} is in the arrows or in {rules.path}, but not in both; mend the arrows"
    used = {(folder.split("/")[0], name.split("/")[0]) for folder, names in rules.may_use.items() for name in names}
    for one, other in sorted(used):
        if one != other and one in place and other in place and place[one] >= place[other]:
            yield f"CONTRIBUTING.md: {one} uses {other}, but does not stand left of it in the arrows; move it"


# ---- steps of an analysis -------------------------------------------------------------------------

STEPS = os.path.join("tools", "steps-left.txt")
STEP = re.compile(r"(?:\blib\.|(?<![\w.]))(spk_(?:exact|maxima|select|families|compare|choose)_\w+(?<!_init)"
                  r"|spk_signatures_test|spk_pvalue_spectrum"
                  r"|spk_pattern_(?:reduce|stability|spectrum_filter))\b(\s*\()?")


def steps_left():
    """folder -> functions that it may call"""
    left = collections.defaultdict(set)
    for line in open(STEPS):
        folder, colon, names = line.split("#")[0].partition(":")
        if colon:
            left[folder.strip()].update(names.split())
    return left


def steps_called(folder):
    """function -> the first place in the folder that calls it"""
    called = {}
    for root, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if not name.endswith((".c", ".py")):
                continue
            path = os.path.join(root, name)
            for number, line in enumerate(open(path), 1):
                for match in STEP.finditer(line):
                    if match.group(2) or match.group(0).startswith("lib."):
                        called.setdefault(match.group(1), f"{path}:{number}")
    return called


def check_steps():
    left = steps_left()
    for folder in ("cli", "python"):
        called = steps_called(folder)
        for name in sorted(called.keys() - left[folder]):
            yield (f"{called[name]}: calls {name}, a step of an analysis; call spk_analysis_run"
                   " (spikemine/analysis.h), which takes it")
        for name in sorted(left[folder] - called.keys()):
            yield f"{STEPS}: {folder} no longer calls {name}; remove it"


# ---- object files ---------------------------------------------------------------------------------


def object_sources(build):
    """Pairs (source path, object path); a file compiled for several instruction sets comes several times."""
    for part in ("src", "cli"):
        for folder, _, files in os.walk(os.path.join(build, part, "CMakeFiles")):
            for name in files:
                path = os.path.join(folder, name)
                inside = re.sub(r"^.*?\.dir/", "", os.path.relpath(path, os.path.join(build, part)))
                source = os.path.join(part, inside.removesuffix(".o"))
                if name.endswith(".o") and os.path.exists(source):
                    yield source, path


def symbols(paths):
    """object path -> (names that it defines for others, names that it needs)"""
    found = {path: (set(), set()) for path in paths}
    for line in subprocess.check_output(["nm", "-A", "-P", "-g", *paths], text=True).splitlines():
        path, fields = line.split(": ")
        name, kind = fields.split()[:2]
        found[path][kind in "Uwv"].add(name)
    return found


def uses_between_files(build):
    """source -> {source: a symbol}"""
    home, needs = {}, collections.defaultdict(set)
    objects = {path: source for source, path in object_sources(build)}
    for path, (defined, needed) in symbols(list(objects)).items():
        needs[objects[path]] |= needed
        for name in defined:
            home[name] = objects[path]
    if not home:
        sys.exit(f"{build}: no object files; build it first (tools/build.sh release)")
    uses = {}
    for source, names in needs.items():
        uses[source] = {home[n]: n for n in sorted(names) if n in home and home[n] != source}
    return uses


def circles(uses):
    """Strongly connected sets of more than one file (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in uses.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            members = []
            while not members or members[-1] != node:
                members.append(stack.pop())
            if len(members) > 1:
                found.append(sorted(members))

    sys.setrecursionlimit(10000)
    for node in uses:
        if node not in index:
            visit(node)
    return found


def check_objects(build, rules):
    uses = uses_between_files(build)
    for source in rules.registries:
        uses.pop(source, None)
    for source, others in sorted(uses.items()):
        for other, symbol in sorted(others.items()):
            if source.startswith("src/") and not rules.allows(folder_of(source), folder_of(other)):
                yield (f"{source}: uses {symbol} of {other}, which {folder_of(source)} may not use;"
                       f" see {rules.path}")
    for members in circles(uses):
        yield needing_each_other(uses, members)


def needing_each_other(uses, members):
    links = [f"{a} -> {b} ({uses[a][b]})" for a in members for b in members if b in uses.get(a, {})]
    return f"{members[0]}: {len(members)} files need each other; part them: " + "; ".join(links)


# ---- modules of Python ----------------------------------------------------------------------------

PACKAGE = os.path.join("python", "spikemine")


def modules_loaded(path):
    """module file -> a name that is taken from it, for all that the module loads with itself"""
    loaded = {}
    for node in ast.parse(open(path).read()).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for name in node.names:
                module = (node.module or name.name).split(".")[0]
                loaded[os.path.join(PACKAGE, module + ".py")] = name.name
    return loaded


def check_modules():
    uses = {path: modules_loaded(path) for path in sorted(glob.glob(os.path.join(PACKAGE, "*.py")))}
    for members in circles(uses):
        yield needing_each_other(uses, members)


def main():
    build = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    rules = Rules(os.path.join("src", "layers.txt"))
    findings = rules.findings + list(check_includes(rules)) + list(check_map(rules)) + list(
        check_arrows(rules)) + list(check_steps()) + list(check_modules())
    if build is not None:
        findings += check_objects(build, rules)
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
