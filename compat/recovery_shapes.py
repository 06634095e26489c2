"""Well-formed documents of shapes that the families of recovery_documents.py do not have, made here.

Each shape is there in several documents: of different sizes, vocabularies and layouts (indented, or on one line), all
the same at every run. None is larger than 12 000 characters.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from recovery_facts import Node
from recovery_writing import WORDS, document, e, sentence, words

__all__ = ["SHAPES", "section"]

_NAMES: Final = ("Ines Roth", "Omar Haddad", "Zoë Brandt", "Lars Dahl", "Mei Tanaka", "Paul O'Neil")


# Shapes -------------------------------------------------------------------------------------------------------------


def _articles() -> Iterator[tuple[str, str]]:
    """Articles like those of DocBook: sections in sections, lists in lists, elements within text."""
    for name, indent, sections in (("indented", "  ", 4), ("one line", "", 5), ("tabs", "\t", 2)):
        random = Random(f"article {name}")
        info = e(
            "info",
            e("author", e("personname", e("firstname", "Ines"), e("surname", "Roth"))),
            e("pubdate", "2024-03-09"),
            e("keywordset", *(e("keyword", random.choice(WORDS)) for _ in range(3))),
        )
        parts = [section(random, f"s{number}", 3) for number in range(sections)]
        root = e("article", e("title", words(random, 3, 5).title()), info, *parts, version="5.0", xml__lang="en")
        prolog = '<!DOCTYPE article SYSTEM "docbook.dtd">\n<!-- source: handbook -->\n'
        yield f"article-{name}", document(root, indent, prolog if indent == "  " else "")


def section(random: Random, key: str, depth: int) -> Node:
    """A section of an article, with sections in it down to a depth, where 1 is a section without others."""
    children = [e("title", words(random, 2, 5).title())]
    children += [_block(random) for _ in range(random.randint(1, 3))]
    if depth > 1:
        children += [section(random, f"{key}.{number}", depth - 1) for number in range(random.randint(0, 2))]
    return e("section", *children, id=key)


def _block(random: Random) -> Node:
    kind = random.choice(("para", "para", "para", "list", "code", "figure", "note"))
    if kind == "list":
        inner = e("orderedlist", *(e("listitem", _paragraph(random)) for _ in range(2)))
        items = [e("listitem", _paragraph(random)) for _ in range(random.randint(2, 3))]
        return e("itemizedlist", *items, e("listitem", _paragraph(random), inner))
    if kind == "code":
        return e("programlisting", f"if depth < {random.randint(2, 9)} && ready:\n    moor(quay)", language="c")
    if kind == "figure":
        image = e("imagedata", fileref=f"{random.choice(WORDS)}.png", width="40")
        return e("figure", e("title", words(random, 2, 4)), e("mediaobject", e("imageobject", image)))
    return e("note", _paragraph(random)) if kind == "note" else _paragraph(random)


def _paragraph(random: Random) -> Node:
    inline = random.choice(
        (
            e("emphasis", words(random, 1, 2)),
            e("link", words(random, 1, 3), xlink__href=f"https://quay.example/{random.choice(WORDS)}?a=1&b=2"),
            e("code", "moor(x)"),
            e("xref", linkend="s1"),
        )
    )
    root = e("para", sentence(random) + " ", inline, " " + sentence(random))
    if "xlink:href" in inline.attributes:
        inline.attributes["xmlns:xlink"] = "http://www.w3.org/1999/xlink"
    return root


def _pages() -> Iterator[tuple[str, str]]:
    """Pages of XHTML: empty elements, lists, tables, forms, text with elements in it."""
    for name, indent in (("indented", " "), ("one line", "")):
        random = Random(f"page {name}")
        head = e(
            "head",
            e("meta", charset="utf-8"),
            e("title", words(random, 2, 4).title()),
            e("link", rel="stylesheet", href="/site.css?v=3&m=1"),
            e("style", "p > em { color: #036 }"),
        )
        items = [e("li", e("a", word, href=f"/{word}")) for word in random.sample(WORDS, 5)]
        body = [e("div", e("ul", *items, class_="menu"), id="nav"), e("h1", words(random, 2, 4))]
        for _ in range(3):
            body += [e("h2", words(random, 2, 4)), *(_page_block(random) for _ in range(3))]
        body.append(e("div", "© 2024 ", e("a", "Quay", href="/about"), e("br"), "All tides reserved", id="foot"))
        root = e("html", head, e("body", *body), xmlns="http://www.w3.org/1999/xhtml", lang="en")
        doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "xhtml1-strict.dtd">\n'
        yield f"page-{name}", document(root, indent, doctype)


def _page_block(random: Random) -> Node:
    kind = random.choice(("p", "p", "table", "dl", "form", "blockquote"))
    if kind == "table":
        head = e("tr", *(e("th", word) for word in random.sample(WORDS, 3)))
        rows = [
            e("tr", e("td", words(random, 1, 2)), e("td", str(row), class_="n"), e("td", e("b", "yes")))
            for row in range(4)
        ]
        return e("table", e("thead", head), e("tbody", *rows))
    if kind == "dl":
        pairs = [part for _ in range(3) for part in (e("dt", words(random, 1, 2)), e("dd", sentence(random)))]
        return e("dl", *pairs)
    if kind == "form":
        options = [e("option", word, value=word) for word in random.sample(WORDS, 3)]
        fields = (e("label", "Name", for_="n"), e("input", type="text", name="n"), e("select", *options, name="q"))
        return e("form", *fields, e("input", type="submit", value="Go"), action="/send", method="post")
    image = e("img", src=f"/{random.choice(WORDS)}.png", alt=words(random, 2, 3))
    inline = random.choice((e("em", words(random, 1, 2)), e("strong", words(random, 1, 2)), e("br"), image))
    paragraph = e("p", sentence(random) + " ", inline, " " + sentence(random))
    return e("blockquote", paragraph) if kind == "blockquote" else paragraph


def _tables() -> Iterator[tuple[str, str]]:
    """Flat tables as databases write them: rows of columns, rows of named fields, rows of attributes."""
    random = Random("tables")
    columns = ("id", "port", "arrived", "tonnage", "remark")

    def values(row: int) -> tuple[str, ...]:
        remark = words(random, 2, 6) if random.random() < 0.7 else ""
        return (
            str(1000 + row),
            random.choice(WORDS),
            f"2024-02-{row % 28 + 1:02d}",
            str(random.randint(9, 9999)),
            remark,
        )

    def cells(name: str, row: int) -> Node:
        return e(
            name, *(e(column, *filter(None, (value,))) for column, value in zip(columns, values(row), strict=True))
        )

    yield "rows", document(e("table", *(cells("row", row) for row in range(40)), name="calls"), "  ")
    yield "rows-one line", document(e("Calls", *(cells("Call", row) for row in range(25))), "")
    fields = [
        e(
            "row",
            *(
                e("field", value, name=column) if value else e("field", name=column, xsi__nil="true")
                for column, value in zip(columns, values(row), strict=True)
            ),
        )
        for row in range(25)
    ]
    schema = {"xmlns__xsi": "http://www.w3.org/2001/XMLSchema-instance"}
    yield "fields", document(e("resultset", *fields, statement="SELECT * FROM calls WHERE t < 5", **schema), "\t")
    attributes = [e("call", **dict(zip(columns, values(row), strict=True))) for row in range(60)]
    yield "attributes", document(e("calls", *attributes), " ")


def _envelopes() -> Iterator[tuple[str, str]]:
    """Messages of SOAP: prefixes everywhere, nil values, one line or indented."""
    for name, indent, orders in (("one line", "", 8), ("indented", "   ", 5)):
        random = Random(f"envelope {name}")
        token = e("wsse:UsernameToken", e("wsse:Username", "quay"), e("wsse:Nonce", "dGlkZQ=="))
        security = e("wsse:Security", token, xmlns__wsse="http://docs.oasis-open.org/wss/secext-1.0.xsd")
        answer = e("m:GetOrdersResponse", e("m:status", "ok"), *(_order(random, number) for number in range(orders)))
        answer.attributes |= {"xmlns:m": "urn:example:orders", "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance"}
        root = e(
            "soap:Envelope",
            e("soap:Header", security, e("m:trace", "7f3a", xmlns__m="urn:example:orders")),
            e("soap:Body", answer),
            xmlns__soap="http://schemas.xmlsoap.org/soap/envelope/",
        )
        yield f"envelope-{name}", document(root, indent)


def _order(random: Random, number: int) -> Node:
    lines = [
        e("m:line", e("m:sku", f"K-{random.randint(10, 99)}"), e("m:qty", str(random.randint(1, 9))))
        for _ in range(random.randint(1, 3))
    ]
    note = e("m:note", sentence(random)) if random.random() < 0.6 else e("m:note", xsi__nil="true")
    customer = e("m:customer", e("m:name", random.choice(_NAMES)), e("m:city", random.choice(WORDS).title()))
    return e("m:order", customer, e("m:lines", *lines), note, id=str(number))


def _outlines() -> Iterator[tuple[str, str]]:
    """Trees of one element: the text in an attribute, in a child, or in the element itself."""

    def opml(random: Random, depth: int) -> Node:
        children = [opml(random, depth - 1) for _ in range(random.randint(1, 4))] if depth else []
        return e("outline", *children, text=words(random, 2, 5), type="link" if random.random() < 0.3 else "note")

    def folder(random: Random, depth: int) -> Node:
        children = [folder(random, depth - 1) for _ in range(random.randint(1, 3))] if depth else []
        return e("folder", e("label", words(random, 1, 4)), *children)

    def nested(random: Random, depth: int) -> Node:
        children = [nested(random, depth - 1) for _ in range(random.randint(1, 3))] if depth else []
        return e("item", words(random, 2, 4), *children)

    random = Random("outlines")
    body = e("body", *(opml(random, 3) for _ in range(3)))
    yield "opml", document(e("opml", e("head", e("title", "Watch list")), body, version="2.0"), "  ")
    yield "folders", document(e("folders", *(folder(random, 3) for _ in range(3))), "    ")
    yield "folders-one line", document(e("folders", *(folder(random, 4) for _ in range(2))), "")
    yield "items", document(e("list", *(nested(random, 3) for _ in range(6))), " ")


def _drawings() -> Iterator[tuple[str, str]]:
    """Drawings of SVG: groups, empty elements with many attributes, few texts."""
    for name, indent, count in (("graph", "", 14), ("layers", "  ", 7)):
        random = Random(f"drawing {name}")
        stops = [e("stop", offset=f"{part}%", **{"stop-color": f"#0{part // 10:x}8"}) for part in (0, 50, 100)]
        parts = [e("title", words(random, 2, 3)), e("defs", e("linearGradient", *stops, id="fade"))]
        shapes = [_drawn(random, number) for number in range(count)]
        if name == "layers":
            groups = [e("g", *shapes[at : at + 3], id=f"layer{at}", opacity="0.8") for at in range(0, count, 3)]
            parts.append(e("g", *groups, transform="translate(4 4)"))
        else:
            parts += shapes
        root = e("svg", *parts, xmlns="http://www.w3.org/2000/svg", width="400", height="300", viewBox="0 0 400 300")
        root.attributes["xmlns:xlink"] = "http://www.w3.org/1999/xlink"
        yield f"drawing-{name}", document(root, indent)


def _drawn(random: Random, number: int) -> Node:
    x, y = random.randint(0, 400), random.randint(0, 300)
    if random.random() < 0.4:
        path = e("path", d=f"M{x},{y}C{y},{x} 10,20 30,{y}", fill="none", stroke="black")
        arrow = e("polygon", points=f"{x},{y} {x + 4},{y} {x},{y + 4}", fill="black")
        return e("g", e("title", f"n{number}->n{number + 1}"), path, arrow, id=f"edge{number}", class_="edge")
    ellipse = e("ellipse", cx=str(x), cy=str(y), rx="27", ry="18", fill="url(#fade)", stroke="black")
    text = e("text", random.choice(WORDS), x=str(x), y=str(y), **{"text-anchor": "middle"})
    link = e("a", ellipse, text, xlink__href=f"/node?id={number}&v=2")
    return e("g", e("title", f"n{number}"), link, id=f"node{number}", class_="node")


def _stylesheets() -> Iterator[tuple[str, str]]:
    """Stylesheets of XSLT: one vocabulary within another, expressions in attributes."""
    for name, indent, templates in (("indented", "  ", 7), ("one line", "", 5)):
        random = Random(f"stylesheet {name}")
        root = e(
            "xsl:stylesheet",
            e("xsl:output", method="html", indent="yes"),
            e("xsl:param", name="lang", select="'en'"),
            *(_template(random) for _ in range(templates)),
            version="1.0",
            xmlns__xsl="http://www.w3.org/1999/XSL/Transform",
        )
        yield f"stylesheet-{name}", document(root, indent)


def _template(random: Random) -> Node:
    one, other = random.sample(WORDS, 2)
    choice = e(
        "xsl:choose",
        e("xsl:when", e("b", e("xsl:value-of", select=f"@{one}")), test=f"count({one}) < 3 and @n"),
        e("xsl:when", e("xsl:text", words(random, 1, 3)), test=f"{other}='x'"),
        e("xsl:otherwise", e("i", "none"), e("xsl:apply-templates", select=other)),
    )
    item = e("li", e("xsl:attribute", e("xsl:value-of", select="position()"), name="id"), e("xsl:value-of", select="."))
    loop = e("ul", e("xsl:for-each", e("xsl:sort", select="@date"), item, select=f"{one}/{other}"))
    call = e("xsl:call-template", e("xsl:with-param", name="depth", select="$depth + 1"), name=other)
    body = random.sample((choice, loop, call, e("hr"), e("p", "See ", e("a", one, href="{@url}"), ".")), 3)
    return e("xsl:template", e("div", *body, class_=one), match=f"{one}[@{other} != '']")


def _configurations() -> Iterator[tuple[str, str]]:
    """Configuration: rules of tests and edits, policies of empty elements, beans, dependencies of a build."""
    random = Random("configurations")

    def match() -> Node:
        test = e("test", e("string", words(random, 1, 2)), name="family", compare="eq")
        edits = [e("edit", e("const", word), name=word, mode="assign") for word in random.sample(WORDS, 2)]
        return e("match", test, *edits, target="font")

    def policy() -> Node:
        rules = [
            e(random.choice(("allow", "deny")), send_destination=f"org.quay.{word}", send_type="method_call")
            for word in random.sample(WORDS, random.randint(1, 4))
        ]
        return e("policy", *rules, user=random.choice(("root", "pilot")))

    def bean(number: int) -> Node:
        items = e("list", *(e("value", word) for word in random.sample(WORDS, 3)))
        limit = e("property", name="limit", value=str(number))
        names = e("property", items, name="names")
        return e("bean", limit, names, e("property", e("ref", bean="clock"), name="clock"), id=f"b{number}")

    def dependency(number: int) -> Node:
        exclusion = e("exclusion", e("groupId", "org.quay"), e("artifactId", random.choice(WORDS)))
        optional = (e("exclusions", exclusion),) if number % 3 == 0 else (e("scope", "test"),)
        ids = (e("groupId", "org.quay"), e("artifactId", random.choice(WORDS)), e("version", f"1.{number}"))
        return e("dependency", *ids, *optional)

    matches = e("fontconfig", e("dir", "/usr/share/fonts"), *(match() for _ in range(14)))
    yield "rules", document(matches, "  ", "<!-- generated, do not edit -->\n")
    yield "policies", document(e("busconfig", *(policy() for _ in range(14))), "  ")
    yield "beans", document(e("beans", *(bean(number) for number in range(14))), "\t")
    project = (e("modelVersion", "4.0.0"), e("artifactId", "quay"), e("version", "0.3"))
    dependencies = e("dependencies", *(dependency(number) for number in range(14)))
    yield "build", document(e("project", *project, dependencies), "    ")


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
