"""Drop-ins for `lxml.etree` and `lxml.objectify`.

Each has every name of its module. Parsers and parsing functions are ours and take every document with a start tag; all
else is the same object as in lxml.
"""
