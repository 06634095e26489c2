"""The log of `xml5tree.lxml.etree`: what lxml's logs have."""

import dataclasses
import pickle
import re
from contextlib import suppress

import lxml.etree
import pytest

from xml5tree.errors.codes import CODES
from xml5tree.lxml import etree
from xml5tree.lxml.log import LogEntry

BROKEN = "<r><a id=1>Tom & Jerry</a>\n<b id='2'>2 < 3</r>"


def codes(log):
    return [entry.code for entry in log]


READS = {
    "whole": lambda document, **options: log_of(etree.fromstring, document, etree.XMLParser(**options)),
    "fed": lambda document, **options: log_of(feed, document, etree.XMLParser(**options)),
    "foreign": lambda document, **options: log_of(
        etree.fromstring, document, etree.XMLParser(target=Target(), **options)
    ),
}


class Target:
    def close(self):
        return etree.Element("a")


def feed(document, parser):
    parser.feed(document)
    return parser.close()


def log_of(read, document, parser):
    with suppress(etree.XMLSyntaxError):
        read(document, parser)
    return parser.error_log


@pytest.mark.parametrize(
    "options", [{}, {"recover": False}, {"recovery": "draft"}, {"load_dtd": True, "recover": True}]
)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("document", ["<a/>", "", BROKEN, "<a><p:b></a>", "<a>\1", "<a b='1' b='2'/>"])
def test_log_has_what_lxml_has(read, document, options):
    """Every name of lxml's logs and entries is there, and agrees with the others."""
    log = read(document, **options)
    native = lxml.etree.XMLParser(recover=True)
    lxml.etree.fromstring("<a>&", native)
    public = {name for name in dir(native.error_log) if not name.startswith("_")} - {"receive"}
    assert public <= set(dir(log))
    assert log.copy() == log.filter_from_warnings() == log
    for entry in log:
        assert {name for name in dir(native.error_log[0]) if not name.startswith("_")} <= set(dir(entry))
        for names, number in (("Types", "type"), ("Domains", "domain"), ("Levels", "level")):
            value = getattr(entry, number)
            assert getattr(getattr(etree, f"Error{names}"), getattr(entry, f"{number}_name")) == value
        assert entry.type in log
        assert entry in log
        assert re.fullmatch(r"<string>:\d+:\d+:(WARNING|ERROR|FATAL):[A-Z]+:[A-Z0-9_]+: .+", str(entry), re.DOTALL)
        assert str(entry) in str(log).split("\n") or "\n" in str(entry)
        copy = pickle.loads(pickle.dumps(entry))
        assert (copy, copy.type, copy.domain, copy.level) == (entry, entry.type, entry.domain, entry.level)
        assert dataclasses.replace(entry, line=7).line == 7
    assert (log.last_error is None) == (len(log) == 0)
    assert etree.ErrorTypes.ERR_NO_MEMORY not in log


def test_filters_of_the_log():
    parser = etree.XMLParser()
    etree.fromstring("<a xmlns:q='a b'>&<b>x</b><p:c/><b></a>", parser)
    log = parser.error_log
    types, domains, levels = etree.ErrorTypes, etree.ErrorDomains, etree.ErrorLevels
    assert codes(log.filter_types(types.ERR_NAME_REQUIRED)) == ["unescaped-ampersand"]
    assert codes(log.filter_types([types.ERR_NAME_REQUIRED, types.ERR_TAG_NAME_MISMATCH])) == [
        *["unescaped-ampersand", "mismatched-end-tag"]
    ]
    assert codes(log.filter_domains(domains.NAMESPACE)) == ["undeclared-namespace-prefix"]
    assert log.filter_from_fatals() == log.filter_levels(levels.FATAL) == log.filter_domains(domains.PARSER)[1:]
    assert log.filter_from_errors() == log
    assert log.filter_from_level(levels.FATAL + 1) == []
    assert type(log.filter_from_errors().filter_from_fatals()) is type(log)


def test_each_code_has_a_type():
    """It is that of an error of libxml2, unless libxml2 has no such error."""
    types = {code: LogEntry(code, known.kind, "", 1, 0, 0, known.effect).type_name for code, known in CODES.items()}
    assert {code for code, name in types.items() if name == "ERR_INTERNAL_ERROR"} == {
        *["damaged-compression", "unresolved-entity-reference", "assumed-attribute", "assumed-declaration"],
        *["coerced-id", "unencodable-character", "node-left-out", "doctype-forbidden", "entities-forbidden"],
        *["not-well-formed", "unsafe-declarations"],
    }
