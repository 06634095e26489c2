"""Options: what is said of unknown ones, and of those that have no effect."""

import inspect
import typing

import pytest

import xml5tree
from xml5tree.dialects import DIALECTS, make_settings
from xml5tree.options import Options, Settings
from xml5tree.suggestions import _ELSEWHERE, _OF_CALLS

#: For each option, a value that is not the default, and which other options it needs.
VALUES = {
    "recovery": "draft",
    "on_error": print,
    "dialect": "microxml",
    "encoding": "utf-8",
    "entities": {"x": "y"},
    "namespaces": {"x": "urn:y"},
    "resolve_entities": False,
    "attribute_defaults": True,
    "forbid_dtd": True,
    "forbid_entities": True,
    "forbid_external": True,
    "max_depth": 10,
    "max_amplification": 10,
    "amplification_threshold": 10,
    "max_errors": 10,
    "logger": "x",
    "warnings": True,
    "filename": "x",
    "force": True,
    "max_unpacking_ratio": 10,
    "unpacking_threshold": 10,
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
}
NEEDS = {
    "raw": {"elements": ["a"]},
    "trim_raw": {"elements": ["a"], "raw": ["a"]},
    "value_attribute": {"elements": ["a"]},
}
OF_HTML = {"revision", "fragment", "scripting", "initial_state", "last_start_tag", "content_models"}
OF_XML5 = {
    *{"elements", "raw", "trim_raw", "value_attribute", "roots", "root_element", "control_characters"},
    *{"attribute_defaults", "max_amplification", "amplification_threshold"},
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("option", sorted(Options.__annotations__.keys() - {"dialect"}))
def test_each_option_of_each_dialect(dialect, option):
    """An option that has no effect in a dialect is an error."""
    value = False if (dialect, option) == ("html", "namespaces") else VALUES[option]
    assert value != Settings._field_defaults[option]
    options = {**NEEDS.get(option, {}), option: value, "dialect": dialect}
    has_effect = not (option in OF_HTML and dialect != "html") and not (option in OF_XML5 and dialect != "xml5")
    if has_effect:
        make_settings(options)
    else:
        with pytest.raises(ValueError, match=r"is an option of dialect=|has no effect in dialect="):
            make_settings(options)
        make_settings({"dialect": dialect, option: Settings._field_defaults[option]})


@pytest.mark.parametrize("option", NEEDS)
def test_options_that_need_others(option):
    needed = NEEDS[option]
    for left_out in needed:
        others = {name: value for name, value in needed.items() if name != left_out and left_out != "elements"}
        with pytest.raises(ValueError, match=left_out if option != "trim_raw" else "raw"):
            xml5tree.fromstring("<a/>", **others, **{option: VALUES[option]})


@pytest.mark.parametrize("name", Options.__annotations__)
def test_misspelt_options(name):
    """The option that is meant is named, and not all others."""
    for wrong in (name + "s", name[:-1], name.replace("_", "") + "x"):
        if wrong in {*Options.__annotations__, *_ELSEWHERE, *_OF_CALLS}:
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
        "xpath": "fields",
        "zzz": "xml5tree.options.Settings has all options",
    }.items():
        for call in (xml5tree.fromstring, xml5tree.repair, xml5tree.edits):
            with pytest.raises(TypeError, match=f"^unknown option '{name}'; {words}|{words}"):
                call("<a/>", **{name: True})
    assert not {*_ELSEWHERE, *_OF_CALLS} & Options.__annotations__.keys()
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
