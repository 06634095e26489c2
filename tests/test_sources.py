"""What calls read: each takes what it can, by one rule, and says the same of what it cannot."""

import io
import re
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from support.packages import need_for

import xml5tree
from xml5tree import containers, ranges
from xml5tree.sources import TAKEN

DOCUMENT = "<l><item>a &</item></l>"
ITEM = {"#text": "a &"}


def texts(events):
    return [element.text for _, element in events if element.tag == "item"]


#: Each call, as the texts of the items in what it reads.
CALLS = {
    "parse": lambda source: [item.text for item in xml5tree.parse(source).iter("item")],
    "known_elements": lambda source: ["a &"] * ("item" in xml5tree.known_elements(source)),
    "iterparse": lambda source: texts(xml5tree.iterparse(source)),
    "iterroots": lambda source: [item.text for root in xml5tree.iterroots(source) for item in root.iter("item")],
    "open": lambda source: ["a &"] * (b"<item>a &amp;</item>" in xml5tree.open(source).read()),
    "records": lambda source: [record["#text"] for record in xml5tree.records(source)],
    "read_table": lambda source: xml5tree.read_table(source).to_pydict()["#text"],
    "read_frame": lambda source: xml5tree.read_frame(source)["#text"].to_list(),
    "record_batches": lambda source: [text for b in xml5tree.record_batches(source) for text in b.to_pydict()["#text"]],
    "ranges.split": lambda source: ["a &" for part in ranges.split(source) if ranges.read(part, "item")],
    "ranges.read": lambda source: [record["#text"] for record in ranges.read(source, "item")],
    "fromstringlist": lambda source: [item.text for item in xml5tree.fromstringlist(source).iter("item")],
    "repair_iter": lambda source: ["a &"] * ("a &amp;" in _joined(xml5tree.repair_iter(source))),
    "containers.repair": lambda source: ["a &"] * len(containers.repair(source, io.BytesIO())),
}


def _joined(parts):
    return "".join(part if isinstance(part, str) else part.decode() for part in parts)


class NamedByFunction:
    def __fspath__(self):
        return "a.xml"


#: Sources by their kinds; they are made anew for each call.
SOURCES = {
    "a path": [
        lambda: "a.xml",
        lambda: Path("a.xml"),
        NamedByFunction,
        lambda: [Path("a.xml")],
        lambda: (Path("a.xml").absolute(),),
    ],
    "an open file": [
        lambda: io.BytesIO(DOCUMENT.encode()),
        lambda: io.StringIO(DOCUMENT),
        lambda: [io.StringIO(DOCUMENT)],
    ],
    "bytes": [lambda: DOCUMENT.encode(), lambda: bytearray(DOCUMENT.encode()), lambda: memoryview(DOCUMENT.encode())],
    "an iterable of chunks": [
        lambda: [DOCUMENT[:5], DOCUMENT[5:]],
        lambda: (DOCUMENT.encode(),),
        lambda: iter([DOCUMENT]),
        lambda: (part for part in DOCUMENT),
        lambda: ["<l><item>a &", "", "</item></l>"],
    ],
    "a URL": [lambda: Path("a.xml").absolute().as_uri(), lambda: [Path("a.xml").absolute().as_uri()]],
    "a pattern": [lambda: "[ab].xml", lambda: Path("?.xml"), lambda: ["[ab].xml"]],
    "a list of several": [lambda: [Path("a.xml"), Path("b.xml")], lambda: Path().glob("?.xml")],
    "a Range": [lambda: ranges.split("a.xml")[0], lambda: ranges.split("a.xml")],
    "": [lambda: None, lambda: 3, object],
}


#: Kinds of which a call may take a name for that of a file, so that it raises FileNotFoundError.
NAMES = {"a URL", "a pattern"}
SEVERAL = {"a pattern", "a list of several"}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.xml", "b.xml"):
        Path(name).write_text(DOCUMENT)


def zipped(source):
    """Return a source whose documents are in ZIP containers, where there are any."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as written:
        written.writestr("a.xml", DOCUMENT)
    for name in ("a.xml", "b.xml"):
        Path(name).write_bytes(data.getvalue())
    return data if hasattr(source, "read") else data.getvalue() if hasattr(source, "hex") else source


@pytest.mark.parametrize("call", TAKEN)
@pytest.mark.parametrize("kind", SOURCES)
def test_each_source_of_each_call(call, kind):
    """A call reads it, or raises one and the same exception."""
    need_for(call)
    is_read = kind in TAKEN[call]
    for make in SOURCES[kind]:
        source = make()
        if isinstance(source, str) and call in {"fromstringlist", "repair_iter"}:
            continue  # it is the document
        if call == "containers.repair":
            if isinstance(source, list) and hasattr(source[0], "read"):
                source = source[0]
            source = zipped(source)
        if is_read:
            assert CALLS[call](source) == ["a &"] * (2 if kind in SEVERAL else 1)
            continue
        what = kind or type(source).__name__
        # What an iterator has shows when it is read.
        own = (
            "an iterable of chunks|a list of several"
            if hasattr(source, "__next__") and not hasattr(source, "read")
            else what
        )
        is_name = kind in NAMES and "a path" in TAKEN[call]
        if kind in NAMES and not is_name:
            continue  # text in lists is no name, and other text is a path
        error, begin = (FileNotFoundError, r"No such file or directory; ") if is_name else (TypeError, "^")
        with pytest.raises(error, match=rf"{begin}{call} takes .*{TAKEN[call][-1]}, not ({own})([;,]|$)"):
            CALLS[call](source)


def test_the_page_says_what_is_taken():
    """Of the calls that are for files; the others say it in their own descriptions."""
    page = Path(xml5tree.__file__).parents[1].joinpath("docs/streaming.md").read_text("utf-8")
    rows = page.partition("| taken by |\n")[2].partition("\n\n")[0].splitlines()[1:]
    calls = [row.split("|")[2].replace("tables", "`read_table`, `read_frame`, `record_batches`") for row in rows]
    found = [set(re.findall("`([^`]+)`", names)) for names in calls]
    expected = [{call for call, taken in TAKEN.items() if kind in taken} for kind in ("a path", "a URL", "a pattern")]
    expected[0] -= {"ranges.split", "containers.repair"}
    assert found == expected
    assert expected[2] == {call for call, taken in TAKEN.items() if "a list of several" in taken}


#: Calls that read one document from a path or chunks, and those that read several.
OF_ONE = [
    call
    for call, taken in TAKEN.items()
    if "an iterable of chunks" in taken and "a path" in taken and "a list of several" not in taken
]
OF_SEVERAL = [call for call, taken in TAKEN.items() if "a path" in taken and "a list of several" in taken]


@pytest.mark.parametrize("call", [*OF_ONE, *OF_SEVERAL])
def test_names(call):
    """Text in a list is a name if it looks like one."""
    need_for(call)
    for source in (["a.xml"], ("a.xml",)):
        assert CALLS[call](source) == ["a &"]
    for source in ("c.xml", ["c.xml"], [Path("c.xml")], Path("c.xml"), "c*.xml", ["c*.xml"]):
        with pytest.raises(FileNotFoundError):
            CALLS[call](source)
    Path("[a].xml").write_text(DOCUMENT)  # a file whose name is a pattern
    assert CALLS[call]("[a].xml") == CALLS[call](["[a].xml"]) == ["a &"]


@pytest.mark.parametrize("call", OF_SEVERAL)
def test_lists_of_all_kinds(call):
    need_for(call)
    url = Path("a.xml").absolute().as_uri()
    assert CALLS[call](["?.xml", url, Path("b.xml")]) == ["a &"] * 4
    if call != "ranges.split":
        assert CALLS[call]([io.StringIO(DOCUMENT), "a.xml"]) == ["a &"] * 2
    with pytest.raises(ValueError, match="the list is empty"):
        CALLS[call]([])


@pytest.mark.parametrize("call", ["fromstringlist", "repair_iter"])
def test_text_is_never_a_name_for_calls_with_chunks(call):
    for source in ("a.xml", ["a.xml"], iter(["a.xml"])):
        with pytest.raises(xml5tree.ParseError, match="no root element"):
            CALLS[call](source)
    assert CALLS[call](DOCUMENT) == ["a &"]


@pytest.mark.parametrize("call", OF_ONE)
def test_text_that_names_nothing_is_a_chunk(call):
    for source in (["text"], ["\0"], [""], []):
        with suppress(xml5tree.ParseError):
            assert not CALLS[call](source)
