"""How fast `xml5tree.records` is beside bare `xml5tree.iterparse`: the table in docs/internals/records.md.

usage: python -m compat.records_speed [--megabytes N] [--rounds N] [--backend NAME] [--only TABLE] [--write]

Both read the same document from memory in parts of 64 KiB. As elements, both only count the records; with fields, both
look at three values in each: `iterparse` by `findtext` and `get`; it clears each element after that. The two take
turns. A figure is the ratio of the least processor times of all rounds, 1 being as fast as `iterparse`; before each
reading, garbage is collected and free memory is given back to the system.

The second table is of tables: five fields of each record of the smaller kind, as a table of Arrow, beside lxml's and
ElementTree's `iterparse` by hand, and `pandas.read_xml`. What refuses the broken document is not in its row.

The third is of shapes of records and of two real files: MB/s of `record_batches` with and without fields, by intent and
by the draft, of lxml's `iterparse` by hand, and of xml2arrow where that is installed, in one run.

The fourth is of ranges: the time of `xml5tree.ranges.read` for a whole file, divided by that of `records`.

The fifth is of large files into Parquet: processor time and peak memory of a process that reads a feed and writes its
columns; in the broken feed, every fiftieth record has a fault, and a namespace is not declared.

--write puts the tables into docs/internals/records.md; --only has one of them, and the fifth is made only by it.
"""

import argparse
import io
import math
import platform
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree
from xml.parsers import expat

import xml5tree
from compat.engines_scale import ITEM, TEXT
from compat.pages import write_part
from compat.peak_memory import peak_memory, release_memory
from xml5tree import ranges
from xml5tree.options import Recovery

_PAGE: Final = Path(__file__).parent.parent / "docs/internals/records.md"
_BEGIN: Final = "<!-- made by python -m compat.records_speed --write -->\n"
_END: Final = "<!-- end -->\n"
_PART: Final = 1 << 16
_BEGIN_TABLES: Final = "<!-- made by python -m compat.records_speed --only tables --write -->\n"
_COLUMNS: Final = ("id", "title", "link", "author", "n")
_PATHS: Final = {"id": "@id", "title": "title", "link": "link", "author": "author", "n": "n"}
_BATCH: Final = 4096
_BEGIN_SHAPES: Final = "<!-- made by python -m compat.records_speed --only shapes --write -->\n"
_BEGIN_RANGES: Final = "<!-- made by python -m compat.records_speed --only ranges --write -->\n"
_BEGIN_FILES: Final = "<!-- made by python -m compat.records_speed --only files --write -->\n"
FIELDS: Final = {"title": "title", "link": "link", "id": "@id"}
#: The beginnings of records; in the broken document, every fourth has the fault.
SMALL: Final = (
    '<item id="{0}"><title>Story {0} {1} more</title><link>http://example.org/{0}</link><author>someone</author>'
    "<description>lorem ipsum dolor sit amet</description><n>{0}</n></item>\n"
)
_LARGE: Final = (
    '<item id="{0}"><title>Story {0} {1} more</title><link>http://example.org/{0}</link>'
    + "<p>lorem ipsum dolor sit amet, consectetur adipiscing <b>elit</b></p>\n" * 20
    + "</item>\n"
)
DOCUMENTS: Final = {
    "5 tags, well-formed": (SMALL, 0),
    "5 tags, broken": (SMALL, 4),
    "42 tags, well-formed": (_LARGE, 0),
    "42 tags, broken": (_LARGE, 4),
}
#: Faults, each a part of a record of `compat.engines_scale`, and what is there instead.
_UNQUOTED: Final = ('id="{0}"', "id={0}")
_OPEN_QUOTE: Final = ('id="{0}"', 'id="{0}')
_OTHER_END: Final = ("</author>", "</Author>")
_NO_END: Final = ("</description>", "")
_NO_END_OF_RECORD: Final = ("</item>", "")
#: Documents: every so manieth record has one of these faults, which take turns.
RANGE_DOCUMENTS: Final = {
    "well-formed": (1, [("", "")]),
    "every 50th with one of four faults": (50, [("{1}", "&"), _UNQUOTED, _OTHER_END, _NO_END]),
    "every 50th with a quote that is not closed": (50, [_OPEN_QUOTE]),
    "all with the same tag missing inside": (1, [_NO_END]),
    "without end tags": (1, [_NO_END_OF_RECORD]),
}


def make(record: str, broken: int, size: int) -> bytes:
    """A document of about so many bytes; every so manieth record has an error, or none."""
    parts = ["<rss><channel>"]
    length = number = 0
    while length < size:
        number += 1
        parts.append(record.format(number, "&" if broken and not number % broken else "and"))
        length += len(parts[-1])
    return "".join([*parts, "</channel></rss>"]).encode()


def parts_of(data: bytes) -> Iterator[bytes]:
    """The document as a file gives it."""
    for start in range(0, len(data), _PART):
        yield data[start : start + _PART]


def _events(data: bytes, backend: str) -> Iterator[Any]:
    """The elements, as `iterparse` is mostly used."""
    for _, element in xml5tree.iterparse(parts_of(data), backend=backend, tag="item", recovery="draft"):
        yield element
        element.clear()


def bare_elements(data: bytes, backend: str) -> int:
    """Count the records with `iterparse`."""
    return sum(1 for _ in _events(data, backend))


def bare_fields(data: bytes, backend: str) -> int:
    """Find values with `iterparse`."""
    found = (
        (element.findtext("title"), element.findtext("link"), element.get("id")) for element in _events(data, backend)
    )
    return sum(1 for _ in found)


def records_elements(data: bytes, backend: str) -> int:
    """Count the records with `records`."""
    return sum(1 for _ in xml5tree.records(parts_of(data), "item", backend=backend, recovery="draft"))


def records_fields(data: bytes, backend: str) -> int:
    """Find values with `records`."""
    records = xml5tree.records(parts_of(data), "item", fields=FIELDS, backend=backend, recovery="draft")
    found = ((record["title"], record["link"], record["id"]) for record in records)
    return sum(1 for _ in found)


WAYS: Final = {"elements": (bare_elements, records_elements), "fields": (bare_fields, records_fields)}


def _seconds(read: Callable[[bytes, str], int], data: bytes, backend: str) -> tuple[float, int]:
    release_memory()
    start = time.process_time()
    count = read(data, backend)
    return time.process_time() - start, count


def ratio(data: bytes, backend: str, way: str, rounds: int) -> tuple[float, float]:
    """How many times as fast records are as `iterparse`, and how many thousand records a second there are."""
    least = [math.inf, math.inf]
    for number in range(rounds):
        for place in (0, 1) if number % 2 else (1, 0):
            seconds, count = _seconds(WAYS[way][place], data, backend)
            least[place] = min(least[place], seconds)
    return least[0] / least[1], count / least[1] / 1000


def table(megabytes: float, rounds: int, backends: list[str]) -> str:
    """The table, as Markdown."""
    lines = ["| records | backend | as | × `iterparse` | records/s |\n|---|---|---|--:|--:|\n"]
    for name, (record, broken) in DOCUMENTS.items():
        data = make(record, broken, int(megabytes * 1e6))
        for backend in backends:
            for way in WAYS:
                found, rate = ratio(data, backend, way, rounds)
                lines.append(f"| {name} | {backend} | {way} | {found:.2f} | {rate:,.0f} 000 |\n")
                print(lines[-1], end="", flush=True)
    return "".join(lines)


# Tables ---------------------------------------------------------------------------------------------------------------


def _by_hand(events: Any) -> int:
    """Make a table of the elements that events of another library have, as one writes it by hand."""
    import pyarrow

    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    batches = []
    for _, element in events:
        if element.tag != "item":
            continue
        for name in _COLUMNS[1:]:
            columns[name].append(element.findtext(name))
        columns["id"].append(element.get("id"))
        element.clear()
        if len(columns["id"]) == _BATCH:
            batches.append(pyarrow.RecordBatch.from_pydict(columns))
            columns = {name: [] for name in _COLUMNS}
    batches.append(pyarrow.RecordBatch.from_pydict(columns))
    return sum(batch.num_rows for batch in batches)


def table_of_lxml(data: bytes) -> int:
    """lxml's `iterparse`, which drops the elements before those that are read."""
    from lxml import etree

    def events() -> Iterator[Any]:
        for event, element in etree.iterparse(io.BytesIO(data), tag="item", huge_tree=True):
            yield event, element
            while element.getprevious() is not None:
                del element.getparent()[0]

    return _by_hand(events())


def table_of_etree(data: bytes) -> int:
    """ElementTree's `iterparse`."""
    return _by_hand(ElementTree.iterparse(io.BytesIO(data)))


def table_of_pandas(data: bytes) -> int:
    """`pandas.read_xml`, which wants a path."""
    import pandas

    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        file.write(data)
        file.flush()
        return len(pandas.read_xml(file.name, iterparse={"item": list(_COLUMNS)}))


def table_of_records(data: bytes) -> int:
    """`record_batches`, columns of strings."""
    batches = xml5tree.record_batches(parts_of(data), fields=_PATHS)
    return sum(batch.num_rows for batch in batches)


def table_of_types(data: bytes) -> int:
    """`read_table`, whose types are inferred."""
    return int(xml5tree.read_table(parts_of(data), fields=_PATHS).num_rows)


TABLES: Final = {
    "lxml, `iterparse` by hand": table_of_lxml,
    "ElementTree, `iterparse` by hand": table_of_etree,
    "`pandas.read_xml(iterparse=…)`": table_of_pandas,
    "`record_batches`": table_of_records,
    "`read_table`": table_of_types,
}


def tables(megabytes: float, rounds: int) -> str:
    """The table of tables, as Markdown; both documents have the same size, and nearly the same number of records."""
    documents = [make(SMALL, broken, int(megabytes * 1e6)) for broken in (0, 50)]
    least = {name: [math.inf, math.inf] for name in TABLES}
    counts = [document.count(b"</item>") for document in documents]
    for _ in range(rounds):
        for name, read in TABLES.items():
            for place, document in enumerate(documents):
                release_memory()
                start = time.process_time()
                try:
                    count = read(document)
                except (ElementTree.ParseError, SyntaxError):  # which lxml's exception is one of, too
                    continue
                except ImportError:
                    break
                least[name][place] = min(least[name][place], time.process_time() - start)
                assert count == counts[place], (name, count)
    lines = [
        "| table by | records/s | × lxml by hand | records/s, broken | time, broken ÷ clean |\n|---|--:|--:|--:|--:|\n"
    ]
    slowest = least["lxml, `iterparse` by hand"][0]
    for name, (clean, broken) in least.items():
        if clean < math.inf:
            rate = of_clean = "refused"
            if broken < math.inf:
                rate, of_clean = f"{counts[1] / broken / 1000:,.0f} 000", f"{broken / clean:.2f}"
            clean_rate = f"{counts[0] / clean / 1000:,.0f} 000"
            lines.append(f"| {name} | {clean_rate} | {slowest / clean:.2f} | {rate} | {of_clean} |\n")
    print("".join(lines[1:]), end="", flush=True)
    return "".join(lines)


# Shapes ---------------------------------------------------------------------------------------------------------------

_WORDS: Final = "lorem ipsum dolor sit amet consectetur " * 10
_PLAIN_FIELDS: Final = {"id": "@id", "name": "name", "price": "price", "text": "text"}
_MANY: Final = range(195)


def _shape(inner: str, start: str = '<item id="{0}">') -> str:
    return f"{start}<name>n {{0}}</name>{inner}<text>{_WORDS}</text></item>\n"


#: The record and the fields of each shape; the root declares the prefix.
SHAPES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "flat": (_shape("<id>{0}</id><price>{0}.5</price>", "<item>"), _PLAIN_FIELDS | {"id": "id"}),
    "attribute": (_shape("<price>{0}.5</price>"), _PLAIN_FIELDS),
    "child's attribute": (_shape('<price in="EUR">{0}.5</price>'), _PLAIN_FIELDS | {"in": "price/@in"}),
    "list": (_shape("<price>{0}.5</price><tag>a</tag><tag>b</tag>"), _PLAIN_FIELDS | {"tags": ["tag"]}),
    "nested": (_shape("<price>1</price><tags><tag>a</tag><tag>b</tag></tags>"), _PLAIN_FIELDS | {"tags": ["tags/tag"]}),
    "CDATA": (_shape("<price><![CDATA[<b>{0}</b>]]></price>"), _PLAIN_FIELDS),
    "prefixed": (_shape("<g:price>{0}.5</g:price>"), _PLAIN_FIELDS | {"price": "{u}price"}),
    "comment": (_shape("<!-- c --><price>{0}.5</price>"), _PLAIN_FIELDS),
    "five deep": (_shape("<a><b><c><d><e>{0}</e></d></c></b></a>"), _PLAIN_FIELDS | {"price": "a/b/c/d/e"}),
    "mixed": (_shape("<price>{0} <b>bold</b> and <i>it</i></price>"), _PLAIN_FIELDS),
    "200 columns": (
        _shape("<price>1</price>" + "".join(f"<f{i}>v{i}</f{i}>" for i in _MANY)),
        _PLAIN_FIELDS | {f"f{i}": f"f{i}" for i in _MANY},
    ),
}


#: Real files, as Debian's shared-mime-info and unicode-cldr-core install them, with the tags and the fields of records.
FILES: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "freedesktop.org.xml": (
        "/usr/share/mime/packages/freedesktop.org.xml",
        "{http://www.freedesktop.org/standards/shared-mime-info}mime-type",
        {"type": "@type", "names": ["{*}comment"], "patterns": ["{*}glob/@pattern"], "icon": "{*}generic-icon/@name"},
    ),
    "CLDR": (
        "/usr/share/unicode/cldr/common/annotationsDerived/ml.xml",
        "annotation",
        {"cp": "@cp", "type": "@type", "text": "."},
    ),
}


def _shape_by_xml2arrow(data: bytes, fields: dict[str, Any], folder: str) -> Callable[[], int] | None:
    """Return what makes a batch by xml2arrow, None where it is not installed, or has no such values."""
    try:
        from xml2arrow import XmlToArrowParser  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    if not all(isinstance(path, str) for path in fields.values()):
        return None
    columns = "".join(
        f"\n      - {{name: {name}, xml_path: '/r/item/{path.rpartition('}')[2]}', data_type: Utf8, nullable: true}}"
        for name, path in fields.items()
    )
    config = Path(folder, "config.yaml")
    config.write_text(f"tables:\n  - name: items\n    xml_path: /r\n    levels: []\n    fields:{columns}\n")
    parser = XmlToArrowParser(str(config))
    return lambda: int(parser.parse(data)["items"].num_rows)


def _rows_by_hand(
    source: Any, tag: str, fields: dict[str, Any], write: Callable[[Any], object] = lambda batch: None
) -> int:
    """Make batches of the elements of lxml's `iterparse`, as one writes it by hand, and give each to `write`."""
    import pyarrow
    from lxml import etree

    def value(element: Any, path: Any) -> Any:
        if not isinstance(path, str):
            path, at, attribute = path[0].rpartition("/@")
            found = element.findall(path if at else attribute)
            return [child.get(attribute) if at else child.text for child in found]
        if path == ".":
            return element.text
        path, at, attribute = path.rpartition("@")
        if not at:
            return element.findtext(attribute)
        found = element.find(path.rstrip("/")) if path else element
        return None if found is None else found.get(attribute)

    schema = _text_schema(fields)
    columns: dict[str, list[Any]] = {name: [] for name in fields}
    count = 0
    for _, element in etree.iterparse(source, tag=tag, huge_tree=True):
        for name, path in fields.items():
            columns[name].append(value(element, path))
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
        count += 1
        if not count % _BATCH:
            write(pyarrow.RecordBatch.from_pydict(columns, schema))
            columns = {name: [] for name in fields}
    write(pyarrow.RecordBatch.from_pydict(columns, schema))
    return count


def _text_schema(fields: dict[str, Any]) -> Any:
    import pyarrow

    text = pyarrow.string()
    return pyarrow.schema(
        [(name, text if isinstance(path, str) else pyarrow.list_(text)) for name, path in fields.items()]
    )


def _documents(megabytes: float) -> Iterator[tuple[str, bytes, str, dict[str, Any]]]:
    """Yield shapes and real files: names, documents, tags and fields."""
    for name, (record, fields) in SHAPES.items():
        parts = ["<r xmlns:g='u'>\n"]
        while len(parts) * len(record) < megabytes * 1e6:
            parts.append(record.format(len(parts)))
        yield name, "".join([*parts, "</r>"]).encode(), "item", fields
    for name, (path, tag, fields) in FILES.items():
        if Path(path).exists():
            yield name, Path(path).read_bytes(), tag, fields


def shapes(megabytes: float, rounds: int) -> str:
    """The table of shapes, as Markdown."""
    head = "| records | by hand | with fields | × | draft | × | without fields | xml2arrow |\n"
    lines = [head + "|---|--:|--:|--:|--:|--:|--:|--:|\n"]
    for name, data, tag, fields in _documents(megabytes):

        def batches(data: bytes = data, tag: str = tag, **options: Any) -> int:
            found = xml5tree.record_batches(io.BytesIO(data), tag, sample=1_000_000, **options)
            return sum(batch.num_rows for batch in found)

        with tempfile.TemporaryDirectory() as folder:
            ways = [
                lambda data=data, tag=tag, fields=fields: _rows_by_hand(io.BytesIO(data), tag, fields),
                lambda read=batches, fields=fields: read(fields=fields),
                lambda read=batches, fields=fields: read(fields=fields, recovery="draft"),
                batches,
            ]
            other = _shape_by_xml2arrow(data, fields, folder) if tag == "item" else None
            if other is not None:
                ways.append(other)
            least = [math.inf] * len(ways)
            for _ in range(rounds):
                counts = set()
                for place, way in enumerate(ways):
                    release_memory()
                    start = time.process_time()
                    counts.add(way())
                    least[place] = min(least[place], time.process_time() - start)
                assert len(counts) == 1, (name, counts)
        by_hand, intent, draft, without, *others = (len(data) / seconds / 1e6 for seconds in least)
        lines.append(
            f"| {name} | {by_hand:.0f} | {intent:.0f} | {intent / by_hand:.1f} | {draft:.0f} | {draft / by_hand:.1f} "
            f"| {without:.0f} | {f'{others[0]:.0f}' if others else '-'} |\n"
        )
        print(lines[-1], end="", flush=True)
    return "".join(lines)


# Ranges ---------------------------------------------------------------------------------------------------------------


def make_broken(faults: list[tuple[str, str]], every: int, size: int) -> bytes:
    """A document of about so many bytes; every so manieth record has one of the faults."""
    parts = ["<rss><channel>\n"]
    length = number = 0
    while length < size:
        number += 1
        before, after = ("", "") if number % every else faults[number // every % len(faults)]
        parts.append((ITEM.replace(before, after) if before else ITEM).format(number, "and", TEXT))
        length += len(parts[-1])
    return "".join([*parts, "</channel></rss>"]).encode()


def ranges_ratio(path: str, recovery: Recovery, rounds: int) -> float:
    """How many times as long `read` of a whole file takes as `records`; the two take turns."""
    part = ranges.Range(path)
    ways: tuple[Callable[[], Any], ...] = (
        lambda: xml5tree.records(path, recovery=recovery),
        lambda: ranges.read(part, recovery=recovery),
    )
    least = [math.inf, math.inf]
    for _ in range(rounds):
        for place, way in enumerate(ways):
            release_memory()
            start = time.process_time()
            for _record in way():
                pass
            least[place] = min(least[place], time.process_time() - start)
    return least[1] / least[0]


def ranges_table(megabytes: float, rounds: int) -> str:
    """The table of ranges, as Markdown; its records are larger, so that documents have four times the size."""
    lines = ["| records | draft | intent |\n|---|--:|--:|\n"]
    with tempfile.NamedTemporaryFile(suffix=".xml") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", xml5tree.RowsWarning)
        for name, (every, faults) in RANGE_DOCUMENTS.items():
            Path(file.name).write_bytes(make_broken(faults, every, int(4e6 * megabytes)))
            draft, intent = (ranges_ratio(file.name, recovery, rounds) for recovery in ("draft", "intent"))
            lines.append(f"| {name} | {draft:.2f} | {intent:.2f} |\n")
            print(lines[-1], end="", flush=True)
    return "".join(lines)


# Files ----------------------------------------------------------------------------------------------------------------

_NEWS: Final = (
    "<item><title>Story {0} &amp; more</title><link>https://example.org/stories/{0}?a=1&amp;b=2</link>"
    '<guid isPermaLink="false">{0}</guid><dc:creator>someone</dc:creator><category>a</category><category>b</category>'
    '<media:content url="https://example.org/{0}.jpg" width="640"/><description>' + TEXT + "</description></item>\n"
)
_NEWS_FAULTS: Final = (
    ("1&amp;b", "1&b"),
    ("</title>", ""),
    ('width="640"', "width=640"),
    ("<dc:creator>", "<dc:creator>&nbsp;"),
    ("</category><category>", "</catgory><category>"),
    ("<description>", "<description><p>"),
    ('url="', 'url="" url="'),
    ("lorem", "5 < 6"),
)
_NEWS_FIELDS: Final = {
    "title": "title",
    "link": "link",
    "guid": "guid",
    "creator": "{http://purl.org/dc/elements/1.1/}creator",
    "categories": ["category"],
    "image": "{*}content/@url",
    "description": "description",
}
_DECLARATION: Final = " xmlns:media='http://search.yahoo.com/mrss/'"


def _make_news(path: Path, size: int, *, is_broken: bool) -> None:
    """Make a feed of about so many bytes."""
    with path.open("w") as file:
        declaration = "" if is_broken else _DECLARATION
        length = file.write(f"<rss xmlns:dc='http://purl.org/dc/elements/1.1/'{declaration}><channel>\n")
        number = 0
        while length < size:
            fault = _NEWS_FAULTS[number // 50 % len(_NEWS_FAULTS)] if is_broken and not number % 50 else ("", "")
            length += file.write((_NEWS.replace(*fault, 1) if fault[0] else _NEWS).format(number))
            number += 1
        file.write("</channel></rss>\n")


def _parquet_by_hand(path: str, write: Callable[[Any], object]) -> int:
    return _rows_by_hand(path, "item", _NEWS_FIELDS, write)


def _parquet_of_batches(path: str, write: Callable[[Any], object]) -> int:
    count = 0
    for batch in xml5tree.record_batches(path, fields=_NEWS_FIELDS):
        write(batch)
        count += batch.num_rows
    return count


def _parquet_of_table(path: str, write: Callable[[Any], object]) -> int:
    table = xml5tree.read_table(path, fields=_NEWS_FIELDS, schema=_text_schema(_NEWS_FIELDS))
    for batch in table.to_batches():
        write(batch)
    return int(table.num_rows)


def _into_parquet(make: Callable[[str, Callable[[Any], object]], int], path: str) -> tuple[int, float, int]:
    """Write the columns of a feed; return the rows, seconds of processor time, and peak memory in megabytes."""
    from pyarrow.parquet import ParquetWriter

    with tempfile.TemporaryFile() as file, ParquetWriter(file, _text_schema(_NEWS_FIELDS)) as writer:
        start = time.process_time()
        count = make(path, writer.write_batch)
    return count, time.process_time() - start, peak_memory() >> 20


def files(megabytes: float, rounds: int) -> str:
    """The table of files, as Markdown; they have 75 times the size of the other documents."""
    ways = (
        ("lxml, `iterparse` by hand", _parquet_by_hand, False),
        ("`record_batches`", _parquet_of_batches, False),
        ("`record_batches`", _parquet_of_batches, True),
        ("`read_table`", _parquet_of_table, False),
        ("`read_table`", _parquet_of_table, True),
    )
    lines = ["| by | feed | s | × lxml | peak MB |\n|---|---|--:|--:|--:|\n"]
    with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        paths = [Path(folder, "clean.xml"), Path(folder, "broken.xml")]
        for is_broken, path in enumerate(paths):
            _make_news(path, int(75e6 * megabytes), is_broken=bool(is_broken))
        least = [math.inf] * len(ways)
        peaks = [0] * len(ways)
        counts = set()
        for _ in range(rounds):
            for place, (_, make, is_broken) in enumerate(ways):
                count, seconds, peak = pool.apply(_into_parquet, (make, str(paths[is_broken])))
                least[place], peaks[place] = min(least[place], seconds), max(peaks[place], peak)
                counts.add((is_broken, count))
        assert len(counts) == 2, counts
    for (name, _, is_broken), seconds, peak in zip(ways, least, peaks, strict=True):
        words = "broken" if is_broken else "well-formed"
        lines.append(f"| {name} | {words} | {seconds:.1f} | {seconds / least[0]:.2f} | {peak} |\n")
    print("".join(lines[1:]), end="", flush=True)
    return "".join(lines)


def _main() -> None:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--megabytes", type=float, default=4, help="size of each document")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--backend", choices=["etree", "lxml"])
    parser.add_argument("--only", choices=["records", "tables", "shapes", "ranges", "files"])
    parser.add_argument("--write", action="store_true", help="put the table into docs/internals/records.md")
    given = parser.parse_args()
    if given.only in (None, "records"):
        _write(
            _BEGIN, table(given.megabytes, given.rounds, [given.backend] if given.backend else ["etree", "lxml"]), given
        )
    if given.only in (None, "tables"):
        _write(_BEGIN_TABLES, tables(given.megabytes, given.rounds), given)
    if given.only in (None, "shapes"):
        _write(_BEGIN_SHAPES, shapes(given.megabytes, given.rounds), given)
    if given.only in (None, "ranges"):
        _write(_BEGIN_RANGES, ranges_table(given.megabytes, given.rounds), given)
    if given.only == "files":
        _write(_BEGIN_FILES, files(given.megabytes, given.rounds), given)


def _write(begin: str, rows: str, given: argparse.Namespace) -> None:
    """Put a table into the page, if that is wanted."""
    if given.write:
        made = f"{rows}\nMade with CPython {platform.python_version()}, {expat.EXPAT_VERSION.replace('_', ' ')}.\n"
        write_part(_PAGE, begin, _END, f"\n{made}")


if __name__ == "__main__":
    _main()
