"""Every error code is explained, listed in docs/errors.md, and reported somewhere."""

import ast
import inspect
import re
import runpy
from itertools import groupby

import pytest
from list_errors import EXPLANATIONS, carry_out, with_results
from support.cases import each_case
from support.xml5lib import REPOSITORY

import xml5tree
from xml5tree.dialects import DIALECTS, dialects_with, find_dialect
from xml5tree.errors.codes import CODES, LOST
from xml5tree.errors.explanations import explanations

DOCS = REPOSITORY / "docs"
PAGE = (DOCS / "errors.md").read_text("utf-8")
NAMING_CODES = {"codes.py", "faults.py"}
#: Codes that only exceptions have: the document may be good, but not what was asked of it.
EXCEPTION_CODES = {"option-not-honoured", "parsing-finished", "unpacked-too-large"}
SOURCES = [path for path in (REPOSITORY / "xml5tree").rglob("*.py") if path.name not in NAMING_CODES]


def test_every_code_is_explained():
    assert CODES.keys() - explanations().keys() == set(), "explain these in errors/explanations.toml"
    in_order = [code for code in explanations() if code in CODES]
    assert in_order == list(CODES), "put the explanations in the order of errors/codes.py"
    assert explanations().keys() == {code for name in DIALECTS for code in find_dialect(name).codes}
    sections = [section for section, _ in groupby(explanation.section for explanation in explanations().values())]
    assert len(sections) == len(set(sections)), "put the explanations of a section together"


def test_page_has_the_listing():
    list_errors = runpy.run_path(str(DOCS / "list_errors.py"))
    _, on_page, _ = list_errors["parts"](PAGE)
    assert on_page == list_errors["listing"](), "run python docs/list_errors.py"


def test_explanations_have_the_results_of_the_examples():
    toml = EXPLANATIONS.read_text("utf-8")
    assert toml == with_results(toml), "run python docs/list_errors.py"


@each_case("code", explanations())
def test_example(code):
    """The example has the error, of the kind that the code is said to be."""
    explanation = explanations()[code]
    markup, log = carry_out(explanation)
    if markup is None:
        with pytest.raises(xml5tree.ParseError) as raised:
            xml5tree.fromstring(explanation.document, **explanation.options)
        assert code in {raised.value.code, *(entry.code for entry in raised.value.errors)}
    else:
        known = dialects_with(code)[0].codes[code]
        # The trees of ElementTree, which are shown of dialects without a repair, leave out comments.
        is_left_out = known.node and explanation.options.get("dialect") == "html"
        expected = (code, known.kind, LOST if is_left_out else known.effect)
        assert expected in {(entry.code, entry.kind, entry.effect) for entry in log}
        assert markup != explanation.document
        xml5tree.fromstring(markup, recovery="strict")


def is_kebab_case(node):
    return isinstance(node, ast.Constant) and re.fullmatch("[a-z]+(-[a-z]+)+", str(node.value))


def test_codes_and_sources_agree():
    reported, literals = set(), set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                literals.add(node.value)
            elif isinstance(node, ast.JoinedStr):  # a code with a part that varies
                parts = [re.escape(it.value) if isinstance(it, ast.Constant) else "[a-z]+" for it in node.values]
                if "".join(parts).count(r"\-") > 1:
                    literals |= {code for code in explanations() if re.fullmatch("".join(parts), code)}
            elif isinstance(node, ast.Call) and re.search(
                "error|report|problem", ast.unparse(node.func), re.IGNORECASE
            ):
                reported |= {part.value for argument in node.args for part in ast.walk(argument) if is_kebab_case(part)}
    assert reported
    unknown = reported - explanations().keys() - EXCEPTION_CODES
    assert unknown == set(), "add these to errors/codes.py and errors/explanations.toml"
    assert all(f"`{code}`" in PAGE for code in EXCEPTION_CODES)
    assert literals >= explanations().keys()


def test_the_package_map_is_that_of_the_package():
    list_modules = runpy.run_path(str(DOCS / "list_modules.py"))
    _, on_page, _ = list_modules["parts"](list_modules["PAGE"].read_text("utf-8"))
    assert on_page == list_modules["package_map"](), "run python docs/list_modules.py"


def test_the_table_of_operations_is_that_of_the_search():
    list_operations = runpy.run_path(str(DOCS / "list_operations.py"))
    _, on_page, _ = list_operations["parts"](list_operations["PAGE"].read_text("utf-8"))
    assert on_page == list_operations["table"](), "run python docs/list_operations.py"


def test_the_reference_is_that_of_the_docstrings():
    list_reference = runpy.run_path(str(DOCS / "list_reference.py"))
    _, on_page = list_reference["parts"]((DOCS / "reference.md").read_text("utf-8"))
    assert on_page == list_reference["listing"](), "run python docs/list_reference.py"


def test_other_pages_describe_what_the_reference_leaves_to_them():
    reference = runpy.run_path(str(DOCS / "list_reference.py"))
    wanted = [(re.search(r"\((.*)\)", link)[1], names.split()) for link, names in reference["_DESCRIBED_ON"].items()]
    for name, link in reference["_LISTED_ON"].items():
        thing = reference["find"](name)
        names = re.findall(r"^    (\w+): ", inspect.getdoc(thing).partition("Attributes:")[2], re.MULTILINE)
        wanted.append(
            (link, [*names, *(name for name, it in vars(thing).items() if isinstance(it, property) and name[0] != "_")])
        )
    for link, names in wanted:
        page = (DOCS / link.partition("#")[0]).read_text("utf-8")
        assert [name for name in names if not re.search(rf"[`.]{name}\b", page)] == [], link


def test_names_of_the_reference_have_docstrings():
    """Ruff does not ask for docstrings of functions, as internal ones may do without."""
    reference = runpy.run_path(str(DOCS / "list_reference.py"))
    for name in " ".join(reference["SECTIONS"].values()).split():
        thing = reference["find"](name)
        for described in [
            thing,
            *(inspect.getattr_static(thing, member) for member in reference["members"](name, thing)),
        ]:
            assert inspect.getdoc(described), (name, described)


def test_the_reference_has_every_public_name():
    page = (DOCS / "reference.md").read_text("utf-8")
    assert [
        name for name in xml5tree.__all__ if f"\n### `{name}`\n" not in page and f"`xml5tree.{name}`" not in page
    ] == []
