"""Possessive groups: Python 3.11.0 to 3.11.4 end them wrongly (python/cpython#106052), so that some forms are avoided.

There, a repetition that fails may end where its last attempt came to. It ends rightly if that attempt is an atomic
group, or if nothing in it can fail after a repetition, a choice or a look-around that is not at its beginning.
"""

import ast
import itertools
import re
import subprocess
import sys
from pathlib import Path
from re import _constants as codes
from re import _parser

import pytest

CHARACTERS = {codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN, codes.AT, codes.GROUPREF}
#: Where the parts of a part are in its argument.
INSIDE = {
    codes.SUBPATTERN: lambda argument: [argument[3]],
    codes.BRANCH: lambda argument: argument[1],
    codes.ATOMIC_GROUP: lambda argument: [argument],
    codes.GROUPREF_EXISTS: lambda argument: filter(None, argument[1:]),
    **dict.fromkeys([codes.ASSERT, codes.ASSERT_NOT], lambda argument: [argument[1]]),
    **dict.fromkeys([codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT], lambda argument: [argument[2]]),
}

#: Print the patterns of the package with their flags: those of all modules, and those that these calls compile.
COLLECT = r"""
import importlib, os, pkgutil, re, sys, tempfile
compile, found = re.compile, set()
def record(pattern, flags=0):
    if sys._getframe(1).f_globals["__name__"].startswith("xml5tree.") and isinstance(pattern, (str, bytes)):
        found.add((pattern, int(flags)))
    return compile(pattern, flags)
re.compile = record
import xml5tree
for module in pkgutil.walk_packages(xml5tree.__path__, "xml5tree."):
    if not module.name.endswith("__main__"):
        try:
            values = vars(importlib.import_module(module.name)).values()
        except ImportError:
            continue
        for value in values:
            if isinstance(value, str) and re.search(r"[^(]\)[*+?]\+", value):
                found.add((value, 0))
xml5tree.fromstring("<p>x</p><a><b:c/></a>", root_element="a")
xml5tree.tools.read("x", format="cline", tools={"search": {}})
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.xml")
    with open(path, "w") as file:
        file.write(f"<r>{'<a>x</a>' * 50}</r>")
    for part in xml5tree.ranges.split(path, size=200):
        list(xml5tree.ranges.read(part, "a"))
print(ascii(sorted(found, key=ascii)))
"""


def repeated_groups(pattern):
    """Yield what possessive repetitions repeat, at all levels of a parsed pattern."""
    for code, argument in pattern:
        if code is codes.POSSESSIVE_REPEAT:
            yield argument[2]
        for inside in INSIDE.get(code, lambda argument: [])(argument):
            yield from repeated_groups(inside)


def shape(sequence):
    """Return a letter for each part.

    They are `c` for characters, `p` and `q` for possessive repetitions of one, `q` and `r` for possessive ones that
    cannot fail, and `x` for all else.
    """
    letters = ""
    for code, argument in sequence:
        if code in CHARACTERS:
            letters += "c"
        elif code is codes.SUBPATTERN:
            letters += shape(argument[3])
        elif code is codes.POSSESSIVE_REPEAT and shape(argument[2]) == "c":
            letters += "p" if argument[0] else "q"
        else:
            letters += "r" if code is codes.POSSESSIVE_REPEAT and not argument[0] else "x"
    return letters


def ends_rightly(group):
    while len(group) == 1 and group[0][0] is codes.SUBPATTERN:
        group = group[0][1][3]
    code, argument = group[0]
    if len(group) == 1 and code is codes.ATOMIC_GROUP:
        return True
    alternatives = argument[1] if len(group) == 1 and code is codes.BRANCH else [group]
    return all(re.fullmatch("[pq]?c*[qr]*", shape(alternative)) for alternative in alternatives)


def is_right(pattern, flags=0):
    return all(map(ends_rightly, repeated_groups(_parser.parse(pattern, flags))))


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:ab?c)*+",
        "(?:a(?!b))++",
        "(?:abc|acb)?+",
        "(?:b|ab++)*+",
        "(?:a*+b++c)*+",
        "(?:a(b*+)c)?+",
        "(?:(?:ab)*+c)*+",
    ],
)
def test_wrong_groups_are_found(pattern):
    assert not is_right(pattern)
    assert not is_right(f"x(?=(a|{pattern}))*".encode())
    assert is_right(re.sub(r"\+$", "", pattern))


@pytest.mark.parametrize(
    "pattern",
    ["(?>ab?c)*+", "(?>a(?!b))++", "(?>abc|acb)?+", "(?:b|a*+b)*+", "(?:a++bc)*+", "(?:ab(?>bc)*+)++", "(?:ab*+c?+)*+"],
)
def test_other_groups_end_rightly(pattern):
    assert is_right(pattern)
    plain = pattern.replace("(?>", "(?:").replace("++", "+").replace("*+", "*").replace("?+", "?")
    for text in map("".join, itertools.product("abc", repeat=6)):
        found, expected = re.match(pattern, text), re.match(plain, text)
        assert (found and found[0]) == (expected and expected[0])


def test_groups_of_the_package_end_rightly():
    command = [sys.executable, "-W", "ignore", "-c", COLLECT]
    done = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, check=True)
    patterns = ast.literal_eval(done.stdout.decode())
    assert sum(any(repeated_groups(_parser.parse(*pattern))) for pattern in patterns) > 150
    assert [pattern for pattern in patterns if not is_right(*pattern)] == []
