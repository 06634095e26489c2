"""What the documents that recovery is measured on are made with: elements written as markup, words, a feed of Atom."""

from random import Random
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from recovery_facts import Node

__all__ = ["WORDS", "atom_feed", "document", "e", "sentence", "words"]

_SOME: Final = """harbour ferry lantern bridge ledger tide anchor winter quay cargo pilot signal rope beacon chart depth
    engine mooring channel current pier sluice wharf gale compass café Möwe naïve señal crew log watch"""
#: What texts and values are made of.
WORDS: Final = _SOME.split()
_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'


def e(name: str, /, *children: Node | str, **attributes: str) -> Node:
    """An element. In the names of attributes, two underscores are a colon, and one at the end is none."""
    written = {key.rstrip("_").replace("__", ":"): value for key, value in attributes.items()}
    return Node(name, written, list(children))


def _write(node: Node, indent: str = "", level: int = 0) -> str:
    """An element as markup, its children on lines of their own unless there is text between them.

    Args:
        node: the element.
        indent: what a level of children is indented by; "" writes all on one line.
        level: how deep the element is.
    """
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in node.attributes.items())
    if not node.children:
        return f"<{node.name}{attributes}/>"
    mixed = not indent or any(isinstance(child, str) for child in node.children)
    parts = [
        escape(child) if isinstance(child, str) else _write(child, "" if mixed else indent, level + 1)
        for child in node.children
    ]
    if mixed:
        return f"<{node.name}{attributes}>{''.join(parts)}</{node.name}>"
    inner = "".join(f"\n{indent * (level + 1)}{part}" for part in parts)
    return f"<{node.name}{attributes}>{inner}\n{indent * level}</{node.name}>"


def document(root: Node, indent: str, prolog: str = "") -> str:
    """A document, indented by `indent` or on one line where that is "", with a prolog after the XML declaration."""
    return f"{_DECLARATION}{prolog}{_write(root, indent)}\n"


def words(random: Random, least: int, most: int) -> str:
    """So many words, with spaces between them."""
    return " ".join(random.choices(WORDS, k=random.randint(least, most)))


def sentence(random: Random) -> str:
    """Words that begin with a capital and end as sentences do, at times with a `&`."""
    return words(random, 6, 14).capitalize() + random.choice((".", ".", "?", " & so on."))


def atom_feed(entries: int) -> str:
    """An Atom feed with XHTML in its entries, in three languages."""
    stories = (
        ("Fähre fällt aus", "Der Kapitän sagt: „Morgen wieder“."),
        ("Le café rouvre", "L’été, on y sert des crêpes à toute heure."),
        ("Bridge repaired", "It took 3 weeks & cost less than 5 000 €."),
    )
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">\n'
        '<title>Harbour</title>\n<link rel="self" href="https://harbour.example/feed?lang=en&amp;page=1"/>\n'
        "<id>https://harbour.example/</id>\n<updated>2024-05-01T08:00:00Z</updated>\n"
    ]
    for number in range(entries):
        title, text = stories[number % len(stories)]
        text = text.replace("&", "&amp;")
        parts.append(
            f"<entry>\n  <title>{title} ({number})</title>\n"
            f'  <link rel="alternate" type="text/html" href="https://harbour.example/{number}?from=feed&amp;n=1"/>\n'
            f"  <id>https://harbour.example/{number}</id>\n"
            f"  <updated>2024-04-{number % 30 + 1:02d}T08:00:00Z</updated>\n"
            f"  <author><name>A. Möwe</name></author>\n  <category term='news'/>\n  <summary>{text}</summary>\n"
            f'  <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>{text} <em>More</em> in the '
            f'<a href="https://harbour.example/{number}/more">archive</a>.</p></div></content>\n</entry>\n'
        )
    return "".join((*parts, "</feed>\n"))
