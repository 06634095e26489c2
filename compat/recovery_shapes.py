"""Well-formed documents of shapes that the families of recovery_documents.py do not have, made here.

Each shape is there in several documents: of different sizes, vocabularies and layouts (indented, or on one line), all
the same at every run. None is larger than 12 000 characters.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from recovery_facts import Node

__all__ = ["SHAPES"]

_SOME: Final = """harbour ferry lantern bridge ledger tide anchor winter quay cargo pilot signal rope beacon chart depth
    engine mooring channel current pier sluice wharf gale compass café Möwe naïve señal crew log watch"""
_WORDS: Final = _SOME.split()
_NAMES: Final = ("Ines Roth", "Omar Haddad", "Zoë Brandt", "Lars Dahl", "Mei Tanaka", "Paul O'Neil")
_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'


# Writing ------------------------------------------------------------------------------------------------------------


def _e(name: str, /, *children: Node | str, **attributes: str) -> Node:
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


def _document(root: Node, indent: str, prolog: str = "") -> str:
    return f"{_DECLARATION}{prolog}{_write(root, indent)}\n"


def _words(random: Random, least: int, most: int) -> str:
    return " ".join(random.choices(_WORDS, k=random.randint(least, most)))


def _sentence(random: Random) -> str:
    return _words(random, 6, 14).capitalize() + random.choice((".", ".", "?", " & so on."))


# Shapes -------------------------------------------------------------------------------------------------------------


def _articles() -> Iterator[tuple[str, str]]:
    """Articles like those of DocBook: sections in sections, lists in lists, elements within text."""
    for name, indent, sections in (("indented", "  ", 4), ("one line", "", 5), ("tabs", "\t", 2)):
        random = Random(f"article {name}")
        info = _e(
            "info",
            _e("author", _e("personname", _e("firstname", "Ines"), _e("surname", "Roth"))),
            _e("pubdate", "2024-03-09"),
            _e("keywordset", *(_e("keyword", random.choice(_WORDS)) for _ in range(3))),
        )
        parts = [_section(random, f"s{number}", 3) for number in range(sections)]
        root = _e("article", _e("title", _words(random, 3, 5).title()), info, *parts, version="5.0", xml__lang="en")
        prolog = '<!DOCTYPE article SYSTEM "docbook.dtd">\n<!-- source: handbook -->\n'
        yield f"article-{name}", _document(root, indent, prolog if indent == "  " else "")


def _section(random: Random, key: str, depth: int) -> Node:
    children = [_e("title", _words(random, 2, 5).title())]
    children += [_block(random) for _ in range(random.randint(1, 3))]
    if depth > 1:
        children += [_section(random, f"{key}.{number}", depth - 1) for number in range(random.randint(0, 2))]
    return _e("section", *children, id=key)


def _block(random: Random) -> Node:
    kind = random.choice(("para", "para", "para", "list", "code", "figure", "note"))
    if kind == "list":
        inner = _e("orderedlist", *(_e("listitem", _paragraph(random)) for _ in range(2)))
        items = [_e("listitem", _paragraph(random)) for _ in range(random.randint(2, 3))]
        return _e("itemizedlist", *items, _e("listitem", _paragraph(random), inner))
    if kind == "code":
        return _e("programlisting", f"if depth < {random.randint(2, 9)} && ready:\n    moor(quay)", language="c")
    if kind == "figure":
        image = _e("imagedata", fileref=f"{random.choice(_WORDS)}.png", width="40")
        return _e("figure", _e("title", _words(random, 2, 4)), _e("mediaobject", _e("imageobject", image)))
    return _e("note", _paragraph(random)) if kind == "note" else _paragraph(random)


def _paragraph(random: Random) -> Node:
    inline = random.choice(
        (
            _e("emphasis", _words(random, 1, 2)),
            _e("link", _words(random, 1, 3), xlink__href=f"https://quay.example/{random.choice(_WORDS)}?a=1&b=2"),
            _e("code", "moor(x)"),
            _e("xref", linkend="s1"),
        )
    )
    root = _e("para", _sentence(random) + " ", inline, " " + _sentence(random))
    if "xlink:href" in inline.attributes:
        inline.attributes["xmlns:xlink"] = "http://www.w3.org/1999/xlink"
    return root


def _pages() -> Iterator[tuple[str, str]]:
    """Pages of XHTML: empty elements, lists, tables, forms, text with elements in it."""
    for name, indent in (("indented", " "), ("one line", "")):
        random = Random(f"page {name}")
        head = _e(
            "head",
            _e("meta", charset="utf-8"),
            _e("title", _words(random, 2, 4).title()),
            _e("link", rel="stylesheet", href="/site.css?v=3&m=1"),
            _e("style", "p > em { color: #036 }"),
        )
        items = [_e("li", _e("a", word, href=f"/{word}")) for word in random.sample(_WORDS, 5)]
        body = [_e("div", _e("ul", *items, class_="menu"), id="nav"), _e("h1", _words(random, 2, 4))]
        for _ in range(3):
            body += [_e("h2", _words(random, 2, 4)), *(_page_block(random) for _ in range(3))]
        body.append(_e("div", "© 2024 ", _e("a", "Quay", href="/about"), _e("br"), "All tides reserved", id="foot"))
        root = _e("html", head, _e("body", *body), xmlns="http://www.w3.org/1999/xhtml", lang="en")
        doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "xhtml1-strict.dtd">\n'
        yield f"page-{name}", _document(root, indent, doctype)


def _page_block(random: Random) -> Node:
    kind = random.choice(("p", "p", "table", "dl", "form", "blockquote"))
    if kind == "table":
        head = _e("tr", *(_e("th", word) for word in random.sample(_WORDS, 3)))
        rows = [
            _e("tr", _e("td", _words(random, 1, 2)), _e("td", str(row), class_="n"), _e("td", _e("b", "yes")))
            for row in range(4)
        ]
        return _e("table", _e("thead", head), _e("tbody", *rows))
    if kind == "dl":
        pairs = [part for _ in range(3) for part in (_e("dt", _words(random, 1, 2)), _e("dd", _sentence(random)))]
        return _e("dl", *pairs)
    if kind == "form":
        options = [_e("option", word, value=word) for word in random.sample(_WORDS, 3)]
        fields = (_e("label", "Name", for_="n"), _e("input", type="text", name="n"), _e("select", *options, name="q"))
        return _e("form", *fields, _e("input", type="submit", value="Go"), action="/send", method="post")
    image = _e("img", src=f"/{random.choice(_WORDS)}.png", alt=_words(random, 2, 3))
    inline = random.choice((_e("em", _words(random, 1, 2)), _e("strong", _words(random, 1, 2)), _e("br"), image))
    paragraph = _e("p", _sentence(random) + " ", inline, " " + _sentence(random))
    return _e("blockquote", paragraph) if kind == "blockquote" else paragraph


def _tables() -> Iterator[tuple[str, str]]:
    """Flat tables as databases write them: rows of columns, rows of named fields, rows of attributes."""
    random = Random("tables")
    columns = ("id", "port", "arrived", "tonnage", "remark")

    def values(row: int) -> tuple[str, ...]:
        remark = _words(random, 2, 6) if random.random() < 0.7 else ""
        return (
            str(1000 + row),
            random.choice(_WORDS),
            f"2024-02-{row % 28 + 1:02d}",
            str(random.randint(9, 9999)),
            remark,
        )

    def cells(name: str, row: int) -> Node:
        return _e(
            name, *(_e(column, *filter(None, (value,))) for column, value in zip(columns, values(row), strict=True))
        )

    yield "rows", _document(_e("table", *(cells("row", row) for row in range(40)), name="calls"), "  ")
    yield "rows-one line", _document(_e("Calls", *(cells("Call", row) for row in range(25))), "")
    fields = [
        _e(
            "row",
            *(
                _e("field", value, name=column) if value else _e("field", name=column, xsi__nil="true")
                for column, value in zip(columns, values(row), strict=True)
            ),
        )
        for row in range(25)
    ]
    schema = {"xmlns__xsi": "http://www.w3.org/2001/XMLSchema-instance"}
    yield "fields", _document(_e("resultset", *fields, statement="SELECT * FROM calls WHERE t < 5", **schema), "\t")
    attributes = [_e("call", **dict(zip(columns, values(row), strict=True))) for row in range(60)]
    yield "attributes", _document(_e("calls", *attributes), " ")


def _envelopes() -> Iterator[tuple[str, str]]:
    """Messages of SOAP: prefixes everywhere, nil values, one line or indented."""
    for name, indent, orders in (("one line", "", 8), ("indented", "   ", 5)):
        random = Random(f"envelope {name}")
        token = _e("wsse:UsernameToken", _e("wsse:Username", "quay"), _e("wsse:Nonce", "dGlkZQ=="))
        security = _e("wsse:Security", token, xmlns__wsse="http://docs.oasis-open.org/wss/secext-1.0.xsd")
        answer = _e("m:GetOrdersResponse", _e("m:status", "ok"), *(_order(random, number) for number in range(orders)))
        answer.attributes |= {"xmlns:m": "urn:example:orders", "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance"}
        root = _e(
            "soap:Envelope",
            _e("soap:Header", security, _e("m:trace", "7f3a", xmlns__m="urn:example:orders")),
            _e("soap:Body", answer),
            xmlns__soap="http://schemas.xmlsoap.org/soap/envelope/",
        )
        yield f"envelope-{name}", _document(root, indent)


def _order(random: Random, number: int) -> Node:
    lines = [
        _e("m:line", _e("m:sku", f"K-{random.randint(10, 99)}"), _e("m:qty", str(random.randint(1, 9))))
        for _ in range(random.randint(1, 3))
    ]
    note = _e("m:note", _sentence(random)) if random.random() < 0.6 else _e("m:note", xsi__nil="true")
    customer = _e("m:customer", _e("m:name", random.choice(_NAMES)), _e("m:city", random.choice(_WORDS).title()))
    return _e("m:order", customer, _e("m:lines", *lines), note, id=str(number))


def _outlines() -> Iterator[tuple[str, str]]:
    """Trees of one element: the text in an attribute, in a child, or in the element itself."""

    def opml(random: Random, depth: int) -> Node:
        children = [opml(random, depth - 1) for _ in range(random.randint(1, 4))] if depth else []
        return _e("outline", *children, text=_words(random, 2, 5), type="link" if random.random() < 0.3 else "note")

    def folder(random: Random, depth: int) -> Node:
        children = [folder(random, depth - 1) for _ in range(random.randint(1, 3))] if depth else []
        return _e("folder", _e("label", _words(random, 1, 4)), *children)

    def nested(random: Random, depth: int) -> Node:
        children = [nested(random, depth - 1) for _ in range(random.randint(1, 3))] if depth else []
        return _e("item", _words(random, 2, 4), *children)

    random = Random("outlines")
    body = _e("body", *(opml(random, 3) for _ in range(3)))
    yield "opml", _document(_e("opml", _e("head", _e("title", "Watch list")), body, version="2.0"), "  ")
    yield "folders", _document(_e("folders", *(folder(random, 3) for _ in range(3))), "    ")
    yield "folders-one line", _document(_e("folders", *(folder(random, 4) for _ in range(2))), "")
    yield "items", _document(_e("list", *(nested(random, 3) for _ in range(6))), " ")


def _drawings() -> Iterator[tuple[str, str]]:
    """Drawings of SVG: groups, empty elements with many attributes, few texts."""
    for name, indent, count in (("graph", "", 14), ("layers", "  ", 7)):
        random = Random(f"drawing {name}")
        stops = [_e("stop", offset=f"{part}%", **{"stop-color": f"#0{part // 10:x}8"}) for part in (0, 50, 100)]
        parts = [_e("title", _words(random, 2, 3)), _e("defs", _e("linearGradient", *stops, id="fade"))]
        shapes = [_drawn(random, number) for number in range(count)]
        if name == "layers":
            groups = [_e("g", *shapes[at : at + 3], id=f"layer{at}", opacity="0.8") for at in range(0, count, 3)]
            parts.append(_e("g", *groups, transform="translate(4 4)"))
        else:
            parts += shapes
        root = _e("svg", *parts, xmlns="http://www.w3.org/2000/svg", width="400", height="300", viewBox="0 0 400 300")
        root.attributes["xmlns:xlink"] = "http://www.w3.org/1999/xlink"
        yield f"drawing-{name}", _document(root, indent)


def _drawn(random: Random, number: int) -> Node:
    x, y = random.randint(0, 400), random.randint(0, 300)
    if random.random() < 0.4:
        path = _e("path", d=f"M{x},{y}C{y},{x} 10,20 30,{y}", fill="none", stroke="black")
        arrow = _e("polygon", points=f"{x},{y} {x + 4},{y} {x},{y + 4}", fill="black")
        return _e("g", _e("title", f"n{number}->n{number + 1}"), path, arrow, id=f"edge{number}", class_="edge")
    ellipse = _e("ellipse", cx=str(x), cy=str(y), rx="27", ry="18", fill="url(#fade)", stroke="black")
    text = _e("text", random.choice(_WORDS), x=str(x), y=str(y), **{"text-anchor": "middle"})
    link = _e("a", ellipse, text, xlink__href=f"/node?id={number}&v=2")
    return _e("g", _e("title", f"n{number}"), link, id=f"node{number}", class_="node")


def _stylesheets() -> Iterator[tuple[str, str]]:
    """Stylesheets of XSLT: one vocabulary within another, expressions in attributes."""
    for name, indent, templates in (("indented", "  ", 7), ("one line", "", 5)):
        random = Random(f"stylesheet {name}")
        root = _e(
            "xsl:stylesheet",
            _e("xsl:output", method="html", indent="yes"),
            _e("xsl:param", name="lang", select="'en'"),
            *(_template(random) for _ in range(templates)),
            version="1.0",
            xmlns__xsl="http://www.w3.org/1999/XSL/Transform",
        )
        yield f"stylesheet-{name}", _document(root, indent)


def _template(random: Random) -> Node:
    one, other = random.sample(_WORDS, 2)
    choice = _e(
        "xsl:choose",
        _e("xsl:when", _e("b", _e("xsl:value-of", select=f"@{one}")), test=f"count({one}) < 3 and @n"),
        _e("xsl:when", _e("xsl:text", _words(random, 1, 3)), test=f"{other}='x'"),
        _e("xsl:otherwise", _e("i", "none"), _e("xsl:apply-templates", select=other)),
    )
    item = _e(
        "li", _e("xsl:attribute", _e("xsl:value-of", select="position()"), name="id"), _e("xsl:value-of", select=".")
    )
    loop = _e("ul", _e("xsl:for-each", _e("xsl:sort", select="@date"), item, select=f"{one}/{other}"))
    call = _e("xsl:call-template", _e("xsl:with-param", name="depth", select="$depth + 1"), name=other)
    body = random.sample((choice, loop, call, _e("hr"), _e("p", "See ", _e("a", one, href="{@url}"), ".")), 3)
    return _e("xsl:template", _e("div", *body, class_=one), match=f"{one}[@{other} != '']")


def _configurations() -> Iterator[tuple[str, str]]:
    """Configuration: rules of tests and edits, policies of empty elements, beans, dependencies of a build."""
    random = Random("configurations")

    def match() -> Node:
        test = _e("test", _e("string", _words(random, 1, 2)), name="family", compare="eq")
        edits = [_e("edit", _e("const", word), name=word, mode="assign") for word in random.sample(_WORDS, 2)]
        return _e("match", test, *edits, target="font")

    def policy() -> Node:
        rules = [
            _e(random.choice(("allow", "deny")), send_destination=f"org.quay.{word}", send_type="method_call")
            for word in random.sample(_WORDS, random.randint(1, 4))
        ]
        return _e("policy", *rules, user=random.choice(("root", "pilot")))

    def bean(number: int) -> Node:
        items = _e("list", *(_e("value", word) for word in random.sample(_WORDS, 3)))
        limit = _e("property", name="limit", value=str(number))
        names = _e("property", items, name="names")
        return _e("bean", limit, names, _e("property", _e("ref", bean="clock"), name="clock"), id=f"b{number}")

    def dependency(number: int) -> Node:
        exclusion = _e("exclusion", _e("groupId", "org.quay"), _e("artifactId", random.choice(_WORDS)))
        optional = (_e("exclusions", exclusion),) if number % 3 == 0 else (_e("scope", "test"),)
        ids = (_e("groupId", "org.quay"), _e("artifactId", random.choice(_WORDS)), _e("version", f"1.{number}"))
        return _e("dependency", *ids, *optional)

    matches = _e("fontconfig", _e("dir", "/usr/share/fonts"), *(match() for _ in range(14)))
    yield "rules", _document(matches, "  ", "<!-- generated, do not edit -->\n")
    yield "policies", _document(_e("busconfig", *(policy() for _ in range(14))), "  ")
    yield "beans", _document(_e("beans", *(bean(number) for number in range(14))), "\t")
    project = (_e("modelVersion", "4.0.0"), _e("artifactId", "quay"), _e("version", "0.3"))
    dependencies = _e("dependencies", *(dependency(number) for number in range(14)))
    yield "build", _document(_e("project", *project, dependencies), "    ")


SHAPES: Final[dict[str, Callable[[], Iterator[tuple[str, str]]]]] = {
    "articles": _articles,
    "XHTML": _pages,
    "tables": _tables,
    "SOAP": _envelopes,
    "outlines": _outlines,
    "SVG": _drawings,
    "XSLT": _stylesheets,
    "configuration": _configurations,
}
