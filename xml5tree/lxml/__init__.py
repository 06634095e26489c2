"""Drop-ins for lxml: ``from xml5tree.lxml import etree`` in place of ``from lxml import etree``, and `objectify`.

Each has every name of the module that it stands in for. What does not parse is the same object; what parses takes
every document with a start tag. lxml itself is not changed.
"""
