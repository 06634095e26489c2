"""The encoding that an XML declaration names which does not begin the document, because junk does."""

import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import one_in
from support.commands import run_command
from support.splits import chunkings, chunks

import xml5tree

INTENT = {"recovery": "intent"}
ROOT = {"root_element": "rss"}
WARNING = b"<br />\n<b>Warning</b>:  include(a<b) in <b>/srv/caf.php</b> on line <b>3</b><br />\n"
PLAIN = b"\nWarning: x() expects 1 parameter in /srv/x.php on line 3\r\n"
HEADERS = b"HTTP/1.1 200 OK\r\nFrom: <a@example.org>\r\n\r\n"
FEED = "<?xml version='1.0' encoding='%s'?>\n<rss><t>café ş</t></rss>"


def feed(encoding):
    return (FEED % encoding).encode(encoding)


def read(document, size=None, **options):
    """The text of a document that is fed in pieces, and the codes of its errors."""
    parser = xml5tree.XMLParser(**options)
    for piece in chunks(document, size or len(document)):
        parser.feed(piece)
    root = parser.close()
    return root.findtext("t"), list(parser.error_log)


@pytest.mark.parametrize("options", [INTENT, ROOT, INTENT | ROOT])
@pytest.mark.parametrize("before", [WARNING, PLAIN, HEADERS, WARNING * 100])
def test_the_encoding_is_obeyed(before, options):
    document = before + feed("iso-8859-9")
    text, log = read(document, **options)
    assert text == "café ş"
    (entry,) = [entry for entry in log if entry.code == "assumed-encoding"]
    assert entry.message == "the encoding 'iso-8859-9' was taken from a declaration that does not begin the document"
    assert (entry.effect, entry.offset) == ("kept", len(before.replace(b"\r\n", b"\n")))
    assert (entry.line, entry.column) == (before.count(b"\n") + 1, 0)
    for size in (1, 7, 64, 4096):
        assert read(document, size, **options) == (text, log)


@pytest.mark.parametrize("opening", [b"<xml", b"<? xml", b"<?\r\n\txml"])
def test_a_declaration_with_a_broken_opening_is_obeyed(opening):
    document = feed("iso-8859-9").replace(b"<?xml", opening)
    text, log = read(document, **INTENT)
    assert text == "café ş"
    assert [entry.code for entry in log] == ["assumed-encoding", "assumed-declaration"]
    for size in (1, 7, 64):
        assert read(document, size, **INTENT) == (text, log)


def test_bytes_of_the_junk_count_as_characters_of_that_encoding():
    document = "<b>Erreur à la ligne</b>".encode("iso-8859-1") + feed("iso-8859-9")
    text, log = read(document, **INTENT)
    (entry,) = [entry for entry in log if entry.code == "assumed-encoding"]
    assert (text, entry.offset) == ("café ş", 24)


def test_the_drafts_rules_drop_the_declaration():
    """Only what drops the junk obeys what comes after it."""
    document = b"x" + "<?xml version='1.0' encoding='iso-8859-9'?><rss><t>\u015f</t></rss>".encode("iso-8859-9")
    assert read(document, recovery="draft")[0] == "þ"  # windows-1252, as bytes that are not UTF-8 are read (D-006)
    assert read(document, **INTENT)[0] == "ş"


@pytest.mark.parametrize(
    "before",
    [
        b"<rss><t>",  # the root has begun
        b"<p><rss></p>",
        b"<a@b></a@b>",  # no address
        b"<!-- ",  # what is in a comment is no declaration
        "<été/>".encode(),
        b"<b>" + b"x" * 16384 + b"</b>",  # too far away
    ],
)
@pytest.mark.parametrize("size", [None, 1])
def test_declarations_that_belong_to_something_else(before, size):
    document = before + "<?xml version='1.0' encoding='iso-8859-9'?><rss><t>\u015f</t></rss>".encode("iso-8859-9")
    repairer = xml5tree.Repairer(recovery="intent")
    for piece in chunks(document, size or len(document)):
        repairer.feed(piece)
    try:
        repairer.close()
    except xml5tree.ParseError as error:
        assert error.code == "no-root-element"
    assert "assumed-encoding" not in [entry.code for entry in repairer.error_log]


@pytest.mark.parametrize(
    ("label", "code"), [("x-none", "unsupported-encoding"), ("utf-16", "encoding-declaration-mismatch")]
)
def test_encodings_that_cannot_be_obeyed(label, code):
    for options in (INTENT, ROOT):
        _, log = read(WARNING + f"<?xml version='1.0' encoding='{label}'?><rss><t>é</t></rss>".encode(), **options)
        (entry,) = [entry for entry in log if entry.code == code]
        assert entry.offset == len(WARNING)


def test_what_a_caller_says_overrules_it():
    document = WARNING + (FEED % "iso-8859-1").encode("utf-8")
    text, log = read(document, encoding="utf-8", **INTENT)
    assert (text, "assumed-encoding" in [entry.code for entry in log]) == ("café ş", False)
    text, log = read(b"\xef\xbb\xbf" + document, **INTENT)
    assert (text, "assumed-encoding" in [entry.code for entry in log]) == ("café ş", False)


def test_utf8_is_nothing_to_tell():
    _, log = read(WARNING + feed("utf-8"), **ROOT)
    assert [entry.code for entry in log] == ["assumed-junk"]


@pytest.mark.parametrize("options", [INTENT, ROOT])
def test_files_and_streams(options):
    document = WARNING + feed("iso-8859-9")
    assert "café ş" in xml5tree.open(io.BytesIO(document), **options).read().decode()
    (text,) = [item.text for _, item in xml5tree.iterparse(io.BytesIO(document), **options) if item.tag == "t"]
    assert text == "café ş"


def test_commands_show_the_same_characters(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_bytes(WARNING + "<?xml version='1.0' encoding='shift_jis'?>\n<rss>あ & い</rss>".encode("shift_jis"))
    out = run_command("check", "--recovery", "intent", path).out
    assert "<rss>あ & い</rss>" in out
    assert "あ &amp; い" in run_command("repair", "--recovery", "intent", "--diff", path).out
    assert 'Characters "あ & い"' in run_command("tokens", "--recovery", "intent", path).out


PARTS = (b"<b>", b"</b>", b"<br/>", b"x", b"<!-- ", b"-->", b"<?p ", b"?>", b"<a@b>", b"<!DOCTYPE rss>", b"\r\n", b"<")
END = b"<?xml version='1.0' encoding='iso-8859-9'?><rss><t>\xfe</t></rss>"


@pytest.mark.parametrize("options", [INTENT, ROOT])
@given(data=st.data())
def test_pieces_make_no_difference(options, data):
    document = b"".join(data.draw(st.lists(st.sampled_from(PARTS), max_size=8))) + END
    pieces = data.draw(chunkings(document))
    results = []
    for parts in ([document], pieces, chunks(document, 1)):
        repairer = xml5tree.Repairer(**options)
        try:
            markup = b"".join([*map(repairer.feed, parts), repairer.close()])
        except xml5tree.ParseError as error:
            markup = error.code
        results.append((markup, list(repairer.error_log)))
    assert results[1:] == results[:-1]


def test_looking_for_it_takes_linear_time():
    for part, options in one_in(2, ((b"<b>", INTENT), (b"<b>", ROOT), (b"<!--", INTENT), (b"<?xml version", ROOT))):
        repairer = xml5tree.Repairer(**options)
        begun = time.process_time()
        for piece in chunks(part * (16384 // len(part)), 1):
            repairer.feed(piece)
        assert time.process_time() - begun < 2
