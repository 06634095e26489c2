"""Documents of records that look alike, as most documents are, and slips of the pen in them."""

from random import Random

from hypothesis import strategies as st

__all__ = ["broken_records", "records"]

_TEMPLATES = (
    "<item><title>{}</title><link>{}</link></item>",
    "<item>\n  <title>{}</title>\n  <empty></empty>\n  <b>{} <i>x</i> y</b>\n</item>\n",
    "<item><br/><!-- {} --><![CDATA[{}]]><q/></item>",
    '<row a="1" b="&lt;{}">{}</row>',
    "<item><item>{}</item>{}</item>",
    "<p>{}<br>{}</br></p>",
    "\n <sect>\n  <title>{}</title>\n  <sect>\n   <title>{}</title>\n  </sect>\n </sect>",
    "<i><![CDATA[ {} ]]><?go {} ?></i>",
    "<deep><deeper><deepest>{}</deepest></deeper>{}</deep>",
    "<été>{}</été><_>{}</_>",
)
_WORDS = ("", "a", "b c", "é", " ", "\n", "x &amp; y", "&#65;")
_SLIPS = ("<", ">", "/", '"', "=", " ", "<!--", "<![CDATA[", "<?", "]]>", "</item>", "</i>", "<br>", "<item>", "&", "x")


def _random_records(random: Random, most: int) -> str:
    templates = random.sample(_TEMPLATES, random.randint(1, 3))
    records = []
    for _ in range(random.randint(1, most)):
        words = random.choices(_WORDS, k=2)
        records.append(random.choice(templates).format(*words))
    return f"<feed><channel>{''.join(records)}</channel></feed>"


def _with_slips(random: Random, document: str) -> str:
    for _ in range(random.randint(1, 4)):
        start = random.randrange(len(document))
        kind = random.randrange(4)
        if kind == 0:  # characters are lost
            document = document[:start] + document[start + random.choice((1, 1, 2, 8)) :]
        elif kind == 1:  # a tag is lost
            end = document.find(">", start)
            begin = document.rfind("<", 0, end) if end >= 0 else -1
            if begin >= 0:
                document = document[:begin] + document[end + 1 :]
        elif kind == 2:  # something is put in
            document = document[:start] + random.choice(_SLIPS) + document[start:]
        else:  # a piece is doubled
            piece = document[start : start + random.choice((1, 5, 20))]
            document = document[:start] + piece + document[start:]
    return document


@st.composite
def records(draw: st.DrawFn, most: int = 24) -> str:
    """Well-formed documents of records."""
    return _random_records(Random(draw(st.integers(0, 1 << 30))), most)


@st.composite
def broken_records(draw: st.DrawFn, most: int = 24) -> str:
    """Documents of records with slips in them."""
    random = Random(draw(st.integers(0, 1 << 30)))
    return _with_slips(random, _random_records(random, most))
