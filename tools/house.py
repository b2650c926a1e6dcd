#!/usr/bin/env python3
"""Measures the house: how much code there is, in how many pieces, and how much of it is explained.
  tools/house.py [FOLDER ...]     default: src include cli python
A line each folder with sources: lines of code, comments and all, files, small files, compile units. Then the sums."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".c", ".h", ".cu", ".cuh", ".py", ".js", ".css", ".html"}
C_SUFFIXES = {".c", ".h", ".cu", ".cuh"}
SMALL_HEADER, SMALL_SOURCE, LONG_FUNCTION = 40, 60, 20
KERNELS = ("src/pattern/engine/bitmap", "src/pattern/engine/cuda", "src/pattern/engine/fpgrowth", "src/episode/engine", "src/cuda",
           "src/significance/exact", "src/significance/surrogates", "src/sequence")


def comment_marks(lines):
    """For each line of C: whether it is a comment or ends in one."""
    marks, inside = [], False
    for line in lines:
        text = re.sub(r'"(\\.|[^"\\])*"', '""', line)
        marks.append(inside or "//" in text or "/*" in text)
        if inside:
            inside = "*/" not in text
        elif "/*" in text:
            inside = "*/" not in text.split("/*")[-1]
    return marks


def functions(lines):
    """(first line, last line) of the body of each function: only its brace stands alone and unindented."""
    start = None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        elif start is not None and line == "}":
            yield start, number
            start = None


class Count:
    """Sums over files of one folder, or of all."""

    def __init__(self):
        self.lines = self.files = self.comments = self.c_lines = self.headers = self.small_headers = 0
        self.sources = self.small_sources = self.units = self.long = self.explained = 0
        self.function_lines = []

    def add(self, path, lines):
        self.lines += len(lines)
        self.files += 1
        if path.suffix not in C_SUFFIXES:
            return
        marks = comment_marks(lines)
        self.c_lines += len(lines)
        self.comments += sum(marks)
        self.units += path.suffix in (".c", ".cu")
        if path.suffix in (".h", ".cuh"):
            self.headers += 1
            self.small_headers += len(lines) <= SMALL_HEADER
        else:
            self.sources += 1
            self.small_sources += len(lines) <= SMALL_SOURCE
        for first, last in functions(lines):
            length = last - first + 1
            self.function_lines.append(length)
            if length >= LONG_FUNCTION:
                self.long += 1
                self.explained += any(marks[first + 1:last])

    def row(self, name):
        share = 100 * self.comments / self.c_lines if self.c_lines else 0
        return (f"{name:38}{self.lines:8}{self.files:6}{self.small_headers:5}/{self.headers:<4}{self.small_sources:4}/"
                f"{self.sources:<4}{self.units:5}{share:9.1f}{self.explained:6}/{self.long:<4}")


def main():
    named = sys.argv[1:] or ["src", "include", "cli", "python"]
    folders, all_of_it, kernels = {}, Count(), Count()
    for path in sorted(p for name in named for p in (ROOT / name).rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        folder = str(path.parent.relative_to(ROOT))
        lines = path.read_text(encoding="utf-8").splitlines()
        for count in (folders.setdefault(folder, Count()), all_of_it):
            count.add(path, lines)
        if folder.startswith(KERNELS):
            kernels.add(path, lines)
    print(f"{'folder':38}{'lines':>8}{'files':>6}{'small .h':>10}{'small .c':>9}{'units':>5}"
          f"{'comments%':>10}{'explained':>11}")
    for folder, count in folders.items():
        print(count.row(folder))
    print(kernels.row("kernels"))
    print(all_of_it.row("all"))
    lengths = sorted(all_of_it.function_lines)
    print(f"small: headers of {SMALL_HEADER} lines or fewer, sources of {SMALL_SOURCE} or fewer. explained: functions "
          f"of {LONG_FUNCTION} lines\nand more with a comment inside. Functions: {len(lengths)}, median "
          f"{lengths[len(lengths) // 2]} lines, longest {lengths[-1]}.")


if __name__ == "__main__":
    main()
