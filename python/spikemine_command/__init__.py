"""The command `spikemine` of an installed package.

It is a program of its own, beside the library that it shares with the package. This module finds it
without importing the package, so that the command starts at once.
"""

import importlib.util
import os
import shutil
import sys


def _name() -> str:
    """What was typed: a script is given its whole path, also where the shell found it by its name."""
    path = sys.argv[0]
    name = os.path.basename(path)
    return name if shutil.which(name) == path else path


def main() -> None:
    """Becomes the command, with the arguments of this process."""
    found = importlib.util.find_spec("spikemine")
    folders = found.submodule_search_locations if found is not None else None
    for folder in folders or ():
        command = os.path.join(folder, "bin", "spikemine")
        if os.access(command, os.X_OK):
            os.execv(command, [_name(), *sys.argv[1:]])
    sys.exit("spikemine: the package holds no command; install it with pip install spikemine")
