"""Read a broken feed: its links, titles and creators by XPath, and what was wrong with it.

usage: python read_feed.py FEED
"""

import sys

import xml5tree

NAMESPACES = {"dc": "http://purl.org/dc/elements/1.1/", "media": "http://search.yahoo.com/mrss/"}

if len(sys.argv) != 2:
    sys.exit(__doc__)

parser = xml5tree.XMLParser(backend="lxml")
tree = xml5tree.parse(sys.argv[1], parser=parser)

print("link:    ", tree.findtext("channel/link"))
print("titles:  ", tree.xpath("//item/title/text()"))
print("creators:", tree.xpath("//dc:creator/text()", namespaces=NAMESPACES))
print("images:  ", tree.xpath("//media:content/@url", namespaces=NAMESPACES))
print()
for error in parser.error_log:
    print(error)
