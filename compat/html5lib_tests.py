"""Run the tests of html5lib's source distribution, and random inputs, on the dialect html.

usage: python -m compat.html5lib_tests [--count N]

The distribution carries html5lib-tests at a later revision than the text of §12.2.4. So its tokenizer cases give the
same tokens, but some other errors: expected/html5lib_tests.txt lists them with the decision that says why. Each is run
whole and by character.

Its tree construction cases are run on our tree, and on html5lib with its own tokenizer, which must give the same trees;
where both differ from the case is counted by file in the same list.

Random inputs (--count, 2000 by default) must give the tokens of html5lib's tokenizer, which has "" where a DOCTYPE has
no name.
"""

import argparse
import json
import random
import re
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.html import in_suite_form, read_tree_cases, tokenize_in_pieces, unescape
from support.xml5lib import normalise

import xml5tree
from compat import expected
from compat.cache import SKIPPED, Unavailable, from_pypi

VERSION = "1.1"

#: What random inputs are made of, besides spaces.
PIECES = (
    "< > / = \" ' & ; - ! ? [ ] # x a B p 1 \t \n \f \r \0 \v \x80 \xe9 \ud800 \ufdd0 \U0001f600 "
    "<!-- --> --!> <![CDATA[ ]]> <!DOCTYPE html PUBLIC SYSTEM </ /> &amp; &lt &notit; &#65; &#x80 &#0; &#x110000; "
    "<title> </title> <script> </script> <textarea> <style> </style> <plaintext> <svg> </svg> a=b c='d' e=\"f\""
)


def tokenizer_differences(folder: Path) -> Iterator[tuple[str, str]]:
    """In what tokenizer cases differ, and what is to be known of it."""
    for path in sorted((folder / "tokenizer").glob("*.test")):
        for index, test in enumerate(json.loads(path.read_text("utf-8")).get("tests", [])):
            for state in test.get("initialStates") or [None]:
                name = f"{path.name}#{index}" + (f" {state}" if state else "")
                for kind, detail in check_case(test, state):
                    yield f"{name} {kind}", detail


def check_case(test: dict[str, Any], state: str | None) -> Iterator[tuple[str, str]]:
    """In what a case differs that is run in a state."""
    plain = unescape if test.get("doubleEscaped") else lambda value: value
    text = plain(test["input"])
    wanted = [
        token[:3] if token[0] == "StartTag" and token[3:] == [False] else token
        for token in normalise(plain(test["output"]))
    ]
    wanted_errors = [(error["code"], error["line"], error["col"]) for error in test.get("errors", [])]
    options = {"initial_state": state, "last_start_tag": test.get("lastStartTag"), "content_models": False}
    found, log = tokenize_in_pieces([text], **options)
    tokens = normalise(token for token in found if token != "ParseError")
    errors = [(entry.code, entry.line, entry.column + 1) for entry in log]
    detail = f"{text!r}\n  expected {wanted}, {wanted_errors}\n  got {tokens}, {errors}"
    if tokens != wanted:
        yield "tokens", detail
    elif [code for code, *_ in errors] != [code for code, *_ in wanted_errors]:
        yield "errors", detail
    elif errors != wanted_errors:
        yield "places", detail
    if tokenize_in_pieces(list(text), **options) != (found, log):
        yield "pieces", detail


def tree_differences(folder: Path) -> Iterator[tuple[str, str]]:
    """In what trees differ: each case from html5lib's, and each file in how many cases from what is expected."""
    from support.htmltree import construct, construct_by_html5lib  # they need html5lib

    for path in sorted((folder / "tree-construction").glob("*.dat")):
        cases = list(read_tree_cases(path))
        differing = []
        for case in cases:
            found = construct(case)
            if found != construct_by_html5lib(case):
                yield f"{path.name}#{case.index} html5lib", f"{case.data!r}\n  got {found}"
            if "\n".join(found) != case.document:
                differing.append(case.index)
        if differing:
            yield f"{path.name} trees {len(differing)}/{len(cases)}", f"cases {differing}"


def random_differences(count: int) -> Iterator[tuple[str, str]]:
    """Random inputs of which the tokens are not those of html5lib's tokenizer."""
    chooser = random.Random(16)
    pieces = [" ", *PIECES.split(" ")]
    for number in range(count):
        text = "".join(chooser.choices(pieces, k=chooser.randint(1, 24)))
        if re.search("<!---?\0", text):
            continue  # html5lib stays in the comment start states, where the text switches to the comment state
        found = [in_suite_form(token) for token in xml5tree.tokenize(text, dialect="html", content_models=False)]
        wanted = html5lib_tokens(text)
        if [with_name(token) for token in found] != wanted:
            yield f"random {number}", f"{text!r}\n  html5lib {wanted}\n  got {found}"


def with_name(token: list[Any]) -> list[Any]:
    """A token as html5lib has it: a DOCTYPE without a name has an empty one."""
    return [token[0], token[1] or "", *token[2:]] if token[0] == "DOCTYPE" else token


def html5lib_tokens(text: str) -> list[Any]:
    """The tokens of html5lib's tokenizer, as the suite writes them."""
    from html5lib._tokenizer import HTMLTokenizer
    from html5lib.constants import tokenTypes

    names = {number: name for name, number in tokenTypes.items()}
    tokens: list[Any] = []
    for token in HTMLTokenizer(text):
        kind = names[token["type"]]
        if kind in {"Characters", "SpaceCharacters"}:
            tokens.append(["Character", token["data"]])
        elif kind == "StartTag":
            tokens.append(["StartTag", token["name"], dict(token["data"]), *([True] if token["selfClosing"] else [])])
        elif kind == "EndTag":
            tokens.append(["EndTag", token["name"]])
        elif kind == "Comment":
            tokens.append(["Comment", token["data"]])
        elif kind == "Doctype":
            tokens.append(["DOCTYPE", token["name"], token["publicId"], token["systemId"], token["correct"]])
    return normalise(tokens)


def extract(archive: Path, folder: Path) -> Path:
    """Extract the cases out of the source distribution."""
    with tarfile.open(archive) as file:
        for member in file:
            place = member.name.partition("/tests/testdata/")[2]
            data = file.extractfile(member) if place.endswith((".test", ".dat")) else None
            if data is not None:
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                (folder / place).write_bytes(data.read())
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="how many random inputs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        constraint = Path(temporary) / "constraint.txt"
        constraint.write_text("setuptools<70\n")  # its setup.py needs what later ones have not
        try:
            archive = from_pypi("html5lib", VERSION, {"PIP_CONSTRAINT": str(constraint)})
            folder = extract(archive, Path(temporary))
            found = dict(tokenizer_differences(folder)) | dict(tree_differences(folder))
            found |= random_differences(arguments.count)
        except (Unavailable, ModuleNotFoundError) as error:
            print(f"skipped: {error}")
            return SKIPPED
    kinds = Counter(name.split(" ")[-1] for name in found if " trees " not in name)
    right = expected.report(found, expected.read("html5lib_tests"))
    print(f"{len(found)} differences: {dict(kinds)}; {arguments.count} random inputs")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
