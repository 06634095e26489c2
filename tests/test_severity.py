"""What is said to have happened to content: kept, moved or lost, and whether the document is cut off."""

import copy
import json
import os
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree as lxml_etree
from support import nearxml
from support.commands import run_command
from support.splits import chunkings, splits

import xml5tree
import xml5tree.lxml.etree
from xml5tree.errors.codes import CODES, EFFECTS, KEPT, LOST, MOVED
from xml5tree.errors.faults import JOINING

UNCLOSED_QUOTE = '<r><a title="never closed><b>text</b></a>\n<c>more</c>\n</r>'
UNCLOSED_COMMENT = "<r><a>1</a><!-- oops <b>2</b><c>3</c></r>"
CUT_MESSAGE = '<s:Envelope xmlns:s="urn:s" xmlns:m="urn:m"><s:Body><m:Price>34.'
RECORDS = "<recs>\n{}</recs>\n".format(
    "<rec>1</rec>\n" * 500 + "<rec>1</recc>\n" + "<rec>1</rec>\n" * 19_499,
)


def log_of(document, backend="lxml", recovery="draft", **options):
    parser = xml5tree.XMLParser(backend=backend, recovery=recovery, **options)
    try:
        xml5tree.fromstring(document, parser=parser)
    except xml5tree.ParseError as error:
        return error.errors
    return parser.error_log


def effects_of(document, **options):
    return {entry.code: entry.effect for entry in log_of(document, **options)}


# The examples that were called repaired without loss.


def test_quote_that_is_not_closed():
    log = log_of(UNCLOSED_QUOTE)
    assert (log.effect, log.lossy, log.truncated) == (MOVED, False, False)
    value = xml5tree.fromstring(UNCLOSED_QUOTE, recovery="draft")[0].get("title")
    (entry,) = [entry for entry in log if entry.code == "eof-in-tag"]
    assert entry.effect == MOVED
    assert f"in an attribute value of {len(value)} characters" in entry.message


def test_comment_that_is_not_closed():
    assert [child.tag for child in xml5tree.fromstring(UNCLOSED_COMMENT, recovery="draft")] == ["a"]
    assert (log_of(UNCLOSED_COMMENT, "etree").effect, log_of(UNCLOSED_COMMENT).effect) == (LOST, MOVED)
    (entry, _) = log_of(UNCLOSED_COMMENT)
    assert "everything after '<!--', 26 characters, became the comment" in entry.message
    assert not log_of(UNCLOSED_COMMENT).truncated


@pytest.mark.parametrize(
    ("opening", "effects"), [("<!--", (LOST, MOVED)), ("<?p ", (LOST, MOVED)), ("<![CDATA[", (MOVED, MOVED))]
)
def test_section_that_the_next_tag_ends(opening, effects):
    """What is in a comment or an instruction is lost where the tree leaves these out."""
    document = f"<r><d>one {opening}text</d><d>two</d></r>"
    for backend, effect in zip(("etree", "lxml"), effects, strict=True):
        log = log_of(document, backend, recovery="intent")
        assert [(entry.code, entry.effect) for entry in log] == [("assumed-end-of-section", effect)]


def test_section_that_its_own_bracket_ends():
    """It has what its author wrote in it, and nothing else."""
    log = log_of("<r><d k='1'>one</d><?d k='2'>two</d></r>", "etree", recovery="intent")
    assert ("assumed-end-of-section", LOST) in [(entry.code, entry.effect) for entry in log]
    for document in ("<r><d>one</d><!-- note -><d>two</d></r>", "<?x y='z'><r><d>one</d></r>"):
        log = log_of(document, recovery="intent")
        assert [(entry.code, entry.effect) for entry in log] == [("assumed-end-of-section", MOVED)]


@pytest.mark.parametrize(
    ("document", "code", "effect"),
    [
        ("<r><b>1</b><c k2'/></r>", "assumed-end-of-value", MOVED),
        ("<r>1 <b k='2'><a>3</a></b><b</r>", "assumed-end-of-tag", MOVED),
        ("<r><b>1</b>if a <x then</r>", "assumed-text", KEPT),
        ('<r><b k=\'1\'/><b k="""/></r>', "assumed-quotes", KEPT),
        ('<r><b k=\'1\'/><b k=""x""/></r>', "assumed-quotes", KEPT),
    ],
)
def test_what_intent_takes_for_text_or_quotes(document, code, effect):
    assert effects_of(document, recovery="intent") == {code: effect}


@pytest.mark.parametrize("document", ["<?x y='z'>\n<r><b>t</b><?p?><c/></r>", "<!--x -><r><!-- y --><c/></r>"])
def test_root_element_in_a_comment_or_an_instruction(document):
    for backend, effect in (("etree", LOST), ("lxml", MOVED)):
        log = log_of(document, backend)
        assert (log[-1].code, log[-1].effect, log.effect) == ("unmatched-end-tag", effect, effect)


def test_message_that_is_cut_off():
    log = log_of(CUT_MESSAGE)
    assert (log.effect, log.truncated) == (MOVED, True)
    assert "all open elements were closed (3)" in log[0].message


def test_wrong_end_tag_among_many_records():
    log = log_of(RECORDS)
    assert len(xml5tree.fromstring(RECORDS, recovery="draft").findall("rec")) == 501
    assert [entry.code for entry in log] == ["unmatched-end-tag", "mismatched-end-tag"]
    assert [entry.effect for entry in log] == [MOVED, MOVED]
    length = RECORDS.index("</recs>") - RECORDS.index("</recc>")
    assert log[1].message.endswith(f"everything since the end tag ignored in line 502 is inside: {length:,} characters")
    assert (log.effect, log.truncated) == (MOVED, False)


# Those that were called a loss.


@pytest.mark.parametrize(
    ("document", "effect"),
    [
        ("Warning: cannot connect\n<?xml version='1.0'?><r/>", KEPT),
        ("Warning: cannot connect\n<!DOCTYPE r><r/>", KEPT),
        (b"\xef\xbb\xbf\xef\xbb\xbf<r/>", KEPT),
        ("\ufeff\n\ufeff<r/>", KEPT),
        ("<r/>&#32;", KEPT),
        ("Hello <r/>", LOST),
        ("Hello <!-- x --><?xml version='1.0'?><r/>", LOST),
        ("<r/>good bye", LOST),
        ("<r/>\ufeff good bye", LOST),
    ],
)
def test_text_outside_the_root(document, effect):
    log = log_of(document)
    assert (log.effect, log.lossy) == (effect, effect == LOST)
    assert effects_of(document)["text-outside-root"] == effect


def test_text_outside_the_root_is_counted():
    assert log_of("<r/> one two \n<!-- x -->")[0].message.endswith("was dropped: 7 characters")


# Single repairs.


@pytest.mark.parametrize(
    ("document", "code", "effect"),
    [
        ("<a b='1 < 2'/>", "less-than-sign-in-attribute-value", KEPT),
        ("<a b='<i>x</i>'/>", "less-than-sign-in-attribute-value", KEPT),
        ("<a b='x><c d='y'>z</c></a>", "less-than-sign-in-attribute-value", MOVED),
        ("<a b=x<c>z</c></a>", "less-than-sign-in-attribute-value", MOVED),
        ("<a b='x>y' c='1 < 2'/>", "less-than-sign-in-attribute-value", KEPT),
        ("<a><b<c>z</a>", "coerced-element-name", MOVED),
        ("<a b='c' d\"/>", "coerced-attribute-name", MOVED),
        ("<a 1='c'/>", "coerced-attribute-name", KEPT),
        ("<a b='cut", "eof-in-tag", KEPT),
        ("<a b='cut>x", "eof-in-tag", MOVED),
        ("<a><b ", "eof-in-tag", KEPT),
        ("<a/><!--", "eof-in-comment", KEPT),
        ("<a/><!--x", "eof-in-comment", MOVED),
        ("<a><![CDATA[x", "eof-in-cdata", MOVED),
        ("<a><?x y", "eof-in-processing-instruction", MOVED),
        ("<a><?x", "eof-in-processing-instruction", KEPT),
        ("<a>List<?> a; List<?> b;</a>", "coerced-pi-target", MOVED),
        ("<a><?1?></a>", "coerced-pi-target", MOVED),
        ("<a><?a<b ?></a>", "coerced-pi-target", MOVED),
        ("<a><?x:y z?></a>", "coerced-pi-target", KEPT),
        ("<a/><?XML z?>", "coerced-pi-target", KEPT),
        ("</b><a/></b>", "unmatched-end-tag", KEPT),
        ("<a></b></a>", "unmatched-end-tag", MOVED),
        ("<a></b<c></a>", "unmatched-end-tag", LOST),
        ("<a></b&amp;c></a>", "unmatched-end-tag", LOST),
        ("<a></bc='1'></a>", "unmatched-end-tag", LOST),
        ("<a/></bc='1'>", "unmatched-end-tag", LOST),
        ("<a></![CDATA[text]]></a>", "unmatched-end-tag", LOST),
        ("<a></b,text></a>", "unmatched-end-tag", LOST),
        ("<a></b;></a>", "unmatched-end-tag", MOVED),
        ("<a></!b></a>", "unmatched-end-tag", MOVED),
        ("<a></n:b.c-\u0915\u093f></a>", "unmatched-end-tag", MOVED),
        ("<a b='1'c/>", "attribute-without-value", MOVED),
        ("<a b='1'c d='2'>", "attribute-without-value", MOVED),
        ("<a b='1' c/>", "attribute-without-value", KEPT),
        ("<a k=>'v' m=\"w\">", "missing-attribute-value", MOVED),
        ("<a k>='v'>", "attribute-without-value", MOVED),
        ("<a>< l='v'/></a>", "invalid-first-character-of-tag-name", MOVED),
        ("<a>< l</a>", "invalid-first-character-of-tag-name", KEPT),
        ("<?x href='a'>\n<r><b>t</b><?p?><c/></r>", "unmatched-end-tag", MOVED),
        ("<!--x -><r><!-- y --><c/></r>", "unmatched-end-tag", MOVED),
        ("<!--x <s></s><r> y --><c/></s>", "unmatched-end-tag", KEPT),
        ("<a b='1' b='2'/>", "duplicate-attribute", LOST),
        ("<a b='1' b='1'/>", "duplicate-attribute", KEPT),
        ("<a b='1' b = \"1\"/>", "duplicate-attribute", KEPT),
        ("<a b='1' c='2' b=1/>", "duplicate-attribute", LOST),
        ("<a b='1' c='2' b=1 />", "duplicate-attribute", KEPT),
        ("<a b b/>", "duplicate-attribute", KEPT),
        ("<a b='' b/>", "duplicate-attribute", KEPT),
        ("<a b b=''/>", "duplicate-attribute", KEPT),
        ("<a b='1' b/>", "duplicate-attribute", LOST),
        ("<a b='1' b=>", "duplicate-attribute", LOST),
        ("<a b='&#x31; 2' b='1 2'/>", "duplicate-attribute", KEPT),
        ("<a b='1 2' b='1\t2'/>", "duplicate-attribute", KEPT),
        ("<a b='x&amp;y' b='x&amp;y'/>", "duplicate-attribute", KEPT),
        ("<a b='1' b='1", "duplicate-attribute", KEPT),
        ("<a xmlns:p='u' xmlns:p='u'/>", "duplicate-attribute", KEPT),
        ("<a xmlns='u' xmlns='v'/>", "duplicate-attribute", LOST),
        ("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='1'/>", "duplicate-attribute", KEPT),
        ("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", "duplicate-attribute", LOST),
        ("<r xmlns:p='u><t>text</t><i' k=\"1\">x</r>", "less-than-sign-in-attribute-value", LOST),
        ("<r xmlns='<t>text</t><i' k='1'>x</r>", "less-than-sign-in-attribute-value", LOST),
        ("<r xmlns:p=u<t k='1'>x</r>", "less-than-sign-in-attribute-value", LOST),
        ("<r xmlns:p='u><t>text</r>", "eof-in-tag", LOST),
        ("<r xmlnsp='u><t>text</t><i' k=\"1\">x</r>", "less-than-sign-in-attribute-value", MOVED),
        ("<a>&lt</a>", "missing-semicolon-after-character-reference", KEPT),
        ("<a>Fish & chips</a>", "unescaped-ampersand", KEPT),
    ],
)
def test_effect(document, code, effect):
    assert effects_of(document).get(code) == effect
    if document.startswith("<a") and document.endswith(">"):  # inside, where the compiled scanner reads it
        assert effects_of(f"<r><z>text</z> {document} ").get(code) == effect
    repairer = xml5tree.Repairer()
    for character in document:
        repairer.feed(character)
    repairer.close()
    assert {entry.code: entry.effect for entry in reversed(repairer.error_log)}[code] == effect


@pytest.mark.parametrize(
    "document", ["<a><!x></a>", "<a><? x></a>", "<a><!--x<!--y--></a>", "<a><!--x", "<a><?p x", "<a><?1?></a>"]
)
def test_what_becomes_a_node_that_the_tree_leaves_out_is_lost(document):
    class Target:
        def start(self, tag, attributes):
            pass

        def end(self, tag):
            pass

        def close(self):
            return None

    class TargetOfComments(Target):
        def comment(self, data):
            pass

        def pi(self, target, data):
            pass

    assert log_of(document, "etree").effect == LOST
    assert log_of(document, "lxml").effect == MOVED
    for backend in ("etree", "lxml"):
        assert log_of(document, backend, target=Target()).effect == LOST
        assert log_of(document, backend, target=TargetOfComments()).effect == MOVED
    repairer = xml5tree.Repairer()
    repairer.feed(document)
    repairer.close()
    assert repairer.error_log.effect == MOVED
    assert xml5tree.iterparse([document]).error_log.effect == KEPT
    for events, effect in ((["end"], LOST), (["comment", "pi"], MOVED)):
        parser = xml5tree.XMLPullParser(events)
        parser.feed(document)
        parser.close()
        assert parser.error_log.effect == effect
    for options, effect in (({}, MOVED), ({"remove_comments": True, "remove_pis": True}, LOST)):
        parser = xml5tree.lxml.etree.XMLParser(recovery="draft", **options)
        lxml_etree.tostring(xml5tree.lxml.etree.fromstring(document, parser))
        assert parser.error_log.effect == effect


@pytest.mark.parametrize(
    ("document", "truncated"),
    [
        ("<root><a/></rot>", False),
        ("<root><a/></rot>\n", False),
        ("<root><a/></rot>" + "\n" * 400, False),
        ("<root><a></b><c/></rot>", False),
        ("<root><a><c/></rot>", True),
        ("<root></x><a/>", True),
        ("<root></x>text", True),
        ("<root></x>&amp;", True),
        ("<root></x>" + "<b>x</b>" * 40, True),
        (UNCLOSED_QUOTE, False),
        (UNCLOSED_QUOTE[:-3], True),
        (UNCLOSED_COMMENT + "\n", False),
        (UNCLOSED_COMMENT[:-3], True),
        ("<a/><!-- </a>", True),
        ("<a><b></a>", False),
        ("<a/>x", False),
        ("<a/><b>x</b><b/>", False),
        ("<a/><b><c></b><c>x</c>", False),
        ("<a/><b>x</>", False),
        ("<a/><b><b>x</b>", True),
        ("<a/><c>y</c><b>x", True),
        ("<a/><b><c>x</></b>", False),
        ("<a/><b><c>x</>", True),
    ],
)
def test_truncated(document, truncated):
    assert is_truncated(document, "draft") == truncated


@pytest.mark.parametrize(
    ("document", "truncated"),
    [
        ("<rss><c>1</c></rss>\n<div>x</dvi>\n", False),
        ("<a/><b>x</a>", False),
        ("<a/><b>x</c></a>", False),
        ("<urlset/><url><loc>1</urls></urlset>", False),
        ("<a/><b><c>x</d><!--y--></e>", False),
        ("<a/><b><c></d>x</c></e>", False),
        ("<a/><b><c>x</d>", True),
        ("<a/></d></d><b><c>x</d>", True),
        ("<a/><b>x</d>y", True),
        ("<a/><b>x</d>&amp;", True),
        ("<a/><b>x</d><![CDATA[]]>", True),
        ("<a/><b>x</d><e/>", True),
        ("<a/><b>x</d><e>", True),
        ("<a/><s><c></d>x</c>", True),
        ("<a/><b><c><d>x</c></d>", True),
        ("<a/><b><c><d><e>x</c></e></d>", True),
        ("<a/><b><c><d>x</c></d></e>", False),
        ("<a/><b>x</d><c", True),
        ("<a/><b>x<?", True),
    ],
)
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_truncated_after_the_root(document, truncated, recovery, tmp_path):
    """An element after the root is cut off as the root would be, and all commands say the same."""
    assert is_truncated(document, recovery) == truncated
    file = tmp_path / "a.xml"
    file.write_text(document, "utf-8")
    (found,) = json.loads(run_command("check", "--recovery", recovery, "--format", "json", str(file)).out)["files"]
    repaired = run_command("repair", "--recovery", recovery, str(file), "-o", str(tmp_path / "b.xml"))
    assert found["truncated"] == truncated == repaired.err.rstrip().endswith("; the document is cut off")


@pytest.mark.parametrize("junk", ["<b", "<b>x", "<!-- x", "<? x", "<html><p>x", "<b k='", "&", "\0\0"])
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_a_document_is_not_cut_off_behind_its_end(junk, recovery):
    """What text precedes behind the root is a message of a script, or another part of the file."""
    for before in ("\n--part\nContent-Type: text/html\n\n", "\nFatal error: "):
        assert not is_truncated(f"<a>{'<i>1</i>' * 50}</a>{before}{junk}", recovery)


@pytest.mark.parametrize("document", ["<a/><b>x &", "<a/><b", "<a/><?"])
def test_a_document_is_not_cut_off_for_who_does_not_look(document, tmp_path):
    file = tmp_path / "a.xml"
    file.write_text(document, "utf-8")
    for choice, truncated in ((("--ignore", "duplicate-attribute"), True), (("--select", "unescaped-*"), False)):
        result = run_command("check", "--recovery", "draft", "--format", "json", *choice, str(file))
        assert json.loads(result.out)["files"][0]["truncated"] == truncated


@pytest.mark.parametrize(
    ("document", "truncated"),
    [
        ("<r><a><b>x</a></b>", True),
        ("<r><a><b><c>x</a></c></b>", True),
        ("<r><a><b>x</a></b></b>", False),
        ("<root><a><b>x</a></b></rot>", False),
        ("<root><a><b><c>x</a></c></b></rot>", False),
    ],
)
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_truncated_after_end_tags_that_cross(document, truncated, recovery):
    """The end tag of an element that another end tag has closed is none of those that are missing."""
    assert is_truncated(document, recovery) == truncated


def is_truncated(document, recovery):
    found = set()
    for pieces in ([document], list(document)):
        parser = xml5tree.XMLParser(recovery=recovery)
        for piece in pieces:
            parser.feed(piece)
        parser.close()
        found.add(parser.error_log.truncated)
    [truncated] = found
    return truncated


# The scale.


def test_empty_log():
    assert xml5tree.errors.ErrorLog().effect == KEPT
    assert log_of("<a/>").effect == KEPT


@given(nearxml.documents())
def test_log_has_the_worst_effect(document):
    log = log_of(document, max_errors=None)
    assert log.effect == max((entry.effect for entry in log), key=EFFECTS.index, default=KEPT)
    assert log.lossy == (log.effect == LOST) == any(entry.lossy for entry in log)
    few = log_of(document, max_errors=1)
    assert (few.effect, few.truncated) == (log.effect, log.truncated)
    entries = []
    log_of(document, on_error=entries.append)
    assert sorted(entries, key=hash) == sorted(log, key=hash)


@given(nearxml.documents(), st.data())
def test_effects_do_not_depend_on_the_parts(document, data):
    def read(pieces):
        repairer = xml5tree.Repairer(max_errors=None)
        try:
            for piece in pieces:
                repairer.feed(piece)
            repairer.close()
        except xml5tree.ParseError as error:
            return error.errors.as_dicts(), error.errors.truncated
        return repairer.error_log.as_dicts(), repairer.error_log.truncated

    assert read(data.draw(chunkings(document))) == read([document])


@pytest.mark.parametrize("document", [UNCLOSED_QUOTE, UNCLOSED_COMMENT, "<r><a></b>x</c>y</r>", "<r/> a \n b <b/>"])
def test_messages_do_not_depend_on_the_parts(document):
    expected = log_of(document).as_dicts()
    for pieces in splits(document):
        parser = xml5tree.XMLParser(backend="lxml", recovery="draft")
        for piece in pieces:
            parser.feed(piece)
        parser.close()
        assert parser.error_log.as_dicts() == expected


def test_entries_as_dictionaries():
    log = log_of("<a b=c>x & y</a>")
    assert json.loads(json.dumps(log.as_dicts())) == log.as_dicts()
    assert log[0].as_dict() == {
        "code": "unquoted-attribute-value",
        "kind": "not-well-formed",
        "message": log[0].message,
        "line": 1,
        "column": 5,
        "offset": 5,
        "effect": "kept",
        "filename": None,
        "confidence": None,
    }
    assert xml5tree.ErrorEntry(**log[0].as_dict()) == log[0]


# The command line.


@pytest.fixture
def folder(tmp_path, monkeypatch):
    documents = {
        "good.xml": "<a/>",
        "kept.xml": "<a>Fish & chips</a>",
        "moved.xml": RECORDS,
        "lost.xml": "<a b='1' b='2'/>",
        "cut.xml": CUT_MESSAGE,
        "cut-comment.xml": "<a/><!--",
        "none.xml": "nothing",
    }
    for name, document in documents.items():
        (tmp_path / name).write_text(document, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("good.xml", 0, "good.xml: well-formed\n"),
        ("kept.xml", 1, "kept.xml: 1 error; content is kept\n"),
        ("moved.xml", 2, "moved.xml: 2 errors; content is moved\n"),
        ("lost.xml", 2, "lost.xml: 1 error; content is lost\n"),
        ("cut.xml", 2, "cut.xml: 1 error; content is moved; the document is cut off\n"),
        ("cut-comment.xml", 2, "cut-comment.xml: 1 error; content is kept; the document is cut off\n"),
        ("none.xml", 2, "none.xml: 2 errors; there is no tree\n"),
    ],
)
def test_check(folder, name, status, words):
    result = run_command("check", "--recovery", "draft", name)
    assert result.status == status
    assert words in result.out


@pytest.mark.parametrize(
    ("fail_on", "failing"),
    [
        ("kept", ["kept.xml", "moved.xml", "lost.xml", "cut.xml", "cut-comment.xml"]),
        ("moved", ["moved.xml", "lost.xml", "cut.xml"]),
        ("lost", ["lost.xml"]),
        ("truncated", ["cut.xml", "cut-comment.xml"]),
        ("lost,truncated", ["lost.xml", "cut.xml", "cut-comment.xml"]),
        ("unescaped-ampersand", ["kept.xml"]),
        ("eof-in-*, duplicate-attribute", ["lost.xml", "cut.xml", "cut-comment.xml"]),
    ],
)
def test_fail_on(folder, fail_on, failing):
    statuses = {
        name: run_command("check", "--recovery", "draft", "-q", name, "--fail-on", fail_on).status
        for name in os.listdir()
    }
    plain = {name: run_command("check", "--recovery", "draft", "-q", name).status for name in os.listdir()}
    assert statuses == {name: plain[name] if name in [*failing, "none.xml"] else 0 for name in statuses}
    for name in ("kept.xml", "lost.xml"):
        assert (
            run_command("repair", "--recovery", "draft", name, "-o", "out.xml", "--fail-on", fail_on).status
            == statuses[name]
        )
        os.unlink("out.xml")


def test_select_and_ignore(folder):
    (folder / "both.xml").write_text("<a b='1' b='2'>Fish & chips", "utf-8")
    result = run_command(
        "check", "--recovery", "draft", "both.xml", "--ignore", "duplicate-attribute", "--ignore", "eof-*"
    )
    assert result.status == 1
    assert "1 error; content is kept" in result.out
    assert "duplicate-attribute" not in result.out
    result = run_command(
        "check",
        "--recovery",
        "draft",
        "both.xml",
        "--select",
        "duplicate-attribute,unescaped-ampersand",
        "--format",
        "json",
    )
    (found,) = json.loads(result.out)["files"]
    assert (result.status, found["status"], found["effect"], found["truncated"]) == (2, 2, "lost", False)
    assert [error["code"] for error in found["errors"]] == ["duplicate-attribute", "unescaped-ampersand"]
    result = run_command("check", "--recovery", "draft", "both.xml", "good.xml", "--select", "nested-comment")
    assert result.status == 0
    assert "both.xml: none of the errors that are looked for\n" in result.out
    assert "2 files: 1 well-formed, 1 none of the errors that are looked for\n" in result.out


@pytest.mark.parametrize("option", ["--select", "--ignore", "--fail-on"])
def test_codes_that_there_are_not(folder, option):
    result = run_command("check", "--recovery", "draft", "good.xml", option, "nonsense")
    assert result.status == 3
    assert "there is no code 'nonsense'" in result.err
    assert ("none of kept, moved, lost, truncated." in " ".join(result.err.split())) == (option == "--fail-on")


@pytest.mark.parametrize("name", ["moved.xml", "lost.xml", "cut.xml", "cut-comment.xml"])
def test_in_place_refuses(folder, name):
    before = (folder / name).read_bytes()
    files = sorted(os.listdir())
    result = run_command("repair", "--recovery", "draft", "--in-place", name)
    assert result.status == 2
    assert f"{name}: not replaced: " in result.err
    assert "--force replaces it all the same" in result.err
    assert (folder / name).read_bytes() == before
    assert sorted(os.listdir()) == files
    assert run_command("repair", "--recovery", "draft", "--in-place", "--force", name).status == 0
    assert (folder / f"{name}.orig").read_bytes() == before


def test_in_place_says_what_was_assumed(folder):
    assert (
        run_command("repair", "--recovery", "draft", "--in-place", "--force", "cut.xml", "kept.xml", "good.xml").status
        == 0
    )
    assert (folder / "cut.xml.repairs").read_text("utf-8").splitlines() == [
        "cut.xml: 1 error repaired; content is moved: eof-in-element (1); the document is cut off",
        f"1:{len(CUT_MESSAGE) + 1}: eof-in-element: the document ends before element 'm:Price' is closed; "
        "all open elements were closed (3) (content is moved)",
    ]
    assert "unescaped-ampersand" in (folder / "kept.xml.repairs").read_text("utf-8")
    assert not (folder / "good.xml.repairs").exists()
    (folder / "kept.xml").write_text("<b>Salt & pepper</b>")
    assert run_command("repair", "--recovery", "draft", "--in-place", "kept.xml").status == 0
    assert (folder / "kept.xml.repairs.2").read_text("utf-8").startswith("kept.xml: 1 error repaired\n1:9: unescaped")


def test_explain_and_list_say_the_effect():
    lines = run_command("check", "--explain", "list").out.splitlines()
    listed = {line.rpartition(" (")[0] for line in lines}
    assert listed >= {f"{code}: {facts.kind}, content is {facts.effect}" for code, facts in CODES.items()}
    assert ": parse-error, content is moved)" in run_command("check", "--explain", "mismatched-end-tag").out


BROKEN = "<a>&x;\n<b k=v>\x0b</c>\n& " + "<d l l>" * 3


def test_a_log_that_is_read_in_between():
    """Entries are made when somebody asks for them; that makes no difference to what is in the log."""
    whole = xml5tree.Repairer()
    whole.feed(BROKEN)
    whole.close()
    read = xml5tree.Repairer()
    seen = []
    for character in BROKEN:
        read.feed(character)
        entries = list(read.error_log)
        assert len(entries) == len(read.error_log)
        assert all(entry in entries for entry in seen)
        seen = entries
    read.close()
    assert read.error_log == whole.error_log
    assert [entry.offset for entry in whole.error_log] == sorted(entry.offset for entry in whole.error_log)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda log: pickle.loads(pickle.dumps(log))])
def test_copies_of_a_log_that_nobody_has_read(copied):
    found = []
    repairer = xml5tree.Repairer(on_error=found.append)
    repairer.feed(BROKEN)
    repairer.close()
    log = copied(repairer.error_log)
    assert sorted(log, key=str) == sorted(found, key=str)
    assert log == repairer.error_log
    assert (log.total, log.effect, log.truncated) == (len(found), "lost", True)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_full_log(most):
    found = []
    repairer = xml5tree.Repairer(max_errors=most, on_error=found.append)
    repairer.feed(BROKEN)
    repairer.close()
    assert {*repairer.error_log} <= {*found}
    effects = sorted((entry.effect for entry in found), key=EFFECTS.index)
    assert sorted((entry.effect for entry in repairer.error_log), key=EFFECTS.index) == effects[len(effects) - most :]
    assert repairer.error_log.omitted == len(found) - most


@pytest.mark.parametrize("instruction", ["<?x><b>2</b></a>", "<?<b>2</b></a>", "<?x 2"])
def test_content_in_an_instruction_that_is_not_closed(instruction):
    """ElementTree leaves instructions out, so what one has swallowed is lost, be it in the target."""
    parser = xml5tree.XMLParser(recovery="draft")
    root = xml5tree.fromstring(f"<a><b>1</b>{instruction}", parser=parser)
    assert "".join(root.itertext()) == "1"
    assert parser.error_log.effect == LOST


# A log with fewer entries than errors.

MANY = {
    "kept": "<r>{}<b></c></b><b k=1/>{}</r>".format("<a>& x</a>" * 300, "<a>& x</a>" * 300),
    "lost": "<r>{}<b &#0;/><b a='1' a='2'/>{}</r>".format("<a>&#0;</a>" * 300, "<a>&#0;</a>" * 300),
    "characters": "<r>{}<b></c></b><b k=1/>\1{}</r>".format("\1\0" * 200, "\1\0" * 200),
    "assumptions": "<r>{}<b>1<c></b>{}</r>".format("<a k=1 l />\n" * 200, "<a k=1 l />\n" * 200),
}


@pytest.mark.parametrize("document", MANY.values(), ids=list(MANY))
@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("most", [1, 5, 40, 300])
def test_log_keeps_the_worst_then_some_of_each_code(document, recovery, most):
    """The same ones however the document is fed; the summary counts all."""
    everything = log_of(document, "etree", recovery, max_errors=None)
    log = log_of(document, "etree", recovery, max_errors=most)
    assert len(log) == min(most, len(everything)) == len(everything) - log.omitted
    by_effect = {effect: [entry for entry in everything if entry.effect == effect] for effect in EFFECTS}
    left = most
    for effect in reversed(EFFECTS):
        kept = [entry for entry in log if entry.effect == effect]
        assert len(kept) == min(left, len(by_effect[effect]))
        assert {*kept} <= {*by_effect[effect]}
        codes = {entry.code for entry in by_effect[effect]}
        if len(kept) >= 10 * len(codes):
            assert {entry.code for entry in kept} == codes
        left -= len(kept)
    assert [entry.offset for entry in log] == sorted(entry.offset for entry in log)
    for size in (1, 100):
        parser = xml5tree.XMLParser(backend="etree", recovery=recovery, max_errors=most)
        for place in range(0, len(document), size):
            parser.feed(document[place : place + size])
        parser.close()
        assert list(parser.error_log) == list(log)
    if most == 300:
        # What is no error of its own may count as one where those that it joins are left out.
        assert everything.summary().keys() >= {*log.summary()} - {*JOINING} == {*everything.summary()} - {*JOINING}


def test_summary_counts_all_errors():
    document = "<r>{}</r>".format("<a>& x</b></a>" * 100)
    for recovery in ("draft", "intent"):
        logs = [log_of(document, "etree", recovery, max_errors=most) for most in (None, 150, 10)]
        assert logs[0].summary() == logs[1].summary() == logs[2].summary()


def test_a_log_that_is_read_while_it_grows_keeps_the_worst():
    parser = xml5tree.XMLParser(backend="etree", recovery="draft", max_errors=3)
    seen = []
    for part in ["<r>", *["& "] * 5, "</b>", "</c>", "</r>"]:
        parser.feed(part)
        seen.append([entry.code for entry in parser.error_log])
    parser.close()
    assert seen[-1].count("unmatched-end-tag") == 2
    assert [entry.code for entry in parser.error_log] == ["unescaped-ampersand", *["unmatched-end-tag"] * 2]
    assert pickle.loads(pickle.dumps(parser.error_log)) == parser.error_log


# In a word.

VERDICTS = {
    "<a>x</a>": "well-formed",
    "<a>1 & 2</a>": "whole",
    "<a><b>x</a>": "moved",
    "<a b='1' b='2'/>": "lost",
    "<a b='1' b='2'>x</a><b>y": "lost",
    "<a>x": "cut off",
    "<a b='1' b='2'>x": "cut off",
    "x": "no tree",
}


@pytest.mark.parametrize(("document", "verdict"), VERDICTS.items())
def test_verdict(document, verdict, tmp_path):
    """It is the same in Python, in JSON and in a summary, and in each command."""
    recovery = "draft" if "y" in document else "intent"
    if "y" in document:
        document = document.replace("<b>y", "<b>y</b>")
    log = log_of(document, "etree", recovery)
    assert log.verdict == verdict == copy.copy(log).verdict == pickle.loads(pickle.dumps(log)).verdict
    file = tmp_path / "a.xml"
    file.write_text(document)
    (found,) = json.loads(run_command("check", file, "--format", "json", "--recovery", recovery).out)["files"]
    assert found["verdict"] == verdict
    for command in (["check"], ["repair", "-o", tmp_path / "b.xml"], ["tree"], ["xpath", "//x"], ["records"]):
        summary = tmp_path / "summary.jsonl"
        run_command(*command, file, "--recovery", recovery, "--summary", summary)
        assert json.loads(summary.read_text())["verdict"] == verdict, command


def test_verdict_of_a_file_that_cannot_be_read(tmp_path):
    (found,) = json.loads(run_command("check", tmp_path / "none.xml", "--format", "json").out)["files"]
    assert found["verdict"] is None


@pytest.mark.parametrize("on_bad", ["keep", "mark", "skip"])
@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("fields", [None, {"n": "n"}])
def test_number_of_records_touched(on_bad, backend, fields):
    document = "<r>" + "<i><n>1</n></i>\n" * 10 + "<i><n>1 & 2</n></i>\n" * 3 + "<i><n k=1 k=2>1</n></i>\n" + "</r>"
    found = xml5tree.records([document], "i", on_bad=on_bad, bad_from="lost", backend=backend, fields=fields)
    assert len(list(found)) == 14 - (on_bad == "skip")
    assert (found.touched, found.error_log.verdict) == (4, "lost")
