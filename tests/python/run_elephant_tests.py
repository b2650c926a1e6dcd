#!/usr/bin/env python3
"""Runs Elephant's own tests against spikemine.elephant:

    tests/python/run_elephant_tests.py [FOLDER]

Its source distribution is fetched from PyPI (or is in FOLDER already, as elephant-1.2.1.tar.gz), its two test files
are unpacked beside it, and they run with spikemine.elephant.patch(). Elephant itself, neo, quantities, pytest and
statsmodels must be installed. Exit status 0: all pass but those below; 77: PyPI cannot be reached.
"""

import pathlib
import subprocess
import sys
import tarfile
import tempfile

VERSION = "1.2.1"
FILES = ("test_spade.py", "test_spike_train_surrogates.py")
# It compares eight spike times with those that one sequence of Python's random numbers gives. Ours are drawn from
# the same distribution by another generator.
CANNOT = {"test_joint_isi_dithering_output"}


class Results:
    """A plugin of pytest that counts."""

    def __init__(self):
        self.names = {"passed": [], "failed": [], "skipped": []}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.names[report.outcome].append(report.nodeid.split("::")[-1])


def fetch(folder):
    """The source distribution."""
    archive = folder / f"elephant-{VERSION}.tar.gz"
    if not archive.exists():
        command = [sys.executable, "-m", "pip", "download", f"elephant=={VERSION}", "--no-binary", "elephant",
                   "--no-deps", "--quiet", "--dest", str(folder)]
        if subprocess.run(command, check=False).returncode != 0 or not archive.exists():
            print("Elephant's source distribution cannot be fetched", file=sys.stderr)
            sys.exit(77)
    return archive


def unpack(archive, folder):
    with tarfile.open(archive) as tar:
        for name in FILES:
            with tar.extractfile(f"elephant-{VERSION}/elephant/test/{name}") as source:
                (folder / name).write_bytes(source.read())
    return [str(folder / name) for name in FILES]


def main():
    import pytest

    import spikemine.elephant

    with tempfile.TemporaryDirectory() as own:
        folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else own)
        files = unpack(fetch(folder), pathlib.Path(own))
        spikemine.elephant.patch()
        results = Results()
        pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", own, "-W", "ignore", *files], plugins=[results])
    names = results.names
    print(", ".join(f"{len(set(found))} {outcome}" for outcome, found in names.items()))
    failed = set(names["failed"])
    bad = sorted(failed ^ CANNOT) + names["skipped"]
    if bad or not names["passed"]:
        print("not as expected:", *bad)
        sys.exit(1)
    print("that cannot pass:", *sorted(CANNOT))


if __name__ == "__main__":
    main()
