"""``xml5tree xpath``, ``tree`` and ``tokens``."""

import json

import pytest
from hypothesis import given
from support import nearxml
from support.commands import PACKAGE, run_command

import xml5tree

FEED = PACKAGE / "docs/examples/feed.xml"
DECLARED = 'xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
REPAIRED = (
    f"xml5tree: {FEED}: 12 errors repaired; content is moved; the document is cut off; 'xml5tree check' lists them\n"
)


@pytest.mark.parametrize(
    ("expression", "options", "expected"),
    [
        ("//title", [], "Tom & Jerry's news\nCafé opens, 5 < 6 guests\nSecond story\n"),
        ("//title/text()", [], "Tom & Jerry's news\nCafé opens, 5 < 6 guests\nSecond story\n"),
        ("//media:content/@url", [], "https://example.org/1.jpg\n"),
        ("//m:content/@type", ["-n", "m=http://search.yahoo.com/mrss/"], "image/jpeg\n"),
        ("count(//item)", [], "2\n"),
        ("count(//item) div 4", [], "0.5\n"),
        ("0 div 0", [], "NaN\n"),
        ("boolean(//item)", [], "true\n"),
        ("string(//guid)", [], "1\n"),
        ("//guid", ["--format", "xml"], f'<guid {DECLARED} isPermaLink="false">1</guid>\n'),
        ("//item[2]/@* | //item/category", [], "news\n"),
    ],
)
def test_xpath(expression, options, expected):
    assert run_command("xpath", expression, FEED, *options) == (0, expected, REPAIRED)


@pytest.mark.parametrize(
    ("expression", "text"),
    [("1 div 0", "Infinity"), ("1 div 0 * -1", "-Infinity"), ("0 div 0", "NaN")],
)
def test_numbers_without_digits(expression, text):
    assert run_command("xpath", expression, "-", stdin=b"<a/>").out == text + "\n"
    assert json.loads(run_command("xpath", expression, "-", "--format", "json", stdin=b"<a/>").out)["value"] == text


def test_xpath_as_json():
    out = run_command("xpath", "//guid | //guid/@* | //title/text()[. = 'Second story']", FEED, "--format", "json").out
    assert [json.loads(line) for line in out.splitlines()] == [
        {
            "file": str(FEED),
            "line": 8,
            "path": "/rss/channel/item[1]/guid",
            "name": "guid",
            "attributes": {"isPermaLink": "false"},
            "text": "1",
        },
        {
            "file": str(FEED),
            "line": 8,
            "path": "/rss/channel/item[1]/guid",
            "attribute": "isPermaLink",
            "value": "false",
        },
        {"file": str(FEED), "line": 11, "path": "/rss/channel/item[2]/title", "value": "Second story"},
    ]
    assert json.loads(run_command("xpath", "2 > 1", FEED, "--format", "json").out) == {"file": str(FEED), "value": True}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("//comment()", ["c"]),
        ("//processing-instruction()", ["d"]),
        ("//namespace::p", ["p=urn:p"]),
        ("/a/node()", ["x", "c", "d"]),
        ("/nothing", []),
    ],
)
@pytest.mark.parametrize("form", ["text", "xml", "json"])
def test_every_kind_of_result(expression, expected, form):
    status, out, err = run_command(
        "xpath", expression, "-", "--format", form, stdin=b"<a xmlns:p='urn:p'>x<!--c--><?p d?></a>"
    )
    assert (status, err) == (0 if expected else 1, "")
    lines = out.splitlines()
    assert len(lines) == len(expected)
    if form == "text":
        assert lines == expected
    elif form == "json":
        found = [json.loads(line) for line in lines]
        assert [result.get("text", result.get("value")) for result in found] == expected


def test_default_namespace():
    document = b"<feed xmlns='urn:f' xmlns:p='urn:p'><entry>1</entry></feed>"
    status, out, err = run_command("xpath", "//entry", "-", stdin=document)
    assert (status, out) == (1, "")
    assert err == "xml5tree: <stdin>: nothing found; the elements have a namespace, as in //_:feed\n"
    assert run_command("xpath", "//_:entry", "-", stdin=document) == (0, "1\n", "")


@given(nearxml.documents())
def test_every_node_can_be_found(document):
    document = document.encode("utf-8", "replace")
    for form in ("text", "xml", "json"):
        status, _, err = run_command("xpath", "//node() | //@* | //namespace::*", "--format", form, "-", stdin=document)
        assert status == (2 if "no start tag" in err else 0)


def test_what_is_in_a_doctype_has_no_path():
    document = b"<!DOCTYPE a [<?p in?>]><?p out?><a/>"
    status, out, _ = run_command("xpath", "//processing-instruction()", "--format", "json", "-", stdin=document)
    assert (status, [json.loads(line)["path"] for line in out.splitlines()]) == (
        0,
        [None, "/processing-instruction('p')"],
    )


def test_default_namespace_that_is_none():
    assert run_command("xpath", "//a", "-", stdin=b"<a xmlns=''>x</a>") == (0, "x\n", "")


def test_unknown_prefix():
    status, out, err = run_command("xpath", "//x:y", FEED)
    assert (status, out) == (3, "")
    assert err == REPAIRED + (
        f"xml5tree: {FEED}: Undefined namespace prefix in the expression; known prefixes: dc, media; "
        "-n PREFIX=URI binds others\n"
    )
    status, out, err = run_command("xpath", "none()", FEED)
    assert (status, out) == (3, "")
    assert "prefixes" not in err


def test_xpath_in_several_files(tmp_path):
    other = tmp_path / "other.xml"
    other.write_text("<title>Other")
    out = run_command("xpath", "//title", FEED, other).out
    assert out.splitlines()[2:] == [f"{FEED}: Second story", f"{other}: Other"]
    other.write_text("nothing")
    assert run_command("xpath", "//title", FEED, other).status == 2


OUTLINE = """\
<!DOCTYPE a "p" "s">
<?pi some data?>
a x="1" "text"
  b "in b"
    c
    "more"
  <!--a comment-->
  d "{long}…"
  "tail"
"""


def test_tree():
    document = (
        '<!DOCTYPE a PUBLIC "p" "s"><?pi some data?><a x=1>text<b>in\n  b<c/>more</b>  <!--a comment-->\n<d>'
        + "x" * 200
        + "</d>tail"
    )
    status, out, err = run_command("tree", "-", stdin=document.encode())
    assert status == 0
    assert out == OUTLINE.format(long="x" * 59)
    assert err.startswith("xml5tree: <stdin>: 2 errors repaired; content is moved; the document is cut off; 'xml5tree ")


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (1, ['a "1"', "  … 4 elements"]),
        (2, ['a "1"', '  b "2"', "    … 2 elements", '  "3"', '  e "4"']),
        (3, ['a "1"', '  b "2"', "    c", "      … 1 element", '  "3"', '  e "4"']),
        (4, ['a "1"', '  b "2"', "    c", '      d "5"', '  "3"', '  e "4"']),
    ],
)
def test_depth(depth, expected):
    document = b"<a>1<b>2<c><d>5</d></c></b>3<e>4</e></a>"
    assert run_command("tree", "--depth", depth, "-", stdin=document).out.splitlines() == expected


@given(nearxml.documents())
def test_outline_has_every_element(document):
    document = document.encode("utf-8", "replace")
    status, out, _ = run_command("tree", "-", stdin=document)
    try:
        root = xml5tree.fromstring(document)
    except xml5tree.ParseError:
        assert status == 2
    else:
        kinds = ('"', "<!", "<?")
        lines = [line.lstrip(" ") for line in out.splitlines()]
        assert len([line for line in lines if not line.startswith(kinds)]) == len(list(root.iter()))


def test_tree_of_what_has_none():
    status, out, err = run_command("tree", "-", stdin=b"none")
    assert (status, out, err) == (
        2,
        "",
        "xml5tree: <stdin>: no root element (no element found): the document has no start tag: line 1, column 5\n",
    )


def test_tokens():
    document = b"<?xml version='1.0'?><!DOCTYPE A SYSTEM 's'><a b=1 c='\t'>x & \xe9</></a><!-- y --></d/>"
    assert run_command("tokens", "-", stdin=document).out.splitlines() == [
        "ProcessingInstruction xml \"version='1.0'\"",
        'Doctype a None "s"',
        "NotWellFormed 1:50: unquoted-attribute-value: attribute value without quotes; read up to white space or '>'",
        'StartTag a b="1" c=" "',
        "NotWellFormed 1:60: unescaped-ampersand: '&' that starts no reference was kept as text",
        "NotWellFormed 1:62: invalid-byte-sequence: byte 0xE9 is not UTF-8; read as windows-1252 'é'",
        "NotWellFormed 1:63: missing-end-tag-name: end tag '</>' without a name; it closes the current element",
        'Characters "x & é"',
        "ShortEndTag",
        "EndTag a",
        'Comment " y "',
        "ParseError 1:83: end-tag-with-trailing-solidus: '/' at the end of an end tag was dropped",
        "EndTag d",
    ]


@given(nearxml.documents() | nearxml.near_markup())
def test_tokens_are_those_of_the_library(document):
    document = document.encode("utf-8", "replace")
    out = run_command("tokens", "--format", "json", "-", stdin=document).out
    found = [json.loads(line) for line in out.splitlines()]
    tokens = [in_json(token) for token in xml5tree.tokenize(document.decode().removeprefix("\ufeff"))]
    assert [item for item in found if "code" not in item] == tokens


def in_json(token):
    fields = {name: getattr(token, name) for name in token.__slots__}
    return json.loads(json.dumps({"token": type(token).__name__, **fields}))


def test_tokens_of_several_files(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<a/>")
    assert run_command("tokens", path, path).out == f"{path}: EmptyTag a\n" * 2
    lines = run_command("tokens", "--format", "json", path, path).out.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"file": str(path), "token": "EmptyTag", "name": "a", "attributes": {}},
    ] * 2
