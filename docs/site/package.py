"""Pages of the Python package, one for each public module, and the text of its docstrings."""

import importlib
import inspect
import pkgutil

from plain import to_rst


def public_modules():
    """spikemine and its public modules, by name."""
    import spikemine

    names = [m.name for m in pkgutil.iter_modules(spikemine.__path__) if not m.name.startswith("_")]
    return ["spikemine", *[f"spikemine.{name}" for name in sorted(names)]]


# What functions return, and what users do not make themselves.
RESULTS = ["_episodes.Episode", "_patterns.Pattern", "_patterns.Windows", "_exact.ExactTest",
           "_signatures.SignatureTest", "_objects.Found"]  # fmt: skip


def public_names(module):
    listed = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return sorted((name for name in listed if not name.startswith("__")), key=str.lower)


def kinds(module):
    """(heading, directive, names) of what a module has."""
    found = {"Functions": [], "Classes": [], "Errors and warnings": [], "Data": []}
    for name in public_names(module):
        value = getattr(module, name)
        if inspect.isclass(value) and issubclass(value, BaseException):
            found["Errors and warnings"].append(name)
        elif inspect.isclass(value):
            found["Classes"].append(name)
        elif callable(value):
            found["Functions"].append(name)
        elif not inspect.ismodule(value):
            found["Data"].append(name)
    directives = {"Functions": "autofunction", "Classes": "autoclass", "Data": "autodata"}
    return [(heading, directives.get(heading, "autoexception"), names) for heading, names in found.items() if names]


def page(name, link):
    module = importlib.import_module(name)
    out = [name, "=" * len(name), "", f".. module:: {name}", ""]
    out += to_rst(inspect.getdoc(module).split("\n"), link, "python")
    for heading, directive, names in kinds(module):
        out += [heading, "-" * len(heading), ""]
        for entry in names:
            out += [f".. {directive}:: {name}.{entry}", ""]
            if directive == "autoclass":
                out[-1:] = ["   :members:", "   :inherited-members:", ""]
            elif directive == "autoexception":
                out[-1:] = ["   :show-inheritance:", ""]
    if name == "spikemine":
        out += ["Parts of results", "----------------", ""]
        for entry in RESULTS:
            out += [f".. autoclass:: spikemine.{entry}", "   :members:", "   :inherited-members:", ""]
    return "\n".join(out) + "\n"


def linker(link_to_pages):
    """References of names in backquotes, such as `episodes`."""
    targets = {}
    for name in public_modules():
        for entry in public_names(importlib.import_module(name)):
            if not inspect.ismodule(getattr(importlib.import_module(name), entry)):
                targets.setdefault(entry, f"{name}.{entry}")

    def link(name, quoted):
        key = name.removesuffix("()")
        if quoted and key in targets:
            return f":py:obj:`{name} <{targets[key]}>`"
        return link_to_pages(name, quoted)

    return link


def write(folder, link_to_pages):
    link = linker(link_to_pages)
    folder.mkdir(parents=True, exist_ok=True)
    modules = public_modules()
    for name in modules:
        (folder / f"{name}.rst").write_text(page(name, link), encoding="utf-8")
    title = "The Python package"
    lines = [title, "=" * len(title), "", ":doc:`/how-to/use-python` shows how it is used.", "", ".. toctree::", ""]
    lines += [f"   {name}" for name in modules]
    (folder / "index.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
