"""Makes the module spikemine/_operations.py: the functions that run operations of the library.

    python3 build_operations.py CC OUT INCLUDE-FOLDER ...

Options stand once, in src/operation/, which is read here as the compiler sees it. Each
makes a parameter with its type and default, a line of the docstring, and a check of its values. What
a function does and returns is told by run_NAME in its module, which gets the arguments as one object.
"""

import ast
import pathlib
import re
import sys
import textwrap
from collections.abc import Callable
from typing import Any

from build_ffi import preprocess

HERE = pathlib.Path(__file__).resolve().parent
OPTIONS = HERE.parent / "src/operation"
MODULES = {  # of functions
    "calibrate": "_calibrate",
    "compare": "_compare",
    "count": "_episodes",
    "episodes": "_episodes",
    "explore": "_explore",
    "patterns": "_patterns",
    "sequences": "_sequences",
    "suggest": "_suggest",
    "surrogates": "_surrogates",
}

HEAD = '''"""Functions that run operations of the library. Made by build_operations.py."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, overload

from . import {}
from ._calibrate import Calibration
from ._episodes import Delays, Episodes
from ._explore import Exploration
from ._library import Progress, Time
from ._patterns import Patterns
from ._recording import Recording
from ._results import remember
from ._rules import FLAG, TEXT, checked, choice, real, whole
from ._sequences import Sequences
from ._suggest import Suggestion
'''
OVERLOAD = """

@overload
def {name}(
{parameters}) -> {returns}: ...
"""
FUNCTION = '''

@checked(
    "{name}()",
{kinds})
{remember}def {name}(
{parameters}) -> {returns}:
    """{text}"""
    return {module}.run_{name}({arguments}(**locals()))
'''
ARGUMENTS = '''

@dataclasses.dataclass
class {arguments}:
    """What run_{name} takes."""

{fields}'''

# ---- the tables, as C has them ---------------------------------------------------------------


def python_of(initializer: str) -> str:
    """An initializer of C as an expression of Python: structures are dicts, arrays lists."""
    ends: list[str] = []

    def turn(match: re.Match[str]) -> str:
        text = match.group()
        if text == "}":
            return ends.pop()
        if text == "{":
            ends.append(")" if match["structure"] else "]")
            return "dict(" if match["structure"] else "["
        if match["kind"]:
            return f'"{match["kind"]}"'
        return text if text[0] == '"' else text.lstrip(".").rstrip("u")

    tokens = [r'"(?:[^"\\]|\\.)*"', r"SPK_OPTION_(?P<kind>\w+)", r"(?P<structure>\{(?=\s*[.}]))"]
    tokens += [r"\{", r"\}", r"\.[a-z_]+(?= =)", r"\b\d+u\b"]
    return re.sub("|".join(tokens), turn, initializer)


def operations(compiler: str, folders: list[str]) -> dict[str, list[dict[str, Any]]]:
    """The options of each operation."""
    text = "#define PYTHON(...) .python = {__VA_ARGS__}\n"
    paths = [p for p in OPTIONS.glob("*.c") if '"operation/options.h"' in p.read_text("utf-8")]
    paths.sort(key=lambda path: path.name == "options.c")  # joins the tables of the others
    text += "".join(f'#include "{path}"\n' for path in paths)
    code = preprocess(compiler, [*folders, str(OPTIONS.parent)], text)
    names: dict[str, Any] = {"NULL": None, "true": True, "dict": dict, "__builtins__": {}}
    for name, initializer in re.findall(r"(\w+)\[\] = (\{.*?\n\});", code, re.DOTALL):
        names[name] = eval(python_of(initializer), names)
    return {
        name: [o for table in listed for o in table if o["name"] is not None]
        for name, listed in names["operations"]
    }


# ---- an option as a parameter ----------------------------------------------------------------

TYPES = {
    "FLAG": "bool",
    "INTEGER": "int",
    "NUMBER": "float",
    "DURATION": "Time",
    "BYTES": "int",
    "TEXTS": "Sequence[str]",
}
TABLES = {"Episodes", "Patterns", "Sequences"}  # results that know how they were made
NONE = {"FLAG": "False", "INTEGER": "0", "NUMBER": "0", "COUNT": "0"}  # other kinds have None


class Parameter:
    """What an option is in Python."""

    def __init__(self, option: dict[str, Any]) -> None:
        own = option["python"]
        self.kind, self.argument = option["kind"], option.get("argument") or ""
        self.name = own.get("name", option["name"].replace("-", "_"))
        self.positional = own.get("positional", False)
        self.result = own.get("of", "")  # of a function that has several; "": of each
        self.help = own.get("help", option["help"])
        self.least, self.most = option.get("minimum", 0), option.get("maximum", 0)
        fallback = own.get("fallback", option.get("fallback"))
        self.fallback = None if fallback == "none" else fallback
        self.type = own.get("type", "")
        self.is_needed = self.positional and self.fallback is None and "None" not in self.type
        self.type = self.type or self.usual_type()
        self.may_be_0 = self.kind == "INTEGER" and self.type == "int" and self.fallback is None
        self.may_be_0 &= not self.is_needed

    def usual_type(self) -> str:
        if self.kind == "CHOICE":
            names = ", ".join(f'"{n}"' for n in self.argument.split("|") if n != "none")
            usual = f"Literal[{names}]"
        else:
            usual = TYPES.get(self.kind, "str")
            usual += " | os.PathLike[str]" if self.argument == "FILE" else ""
        is_optional = self.fallback is None and not self.is_needed and self.kind not in NONE
        return usual + " | None" if is_optional else usual

    def declaration(self) -> str:
        if self.is_needed:
            return f"{self.name}: {self.type}"
        default = self.fallback
        if default is None:
            default = "None" if "None" in self.type else NONE.get(self.kind, "None")
        elif self.kind not in NONE and self.type != "bool":
            default = f'"{default}"'
        return f"{self.name}: {self.type} = {default}"

    def overloaded(self) -> str:
        """The declaration where the function has only the results that this is of."""
        if self.result:
            return f"{self.name}: {self.type.removesuffix(' | None')}"
        return re.sub(" = .*", " = ...", self.declaration())

    def check(self) -> str:
        """What checks its values, as code; "" for what the function looks at by itself."""
        if self.type.startswith("Literal["):
            names = self.type.removeprefix("Literal[").split("]")[0]
            return f"choice({names}{', None' if 'None' in self.type else ''})"
        if self.type == "bool":
            return "FLAG"
        if self.type in ("str", "str | None"):
            return "TEXT"
        if self.kind == "INTEGER" and self.type.startswith("int"):
            return f"whole({0 if self.may_be_0 else int(self.least)}, {int(self.most)})"
        return f"real({self.least}, {self.most})" if self.kind == "NUMBER" else ""

    def line(self, spell: Callable[[str], str]) -> str:
        """Of the docstring; what stands for the value is named as the parameter."""
        text = spell(self.help) + ("; 0: no limit" if self.may_be_0 else "")
        if len(self.argument) == 1:
            text = re.sub(rf"\b{self.argument}\b", f"`{self.name}`", text)
        return textwrap.fill(
            f"{self.name} : {text}", 96, subsequent_indent="    ", break_on_hyphens=False
        )


def speller(parameters: list[Parameter], options: list[dict[str, Any]]) -> Callable[[str], str]:
    """What spells options in a text as Python has them: test="exact" for --test exact."""
    known = {o["name"]: p for o, p in zip(options, parameters)}

    def spell(match: re.Match[str]) -> str:
        name, blank, word = match.groups("")
        own = known.get(name)
        if own is not None and word and word in own.argument.split("|"):
            return f'{own.name}="{word}"'
        return (own.name if own is not None else name.replace("-", "_")) + blank + word

    def spelt(text: str) -> str:
        text = re.sub(rf"spikemine ({'|'.join(MODULES)})\b", r"\1()", text)
        return re.sub(r"--([a-z][a-z-]*)(?:( )([a-z0-9-]+))?", spell, text)

    return spelt


# ---- the functions ---------------------------------------------------------------------------


def told(name: str) -> tuple[str, str]:
    """The docstring of run_NAME, and what it returns."""
    tree = ast.parse((HERE / "spikemine" / f"{MODULES[name]}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == f"run_{name}" and node.returns:
            return ast.get_docstring(node) or "", ast.unparse(node.returns)
    raise SystemExit(f"build_operations.py: {MODULES[name]}.py has no run_{name} with its type")


def function(name: str, options: list[dict[str, Any]]) -> str:
    """The function, what it hands on to run_NAME, and its overloads."""
    options = [o for o in options if "python" in o]
    parameters = [Parameter(o) for o in options]
    spell = speller(parameters, options)
    parameters.sort(key=lambda p: not p.positional)
    text, returns = told(name)
    lines = "\n".join(p.line(spell) for p in parameters)
    text = text.replace("\n\nReturns", f"\n\nParameters\n----------\n{lines}\n\nReturns", 1)
    checks = [f"{p.name}={p.check()}" for p in parameters if p.check()]
    arguments = f"{name.capitalize()}Arguments"
    fields = "".join(f"    {p.name}: {p.type}\n" for p in parameters)
    code = ARGUMENTS.format(name=name, arguments=arguments, fields=fields)
    results = returns.split(" | ")
    for one in results if len(results) > 1 else []:
        of_one = [p for p in parameters if p.result in ("", one)]
        n_positional = sum(p is q and p.positional for p, q in zip(of_one, parameters))
        own = listed(of_one, Parameter.overloaded, n_positional)
        code += OVERLOAD.format(name=name, parameters=own, returns=one)
    return code + FUNCTION.format(
        name=name,
        arguments=arguments,
        remember=f'@remember("{name}()")\n' if returns in TABLES else "",
        module=MODULES[name],
        returns=returns,
        kinds="".join(f"    {line},\n" for line in checks),
        parameters=listed(parameters, Parameter.declaration, sum(p.positional for p in parameters)),
        text=textwrap.indent(text, "    ").strip() + "\n    ",
    )


def listed(parameters: list[Parameter], declare: Callable[[Parameter], str], n: int) -> str:
    """Lines of a signature, in which the first n may be given by position."""
    lines = list(map(declare, parameters))
    return "".join(f"    {line},\n" for line in [*lines[:n], "*", *lines[n:]])


def main() -> None:
    compiler, out, *folders = sys.argv[1:]
    known = operations(compiler, folders)
    code = HEAD.format(", ".join(sorted(set(MODULES.values()))))
    code += "".join(function(name, known[f"{name}()"]) for name in MODULES)
    pathlib.Path(out).write_text(code, encoding="utf-8")


if __name__ == "__main__":
    main()
