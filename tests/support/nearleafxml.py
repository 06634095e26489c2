"""Documents that are LeafXML but for an odd thing or none."""

from hypothesis import strategies as st

__all__ = ["near_leafxml"]

NAMES = st.sampled_from(["a", "b", "p:a", "é", "e\u0301", "q:b", "xml:c", "a\u0220", ":a", "1", "xmlns"])
VALUES = st.text(st.sampled_from("xy  \t\n\r\x85\u2028&;<>\"'é\u0301}"), max_size=6) | st.sampled_from(
    ["u", "v", "&lt;", "&#10;", "&#x85;", "&#60", "&b;", "u v", "http://www.w3.org/XML/1998/namespace"]
)
ATTRIBUTES = st.builds(
    '{}{}{}="{}"'.format,
    st.sampled_from([" ", "\n", "\u2028", ""]),
    NAMES | st.sampled_from(["xmlns", "xmlns:p", "xmlns:q", "xmlns:xml", "xml:space"]),
    st.sampled_from(["", " "]),
    VALUES.map(lambda value: value.replace('"', "")),
)
CONTENT = st.text(st.sampled_from("xy \n\r\x85\u2028é\u0301\u0338\u1100\u1161>]"), max_size=5) | st.sampled_from(
    ["&lt;", "&amp;", "&#13;", "&#x301;", "&#xFFFE;", "&b;", "&", "<![CDATA[<\n]]>", "<![CDATA[]]>", "<!--c-->",
     "<?p?>", "<!-- -- -->", "<!DOCTYPE a>", "<?xml version='1.0'?>", "<", "\x01", "\ufeff", "\U0001fffe", "\U0001f600"]
)  # fmt: skip


@st.composite
def near_leafxml(draw):
    """Documents that are LeafXML but for an odd thing or none."""
    stack, pieces = [], [draw(CONTENT) if draw(st.integers(0, 9)) == 0 else ""]
    for _ in range(draw(st.integers(1, 8))):
        name = draw(NAMES) if draw(st.booleans()) else "a"
        attributes = "".join(draw(st.lists(ATTRIBUTES, max_size=3)))
        if stack and draw(st.booleans()):
            pieces.append(f"</{stack.pop()}>")
        elif stack and draw(st.booleans()):
            pieces.append(f"<{name}{attributes}/>")
        else:
            pieces.append(f"<{name}{attributes}>")
            stack.append(name)
        if stack:
            pieces.append(draw(CONTENT))
    pieces += [f"</{name}>" for name in reversed(stack)]
    return "".join(pieces)
