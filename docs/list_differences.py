"""Write docs/internals/differences.md anew: what well-known calls give in the drop-ins, and in the original modules.

usage: python docs/list_differences.py
"""

import io
import re
import xml.etree.ElementTree
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import lxml.etree
import marked

import xml5tree.ElementTree
import xml5tree.lxml.etree

PAGE = Path(__file__).parent / "internals" / "differences.md"
BEGIN = "<!-- The tables are made by list_differences.py. -->\n"
END = "<!-- end -->\n"


class DropIn(NamedTuple):
    """A module, what it stands in for, the name by which the calls know either, and calls whose results differ."""

    name: str
    original: ModuleType
    own: ModuleType
    variable: str
    calls: dict[str, str]


DROP_INS = (
    DropIn(
        "xml.etree.ElementTree",
        xml.etree.ElementTree,
        xml5tree.ElementTree,
        "ET",
        {
            "broken documents": 'ET.tostring(ET.fromstring("<a x=1>1 & 2"))',
            "entities that no document declares": 'ET.fromstring("<a>&nbsp;</a>").text',
            "the message for no element": 'ET.fromstring("")',
            "a parser for several whole documents": (
                'parser = ET.XMLParser(); ET.fromstring("<a/>", parser); ET.fromstring("<b/>", parser).tag'
            ),
            "documents in bytes and text": (
                'parser = ET.XMLParser(); parser.feed(b"<a>"); parser.feed("</a>"); parser.close().tag'
            ),
            "the end of events, twice": (
                'parser = ET.XMLPullParser(); parser.feed("<a/>"); parser.close(); parser.close()'
            ),
            "comments in a DOCTYPE": ('ET.canonicalize("<!DOCTYPE a [<!--1-->]><a/>", with_comments=True)'),
            "encodings that only Python knows": (
                "ET.fromstring('<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><a>\\u3042</a>'.encode('shift_jis')).text"
            ),
        },
    ),
    DropIn(
        "lxml.etree",
        lxml.etree,
        xml5tree.lxml.etree,
        "etree",
        {
            "broken documents": 'etree.tostring(etree.fromstring("<a x=1>1 & 2"))',
            "the message for no element": 'etree.fromstring("")',
            "`recover=True`": 'etree.fromstring("<a>1 < 2</a>", etree.XMLParser(recover=True)).text',
            "the parser of a tree that was fed to a pull parser": (
                'parser = etree.XMLPullParser(); parser.feed("<a/>"); parser.close().getroottree().parser is parser'
            ),
            "declarations of a document that was fed": (
                "parser = etree.XMLParser(); parser.feed(\"<!DOCTYPE a [<!ENTITY e 'x'>]><a/>\"); "
                "parser.close().getroottree().docinfo.internalDTD.entities()"
            ),
            "encodings that not every parser reads": (
                'etree.fromstring(\'<?xml version="1.0" encoding="Shift_JIS"?><a/>\'.encode())'
                ".getroottree().docinfo.encoding"
            ),
            "the end of what was never fed": "etree.XMLParser().close()",
            "text with an encoding declaration": (
                'etree.fromstring(\'<?xml version="1.0" encoding="utf-8"?><a/>\').tag'
            ),
        },
    ),
)


def outcome(module: ModuleType, drop_in: DropIn, call: str) -> str:
    """What a call gives, or raises."""
    *statements, expression = call.split("; ")
    names: dict[str, Any] = {drop_in.variable: module, "io": io}
    try:
        exec("\n".join(statements), names)
        result = repr(eval(expression, names))
    except Exception as error:
        result = f"{type(error).__name__}: {error}".splitlines()[0]
    return re.sub(r" at 0x[0-9a-f]+", "", result).replace("|", "\\|")


def rows(drop_in: DropIn) -> Iterator[tuple[str, str, str, str]]:
    """Of each call: what it is about, the call, what the original gives, and what the drop-in gives."""
    for what, call in drop_in.calls.items():
        yield what, call, outcome(drop_in.original, drop_in, call), outcome(drop_in.own, drop_in, call)


def table() -> str:
    """The tables in Markdown."""
    lines = [BEGIN]
    for drop_in in DROP_INS:
        lines.append(
            f"\n## {drop_in.name}\n\n| | call | `{drop_in.name}` | `{drop_in.own.__name__}` |\n|---|---|---|---|\n"
        )
        lines += [f"| {what} | `` {call} `` | `` {of} `` | `` {ours} `` |\n" for what, call, of, ours in rows(drop_in)]
    return "".join([*lines, "\n", END])


parts = partial(marked.parts, begin=BEGIN, end=END)


if __name__ == "__main__":
    marked.replace(PAGE, BEGIN, END, table())
