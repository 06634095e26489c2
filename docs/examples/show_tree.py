"""Show what becomes of a broken document: its tree, written as XML, and what was wrong with it.

usage: python show_tree.py FILE
"""

import sys

from lxml import etree

import xml5tree

if len(sys.argv) != 2:
    sys.exit(__doc__)

parser = xml5tree.XMLParser(backend=etree.XMLParser(remove_blank_text=True))
tree = xml5tree.parse(sys.argv[1], parser=parser)

print(etree.tostring(tree, pretty_print=True, encoding="unicode"))
for error in parser.error_log:
    print(error)
