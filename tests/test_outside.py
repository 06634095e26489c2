"""Nothing but the document is opened: every option of the parsers, alone and in pairs, with all that names a file.

libxml2 opens files by itself, past any audit hook of Python. So what was read is told by what is in the trees, by the
time of the last access to the files, and by what strace sees. Pairs of options are tried with the functions and
documents of `PAIRED`; with the option ``--pairs``, this file tries them with all, which takes minutes.
"""

import contextlib
import io
import itertools
import os
import re
import shutil
import subprocess
import sys
import xml.sax
from functools import cache, partial
from pathlib import Path

import lxml.etree
import pytest
from support.cases import in_whole_run, one_in
from support.commands import PACKAGE

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.lxml.objectify
import xml5tree.sax
from xml5tree.lxml import etree as dropin

NAME = "outside-the-document"

#: What is in the files that documents refer to.
CONTENTS = {
    "dtd": "<!ENTITY secret 'SECRET'><!ATTLIST a c CDATA 'SECRET' i ID 'SECRET'>",
    "text": "SECRET",
    "xsl": "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'/>",
    "xsd": "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='a'/></xs:schema>",
}

#: Documents that refer to such a file, by what asks for it to be read.
DTDS = {
    "DTD": ("dtd", "<!DOCTYPE a SYSTEM '{0}'><a b='x'/>"),
    "public DTD": ("dtd", "<!DOCTYPE a PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' '{0}'><a>&secret;</a>"),
    "DTD beside a subset": ("dtd", "<!DOCTYPE a SYSTEM '{0}' [<!ATTLIST a d ID #IMPLIED>]><a d='x' xml:id='y'/>"),
    "parameter entity": ("dtd", "<!DOCTYPE a [<!ENTITY % p SYSTEM '{0}'>%p;]><a>&secret;</a>"),
}
ENTITIES = {
    "entity": ("text", "<!DOCTYPE a [<!ENTITY secret SYSTEM '{0}'>]><a>&secret;</a>"),
    "entity in a default": ("text", "<!DOCTYPE a [<!ENTITY secret SYSTEM '{0}'><!ATTLIST a b CDATA '&secret;'>]><a/>"),
    "unparsed entity": ("text", "<!DOCTYPE a [<!NOTATION n SYSTEM '{0}'><!ENTITY s SYSTEM '{0}' NDATA n>]><a>&s;</a>"),
}
OTHERS = {
    "XInclude": ("text", "<a xmlns:i='http://www.w3.org/2001/XInclude'><i:include href='{0}' parse='text'/></a>"),
    "style sheet": ("xsl", "<?xml-stylesheet href='{0}' type='text/xsl'?><a/>"),
    "model": ("xsd", "<?xml-model href='{0}' schematypens='http://www.w3.org/2001/XMLSchema'?><a/>"),
    "schema": ("xsd", "<a xmlns:x='http://www.w3.org/2001/XMLSchema-instance' x:noNamespaceSchemaLocation='{0}'/>"),
    "namespace": ("xsd", "<a xmlns='{0}' xml:base='{0}'/>"),
}
DOCUMENTS = {**DTDS, **ENTITIES, **OTHERS}


@cache
def schema():
    return lxml.etree.XMLSchema(
        lxml.etree.XML("<x:schema xmlns:x='http://www.w3.org/2001/XMLSchema'><x:element name='a'/></x:schema>")
    )


class Target:
    def start(self, tag, attributes):
        pass

    end = data = comment = pi = start

    def close(self):
        return None


#: Other values than the default ones of all options of lxml's parsers, as functions.
OF_LXML = {
    "encoding": [lambda: "utf-8"],
    "attribute_defaults": [lambda: True],
    "dtd_validation": [lambda: True],
    "load_dtd": [lambda: True],
    "no_network": [lambda: False],
    "decompress": [lambda: True],
    "ns_clean": [lambda: True],
    "recover": [lambda: True, lambda: False],
    "schema": [schema],
    "huge_tree": [lambda: True],
    "remove_blank_text": [lambda: True],
    "resolve_entities": [lambda: True, lambda: False],
    "remove_comments": [lambda: True],
    "remove_pis": [lambda: True],
    "strip_cdata": [lambda: False],
    "collect_ids": [lambda: False],
    "target": [Target],
    "compact": [lambda: False],
}
#: What all pairs of options are tried with.
PAIRED = {"fromstring", "broken", "feed", "lxml's own", "DTD", "parameter entity", "entity", "XInclude"}

#: The options that ask for what is outside, and for what. To validate, libxml2 also reads the entities that it does not
#: resolve then; not with `resolve_entities="internal"`, the default.
ASKING = {
    "attribute_defaults": {*DTDS},
    "dtd_validation": {*DTDS},
    "dtd_validation without resolve_entities": {*ENTITIES},
    "load_dtd": {*DTDS},
    "resolve_entities": {*ENTITIES, "parameter entity"},
}

#: Options of xml5tree that change how declarations or references are read.
OF_XML5TREE = {
    "recovery": ["draft", "strict"],
    "resolve_entities": [False],
    "attribute_defaults": [True, False],
    "entities": ["xml"],
    "roots": ["all"],
    "force": [True],
    "fragment": [True],
    "dialect": ["microxml", "leafxml"],
}


def _pull(parser, document):
    parser.feed(document)
    root = parser.close()
    list(parser.read_events())
    return root


def _feed(parser, document):
    for part in (document[:30], document[30:]):
        parser.feed(part)
    return parser.close()


def _pulled(document, **options):
    options.pop("target", None)
    return _pull(dropin.XMLPullParser(("start", "end", "comment", "pi"), **options), document)


def _iterated(document, **options):
    options.pop("target", None)
    events = dropin.iterparse(io.BytesIO(document), **options)
    list(events)
    return events.root


#: The functions that read a document with options of lxml's.
ENTRIES_OF_LXML = {
    "fromstring": lambda document, **options: dropin.fromstring(document, dropin.XMLParser(**options)),
    "broken": lambda document, **options: dropin.fromstring(document + b"&", dropin.XMLParser(**options)),
    "text": lambda document, **options: dropin.fromstring(document.decode(), dropin.XMLParser(**options)),
    "parse": lambda document, **options: dropin.parse(io.BytesIO(document), dropin.XMLParser(**options)),
    "XMLDTDID": lambda document, **options: dropin.XMLDTDID(document, dropin.XMLParser(**options))[0],
    "feed": lambda document, **options: _feed(dropin.XMLParser(**options), document),
    "feed broken": lambda document, **options: _feed(dropin.XMLParser(**options), document + b"&"),
    "XMLPullParser": _pulled,
    "iterparse": _iterated,
    "ETCompatXMLParser": lambda document, **options: dropin.XML(document, dropin.ETCompatXMLParser(**options)),
    "copy": lambda document, **options: dropin.XML(document, dropin.XMLParser(**options).copy()),
    "objectify": lambda document, **options: xml5tree.lxml.objectify.fromstring(
        document, xml5tree.lxml.objectify.makeparser(**options)
    ),
    "lxml's own": lambda document, **options: lxml.etree.fromstring(document, dropin.XMLParser(**options)),
}

#: The functions that read a document with options of xml5tree's, for each backend.
ENTRIES_OF_XML5TREE = {
    "fromstring": xml5tree.fromstring,
    "broken": lambda document, **options: xml5tree.fromstring(document + b"&", **options),
    "feed": lambda document, **options: _feed(xml5tree.XMLParser(**options), document),
    "parse": lambda document, **options: xml5tree.parse(io.BytesIO(document), **options),
    "pull": lambda document, **options: _pull(xml5tree.XMLPullParser(("start", "end", "error"), **options), document),
    "iterparse": lambda document, **options: list(xml5tree.iterparse(io.BytesIO(document), **options)),
    "records": lambda document, **options: list(xml5tree.records(io.BytesIO(document), "a", **options)),
}


def _sax(document, **options):
    parser = xml5tree.sax.create_parser(**options)
    parser.setFeature(xml.sax.handler.feature_external_ges, False)
    parser.feed(document)
    parser.close()


ENTRIES_WITHOUT_BACKEND = {
    "repair": xml5tree.repair,
    "open": lambda document, **options: xml5tree.open(io.BytesIO(document), **options).read(),
    "tokenize": lambda document, **options: list(xml5tree.tokenize(document.decode(), **options)),
    "drop-in": lambda document, **options: xml5tree.ElementTree.fromstring(document, **options),
    "sax": _sax,
}


def combinations(options, most):
    """Yield all choices of at most so many options with one of their values each."""
    pairs = [(name, value) for name, values in options.items() for value in values]
    for number in range(most + 1):
        for chosen in itertools.combinations(pairs, number):
            if len(dict(chosen)) == number:
                yield dict(chosen)


def is_tried(chosen, name, entry, pairs):
    """Return whether a document is read by a function with these options; `pairs`: all, some or none of two options."""
    return len(chosen) < 2 or pairs == "all" or (pairs == "some" and {name, entry} <= PAIRED)


def asks_for(chosen, name):
    asking = {option for option in chosen if chosen[option]() is True}
    if {"dtd_validation", "resolve_entities"} <= chosen.keys():
        asking.add("dtd_validation without resolve_entities")
    return any(name in ASKING.get(option, ()) for option in asking)


def calls_of_lxml(folder, name, pairs="some"):
    """Yield calls with a document that must not read what it refers to, each with its description."""
    kind, document = DOCUMENTS[name]
    for chosen in combinations(OF_LXML, 2):
        is_asked = asks_for(chosen, name)
        for entry, function in ENTRIES_OF_LXML.items():
            if is_asked and entry != "iterparse":  # which reads nothing, whatever it is asked for
                continue
            if not is_asked and not is_tried(chosen, name, entry, pairs):
                continue
            data = document.format(folder / f"{NAME}.{kind}").encode()
            options = {option: value() for option, value in chosen.items()}
            yield f"{entry} of {name} with {sorted(chosen)}", partial(function, data, **options)


def calls_of_xml5tree(folder, name, pairs="some"):
    """As `calls_of_lxml`."""
    kind, document = DOCUMENTS[name]
    data = document.format(folder / f"{NAME}.{kind}").encode()
    for chosen in combinations(OF_XML5TREE, 2):
        for entry, function in ENTRIES_OF_XML5TREE.items():
            if not is_tried(chosen, name, entry, pairs):
                continue
            for backend in ("etree", "lxml"):
                yield f"{entry} of {name} with {chosen}, {backend}", partial(function, data, **chosen, backend=backend)
        for entry, function in ENTRIES_WITHOUT_BACKEND.items() if len(chosen) < 2 or pairs == "all" else ():
            yield f"{entry} of {name} with {chosen}", partial(function, data, **chosen)


EXPECTED = (xml5tree.ParseError, lxml.etree.LxmlError, ValueError, TypeError, LookupError)


def content_of(result):
    """All that a tree has of text and attributes."""
    root = result.getroot() if hasattr(result, "getroot") else result
    if not hasattr(root, "iter"):
        return str(result)
    return "".join(f"{element.text}{element.tail}{element.attrib}" for element in root.iter())


def carry_out(call):
    """Return what is in the result of a call, or the message of its exception."""
    try:
        return content_of(call())
    except (
        xml5tree.ParseError,
        lxml.etree.LxmlError,
        ValueError,
        TypeError,
        LookupError,
        xml.sax.SAXException,
    ) as error:
        return str(error)


class Accesses:
    """The files that documents refer to, and whether they have been read since they were last looked at."""

    def __init__(self, folder):
        self.paths = [folder / f"{NAME}.{kind}" for kind in CONTENTS]
        for path in self.paths:
            path.write_text(CONTENTS[path.suffix[1:]])
        self.forget()

    def forget(self):
        for path in self.paths:
            os.utime(path, (0, path.stat().st_mtime))

    def are_noted(self):
        """Whether the file system notes them."""
        self.paths[0].read_bytes()
        noted = self.any()
        self.forget()
        return noted

    def any(self):
        return any(path.stat().st_atime for path in self.paths)


@pytest.fixture
def accesses(tmp_path):
    found = Accesses(tmp_path)
    if not found.are_noted():
        pytest.skip("the file system does not note when a file was last read")
    return found


def test_all_options_of_lxml_are_tried():
    signature = re.search(r"XMLParser\(self,(.*?)\)", lxml.etree.XMLParser.__doc__, re.DOTALL)[1]
    assert set(re.findall(r"(\w+)(?:: \w+)? ?=", signature)) == set(OF_LXML)


@pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")  # a namespace makes it another name than that of records
@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("calls", [calls_of_lxml, calls_of_xml5tree])
def test_nothing_is_read(accesses, tmp_path, name, calls):
    for label, call in one_in(5, calls(tmp_path, name)):
        assert "SECRET" not in carry_out(call), label
        assert not accesses.any(), label


@pytest.mark.parametrize(("option", "name"), [("load_dtd", "DTD"), ("resolve_entities", "entity")])
def test_what_is_read_would_be_noticed(accesses, tmp_path, option, name):
    kind, document = DOCUMENTS[name]
    dropin.fromstring(document.format(tmp_path / f"{NAME}.{kind}"), dropin.XMLParser(**{option: True}))
    assert accesses.any()


def test_ids_are_those_of_lxml_without_collect_ids():
    document = b"<!DOCTYPE a [<!ATTLIST a b ID #IMPLIED>]><a b='x'><c xml:id='y'/></a>"
    for text in (document, document[document.index(b"<a") :]):
        ours = dropin.XMLDTDID(text, dropin.XMLParser(collect_ids=False))[1]
        assert dict(ours) == dict(lxml.etree.XMLDTDID(text, lxml.etree.XMLParser(collect_ids=False))[1]) == {}


@in_whole_run
def test_nothing_is_opened(tmp_path):
    """strace sees what is opened, or only looked at, or asked of the network; each option by itself."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    (tmp_path / "files").mkdir()
    command = ["strace", "-f", "-e", "trace=file,network", "-o", trace, sys.executable, __file__, tmp_path / "files"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(PACKAGE / "tests")])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "PTRACE" in done.stderr or "ptrace" in done.stderr:
        pytest.skip("strace is not permitted here")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    _, _, after = trace.read_text(errors="replace").partition("calls-begin")
    seen, _, _ = after.partition("calls-end")
    assert "calls-end" in after
    assert [line for line in seen.splitlines() if NAME in line or "socket(" in line or "connect(" in line] == []


if __name__ == "__main__":
    place = Path(sys.argv[1])
    files = Accesses(place)
    with_pairs = "--pairs" in sys.argv
    with contextlib.suppress(OSError):
        os.stat(place / "calls-begin")
    for calls in (calls_of_lxml, calls_of_xml5tree):
        for document_name in DOCUMENTS:
            for description, one_call in calls(place, document_name, "all" if with_pairs else "none"):
                if "SECRET" in carry_out(one_call) or (with_pairs and files.any()):
                    print("read:", description)
                    files.forget()
    with contextlib.suppress(OSError):
        os.stat(place / "calls-end")
