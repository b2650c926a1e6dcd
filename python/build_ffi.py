"""Makes the module spikemine/_binding.py from the public headers:

    python3 build_ffi.py CC OUT INCLUDE-FOLDER ...

CFFI reads the declarations as the compiler sees them, so that Python has no second definition of
any of them. The module is plain Python: it opens the library when it is imported (ABI mode), and
one file serves every version of Python.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

# What the headers of the system would declare, and cffi knows by itself.
KNOWN = ("stdbool.h", "stddef.h", "stdint.h", "string.h")
# Constants that are macros, which the compiler leaves out of its output.
CONSTANT = re.compile(r"^#define\s+(SPK_[A-Z_0-9]+)\s+(\d+)u?\s*(?:/\*.*)?$", re.MULTILINE)


def preprocess(compiler: str, folders: list[str], text: str) -> str:
    """A text of C without comments and attributes, and without what the system declares."""
    with tempfile.TemporaryDirectory() as empty:
        for name in KNOWN:
            pathlib.Path(empty, name).touch()
        command = [compiler, "-E", "-P", "-nostdinc", "-D__attribute__(x)=", f"-I{empty}"]
        command += [f"-I{folder}" for folder in folders] + ["-x", "c", "-"]
        return subprocess.run(
            command, input=text, capture_output=True, text=True, check=True
        ).stdout


def constants(folders: list[str]) -> str:
    """The macros that are whole numbers, for cffi."""
    found: dict[str, str] = {}
    for folder in folders:
        for header in sorted(pathlib.Path(folder, "spikemine").glob("*.h")):
            found.update(CONSTANT.findall(header.read_text(encoding="utf-8")))
    return "".join(f"#define {name} {value}\n" for name, value in found.items())


def version(folders: list[str]) -> str:
    for folder in folders:
        header = pathlib.Path(folder, "spikemine", "version.h")
        if header.exists():
            match = re.search(r'SPIKEMINE_VERSION "([^"]+)"', header.read_text(encoding="utf-8"))
            if match:
                return match.group(1)
    raise SystemExit("build_ffi.py: no spikemine/version.h in " + " ".join(folders))


def main() -> None:
    compiler, out, *folders = sys.argv[1:]
    ffi = cffi.FFI()
    headers = preprocess(compiler, folders, "#include <spikemine/spikemine.h>\n")
    ffi.cdef(headers + constants(folders) + "void free(void *);")
    ffi.set_source("spikemine._binding", None)
    ffi.emit_python_code(out)
    with open(out, "a", encoding="utf-8") as file:
        file.write(f'\nVERSION = "{version(folders)}"  # of the headers\n')


if __name__ == "__main__":
    main()
