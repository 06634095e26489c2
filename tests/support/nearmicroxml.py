"""Generated documents of MicroXML and documents that nearly are, and a recogniser of the grammar (M-010 to M-013)."""

import re

from hypothesis import strategies as st

__all__ = ["is_microxml", "microxml_documents", "near_microxml"]

_NAMES = ["a", "b", "doc", "e-1", "é", "_x.y", "xmlns"]
_SPACES = [" ", "\n", "\t", "  "]
_TEXTS = [
    "x",
    "1 ",
    "\n",
    " ",
    "é😀",
    "]]",
    "--",
    "'\"",
    "a=b",
    "/",
    "&amp;",
    "&lt;",
    "&#x41;",
    "&#x0a;",
    "&gt;",
    "\u2028",
]
_VALUES = ["", "x", "1 2", "&lt;b&quot;", "&#x9;", "a=b", "/", "\t", "\n", "é"]
_COMMENTS = ["", " c ", "<a>", "- x", "&", "\n"]
_FAULTS = [
    *[
        "<",
        ">",
        "&",
        "'",
        '"',
        "=",
        "/",
        "!",
        "-",
        "?",
        "[",
        "]",
        "#",
        ";",
        "<!",
        "</",
        "<a",
        "<a ",
        "<b c=",
        "<b c='",
        "/>",
    ],
    *[
        "<!--",
        "-->",
        "<?p",
        "?>",
        "<?xml?>",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE d",
        "<!DOCTYPE d [",
        "<!doctype",
        "<!E 'x'>",
    ],
    *["<a>", "</a>", "<b/>", "</zz>", "<p:q>", "<a$ c$=1>", " xml:a='1'", " xmlns='u'", " x y=", " x='>' ", " x=<>"],
    *["&nbsp;", "&#65;", "&#xD800;", "&#0;", "&#x110000;", "&#x", "&#xc;", "&#x20;", "&x", "x", " ", "\n", "\t", "\f"],
    *["\r\n", "\r", "\0", "\x01", "\x7f", "\x85", "\ufdd0", "\uffff", "\U0001fffe", "\ud800", "\udc00", "\ufeff", "Ĳ"],
]


@st.composite
def microxml_documents(draw: st.DrawFn) -> str:
    """Documents of MicroXML."""

    def choose(options: list[str]) -> str:
        return draw(st.sampled_from(options))

    def some(most: int) -> range:
        return range(draw(st.integers(0, most)))

    def space() -> str:
        return choose(["", "", *_SPACES])

    def around() -> str:
        return "".join(choose([*_SPACES, f"<!--{choose(_COMMENTS)}-->"]) for _ in some(2))

    def tag(name: str) -> str:
        parts = [name]
        for attribute in draw(st.lists(st.sampled_from(_NAMES[:-1]), max_size=3, unique=True)):
            quote = choose(["'", '"'])
            value = "".join(choose(_VALUES) for _ in some(2))
            parts.append(f"{choose(_SPACES)}{attribute}{space()}={space()}{quote}{value}{quote}")
        return "".join(parts) + space()

    def element(depth: int) -> str:
        name = choose(_NAMES)
        if draw(st.booleans()):
            return f"<{tag(name)}/>"
        content = []
        for _ in some(3):
            kinds = ["text", "text", "comment", *(["element"] * 2 if depth else [])]
            kind = choose(kinds)
            if kind == "text":
                content.append("".join(choose(_TEXTS) for _ in some(3)))
            else:
                content.append(element(depth - 1) if kind == "element" else f"<!--{choose(_COMMENTS)}-->")
        return f"<{tag(name)}>{''.join(content)}</{name}{space()}>"

    return around() + element(3) + around()


@st.composite
def near_microxml(draw: st.DrawFn) -> str:
    """Documents with a few faults, heaps of markup, and a few without any fault."""
    if draw(st.integers(0, 3)) == 0:
        return "".join(draw(st.lists(st.sampled_from(_FAULTS + _TEXTS), max_size=12)))
    text = draw(microxml_documents())
    for _ in range(draw(st.sampled_from([0, 1, 1, 2, 3, 5]))):
        place = draw(st.integers(0, len(text)))
        end = min(len(text), place + draw(st.sampled_from([0, 0, 0, 1, 5])))
        text = text[:place] + draw(st.sampled_from(["", *_FAULTS])) + text[end:]
    return text


_ALLOWED = (
    r"(?:[\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd]|(?![\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0003fffe"
    r"\U0003ffff\U0004fffe\U0004ffff\U0005fffe\U0005ffff\U0006fffe\U0006ffff\U0007fffe\U0007ffff\U0008fffe\U0008ffff"
    r"\U0009fffe\U0009ffff\U000afffe\U000affff\U000bfffe\U000bffff\U000cfffe\U000cffff\U000dfffe\U000dffff\U000efffe"
    r"\U000effff\U000ffffe\U000fffff\U0010fffe\U0010ffff])[\U00010000-\U0010ffff])*"
)
_FIRST = (
    r"A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    r"\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = rf"[{_FIRST}][{_FIRST}0-9.\-\xb7\u0300-\u036f\u203f\u2040]*"
_S = r"[\t\n ]"
_REFERENCE = "&(?:(?:amp|lt|gt|quot|apos)|#x([0-9A-Fa-f]+));"
_CONTENT = re.compile(rf"[^<>&]+|{_REFERENCE}")
_COMMENT = re.compile("<!--(?:(?!--).)*-->", re.DOTALL)
_TAG = re.compile(rf"""<({_NAME})((?:{_S}+{_NAME}{_S}*={_S}*(?:"[^"<>]*"|'[^'<>]*'))*){_S}*(/?)>""")
_ATTRIBUTE = re.compile(rf"""({_NAME}){_S}*={_S}*(?:"([^"]*)"|'([^']*)')""")
_END_TAG = re.compile(rf"</({_NAME}){_S}*>")


def _is_data(text: str) -> bool:
    position = 0
    while position < len(text):
        found = _CONTENT.match(text, position)
        if found is None:
            return False
        if found[1] is not None and not (
            int(found[1], 16) <= 0x10FFFF and int(found[1], 16) and re.fullmatch(_ALLOWED, chr(int(found[1], 16)))
        ):
            return False
        position = found.end()
    return True


def is_microxml(text: str) -> bool:
    """Whether a text is a document of MicroXML, by its grammar."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not re.fullmatch(_ALLOWED, text):
        return False
    open_names: list[str] = []
    roots = position = 0
    while position < len(text):
        sign = re.compile("<").search(text, position)
        end = sign.start() if sign else len(text)
        between = text[position:end]
        if open_names and not _is_data(between):
            return False
        if not open_names and between.strip("\t\n "):
            return False
        position = end
        if sign is None:
            break
        if comment := _COMMENT.match(text, position):
            position = comment.end()
        elif tag := _TAG.match(text, position):
            if not open_names:
                roots += 1
            attributes = _ATTRIBUTE.findall(tag[2])
            names = [name for name, *_ in attributes]
            if len(set(names)) < len(names) or "xmlns" in names:
                return False
            if not all(_is_data(one or other) for _, one, other in attributes):
                return False
            if not tag[3]:
                open_names.append(tag[1])
            position = tag.end()
        elif tag := _END_TAG.match(text, position):
            if not open_names or open_names.pop() != tag[1]:
                return False
            position = tag.end()
        else:
            return False
    return roots == 1 and not open_names
