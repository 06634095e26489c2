"""What an author meant, as a test says it: random edits of a document, and how the stages are made to take them."""

import math
from contextlib import contextmanager
from typing import NamedTuple
from unittest.mock import patch

from hypothesis import strategies as st

from xml5tree.dialects import make_settings
from xml5tree.dialects.xml5 import editing
from xml5tree.intent.assumption import Assumption, SourceEdit
from xml5tree.intent.knowledge import Knowledge

#: What edits put into a document.
INSTEADS = [
    *[
        "",
        "",
        "",
        "</a>",
        "</b>",
        "<b>",
        "<a x='1'>",
        "<a/>",
        "</item>",
        '"',
        ">",
        "&lt;",
        "/",
        "é",
        "b",
        "日本",
        "-->",
    ],
    *["x", "\n", "\n\n</a>", "]]>", "<![CDATA[", "<", "&", "<b y=1>", "</a></b>", " z='2'"],
]
CODES = ["assumed-end-tag", "assumed-end-before", "assumed-start-tag", "assumed-text", "assumed-twice"]


class Given:
    """A `Meaning` with these edits, settled `lag` characters behind the front, `step` characters at a time."""

    knowledge = Knowledge({})
    doubt = math.inf

    def __init__(self, edits, lag=0, step=1):
        self.settled = 0
        self._edits = list(edits)
        self._lag = lag
        self._step = step
        self._front = 0

    def feed(self, text, utf8, *, final):
        self._front += len(text)
        self.settled = self._front if final else max(self._front - self._lag, 0) // self._step * self._step
        count = 0
        while count < len(self._edits) and (final or self._edits[count].end < self.settled):
            count += 1
        if not final and self._edits[count:]:  # an edit is known as a whole
            self.settled = min(self.settled, self._edits[count].begin)
        found, self._edits = self._edits[:count], self._edits[count:]
        return found


@contextmanager
def meaning(edits, lag=0, step=1):
    """Have ``recovery="intent"`` make these edits, and the draft read the result."""
    with (
        patch.object(editing, "make_meaning", lambda settings: Given(edits, lag, step)),
        patch.object(editing, "edits_of_whole", lambda *_: None),
    ):
        yield


def characters(document, **options):
    """The characters of a document as the stages read it, and how many of them are the XML declaration."""
    stream = make_settings({"recovery": "draft", **options})
    stream = stream[0].make_stream(stream[1])
    text = stream.feed(document) + stream.feed(stream.end_of_file(), final=True)
    return text, 0 if stream.declaration is None else stream.declaration.end


def assumption(begin, code="assumed-end-tag", effect=None, **more):
    return Assumption(code, begin, f"assumed at {begin}", effect, **more)


@st.composite
def edits_of(draw, text, start=0, insteads=INSTEADS, codes=CODES):
    """Random edits of a text, none before an offset."""
    places = sorted(draw(st.lists(st.integers(start, len(text)), max_size=8, unique=True)))
    edits = []
    done = start - 1
    for place in places:
        # Edits begin and end at markup more often than not.
        if draw(st.booleans()):
            place = max(text.find("<", place), place)
        if place <= done:
            continue
        end = min(place + draw(st.sampled_from([0, 0, 0, 1, 2, 5, 30])), len(text))
        if draw(st.booleans()):
            end = max(text.find(">", place, end) + 1, place)
        instead = draw(st.sampled_from(insteads))
        if instead == text[place:end]:
            continue
        edits.append(SourceEdit(place, end, instead, (assumption(place, draw(st.sampled_from(codes))),)))
        done = end
    return edits


class Edited(NamedTuple):
    text: str
    places: list[int]  # where each of its characters, and its end, is in the source


def edited(text, edits):
    """A text with edits applied, and where the characters of the result are in it: the plain way."""
    pieces, places, done = [], [], 0
    for edit in edits:
        begin, end, instead = edit.begin, edit.end, edit.instead
        while begin < end and instead[:1] == text[begin]:
            begin, instead = begin + 1, instead[1:]
        while begin < end and instead[-1:] == text[end - 1]:
            end, instead = end - 1, instead[:-1]
        pieces += [text[done:begin], instead]
        places += [*range(done, begin), *[begin] * len(instead)]
        done = end
    return Edited("".join([*pieces, text[done:]]), [*places, *range(done, len(text) + 1)])
