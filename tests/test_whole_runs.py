"""Whole documents that one run reads come to what the stages make of them; about the compiled scan alone."""

import pytest
from hypothesis import given
from lxml import etree
from support import nearxml

import xml5tree
import xml5tree.lxml.etree
from xml5tree.dialects.xml5 import pipeline, wholerun

pytestmark = pytest.mark.skipif(not xml5tree.accelerated, reason="the scanner is not compiled, or switched off")

ANY_DOCUMENT = nearxml.documents() | nearxml.near_markup() | nearxml.byte_documents()
#: Documents that one run reads, of each kind: clean, errors of tokens, of open elements, of namespaces, of what is
#: outside the root, and edited.
READ = [
    "<a b=c>x & y</a>",
    "<?xml version='1.0' encoding='UTF-8' ?>\n<a><b></a>",
    "<a>&nbsp;&copy &unknown;<b></c></b>",
    "<a><x:b y:c=''/><b xmlns='a b'/></a>",
    "<?xml version='1.0'?><!-- a -- b --><a/>text<b/><!-- c --></a>",
    "<r><i>1</i><i>2<i>3</i></r>",
    "<a>é\x01\x0c\ufffe</a\n>",
]
#: Documents that are left to the stages.
LEFT = [
    *["\ufeff<a><b></a>", "<a>\r\n<b></a>", "<!DOCTYPE a><a><b></a>", "<a>\0<b></a>", ""],
    *["<?xml version='1.0'\n?><a><b></a>", " <?xml version='1.0'?><a></a>", "<?xml version=1?><a>", "<a", "<!-- -->"],
]


def all_of(log):
    return list(log), log.total, log.effect, log.truncated, log.confidence, log.hints, log.verdict, log.filename


def outcomes(document, recovery, **options):
    """What every door makes of a document, in the order of the doors."""
    found = []
    for backend, to_bytes in (("etree", xml5tree.ElementTree.tostring), ("lxml", etree.tostring)):
        told = []
        try:
            root = xml5tree.fromstring(document, backend=backend, recovery=recovery, on_error=told.append, **options)
            found.append((to_bytes(root), [getattr(each, "sourceline", 0) for each in root.iter()], told))
        except xml5tree.ParseError as error:
            found.append((str(error), error.code, all_of(error.errors), told))
    for keep in (None, "utf-8"):
        repairer = xml5tree.Repairer(recovery=recovery, output_encoding=keep, **options)
        try:
            found.append((repairer.repair_whole(document), all_of(repairer.error_log)))
        except xml5tree.ParseError as error:
            found.append((str(error), all_of(error.errors)))
    parser = xml5tree.lxml.etree.XMLParser(recovery=recovery, remove_comments=True, **options)
    try:
        root = xml5tree.lxml.etree.fromstring(document, parser)
        found.append((etree.tostring(root), all_of(parser.error_log)))
    except etree.XMLSyntaxError as error:
        found.append(str(error))
    return found


def assert_same_without_runs(document, recovery, **options):
    """Assert that the stages make the same of a document; return whether one run has read it."""
    are_read = []

    def find(*arguments):
        run = wholerun.find_run(*arguments)
        are_read.append(run is not None)
        return run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "find_run", find)
        found = outcomes(document, recovery, **options)
        patch.setattr(pipeline, "find_run", lambda *_: None)
        assert found == outcomes(document, recovery, **options)
    return any(are_read)


@pytest.mark.parametrize("recovery", ["intent", "draft"])
@pytest.mark.parametrize("kind", [str, str.encode])
def test_runs_come_to_what_the_stages_make(recovery, kind):
    for document in READ:
        assert assert_same_without_runs(kind(document), recovery), document
    for document in LEFT:
        assert not assert_same_without_runs(kind(document), recovery), document


@pytest.mark.parametrize(
    "options",
    [
        *({"max_errors": 1}, {"max_errors": 0}, {"entities": "xml"}, {"entities": {"unknown": "x"}}, {"max_depth": 2}),
        *({"namespaces": {"x": "urn:x"}}, {"forbid_dtd": True}, {"filename": "f"}, {"force": True}),
    ],
)
@pytest.mark.parametrize("recovery", ["intent", "draft"])
def test_options_of_runs(recovery, options):
    for document in READ:
        assert assert_same_without_runs(document, recovery, **options)


@pytest.mark.parametrize(
    "options",
    [
        *({"elements": ["a", "b", "r", "i"]}, {"roots": "all"}, {"root_element": "a"}, {"control_characters": "drop"}),
        *({"empty": ["b"]}, {"never_nest": ["i"]}, {"encoding": "utf-8"}),
    ],
)
def test_options_that_runs_do_not_have(options):
    for document in READ:
        assert not assert_same_without_runs(document.encode(), "intent", **options)


@pytest.mark.parametrize("recovery", ["intent", "draft"])
@given(document=ANY_DOCUMENT)
def test_any_document_comes_to_the_same(recovery, document):
    assert_same_without_runs(document, recovery)


@pytest.mark.parametrize("recovery", ["intent", "draft"])
def test_exceptions_of_callbacks_pass(recovery):
    def refuse(entry):
        raise KeyError(entry.code)

    for document in READ:
        with pytest.raises(KeyError):
            xml5tree.fromstring(document, recovery=recovery, on_error=refuse)


@pytest.mark.parametrize("recovery", ["intent", "draft"])
@pytest.mark.parametrize("end", ["<x:y/></r>", "<i>ü</j></r>", "<x:y/><i>ü<i></r>"])
def test_prefixes_and_edits_far_from_the_root(recovery, end):
    """Behind the beginning of a document, prefixes are not looked for; and offsets in bytes are none in characters."""
    document = f"<r>{'<i k=1>é</i>&nbsp;' * 2300}{end}"
    assert 32_768 < len(document.encode()) < 65_536
    assert assert_same_without_runs(document, recovery)
