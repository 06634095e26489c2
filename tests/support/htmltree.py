"""Trees as html5lib-tests prints them: ours, and those of html5lib with its own tokenizer."""

from collections.abc import Iterable

import html5lib

from support.html import HtmlTreeCase
from xml5tree.dialects.html.codes import HTML_CODES
from xml5tree.dialects.html.construction import Builder, Html5libTree
from xml5tree.dialects.html.nodes import Node
from xml5tree.dialects.html.stream import HtmlInputStream
from xml5tree.dialects.html.tokenizing import make_tree_tokenizer
from xml5tree.dialects.html.tree import TreeSink
from xml5tree.errors.reporter import Reporter
from xml5tree.xml.names import EXPAT

PREFIXES = {"svg": "svg ", "MathML": "math ", "xhtml": ""}


def construct(case: HtmlTreeCase, pieces: Iterable[str] | None = None) -> list[str]:
    """The tree of a case as the suite prints it, without what XML could not hold being changed."""
    reporter = Reporter(None, None, HTML_CODES)
    stream = HtmlInputStream()
    tree = Html5libTree(_container(case), scripting=bool(case.scripting), max_depth=2000)
    sink = TreeSink(tree, reporter, EXPAT, 2000)
    tokenizer = make_tree_tokenizer(sink, reporter, tree)
    parts = [case.data] if pieces is None else pieces
    for piece, is_last in [*((part, False) for part in parts), ("", True)]:
        tokenizer.feed(stream.feed(piece, is_last), final=is_last)
        stream.report(tokenizer)
        tokenizer.run()
    return _printed(tree.finished(), case)


def construct_by_html5lib(case: HtmlTreeCase) -> list[str]:
    """The tree that html5lib makes of a case."""
    parser = html5lib.HTMLParser(tree=Builder)
    container = _container(case)
    parser._parse(case.data, innerHTML=bool(container), container=container or "div", scripting=bool(case.scripting))
    return _printed(parser.tree.document, case)


def _container(case: HtmlTreeCase) -> str | None:
    return case.fragment.split()[-1] if case.fragment else None


def _printed(document: Node, case: HtmlTreeCase) -> list[str]:
    root = document.children[0] if case.fragment else document
    assert isinstance(root, Node)
    return list(_lines(root, "| "))


def _lines(parent: Node, indent: str) -> Iterable[str]:
    text = ""
    for child in [*parent.children, None]:
        if isinstance(child, str):
            text += child
            continue
        if text:
            yield f'{indent}"{text}"'
            text = ""
        if child is not None:
            yield from _node(child, indent)


def _node(node: Node, indent: str) -> Iterable[str]:
    if node.kind == "comment":
        yield f"{indent}<!-- {node.data} -->"
    elif node.kind == "doctype":
        ids = "".join(f' "{identifier or ""}"' for identifier in node.ids) if any(node.ids) else ""
        yield f"{indent}<!DOCTYPE {node.name}{ids}>"
    else:
        yield f"{indent}<{PREFIXES[node.namespace.rpartition('/')[2]]}{node.name}>"
        names = {name: name if isinstance(name, str) else " ".join(filter(None, name[:2])) for name in node.attributes}
        for name in sorted(names, key=names.get):
            yield f'{indent}  {names[name]}="{node.attributes[name]}"'
        yield from _lines(node, indent + "  ")
