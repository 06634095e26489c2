"""`recovery="intent"`: what authors meant, by kind of fault."""

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from xml.etree.ElementTree import canonicalize

import pytest
from support.cases import each_case, one_in

import xml5tree

WRONG = "still wrong"
ESCAPED = re.compile(r"\\(?:[\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")


def read_cases() -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield kind, source, result and codes of the cases.

    A line is ``source → result ; codes``, where ``=`` is the source itself, and codes lack ``assumed-``.
    """
    kind = ""
    for line in (Path(__file__).parent / "data/intent.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            kind = line[2:]
        elif line:
            source, meant, codes = re.fullmatch("(.*) → (.*?)(?: ; (.*))?", line).groups()
            source, meant = (ESCAPED.sub(unescape, part) for part in (source, meant))
            yield kind, source, source if meant == "=" else meant, [f"assumed-{code}" for code in (codes or "").split()]


def unescape(match: re.Match[str]) -> str:
    return match[0].encode().decode("unicode_escape")


CASES = list(read_cases())


def repaired(document, size=None, **options):
    """The markup and the log of a document that comes in pieces of a size."""
    repairer = xml5tree.Repairer(recovery="intent", **options)
    size = size or len(document)
    markup = "".join(repairer.feed(document[start : start + size]) for start in range(0, len(document), size))
    return markup + repairer.close(), repairer.error_log


def canonical(markup):
    return canonicalize(markup, with_comments=True)


def assumptions(log):
    return [entry.code for entry in log if entry.code.startswith("assumed-")]


@each_case("kind, source, meant, codes", [case for case in CASES if not case[0].startswith(WRONG)])
def test_faults(kind, source, meant, codes):
    """Each is read as its author meant it, with these assumptions, however it is fed."""
    markup, log = repaired(source)
    assert (markup, assumptions(log)) == (meant, codes), kind
    for size in (1, 7):
        assert repaired(source, size) == (markup, log)


@each_case("kind, source, meant, codes", [case for case in CASES if case[0].startswith(WRONG)])
def test_what_is_still_wrong(kind, source, meant, codes):
    """A case that has become right belongs to its kind."""
    try:
        markup = xml5tree.repair(source)
    except xml5tree.ParseError:
        return
    assert canonical(markup) != canonical(xml5tree.repair(meant, recovery="draft"))


def test_few_are_still_wrong():
    assert sum(kind.startswith(WRONG) for kind, *_ in CASES) < 80


# Records ------------------------------------------------------------------------------------------------------------

#: Records without their end tags. Some have texts only, or children that others lack.
RECORDS = {
    "items": lambda i: f"<item><title>t{i}</title><link>l{i}</link>" + "<category>c</category>" * (i % 3),
    "entries": lambda i: f'<item><title>t{i}</title><link href="{i}"/><author><name>n</name></author>',
    "rows": lambda i: "<item>" + f"<c>{i}</c>" * 8,
    "indented": lambda i: f"\n  <item>\n    <title>t{i}</title>\n    <link>l{i}</link>\n  ",
    "texts": lambda i: f"<item>text {i}, and more of it, as articles have ",
}
#: Which of them have a fault.
FAULTY = {
    "the first": lambda number: number == 0,
    "the second": lambda number: number == 1,
    "the first two": lambda number: number < 2,
    "the tenth": lambda number: number == 9,
    "every second": lambda number: number % 2 == 0,
    "all": lambda number: True,
    "all after ten": lambda number: number >= 10,
}
SLIPS = {
    "end tag missing": lambda record: record,
    "end tag without a solidus": lambda record: f"{record}<item>",
    "end tag misspelt": lambda record: f"{record}</itme>",
    "end tag in another case": lambda record: f"{record}</ITEM>",
    "end tag without its end": lambda record: f"{record}</item",
    "start tag missing": lambda record: f"{record.replace('<item>', '')}</item>",
    "start tag misspelt": lambda record: f"{record.replace('<item>', '<itme>')}</item>",
    "start tag twice": lambda record: f"{record.replace('<item>', '<item><item>')}</item>",
}


def feed_of(count, faulty, kind, slip):
    """A document of so many records, and what it is meant to be."""
    records = [RECORDS[kind](number) for number in range(count)]
    broken = [SLIPS[slip](record) if FAULTY[faulty](i) else f"{record}</item>" for i, record in enumerate(records)]
    form = "<rss><channel><title>x</title>{}</channel></rss>"
    return form.format("".join(broken)), form.format("".join([f"{record}</item>" for record in records]))


#: What is not read so in each kind of records and each number of them.
WRONG_RECORDS = {
    ("start tag missing", "the first two"),
    ("start tag missing", "all"),
    ("start tag missing", "all after ten"),
    ("start tag misspelt", "all"),
}


@each_case("slip, faulty", one_in(2, product(SLIPS, FAULTY)))
def test_records(slip, faulty):
    """Wherever the evidence is, each record is one, and has its children."""
    results = set()
    for kind, count in product(RECORDS, (12, 300)):
        broken, meant = feed_of(count, faulty, kind, slip)
        found, expected = (
            [(item.tag, len(item)) for item in xml5tree.fromstring(document)[0]] for document in (broken, meant)
        )
        results.add(found == expected)
    assert (False in results) == ((slip, faulty) in WRONG_RECORDS)


#: What is not read so where no other fault is in sight: the few records before it do not show that they do not nest.
WRONG_FAR_RECORDS = {*product(["end tag missing", "start tag twice"], ["the first", "the second"])}


@each_case("slip, faulty, kind", one_in(5, product(["end tag missing", "start tag twice"], FAULTY, RECORDS)))
def test_records_that_are_more_than_can_be_seen(slip, faulty, kind):
    broken, meant = feed_of(60_000 // len(RECORDS[kind](1)), faulty, kind, slip)
    found, expected = (len(xml5tree.fromstring(document).findall("channel/item")) for document in (broken, meant))
    assert (found != expected) == ((slip, faulty) in WRONG_FAR_RECORDS)


@each_case("cut", ["", "<na", "<name>x", "<name>x</na", "</na"])
@each_case("count", [20, 1000])
def test_document_that_begins_again_is_no_child_of_what_was_cut_off(cut, count):
    head, row = '<?xml version="1.0"?>\n<rows>\n', "\t<row>\n\t\t<name>x</name>\n\t\t<note>y</note>\n\t</row>\n"
    rows = xml5tree.fromstring(f"{head}{row * count}\t<row>\n\t\t{cut}{head}{row * count}</rows>\n")
    assert len(rows.findall("row")) == 2 * count + 1


@each_case("count", [5, 60])
def test_end_tag_after_a_lost_stretch_ends_all_that_is_open(count):
    """The end tags that are lost with the stretch are one fault, not four."""
    entry = (
        "<entry>\n<title>T</title>\n<id>i</id>\n"
        '<body><div><p>w <em>M</em> in <a href="h">archive</a>.</p></div></body>\n</entry>\n'
    )
    lost = "ive</a>.</p></div></body>\n</entry>\n<entry>\n<title>T</title>\n"
    feed = f"<feed>\n{entry * count}{(entry * 2).replace(lost, '', 1)}{entry * count}</feed>"
    assert len(xml5tree.fromstring(feed).findall("entry")) == 2 * count + 1


@each_case("count", [4, 10, 4000])
def test_records_with_attributes_that_have_no_end_tags(count):
    """They have the names that follow them, and are no empty tags beside these."""
    document = "".join(f'<row id="{i}"><name>x</name>' for i in range(count))
    rows = xml5tree.fromstring(f"<r>{document}</r>").findall("row[name]")
    assert len(rows) >= count * 0.999


@each_case(
    "first, row", [("<form>", "<input name='a' value='b'/>"), ("<ul>", "<li>a</li>"), ("<html><body>", "<p>a</p>")]
)
def test_a_stray_tag_in_html_begins_no_document(first, row):
    """What precedes it is no junk: of all tags, it alone has a name that is not of HTML."""
    assert repaired(f"{first}{row * 20}<x>{row * 80}</{first[1:]}")[0].startswith(first + row * 20)


@each_case("number", [0, 4, 9])
@each_case(
    "place, names",
    [
        ("<item>", ["rss", "channel"]),
        ("<title>x", ["rss", "channel", "item"]),
        ("<enclosure/>", ["rss", "channel", "title", "author"]),
        ("<name>y", ["rss", "channel", "item", "author"]),
        ("</author>", ["rss", "channel", "name"]),
    ],
)
def test_stray_end_tag_of_any_element(place, names, number):
    """It is ignored, and no element is taken to end before it, though all before it is new."""
    item = "<item><title>x</title><enclosure/><author><name>y</name></author></item>"
    form = "<rss><channel><title>z</title>{}</channel></rss>"
    for name in names:
        items = item * number + item.replace(place, f"{place}</{name}>") + item * (9 - number)
        assert repaired(form.format(items))[0] == form.format(item * 10)
    for name in ("rss", "channel", "item"):
        items = item * number + item.replace("</title>", f"</{name}>") + item * (9 - number)
        assert repaired(form.format(items))[0] == form.format(item * 10)


@each_case("every", [5, 10, 40])
@each_case("tag", ["<who>", "</who>"])
def test_one_fault_in_many_records(tag, every):
    record = "<item><who><name>a</name><mail>b</mail></who><sum>c</sum></item>\n"
    records = [record.replace(tag, "") if number % every == every - 1 else record for number in range(120)]
    assert (
        repaired(f"<shop><list>\n{''.join(records)}</list></shop>")[0] == f"<shop><list>\n{record * 120}</list></shop>"
    )


@each_case("end", ["", "</r", "<i><t>c", "<i><t>c</t>"])
@each_case("number", [1, 60])
def test_end_tag_missing_in_a_document_that_is_cut_off(number, end):
    record = "<i><t>a</t><l>b</l></i>\n"
    root = xml5tree.fromstring(f"<r>{record * 8}{record.replace('</i>', '')}{record * number}{end}")
    assert [len(item) for item in root[: 9 + number]] == [2] * (9 + number)


@each_case("count", [1, 5, 100])
@each_case("ends", ["</channel></rss>", "</channel>\n</rss>", "</rss>"])
def test_records_after_the_end_of_what_they_are_in(ends, count):
    item = "<item><t>a</t></item>"
    form = f"<rss><channel><t>x</t>{item * 3}{{}}{item * count}</channel></rss>"
    assert canonical(repaired(form.format(ends))[0]) == canonical(form.format("\n" if "\n" in ends else ""))


@each_case("number", [60, 400])
@each_case("missing", ['  <m n="a">', '    <m n="b">'])
def test_a_fault_is_no_dearer_in_a_long_document(missing, number):
    """Many elements of the name that have both tags do not show that the end tag before the next one is there."""
    record = '  <m n="a">\n    <m n="b">\n      1<p/>\n    1</m>\n  1</m>\n'
    before = record * number + record.replace("/>", "/>&") + record * 5
    root = xml5tree.fromstring(f"<r>\n{before}{record.replace(missing, '')}{record * number}</r>")
    assert len(root) == 2 * number + 7


@each_case("number", [2, 6000])
@each_case(
    "record, fault",
    [
        *product(["<t>a</t>"], ["<t>a</<!--t>", "<t<!-- >a</t>", "<t>a</t<!--", '<t k="1" <!-- l="2">a</t>']),
        *product(["<t k='1'/>"], ["<t k<!--='1'/>", "<t k='1<!--'/>"]),
    ],
)
def test_a_comment_without_end_in_a_tag(record, fault, number):
    """It has nothing of what follows, although no end tag in sight shows that."""
    root = xml5tree.fromstring(f"<r>{record * 3}{fault}\n{record * number}</r>")
    assert len([*root.iter("t")]) == number + 4


@each_case("number", [10, 1500])
@each_case(
    "record, fault",
    [("<circle/>", "<c<ircle/>"), ("<item><t>a</t></item>", "<it<item><t>a</t></item>"), ("<t>a</t>", "<x\n")],
)
def test_a_start_tag_without_end_has_nothing_of_what_follows(record, fault, number):
    """What follows is in its element by the usual reading, which teaches nothing."""
    root = xml5tree.fromstring(f"<r>\n{record * 90}{fault}\n{record * number}</r>")
    assert len(root) >= 90 + number


@each_case("name", ["item", "section"])
def test_elements_in_their_like(name):
    """Where the end tag of each is there, none is assumed, however far it is."""
    plain = f"<{name}><t>a</t><p>b</p></{name}>"
    around = f"<{name}><t>c</t>{plain * 300}</{name}>"
    assert repaired(f"<book>{plain * 9}{around * 6}</book>") == (f"<book>{plain * 9}{around * 6}</book>", [])
    document = f"<book>{plain}{around * 6}</book>"
    place = document.find(f"</{name}>", 5000)
    assert len(repaired(document[:place] + document[place + len(name) + 3 :])[1]) <= 2


# Values -------------------------------------------------------------------------------------------------------------

#: A record without a quote.
PLAIN = f"<item><t>{'some words ' * 20}</t><d>{'x' * 200}</d></item>"


@each_case("length", [0, 100, 5_000, 14_000])
@each_case("quote", "\"'")
@each_case("broken", ["<t a=~x>{}</t>", "<t a=~x/>{}", "<t b=~1~ a=~x>{}</t>"])
@each_case("later", ["", "<item><t a=~x~>z</t></item>", "<item><t>it~s</t></item>"])
def test_closing_quote_missing(broken, later, quote, length):
    """The value has none of the tags that follow its own, wherever the next quote of the kind is."""
    broken, later = (part.format("y" * length).replace("~", quote) for part in (broken, later))
    document = f"<rss>{PLAIN * 3}<item>{broken}</item>{PLAIN * 9}{later}{PLAIN * 9}</rss>"
    root = xml5tree.fromstring(document)
    assert len(root) == 22 + bool(later)
    assert root[3].find("t").get("a") == "x"


@each_case("value", ["a > b\n", ">", "x>&lt;/item>", "iVBORw0KGgo=", "if (a&lt;b) c"])
@each_case("quote", "\"'")
def test_long_values_without_faults(quote, value):
    """A well-formed value is not doubted, however long it is."""
    document = f"<r><item/><item a={quote}{value * (300_000 // len(value))}{quote} b='1'>t</item></r>"
    assert repaired(document)[1] == []


@each_case("length", [10, 2_000, 7_000])
@each_case("quotes", ["“”", "„“", "‘’", "«»"])
@each_case("value", ["1 2 ", "1", 'a="b" ', "x'y "])
def test_long_values_in_typographic_quotes(value, quotes, length):
    first, last = quotes
    value = (value * length)[:length].rstrip(" ").ljust(length, "x")
    document = f"<r><a x={first}{value}{last} y={first}2{last}>t</a><b/></r>"
    root = xml5tree.fromstring(document)
    assert root[0].attrib == {"x": value, "y": "2"}
    assert assumptions(repaired(document)[1]) == ["assumed-quotes"]


# What the log says --------------------------------------------------------------------------------------------------


@each_case(
    "document, code, effect, message",
    [
        ("<r><item>a</itm><item>b</item></r>", "assumed-end-tag", "kept", "</itm> was taken for </item>"),
        (
            "<r><i><t>a<l>b</l></i><i><t>c</t><l>d</l></i></r>",
            "assumed-end-before",
            "moved",
            "</t> was assumed before <l>",
        ),
        ("<b>Warning</b>: x <br /><r>a</r>", "assumed-junk", "lost", ""),
        ('<r><i k="1"><i k="1">a</i><u/></r>', "assumed-twice", "lost", ""),
        (
            "<r><i>a</i></r><i>b</i><i>c</i></r>",
            "assumed-stray-end-tag",
            None,
            "</r> was ignored, since the root goes on",
        ),
    ],
)
def test_entries(document, code, effect, message):
    [entry] = repaired(document)[1]
    assert (entry.code, entry.kind) == (code, "parse-error")
    assert effect in (None, entry.effect)
    assert message in entry.message


@each_case("before", ["", "<r>", "<r>\n\n", "<r>\nx\n"])
@each_case("reference", ["&", "&#", "&#1", "&#x", "&q", "&lt"])
def test_places_of_references_before_inserted_text(before, reference):
    """A reference at the end of a piece is at its own place, though the next piece is longer than what it replaces."""
    document = f'{before}<a \nb="x{reference}"";"></a>'
    start = document.index("&")
    places = {(entry.offset, entry.line, entry.column) for entry in repaired(document)[1]}
    assert (start, document.count("\n", 0, start) + 1, 4) in places


# Options ------------------------------------------------------------------------------------------------------------


@each_case(
    "document, meant",
    [
        ("<d>a</d><e>b</e></f>", "<d>a</d><e>b</e>"),
        ("<e/><e>a</e><e>b</e></e>", "<e/><e>a</e><e>b</e>"),
        ("<p>a</p><img><!-- b --><img>", "<p>a</p><img/><!-- b --><img/>"),
        ("<link>a</link><p>b</p>", "<link>a</link><p>b</p>"),
        ("<a>x</a> text </b> more", "<a>x</a> text  more"),
        ("<a>x</a>y</roots>z", "<a>x</a>yz"),
        ("x</b>y", "<b>x</b>y"),
        ("Use </and or so.<r>x</r>", "Use &lt;/and or so.<r>x</r>"),
    ],
)
def test_many_roots(document, meant):
    found, expected = (canonical(xml5tree.repair(part, roots="all")) for part in (document, meant))
    assert found == expected


@each_case("before", ["", "a ", "<answer>x</answer> b ", "<r>a</r>"])
@each_case("rest", ["", " ", " la", ' lang="ja'])
def test_start_tag_of_a_known_name_that_the_document_ends_in(before, rest):
    for size in (1, 100):
        markup, log = repaired(f"{before}<answer{rest}", size, elements={"answer", "r"}, roots="all")
        assert markup.endswith("</answer></xml5tree:roots>")
        assert log.truncated


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recovery": "guess"}, 'recovery must be "intent", "draft" or "strict"'),
        ({"recovery": "strict", "dialect": "html"}, "every document is HTML, whatever its errors"),
    ],
)
def test_wrong_use(options, message):
    with pytest.raises(ValueError, match=message):
        xml5tree.fromstring("<r/>", **options)


def test_all_doors():
    """Functions, parsers, drop-ins, SAX and files take the option."""
    import io
    from xml.sax import ContentHandler

    import xml5tree.ElementTree
    import xml5tree.sax
    from xml5tree.lxml import etree

    document = "<r><item>a</itm><item>b</item></r>"
    expected = ["item", "item"]
    for root in (
        xml5tree.fromstring(document, recovery="intent"),
        xml5tree.fromstring(document, backend="lxml", recovery="intent"),
        xml5tree.ElementTree.fromstring(document, recovery="intent"),
        etree.fromstring(document, etree.XMLParser(recovery="intent")),
        xml5tree.parse(io.StringIO(document), recovery="intent").getroot(),
        xml5tree.fromstring(xml5tree.open(io.BytesIO(document.encode()), recovery="intent").read()),
    ):
        assert [child.tag for child in root] == expected
    ended = [element.tag for _, element in xml5tree.iterparse(io.BytesIO(document.encode()), recovery="intent")]
    assert ended == ["item", "item", "r"]
    found = xml5tree.records(io.BytesIO(document.encode()), "item", recovery="intent")
    assert [record.element.text for record in found] == ["a", "b"]

    class Events(ContentHandler):
        names = ()

        def startElement(self, name, attributes):
            self.names += (name,)

        def endElement(self, name):
            self.names += (f"/{name}",)

    handler = Events()
    parser = xml5tree.sax.SAXParser(recovery="intent")
    parser.setContentHandler(handler)
    parser.feed(document)
    parser.close()
    assert handler.names == ("r", "item", "/item", "item", "/item", "/r")


def test_is_imported_only_when_asked_for():
    """The draft pays nothing, and neither do well-formed documents."""
    code = """if True:
        import sys
        import xml5tree
        xml5tree.fromstring("<a/>")
        xml5tree.fromstring("<a>", recovery="draft")
        assert not [name for name in sys.modules if ".intent." in name]
        xml5tree.fromstring("<a>")
        assert "xml5tree.intent.meaning" in sys.modules
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
