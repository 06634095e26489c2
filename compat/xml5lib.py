"""Run xml5lib-tests, the public suite of XML5: tokenizer cases and tree construction cases.

usage: python -m compat.xml5lib

The suite is in no package registry: it is looked for where $XML5LIB_TESTS says, or else in
../shared/suites/xml5lib-tests. All files *.test and *.dat in it are run. Tokenizer cases are run whole and cut in two
everywhere, tree construction cases whole and in pieces of one character. What differs is compared with
expected/xml5lib.txt.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from support.splits import chunks, splits
from support.tokens import in_suite_form, tokenize_in_pieces
from support.xml5lib import (
    NO_SUITE,
    TokenizerCase,
    TreeCase,
    find_suite,
    read_tokenizer_cases,
    read_tree_cases,
    split_errors,
)

import xml5tree
from compat import expected
from compat.cache import SKIPPED
from xml5tree.options import Recovery

XMLNS = "{http://www.w3.org/2000/xmlns/}"
UNDECLARED = "urn:x-undeclared-prefix:"


def check_tokenizer(case: TokenizerCase) -> Iterator[tuple[str, str]]:
    """In what a tokenizer case differs, and what is to be known of it."""
    wanted, wanted_errors = split_errors(case.expected)
    errors: list[xml5tree.ErrorEntry] = []
    actual = list(xml5tree.tokenize(case.input, on_error=errors.append))
    tokens, _ = split_errors(map(in_suite_form, actual))
    found = f"{case.description}: {case.input!r}\n  expected {case.expected}\n  got {tokens}, {errors}"
    if tokens != [without_correctness(token) for token in wanted]:
        yield "tokens", found
    elif sum(error.kind == "parse-error" for error in errors) != wanted_errors:
        yield "errors", found
    errors.sort(key=lambda error: error.offset)
    for pieces in splits(case.input):
        if tokenize_in_pieces(pieces) != (actual, errors):
            yield "pieces", f"{pieces} give other tokens or errors"


def without_correctness(token: Any) -> Any:
    """The suite's DOCTYPE tokens carry HTML's force-quirks flag, of which XML5 knows nothing."""
    return token[:4] if token[0] == "DOCTYPE" else token


def check_tree(case: TreeCase) -> Iterator[tuple[str, str]]:
    """In what a tree construction case differs, and what is to be known of it."""
    # Declarations are no attributes here; what they declare shows in the names.
    lines = [line for line in case.document.split("\n") if not line.removeprefix("|").lstrip().startswith(XMLNS)]
    wanted = lines if any(re.match(r"\| <[^!?]", line) for line in lines) else None
    whole = max(len(case.data), 1)
    ways: list[tuple[str, Recovery, int]] = [
        *[("tree", "draft", whole), ("pieces", "draft", 1)],
        *[("intent", "intent", whole), ("intent-pieces", "intent", 1)],  # the suite's cases leave nothing to look for
    ]
    for name, recovery, size in ways:
        parser = xml5tree.XMLParser(backend="lxml", namespaces={}, recovery=recovery)
        try:
            for piece in chunks(case.data, size):
                parser.feed(piece)
            found = "\n".join(print_document(parser.close())).split("\n")
        except xml5tree.ParseError:
            found = None  # no root element
        if found != wanted:
            yield name, f"{case.data!r}\n  expected {wanted}\n  got {found}"


def print_document(root: Any) -> list[str]:
    """A document as the suite prints it."""
    lines = []
    doctype = root.getroottree().docinfo.internalDTD
    if doctype is not None:
        identifiers = [doctype.external_id or "", doctype.system_url or ""]
        quoted = "".join(f' "{identifier}"' for identifier in identifiers) if any(identifiers) else ""
        lines.append(f"| <!DOCTYPE {doctype.name}{quoted}>")
    for node in (*reversed(list(root.itersiblings(preceding=True))), root, *root.itersiblings()):
        lines += print_node(node, "| ")
    return lines


def print_node(node: Any, indent: str) -> Iterator[str]:
    if node.tag is etree.Comment:
        yield f"{indent}<!-- {node.text} -->"
    elif node.tag is etree.PI:
        yield f"{indent}<?{node.target} {node.text or ''}?>"
    else:
        yield f"{indent}<{name_of(node.tag, node.prefix)}>"
        prefixes = {uri: prefix for prefix, uri in node.nsmap.items() if prefix}
        attributes = [(etree.QName(name), value) for name, value in node.attrib.items()]
        for name, value in sorted(attributes, key=lambda attribute: attribute[0].localname):
            if not name.localname.startswith("xmlnsU00003A"):  # a declaration that is none
                yield f'{indent}  {name_of(name.text, prefixes.get(name.namespace))}="{value}"'
        if node.text:
            yield f'{indent}  "{node.text}"'
        for child in node:
            yield from print_node(child, indent + "  ")
            if child.tail:
                yield f'{indent}  "{child.tail}"'


def name_of(tag: str, prefix: str | None) -> str:
    """A name as the suite writes it: a prefix that is not declared has no namespace."""
    name = etree.QName(tag)
    namespace = name.namespace or ""
    written = f"{prefix}:{name.localname}" if prefix else name.localname
    return written if not namespace or namespace.startswith(UNDECLARED) else f"{{{namespace}}}{written}"


def run(folder: Path) -> tuple[dict[str, str], Counter[str]]:
    """Run all files in a folder: the differences, and how many cases each file has."""
    found: dict[str, str] = {}
    cases: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.test")):
        for case in read_tokenizer_cases(path):
            cases[path.name] += 1
            found |= {f"{case.name} {kind}": detail for kind, detail in check_tokenizer(case)}
    for path in sorted(folder.rglob("*.dat")):
        for tree in read_tree_cases(path):
            cases[path.name] += 1
            found |= {f"{tree.name} {kind}": detail for kind, detail in check_tree(tree)}
    return found, cases


def main() -> int:
    folder = find_suite()
    if folder is None:
        print(f"skipped: {NO_SUITE}")
        return SKIPPED
    found, cases = run(folder)
    listed = {name: reason for name, reason in expected.read("xml5lib").items() if name.partition("#")[0] in cases}
    right = expected.report(found, listed)
    kinds = Counter(name.rpartition(" ")[2] for name in found)
    print(f"{cases.total()} cases in {len(cases)} files ({', '.join(cases)}); {len(found)} differ: {dict(kinds)}")
    return 0 if right and cases else 1


if __name__ == "__main__":
    sys.exit(main())
