"""What becomes of the characters that XML does not allow: the option `control_characters`."""

import contextlib
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import nearxml
from support.outcomes import assert_same_on_all_ways
from support.splits import chunkings

import xml5tree

pytestmark = pytest.mark.usefixtures("reader")

WAYS = st.sampled_from(["draft", "intent"])
_ESCAPE = re.compile("_x[0-9A-F]{4}_")


@pytest.mark.parametrize(
    ("document", "dropped", "escaped"),
    [
        ("<a>x\x0by\0z\x0c\uffff</a>", "<a>xyz</a>", "<a>x_x000B_y_x0000_z_x000C__xFFFF_</a>"),
        ("<a>&#0;&#x1F;-</a>", "<a>-</a>", "<a>_x0000__x001F_-</a>"),
        ("<a b='x\x01y&#0;'/>", '<a b="xy"/>', '<a b="x_x0001_y_x0000_"/>'),
        ("<a><!--\x01--></a>", "<a><!----></a>", "<a><!--_x0001_--></a>"),
        ("<a><?p x\x01y?></a>", "<a><?p xy?></a>", "<a><?p x_x0001_y?></a>"),
        ("<a><![CDATA[\x01x\0]]></a>", "<a><![CDATA[x]]></a>", "<a><![CDATA[_x0001_x_x0000_]]></a>"),
        ("<a><![CDATA[\x01]]></a>", "<a><![CDATA[]]></a>", "<a><![CDATA[_x0001_]]></a>"),
        (
            "<!DOCTYPE a [<!ENTITY e 'x&#0;\x01y'>]><a>&e;</a>",
            "<!DOCTYPE a><a>xy</a>",
            "<!DOCTYPE a><a>x_x0000__x0001_y</a>",
        ),
        # What is around a dropped character never becomes markup.
        ("<a>]\x01]\x02></a>", "<a>]]&gt;</a>", "<a>]_x0001_]_x0002_></a>"),
        ("<a>]]&#1;></a>", "<a>]]&gt;</a>", "<a>]]_x0001_></a>"),
        ("<a>&am\x01p;&lt\x01;</a>", "<a>&amp;amp;&amp;lt;</a>", "<a>&amp;am_x0001_p;&amp;lt_x0001_;</a>"),
        (
            "<a><![CDATA[]\x01]>]]></a>",
            "<a><![CDATA[]]]]><![CDATA[>]]></a>",
            "<a><![CDATA[]_x0001_]>]]></a>",
        ),
        ("<a><!--x-\x01-y\x01---></a>", "<a><!--x- -y- --></a>", "<a><!--x-_x0001_-y_x0001_- --></a>"),
        ("<a><?p x?\x01>?></a>", "<a><?p x? >?></a>", "<a><?p x?_x0001_>?></a>"),
        # Names are written the same with either.
        ("<a\x01 b\0=''/>", '<aU000001 bU000000=""/>', '<aU000001 bU000000=""/>'),
    ],
)
def test_they_are_dropped_or_escaped(document, dropped, escaped):
    for option, expected in (("drop", dropped), ("escape", escaped)):
        assert xml5tree.repair(document, control_characters=option, recovery="draft") == expected
        ET.fromstring(expected)


@pytest.mark.parametrize("document", ["<a>\ud800</a>", b"<a>\xe4\xc3\xa4\x81</a>"])
@pytest.mark.parametrize("option", ["drop", "escape"])
def test_what_is_no_control_character_is_still_replaced(document, option):
    assert xml5tree.fromstring(document, control_characters=option).text[0] in "\ufffdä"
    assert "\ufffd" in xml5tree.fromstring(document, control_characters=option).text


def test_the_log_says_what_became_of_them():
    def entries(document, option):
        repairer = xml5tree.Repairer(control_characters=option)
        repairer.feed(document)
        repairer.close()
        return [(entry.code, entry.offset, entry.effect) for entry in repairer.error_log], repairer.error_log.effect

    found = [("control-character-in-input-stream", 3, "kept"), ("coerced-character", 3, "lost")]
    assert entries("<a>\x01</a>", "replace") == (found, "lost")
    assert entries("<a>\x01</a>", "drop") == (found, "lost")
    assert entries("<a>\x01</a>", "escape") == ([found[0], ("coerced-character", 3, "kept")], "kept")
    assert entries("<a>\0</a>", "replace") == ([("unexpected-null-character", 3, "lost")], "lost")
    null = ("unexpected-null-character", 3, "kept")
    assert entries("<a>\0</a>", "drop") == ([null, ("coerced-character", 3, "lost")], "lost")
    assert entries("<a>\0</a>", "escape") == ([null, ("coerced-character", 3, "kept")], "kept")


def test_messages_do_not_tell_of_another_repair():
    for option in ("drop", "escape"):
        repairer = xml5tree.Repairer(control_characters=option)
        repairer.feed("<a b='\x01'>\0&#0;\x0c</a>")
        repairer.close()
        assert repairer.error_log
        assert not [entry for entry in repairer.error_log if "FFFD" in entry.message]
        words = {"drop": "dropped", "escape": "escaped"}[option]
        assert any(words in entry.message for entry in repairer.error_log)


def _facts(root):
    """Return names, attributes and text of a tree, with what stands in it for control characters left out."""

    def plain(text):
        return _ESCAPE.sub("", text or "")

    return [
        (element.tag, {name: plain(value) for name, value in element.items()}, plain(element.text), plain(element.tail))
        for element in root.iter()
    ]


@given(nearxml.documents() | nearxml.near_markup(), WAYS)
def test_dropped_is_escaped_without_the_escapes(document, recovery):
    def tree(option):
        try:
            return _facts(xml5tree.fromstring(document, control_characters=option, recovery=recovery))
        except xml5tree.ParseError:
            return None

    assume("xmlns:xml" not in document)  # without what is dropped, its namespace may be the right one
    assert tree("drop") == tree("escape")


@given(
    nearxml.documents() | nearxml.near_markup() | nearxml.byte_documents(),
    WAYS,
    st.sampled_from(["drop", "escape"]),
    st.data(),
)
def test_chunks_and_lanes_agree(document, recovery, option, data):
    options = {"control_characters": option, "recovery": recovery}
    assert_same_on_all_ways(document, data.draw(chunkings(document)), options)
    with contextlib.suppress(xml5tree.ParseError):
        ET.fromstring(xml5tree.repair(document, **options))


@given(nearxml.well_formed_documents(), st.sampled_from(["drop", "escape"]))
def test_a_well_formed_document_is_the_native_parsers(document, option):
    assert ET.tostring(xml5tree.fromstring(document, control_characters=option)) == ET.tostring(ET.fromstring(document))


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_text_events_have_what_the_tree_has(backend):
    document = "<a>x\x01y<![CDATA[\0]]>&#2;z</a>"
    for option in ("replace", "drop", "escape"):
        parser = xml5tree.XMLPullParser(("text", "end"), backend=backend, control_characters=option)
        parser.feed(document)
        parser.close()
        events = [*parser.read_events()]
        text = "".join(data for kind, (_, data) in events[:-1] if kind == "text")
        assert text == events[-1][1].text


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (ValueError, {"control_characters": "remove"}),
        (ValueError, {"control_characters": None}),
        (ValueError, {"control_characters": "drop", "dialect": "microxml"}),
        (ValueError, {"control_characters": "drop", "recovery": "strict"}),
    ],
)
def test_bad_use(error, options):
    with pytest.raises(error):
        xml5tree.fromstring("<a/>", **options)


# Padding behind a document.

PADDED = {
    "a block": ("<r/>" + "\0" * 1000, "<r/>", 4, 1000),
    "end of a file": ("<r/>\n\x1a", "<r/>\n", 5, 1),
    "among white space": ("<r>é</r>\n\x1a\0\n \0", "<r>é</r>\n", 9, 5),
    "after a declaration": ("<?xml version='1.0'?><r/>\0", "<?xml version='1.0'?><r/>", 25, 1),
    "of an element that is not closed": ("<r><i/>\0\0", "<r><i/></r>", 7, 2),
    "of a text that is cut off": ("<r>a\0\0", "<r>a</r>", 4, 2),
    "of a tag that is cut off": ("<r a='\0", "<r></r>", 6, 1),
    "after a wrong end tag": ("<r><i>1</j>\0\0", "<r><i>1</i></r>", 11, 2),
}


@pytest.mark.parametrize(("document", "repaired", "offset", "length"), PADDED.values(), ids=list(PADDED))
@pytest.mark.parametrize("control_characters", ["replace", "drop", "escape"])
def test_padding_is_one_entry(document, repaired, offset, length, control_characters):
    options = {"recovery": "intent", "control_characters": control_characters}
    for data in (document, document.encode()):
        edits = []
        assert xml5tree.repair(data, edits=edits, **options) == (repaired if data is document else repaired.encode())
        assert xml5tree.apply(data, edits) == xml5tree.repair(data, **options)
        for size in (1, 7, len(data)):
            repairer = xml5tree.Repairer(**options)
            pieces = [repairer.feed(data[place : place + size]) for place in range(0, len(data), size)]
            assert type(data)().join([*pieces, repairer.close()]) == xml5tree.repair(data, **options)
            (entry,) = (entry for entry in repairer.error_log if entry.code == "assumed-padding")
            assert (entry.offset, entry.effect) == (offset, "kept")
            assert entry.message.endswith(f" {length} character{'s' * (length > 1)}".replace("1000", "1,000"))
            assert "unexpected-null-character" not in repairer.error_log.summary()


@pytest.mark.parametrize("document", ["<r/>\0<!-- -->", "<r/>\0x", "<r>\0</r>"])
def test_no_padding(document):
    log = xml5tree.Repairer(recovery="intent")
    assert log.feed(document) + log.close() == xml5tree.repair(document)
    assert "assumed-padding" not in log.error_log.summary()
    assert "unexpected-null-character" in log.error_log.summary()
