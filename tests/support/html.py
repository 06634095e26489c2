"""Tokens as html5lib-tests writes them, readers for its files, and ways to get tokens with the places of the errors."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.suites import SUITES
from support.xml5lib import normalise
from xml5tree.dialects.html import tokens
from xml5tree.dialects.html.codes import CODES
from xml5tree.dialects.html.recorder import Recorder, make_tokenizer
from xml5tree.dialects.html.stream import HtmlInputStream
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings

NO_SUITE = "html5lib-tests not found: set HTML5LIB_TESTS, or put it in ../shared/suites/html5lib-tests"


def find_suite() -> Path | None:
    """Return the folder with ``12.2.4`` and ``2008`` of the suite, or None; tests then skip with ``NO_SUITE``."""
    named = os.environ.get("HTML5LIB_TESTS")
    folder = Path(named) if named else SUITES / "html5lib-tests"
    return folder if folder.is_dir() else None


@dataclass(frozen=True)
class HtmlCase:
    """One run of a case of a .test file; a case that names two initial states has two runs."""

    file: str
    index: int
    description: str
    input: str
    expected: list[Any]
    initial_state: str | None
    last_start_tag: str | None
    ignore_error_order: bool

    @property
    def name(self) -> str:
        """File, index and state, which say which run it is."""
        return f"{self.file}#{self.index} {self.initial_state or ''}".strip()


def read_cases(path: Path) -> Iterator[HtmlCase]:
    """Yield the runs of one .test file."""
    for index, test in enumerate(json.loads(path.read_text(encoding="utf-8")).get("tests", [])):
        plain = unescape if test.get("doubleEscaped") else _identity
        for state in test.get("initialStates") or test.get("contentModelFlags") or [None]:
            yield HtmlCase(
                file=path.name,
                index=index,
                description=test["description"],
                input=plain(test["input"]),
                expected=normalise(_without_flag(token) for token in plain(test["output"])),
                initial_state=state,
                last_start_tag=test.get("lastStartTag"),
                ignore_error_order=test.get("ignoreErrorOrder", False),
            )


def _identity(value: Any) -> Any:
    return value


def _without_flag(token: Any) -> Any:
    """A start tag that says that it is not self-closing, as it is written when it does not say so."""
    return token[:3] if token[0] == "StartTag" and token[3:] == [False] else token


def unescape(value: Any) -> Any:
    r"""Undo the second escaping (``\uHHHH``) in every string; lone surrogates stay."""
    if isinstance(value, str):
        text = re.sub(r"\\u([0-9A-Fa-f]{4})", lambda match: chr(int(match[1], 16)), value)
        return re.sub(
            "[\ud800-\udbff][\udc00-\udfff]",
            lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"),
            text,
        )
    if isinstance(value, list):
        return [unescape(item) for item in value]
    if isinstance(value, dict):
        return {unescape(name): unescape(item) for name, item in value.items()}
    return value


def in_suite_form(token):
    """A token as the suite writes it."""
    match token:
        case tokens.StartTag(name, attributes, self_closing):
            return ["StartTag", name, attributes, True] if self_closing else ["StartTag", name, attributes]
        case tokens.EndTag(name):
            return ["EndTag", name]
        case tokens.Characters(data):
            return ["Character", data]
        case tokens.Comment(data):
            return ["Comment", data]
        case tokens.Doctype(name, public_id, system_id, force_quirks):
            return ["DOCTYPE", name, public_id, system_id, not force_quirks]


class _Journal(Recorder):
    """A recorder that takes down errors among the tokens, where they are found."""

    def __init__(self):
        super().__init__()
        self.entries = []

    def error(self, entry):
        self._end_text()
        self._flush()
        self.entries.append("ParseError")

    def characters(self, data, offset):
        for place, character in enumerate(data, offset):
            self._reporter.call_out(place)
            super().characters(character, place)

    def _flush(self):
        self.entries.extend(in_suite_form(token) for token in self.take())

    def finish(self):
        self._flush()
        return self.entries


def tokenize_in_pieces(pieces, *, revision="12.2.4", **options):
    """Tokens with "ParseError" where errors were found, and the errors, of a text that is fed in pieces."""
    journal = _Journal()
    reporter = Reporter(None, journal.error, CODES)
    stream = HtmlInputStream(draft=revision == "2008")
    tokenizer = make_tokenizer(journal, reporter, Settings.make({"dialect": "html", "revision": revision, **options}))
    journal.watch(reporter, tokenizer.place)
    *parts, last = [*pieces, ""]
    for piece, final in [*((part, False) for part in parts), (last, True)]:
        text = stream.feed(piece, final)
        tokenizer.feed(text, final=final)
        stream.report(reporter)
        tokenizer.run()
    reporter.close()
    return normalise(journal.finish()), list(reporter.log)


@dataclass(frozen=True)
class HtmlTreeCase:
    """One case of a .dat file of html5lib-tests; ``document`` is the expected tree, without ``| ``."""

    file: str
    index: int
    data: str
    fragment: str | None
    scripting: bool | None
    document: str


def read_tree_cases(path: Path) -> Iterator[HtmlTreeCase]:
    """Yield the cases of one .dat file: sections that begin with a line such as ``#data``."""
    cases: list[dict[str, list[str]]] = []
    current: list[str] = []
    for line in path.read_text("utf-8").split("\n"):
        if line == "#data":
            cases.append({})
        if re.fullmatch("#(?:data|errors|new-errors|document|document-fragment|script-on|script-off)", line):
            current = cases[-1].setdefault(line, [])
        else:
            current.append(line)
    for index, case in enumerate(cases):
        yield HtmlTreeCase(
            file=path.name,
            index=index,
            data="\n".join(case["#data"]),
            fragment="\n".join(case["#document-fragment"]) if "#document-fragment" in case else None,
            scripting=True if "#script-on" in case else False if "#script-off" in case else None,
            document="\n".join(case["#document"]).rstrip("\n"),
        )
