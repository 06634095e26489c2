"""What the code cites can be looked up: each section, decision and contract is in the document that defines it."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest
from support.cases import each_case

REPOSITORY = Path(__file__).parent.parent

#: What is cited, by what it begins with: how that looks, the document that defines it, and how a definition looks
#: there. A dialect whose decisions have a page of their own adds a line. The sections of HTML begin with 12, those of
#: the XML5 draft do not.
TABLES = {
    "§": (r"§(?!12\.)(\d(?:[\d.]*\d)?)", "tests/data/headings.txt", r"^([\d.]+) "),
    "§12": (r"§(12\.[\d.]*\d)", "tests/data/html/headings.txt", r"^(12\.[\d.]+) "),
    "D": (r"\bD-(\d{3})\b", "docs/internals/decisions.md", r"^\| D-(\d{3}) \|"),
    "E": (r"\bE(\d{1,2})\b", "docs/internals/decisions.md", r"^\| E(\d+) \|"),
    "H": (r"\bH-(\d{3})\b", "docs/internals/html.md", r"^\| (H-\d{3}(?:(?:, | to )H-\d{3})*) \|"),
    "M": (r"\bM-(\d{3})\b", "docs/internals/microxml.md", r"^\| (M-\d{3}(?:(?:, | to )M-\d{3})*) \|"),
    "L": (r"\bL-(\d{3})\b", "docs/internals/leafxml.md", r"^\| (L-\d{3}(?:(?:, | to )L-\d{3})*) \|"),
    "I": (r"\bI(\d)\b", "docs/internals/architecture.md", r"^\* \*\*I(\d) "),
}
#: All that looks like the number of a decision, with a letter for what it is about.
DECISION = re.compile(r"(?<![\w-])([A-Z])-\d{3}\b")
#: What looks like a citation and leads to a text that is not the project's, or to none.
OTHER_TEXTS = re.compile(r"XML 1\.0 §[\d.]+(?:, §[\d.]+)*")
LETTERED_SECTION = re.compile(r"\b[Ss]ections? [A-Z]\b")

#: What stands between two words of a comment or docstring that are on two lines.
COMMENTS_GO_ON = re.compile(r"\s*\n\s*(?:#:? *)?")

MODULES = [path for folder in ("xml5tree", "compat", "tests") for path in sorted((REPOSITORY / folder).rglob("*.py"))]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("**/*.md"))]
FILES = [path for path in MODULES + PAGES if path != Path(__file__)]


def prose(path):
    """The comments and docstrings of a module; all of a page."""
    source = path.read_text("utf-8")
    if path.suffix != ".py":
        return source
    documented = ast.Module, ast.ClassDef, ast.FunctionDef
    docstrings = [ast.get_docstring(node) for node in ast.walk(ast.parse(source)) if isinstance(node, documented)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [token.string.lstrip("#: ") for token in tokens if token.type == tokenize.COMMENT]
    return " ".join([*filter(None, docstrings), *comments])


def citations(text):
    """What is cited, without what is cited of other texts."""
    text = OTHER_TEXTS.sub("", " ".join(text.split()))
    return {(kind, number) for kind, (cited, _, _) in TABLES.items() for number in re.findall(cited, text)}


def defined():
    """All that can be cited."""
    return {
        (kind, number)
        for kind, (_, document, definition) in TABLES.items()
        for found in re.findall(definition, (REPOSITORY / document).read_text("utf-8"), re.MULTILINE)
        for number in expanded(found)
    }


def expanded(found):
    """The numbers that a definition is about: mostly one, but perhaps some, or those from one to another."""
    numbers = []
    for part in found.split(", "):
        first, separator, last = part.partition(" to ")
        several = range(int(first[-3:]), int(last[-3:]) + 1) if separator else []
        numbers += [f"{number:03}" for number in several] or [first.rpartition("-")[2]]
    return numbers


DEFINED = defined()


def faults(text):
    """What a text cites that cannot be looked up."""
    letters = set(DECISION.findall(text)) - TABLES.keys()
    return [*(citations(text) - DEFINED), *letters, *LETTERED_SECTION.findall(text)]


@each_case("path", FILES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_citations_can_be_looked_up(path):
    """A module in which nothing is wrong, code and strings included, need not be parsed."""
    assert not faults(COMMENTS_GO_ON.sub(" ", path.read_text("utf-8"))) or faults(prose(path)) == []


def test_everything_has_definitions():
    assert {kind for kind, _ in DEFINED} == TABLES.keys()


@pytest.mark.parametrize(
    ("kind", "number"), [("§", "12"), ("§", "99"), ("§12", "12.2.4.70"), ("H", "999"), ("M", "009")]
)
def test_what_is_not_defined_cannot_be_cited(kind, number):
    assert (kind, number) not in DEFINED


def test_definitions_of_several_numbers():
    assert expanded("1.3.24") == ["1.3.24"]
    assert expanded("L-009") == ["009"]
    assert expanded("L-001, L-009 to L-011") == ["001", "009", "010", "011"]


def test_citations_are_found():
    assert citations("XML 1.0 §3.3, §4.2 and §1.3.24 (D-001 to D-999; E11 of D-002), invariant I7") == {
        *[("§", "1.3.24"), ("D", "001"), ("D", "999"), ("D", "002"), ("E", "11"), ("I", "7")],
    }
    assert citations("§1.2, §12, §12.2.4.5 to .7 and §12.2.5. (H-010, M-011, L-012)") == {
        *[("§", "1.2"), ("§", "12"), ("§12", "12.2.4.5"), ("§12", "12.2.5"), ("H", "010"), ("M", "011"), ("L", "012")],
    }
    missing = {*TABLES}
    for path in MODULES:
        if missing & {kind for kind, _ in citations(path.read_text("utf-8"))}:
            missing -= {kind for kind, _ in citations(prose(path))}
    assert not missing
