"""tools/check-pages.py: pages that keep all rules have no fault; each fault is found, alone and by name."""

import importlib.util
import pathlib
import stat
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check-pages.py"

COMMAND = """#!/bin/sh
case "$1 $2" in
"episodes --help") echo '  -s, --support N   the support' ;;
"help --man") echo '.B \\-\\-gpus' ;;
*) exit 2 ;;
esac
"""


class Pages(unittest.TestCase):
    def setUp(self):
        spec = importlib.util.spec_from_file_location("check_pages", TOOL)
        sys.path.insert(0, str(TOOL.parent))
        self.addCleanup(sys.path.remove, str(TOOL.parent))
        self.tool = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.tool)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.tool.ROOT = self.root
        (self.root / "docs").mkdir()
        self.command = self.root / "spikemine"
        self.command.write_text(COMMAND)
        self.command.chmod(self.command.stat().st_mode | stat.S_IXUSR)

    def page(self, text, name="docs/README.md"):
        path = self.root / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
        return path

    def faults(self):
        found, self.tool.failures[:] = list(self.tool.failures), []
        return found

    def check_one(self, expected):
        found = self.faults()
        self.assertEqual(len(found), 1 if expected else 0, found)
        if expected:
            self.assertIn(expected, found[0])

    def test_width(self):
        path = self.page("")
        self.tool.check_width(path, ["x" * 120])
        self.check_one(None)
        self.tool.check_width(path, ["", "x" * 121])
        self.check_one("docs/README.md:2: 121 characters")
        self.tool.check_width(path, ["```console", "$ true", "x" * 200, "```"])
        self.check_one(None)

    def test_commands_run(self):
        commands = self.tool.page_commands
        page = self.page("    spikemine info rec.txt\n    awk 1\n\n```sh\nX=1 spikemine episodes rec.txt \\\n"
                         "    -s 9\n```\n\n```console\n$ spikemine no\n```\n\n    mpirun -n 4 spikemine-mpi no\n")
        found = list(commands.commands_of(page.read_text()))
        self.assertEqual([number for number, _ in found], [1, 5, 13])
        self.assertEqual(found[1][1].split(), "X=1 spikemine episodes rec.txt -s 9".split())
        self.assertEqual([bool(commands.why_not(text)) for _, text in found], [False, False, True])
        shards = list(commands.forms_of("spikemine patterns rec.txt --surrogates 5000 --shard 1/2 -o a1.spk"))
        self.assertEqual(shards, [f"spikemine patterns rec.txt --surrogates 19 --shard {k}/2 -o a{k}.spk" for k in (1, 2)])
        commands.make_files = lambda folder, *_: None
        self.page("", "data/none.txt")
        counts = commands.check([page], self.root, self.command, lambda *fault: self.tool.fail(*fault))
        self.assertEqual((counts["run"], sum(counts.values())), (2, 3))
        found = self.faults()
        self.assertEqual(len(found), 2)
        self.assertIn("docs/README.md:1: 'spikemine info rec.txt' ends with 2", found[0])

    def test_environment(self):
        head = "# Command\n\n## Environment\n\n| variable | effect |\n|---|---|\n"
        self.page(head + "| `A_FILE`, `B` | files |\n\nText.\n", "docs/reference/command.md")
        source = self.page('x = getenv("A_FILE"); y = getenv("B");', "src/one.c")
        self.tool.check_environment()
        self.check_one(None)
        source.write_text('x = getenv("A_FILE");')
        self.tool.check_environment()
        self.check_one("B is read nowhere")
        source.write_text('x = getenv("A_FILE"); y = getenv("B"); z = getenv("NEW");')
        self.tool.check_environment()
        self.check_one("NEW is read, but not in the table")

    def test_links(self):
        other = self.page("# One heading: here\n", "docs/other.md")
        path = self.page("[a](other.md) [b](other.md#one-heading-here) [c](https://example.org) `[d](no.md)`\n")
        reached = {}
        self.tool.check_links(path, path.read_text(), reached)
        self.check_one(None)
        self.assertEqual(reached[path], {other})
        self.tool.check_links(path, "[a](gone.md)", {})
        self.check_one("gone.md leads nowhere")
        self.tool.check_links(path, "[a](other.md#gone)", {})
        self.check_one("heading that is not there")

    def test_reach(self):
        start, near = self.page("[a](near.md)"), self.page("[b](far.md)", "docs/near.md")
        far, lost = self.page("", "docs/far.md"), self.page("", "docs/lost.md")
        self.tool.pages = lambda: [start, near, far, lost]
        self.tool.check_reach({start: {near}, near: {far}})
        self.check_one("docs/lost.md: no link leads here")

    def test_words_and_results(self):
        self.tool.check_words("page", "Keep the frequent ones.")
        self.check_one(None)
        self.tool.check_words("page", "fine\nKeep those that are frequent.")
        self.check_one("page:2: worn-out phrase")
        path = self.page("", "docs/explanation/a.md")
        self.tool.check_explanation(path, "Measured on an H200.")
        self.check_one("'H200' is a result")
        self.tool.check_explanation(self.page("", "bench/results/a.md"), "Measured on an H200.")
        self.check_one(None)

    def test_commands(self):
        def check(line):
            self.tool.check_commands(self.page(""), ["```", line, "```"], str(self.command), "")

        check("spikemine episodes a.txt --support 3 --gpus all | head   # --comment")
        self.check_one(None)
        check("spikemine episodes a.txt --suport 3")
        self.check_one("'spikemine episodes' has no option --suport")
        check("spikemine epsodes a.txt")
        self.check_one("there is no command 'spikemine epsodes'")

    def test_sessions(self):
        (self.root / "data").mkdir()
        (self.root / "examples").mkdir()
        page = "```console\n$ echo one\none\n$ echo took 0.25 s\ntook 0.11 s\n```\n"
        tutorial = self.page(page, "docs/tutorial.md")
        self.tool.check_sessions(tutorial, str(self.command), False)
        self.check_one(None)
        tutorial.write_text(page.replace("\none", "\ntwo"))
        self.tool.check_sessions(tutorial, str(self.command), False)
        self.check_one("a session prints something else")
        self.tool.check_sessions(tutorial, str(self.command), True)
        self.assertIn("\none\n", tutorial.read_text())
        tutorial.write_text("```console\n$ false\n```\n")
        self.tool.check_sessions(tutorial, str(self.command), False)
        self.check_one("'false' ends with 1")


if __name__ == "__main__":
    unittest.main()
