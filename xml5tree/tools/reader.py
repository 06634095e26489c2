"""Reads tool calls in a format."""

# Text is neither normalised nor are forbidden characters replaced: arguments are exactly as written.

from collections.abc import Iterable, Iterator
from typing import Final, Unpack

from xml5tree.tools.calls import Call, Event, Output
from xml5tree.tools.callstate import Options
from xml5tree.tools.formats import FORMATS, Format
from xml5tree.tools.grammar import grammar_of
from xml5tree.tools.scanning import Scanner
from xml5tree.tools.schemas import Tools, read_tools

_new_event: Final = tuple.__new__
#: Characters of the name of the element with the reasoning: patterns have all its beginnings.
_LONGEST_NAME: Final = 64


def _with_others(format: Format) -> Iterator[Format]:
    """Yield `format`, and the formats of what may stand in the element around its calls: JSON, or tags for JSON."""
    yield format
    around = (format.call,) if format.key else format.around if len(format.around) == 1 else ()
    yield from [Format(name, is_json=True, delimiters=format.delimiters) for name in around]
    if "tool_call" in (format.call, *around):
        yield FORMATS["qwen3-coder"]


class CallReader(Scanner):
    """A reader of tool calls that is fed text as it comes.

    Each method returns the events that have become certain. Text of an argument, not yet converted, is held back only
    from a tag on that may end it.
    """

    def __init__(self, format: str | Format, tools: Tools | None = None, **options: Unpack[Options]) -> None:
        """Set the format.

        Args:
            format: the name of a format, a `Format`, or ``"auto"`` for a model that mixes formats.
            tools: names of tools with their argument names or JSON schemas, or a list of definitions; needed where tags
                are names of tools.
            fenced: True if calls in fenced code count.
            thinking: the element with the reasoning, such as ``"think"``, up to 64 characters. Without its first start
                tag, text is held back until a tag of it comes. None: reasoning is text.
            thinking_calls: True if calls in reasoning count.
            repair_json: True if invalid JSON is repaired, with the library json-repair.

        Raises what is usual for arguments: `ValueError` for an unknown format, one that needs `tools`, or a name that
        cannot be a tag, and `TypeError` for other `tools`.
        """
        if not isinstance(format, str | Format):
            raise TypeError(f"format must be a name or a Format, not {type(format).__name__}")
        if isinstance(format, str) and format not in FORMATS and format != "auto":
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, 'auto', or a Format, not {format!r}")
        known = read_tools(tools)
        is_any = format == "auto"
        if isinstance(format, Format):
            formats = [format]
        elif is_any:
            formats = [one for one in dict.fromkeys(FORMATS.values()) if one.call]
        else:
            formats = list(_with_others(FORMATS[format]))
        grammars = [grammar_of(one, known) for one in dict.fromkeys(formats)]
        if unknown := options.keys() - Options.__annotations__.keys():
            raise TypeError(f"unknown option {min(unknown)!r}; the options are {', '.join(Options.__annotations__)}")
        if len(options.get("thinking") or "") > _LONGEST_NAME:
            raise ValueError(f"thinking must be a name of at most {_LONGEST_NAME} characters")
        super().__init__(grammars, options, is_any=is_any)
        self._is_plain = False  # whether text without tags and line breaks at its end is the current argument's

    def feed(self, text: str) -> list[Event]:
        """Read `text`; raise `ValueError` after `close`."""
        if not isinstance(text, str):
            raise TypeError(f"str expected, not {type(text).__name__}")
        # Most pieces are a few characters in the middle of an argument.
        if self._is_plain and text and text[-1] not in "<\r\n" and self._value_end.may_matter.search(text) is None:
            self._pieces.append(text)
            self._passed += len(text)
            self._value.append(text)
            return [_new_event(Event, ("argument", self._snapshot, self._key, text))]
        if self._final:
            raise ValueError("feed() called after close()")
        events = super().feed(text) if text else []
        is_value = self._state == self._in_value and not (self._is_at_start or self._is_key)
        self._is_plain = is_value and self._at == len(self._text)
        return events

    def close(self) -> list[Event]:
        """End the text. Calls that have not ended are not complete."""
        self._is_plain = False
        return [] if self._final else super().close()


def read(
    source: str | Iterable[str], format: str | Format, tools: Tools | None = None, **options: Unpack[Options]
) -> Output:
    """Return the tool calls in the output of a model, and the text around them.

    Args:
        source: the text, or an iterable of its chunks.
        format, tools: as for `CallReader`.
        **options: those of `CallReader`.

    Raises what `CallReader` raises.
    """
    if isinstance(source, bytes | bytearray | memoryview):  # an iterable of numbers
        raise TypeError(f"str expected, not {type(source).__name__}")
    reader = CallReader(format, tools, **options)
    parts: list[Call | list[str]] = []
    reasoning: list[str] = []
    place = 0  # of the current call
    for event in _events(reader, (source,) if isinstance(source, str) else source):
        if event.kind == "text":
            if not parts or isinstance(last := parts[-1], Call):
                parts.append(last := [])
            last.append(event.text)
        elif event.kind == "thinking":
            reasoning.append(event.text)
        elif event.kind == "call" and event.call is not None:
            place = len(parts)
            parts.append(event.call)
        elif event.kind == "end" and event.call is not None:
            parts[place] = event.call
    texts = [part if isinstance(part, Call) else "".join(part) for part in parts]
    return Output(tuple(texts), "".join(reasoning))


def _events(reader: CallReader, pieces: Iterable[str]) -> Iterator[Event]:
    for piece in pieces:
        yield from reader.feed(piece)
    yield from reader.close()
