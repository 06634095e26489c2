"""Whole documents that one run reads come to what the stages make of them; about the compiled scan alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support import meanings, nearxml

import xml5tree
import xml5tree.dialects.xml5.core
import xml5tree.lxml.etree
from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5 import editing, pipeline, wholerun

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


#: Documents in UTF-8 without carriage returns; of the characters that XML does not allow, they only have controls.
PLAIN = [
    *READ,
    "<a>\x01<b \x02='\x03'>\x04 & \x05</\x06>\n\x07<!--\x08--><?c \x0b?></a>\x0e",
    "\x01<a \x01b='\x01\x01' b='\x01'>\x01\x01é\x01]]>\x01<![CDATA[\x01]]>&\x01;\n\x01</a>\x01",
    "<a>é\n\n你<b>\n]]>\U0001f600</c>\n</b x>\n<d e=f/></a>\n</x>\n<!-- g --> h <i/>\n",
    "<!DOCTYPE a [<!ENTITY e '<b>&#38;'><!ENTITY f 'g'>]><a>&e;é&f;</b>\n&f</a>",
    "<a>\n<![CDATA[b]]>]\n<!DOCTYPE c>\n<d e='\n&f;</d>",
    "<?xml version='1.0' encoding='ascii'?><a>é<b></a>",
    "<a x:b=''>\n" + "<c>" * 70 + "\n</a></z>\n</c>",
    "<a>\n<b c='&#xFFFE;'/>\n<d>&#11;]]&gt;</d><b c=&#1;/>&#xFFFF;</a>&#1;\n",
]


def assert_same_in_place(document, recovery="draft", **options):
    """Assert that documents that are read in place come to the same as what the stages get."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "find_run", lambda *_: None)
        expected = outcomes(document, recovery, **options)
        for size in (4, 7, 31):
            for name in ("_BEGINNING", "_MOST_AT_ONCE", "_AROUND_EDITS", "_CLEAN"):
                patch.setattr(pipeline, name, size)
            patch.setattr(editing, "BLOCK", size)
            assert outcomes(document, recovery, **options) == expected


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("options", [{}, {"max_depth": 3}, {"roots": "all"}, {"root_element": "a"}, {"max_errors": 1}])
@pytest.mark.parametrize("document", PLAIN)
def test_plain_documents_are_read_in_place_as_by_the_stages(document, options, recovery):
    assert_same_in_place(document.encode(), recovery, **options)


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@given(document=nearxml.near_markup())
def test_any_document_is_read_in_place_as_by_the_stages(recovery, document):
    assert_same_in_place(document.encode("utf-8", "surrogatepass"), recovery)


@given(st.data())
def test_any_edits_are_made_in_place_as_by_the_stages(data):
    document = data.draw(nearxml.near_markup()).encode("utf-8", "ignore")
    text, skip = meanings.characters(document)
    with meanings.meaning(data.draw(meanings.edits_of(text, skip))):
        assert_same_in_place(document, "intent", max_errors=data.draw(st.sampled_from([None, 1, 3])))


@pytest.mark.parametrize("record", [b"<b>c</b>\n", b"<b><![CDATA[<c>d</c>]]></b>", b"<!-- <c>d</c> -->", b"<b c='>'/>"])
def test_text_is_read_in_place(monkeypatch, record):
    taken = []
    read = xml5tree.dialects.xml5.core.Core.read

    def note(self, data, place, stop, *rest, **options):
        taken.append(stop - place if len(data) > 200_000 else 0)
        return read(self, data, place, stop, *rest, **options)

    monkeypatch.setattr(xml5tree.dialects.xml5.core.Core, "read", note)
    data = b"<a>%b&</a>" % (record * 50_000)
    assert xml5tree.repair(data, recovery="draft") == data.replace(b"&", b"&amp;")
    assert sum(taken) > len(data) * 0.9


@pytest.mark.parametrize("label", ["iso-8859-1", "windows-1252", "koi8-r"])
@pytest.mark.parametrize("is_declared", [True, False])
def test_edits_of_utf8_that_is_read_as_another_encoding(label, is_declared):
    declaration = f"<?xml version='1.0' encoding='{label}'?>" if is_declared else ""
    document = f"{declaration}<a>{'<b>é</b>' * 6000}<c>é<b>é</b></a>".encode()
    options = {} if is_declared else {"encoding": label}
    fed, whole = [xml5tree.Repairer(**options) for _ in range(2)]
    markup = b"".join([fed.feed(document[place : place + 5000]) for place in range(0, len(document), 5000)])
    assert markup + fed.close() == whole.repair_whole(document)
    assert list(fed.error_log) == list(whole.error_log) != []


RECORD = "<b c='d'>é]] ></b>\t<![CDATA[<e>]]>&amp;"


@pytest.mark.parametrize("end", ["", "\n", "<!-- > -->\n<?x ?>", "\n\n"])
@pytest.mark.parametrize(
    "beginning",
    [
        "",
        "\n \n",
        "\ufeff",
        "\ufeff\n",
        "<?xml version='1.0'?>",
        '<?xml version="1.0" encoding="UTF-8"?>\n\n<!-- é -->\n',
    ],
)
def test_well_formed_documents_that_are_read_in_place_stay(beginning, end):
    document = f"{beginning}<a>{RECORD * 3_000}</a>{end}".encode()
    logged = xml5tree.Repairer(recovery="draft")
    assert logged.repair_whole(document) == document
    assert not logged.error_log
    assert xml5tree.edits(document, recovery="draft") == []


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "80",
        "c080",
        "c3",
        "e09f80",
        "e4bd",
        "eda080",
        "efbfbe",
        "efbfbf",
        "f08fbfbf",
        "f09f98",
        "f4908080",
        "f5808080",
        "ff",
        "0d",
        "00",
        "0b",
        "0c",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2, 3, 50, 126, 127, 128, 129, 130, 200, 300])
@pytest.mark.parametrize("text", [b"x" * 300, "é你\U0001f600".encode() * 33 + b"xyz"])
def test_plain_text_is_utf8_of_allowed_characters(wrong, place, text):
    while text[place : place + 1] and text[place] & 0xC0 == 0x80:
        place += 1
    data = text[:place] + bytes.fromhex(wrong) + text[place:]
    assert compiled.is_plain(data, False) is (not wrong)
    assert compiled.is_plain(data, True) is (wrong in {"", "0b"})
