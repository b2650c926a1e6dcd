"""Sphinx's settings of the documentation site; tools/site.sh builds it."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import package  # noqa: E402
from pages import link_to_pages  # noqa: E402
from plain import to_rst  # noqa: E402

project = "spikemine"
version = re.search(r"project\(spikemine VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
release = version
extensions = ["myst_nb", "sphinx.ext.autodoc"]
root_doc = "index"
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
smartquotes = False  # "--option" is two hyphens
highlight_language = "none"
nitpicky = True
# Types that others describe; the site is built without a network.
nitpick_ignore_regex = [("py:.*", r"(?!spikemine).*"), ("c:identifier", r"(?!spk_).*")]

myst_heading_anchors = 4
nb_execution_mode = "force"  # by the package of this build
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_use_legacy_class_based = False
python_maximum_signature_line_length = 88
c_maximum_signature_line_length = 88
add_function_parentheses = False
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_theme_options = {"navigation_with_keys": True}  # arrows turn pages, "/" goes to the search
html_title = f"spikemine {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
templates_path = []
pygments_style = "default"
pygments_dark_style = "github-dark"


def process_docstring(app, what, name, obj, options, lines):
    """Docstrings are plain text."""
    lines[:] = to_rst(lines, package.linker(link_to_pages), "python")


def process_signature(app, what, name, obj, options, signature, returned):
    """Users make no results: how one is made says nothing to them."""
    made = [f"spikemine.{entry}" for entry in ["Episodes", "Patterns", *package.RESULTS]]
    return ("", None) if name in made else None


def setup(app):
    app.connect("autodoc-process-signature", process_signature)
    app.connect("autodoc-process-docstring", process_docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
