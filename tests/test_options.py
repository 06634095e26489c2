"""Options: what is said of unknown ones, and of those that have no effect."""

import gzip
import inspect
import io
import re
import typing
import warnings
from xml.etree import ElementTree

import pytest
from support.packages import need_for

import xml5tree
from xml5tree.dialects import make_settings
from xml5tree.options import Settings
from xml5tree.suggestions import _ELSEWHERE, _OF_CALLS

STRUCTURE = xml5tree.known_elements(io.StringIO("<!ELEMENT a (b)*><!ELEMENT b (#PCDATA)>"))
#: For each option, a value that is not the default, and which other options it needs.
VALUES = {
    "recovery": "draft",
    "on_error": print,
    "dialect": "microxml",
    "encoding": "cp1251",
    "entities": {"x": "y"},
    "namespaces": {"x": "urn:y"},
    "resolve_entities": False,
    "attribute_defaults": False,
    "forbid_dtd": True,
    "forbid_entities": True,
    "forbid_external": True,
    "max_depth": 10,
    "max_amplification": 0,
    "amplification_threshold": 0,
    "max_errors": 10,
    "logger": "x",
    "warnings": True,
    "filename": "x",
    "force": True,
    "max_unpacking_ratio": 1,
    "unpacking_threshold": 1,
    "revision": "2008",
    "fragment": True,
    "scripting": True,
    "initial_state": "PLAINTEXT state",
    "last_start_tag": "a",
    "content_models": False,
    "elements": ["a"],
    "raw": ["a"],
    "trim_raw": True,
    "value_attribute": "x",
    "roots": "all",
    "root_element": "a",
    "control_characters": "drop",
    "empty": ["b"],
    "never_nest": ["b"],
    "structure": STRUCTURE,
}
OTHER_VALUES = {
    ("html", "namespaces"): True,
    **{(dialect, "attribute_defaults"): True for dialect in ("leafxml", "microxml", "html")},
}
NEEDS = {
    "raw": {"elements": ["a"]},
    "trim_raw": {"elements": ["a"], "raw": ["a"]},
    "value_attribute": {"elements": ["a"]},
}
#: What makes the effect of an option small enough to see.
ALSO = {
    "max_amplification": {"amplification_threshold": 0},
    "amplification_threshold": {"max_amplification": 0},
    "max_unpacking_ratio": {"unpacking_threshold": 1},
}
NOT_IN_ALL = {"max_amplification", "amplification_threshold"}
#: Readings, and options without an effect in them that are taken: they ask for what is so.
READINGS = {
    "xml5": {},
    "strict": {"recovery": "strict"},
    **{dialect: {"dialect": dialect} for dialect in ("leafxml", "microxml", "html")},
}
#: With one recovery, any is right; where nothing is repaired, there is nothing to report or to limit.
ONE_RECOVERY = {"recovery"}
NO_ERRORS = {"on_error", "logger", "warnings", "max_errors"}
#: Where nothing can be declared, what forbids or does not resolve it.
NO_DECLARATIONS = {"resolve_entities", "forbid_entities", "forbid_external"}
FULFILLED = {
    "xml5": set(),
    "strict": NO_ERRORS,
    "leafxml": ONE_RECOVERY | NO_ERRORS | NO_DECLARATIONS,
    "microxml": ONE_RECOVERY | NO_DECLARATIONS,
    "html": ONE_RECOVERY | NO_DECLARATIONS,
}
#: Documents, in one of which each option has an effect.
DOCUMENTS = [
    "<a>" + "<b>" * 20 + "</b>" * 20 + "</a>",
    "<a>&x;&eacute;</a>",
    "<x:a/>",
    "<a/><a/>",
    "<z/><a/>",
    "<a>" + "</b>" * 20,
    "<a><b> x </b></c></a>",
    "<a>\n<b/></a>",
    "<a=3>x</a>",
    "<a>\x01</a>",
    b"<a>\xe4</a>",
    b"\x89PNG\r\n\x1a\n<a></a>",
    "<noscript><p>x</noscript>",
    "<!DOCTYPE a><a/>",
    '<!DOCTYPE a SYSTEM "u"><a/>',
    '<!DOCTYPE a [<!ENTITY e "v"><!ATTLIST a d CDATA "q">]><a>&e;</a>',
    '<!DOCTYPE a [<!ENTITY e "vvvvvvvvvv">]><a>' + "&e;" * 100 + "</a>",
    "<a><b>1<b>2</b></c></b></b></a>",
    "<a></c></c></c></c></c></c></c></c></c></c></c></c></a>",
    gzip.compress(b"<a>" + b"x" * 100_000 + b"</a>"),
]


class Ear:
    """A logger that counts what it hears."""

    def __init__(self):
        self.heard = 0

    def log(self, *_, **__):
        self.heard += 1


def outcome(document, options):
    """Return what parsing a file gives, and what it reports."""
    ear = Ear()
    ways = {"logger": ear, "on_error": ear.log}
    options = {name: ways.get(name, value) for name, value in options.items()}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            parser = xml5tree.XMLParser(**options)
            file = io.BytesIO(document) if isinstance(document, bytes) else io.StringIO(document)
            tree = ElementTree.tostring(xml5tree.parse(file, parser=parser).getroot())
            result = tree, len(parser.error_log), parser.error_log.filename
        except xml5tree.ParseError as error:
            result = error.code, str(error)
    return result, ear.heard, len(warned)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("option", sorted({*Settings._fields} - {"dialect"}))
def test_each_option_of_each_dialect(reading, option):
    """An option has an effect, is fulfilled, or is an error."""
    value = OTHER_VALUES.get((reading, option), VALUES[option])
    assert value != Settings._field_defaults[option]
    without = READINGS[reading] | (NEEDS.get(option, {}) if reading == "xml5" else {})
    if "dialect" not in without or option not in NOT_IN_ALL:
        without |= ALSO.get(option, {})
    options = {**without, option: value}
    try:
        outcome("<a/>", options)
    except ValueError as error:
        what = f"{option} has no effect in dialect=|which has no {option}$|for tokenize|attribute defaults"
        assert re.search(what, str(error))
        assert option not in FULFILLED[reading]
        default = Settings._field_defaults[option]
        make_settings({**READINGS[reading], option: READINGS[reading].get(option, default)})
        return
    has_effect = any(outcome(document, options) != outcome(document, without) for document in DOCUMENTS)
    assert has_effect or option in FULFILLED[reading]


#: Calls that get data, and files.
OF_DATA = {
    "fromstring": b"<a/>",
    "fromstrings": b"<a/>",
    "fromstringlist": [b"<a/>"],
    "repair": b"<a/>",
    "edits": b"<a/>",
    "repair_iter": [b"<a/>"],
}
OF_FILES = ("parse", "iterparse", "iterroots", "open", "records", "read_table")


@pytest.mark.parametrize("option", ["max_unpacking_ratio", "unpacking_threshold"])
def test_options_about_compressed_files(option):
    """They are errors where nothing is unpacked."""
    for call, data in OF_DATA.items():
        with pytest.raises(ValueError, match=f"^{option} has no effect here"):
            getattr(xml5tree, call)(data, **{option: 1})
        getattr(xml5tree, call)(data, **{option: Settings._field_defaults[option]})
    for call in (xml5tree.Repairer, xml5tree.XMLPullParser):
        with pytest.raises(ValueError, match=f"^{option} has no effect here"):
            call(**{option: 1})


@pytest.mark.parametrize("call", OF_FILES)
def test_options_about_compressed_files_where_there_are_files(call):
    need_for(call)
    packed = gzip.compress(b"<a>" + b"<item/>" * 10_000 + b"</a>")
    with pytest.raises(xml5tree.ParseError, match="unpack"):
        list(getattr(xml5tree, call)(io.BytesIO(packed), max_unpacking_ratio=1, unpacking_threshold=1))


@pytest.mark.parametrize("option", NEEDS)
def test_options_that_need_others(option):
    needed = NEEDS[option]
    for left_out in needed:
        others = {name: value for name, value in needed.items() if name != left_out and left_out != "elements"}
        with pytest.raises(ValueError, match=left_out if option != "trim_raw" else "raw"):
            xml5tree.fromstring("<a/>", **others, **{option: VALUES[option]})


@pytest.mark.parametrize("name", Settings._fields)
def test_misspelt_options(name):
    """The option that is meant is named, and not all others."""
    for wrong in (name + "s", name[:-1], name.replace("_", "") + "x"):
        if wrong in {*Settings._fields, *_ELSEWHERE, *_OF_CALLS}:
            continue
        with pytest.raises(TypeError, match="unknown option") as caught:
            xml5tree.fromstring("<a/>", **{wrong: True})
        assert f" {name} " in str(caught.value)
        assert len(str(caught.value)) < 200


def test_what_is_not_an_option_here():
    for name, words in {
        "field": "is fields, of records, ",
        "fields": "it is an argument of records, ",
        "huge_tree": "max_depth",
        "parse_dates": "schema",
        "errors": "bad_values",
        "xpath": "fields",
        "zzz": "xml5tree.options.Settings has all options",
    }.items():
        for call in (xml5tree.fromstring, xml5tree.repair, xml5tree.edits):
            with pytest.raises(TypeError, match=f"^unknown option '{name}'; {words}|{words}"):
                call("<a/>", **{name: True})
    assert not {*_ELSEWHERE, *_OF_CALLS} & {*Settings._fields}
    assert not _ELSEWHERE.keys() & _OF_CALLS.keys()


def arguments_of(call):
    """The names of keyword arguments, those of typed dictionaries among them."""
    for parameter in inspect.signature(call).parameters.values():
        yield parameter.name
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            yield from typing.get_args(parameter.annotation)[0].__annotations__


@pytest.mark.parametrize("name", _OF_CALLS)
def test_calls_that_have_an_argument(name):
    """Each call that is named takes it."""
    for call in _OF_CALLS[name].replace(" and ", ", ").split(", "):
        if hasattr(xml5tree, call):
            assert name in set(arguments_of(getattr(xml5tree, call))), call
        else:
            assert call == "calls that make trees"
