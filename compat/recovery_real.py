"""Faults that are frequent in documents that others wrote, and that the other lists lack.

Everything that was meant is still there: who reads such a document needs no guess at what was lost.
"""

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from recovery_faults import Fault, Pair, instead, pieces, within

__all__ = ["REAL", "REAL_GROUPS"]

_PLACES: Final = 3
_NAME: Final = re.compile(r"</?([^\s/>]+)")
#: The elements of HTML without content, as far as the documents have them.
_VOID: Final = re.compile(r"<(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b([^<>]*?)\s*/>")
_OMISSIBLE: Final = re.compile(r"</(?:p|li|dt|dd|td|th|tr|option)>")
_SCRIPT: Final = (
    "<script>if (a &lt; b &amp;&amp; c) go(&quot;x&quot;);</script>",
    '<script>if (a < b && c) go("x");</script>',
)
_TEXT, _START, _END, _DOCUMENT = "text", "start", "end", "document"
_TAGS: Final = "Tags in real documents"
_REST: Final = "Other faults in real documents"
REAL_GROUPS: Final = (_TAGS, _REST)

_Sources = list[str]
_Kinds = list[str | None]


def _inside_root(kind: str, change: Callable[[Random, str], str | None]) -> Callable[[Random, str], Pair | None]:
    """Return an edit that changes up to three tags of a kind, but not the root's, whose name nobody could know."""

    def edit(random: Random, source: str) -> Pair | None:
        found = pieces(source)
        tags = [place for place, (piece, _) in enumerate(found) if piece in (_START, _END)]
        candidates = [place for place in tags[1:-1] if found[place][0] == kind]
        sources = [piece for _, piece in found]
        done = 0
        for place in random.sample(candidates, len(candidates)):
            changed = change(random, sources[place])
            if changed is not None and changed != sources[place]:
                sources[place] = changed
                done += 1
                if done == _PLACES:
                    break
        return (source, "".join(sources)) if done else None

    return edit


def _named(change: Callable[[Random, str], str]) -> Callable[[Random, str], str | None]:
    """Return a change of the name of a start tag that is not an empty tag."""

    def changed(random: Random, tag: str) -> str | None:
        match = _NAME.match(tag)
        assert match is not None
        return None if tag[-2] == "/" else f"<{change(random, match[1])}{tag[match.end() :]}"

    return changed


def _misspelt(random: Random, name: str) -> str:
    """Return a name of four or more letters with one of them lost or doubled, and a shorter one as it is."""
    if len(name) < 4:
        return name
    place = random.randrange(1, len(name))
    return name[:place] + name[place + 1 :] if random.random() < 0.5 else name[:place] + name[place] + name[place:]


def _runs(kinds: _Kinds, sources: _Sources) -> Iterator[list[int]]:
    """Yield the places of the end tags of three or more siblings of one name that follow each other."""
    runs: dict[int, list[int]] = {}
    names: list[str] = []
    for place, (kind, source) in enumerate(zip(kinds, sources, strict=True)):
        if kind == _START and source[-2] != "/":
            names.append(source)
        elif kind in (_START, _END):
            depth = len(names)
            run = runs.get(depth, [])
            if run and (kind == _START or sources[run[0]] != source):
                yield run
                run = []
            if kind == _END:
                names.pop()
                yield from (runs.pop(inner) for inner in list(runs) if inner > depth)
                run = [*run, place]
            runs[depth] = run
    yield from runs.values()


def _omitted(least: int, most: int) -> Callable[[Random, str], Pair | None]:
    """Return an edit that omits end tags of siblings of one name in a row, at least and at most so many."""

    def edit(random: Random, source: str) -> Pair | None:
        found = pieces(source)
        kinds, sources = [kind for kind, _ in found], [piece for _, piece in found]
        runs = [run for run in _runs(kinds, sources) if len(run) >= least]
        if not runs:
            return None
        run = random.choice(runs)
        count = random.randint(least, min(most, len(run)))
        first = random.randrange(len(run) - count + 1)
        for place in run[first : first + count]:
            sources[place] = ""
        return source, "".join(sources)

    return edit


def _cut_in_last_tags(random: Random, source: str) -> str | None:
    """Return the document up to any character of its last end tags, which no text and no start tag follows."""
    begin = end = len(source)
    for kind, piece in reversed(pieces(source)):
        if kind != _END and (kind in (_START, "cdata") or (kind == _TEXT and piece.strip() and end < len(source))):
            break
        begin -= len(piece)
        if kind == _END and end == len(source):
            end = begin + len(piece) - 1
    return source[: random.randrange(begin, end)] if begin < end else None


def _as_html(random: Random, source: str) -> Pair | None:
    """Return a page of XHTML with a script, and the same page as it is written in HTML."""
    if "<html" not in source:
        return None
    page = re.sub(r"\A<\?xml .*?\?>\s*|<!DOCTYPE[^>]*>\s*", "", source)
    meant = page.replace("</head>", f"{_SCRIPT[0]}</head>", 1)
    broken = page.replace("</head>", f"{_SCRIPT[1]}</head>", 1)
    broken = _VOID.sub(r"<\1\2>", broken)
    return meant, f"<!DOCTYPE html>\n{_OMISSIBLE.sub('', broken) if random.random() < 0.5 else broken}"


def _before(*pairs: Pair) -> Callable[[Random, str], Pair]:
    """Return an edit that puts one of these pairs after an end tag, among the children of an element."""

    def edit(random: Random, tag: str) -> Pair:
        meant, broken = random.choice(pairs)
        return meant + tag, broken + tag

    return edit


def _without_values(random: Random, tag: str) -> Pair | None:
    """Return a start tag with two attributes without values among those with values."""
    match = _NAME.match(tag)
    assert match is not None
    if re.search(r"\s(?:checked|disabled|size)\s*=", tag):
        return None
    before, after = tag[: match.end()], tag[match.end() :]
    return (
        f'{before} checked="" size="1" disabled=""{after}',
        f'{before} checked size="1" disabled{after}',
    )


_SIBLINGS: Final = (
    ('<img src="a.png"/><s>1</s>', '<img src="a.png"><s>1</s>'),
    ('<link rel="self"/><meta name="a" content="b"/>', '<link rel="self"><meta name="a" content="b">'),
)
_DECLARATIONS: Final = (
    ('<n:a xmlns:n="urn:n">1</n:a>', '<n:a xmlns:n="">1</n:a>'),
    ('<n:a xmlns:n="urn:n">1</n:a>', "<n:a xmlns:n=urn:n>1</n:a>"),
    ('<n:a xmlns:n="urn:n">1</n:a>', '<n:a xmlns:n="urn:n" xmlns:n="urn:n">1</n:a>'),
    ("<a>1</a>", '<a xmlns:xmlns="urn:n">1</a>'),
    ("<a>1</a>", '<a xmlns:xml="urn:n">1</a>'),
)

REAL: Final = (
    Fault("end tags missing in a row", _TAGS, _DOCUMENT, _omitted(2, 9)),
    Fault("start tag misspelt", _TAGS, _DOCUMENT, _inside_root(_START, _named(_misspelt))),
    Fault(
        "start tag in the wrong case",
        _TAGS,
        _DOCUMENT,
        _inside_root(_START, _named(lambda random, name: name.swapcase())),
    ),
    Fault(
        "start tag with `/`",
        _TAGS,
        _DOCUMENT,
        _inside_root(_START, lambda random, tag: None if tag[-2] == "/" else f"{tag[:-1]}/>"),
    ),
    Fault("end tag with two `/`", _TAGS, _END, lambda random, tag: (tag, f"{tag[:-1]}/>")),
    Fault("void elements among siblings", _TAGS, _END, _before(*_SIBLINGS)),
    Fault("attributes without values", _REST, _START, _without_values),
    Fault("wrong declaration of a namespace", _REST, _TEXT, within(*_DECLARATIONS)),
    Fault("cut off in the last tags", _REST, _DOCUMENT, instead(_cut_in_last_tags)),
    Fault("page written as HTML", _REST, _DOCUMENT, _as_html),
)
