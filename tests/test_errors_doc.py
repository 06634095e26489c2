"""docs/errors.md lists every error code as it is, and every code is reported somewhere."""

import ast
import re
from typing import NamedTuple

import pytest
from support.xml5lib import REPOSITORY

import xml5tree
from xml5tree.errorcodes import CODES, EXCEPTION_CODES

PAGE = (REPOSITORY / "docs" / "errors.md").read_text("utf-8")
LISTING = PAGE.partition("\n## All codes\n")[2]
ROW = re.compile(r"\| `([a-z-]+)`(?: \*)? \| ([a-z-]+) \| (yes|no) \| `([^`]+)`(?: with `([^`]+)`)? \| `([^`]+)` \|")
SOURCES = [path for path in (REPOSITORY / "xml5tree").rglob("*.py") if path.name != "errorcodes.py"]


class Row(NamedTuple):
    code: str
    kind: str
    lossy: bool
    document: str | bytes
    options: dict
    markup: str | bytes


def read_row(line):
    code, kind, lossy, document, options, markup = ROW.fullmatch(line).groups()
    keywords = ast.parse(f"f({options or ''})", mode="eval").body.keywords
    return Row(
        code,
        kind,
        lossy == "yes",
        literal_or_text(document),
        {keyword.arg: ast.literal_eval(keyword.value) for keyword in keywords},
        literal_or_text(markup),
    )


def literal_or_text(cell):
    return ast.literal_eval(cell) if cell.startswith(("'", "b'")) else cell


ROWS = [read_row(line) for line in LISTING.splitlines() if line.startswith("| `")]


def repair(row):
    """Markup and log for a row's document; the exception's code where there is no markup."""
    if row.options.get("recover", True):
        repairer = xml5tree.Repairer(**row.options)
        parts = [repairer.feed(row.document), repairer.close()]
        return type(row.document)().join(parts), repairer.error_log
    parser = xml5tree.XMLParser(**row.options)
    return xml5tree.fromstring(row.document, parser=parser), parser.error_log


def test_page_has_each_code_once_in_order():
    assert [row.code for row in ROWS] == list(CODES)


@pytest.mark.parametrize("row", ROWS, ids=[row.code for row in ROWS])
def test_row(row):
    assert (row.kind, row.lossy) == (CODES[row.code].kind, CODES[row.code].lossy)
    if row.markup == "ParseError":
        with pytest.raises(xml5tree.ParseError) as raised:
            repair(row)
        assert row.code in {raised.value.code, *(entry.code for entry in raised.value.errors)}
    else:
        markup, log = repair(row)
        assert markup == row.markup
        assert (row.code, row.kind, row.lossy) in {(entry.code, entry.kind, entry.lossy) for entry in log}


def is_kebab_case(node):
    return isinstance(node, ast.Constant) and re.fullmatch("[a-z]+(-[a-z]+)+", str(node.value))


def test_codes_and_sources_agree():
    reported, literals = set(), set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                literals.add(node.value)
            elif isinstance(node, ast.Call) and re.search(
                "error|report|problem", ast.unparse(node.func), re.IGNORECASE
            ):
                reported |= {argument.value for argument in node.args if is_kebab_case(argument)}
    assert reported
    assert reported <= CODES.keys() | EXCEPTION_CODES
    assert all(f"`{code}`" in PAGE for code in EXCEPTION_CODES)
    assert literals >= CODES.keys()
