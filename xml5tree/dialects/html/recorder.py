"""Records tokens as objects, for `xml5tree.tokenize`."""

from collections.abc import Iterable, Iterator

from xml5tree.dialects.base import recorded
from xml5tree.dialects.html.codes import CODES
from xml5tree.dialects.html.stream import HtmlInputStream
from xml5tree.dialects.html.tokenizing import make_tokenizer
from xml5tree.dialects.html.tokens import Characters, Comment, Doctype, EndTag, StartTag, Token
from xml5tree.errors.entry import ErrorEntry
from xml5tree.machine.recorder import TokenRecorder
from xml5tree.options import Settings

__all__ = ["Recorder", "tokenize"]


class Recorder(TokenRecorder[Token]):
    """Collects the tokens; start tags have no content models."""

    text_token = Characters

    def start_tag(self, name: str, attributes: dict[str, str], self_closing: bool, offset: int) -> str | None:
        self._add(StartTag(name, attributes, self_closing))
        return None

    def end_tag(self, name: str, offset: int) -> None:
        self._add(EndTag(name))

    def comment(self, data: str, offset: int) -> None:
        self._add(Comment(data))

    def doctype(
        self, name: str | None, public_id: str | None, system_id: str | None, force_quirks: bool, offset: int
    ) -> None:
        self._add(Doctype(name, public_id, system_id, force_quirks))

    def current_node_is_foreign(self) -> bool:
        return False


def tokenize(parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool) -> Iterator[Token | ErrorEntry]:
    recorder = Recorder()
    reporter = settings.make_reporter(CODES, on_error=recorder.note_error if with_errors else None)
    stream = HtmlInputStream(encoding=settings.encoding, draft=settings.revision == "2008")
    tokenizer = make_tokenizer(recorder, reporter, settings)
    return recorded(parts, stream, tokenizer, tokenizer, recorder, reporter)
