"""How Sphinx makes the documentation: ``python -m sphinx -W docs site``. Nothing in it needs a network."""

import re

from sphinx.application import Sphinx

import xml5tree

project = "xml5tree"
author = "The xml5tree maintainers"
project_copyright = "The xml5tree maintainers, MIT licence"
version = release = xml5tree.__version__

extensions = ["myst_parser"]
exclude_patterns = ["examples"]

myst_heading_anchors = 4

html_theme = "furo"
html_title = f"xml5tree {version}"
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]


def setup(app: Sphinx) -> None:
    """Connect what changes pages."""
    app.connect("source-read", leave_out_last_lines)


def leave_out_last_lines(app: Sphinx, page: str, source: list[str]) -> None:
    """Leave out the empty line at the end of examples, which is there for doctest."""
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)
