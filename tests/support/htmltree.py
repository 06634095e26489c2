"""Trees as html5lib-tests prints them: ours, and those of html5lib with its own tokenizer."""

import re
from collections.abc import Iterable

import html5lib
from html5lib._tokenizer import HTMLTokenizer
from html5lib.constants import tokenTypes

from support.html import HtmlTreeCase
from xml5tree.dialects.html.codes import CODES
from xml5tree.dialects.html.construction import Builder
from xml5tree.dialects.html.nodes import Node
from xml5tree.dialects.html.pipeline import make_tree_tokenizer
from xml5tree.dialects.html.stream import HtmlInputStream
from xml5tree.dialects.html.tree import TreeSink
from xml5tree.errors.reporter import Reporter
from xml5tree.xml.names import EXPAT

PREFIXES = {"svg": "svg ", "MathML": "math ", "xhtml": ""}


def construct(case: HtmlTreeCase, pieces: Iterable[str] | None = None) -> list[str]:
    """The tree of a case as the suite prints it, without what XML could not hold being changed."""
    reporter = Reporter(None, None, CODES)
    stream = HtmlInputStream()
    sink = _PlainSink(_container(case), reporter, EXPAT, scripting=bool(case.scripting), max_depth=2000)
    tokenizer = make_tree_tokenizer(sink, reporter)
    parts = [case.data] if pieces is None else pieces
    for piece, is_last in [*((part, False) for part in parts), ("", True)]:
        tokenizer.feed(stream.feed(piece, is_last), final=is_last)
        stream.report(reporter)
        tokenizer.run()
    return _printed(sink.builder.document, case)


class _PlainSink(TreeSink):
    """A sink that has html5lib's phases process all."""

    def _current(self):
        return None


def construct_by_html5lib(case: HtmlTreeCase) -> list[str]:
    """The tree that html5lib makes of a case."""
    parser = _ParserOfWords(tree=Builder)
    container = _container(case)
    parser._parse(case.data, innerHTML=bool(container), container=container or "div", scripting=bool(case.scripting))
    return _printed(parser.tree.document, case)


class _TokenizerOfWords(HTMLTokenizer):
    """html5lib's tokenizer, but all white space is a token of its own, as it is in the standard.

    html5lib separates only leading white space, so that framesets lose what comes behind ignored text.
    """

    def __iter__(self):
        for token in super().__iter__():
            if token["type"] != tokenTypes["Characters"]:
                yield token
                continue
            for text in re.findall("[\t\n\f ]+|[^\t\n\f ]+", token["data"]):
                yield {"type": tokenTypes["SpaceCharacters" if text[0] in "\t\n\f " else "Characters"], "data": text}


class _ParserOfWords(html5lib.HTMLParser):
    def mainLoop(self):
        self.tokenizer.__class__ = _TokenizerOfWords
        super().mainLoop()


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
        ids = "".join(f' "{identifier or ""}"' for identifier in node.data) if any(node.data) else ""
        yield f"{indent}<!DOCTYPE {node.name}{ids}>"
    else:
        yield f"{indent}<{PREFIXES[node.namespace.rpartition('/')[2]]}{node.name}>"
        names = {name: name if isinstance(name, str) else " ".join(filter(None, name[:2])) for name in node.attributes}
        for name in sorted(names, key=names.get):
            yield f'{indent}  {names[name]}="{node.attributes[name]}"'
        yield from _lines(node, indent + "  ")
