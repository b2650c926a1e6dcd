#!/usr/bin/env python3
"""Makes each allocation and each call of the system fail in turn, for small jobs of each command.

    tests/faults/run.py COMMAND SHIM [--full] [--seconds N] [--job NAME] [--kind KIND]

COMMAND is the program, SHIM the library built from fail_malloc.c. Calls of the system fail by
strace(1); where it may not trace, that part is left out with a word. After each failure must hold:

- The program ends by itself, with no signal and in time.
- Exit status 0 comes with the complete and right output only; any other with a message.
- A file that is there under its final name is complete. No temporary file is left.

Without --full a sample is taken that fits into the time: the first failures of each job, and then
each k-th.
"""
import argparse
import concurrent.futures
import fnmatch
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import live

LIMIT_S = 10  # of one run
# Libraries that crash by themselves where memory is out, or take it by the thousand when they start.
NOT_OURS = "libcrypto:libarchive:libfontconfig:libcairo:libfreetype:libpixman:libexpat:libglib"
ERRORS = {"write": "ENOSPC", "read": "EIO", "rename": "EACCES", "open": "EMFILE", "close": "EIO"}
CALLS = {
    "write": "write,writev,pwrite64",
    "read": "read,readv,pread64",
    "rename": "/^rename",
    "open": "/^open",
    "close": "close",
}

EPISODES = "-d 0:20ms -s 4 --max-size 3"
PATTERNS = "--bin 5ms --window 4 --support 3"
TEST = "--min-spikes 3 --surrogates 3 --alpha 0.5 --correction none"
JOBS = {
    "info": "info rec.txt",
    "info-json": "info rec.txt.gz --per-unit --format json",
    "info-several": "info rec.txt rec.txt.gz --units-table",
    "info-suggest": "info rec.txt --suggest --suggest-events 100",  # has no --threads
    "info-table": "info table.csv",
    "info-lines": "info lines.txt",
    "convert-npz": "convert rec.txt out.npz",
    "episodes": f"episodes rec.txt {EPISODES} -o out.tsv --occurrences occ.tsv --threads 1",
    "episodes-json": f"episodes rec.txt {EPISODES} --format json --threads 1",
    "episodes-fsm": f"episodes rec.txt {EPISODES} -o out.tsv --engine fsm --two-pass on --threads 1",
    "episodes-figure": f"episodes rec.txt {EPISODES} -o out.tsv --figure fig.svg --threads 1",
    "episodes-html": f"episodes rec.txt {EPISODES} --families -o out.tsv --html out.html --threads 1",
    "patterns-tested-html": f"patterns rec.txt {PATTERNS} {TEST} -o out.tsv --html out.html --threads 1",
    "episodes-trials": f"episodes rec.txt {EPISODES} --trials over.txt --occurrences occ.tsv -o out.tsv --threads 1",
    "info-segments": "info rec.txt --segments trials.txt",
    "episodes-exact": f"episodes rec.txt {EPISODES} --test exact --jitter 40ms --surrogates 2 --report all --families -o out.tsv "
    "--threads 1",
    "episodes-peel": f"episodes rec.txt {EPISODES} --test exact --jitter 40ms --surrogates 2 --peel --alpha 0.4 "
    "--peel-max 2 -o out.tsv --threads 1",
    "patterns-peel": "patterns rec.txt --bin 5ms --window 3 --test exact --jitter 40ms --surrogates 2 --peel --alpha 0.4 "
    "--peel-max 2 -o out.tsv --threads 1",
    "episodes-calibrate": f"episodes rec.txt {EPISODES} --test exact --jitter 40ms --surrogates 2 --calibrate 2 "
    "-o out.tsv --threads 1",
    "episodes-compare": f"episodes rec.txt {EPISODES} --trials four.txt --compare-trials labels.txt --alpha 0.5 --report all -o out.tsv --threads 1",
    "patterns-compare": f"patterns rec.txt {PATTERNS} --trials four.txt --compare rec.txt.gz --format json --threads 1",
    "count": "count rec.txt -e list.txt -o out.tsv --threads 1",
    "patterns": f"patterns rec.txt {PATTERNS} -o out.tsv --occurrences occ.tsv --threads 1",
    "patterns-json": f"patterns rec.txt {PATTERNS} --trials trials.txt --format json --threads 1",
    "patterns-fpgrowth": f"patterns rec.txt {PATTERNS} --engine fpgrowth --threads 1",
    "patterns-items": "patterns items.txt --input-format transactions --window 4 --threads 1",
    "patterns-spectrum": f"patterns rec.txt {PATTERNS} --spectrum 3d -o out.tsv --threads 1",
    "patterns-figure": f"patterns rec.txt {PATTERNS} -o out.tsv --figure fig.svg --threads 1",
    "patterns-test": f"patterns rec.txt {PATTERNS} {TEST} -o out.tsv --pvalues p.tsv --reduce 1,1,0 --threads 1",
    "patterns-tested-all": f"patterns rec.txt {PATTERNS} {TEST} --report all --stability 0.3,0.3 --format json --threads 1",
    "patterns-tested-figure": f"patterns rec.txt {PATTERNS} {TEST} -o out.tsv --spectrum 3d --figure fig.svg --threads 1",
    "patterns-shard": f"patterns rec.txt {PATTERNS} --surrogates 3 --shard 1/1 -o out.spk --threads 1",
    "patterns-checkpoint": f"patterns rec.txt {PATTERNS} {TEST} -o out.tsv --checkpoint kept.spk --threads 1",
    "merge": "merge one.spk two.spk -o all.spk",
    "sequences": "sequences rec.txt -l 60ms -j 20ms -n 1 --alpha 1 --max-sequences 1 -o out.tsv --occurrences when.tsv "
    "--threads 1",
    "explore": "explore rec.txt --time 1us --html explored.html --threads 1",
    "surrogates": "surrogates rec.txt -m isi-dithering -n 2 -o made",
    "surrogates-bins": "surrogates rec.txt -m interval-jitter --bin 5ms --trials over.txt -o made",
    "simulate": "simulate sym26 --seed 1 --duration 2s -o sim.txt --truth truth.json",
    "engines": "engines",
    "help": "episodes --help",
}


def make_inputs(folder):
    """A small recording with chains, in several forms."""
    lines = []
    for k in range(60):
        start = 100 * k
        for step, unit in enumerate(("a", "b", "c d", "7")):
            lines.append((start + 5 * step, unit if " " not in unit else f'"{unit}"'))
        lines.append((start + 50 + k % 7, f"u{k % 5}"))
    lines.sort()
    text = "time\tunit\n" + "".join(f"{t / 1000:.3f}\t{u}\n" for t, u in lines)
    (folder / "rec.txt").write_text(text)
    rows = "".join(f'{k},{t / 1000:.3f},{u},"x,{k}"\n' for k, (t, u) in enumerate(lines))
    (folder / "table.csv").write_text(",time,unit,note\n" + rows)
    units = dict.fromkeys(u for _, u in lines)
    of_unit = {u: " ".join(f"{t / 1000:.3f}" for t, other in lines if other == u) for u in units}
    (folder / "lines.txt").write_text("".join(f"{u}: {times}\n" for u, times in of_unit.items()))
    (folder / "list.txt").write_text("a (0,10ms] b\na (0,10ms] b (0,10ms] 7\n")
    (folder / "trials.txt").write_text("0 2\n2 4.5 # two\n")
    (folder / "four.txt").write_text("0 1.5\n1.5 3\n3 4.5\n4.5 6\n")
    (folder / "labels.txt").write_text("x\ny\ny\nx\n")
    (folder / "over.txt").write_text("0 2.5\n1 4.5\n")
    (folder / "items.txt").write_text("0 5 9\n0 5\n1 5 9 13\n0 5 9\n" * 5)
    for name, shard in (("one.spk", 1), ("two.spk", 2)):
        (folder / name).write_bytes(shard_bytes(shard))
    live.make_inputs(folder)
    subprocess.run(["gzip", "-kn", "rec.txt"], cwd=folder, check=True)


def shard_bytes(shard):
    """Shard 1 or 2 of 2 of the maxima of four surrogates."""
    text = "# spikemine maxima 1\n# version: 0\n# spectrum: 2d\n# surrogates: 4\n"
    text += f"# shard: {shard}/2\n# done: 2\nsurrogate\tsize\tduration\tcount\n"
    text += f"{shard}\t2\t0\t9\n{shard}\t3\t0\t4\n{shard + 2}\t0\t0\t0\n"
    return f"{text}# sha256: {hashlib.sha256(text.encode()).hexdigest()}\n".encode()


def same_each_time(data):
    """Without what differs from run to run."""
    data = re.sub(rb'("(seconds|date|host|latency|lag)[a-z_]*": ?)[^,}\n]*', rb"\1-", data)
    # A machine on which strace stops each call may be slow, which explore tells.
    data = re.sub(rb'"?a part of the work that this time stands for[^\n]*\n\s*', b"", data, flags=re.I)
    data = re.sub(rb"(suggestion_seconds\t)[^\n]*", rb"\1-", data)
    return re.sub(rb"(#\s*(seconds|date)[^\n]*)", b"-", data)


def listing(folder):
    return {
        str(p.relative_to(folder)): same_each_time(p.read_bytes())
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def is_whole(content):
    """Whether a file of maxima ends with the checksum of the rest."""
    rest, mark, digest = content.rpartition(b"# sha256: ")
    return mark != b"" and digest.strip().decode() == hashlib.sha256(rest).hexdigest()


class Job:
    """One command line with its right results."""

    def __init__(self, name, words, command, shim, inputs, peer=live.nobody, exact=True):
        self.name, self.words, self.command, self.shim = name, words.split(), command, shim
        self.peer, self.exact = peer, exact
        self.inputs = inputs
        self.seconds = 0.0  # of its longest run so far
        self.checkpoint = self.words[self.words.index("--checkpoint") + 1] if "--checkpoint" in self.words else None
        # What libc allocates for fontconfig or ZeroMQ cannot be told from what it does for us.
        libc = "--figure" in self.words or name in live.ALLOCATIONS_ONLY
        self.left_out = f"{NOT_OURS}:{live.NOT_OURS}" + (":libc.so" if libc else "")
        self.right = self.run({})
        code, out, err, files = self.right
        if code != 0:
            sys.exit(f"{name} fails by itself with status {code}: {err.decode()}")
        if exact and self.run({})[1:4:2] != self.right[1:4:2]:
            sys.exit(f"{name} gives other results each time")
        self.out, self.files = out, files

    def run(self, environment, before=()):
        with tempfile.TemporaryDirectory(prefix="spikemine-faults-") as name:
            folder = pathlib.Path(name)
            for path in self.inputs.iterdir():
                shutil.copy(path, folder)
            own = dict(os.environ, FAIL_MALLOC_NOT=self.left_out, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", **environment)
            # Where the system cannot start a thread, OpenMP ends the program: one processor, one thread.
            one_thread = []
            if "--suggest" in self.words and shutil.which("taskset"):
                one_thread = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
            try:
                with self.peer(folder) as (said, stdin):
                    words = " ".join(self.words).format(**said).split() if said else self.words
                    done = subprocess.run(
                        [*one_thread, *before, self.command, *words],
                        cwd=folder,
                        env=own,
                        stdin=stdin,
                        capture_output=True,
                        timeout=LIMIT_S,
                        check=False,
                    )
            except subprocess.TimeoutExpired:
                return None, b"", b"", {}
            files = listing(folder)
            out = same_each_time(done.stdout)
            if self.words[0] in ("live", "watch"):  # occurrences and partitions come side by side
                out = b"".join(sorted(out.splitlines(keepends=True)))
            return done.returncode, out, done.stderr, files

    def verdict(self, result):
        """What is wrong; None when all is well."""
        code, out, err, files = result
        if code is None:
            return f"is not done after {LIMIT_S} s"
        if code == -6 and err == b"Unexpected error.\n":
            return None  # how glibc ends a program by itself
        if code == -6 and self.name in live.ALLOCATIONS_ONLY and (not err or live.ZMQ_ABORTS.search(err)):
            return None
        if code < 0 or code >= 128:
            return f"ends by signal {-code if code < 0 else code - 128}: {err.decode(errors='replace')[-300:]}"
        for name in files:
            if name not in self.files:
                if name.endswith((".incomplete", ".part")) and code != 0:
                    continue  # what a run that failed keeps
                return f"leaves {name} behind (status {code})"
            if name == self.checkpoint and code != 0 and is_whole(files[name]):
                continue  # what was done until then
            if self.name in live.JOBS and code != 0 and live.is_begun(name, files[name], self.files[name]):
                continue
            if self.exact and files[name] != self.files[name]:
                return f"leaves a wrong {name} (status {code}): {err.decode(errors='replace')[-200:]}"
        if code == 0 and self.words[0] == "live" and live.is_told(out, self.out):
            return None
        if code == 0 and self.exact and (out != self.out or files.keys() != self.files.keys()):
            return "gives a wrong or incomplete result with exit status 0"
        if code != 0 and not err.strip():
            return f"ends with status {code} and no word"
        return None

    # ---- what can fail -----------------------------------------------------------------------

    def allocations(self):
        with tempfile.NamedTemporaryFile() as file:
            self.run({"LD_PRELOAD": self.shim, "FAIL_MALLOC_COUNT": file.name})
            n = int(pathlib.Path(file.name).read_text() or 0)
        if n == 0:
            sys.exit(f"{self.shim} has no effect")
        return n

    def calls(self, kind):
        with tempfile.NamedTemporaryFile() as file:
            self.run({}, ["strace", "-qq", "-f", "-o", file.name, "-e", f"trace={CALLS[kind]}"])
            lines = pathlib.Path(file.name).read_text(errors="replace").splitlines()
            return sum("(" in line and "resumed" not in line for line in lines)

    def fail(self, kind, n):
        if kind == "allocation":
            return self.run({"LD_PRELOAD": self.shim, "FAIL_MALLOC_AT": str(n)})
        if kind == "allocations":
            environment = {"FAIL_MALLOC_AT": str(n), "FAIL_MALLOC_ON": "1"}
            return self.run({"LD_PRELOAD": self.shim, **environment})
        inject = f"inject={CALLS[kind]}:error={ERRORS[kind]}:when={n}"
        trace = ["strace", "-qq", "-f", "-o", "/dev/null", "-e", f"trace={CALLS[kind]}"]
        return self.run({}, [*trace, "-e", inject])


def can_trace():
    if shutil.which("strace") is None:
        return False
    trace = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=write", "true"]
    return subprocess.run(trace, capture_output=True, check=False).returncode == 0


def plan(jobs, kinds, loading):
    """(job, kind, n) for all that can fail; `loading` calls of a kind come before the program."""
    for job in jobs:
        for kind in kinds:
            if job.name in live.ALLOCATIONS_ONLY and not kind.startswith("allocation"):
                continue
            if "--figure" in job.words and kind in ("read", "open"):
                continue  # fontconfig's files: without one of them other fonts are drawn
            begin = time.monotonic()
            n = job.allocations() if kind.startswith("allocation") else job.calls(kind)
            job.seconds = max(job.seconds, time.monotonic() - begin)
            for k in range(loading.get(kind, 0) + 1, n + 1):
                yield job, kind, k


def sample(cases, share):
    """The first of each job and kind, and then as many that a share of all is taken."""
    seen, kept = {}, []
    for job, kind, n in cases:
        k = seen.get((job.name, kind), 0)
        seen[job.name, kind] = k + 1
        if int(k * share) != int((k - 1) * share) or k < 2:
            kept.append((job, kind, n))
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("shim")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--job", help="one of them, or such as 'watch-*'")
    parser.add_argument("--kind")
    parser.add_argument("--at", type=int, help="only this failure, and what came of it")
    a = parser.parse_args()
    kinds = ["allocation", "allocations", *CALLS]
    if not can_trace():
        print("strace is not here or may not trace: only allocations fail")
        kinds = kinds[:2]
    kinds = [a.kind] if a.kind else kinds
    with tempfile.TemporaryDirectory(prefix="spikemine-inputs-") as name:
        inputs = pathlib.Path(name)
        make_inputs(inputs)
        command, shim = os.path.abspath(a.command), os.path.abspath(a.shim)
        words = {k: (w,) for k, w in JOBS.items()} | live.JOBS
        wanted = [k for k in words if a.job is None or fnmatch.fnmatchcase(k, a.job)]
        jobs = [Job(k, words[k][0], command, shim, inputs, *words[k][1:]) for k in wanted]
        loader = Job("loader", "--version", command, shim, inputs)
        loading = {k: loader.calls(k) for k in kinds if k in ("open", "read", "close")}
        cases = list(plan(jobs, kinds, loading))
        if a.at:
            cases = [c for c in cases if c[2] == a.at]
        if not cases:
            sys.exit("nothing of that kind can fail there")
        all_cases = len(cases)
        if not a.full and not a.at:
            # Jobs differ in length: half a run is what a failure takes on average.
            whole = sum(job.seconds for job, _, _ in cases) / 2 / (os.cpu_count() or 1)
            cases = sample(cases, min(1.0, a.seconds / whole))
        wrong = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda c: c[0].fail(*c[1:]), cases)
            for (job, kind, n), result in zip(cases, results):
                if a.at:
                    print(result[0], result[2].decode(errors="replace"), sorted(result[3]))
                problem = job.verdict(result)
                if problem is not None:
                    wrong += 1
                    print(f"{job.name}, {kind} {n}: {problem}", flush=True)
                    print(f"    --job {job.name} --kind {kind} --at {n}   # {' '.join(job.words)}")
        print(f"{len(cases)} of {all_cases} failures in {len(jobs)} jobs, {wrong} answered wrongly")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
