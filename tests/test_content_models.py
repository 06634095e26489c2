"""Content models of <!ELEMENT>: those that expat refuses are reported, and no others."""

import random
import xml.parsers.expat

import pytest
from support.cases import each_case

import xml5tree

GOOD = [
    *("EMPTY", "ANY", "(b)", "(b)?", "(b?)*", "( b , c )", "(b|c)+", "((b))", "((b,c?)|(d,e)*)+", "(é,x:y,_-.)"),
    *("(#PCDATA)", "(#PCDATA)*", "( #PCDATA )", "(#PCDATA|b)*", "( #PCDATA | b | c )*", "\n(\tb\n|\tc )*"),
]
BAD = [
    *("", "b", "b,c", "()", "(b", "(b))", "((b)", "( )", "(b)(c)", "(b) (c)", "(b)c", "empty", "EMPTY ANY", "(EMPTY"),
    *("(b c)", "(b,)", "(,b)", "(b,,c)", "(b|)", "(b|c,d)", "(b,c|d)", "(b,(c|d,e))", "(b|(c),d)", "((b),c|d)"),
    *("(b *)", "(b)**", "(b) *", "(b)*?", "((b) +)", "(*b)", "(b*c)", "(b)+(c)", "(b) +(c)", "(?)", "(b|*)", "*"),
    *("(#PCDATA", "#PCDATA", "(#PCDATA)?", "(#PCDATA)+", "(#PCDATA|b)", "(#PCDATA,b)*", "(#PCDATA|b)+", "(#PCDATA*)"),
    *("(b|#PCDATA)*", "(#PCDATA|b*)*", "(#PCDATA|(b))*", "((#PCDATA))", "(#PCDATA|)*", "(# PCDATA)", "(#PCDATA b)*"),
    *("(%e;)", "%e;", "(b,%e;)", "(&e;)", "('b')", "(1)", "(b;c)", "(b&c)", "(-)", "(b<c)"),
]


def errors(model):
    found = []
    xml5tree.repair(f"<!DOCTYPE a [<!ENTITY % e 'b'><!ELEMENT a {model}>]><a/>", on_error=found.append)
    return [error.code for error in found]


def is_accepted_by_expat(model):
    try:
        xml.parsers.expat.ParserCreate().Parse(f"<!DOCTYPE a [<!ENTITY % e 'b'><!ELEMENT a {model}>]><a/>", True)
    except xml.parsers.expat.ExpatError:
        return False
    return True


@each_case("model", GOOD)
def test_good_models(model):
    assert is_accepted_by_expat(model)
    assert errors(model) == []


@each_case("model", BAD)
def test_bad_models(model):
    assert not is_accepted_by_expat(model)
    assert errors(model) == ["bogus-declaration-in-doctype"]


def test_models_by_chance():
    chance = random.Random(1)
    parts = [*"(()),|?*+", " ", "b", "c", "x:y", "#PCDATA", "EMPTY", "ANY", "%e;"]
    accepted = 0
    for _ in range(1000):
        model = f"({''.join(chance.choices(parts, k=chance.randint(1, 8)))})"
        good = is_accepted_by_expat(model)
        accepted += good
        assert errors(model) == ([] if good else ["bogus-declaration-in-doctype"]), model
    assert accepted > 20


@pytest.mark.parametrize(("model", "good"), [("(" * 50_000 + "b" + ")" * 50_000, True), ("(" * 50_000, False)])
def test_deep_models(model, good):
    assert errors(model) == ([] if good else ["bogus-declaration-in-doctype"])
