"""How Sphinx builds these pages: offline, with every warning an error (`make docs`)."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "metaeval"
author = "The metaeval developers"
project_copyright = author
version = release = installed_version("metaeval")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.extlinks",
    "sphinx.ext.napoleon",
    "sphinx_external_toc",
    "metaeval_pages",
]
exclude_patterns = ["_build"]
external_toc_path = "_toc.yml"  # pages read as Markdown hold no table of contents
default_role = "py:obj"  # single backticks in docstrings link where there is something to link to

myst_enable_extensions = ["dollarmath"]  # what a forge shows too
myst_heading_anchors = 3
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}  # of docstrings
autodoc_typehints = "none"  # numpydoc sections say the types, with shapes and units
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]  # its own way knows one name a line: "n_systems, n_topics"

html_theme = "furo"
html_title = f"metaeval {version}"
html_math_renderer = "mathml"  # drawn by the browser itself: MathJax would come over the network
html_static_path = ["_static"]
html_css_files = ["metaeval.css"]
html_show_sphinx = False
html_copy_source = False
