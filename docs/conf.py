"""How Sphinx makes the documentation: ``python -m sphinx -W docs site``. Nothing in it needs a network."""

import xml5tree

project = "xml5tree"
author = "The xml5tree maintainers"
project_copyright = "The xml5tree maintainers, MIT licence"
version = release = xml5tree.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["examples"]

myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
default_role = "py:obj"
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"xml5tree {version}"
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
