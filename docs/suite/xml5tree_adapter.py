"""How an implementation answers the runner, with xml5tree for example.

usage: python run.py --errors codes xml5-trees.json python xml5tree_adapter.py [xml5|microxml|leafxml|tokens]
"""

import json
import sys
from dataclasses import astuple

from lxml import etree

import xml5tree

#: The names of tokens in the suite, where they are not those of the classes.
NAMES = {"Characters": "Character", "ProcessingInstruction": "PI", "Doctype": "DOCTYPE", "ShortEndTag": "ShortTag"}


def node_of(node):
    """Return a node as the suite has it."""
    if node.tag is etree.Comment:
        return {"comment": node.text or ""}
    if node.tag is etree.PI:
        return {"pi": [node.target, node.text or ""]}
    content = [node.text] if node.text else []
    for child in node:
        content += [node_of(child), *([child.tail] if child.tail else [])]
    return [node.tag, dict(node.attrib), content]


def tree_of(document, dialect):
    """Return the nodes of a document, and its errors."""
    policy = {"recovery": "draft", "attribute_defaults": True} if dialect == "xml5" else {}
    parser = xml5tree.XMLParser(backend="lxml", dialect=dialect, **policy)
    try:
        parser.feed(document)
        root = parser.close()
    except xml5tree.ParseError:
        return None, parser.error_log
    info = root.getroottree().docinfo
    nodes = [] if info.internalDTD is None else [{"doctype": [info.internalDTD.name, info.public_id, info.system_url]}]
    around = [*reversed(list(root.itersiblings(preceding=True))), root, *root.itersiblings()]
    return nodes + [node_of(node) for node in around], parser.error_log


def tokens_of(document):
    """Return the tokens of a document, and its errors."""
    errors = []
    tokens = []
    for token in xml5tree.tokenize(document, on_error=errors.append, recovery="draft"):
        name = type(token).__name__
        tokens.append([NAMES.get(name, name), *(astuple(token) or [""])])
    return tokens, errors


def main():
    """Answer each case."""
    dialect = sys.argv[1] if len(sys.argv) > 1 else "xml5"
    for line in sys.stdin:
        case = json.loads(line)
        document = bytes.fromhex(case["bytes"]) if "bytes" in case else case["input"]
        name = "tokens" if dialect == "tokens" else "tree"
        found, errors = tokens_of(document) if dialect == "tokens" else tree_of(document, dialect)
        print(json.dumps({name: found, "errors": [[error.line, error.column, error.code] for error in errors]}))


if __name__ == "__main__":
    main()
