"""Tables by the compiled reader of markup: what elements give, whatever the document and whoever asks."""

import io
import re
import tracemalloc
import warnings
from copy import copy
from random import Random
from unittest import mock
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recovery_faults import inject
from recovery_kinds import ALL_FAULTS
from support import nearxml, splits
from support.brokenrecords import broken_records, records
from support.cases import one_in
from support.commands import run_command
from support.scaling import assert_scales_linearly
from support.splits import chunks

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.accelerator import compiled
from xml5tree.columns import ColumnsParser
from xml5tree.fieldpaths import compiled_paths
from xml5tree.xml.prefixes import WELL_KNOWN_PREFIXES

pytest.importorskip("pyarrow")
pytestmark = [
    pytest.mark.skipif(compiled is None, reason="the reader is not compiled, or switched off"),
    pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning"),
]

ATOM = "http://www.w3.org/2005/Atom"
#: Ways to ask for what the documents have, and for what they have not.
FIELDS = {
    "a": "a",
    "a_own": "a/text()",
    "all_a": ["a"],
    "texts_a": ["a/text()"],
    "id": "@id",
    "ids": ["@id"],
    "kind": "b/@k",
    "kinds": ["b/@k"],
    "deep": "d/e",
    "deeps": ["d/e"],
    "deep_kind": ["d/e/@k"],
    "any_child": "*",
    "any_inner": ["*/e"],
    "any_own": ["*/text()"],
    "any_name": "{*}a",
    "any_names": ["{*}d/{*}e"],
    "atom": f"{{{ATOM}}}a",
    "creator": "dc:a",
    "creators": ["d/dc:a/@dc:k"],
    "self": ".",
    "own": "./text()",
    "none": "nothing/at/all",
    "same": "a",
}
FACTS = "_number long, _line long, _byte_offset long, _effect string, _errors array<string>"
KINDS = {name: "string" if isinstance(path, str) else "array<string>" for name, path in FIELDS.items()}
FIELD_SCHEMA = ", ".join([*(f"{name} {kind}" for name, kind in KINDS.items()), FACTS])
SCHEMAS = [
    None,
    "infer",
    "a string, `@id` string, b int, c string, d string, none string, `#text` string",
    f"a array<string>, `@id` int, b array<struct<`#text`: int, `@k`: string>>, d string, {FACTS}",
    "b struct<`@k`: string>, d array<struct<`@k`: string, e: array<string>>>, a struct<`#text`: string>, lang string",
    "b struct<`@k`: int, x: string>, c array<int>, d struct<e: string>, `@id` array<string>, `#text` int, g_a string",
    "d struct<e: struct<`@k`: string, `#text`: int>, `#text`: string>, item string, a string",
]


_NAMES = re.compile(r"; the records have .*")


def read(document, is_fast, size, call, **options):
    """What a call gives, as far as it comes: schema and rows, warnings, and the errors of the document."""
    errors = []
    found = []
    with (
        mock.patch("xml5tree.recordreader.compiled", compiled if is_fast else None),
        mock.patch("xml5tree.tables._BATCH_SIZE", 30),
        warnings.catch_warnings(record=True) as told,
    ):
        warnings.simplefilter("always")
        parts = [document] if size is None else chunks(document, size)
        try:
            result = getattr(xml5tree, call)(parts, on_error=errors.append, **options)
            if call == "record_batches":
                found.append(str(result.schema))
                for batch in result:
                    batch.validate(full=True)
                    found.append(batch.to_pylist())
            else:
                result.validate(full=True)
                found += [str(result.schema), result.to_pylist()]
        except (ValueError, xml5tree.ParseError) as error:
            found.append(repr(error))
    # Columns have names of records that are left out, too.
    is_all = options.get("on_bad", "keep") in {"keep", "mark"} and options.get("bad_values") != "skip"
    messages = [str(one.message) if is_all else _NAMES.sub("", str(one.message)) for one in told]
    return found, messages, [str(entry) for entry in errors]


def check(document, size=None, call="read_table", **options):
    """Compare what is read with what elements give."""
    expected = read(document, False, size, call, **options)
    assert read(document, True, size, call, **options) == expected


def in_items(*contents, times=1, root="<r>"):
    return root + "\n".join([f"<item{content}</item>" for content in contents] * times) + "</r>"


CONTENTS = {
    "text": "><a>x</a><b>1</b>",
    "attributes of records": " id=\"1\" n=''><a> x </a>",
    "quotes": " id='a\"&lt;b' k=\"it's\"><b k='&apos;'>x</b>",
    "attributes": '><a>x</a><b k="">1</b><c k="k" l="l"/>',
    "several": "><a>x</a><a>y</a><a/><b>1</b>",
    "several with attributes": '><c k="1">x</c><c l="2"/><c/><c> &#160; </c>',
    "blank": "><a> &#32;\n&#xa0;&#x2003; </a><b>&#9;</b>",
    "empty": ">",
    "sections": "><a> <![CDATA[ <b> &amp;]]> &amp;</a><b><![CDATA[]]></b><c k='1'><![CDATA[ ]]></c>",
    "values with white space": " id=' \n1\t'><b k='&#10;a\r\nb'/>",
    "a prefix": "><g:a>x</g:a><g:b>1</g:b><dc:a/>",
    "declared prefixes": ' xmlns:g="urn:u"><g:a g:k="1">x</g:a><d xml:lang="en"><dc:a dc:k="de"/></d>',
    "the namespace of the record": f"><a>x</a><atom:a xmlns:atom='{ATOM}' atom:k='1'/>",
    "elements in elements": "><d><e>x</e><e k='1'>y</e></d><a>x<i>y</i>z</a><d><e/></d>",
    "text beside elements": ">t<a>x</a>u<d>v<e/>w</d>",
    "comments": "><!--c--><a>x<!--d-->y<?p i?>z</a>",
    "letters": "><ä ö='ü'>ß</ä>",
    "a record": "><a>x</a> <item id='2'><a>y</a></item> <b>1</b>z",
    "a record in an element": "><d>u <item><a>y</a><a>w</a></item> <e>x</e></d><a>z</a>",
    "errors": "><a>x & y</a><b k=k>1</b><d><e>z</d>",
}
ROOTS = [
    "<r>",
    "<r xmlns='urn:a'>",
    f"<r xmlns='{ATOM}' xmlns:g='urn:g'>",
    "<r xmlns:g='http://base.google.com/ns/1.0'>",
]


@pytest.mark.parametrize("kind", CONTENTS)
def test_columns_that_come_late(kind):
    """Whatever a record has that those before it have not, the columns are those of the elements."""
    common = '><a>x</a><b k="1">2</b><c>3</c>'
    made = [common] * 12 + [CONTENTS[kind]] + [common] * 9 + [CONTENTS[kind]] * 12 + [common] * 5
    for schema in SCHEMAS:
        for root in ROOTS:
            check(in_items(*made, root=root), 100, schema=schema, tag="{*}item", bad_values="rescue")
    for backend in ("etree", "lxml"):
        check(in_items(*made).encode(), 100, fields=FIELDS, schema=FIELD_SCHEMA, backend=backend)
    check(in_items(*made), 100, "record_batches", sample=5, batch_size=5)


#: Documents that are not their own markup, though they are well-formed.
OTHERS = {
    "a carriage return": (in_items("><a>x</a>").replace("\n", "\r\n") + "\r", {}),
    "a DOCTYPE": ("<!DOCTYPE r [<!ENTITY e 'x'><!ATTLIST item id CDATA 'i'>]>" + in_items("><a>&e;</a>"), {}),
    "another encoding": ("<?xml version='1.0' encoding='latin-1'?>" + in_items("><a>é</a>"), {}),
    "a given encoding": (in_items("><a>é</a>").encode("utf-16-le"), {"encoding": "utf-16-le"}),
    "chosen elements": (in_items("><a><b>x</b></a>"), {"elements": ["r", "item", "a"]}),
    "roots": (in_items("><a>x</a>"), {"roots": "all"}),
    "an error at the end": (in_items("><a>x</a>") + "<", {}),
    "depth": (in_items("><a><b>x</b></a>"), {"max_depth": 3}),
}


def called(document, size=None, *, window=1 << 24, **options):
    """Compare what is read with what elements give; return whether the source was read for its markup, to its end."""
    read_window, has_read = ColumnsParser.read_window, [False]

    def read(*arguments):
        found = read_window(*arguments)
        has_read.append(found is False and (has_read[-1] or arguments[4]))
        return found

    options = {"schema": f"a array<string>, {FACTS}", "tag": "{*}item", "bad_values": "rescue", **options}
    with (
        mock.patch("xml5tree.windows.WINDOW", window),
        mock.patch.object(ColumnsParser, "read_window", read),
        mock.patch(f"{__name__}.chunks", lambda *cut: list(splits.chunks(*cut))),  # which can be read twice
    ):
        check(document, size, **options)
    return has_read[-1]


@pytest.mark.parametrize("kind", sorted(CONTENTS.keys() - {"errors"}))
def test_a_clean_document_is_its_own_markup(kind):
    beginnings = (b"", b"", b"\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?>", b"<!-- <item> -->\n")
    plain = {name: path for name, path in FIELDS.items() if not re.search(r"[*.]|text\(\)", "".join(path))}
    for root, beginning in zip(ROOTS, beginnings, strict=True):
        prefixes = " xmlns:dc='http://purl.org/dc/elements/1.1/'" + ("" if ":g" in root else " xmlns:g='urn:u'")
        text = in_items(*[CONTENTS[kind]] * 9, root=f"{root[:-1]}{prefixes}>").replace("\r", "")
        document = beginning + text.encode() if beginning else text
        for size in (None, 1, 50):
            assert called(document, size)
        assert called(document, fields=FIELDS, schema=FIELD_SCHEMA)
        assert called(document, fields=plain, schema=FIELD_SCHEMA, backend="lxml")
        assert called(document, 100, schema="infer", on_bad="mark")


#: Contents of records that meet names of columns in several namespaces, or in another order than the others.
MEETINGS = {
    "exact": "><dc:a dc:k='1'>e</dc:a>",
    "variant": "><s:a s:k='2'>v</s:a>",
    "both": "><s:a s:k='3'>v</s:a><d><dc:a>e</dc:a><s:a s:k='4'/></d><dc:a dc:k='5'>f</dc:a>",
    "other": "><o:a o:k='6'>o</o:a><a>x</a>",
    "inner first": "><b/><item><a>1</a><c/><b/></item><d/><a>2</a>",
    "inner last": "><e/><x><y/><item><f/><e/></item><z/></x>",
    "another order": "><c k='1' l='2'/><b/><a/>",
    "bad": "><z/><y/><c l='1' k='2'/>\x0c",
}
SPACES = " xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:s='https://purl.org/dc/elements/1.1' xmlns:o='urn:o'"


@given(st.lists(st.sampled_from([*MEETINGS]), min_size=1, max_size=6), st.sampled_from([None, 1, 40]))
def test_names_that_meet(kinds, size):
    """Columns have one order, and take exact names and variants alike, whatever comes first."""
    document = in_items(*[MEETINGS[kind] for kind in kinds], root=f"<r{SPACES}>").encode()
    fields = {"a": "dc:a", "k": "dc:a/@dc:k", "all": ["dc:a"], "deep": ["d/dc:a/@dc:k"], "own": "@dc:k"}
    for options in ({"fields": fields}, {}, {"schema": "a string, dc_a string, d string, c string"}):
        for on_bad in ("keep", "skip"):
            check(document, size, tag="{*}item", on_bad=on_bad, bad_values="null", **options)


@pytest.mark.parametrize("last", ["q:k", "k", "o:k", "p:k"])
@pytest.mark.parametrize("between", ["", " b='2'"])
@pytest.mark.parametrize("name", ["item", "a"])
def test_attributes_that_are_alike(name, between, last):
    """Two attributes may have one name by different prefixes, though each has been in tags that were checked."""
    kinds = f" p:k='1'{between}", f"{between} {last}='3'"
    tags = [*kinds, *kinds, f" p:k='4'{between} {last}='5'", *kinds]
    made = [f"{tag}>" if name == "item" else f"><{name}{tag}/>" for tag in tags]
    document = in_items(*made, root="<r xmlns:p='urn:u' xmlns:q='urn:u' xmlns:o='urn:o'>")
    assert called(document, schema=None) == (last in {"k", "o:k"})


@pytest.mark.parametrize("kind", OTHERS)
def test_documents_that_are_not_their_own_markup(kind):
    document, options = OTHERS[kind]
    assert not called(document if isinstance(document, bytes) else document.encode("latin-1"), 50, **options)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
@pytest.mark.parametrize("columns", [["--field", "a=a"], ["--schema", "a string, _line long", "--on-bad", "mark"]])
def test_a_clean_file_on_the_command_line(tmp_path, columns, form):
    clean, other = tmp_path / "clean.xml", tmp_path / "other.xml"
    clean.write_text(in_items("><a>x</a>", "><a>y</a>", times=20))
    other.write_text(in_items("><a>x</a>", "><a>y</a>", times=20) + "\r\n", newline="")
    with mock.patch.object(ColumnsParser, "read_window", autospec=True, side_effect=ColumnsParser.read_window) as read:
        found = [run_command("records", path, *columns, "--to", form) for path in (other, clean)]
        assert read.call_count == 2
    assert found[0] == found[1]
    assert found[0].out.count("x") == 20


def test_a_clean_document_without_records():
    assert not called(b"<r/>")  # its root element is an empty tag
    for document in (b"<r></r>", b"<r>\n<a/></r>\n<!--c--> ", b"<r:r xmlns:r='urn:r'><r:items/></r:r>"):
        assert called(document)


LONG = in_items(
    *('><a k="&#233;">x</a>é<d><e>y</e></d>', " xmlns:q='urn:q'><q:a q:k='1'>z</q:a>", "><item><a/></item><a>1</a>"),
    f"><b>{'text ' * 200}</b>",
    times=400,
    root="<r xmlns:p='urn:p'><p:s><t xmlns='' p:k='1'>",
)
LONG = LONG.removesuffix("</r>") + "</t></p:s></r>"


@pytest.mark.parametrize("size", [1 << 12, 1 << 18])
@pytest.mark.parametrize("options", [{"schema": None}, {"fields": FIELDS, "schema": FIELD_SCHEMA}])
def test_a_clean_document_in_windows(size, options):
    """Names and namespaces stay that of a window declares; records, and bytes of a character, are cut by its end."""
    assert called(LONG.encode(), size, window=1 << 14, **options)


FAULTS = ["&", "<x>", "</t>", "<item>", "<!--", "\x0c", "\r", "<q:a/>", "<a k=''k=''/>", "</t></p:s></r>"]


@pytest.mark.parametrize(("fault", "place"), [*zip(FAULTS, [0.6, 0.7, 0.8, 0.9, 0.97] * 2, strict=True), ("<", 1)])
def test_documents_with_an_error_after_some_windows(fault, place):
    """Records that were given before the error come once, and are what they are by elements."""
    at = LONG.find("<item", int(len(LONG) * place)) if place < 1 else len(LONG)
    assert not called((LONG[:at] + fault + LONG[at:]).encode(), 1 << 15, window=1 << 17, on_bad="mark")


@pytest.mark.parametrize("beginning", ["<?xml version='1.0' encoding='UTF-8'?>\n", "\ufeff<!-- <item> -->", "\n" * 99])
def test_windows_after_what_precedes_the_root(beginning):
    """Nothing is read twice where the first window ends, though its prolog is not read as markup."""
    comment = beginning.strip() and "<!-- c -->"
    document = beginning + LONG.replace("<item", f"{comment}<item")
    assert called(document.encode(), 1 << 15, window=1 << 17, on_bad="mark")


@pytest.mark.parametrize("fields", [None, {"a": "a"}])
def test_files_that_are_moved_once_they_are_open(tmp_path, fields):
    path = tmp_path / "short.xml"
    path.write_text(in_items("><a>x</a>", "><a>y</a>"))
    records = xml5tree.records(path, fields=fields)
    path.rename(tmp_path / "moved.xml")
    assert [record["a"] for record in records] == ["x", "y"]


def test_records_that_are_kept_keep_no_windows():
    items = LONG[LONG.index("<item") : LONG.index("</t></p:s>")]
    document = f"<?xml version='1.0'?>\n{LONG.replace(items, items * 4)}".encode()
    parts = list(chunks(document, 1 << 15))

    def markup(record):
        element = copy(record.element)
        element.tail = None
        return ElementTree.tostring(element)

    expected = [markup(record) for record in xml5tree.records(parts)][::400]
    with mock.patch("xml5tree.recordreader._RUN", 8), mock.patch("xml5tree.windows.WINDOW", 1 << 17):
        tracemalloc.start()
        try:
            kept = [record for record in xml5tree.records(parts, fields={"a": "a"}) if record.number % 400 == 1]
            assert tracemalloc.get_traced_memory()[0] < len(document) / 2
        finally:
            tracemalloc.stop()
    assert [*map(markup, kept)] == expected


def test_sources_that_fail_after_some_windows():
    class Failing(io.BytesIO):
        def read(self, size=-1):
            if self.tell() >= 1 << 18:
                raise OSError("it fails")
            return super().read(size)

    def numbers(reader):
        records = xml5tree.records(Failing(LONG.encode()), fields={"a": "a"})
        with (
            mock.patch("xml5tree.recordreader.compiled", reader),
            mock.patch("xml5tree.windows.WINDOW", 1 << 16),
            mock.patch("xml5tree.records.WINDOW", 1 << 16),
            mock.patch("xml5tree.records.LARGE_BLOCK", 1 << 16),
            pytest.raises(OSError, match="it fails"),
        ):
            yield from ((record.number, record["a"]) for record in records)

    found = list(numbers(compiled))
    assert found == list(numbers(None))
    assert len(found) > 500


@pytest.mark.parametrize("token", ["<item><a>{}</a></item>", "<!--{}-->", "<a k='{}'/>", "<item><![CDATA[{}]]></item>"])
def test_long_tokens_of_clean_documents_take_linear_time(token):
    def make(size):
        return list(chunks(f"<r>{token.format('x' * size)}</r>".encode(), 1 << 12))

    assert_scales_linearly(xml5tree.read_table, make, 1 << 18)


@pytest.mark.parametrize("name", ["_line", "_errors", "_rescued"])
@pytest.mark.parametrize("schema", [None, "a string, `_line` int"])
def test_names_of_columns(name, schema):
    made = in_items(*["><a>x</a>"] * 20, f"><{name}>x</{name}>")
    check(made, on_bad="mark", bad_values="rescue", schema=schema)


NAME = st.sampled_from(["a", "b", "c", "d", "e", "xml:b", "g:a", "dc:a", "x:e", "_line"])
WORDS = st.lists(
    st.sampled_from(["1", "x", "é", " ", "&#32;", "&#xa0;", "&amp;", "\n", "\r\n", "&lt;", "]]", "&", "&nbsp;"])
    | st.sampled_from(["<![CDATA[ <a>]]>", "<![CDATA[]]>", "<![CDATA[", "]]>", "<!--c-->", "<?p i?>"]),
    max_size=3,
).map("".join)
ATTRIBUTES = st.lists(
    st.sampled_from(['k="1"', "k='&amp;\t'", "l=''", 'xml:lang="e"', "g:k='2'", "id=3", "k=k"])
    | st.sampled_from(["xmlns='urn:a'", f'xmlns:x="{ATOM}"', "xmlns:g='urn:&amp;'", "xmlns:dc='urn:d'", "xmlns=''"]),
    max_size=2,
    unique=True,
)


def element(name, attributes, content):
    return f"<{' '.join([name, *attributes])}>{content}</{name}>"


CHILD = st.recursive(
    WORDS
    | st.builds(element, NAME, ATTRIBUTES, WORDS)
    | st.sampled_from(["<a/>", "<c k='1'/>", "<b>", "</b>", "</d>"]),
    lambda inner: st.builds(element, NAME | st.just("item"), ATTRIBUTES, st.lists(inner, max_size=3).map("".join)),
    max_leaves=6,
)
ITEM = st.builds(
    "{}{}".format,
    st.builds(
        element,
        st.sampled_from(["item", "item", "item", "x:item", "g:item"]),
        ATTRIBUTES,
        st.lists(CHILD, max_size=4).map("".join),
    ),
    st.sampled_from(["\n", "", " ", "x", "<item>", "</r>", "</item>"]) | st.just("\n"),
)
ROOT = st.sampled_from(
    [*ROOTS, f"<r xmlns:x='{ATOM}' xmlns:g='urn:g'>", "", "<r><c>", "<!DOCTYPE r [<!ATTLIST b k CDATA 'd'>]><r>"]
)
FEED = st.builds(
    lambda root, groups, after: root + "".join("".join(items) * times for items, times in groups) + after,
    ROOT,
    st.lists(st.tuples(st.lists(ITEM, min_size=1, max_size=3), st.integers(1, 5)), max_size=5),
    st.sampled_from(["</r>", "", "<item><a>"]),
)
OPTIONS = st.fixed_dictionaries(
    {
        "on_bad": st.sampled_from(["keep", "skip", "mark", "raise"]),
        "bad_from": st.sampled_from(["kept", "moved", "lost"]),
        "bad_values": st.sampled_from([None, "rescue", "null", "raise"]),
        "recovery": st.sampled_from(["draft", "intent"]),
        "roots": st.sampled_from(["first", "all"]),
        "tag": st.sampled_from(["item", "{*}item", "{*}item", f"{{{ATOM}}}item", "*", "a"]),
        "max_depth": st.sampled_from([3, 5, 255]),
    }
)
DOCUMENT = (
    FEED
    | records(60)
    | broken_records(60)
    | st.sampled_from(nearxml.FAULTS).map(lambda fault: in_items(f"><a>{fault}</a>"))
)


@settings(deadline=None)
@given(
    DOCUMENT,
    OPTIONS,
    st.sampled_from(SCHEMAS),
    st.sampled_from([None, 20, 60, 200]),
    st.sampled_from(["etree", "lxml"]),
)
def test_tables_of_any_documents(document, options, schema, size, backend):
    check(document, size, schema=schema, backend=backend, **options)


@settings(deadline=None)
@given(DOCUMENT, OPTIONS, st.sampled_from([None, 1, 20, 200]), st.sampled_from(["etree", "lxml"]), st.booleans())
def test_fields_of_any_documents(document, options, size, backend, is_known):
    data = document.encode("utf-8", "surrogatepass")
    check(data, size, fields=FIELDS, backend=backend, schema=FIELD_SCHEMA if is_known else None, **options)


@settings(deadline=None)
@given(FEED, OPTIONS, st.sampled_from([20, 60]), st.integers(1, 9), st.integers(1, 30), st.booleans())
def test_batches_of_any_documents(document, options, size, batch_size, sample, has_fields):
    """Columns that come after the sample are the same errors, at the same records."""
    fields = {"fields": FIELDS} if has_fields else {}
    check(document, size, "record_batches", batch_size=batch_size, sample=sample, **fields, **options)


@pytest.mark.parametrize("form", ["jsonl", "csv", "typed"])
@pytest.mark.parametrize("recovery", ["draft", "intent"])
@settings(deadline=None)
@given(
    FEED | broken_records(60),
    st.sampled_from(["keep", "mark", "skip", "raise"]),
    st.sampled_from(["a", "_line", "100 %s", '\x7f"\n']),
)
def test_the_command_writes_the_rows_of_elements(recovery, form, document, on_bad, name):
    """Every byte of the output is the same, and so are the remarks and the status."""
    fields = {name: "a", "b": "b/text()", "id": "@id", "kind": "b/@k", "e": "d/e", "none": "x"}
    options = ["--to", form, "--recovery", recovery, "--on-bad", on_bad, *["--escape-formulas"] * (form == "csv")]
    options += [text for column, path in fields.items() for text in ("--field", f"{column}={path}")]
    if form == "typed":
        options = ["--schema", "a string, b int, d string", "--recovery", recovery, "--on-bad", on_bad]
    data = document.encode("utf-8", "surrogatepass")
    results = []
    for reader in (compiled, None):
        with mock.patch("xml5tree.recordreader.compiled", reader):
            result = run_command("records", "-", *options, stdin=data)
            results.append(result._replace(err=_NAMES.sub("", result.err)))
    assert results[0] == results[1]


def one_by_one(document, size, *, is_fast, **options):
    """The rows of a document as `records` gives them, with what is known of each record, and the errors."""
    parts = [document] if size is None else chunks(document, size)
    rows, others = [], []
    with mock.patch("xml5tree.recordreader.compiled", compiled if is_fast else None):
        found = xml5tree.records(parts, fields=FIELDS, spans=True, **options)
        for record in found:
            known = {"_number": record.number, "_line": record.line, "_byte_offset": record.byte_offset}
            errors = [str(error) for error in record.errors]
            rows.append({**record, **known, "_effect": record.effect, "_errors": errors})
            assert record.span[0] == record.byte_offset
            element = copy(record.element)
            element.tail = None
            facts = record.offset, record.end, record.span, record.complete, record.confidence
            others.append((*facts, ElementTree.tostring(element)))
        return rows, sorted(str(entry) for entry in found.error_log), others, found.skipped, found.touched


@pytest.mark.parametrize(("recovery", "way"), one_in(2, [(r, way) for r in ("draft", "intent") for way in LANES]))
@settings(deadline=None)
@given(FEED | broken_records(60), st.sampled_from([None, 1, 40, 400]), st.sampled_from(["keep", "skip"]))
def test_rows_are_records_one_by_one(way, recovery, document, size, on_bad):
    """With the values, numbers, places and errors that `records` gives, whose spans begin at the places."""
    check_records(document.encode("utf-8", "surrogatepass"), size, way, recovery=recovery, on_bad=on_bad)


def check_records(data, size, way="compiled", **options):
    with lane(way):
        (_, *rows), _, log = read(data, True, size, "record_batches", fields=FIELDS, schema=FIELD_SCHEMA, **options)
        try:
            expected = one_by_one(data, size, is_fast=False, **options)
        except xml5tree.ParseError as error:
            assert rows[-1] == repr(error)
            with pytest.raises(xml5tree.ParseError, match=re.escape(str(error))):
                one_by_one(data, size, is_fast=True, **options)
            return
        assert one_by_one(data, size, is_fast=True, **options) == expected
    assert ([row for batch in rows for row in batch], sorted(log)) == expected[:2]


@pytest.mark.parametrize("fault", ALL_FAULTS, ids=lambda fault: fault.name)
def test_rows_around_any_fault(fault):
    good = (
        '<item id="{}"><a>A title of {} words &amp; more</a><d><e k="l">http://e.example/{}</e></d>\n<b>1.5</b></item>'
    )
    items = "\n".join(good.replace("{}", str(number)) for number in range(24))
    text = f"<?xml version='1.0'?>\n<r xmlns:m='urn:m'><item>\n<m:date>\n1 é 2\n</m:date>\n<d/>\n</item>\n{items}</r>"
    made = inject(fault, Random(fault.name), text, 2)
    if made is None:
        pytest.skip("a document of such records has no place for the fault")
    for recovery in ("draft", "intent"):
        check_records(made.broken, 200, recovery=recovery)


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("text", ["é & ü", "<b k=é>€</b>", "\r\n\x85"])
def test_encodings(encoding, text):
    data = f"<?xml version='1.0' encoding='{encoding.removesuffix('-sig')}'?>{in_items(f'><a>{text}</a>', times=9)}"
    check(data.encode(encoding, "replace"), 50)
    check_records(data.encode(encoding, "replace"), 50)


@pytest.mark.parametrize("path", ["a[1]", "{*}*", "{u}*", "..", "a/..", "a[@k='1']", "dc:*", "{}a"])
def test_paths_that_need_elements(path):
    check(in_items("><a k='1'>x</a><dc:a>y</dc:a>", times=3), fields={"x": path, "all": [path]}, schema=None)
    for one in (path, [path]):
        assert compiled_paths({"x": one}, WELL_KNOWN_PREFIXES, has_nodes=False) is None


def test_elements_in_elements_without_end():
    """Content below the deepest structure is text."""
    for depth in (28, 29, 30, 31, 40):
        inner = "<a>" * depth + "x" + "</a>" * depth
        check(in_items(f">{inner}", "><a>y</a>", f">{'<a>' * 29}<b k='1'/><b/>{'</a>' * 29}"), schema=None)


def test_records_have_elements_where_somebody_sees_them():
    found = list(xml5tree.records([in_items("><a>1</a>", times=50)], fields={"a": "a"}))
    assert all(record.element.findtext("a") == "1" for record in found)
    assert found[0].element is found[0].element
    assert re.fullmatch("[0-9]+", found[-1]["a"])


def wide(count):
    return in_items(*(f"><n{i} k{i}='1'>x</n{i}>" for i in range(count)))


def scoped(count):
    return in_items(*(f" xmlns:p{i}='urn:{i}'><p{i}:a>x</p{i}:a>" for i in range(count)))


def nested(count):
    return f"<r><item><a>{'<item><a>x</a></item>y' * count}</a></item></r>"


def inside(count):
    return f"<r>{'<item><a>x</a>' * count}{'</item>' * count}</r>"


def many_attributes(count):
    attributes = " ".join(f"k{i}=''" for i in range(count))
    return in_items(f"><a {attributes}/>")


@pytest.mark.parametrize("make", [wide, scoped, nested, inside, many_attributes])
@pytest.mark.parametrize("fields", [None, {"a": "a", "all": ["*"], "inner": ["*/*"], "k": ["a/@k7"]}])
def test_time_is_linear(make, fields):
    options = {"fields": fields, "max_depth": 1 << 20, "recovery": "draft"}

    def rows(document):
        return sum(batch.num_rows for batch in xml5tree.record_batches([document], sample=1 << 20, **options))

    check(make(50), 300, schema=None, **options)
    assert_scales_linearly(rows, make, 500)


def test_records_in_a_record_without_an_end_come_as_runs():
    """By the draft, such a record holds all that follow it; those between two faults are taken together."""
    record = '<item id="{}"><a>{}</a></item>'
    parts = [record.format(at, at) for at in range(400)]
    for at in range(50, 400, 100):
        parts[at] = parts[at].removesuffix("</item>")
    document = f"<r>{''.join(parts)}</r>".encode()
    found = xml5tree.records(document, "item", fields={"id": "@id", "a": "a"}, recovery="draft")
    found._give_runs(tells_bytes=False, size=1 << 20)
    found._make_columns({"id": "@id", "a": "a"})
    runs = [*found]
    assert sum(map(len, runs)) == 400
    assert len(runs) < 20
    assert sum(map(len, (run.errors for run in runs))) == 4
    assert found.error_log._made == []  # entries are made for those who ask
