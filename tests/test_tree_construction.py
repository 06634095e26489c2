"""What tree construction reports, and where."""

import pytest

import xml5tree

pytestmark = pytest.mark.usefixtures("reader")


def places(document, code, **options):
    """The offsets at which an error is reported."""
    repairer = xml5tree.Repairer(**options)
    repairer.feed(document)
    repairer.close()
    return [entry.offset for entry in repairer.error_log if entry.code == code]


def test_each_attribute_with_coerced_characters_is_reported():
    assert places("<a b='\x01' c='' d='\x02'/>", "coerced-character") == [0, 0]


@pytest.mark.parametrize("between", ["<b>", "<b/>", "</b>", "</>", "</c>", "<!--d-->", "<?d e?>"])
def test_each_text_with_coerced_characters_is_reported(between):
    document = f"<a><c><b>\x01{between}\x02"
    assert places(document, "coerced-character") == [9, 10 + len(between)]


@pytest.mark.parametrize("within", ["", "x", "&amp;", "&#1;", "&", "<![CDATA[x]]>", "<![CDATA[\x01]]>", "</none>"])
def test_coerced_characters_of_one_text_are_reported_once(within):
    assert places(f"<a>\x01{within}\x02</a>", "coerced-character") == [3]


@pytest.mark.parametrize(
    ("document", "kind", "offset"),
    [
        ("x<a/>", "parse-error", 0),
        ("&#32;x<a/>", "parse-error", 0),
        ("x&#32;<a/>", "parse-error", 0),
        # White space alone is no parse error for the draft, but not well-formed where it is written so (D-103).
        (" &#32; <a/>", "not-well-formed", 1),
        ("<a/>&#32; &#32;", "not-well-formed", 4),
        ("<!DOCTYPE a [<!ENTITY e ' '>]>&e; <a/>", "not-well-formed", 30),
    ],
)
def test_text_outside_the_root_is_reported_once(document, kind, offset):
    repairer = xml5tree.Repairer()
    repairer.feed(document)
    repairer.close()
    assert [(entry.code, entry.kind, entry.offset) for entry in repairer.error_log] == [
        ("text-outside-root", kind, offset)
    ]
