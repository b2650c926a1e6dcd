#!/usr/bin/env python3
"""Puts the example programs into docs/reference/library.md, each behind its line <!-- examples/NAME.c -->.

    tools/show-examples.py
"""

import os
import re

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = "docs/reference/library.md"


def block(match):
    path = match.group(1)
    with open(path) as source:
        return f"<!-- {path} -->\n```c\n{source.read()}```\n"


with open(PAGE) as page:
    text = page.read()
text = re.sub(r"<!-- (examples/\w+\.c) -->\n```c\n.*?```\n", block, text, flags=re.S)
with open(PAGE, "w") as page:
    page.write(text)
