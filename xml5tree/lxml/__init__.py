"""Drop-ins for lxml: ``from xml5tree.lxml import etree`` in place of ``from lxml import etree``, and `objectify`.

Each has every name of its module. Parsers and parsing functions are ours and take every document with a start tag; all
else is the same object as in lxml.
"""
