"""spikemine-mpi against spikemine: the same bytes for any number of ranks, and ends that leave nothing half done.

    python3 tests/mpi/test_mpi.py SPIKEMINE KIND=PROGRAM ... [TEST ...]      KIND: openmpi or mpich

SPIKEMINE_MPI_KILLS is the number of jobs that are killed at a random moment (2). SPIKEMINE_MPI_RECORDINGS is a folder:
every recording below it goes through every kind of job.
"""

import array
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SONGBIRD = str(ROOT / "data/songbird_spikes.txt")
MACAQUE = str(ROOT / "data/movement_PGHF.spikes.txt")
SEED = int(os.environ.get("SPIKEMINE_TEST_SEED", str(time.time_ns())))
ONE: str = ""
PROGRAMS: dict[str, str] = {}

# As many ranks as a test wants, on any machine, by any user.
ENVIRONMENT = dict(
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
    OMPI_MCA_btl_vader_single_copy_mechanism="none",
    OMP_WAIT_POLICY="passive",
)

JOBS = {
    "episodes": ["episodes", MACAQUE, "-d", "0:5ms", "-d", "5ms:10ms", "-s", "60"],
    "two passes": ["episodes", SONGBIRD, "--sort", "-d", "2ms:8ms", "-s", "0.5%", "--two-pass", "on"],
    "fsm": ["episodes", MACAQUE, "-d", "0:5ms", "-s", "120", "--engine", "fsm"],
    "by time": ["episodes", MACAQUE, "-d", "0:5ms", "-d", "5ms:10ms", "-s", "60", "--divide", "time"],
    "exact episodes": ["episodes", MACAQUE, "-d", "0:5ms", "-s", "100", "--max-size", "3", "--test", "exact",
                       "--null", "interval-jitter", "--surrogates", "19", "--seed", "3", "--alpha", "0.5",
                       "--threads", "1"],
    "patterns": ["patterns", MACAQUE, "--bin", "5ms", "--window", "3", "--min-spikes", "2", "--support", "10"],
    "signatures": ["patterns", MACAQUE, "--bin", "5ms", "--window", "4", "--min-spikes", "3", "--support", "5",
                   "--test", "signatures", "--surrogates", "20", "--alpha", "0.5", "--threads", "1"],
}


def launch(kind: str, n: int) -> list[str]:
    return [f"mpirun.{kind}", "-n", str(n), PROGRAMS[kind]]


def run(words: list[str], **more) -> subprocess.CompletedProcess:
    return subprocess.run(words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, **more)


def write_text(path: Path, n_events: int) -> None:
    """Units 0 to 6 in random order with chains 0 -> 1 -> 2; some events share their time."""
    dice = random.Random(SEED)
    ticks, lines = 0, ["time_s\tunit"]
    for _ in range(n_events // 3):
        ticks += dice.choice((0, 1, 3, 8))
        unit = dice.randrange(7)
        for k in range(3 if unit == 0 else dice.randrange(1, 4)):
            lines.append(f"{ticks / 1000:.3f}\t{k if unit == 0 else dice.randrange(7)}")
            ticks += 10 if unit == 0 else dice.choice((0, 1))
    path.write_text("\n".join(lines) + "\n")


def write_array(path: Path, kind: str, values: list[int]) -> None:
    head = f"{{'descr': '<i{array.array(kind).itemsize}', 'fortran_order': False, 'shape': ({len(values)},), }}\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
                     + array.array(kind, values).tobytes())


def write_sorting(folder: Path, n_events: int) -> None:
    """The recording of write_text as a folder of phy, whose cluster 6 is noise."""
    text = folder / "rec.txt"
    write_text(text, n_events)
    events = [line.split("\t") for line in text.read_text().splitlines()[1:]]
    write_array(folder / "spike_times.npy", "q", [round(1000 * float(time)) for time, _ in events])
    write_array(folder / "spike_clusters.npy", "i", [int(unit) for _, unit in events])
    (folder / "params.py").write_text("sample_rate = 1000.\n")
    (folder / "cluster_group.tsv").write_text("cluster_id\tgroup\n6\tnoise\n1\tgood\n")


class Progress(unittest.TestCase):
    def test_rank_0_answers_while_it_computes(self) -> None:
        for kind, program in PROGRAMS.items():
            # Without memory that both share, as between machines; Open MPI reads its own variable only.
            for more in ({}, {"OMPI_MCA_osc": "pt2pt"} if kind == "openmpi" else {"MPIR_CVAR_NOLOCAL": "1"}):
                test = str(Path(program).with_name(f"test-pump.{kind}"))
                done = subprocess.run([f"mpirun.{kind}", "-n", "3", test], check=False, capture_output=True,
                                      env=dict(ENVIRONMENT, **more), timeout=60)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class SameBytes(unittest.TestCase):
    def test_every_job(self) -> None:
        for name, words in JOBS.items():
            expected = run([ONE, *words])
            self.assertEqual(expected.returncode, 0, expected.stderr)
            self.assertGreater(expected.stdout.count(b"\n"), 3, name)
            for kind in PROGRAMS:
                for n in (2, 4) if kind == "openmpi" else (1, 3):
                    with self.subTest(job=name, kind=kind, ranks=n):
                        got = run([*launch(kind, n), *words])
                        self.assertEqual(got.returncode, 0, got.stderr)
                        self.assertEqual(got.stdout, expected.stdout)

    def test_parts_of_a_text(self) -> None:
        """Ranks that read their own bytes, for any number of them."""
        with tempfile.TemporaryDirectory() as folder:
            rec = Path(folder, "rec.txt")
            write_text(rec, 60000)
            words = ["episodes", str(rec), "-d", "0:20ms", "-d", "20ms:50ms", "-s", "0.5%", "--max-size", "4"]
            given = Path(folder, "list.txt")
            given.write_text("0 (5ms,15ms] 1 (5ms,15ms] 2\n1\n9 (0,1s] 3\n2 (0,1s] 3\n")
            self.compare([words, ["count", str(rec), "-e", str(given)]], {})

    def test_parts_of_arrays(self) -> None:
        """Ranks that keep their stretch of a sorting, with a cluster of noise, and of a pair of arrays."""
        with tempfile.TemporaryDirectory() as folder:
            phy = Path(folder, "phy")
            phy.mkdir()
            write_sorting(phy, 60000)
            words = ["-d", "0:20ms", "-d", "20ms:50ms", "-s", "0.5%", "--max-size", "4"]
            pair = [str(phy / "spike_times.npy"), "--unit-file", str(phy / "spike_clusters.npy"),
                    "--time-unit", "samples@1000"]
            given = Path(folder, "list.txt")
            given.write_text("0 (5ms,15ms] 1 (5ms,15ms] 2\n1\n9 (0,1s] 3\n2 (0,1s] 3\n")
            self.compare([["episodes", str(phy), *words], ["count", str(phy), "-e", str(given)],
                          ["episodes", *pair, *words]], {"openmpi": (2,), "mpich": (3,)})

    def compare(self, jobs: list[list[str]], numbers: dict[str, tuple[int, ...]]) -> None:
        for words in jobs:
            expected = run([ONE, *words])
            self.assertGreater(expected.stdout.count(b"\n"), 4, expected.stderr)
            for kind in PROGRAMS:
                for n in numbers.get(kind, (1, 2, 3, 4, 7, 8)):
                    with self.subTest(job=words[0], kind=kind, ranks=n):
                        got = run([*launch(kind, n), *words, "--divide", "time"])
                        self.assertEqual(got.returncode, 0, got.stderr)
                        self.assertEqual(got.stdout, expected.stdout)

    def test_unordered(self) -> None:
        """The lines of one process in any order; more of them than a rank keeps."""
        words = ["patterns", MACAQUE, "--bin", "5ms", "--window", "20", "--min-spikes", "4", "--min-neurons", "4",
                 "--support", "15", "--moving-window-filter", "off", "--output"]
        with tempfile.TemporaryDirectory() as folder:
            one, many = Path(folder, "one.tsv"), Path(folder, "many.tsv")
            self.assertEqual(run([ONE, *words, str(one)]).returncode, 0)
            expected = sorted(one.read_bytes().splitlines())
            self.assertGreater(one.stat().st_size, 60e6)
            for kind in PROGRAMS:
                with self.subTest(kind=kind):
                    got = run([*launch(kind, 3), *words, str(many), "--unordered", "--force"])
                    self.assertEqual(got.returncode, 0, got.stderr)
                    self.assertTrue(sorted(many.read_bytes().splitlines()) == expected)

    def test_files(self) -> None:
        words = ["episodes", MACAQUE, "-d", "0:5ms", "-s", "100", "--max-size", "3"]
        for kind in PROGRAMS:
            with tempfile.TemporaryDirectory() as folder:
                one, many = Path(folder, "one.json"), Path(folder, "many.json")
                html = Path(folder, "page.html")
                self.assertEqual(run([ONE, *words, "--format", "json", "--output", str(one)]).returncode, 0)
                got = run([*launch(kind, 3), *words, "--format", "json", "--output", str(many), "--html", str(html)])
                self.assertEqual(got.returncode, 0, got.stderr)
                self.assertEqual(sorted(p.name for p in Path(folder).iterdir()), ["many.json", "one.json", "page.html"])
                # The command line stands in the file, and names the other file.
                a, b = one.read_text().splitlines(), many.read_text().splitlines()
                different = [x for x, y in zip(a, b) if x != y]
                self.assertLessEqual(len(different), 12, different)
                self.assertIn("</html>", html.read_text()[-20:])


class Failures(unittest.TestCase):
    def check(self, got: subprocess.CompletedProcess, text: str) -> None:
        errors = got.stderr.decode()
        self.assertNotEqual(got.returncode, 0)
        self.assertEqual(errors.count(text), 1, errors)
        self.assertEqual(got.stdout, b"")

    def test_all_ranks_fail_and_one_tells(self) -> None:
        for kind in PROGRAMS:
            with self.subTest(kind=kind):
                self.check(run([*launch(kind, 3), "episodes", "nothing.txt", "-d", "0:5ms", "-s", "9"]),
                           "nothing.txt: cannot open")
                self.check(run([*launch(kind, 3), "episodes", MACAQUE, "--wrong"]), "unknown option --wrong")
                self.check(run([*launch(kind, 2), "episodes", "-", "-d", "0:5ms", "-s", "9"]),
                           "ranks cannot go with standard input")

    def test_bad_lines_in_any_part(self) -> None:
        """The error of one process, with the number of its line, once."""
        bad = {"x\tu1": "is not a time", "1\tu1": "after", "5000\tu1\tu2\tu3": "4 columns", "nan\tu1": "is no number"}
        with tempfile.TemporaryDirectory() as folder:
            rec = Path(folder, "rec.txt")
            words = ["episodes", str(rec), "-d", "0:20ms", "-s", "0.5%"]
            for line, text in bad.items():
                write_text(rec, 60000)
                lines = rec.read_text().splitlines()
                for at in (20000, 45000):
                    lines.insert(at, line)
                rec.write_text("\n".join(lines) + "\n")
                expected = run([ONE, *words])
                self.assertNotEqual(expected.returncode, 0)
                error = expected.stderr.decode().strip()
                self.assertIn(text, error)
                self.assertIn(":20001:", error)
                for kind in PROGRAMS:
                    for n in (2, 8):
                        with self.subTest(kind=kind, ranks=n, line=line):
                            got = run([*launch(kind, n), *words, "--divide", "time"])
                            self.check(got, error)
                            self.assertEqual(got.stderr.decode().count(text), 1)

    def test_what_time_cannot_divide(self) -> None:
        words = ["episodes", MACAQUE, "-d", "0:5ms", "-s", "100", "--divide", "time"]
        for kind in PROGRAMS:
            with self.subTest(kind=kind):
                self.check(run([*launch(kind, 2), *words, "--test", "exact"]), "--divide time cannot go with --test exact")
                self.check(run([*launch(kind, 2), *words, "--engine", "fsm"]), "engine 'fsm' cannot count in a stretch")

    def test_other_words_and_other_files(self) -> None:
        for kind in PROGRAMS:
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                program = PROGRAMS[kind]
                words = ["episodes", MACAQUE, "-d", "0:5ms", "-s"]
                got = run([*launch(kind, 1), *words, "100", ":", "-n", "1", program, *words, "101"])
                self.check(got, "rank 1 has another command line than rank 0")
                for name in ("a", "b"):
                    Path(folder, name).mkdir()
                    Path(folder, name, "rec.txt").write_text(f"1 2\n3 {name}\n4 2\n")
                words = ["episodes", "rec.txt", "-d", "0:5s", "-s", "1"]
                got = run([f"mpirun.{kind}", "-n", "1", "-wdir", f"{folder}/a", program, *words,
                           ":", "-n", "1", "-wdir", f"{folder}/b", program, *words])
                self.check(got, "rank 1 has another recording than rank 0")

    def test_a_file_that_one_rank_does_not_see(self) -> None:
        """As where machines share no file system."""
        for kind in PROGRAMS:
            for more in ([], ["--divide", "time"]):
                with self.subTest(kind=kind, more=more), tempfile.TemporaryDirectory() as folder:
                    for name in ("a", "b"):
                        Path(folder, name).mkdir()
                    write_text(Path(folder, "a", "rec.txt"), 3000)
                    words = [PROGRAMS[kind], "episodes", "rec.txt", "-d", "0:20ms", "-s", "1%",
                             "-o", f"{folder}/out", *more]
                    got = run([f"mpirun.{kind}", "-n", "2", "-wdir", f"{folder}/a", *words,
                               ":", "-n", "1", "-wdir", f"{folder}/b", *words])
                    self.check(got, "rec.txt: cannot open")
                    self.assertIn("rank 2 on ", got.stderr.decode())
                    self.assertEqual(sorted(p.name for p in Path(folder).iterdir()), ["a", "b"])

    def test_one_rank_without_memory(self) -> None:
        for kind in PROGRAMS:
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                program = PROGRAMS[kind]
                small = Path(folder, "small.sh")
                small.write_text(f'#!/bin/sh\nulimit -d 60000\nexec "{program}" "$@"\n')
                small.chmod(0o755)
                out = Path(folder, "out.tsv")
                words = ["patterns", MACAQUE, "--bin", "5ms", "--window", "20", "--min-spikes", "2",
                         "--support", "3", "--output", str(out)]
                got = run([*launch(kind, 1), *words, ":", "-n", "1", str(small), *words])
                self.assertNotEqual(got.returncode, 0)
                self.assertIn("rank 1 on ", got.stderr.decode())
                self.assertRegex(got.stderr.decode(), "cannot allocate|over the memory limit")
                self.assertFalse(out.exists())


# Recordings below a folder: options of reading, of episodes, and bin, window, spikes and occurrences of patterns.
RECORDINGS = {
    "songbird/songbird_spikes.txt": ("--sort", "-d 0:200ms -s 20", "5ms 20 4 8"),
    "reach_to_grasp/movement_PGHF.spikes.txt": ("", "-d 0:5ms -d 5ms:10ms -s 60", "5ms 20 2 88"),
    "reach_to_grasp/movement_PGHF.txt": ("--input-format transactions", "", "20 2 88"),
    "reach_to_grasp/test_short.spikes.txt": ("", "-d 0:5ms -d 5ms:10ms -s 20", "5ms 20 3 15"),
    "reach_to_grasp/test_short.txt": ("--input-format transactions", "", "20 3 15"),
    "wagenaar/2-1-20.spk.txt": ("", "-d 0:5ms -d 5ms:10ms -s 500", "5ms 4 2 500"),
    "wagenaar/2-1-10.spk.txt": ("", "-d 0:5ms -d 5ms:10ms -s 300", "5ms 4 2 250"),
    "wagenaar/8-1-31.spk.txt": ("", "-d 0:5ms -d 5ms:10ms -s 15", "5ms 6 2 6"),
    "phy": ("--time-unit samples@30000", "-d 0:2ms -s 3000", "2ms 2 2 1500"),
    "nwb/A8604-211122.nwb": ("", "-d 0:5ms -d 5ms:10ms -s 50", "5ms 6 2 100"),
    "tdm/sim-64-size20.csv": ("", "-d 0:10ms -s 1000", "2ms 4 2 600"),
    "tdm/tdminer_sample_stream.csv": ("", "-d 0:10ms -s 300", "2ms 4 2 200"),
}


@unittest.skipUnless(os.environ.get("SPIKEMINE_MPI_RECORDINGS"), "a long test; SPIKEMINE_MPI_RECORDINGS=FOLDER runs it")
class Recordings(unittest.TestCase):
    def jobs(self, path: str, reading: str, of_episodes: str, of_patterns: str) -> list[list[str]]:
        episodes = ["episodes", path, *reading.split(), *of_episodes.split()]
        patterns = ["patterns", path, *reading.split()]
        flags = ["--support", "--min-spikes", "--window", "--bin"]
        for flag, value in zip(flags, reversed(of_patterns.split())):
            patterns += [flag, value]
        test = ["--surrogates", "7", "--threads", "1", "--alpha", "0.5", "--seed", "3"]
        jobs = [patterns]
        if of_episodes:
            jobs += [[*episodes, "--max-size", "5"],
                     [*episodes, "--max-size", "3", "--test", "exact", "--jitter", "50ms", *test],
                     [*patterns, "--test", "exact", "--jitter", "50ms", *test],
                     [*patterns, "--test", "signatures", "--dither", "20ms", *test],
                     [*episodes, "--max-size", "5", "--divide", "time"]]
        return jobs

    def test_every_job_on_every_recording(self) -> None:
        for name, options in RECORDINGS.items():
            for words in self.jobs(str(Path(os.environ["SPIKEMINE_MPI_RECORDINGS"], name)), *options):
                expected = run([ONE, *[x for x in words if x not in ("--divide", "time")]])
                self.assertEqual(expected.returncode, 0, (words, expected.stderr))
                for kind in PROGRAMS:
                    for n in (1, 2, 3, 4, 7, 8):
                        with self.subTest(words=words, kind=kind, ranks=n):
                            got = run([*launch(kind, n), *words])
                            self.assertEqual(got.returncode, 0, got.stderr)
                            self.assertEqual(got.stdout, expected.stdout)


class Kills(unittest.TestCase):
    """A rank that is killed at any moment leaves no file under the final name; the job goes on from its checkpoint."""

    def test_kill_and_resume(self) -> None:
        words = ["patterns", MACAQUE, "--bin", "5ms", "--window", "3", "--min-spikes", "3", "--support", "6",
                 "--test", "signatures", "--surrogates", "100", "--threads", "1"]
        expected = run([ONE, *words])
        self.assertEqual(expected.returncode, 0, expected.stderr)
        dice = random.Random(SEED)
        cut_off = 0
        for k in range(int(os.environ.get("SPIKEMINE_MPI_KILLS", "2"))):
            kind = dice.choice(list(PROGRAMS))
            with self.subTest(kind=kind, case=k, seed=SEED), tempfile.TemporaryDirectory() as folder:
                out, checkpoint = Path(folder, "out.tsv"), Path(folder, "check.spk")
                job = [*words, "--output", str(out), "--checkpoint", str(checkpoint)]
                cut_off += self.kill_one([*launch(kind, dice.randint(2, 4)), *job], dice, out)
                got = run([*launch(kind, dice.randint(1, 4)), *job, "--force"])
                self.assertEqual(got.returncode, 0, got.stderr)
                self.assertEqual(out.read_bytes(), expected.stdout)
                self.assertEqual([p.name for p in Path(folder).glob("*.rank-*")], [])
        self.assertGreater(cut_off, 0)

    def kill_one(self, words: list[str], dice: random.Random, out: Path) -> bool:
        job = subprocess.Popen(words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(dice.uniform(0.1, 0.8))
        ranks = self.ranks_of(job.pid)
        if ranks:
            os.kill(dice.choice(ranks), signal.SIGKILL)
        code = job.wait(timeout=60)
        if code == 0:
            return False
        self.assertFalse(out.exists(), "a job that was killed left its file")
        return True

    def ranks_of(self, launcher: int) -> list[int]:
        """The processes of our program below the launcher."""
        parents = {}
        names = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                name, rest = stat.read_text().rsplit(")", 1)
            except OSError:
                continue
            pid = int(stat.parent.name)
            parents[pid] = int(rest.split()[1])
            names[pid] = name.split("(", 1)[1]
        found = []
        for pid, name in names.items():
            up = pid
            while up in parents and up != launcher:
                up = parents[up]
            if up == launcher and name.startswith("spikemine-mpi"):
                found.append(pid)
        return found


if __name__ == "__main__":
    ONE = sys.argv[1]
    PROGRAMS = {k: str(Path(p).resolve()) for k, p in (w.split("=", 1) for w in sys.argv[2:] if "=" in w)}
    print(f"seed {SEED}, repeat with SPIKEMINE_TEST_SEED={SEED}", flush=True)
    unittest.main(argv=[sys.argv[0], *(w for w in sys.argv[2:] if "=" not in w)], verbosity=2)
