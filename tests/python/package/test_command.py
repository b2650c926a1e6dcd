"""The command that pip installs beside the package."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import spikemine as sm

from conftest import DATA

SCRIPT = pathlib.Path(sys.executable).parent / "spikemine"


@pytest.fixture(scope="module")
def script():
    if importlib.util.find_spec("spikemine_command") is None:
        pytest.skip("the package is not an installed one")
    return str(SCRIPT)


def run(*words, **keywords):
    return subprocess.run(words, capture_output=True, text=True, **keywords)


def test_it_is_of_the_same_version(script):
    assert run(script, "--version").stdout == f"spikemine {sm.__version__}\n"


def test_it_is_the_program_itself(script, tmp_path):
    """Results, messages and the exit status are those of the command, in any folder."""
    episode = "2 (0,200ms] 6"
    song = str(DATA / "songbird_spikes.txt")
    (tmp_path / "list.txt").write_text(episode + "\n")
    found = run(script, "count", "-q", song, "--sort", "--episodes", "list.txt", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    counted = sm.count(sm.read(song, sort=True), [episode])
    assert found.stdout.splitlines()[-1].split("\t")[1] == str(int(counted.count[0]))
    wrong = run(script, "count", song, "--no-such-option")
    assert wrong.returncode == 2 and "--no-such-option" in wrong.stderr


def test_manual_and_completion_are_where_shells_look(script):
    share = SCRIPT.parent.parent / "share"
    assert (share / "man/man1/spikemine.1").is_file()
    assert (share / "bash-completion/completions/spikemine").is_file()


def test_a_package_without_its_command_says_so(script, tmp_path):
    """As where somebody copied the modules only."""
    (tmp_path / "spikemine").mkdir()
    (tmp_path / "spikemine/__init__.py").touch()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    alone = run(sys.executable, "-c", "import spikemine_command; spikemine_command.main()", env=environment)
    assert alone.returncode == 1 and "holds no command" in alone.stderr


def test_it_is_called_as_it_was_typed(script):
    """A script is given its whole path; the commands that it prints begin as the user began."""
    ask = f"import sys, spikemine_command as c; sys.argv = [{script!r}]; print(c._name())"
    for path, name in ((str(SCRIPT.parent), "spikemine"), ("/nowhere", script)):
        told = run(sys.executable, "-c", ask, env={**os.environ, "PATH": path})
        assert told.stdout == name + "\n", told.stderr
