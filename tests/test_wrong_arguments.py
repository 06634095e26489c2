"""Every public call with any argument of a wrong type, or huge, raises only what its documentation says."""

import asyncio
import inspect
import io
import logging
import typing
import xml.etree.ElementTree as ET
import xml.sax

import pytest
from support.cases import one_in
from support.packages import need_for
from test_public_names import MADE_BY_THE_LIBRARY

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from xml5tree import ranges, tools
from xml5tree.options import TreeOptions

DOCUMENT = "<!DOCTYPE r [<!ENTITY e '<b>x</b>'><!ATTLIST i a CDATA 'v'>]><r>&e;&<item k='1'>x<a/></item><item/></r>"


class Strange:
    """An object with nothing but what each object has, and without a hash."""

    __hash__ = None


#: What no parameter expects, or only some do.
VALUES = [
    *(None, True, 0, -1, 2**31, 2**63, 2**70, -(2**70), 1.5, float("nan"), float("inf")),
    *("", "x", "a{", "\ud800", "\0", "x" * 10_000, b"", b"x", bytearray(b"x")),
    *([], [1], ["x"], [None], [[]], (), (1,), {"x"}, frozenset([1]), iter(())),
    *({}, {"a": 1}, {1: "a"}, {"a": "b"}, {"a": ["b"]}, {"a": None}, {"": ""}, {"a": {"b": 1}}),
    *(object(), Strange(), [Strange()], Strange, Warning, len, lambda *_: None),
]


async def _parts(data):
    yield data


async def _all_of(items):
    return [item async for item in items]


def _read(made, data=DOCUMENT):
    """Read all that a call returns."""
    if hasattr(made, "feed"):
        made.feed(data)
        result = made.close()
        return list(made.read_events()) if hasattr(made, "read_events") else result
    if hasattr(made, "__aiter__"):
        return asyncio.run(_all_of(made))
    if hasattr(made, "read"):
        return made.read()
    return [*made] if hasattr(made, "__next__") else made


def _read_range(**options):
    return [*ranges.read(ranges.Range(**options))]


#: Public calls, with right arguments for the parameters that need one, and functions that pass options on.
CALLS = {
    "fromstring": (xml5tree.fromstring, {"data": DOCUMENT}),
    "fromstring, lxml": (xml5tree.fromstring, {"data": DOCUMENT, "backend": "lxml"}),
    "fromstring, well-formed": (xml5tree.fromstring, {"data": b"<r><item>x</item></r>"}),
    "fromstring, draft": (xml5tree.fromstring, {"data": DOCUMENT.encode(), "recovery": "draft"}),
    "fromstring, strict": (xml5tree.fromstring, {"data": "<r><item>x</item></r>", "recovery": "strict"}),
    "fromstring, html": (xml5tree.fromstring, {"data": "<p>x<i>y</p>", "dialect": "html"}),
    "fromstring, microxml": (xml5tree.fromstring, {"data": "<p>x<i>y</p>", "dialect": "microxml"}),
    "fromstring, leafxml": (xml5tree.fromstring, {"data": "<p>x<i>y</i></p>", "dialect": "leafxml"}),
    "fromstring, elements": (xml5tree.fromstring, {"data": DOCUMENT, "elements": {"r", "item"}}),
    "fromstringlist": (xml5tree.fromstringlist, {"sequence": [DOCUMENT]}),
    "fromstrings": (xml5tree.fromstrings, {"data": DOCUMENT}),
    "parse": (xml5tree.parse, {"source": io.StringIO}),
    "XMLParser": (xml5tree.XMLParser, {}),
    "XMLParser, lxml": (xml5tree.XMLParser, {"backend": "lxml"}),
    "XMLPullParser": (xml5tree.XMLPullParser, {}),
    "iterparse": (xml5tree.iterparse, {"source": [DOCUMENT]}),
    "aiterparse": (xml5tree.aiterparse, {"source": _parts}),
    "iterroots": (xml5tree.iterroots, {"source": [DOCUMENT]}),
    "records": (xml5tree.records, {"source": [DOCUMENT]}),
    "records, lxml": (xml5tree.records, {"source": [DOCUMENT], "backend": "lxml"}),
    "arecords": (xml5tree.arecords, {"source": _parts}),
    "record_batches": (xml5tree.record_batches, {"source": [DOCUMENT]}),
    "read_table": (xml5tree.read_table, {"source": [DOCUMENT]}),
    "read_frame": (xml5tree.read_frame, {"source": [DOCUMENT]}),
    "known_elements": (xml5tree.known_elements, {"source": xml5tree.fromstring(DOCUMENT)}),
    "repair": (xml5tree.repair, {"data": DOCUMENT}),
    "repair_iter": (xml5tree.repair_iter, {"parts": [DOCUMENT]}),
    "Repairer": (xml5tree.Repairer, {}),
    "open": (xml5tree.open, {"source": [DOCUMENT]}),
    "edits": (xml5tree.edits, {"data": DOCUMENT}),
    "apply": (xml5tree.apply, {"document": DOCUMENT, "edits": xml5tree.edits(DOCUMENT)}),
    "invert": (xml5tree.invert, {"edits": xml5tree.edits(DOCUMENT)}),
    "tokenize": (xml5tree.tokenize, {"text": DOCUMENT}),
    "tokenize, html": (xml5tree.tokenize, {"text": "<p>x", "dialect": "html"}),
    "SAXParser": (xml5tree.sax.SAXParser, {}),
    "tools.read": (tools.read, {"source": "<tool_call>x", "format": "hermes"}),
    "tools.CallReader": (tools.CallReader, {"format": "hermes"}),
    "ElementTree.fromstring": (xml5tree.ElementTree.fromstring, {"text": DOCUMENT}),
    "ElementTree.XMLParser": (xml5tree.ElementTree.XMLParser, {}),
    "ElementTree.fromstringlist": (xml5tree.ElementTree.fromstringlist, {"sequence": [DOCUMENT]}),
    "ElementTree.parse": (xml5tree.ElementTree.parse, {"source": io.StringIO}),
    "ElementTree.canonicalize": (xml5tree.ElementTree.canonicalize, {"xml_data": DOCUMENT}),
    "ElementTree.XMLPullParser": (xml5tree.ElementTree.XMLPullParser, {}),
    "ElementTree.iterparse": (xml5tree.ElementTree.iterparse, {"source": io.StringIO}),
    "lxml.etree.XMLParser": (xml5tree.lxml.etree.XMLParser, {}),
    "lxml.etree.fromstring": (xml5tree.lxml.etree.fromstring, {"text": DOCUMENT}),
    "lxml.etree.fromstringlist": (xml5tree.lxml.etree.fromstringlist, {"strings": [DOCUMENT]}),
    "lxml.etree.parse": (xml5tree.lxml.etree.parse, {"source": io.StringIO}),
    "lxml.etree.XMLPullParser": (xml5tree.lxml.etree.XMLPullParser, {}),
    "lxml.etree.iterparse": (xml5tree.lxml.etree.iterparse, {"source": lambda data: io.BytesIO(data.encode())}),
    "ranges.split": (ranges.split, {"paths": "{path}"}),
    "ranges.Range": (_read_range, {"path": "{path}"}),
    "ranges.read": (ranges.read, {"part": lambda _: ranges.Range("{path}")}),
}
#: All that is documented: `SAXException` for SAX, and `OSError` for paths.
EXPECTED = (TypeError, ValueError, LookupError, ET.ParseError, OSError, xml.sax.SAXException)


def parameters_of(function):
    """Return the names of the parameters and options of a public call."""
    names = []
    parameters = inspect.signature(ranges.Range if function is _read_range else function).parameters
    for name, parameter in parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            packed = typing.get_args(parameter.annotation)
            names += (packed[0] if packed else TreeOptions).__annotations__
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            names.append(name)
    return list(dict.fromkeys(names))


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "{path}").write_text(DOCUMENT)


@pytest.fixture
def no_logging():
    """Loggers may have names that no report can be sent with."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("no_logging")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments(in_folder, name):
    need_for(name)
    function, right = CALLS[name]
    for parameter in parameters_of(function):
        for value in one_in(3, VALUES):
            if parameter == "source" and name == "ElementTree.parse" and isinstance(value, int):
                continue  # a file descriptor, which the standard module reads and closes, too
            options = {key: given(DOCUMENT) if callable(given) else given for key, given in right.items()}
            try:
                _read(function(**{**options, parameter: value}))
            except EXPECTED:
                pass
            except AttributeError:  # as of the standard module
                assert name.startswith("ElementTree.")
                assert parameter in {"parser", "out"}
            except BaseException as error:
                error.add_note(f"{name} with {parameter}={value!r}")
                raise


def test_all_public_calls_are_tried():
    tried = {function for function, _ in CALLS.values()}
    others = MADE_BY_THE_LIBRARY | {"XML"}
    public = {name for name in xml5tree.__all__ if callable(getattr(xml5tree, name)) and name not in others}
    assert {name for name in public if getattr(xml5tree, name) not in tried} == set()
    assert {"fields", "max_depth", "bad_values", "file_column"} <= set(parameters_of(xml5tree.read_table))


@pytest.mark.parametrize("option", ["max_depth", "max_amplification", "amplification_threshold", "max_errors"])
@pytest.mark.parametrize("value", [2**31, 2**63, 2**70])
def test_huge_limits_are_none(option, value):
    """The compiled scanner counts them, too."""
    data = DOCUMENT.replace("&<item", "&<item>" * 50 + "<item")
    assert xml5tree.repair(data, **{option: value}) == xml5tree.repair(data)
    assert xml5tree.fromstring(data, **{option: value}).tag == "r"


def test_edits_of_a_wrong_type():
    for call in (lambda: xml5tree.apply("<a/>", ["x"]), lambda: xml5tree.invert([None])):
        with pytest.raises(TypeError, match="an Edit expected, not"):
            call()
    with pytest.raises(TypeError, match="bytes or str expected, not int"):
        xml5tree.apply(5, [])
    with pytest.raises(TypeError, match="edits must be a list to which edits are added, not dict"):
        xml5tree.repair("<a>", edits={})
