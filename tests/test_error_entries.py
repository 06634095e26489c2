"""Entries as values, the names of documents in them, summaries, logging and warnings."""

import copy
import dataclasses
import gzip
import io
import json
import logging
import pickle
import urllib.request
import warnings
from pathlib import Path

import lxml.html
import pytest
from support.commands import run_command
from support.splits import splits

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from xml5tree.dialects import make_settings
from xml5tree.documents import name_of
from xml5tree.errors import Tally
from xml5tree.errors.faults import Faults, faults_of

BROKEN = "<a b=c>x & y</a>"


def log_of(document, backend="lxml", **options):
    parser = xml5tree.XMLParser(backend=backend, **options)
    try:
        xml5tree.fromstring(document, parser=parser)
    except xml5tree.ParseError as error:
        return error.errors
    return parser.error_log


# Plain values.


def test_entry_is_a_plain_value():
    entry = log_of(BROKEN, filename="a.xml")[0]
    assert (entry.code, entry.line, entry.column, entry.filename) == ("unquoted-attribute-value", 1, 5, "a.xml")
    assert json.loads(json.dumps(entry.as_dict())) == entry.as_dict()
    for copied in (copy.copy(entry), copy.deepcopy(entry), pickle.loads(pickle.dumps(entry))):
        assert (copied, hash(copied)) == (entry, hash(entry))
    assert entry != dataclasses.replace(entry, line=2)
    assert entry != entry.as_dict()
    with pytest.raises(AttributeError):
        entry.line = 3
    with pytest.raises(AttributeError):
        del entry.line
    with pytest.raises(TypeError):
        entry[0]


def test_confidence_is_that_of_what_was_assumed():
    many = log_of("<r><a>1</a><a>2<a>3</a><b h='say 'x' now'/>x & y</r>")
    assert {entry.code: entry.confidence is not None for entry in many} == {
        "assumed-end-before": True,
        "assumed-quotes": True,
        "unescaped-ampersand": False,
    }
    least = min(entry.confidence for entry in many if entry.confidence is not None)
    assert (many.confidence, 0 < least < 1) == (least, True)
    assert log_of("<r><a>1</a><a>2<a>3</a><b h='say 'x' now'/>x & y</r>", max_errors=0).confidence == least
    assert log_of("<r>x & y</r>").confidence is None
    assert log_of("<r/>").confidence is None
    assert log_of("<r><a>1</a><a>2<a>3</a></r>", recovery="draft").confidence is None
    copied = xml5tree.ErrorLog(many)
    assert copied.confidence == least
    assert pickle.loads(pickle.dumps(many[0])).confidence == many[0].confidence


def test_entry_is_a_dataclass():
    entry = log_of(BROKEN)[0]
    assert dataclasses.asdict(entry) == entry.as_dict()
    assert [field.name for field in dataclasses.fields(entry)] == list(entry.as_dict())
    assert dataclasses.is_dataclass(xml5tree.ErrorEntry)


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    log = log_of(BROKEN)
    for frame in (pandas.DataFrame(log.as_dicts()), pandas.DataFrame(list(log))):
        assert list(frame["code"]) == ["unquoted-attribute-value", "unescaped-ampersand"]
        assert list(frame["column"]) == [5, 9]


@pytest.mark.parametrize("count", [0, 1, 20, 21, 12_000])
def test_table_for_notebooks(count):
    """A notebook shows the first entries of a log and the number of all; nothing of the document is markup there."""
    log = log_of(f"<a>{'</b&amp;>' * count}</a>", recovery="draft", filename="<script>", max_errors=30)
    page = lxml.html.fromstring(log._repr_html_())
    assert not page.xpath("//script")
    caption = page.findtext("caption")
    assert caption.startswith(f"<script>: {count:,} error")
    assert ("the first 20" in caption) == (count > 20)
    rows = [[cell.text for cell in row] for row in page.iterfind("tbody/tr")]
    assert rows == [[f"{it.line}:{it.column}", it.code, it.effect, it.message] for it in log[:20]]
    assert all("</b&amp;>" in message for *_, message in rows)


# The names of documents.


class Named(io.BytesIO):
    def __init__(self, document, **attributes):
        super().__init__(document.encode())
        vars(self).update(attributes)


class URL:
    """The URL of a response of httpx."""

    def __str__(self):
        return "https://example.org/feed"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("feed.xml", "feed.xml"),
        (Path("feeds/a.xml"), str(Path("feeds/a.xml"))),
        (Named("", name="b.xml"), "b.xml"),
        (Named("", name=b"b.xml"), "b.xml"),
        (Named("", name=3), None),
        (Named("", name="<urllib response>", url="https://example.org/feed"), "https://example.org/feed"),
        (Named("", url=URL()), "https://example.org/feed"),
        (Named("", url=None), None),
        (gzip.GzipFile(fileobj=io.BytesIO(), mode="w"), None),
        (io.BytesIO(), None),
        (["<a/>"], None),
        (b"<a/>", None),
    ],
)
def test_name(source, name):
    assert name_of(source) == name


def readers():
    """Ways to read a source, each a function that gives the error log."""

    def parsed(source, backend):
        parser = xml5tree.XMLParser(backend=backend)
        xml5tree.parse(source, parser=parser)
        return parser.error_log

    def parsed_by_the_stand_in(source):
        parser = xml5tree.ElementTree.XMLParser()
        xml5tree.ElementTree.parse(source, parser)
        return parser.error_log

    def parsed_like_lxml(source):
        parser = xml5tree.lxml.etree.XMLParser()
        xml5tree.lxml.etree.parse(source, parser)
        return parser.error_log

    def exhausted(stream):
        for _ in stream:
            pass
        return stream.error_log

    def opened(source):
        with xml5tree.open(source) as file:
            file.read()
            return file.error_log

    yield "etree", lambda source: parsed(source, "etree")
    yield "lxml", lambda source: parsed(source, "lxml")
    yield "stand-in", parsed_by_the_stand_in
    yield "like-lxml", parsed_like_lxml
    yield "iterparse", lambda source: exhausted(xml5tree.iterparse(source))
    yield "iterparse-like-lxml", lambda source: exhausted(xml5tree.lxml.etree.iterparse(source))
    yield "records", lambda source: exhausted(xml5tree.records(source, "a"))
    yield "open", opened


@pytest.mark.parametrize("read", [pytest.param(read, id=name) for name, read in readers()])
def test_names_in_logs(read, tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(BROKEN)
    with path.open("rb") as file:
        for source in (path, str(path), file):
            log = read(source)
            assert log.filename == str(path)
            assert [entry.filename for entry in log] == [str(path)] * 2
            at = (f"{path}:1:5: unquoted-attribute-value: ", f"{path}:1:6:FATAL:PARSER:ERR_ATTRIBUTE_NOT_STARTED: ")
            assert str(log[0]).startswith(at[hasattr(log, "filter_from_errors")])


@pytest.mark.parametrize("document", ["<a/>", "<a/>".encode("utf-16"), BROKEN])
@pytest.mark.parametrize("backend", ["etree", "lxml", "like-lxml"])
def test_name_does_not_depend_on_errors(backend, document):
    """The log of a document that the native parser reads names it, too."""
    for options, names in (({}, [None, "a.xml"]), ({"filename": "mine"}, ["mine", "mine"])):
        if backend == "like-lxml":
            parser = xml5tree.lxml.etree.XMLParser(**options)
        else:
            parser = xml5tree.XMLParser(backend=backend, **options)
        for given, name in zip([None, "a.xml"], names, strict=True):
            parser.parse_whole(document, given)
            assert parser.error_log.filename == name


def test_name_of_a_response(tmp_path):
    (tmp_path / "feed.xml").write_text(BROKEN)
    url = (tmp_path / "feed.xml").as_uri()
    parser = xml5tree.XMLParser()
    with urllib.request.urlopen(url) as response:
        xml5tree.parse(response, parser=parser)
    assert parser.error_log[0].filename == url


def test_option_overrules_the_name(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("no tag")
    for read in (xml5tree.parse, lambda *args, **options: list(xml5tree.iterparse(*args, **options))):
        with pytest.raises(xml5tree.ParseError, match=r"^mine: no root element"):
            read(path, filename="mine")


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize(
    ("document", "options"),
    [
        ("no tag", {}),
        ("<!DOCTYPE a><a/>", {"forbid_dtd": True}),
        ("<a>", {"recovery": "strict"}),
        ("<a", {"dialect": "leafxml"}),
    ],
)
def test_name_in_exceptions(document, options, backend, tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(document)
    with pytest.raises(xml5tree.ParseError) as caught:
        xml5tree.parse(path, backend=backend, **options)
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.filename == error.errors.filename == error.errors[0].filename == str(path)
    assert str(error).startswith(f"{path}: {error.reason}: line ")
    with pytest.raises(xml5tree.ParseError) as caught:
        xml5tree.fromstring(document, backend=backend, **options)
    assert caught.value.filename is None
    assert str(caught.value).startswith(caught.value.reason)


def test_parser_forgets_the_name(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(BROKEN)
    parser = xml5tree.XMLParser()
    xml5tree.parse(path, parser=parser)
    xml5tree.fromstring(BROKEN, parser=parser)
    assert parser.error_log.filename is None
    assert parser.error_log[0].filename is None


def test_sax_names_the_document(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(BROKEN)
    parser = xml5tree.sax.create_parser()
    parser.parse(str(path))
    assert parser.error_log[0].filename == str(path)


def test_exception_of_the_stand_in_for_lxml(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("no tag")
    with pytest.raises(xml5tree.lxml.etree.DocumentError) as caught:
        xml5tree.lxml.etree.parse(str(path))
    assert caught.value.filename == caught.value.errors[0].filename == str(path)


# Summaries.


@pytest.mark.parametrize(
    ("document", "summary"),
    [
        ("<a/>", {}),
        ("<a>x\1y</a>", {"control-character-in-input-stream": Tally(1, "lost")}),
        ("<a b='\1'/>", {"control-character-in-input-stream": Tally(1, "lost")}),
        (
            "<a c=1 b='\1'/>",
            {"unquoted-attribute-value": Tally(1, "kept"), "control-character-in-input-stream": Tally(1, "lost")},
        ),
        (
            "<a><!-- -- \1--></a>",
            {"coerced-comment": Tally(1, "kept"), "control-character-in-input-stream": Tally(1, "lost")},
        ),
        ("<r><?xml version='1.0'?></r>", {"misplaced-xml-declaration": Tally(1, "kept")}),
        (
            "<a>& & <b c=d></b></a>",
            {"unescaped-ampersand": Tally(2, "kept"), "unquoted-attribute-value": Tally(1, "kept")},
        ),
        ("x <r/>\n\n\n y", {"text-outside-root": Tally(2, "lost")}),
        ("<r/><r/>x<r/><r/>", {"element-after-root": Tally(1, "lost")}),
        ("<p:a q:b=''/>", {"undeclared-namespace-prefix": Tally(2, "kept")}),
        ("<r><a>x</a b='c' d></r e>", {"end-tag-with-attributes": Tally(2, "lost")}),
    ],
)
def test_summary(document, summary):
    log = log_of(document)
    assert log.summary() == summary
    assert list(log.summary()) == list(summary)
    assert sum(1 + len(fault.others) + fault.more for fault in log.faults()) == len(log)


#: What PHP writes before a feed: two lines.
PHP = """<br />
<b>Warning</b>:  Undefined variable $page in <b>/srv/feed.php</b> on line <b>3</b><br />
<?xml version="1.0"?><rss><channel><title>News</title></channel></rss>"""


def test_text_of_php_is_few_faults(tmp_path):
    log = log_of(PHP, recovery="draft")
    assert len(log) == 21
    faults = log.faults()
    assert len(faults) == 2
    assert faults[0].code == "element-after-root"
    assert faults[0].message.endswith("; 18 more errors outside the root element, up to line 3")
    path = tmp_path / "feed.xml"
    path.write_text(PHP)
    result = run_command("check", "--recovery", "draft", str(path))
    assert len([line for line in result.out.splitlines() if line.startswith(f"{path}:")]) == 3
    assert f"{path}: 2 errors; content is lost\n" in result.out


@pytest.mark.parametrize(
    ("document", "numbers"),
    [
        ("<t><tr>x</tr.31' lon='-12'/></t>", [11, 1]),  # that tag, and what it leaves open
        ("<t><b>x</t lon='-12'></b></t>", [10, 1, 1]),
        ("<t><b>x</c></b lon></t>", [1, 3]),  # two tags
        ("<t><b>x</c></b\n  lon></b></t>", [1, 3, 1]),
    ],
)
def test_an_end_tag_is_one_fault(document, numbers):
    faults = log_of(document, recovery="draft").faults()
    assert [1 + fault.more for fault in faults] == numbers


def test_what_is_equal_twice_loses_nothing():
    for tag in ("<a b='1' b='1'/>", "<a xmlns='u' xmlns='u'/>", "<p:a xmlns:p='u' xmlns:p='u'/>"):
        for recovery in ("draft", "intent"):
            (entry,) = log_of(f"<r>{tag}</r>", recovery=recovery)
            assert (entry.code, entry.effect) == ("duplicate-attribute", "kept")


def test_faults_do_not_depend_on_the_window():
    entries = list(log_of("<r>" + "<a b='\1'>x\2</a>" * 1000 + "</r>"))
    found = []
    faults = Faults(found.append)
    for entry in entries:
        faults.take(entry)
    faults.close()
    assert [str(fault) for fault in sorted(found, key=lambda fault: fault.entry.offset)] == list(
        map(str, faults_of(entries))
    )
    assert len(found) == 2000


# Logging and warnings.


def test_logger(caplog, tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<a b='1' b='2'>& <c>x</c><c></a>")
    entries = []
    with caplog.at_level(logging.INFO, "feeds"):
        for logger in ("feeds", logging.getLogger("feeds"), logging.LoggerAdapter(logging.getLogger("feeds"))):
            xml5tree.parse(path, logger=logger, on_error=entries.append)
    assert [record.levelname for record in caplog.records] == ["ERROR", "INFO", "WARNING"] * 3
    assert caplog.records[0].message == str(entries[0])
    if not isinstance(caplog.records[0], logging.LoggerAdapter):
        assert caplog.records[0].error_entry == entries[0]
    assert len(entries) == 9
    assert caplog.records[0].message.startswith(f"{path}:1:9: duplicate-attribute: ")


@pytest.mark.parametrize("dialect", ["xml5", "microxml"])
def test_logger_of_a_dialect(dialect, caplog):
    with caplog.at_level(logging.INFO):
        xml5tree.fromstring(BROKEN, dialect=dialect, logger="feeds")
    assert len(caplog.records) == 2


def test_warnings(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<a>\1<b>& &")
    for read in (
        lambda: xml5tree.parse(path, warnings=True),
        lambda: list(xml5tree.iterparse(path, warnings=True)),
        lambda: xml5tree.open(path, warnings=True).read(),
        lambda: xml5tree.ElementTree.parse(path, warnings=True),
        lambda: xml5tree.lxml.etree.parse(str(path), xml5tree.lxml.etree.XMLParser(warnings=True)),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read()
        (warning,) = [warning for warning in caught if warning.category is not ResourceWarning]
        assert warning.category is xml5tree.RecoveryWarning
        assert str(warning.message) == (
            f"{path}: 4 errors repaired; content is lost; the document is cut off: unescaped-ampersand (2), "
            "control-character-in-input-stream (1), eof-in-element (1)"
        )
        assert warning.filename == __file__
    with pytest.warns(DeprecationWarning, match="1 error repaired; content is kept: unescaped-ampersand"):
        xml5tree.fromstring("<a>&</a>", warnings=DeprecationWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xml5tree.fromstring("<a/>", warnings=True)
        xml5tree.fromstring("<a>&</a>")
        with pytest.raises(xml5tree.ParseError):
            xml5tree.fromstring("no tag", warnings=True)
        with pytest.raises(xml5tree.RecoveryWarning):
            xml5tree.fromstring("<a>&</a>", warnings=True)


@pytest.mark.parametrize("options", [{"logger": 3}, {"warnings": "yes"}, {"warnings": int}, {"filename": b"x"}])
def test_wrong_types(options):
    with pytest.raises(TypeError, match=next(iter(options))):
        xml5tree.fromstring("<a/>", **options)


def test_compressed_file_object_has_its_path(tmp_path):
    path = tmp_path / "feed.xml.gz"
    path.write_bytes(gzip.compress(BROKEN.encode()))
    with gzip.open(path) as file:
        parser = xml5tree.XMLParser()
        xml5tree.parse(file, parser=parser)
    assert parser.error_log.filename == str(path)


@pytest.mark.parametrize(
    ("length", "whole"),
    [(50, True), (100, False), (1000, False)],
)
def test_sentences_about_assumptions(length, whole):
    """They name several elements, and are not cut off as other details are, unless names are long."""
    name = "n" * length
    parser = xml5tree.XMLParser(recovery="intent")
    records = f"<{name}><title>a</title></{name}>" * 9
    parser.feed(f"<r>{records}<{name}><title>a</title>{records}</r>")
    parser.close()
    [entry] = parser.error_log
    assert entry.code == "assumed-end-before"
    assert len(entry.message) < 600
    assert f"was assumed before <{name}>" in entry.message or not whole


@pytest.mark.parametrize(
    ("document", "done"),
    [
        ("<!DOCTYPEa><a/>", "; a space was assumed"),
        ("<!DOCTYPE a PUBLIC'x' 'y'><a/>", "; a space was assumed"),
        ("<!DOCTYPE a SYSTEM'y'><a/>", "; a space was assumed"),
        ("<!DOCTYPE a PUBLIC 'x''y'><a/>", "; a space was assumed"),
        ("<!DOCTYPE a PUBLIC><a/>", "; the DOCTYPE was read without one"),
        ("<!DOCTYPE a SYSTEM><a/>", "; it was read without one, or with an empty one after a public identifier"),
        ("<a><!--x--!></a>", "; it was closed there"),
        ("<!DOCTYPE a [<!ENTITY e '<b>'>]><a>&e;x</b></a>", "; its text was read as it stands"),
    ],
)
def test_a_message_says_what_was_done(document, done):
    parser = xml5tree.XMLParser(recovery="draft")
    xml5tree.fromstring(document, parser=parser)
    (entry,) = parser.error_log
    assert entry.message.endswith(done)


@pytest.mark.parametrize("dialect", ["xml5", "microxml", "html"])
def test_an_error_of_a_character_comes_before_its_token(dialect):
    grammar, settings = make_settings({"dialect": dialect})
    code = "control-character-in-input-stream"
    for pieces in splits("<a>b\x01</a><c d='\x02'></c>\x03"):
        found = [getattr(it, "code", type(it).__name__) for it in grammar.tokenize(pieces, settings, with_errors=True)]
        tags = ["StartTag", code, "Characters", "EndTag", code, "StartTag", "EndTag"]
        assert found == [*tags, code, "Characters"], pieces
