"""Write the suite for other implementations, docs/suite/*.json, from the tests' own cases.

usage: python docs/make_suite.py

What a case expects is what the test data say. Where they say less, as of the place of an error, the library adds it,
and has to agree with the rest.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

import xml5tree

DOCS = Path(__file__).parent
DATA = DOCS.parent / "tests/data"

#: The version of the suite. The first number rises when the form of the files changes, the second when a case does.
VERSION = "1.1"


def suites() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the names of the files and what is in them."""
    for name, what, cases in (
        ("xml5-trees", "XML5: trees, with errors", list(xml5_trees())),
        ("xml5-tokens", "XML5: the tokens of the draft, with errors", list(xml5_tokens())),
        ("microxml-trees", "MicroXML with error recovery: trees, with errors", list(microxml_trees())),
        ("leafxml-trees", "LeafXML: the tree, or the one error", list(leafxml_trees())),
    ):
        yield name, {"suite": name, "version": VERSION, "title": what, "licence": "MIT", "cases": cases}


def load(name: str) -> Any:
    """Return what a file of test data holds, without cases that need options of this library."""
    found = json.loads((DATA / name).read_text("utf-8"))
    return [case for case in found if "options" not in case] if isinstance(found, list) else found


def input_of(case: dict[str, Any]) -> dict[str, str]:
    """Return the document of a case as the suite has it: text, or bytes in hexadecimal digits."""
    return {"bytes": bytes.fromhex(case["bytes"]).hex()} if "bytes" in case else {"input": case["input"]}


def parsed(case: dict[str, Any], **options: Any) -> tuple[list[Any] | None, list[dict[str, Any]]]:
    """Return the tree and the errors that the library finds."""
    parser: Any = xml5tree.XMLParser(backend="lxml", **options)
    try:
        parser.feed(bytes.fromhex(case["bytes"]) if "bytes" in case else case["input"])
        root = parser.close()
    except xml5tree.ParseError:
        root = None
    return root if root is None else document_of(root), [as_dict(entry) for entry in parser.error_log]


def as_dict(entry: xml5tree.ErrorEntry) -> dict[str, Any]:
    """Return what the suite says of an error."""
    return {"code": entry.code, "kind": entry.kind, "line": entry.line, "column": entry.column}


def document_of(root: Any) -> list[Any]:
    """Return the nodes of a document: its DOCTYPE, and what stands before, in and after the root element."""
    info = root.getroottree().docinfo
    nodes: list[Any] = []
    if info.internalDTD is not None:
        nodes.append({"doctype": [info.internalDTD.name, info.public_id, info.system_url]})
    before = reversed(list(root.itersiblings(preceding=True)))
    return nodes + [node_of(node) for node in (*before, root, *root.itersiblings())]


def node_of(node: Any) -> Any:
    """Return a node: an element as its name, attributes and content; or a comment or an instruction."""
    if node.tag is etree.Comment:
        return {"comment": node.text or ""}
    if node.tag is etree.ProcessingInstruction:
        return {"pi": [node.target, node.text or ""]}
    content: list[Any] = [node.text] if node.text else []
    for child in node:
        content += [node_of(child), *([child.tail] if child.tail else [])]
    return [node.tag, dict(node.attrib), content]


def without_doctype(nodes: list[Any] | None) -> list[Any] | None:
    """Return nodes without a DOCTYPE, which the trees of the test data have not."""
    return nodes and [node for node in nodes if not (isinstance(node, dict) and "doctype" in node)]


def checked(condition: bool, case: dict[str, Any]) -> None:
    """Refuse to write what the test data say otherwise."""
    if not condition:
        raise AssertionError(f"the library does not agree with the test data: {case}")


def of_markup(markup: str | None) -> list[Any] | None:
    """Return the nodes of well-formed markup; None for None."""
    return None if markup is None else without_doctype(document_of(etree.fromstring(markup.encode())))


def xml5_trees() -> Iterator[dict[str, Any]]:
    """Yield the examples of the decisions."""
    for case in load("decisions.json"):
        tree, errors = parsed(case, attribute_defaults=True, recovery="draft")
        checked([[error["code"], error["line"], error["column"]] for error in errors] == case["errors"], case)
        checked(without_doctype(tree) == of_markup(case["tree"]), case)
        yield {"id": case["id"], **input_of(case), "tree": tree, "errors": errors}


def xml5_tokens() -> Iterator[dict[str, Any]]:
    """Yield the cases of the tokenizer's states."""
    same: Counter[str] = Counter()
    for path in sorted(DATA.glob("*.test")):
        for case in load(path.name)["tests"]:
            found: list[xml5tree.ErrorEntry] = []
            for _ in xml5tree.tokenize(case["input"], on_error=found.append, recovery="draft"):
                pass
            found.sort(key=lambda entry: entry.offset)
            checked([entry.code for entry in found] == case["errors"], case)
            name = f"{path.stem}.{case['state']}.{'-'.join(case['description'].split())}"
            same[name] += 1
            yield {
                "id": f"{name}.{same[name]}" if same[name] > 1 else name,
                "about": case["state"],
                "title": case["description"],
                "input": case["input"],
                "tokens": [token for token in case["output"] if token != "ParseError"],
                "errors": [as_dict(entry) for entry in found],
            }


def microxml_trees() -> Iterator[dict[str, Any]]:
    """Yield the examples of the decisions on MicroXML."""
    for case in load("microxml.json"):
        tree, errors = parsed(case, dialect="microxml")
        checked(tree == of_markup(case["tree"]), case)
        yield {"id": case["id"], **input_of(case), "tree": tree, "errors": errors}


def leafxml_trees() -> Iterator[dict[str, Any]]:
    """Yield the examples of the rules of LeafXML."""
    count: Counter[str] = Counter()
    for case in load("leafxml.json"):
        tree, errors = parsed(case, dialect="leafxml")
        if "tree" in case:
            errors = []  # of the backend alone, which cannot hold each character
        else:
            checked([f"{error['code']} {error['line']}:{error['column']}" for error in errors] == [case["error"]], case)
            checked(tree is None, case)
        count[case["rule"]] += 1
        expected = [case["tree"]] if "tree" in case else None
        yield {"id": f"{case['rule']}.{count[case['rule']]}", **input_of(case), "tree": expected, "errors": errors}


def as_text(suite: dict[str, Any]) -> str:
    """Return a file of the suite, with a line for each case."""
    head = json.dumps({name: value for name, value in suite.items() if name != "cases"})[:-1]
    cases = ",\n".join(json.dumps(case) for case in suite["cases"])
    return f'{head}, "cases": [\n{cases}\n]}}\n'


if __name__ == "__main__":
    for name, suite in suites():
        (DOCS / "suite" / f"{name}.json").write_text(as_text(suite), "ascii")
        print(f"{name}: {len(suite['cases'])} cases")
