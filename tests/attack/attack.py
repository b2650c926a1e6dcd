#!/usr/bin/env python3
"""Attacks the command with damaged files and with signals at random moments.

    tests/attack/attack.py COMMAND [--damaged N] [--kills N] [--only NAME] [--seed S]

Damaged: N copies of the files that the command reads, each with some bytes changed, cut off, doubled
or swapped, shared among the kinds of files. The command must end by itself with status 0, 1 or 2; a
failure says why in one line.

Kills: N runs that write files are ended by INT, TERM, HUP or KILL at a random moment. What stands
under its final name is complete, the input is as it was, and after a signal that can be caught no
temporary file is left. A run with a checkpoint goes on afterwards and ends with the same bytes.

With a sanitized build a report is a failure, too. The seed is printed; it repeats a run.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 60
EPISODES = "-d 0:20ms -s 4 --max-size 3 --threads 1"
PATTERNS = "--bin 5ms --window 3 --support 3 --threads 1"
TEST = "--test exact --jitter 40ms --surrogates 5"

# Kinds of files: how one is made from rec.txt, its name, and what reads it.
KINDS = {
    "text": ("", "rec.txt", "info {} --sort"),
    "csv": ("convert rec.txt rec.csv", "rec.csv", "info {} --sort"),
    "gz": ("convert rec.txt rec.txt.gz", "rec.txt.gz", f"episodes {{}} --sort {EPISODES}"),
    "xz": ("convert rec.txt rec.txt.xz", "rec.txt.xz", "info {} --sort"),
    "npz": ("convert rec.txt rec.npz", "rec.npz", "info {} --sort"),
    "nwb": ("convert rec.txt rec.nwb", "rec.nwb", "info {} --sort"),
    "phy": ("", "phy/spike_times.npy", "info phy --sort"),
    "clusters": ("", "phy/spike_clusters.npy", "info phy --sort"),
    "params": ("", "phy/params.py", "info phy --sort"),
    "groups": ("", "phy/cluster_group.tsv", "info phy --group good --sort"),
    "list": ("", "list.txt", "count rec.txt -e {} --threads 1"),
    "patterns": ("", "patterns.txt", "watch rec.txt --bin 5ms --patterns {} --speed max -q"),
    "trials": ("", "trials.txt", f"episodes rec.txt --trials {{}} {EPISODES}"),
    "labels": ("", "labels.txt", f"episodes rec.txt --trials trials.txt --compare-trials {{}} {EPISODES}"),
    "items": ("", "items.txt", "patterns {} --input-format transactions --window 4 --threads 1"),
    "maxima": (
        f"episodes rec.txt {EPISODES} {TEST} --shard 1/1 -o all.spk",
        "all.spk",
        f"episodes rec.txt {EPISODES} {TEST.removesuffix(' --surrogates 5')} --maxima {{}}",
    ),
    "state": ("watch rec.txt -e list.txt --speed max --state kept.state", "kept.state", "watch rec.txt -e list.txt --speed max --state {}"),
}

# What is killed: a command line and the files that it writes.
KILLED = [
    (f"episodes rec.txt {EPISODES} --occurrences occ.tsv --html page.html -o out.tsv", ["occ.tsv", "page.html", "out.tsv"]),
    (f"episodes rec.txt {EPISODES} {TEST} --checkpoint kept.spk -o out.json --format json", ["out.json"]),
    (f"patterns rec.txt {PATTERNS} --surrogates 20 --checkpoint kept.spk -o out.tsv", ["out.tsv"]),
    ("convert rec.txt out.nwb", ["out.nwb"]),
    ("convert rec.txt out.txt.gz", ["out.txt.gz"]),
    ("simulate network --units 30 --duration 60s --seed 2 -o out.npz --truth truth.json", ["out.npz", "truth.json"]),
]


def make_inputs(command, folder, seed):
    simulate = f"simulate network --units 6 --rate 8 --duration 30s --seed {seed} -o rec.txt"
    run(command, simulate, folder)
    (folder / "list.txt").write_text("0 (0,10ms] 1\n2 (0,10ms] 1 (0,10ms] 0\n# a comment\n")
    (folder / "patterns.txt").write_text("0@0 1@2\n2@0 1@1 0@2\n")
    (folder / "trials.txt").write_text("0 5\n5 10\n10 15\n15 20\n")
    (folder / "labels.txt").write_text("x\ny\ny\nx\n")
    (folder / "items.txt").write_text("0 5 9\n0 5\n1 5 9 13\n0 5 9\n" * 5)
    make_phy(folder)
    for made, _, _ in KINDS.values():
        if made:
            run(command, made, folder)


def make_phy(folder):
    rows = [line.split() for line in (folder / "rec.txt").read_text().splitlines() if line[:1].isdigit()]
    write_npy(folder / "phy" / "spike_times.npy", [round(float(t) * 30000) for t, _ in rows], "<i8", 8)
    write_npy(folder / "phy" / "spike_clusters.npy", [int(u) for _, u in rows], "<i4", 4)
    (folder / "phy" / "params.py").write_text("sample_rate = 30000.\ndat_path = ['x.bin']\n")
    groups = "".join(f"{u}\t{'good' if u % 2 else 'mua'}\n" for u in range(6))
    (folder / "phy" / "cluster_group.tsv").write_text("cluster_id\tgroup\n" + groups)


def write_npy(path, values, kind, size):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.parent.mkdir(exist_ok=True)
    body = b"".join(v.to_bytes(size, "little") for v in values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + body)


def run(command, words, folder):
    done = subprocess.run([command, *words.split()], cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words}: {done.stderr.decode()}")


# ---- damaged files ---------------------------------------------------------------------------------


def damage(chance, whole):
    """A copy with errors of the kinds that disks, transfers, editors and enemies make."""
    copy = bytearray(whole)
    for _ in range(chance.choice((1, 1, 2, 4, 16, 64))):
        at = chance.randrange(len(copy))
        copy[at] = chance.choice((0, 255, chance.randrange(256), copy[at] ^ 1 << chance.randrange(8), ord(chance.choice("0-9.e,\"#\t\n")[0])))
    at, length = chance.randrange(len(copy)), chance.choice((1, 8, 100, 5000))
    what = chance.random()
    if what < 0.1:
        del copy[at:]
    elif what < 0.2:
        copy[at:at] = copy[at : at + length]
    elif what < 0.3:
        del copy[at : at + length]
    elif what < 0.35:
        copy[at:at] = bytes(chance.choice((b"9" * 40, b"-", b"nan", b"1e999", b"\xff\xfe", b"\x00" * 100)))
    return bytes(copy)


def try_damaged(command, inputs, kind, seed):
    """What is wrong with how the command takes this copy; None when all is well."""
    _, name, words = KINDS[kind]
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="spikemine-attack-") as place:
        folder = pathlib.Path(place) / "in"
        shutil.copytree(inputs, folder)
        (folder / name).write_bytes(damage(chance, (inputs / name).read_bytes()))
        words = [w.format(name) for w in words.split()]
        try:
            done = subprocess.run([command, *words], cwd=folder, capture_output=True, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            return f"not done after {LIMIT_S} s"
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2) or "Sanitizer" in said or "runtime error" in said:
        return f"status {done.returncode}: {said[-1500:]}"
    if done.returncode != 0 and not any(line.startswith("spikemine") for line in said.splitlines()):
        return f"status {done.returncode} without a reason: {said[-300:]}"
    return None


def attack_files(command, inputs, n, kinds, seed):
    cases = [(kind, seed * 1000003 + k) for k in range(-(-n // len(kinds))) for kind in kinds]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda case: try_damaged(command, inputs, *case), cases)
        for (kind, number), problem in zip(cases, results):
            if problem is not None:
                wrong += 1
                print(f"damaged {kind}, {number}: {problem}", flush=True)
    print(f"{len(cases)} damaged files of {len(kinds)} kinds: {wrong} wrong")
    return wrong


# ---- signals ---------------------------------------------------------------------------------------


def digests(folder):
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()
    }


def same_each_time(path):
    """Without the lines that tell time, machine and command line."""
    if path.suffix in (".nwb", ".gz", ".npz"):
        return b""  # holds the time at which it was made
    lines = path.read_bytes().splitlines()
    return b"\n".join(line for line in lines if not any(w in line for w in (b"seconds", b"date", b"host", b"command")))


def reads(command, folder, name):
    if name.endswith((".nwb", ".npz", ".txt.gz")):
        return subprocess.run([command, "info", name, "-q"], cwd=folder, capture_output=True, check=False).returncode == 0
    return True


def try_kill(command, inputs, whole, chance):
    number = chance.randrange(len(KILLED))
    words, outputs = KILLED[number]
    sent = chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL))
    with tempfile.TemporaryDirectory(prefix="spikemine-attack-") as place:
        folder = pathlib.Path(place) / "in"
        shutil.copytree(inputs, folder)
        before = digests(folder)
        job = subprocess.Popen([command, *words.split()], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(chance.random() * whole[number][0])
        job.send_signal(sent)
        said = job.communicate(timeout=LIMIT_S)[1].decode(errors="replace")
        after = digests(folder)
        problem = None
        if "Sanitizer" in said or "runtime error" in said:
            problem = said[-1500:]
        for name, digest in before.items():
            if after.get(name) != digest:
                problem = f"{name} is changed or gone"
        for name in after.keys() - before.keys():
            if name in outputs:
                if not reads(command, folder, name) or same_each_time(folder / name) != whole[number][1][name]:
                    problem = f"{name} is there and not complete"
            elif name != "kept.spk" and not name.endswith(".incomplete") and sent != signal.SIGKILL:
                problem = f"{name} is left behind"
        if problem is None and "--checkpoint" in words:
            run(command, words + (" --force" if outputs[0] in after else ""), folder)
            for name in outputs:
                if same_each_time(folder / name) != whole[number][1][name]:
                    problem = f"{name} is another one after going on"
    return f"{words}, {sent.name}: {problem}" if problem else None


def attack_runs(command, inputs, n, seed):
    chance = random.Random(seed)
    whole = []
    for words, outputs in KILLED:
        with tempfile.TemporaryDirectory(prefix="spikemine-attack-") as place:
            folder = pathlib.Path(place) / "in"
            shutil.copytree(inputs, folder)
            began = time.monotonic()
            run(command, words, folder)
            seconds = time.monotonic() - began
            whole.append((seconds, {name: same_each_time(folder / name) for name in outputs}))
    problems = [p for p in (try_kill(command, inputs, whole, chance) for _ in range(n)) if p]
    for problem in problems:
        print(f"killed: {problem}", flush=True)
    print(f"{n} killed runs: {len(problems)} wrong")
    return len(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--damaged", type=int, default=0, metavar="N")
    parser.add_argument("--kills", type=int, default=0, metavar="N")
    parser.add_argument("--only", choices=KINDS, help="files of one kind")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    a = parser.parse_args()
    command = os.path.abspath(a.command)
    print(f"seed {a.seed}")
    with tempfile.TemporaryDirectory(prefix="spikemine-attack-") as place:
        inputs = pathlib.Path(place)
        make_inputs(command, inputs, 3)
        wrong = attack_files(command, inputs, a.damaged, [a.only] if a.only else list(KINDS), a.seed)
        wrong += attack_runs(command, inputs, a.kills, a.seed)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
