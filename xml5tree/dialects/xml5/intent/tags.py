"""Where a broken tag begins and ends (R-012 to R-015, R-030, R-038 to R-040, R-044).

Each function gets a `TagSource`, and returns a rewrite for the draft's states to read; None: they read the source as it
stands.
"""

import re
from typing import Final

from xml5tree.dialects.xml5.intent.constants import MOST_BEFORE_END, MOST_LEVELS
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.repairs import (
    UNFINISHED_TAG,
    Assumption,
    Edit,
    Rewrite,
    as_declaration,
    edited,
    shown,
)
from xml5tree.dialects.xml5.intent.values import CLOSING_QUOTES, SEPARATOR, ValueReader
from xml5tree.dialects.xml5.intent.window import EMPTY_TAG, START_TAG, Window
from xml5tree.dialects.xml5.lexis import (
    AFTER_NAME,
    HTML_BOOLEAN,
    HTML_VOID,
    NAME,
    NAME_START,
    NOT_A_NAME,
    NUMBER,
    SPACES,
    WHITE_SPACE,
)
from xml5tree.errors.codes import MOVED
from xml5tree.xml.nearness import is_near

__all__ = ["CLEAN_TAG", "TagSource", "read_end_tag", "read_start_tag"]

_ATTRIBUTES: Final = (
    r"""(?:[\t\n ]++[^\t\n =/><"'&,;]++[\t\n ]*+=[\t\n ]*+(?:"[^"<]*+"|'[^'<]*+'))*+"""  # of tags without a fault
)
#: A tag without faults, after its "<" (R-012): no rule of this module is asked about it. Its name is no address
#
CLEAN_TAG: Final = re.compile(
    rf"""(?:{NAME_START}[^\t\n />"'<=@;]*+(?<!:){_ATTRIBUTES}[\t\n ]*+/?|/{NAME}[\t\n ]*+)>"""
)
_SPACED_TAG: Final = re.compile(rf"[\t\n ]++(?P<name>{NAME}){_ATTRIBUTES}[\t\n ]*+(?P<solidus>/?)>")
#: An end tag with white space before its "/" (R-015).
_SPACED_END_TAG: Final = re.compile(rf"[\t\n ]++/[\t\n ]*+(?P<name>{NAME})[\t\n ]*+>")
_NAME_START: Final = re.compile(NAME_START)
#: A tag with a number for its name, and nothing else (R-012).
_NUMBERED_TAG: Final = re.compile(rf"(?P<name>{NUMBER})[\t\n ]*+(?P<solidus>/?)>")
_BACKSLASHED: Final = re.compile(r"\\(?P<name>[^\t\n />]++)[\t\n ]*+>")
#: What may stand beside words in an end tag without being one.
_AROUND_WORDS: Final = WHITE_SPACE + "/"
_TAG_NAME: Final = re.compile(r"[^\t\n /><]*+")
#: What follows the part of a tag's name before a "<", if that is in the name.
_REST_OF_NAME: Final = re.compile(r"<(?!/)([^\t\n /><=\"'&]*+)(?=[\t\n />])")
#: A tag that is the first on its line, after a tag that lacks its end.
_ON_NEXT_LINE: Final = re.compile(rf"[\t\n ]*\n(?P<indent>[\t ]*+)(?P<end><(?:/{NAME})?)")
_ATTRIBUTE_NAME: Final = re.compile(r"[^\t\n =/><]++")
#: The attribute for a value without a name (R-038), the default of known element names.
_VALUE_NAME: Final = "name"
#: An attribute with a value in quotes, but without "=" (R-039).
_WITHOUT_EQUALS: Final = re.compile(
    r"""(?P<name>[^\t\n =/><"':]++(?::[^\t\n =/><"':]++)?+)"""  # with a prefix, if any
    r"""(?:(?P<colon>:)|[\t\n ]*+)(?P<value>"[^"<>]*+"|'[^'<>]*+')(?=[\t\n />])"""
)
#: The "=" of an attribute, written several times (R-044); not any number of times, as this is tried at each "=".
_MANY_EQUALS: Final = re.compile(r"""=(?:[\t\n ]*+=){1,3}+(?=[\t\n ]*+["'])""")
_BRACKET: Final = re.compile("[<>]")
#: The name after a "<" that is text, and what only a tag has before its ">".
_NAME_OF_TEXT: Final = re.compile(r"""/?([^\t\n "'/=]++)""")
_END_OF_TEXT_TAG: Final = re.compile("=[\t\n ]*+[\"']|/$")
#: The rest of a start tag, which is no empty tag.
_REST_OF_START_TAG: Final = re.compile("[^<>]*+(?<!/)>")
#: Attributes that are not doubted. No quote follows before the next one (R-042).
_PLAIN_ATTRIBUTES: Final = re.compile(
    r"""(?:[\t\n ]*+(?![,;])[^\t\n =/><]++[\t\n ]*+=[\t\n ]*+"""
    r"""(?:"[^"<>]*+"|'[^'<>]*+')(?=[\t\n />])(?![^"'=<>]*+["']))*+"""
)

#: With this many words that cannot be names of attributes, a seeming tag is the code of a program (R-014).
_MANY_STRANGE: Final = 3
#: The beginnings of a name that may be the intended name (R-013): they are shorter than this, and this many are tried.
_LONGEST_PREFIX: Final = 64
_MOST_PREFIXES: Final = 2


class TagSource:
    """The text that a tag is in.

    `start` is the index after the "<". The window ends at the index `stop`; with `at_end`, so does the document.
    """

    def __init__(self, text: str, start: int, reach: int, offset: int, at_end: bool, policy: Intent) -> None:
        """Begin; the window has `reach` characters, `offset` is the offset of `start` in the document.

        `at_end`: the document ends with the text.
        """
        self.text = text
        self.start = start
        self.offset = offset
        self.stop = min(start + reach, len(text))
        self.at_end = at_end and self.stop == len(text)
        self.policy = policy

    def window(self, start: int) -> Window:
        return self.policy.ahead.window(self.text, start, self.stop, self.at_end, self.offset + start - self.start)

    def name_or_text(self, ends: dict[str, int]) -> str:
        """Return the name of the tag that the "<" begins; "" if the "<" is text.

        `ends` has the index of the tag's end for each name that it may have, the likeliest first.
        """
        next_bracket = self.text.find("<", max(ends.values()), self.stop)
        end_of_text = next_bracket if next_bracket >= 0 else self.stop
        names = {name: bool(self.text[end:end_of_text].strip(WHITE_SPACE)) for name, end in ends.items()}
        return self.policy.name_or_text(names, self.window(end_of_text))

    def as_text(self) -> Rewrite:
        """Return the rewrite of the "<" as text, which moves content if it seems to begin a tag."""
        bracket = _BRACKET.search(self.text, self.start, self.stop)
        inside = self.text[self.start : self.stop if bracket is None else bracket.start()]
        name = _NAME_OF_TEXT.match(inside)
        is_tag = (name is not None and self.policy.knows(name[1])) or (
            bracket is not None and bracket[0] == ">" and _END_OF_TEXT_TAG.search(inside) is not None
        )
        sentence = "'<' was taken for text"
        assumption = Assumption("assumed-text", sentence, effect=MOVED if is_tag else None)
        return Rewrite([assumption], [], self.start, is_text=True)


def read_start_tag(source: TagSource) -> Rewrite | None:
    """Return the rewrite of a faulty start tag."""
    text, start, policy = source.text, source.start, source.policy
    if not policy.has_root and policy.is_on("declaration"):
        declaration = as_declaration(text, start, source.stop)
        if declaration:
            return declaration
    first = text[start : start + 1]
    if first in {"\t", "\n", " "}:
        return _read_spaced_tag(source)
    if not first or first in ":<>":
        return None
    if not _NAME_START.match(first):
        backslashed = _BACKSLASHED.match(text, start, source.stop)
        if backslashed and policy.is_open(backslashed["name"]) and policy.is_on("endspace"):
            return _as_end_tag(text, start, backslashed.start("name"), backslashed.end())
        if not policy.is_on("digit") or _is_numbered_tag(source):
            return None
        return source.as_text() if policy.has_root or _begins_tag(source) else None
    return _StartTagReader(source).read()


def _is_numbered_tag(source: TagSource) -> bool:
    """Return whether a tag with a number for its name is here, and is one (R-012).

    Its end tag shows that, or a neighbour that is such a tag.
    """
    found = _NUMBERED_TAG.match(source.text, source.start, source.stop)
    if found is None:
        return False
    policy, window = source.policy, source.window(found.end())
    if policy.has_end_tag(found["name"], window) or policy.last_child[:1].isdecimal():
        return True
    following = window.first_of(START_TAG, EMPTY_TAG) if found["solidus"] and policy.has_open else None
    policy.spend(window.cost)
    return following is not None and following[1][:1].isdecimal()


def _begins_tag(source: TagSource) -> bool:
    """Return whether a start tag or empty tag follows, so that there is a root element without this one (R-012)."""
    window = source.window(source.start)
    found = any(kind in {START_TAG, EMPTY_TAG} for kind, _ in window)
    source.policy.spend(window.cost)
    return found


def _read_spaced_tag(source: TagSource) -> Rewrite | None:
    """Return the rewrite of a tag that is correct but for white space after its "<" (R-012, R-015)."""
    policy = source.policy
    end_tag = _SPACED_END_TAG.match(source.text, source.start, source.stop)
    if end_tag and policy.is_open(end_tag["name"]) and policy.is_on("endspace"):
        return _as_end_tag(source.text, source.start, end_tag.start("name"), end_tag.end())
    found = _SPACED_TAG.match(source.text, source.start, source.stop)
    if not found or not policy.is_on("startspace"):
        return None
    name = found["name"]
    if policy.has_open:
        if found["solidus"] or not source.name_or_text({name: found.end()}):
            return None
    elif policy.has_root or not policy.has_end_tag(name, source.window(found.end())):  # it may be the root's
        return None
    begin = found.start("name")
    assumption = Assumption("assumed-text", f"the space in the tag '< {name}>' was dropped")
    return Rewrite([assumption], [(source.text[begin : found.end()], begin)], found.end())


def _without_bracket(source: TagSource, name: str, position: int) -> str:
    """Return the name of a tag without the "<" in it (R-013); "" if there is none.

    `name` is what precedes the "<" at a position.
    """
    text, policy = source.text, source.policy
    rest = _REST_OF_NAME.match(text, position, source.stop)
    if rest is None or not policy.has_open or not policy.is_on("gt"):
        return ""
    joined, window = name + rest[1], source.window(rest.end())
    if not rest[1]:
        return joined if joined in policy.learned.names else ""

    def may_be_tag(name: str) -> bool:
        return name in policy.learned.names or policy.has_end_tag(name, window)

    return joined if may_be_tag(joined) and not (may_be_tag(name) or may_be_tag(rest[1])) else ""


def _bracket_dropped(text: str, start: int, tag: str) -> Assumption:
    end = start + len(tag) + 1
    return Assumption("assumed-text", f"the '<' in the tag '<{shown(text[start:end])}>' was dropped")


def _may_be_name(name: str) -> bool:
    return _NAME_START.match(name) is not None and not NOT_A_NAME.search(name)


def _prefixes(name: str) -> list[str]:
    """Return the beginnings of a name that may be the intended name, the longest first."""
    return [name[:length] for length in range(min(len(name), _LONGEST_PREFIX) - 1, 0, -1)]


class _StartTagReader:
    """Reads a start tag as the draft does, and finds where it stops being one."""

    def __init__(self, source: TagSource) -> None:
        self._source = source
        self._text = source.text
        self._stop = source.stop
        self._edits: list[Edit] = []
        self._assumptions: list[Assumption] = []
        self._last_value = -1  # the index after the last attribute with a value; -1: there is none
        # The index after the last part of the tag that is complete, in case the document ends in the tag; -1: not even
        # the name is complete.
        self._whole = -1
        self._has_words = False  # whether there are words: attributes without a value, except those of HTML
        self._strange = 0  # the number of words that cannot be names of attributes
        self._has_separators = False  # whether attributes were separated by commas or semicolons
        self._may_be_text = False  # whether the tag may be text though it has a value
        self._values = ValueReader(source.text, source.stop, source.at_end, source.policy)
        self._bracket = -1  # the index of the last bracket that `_ends_before_tag` has found

    def read(self) -> Rewrite | None:
        text, stop = self._text, self._stop
        found = _TAG_NAME.match(text, self._source.start, stop)
        assert found is not None  # it matches the empty string
        name, position = found[0], found.end()
        if joined := _without_bracket(self._source, name, position):
            self._edits.append(Edit(position, 1, ""))
            self._assumptions.append(_bracket_dropped(text, self._source.start, joined))
            position += 1 + len(joined) - len(name)
            name = joined
        elif "=" in name:
            name, position = self._split(name)
        else:
            position = self._value_after(name, position)
        while position > 0:
            plain = _PLAIN_ATTRIBUTES.match(text, position, stop)
            if plain and plain.end() > position:
                self._last_value = self._whole = position = plain.end()
            after_value = position == self._last_value
            position = SPACES.match(text, position, stop).end()  # type: ignore[union-attr]
            if position >= stop:
                return self._at_end(name)
            self._whole = position
            if after_value and self._drop_separator(position):
                position += 1
                continue
            c = text[position]
            if c in "<>" and self._last_value >= 0 and self._is_code(name):
                return self._source.as_text()
            if c == ">":
                return self._complete(name, position + 1)
            if c == "<":
                return self._at_bracket(name)
            if c == "/":
                self._whole = position = position + 1
                continue
            position = self._attribute(name, position + (c == "="))
        return self._at_end(name) if position < 0 else None

    def _split(self, written: str) -> tuple[str, int]:
        """Split what is written as a name, but has a "=", into the tag's name and an attribute (R-038).

        Return the name of the tag, and the index where reading goes on, as `_attribute` does.
        """
        source = self._source
        start, equals = source.start, source.start + written.index("=")
        name = self._text[start:equals]
        if not name or not source.policy.is_on("runon"):
            return written, start + len(written)
        if self._is_attested(name):
            return name, self._unnamed_value(name, equals)
        end = self._end_of_name(name, equals) if self._text[equals + 1 : equals + 2] in {'"', "'"} else 0
        if not end:
            return written, start + len(written)
        name, attribute = self._text[start:end], self._text[end:equals]
        self._assume(Edit(end, 0, " "), f"'<{name}{attribute}=' was read as '<{name} {attribute}='")
        return name, end

    def _is_attested(self, name: str) -> bool:
        """Return whether a name is known or has an end tag ahead."""
        policy = self._source.policy
        return name in policy.learned.names or policy.has_end_tag(name, self._source.window(self._source.start))

    def _end_of_name(self, written: str, equals: int) -> int:
        """Return the index after the tag's name if that is a beginning of what is written before the "=", else 0.

        The rest of that is the name of an attribute (R-038).
        """
        source, policy = self._source, self._source.policy
        prefixes = _prefixes(written)
        ended = policy.end_tags.of_names(prefixes, source.window(source.start))
        possible = [prefix for prefix in prefixes if prefix in policy.learned.names or prefix in ended]
        names = [prefix for prefix in possible if _may_be_name(written[len(prefix) :])]
        if len(names) < 2:
            return source.start + len(names[0]) if names else 0
        nested = self._nested_end(equals)
        return source.start + len(max(names, key=lambda name: (name == nested, policy.is_known_child(name))))

    def _nested_end(self, position: int) -> str:
        """Return the name of the nested end tag of a start tag from an index in it; "" if none is found."""
        rest = _REST_OF_START_TAG.match(self._text, position, self._stop)
        if rest is None:
            return ""
        window = self._source.window(rest.end())
        name = window.end_of_element("", MOST_BEFORE_END)
        self._source.policy.spend(window.cost)
        return name

    def _value_after(self, name: str, position: int) -> int:
        """R-038: as `_split`, where white space is between the name of the tag, which ends at an index, and the "="."""
        equals = SPACES.match(self._text, position, self._stop).end()  # type: ignore[union-attr]
        is_value = equals < self._stop and self._text[equals] == "=" and self._source.policy.is_on("runon")
        return self._unnamed_value(name, equals) if is_value and self._is_attested(name) else position

    def _unnamed_value(self, name: str, equals: int) -> int:
        """Read the value of an attribute without a name (R-038); return the index as `_attribute`."""
        self._assume(Edit(equals, 0, f" {_VALUE_NAME}"), f"'<{name}=' was read as '<{name} {_VALUE_NAME}='")
        self._may_be_text = True
        return self._attribute_value(name, equals)

    def _assume(self, edit: Edit, sentence: str) -> None:
        """Assume an attribute where none is written."""
        self._edits.append(edit)
        self._assumptions.append(Assumption("assumed-attribute", sentence))

    def _drop_separator(self, position: int) -> bool:
        """Drop the character at an index, after a value, if it separates attributes (R-044); return whether it does."""
        text = self._text
        if not SEPARATOR.match(text, position, self._stop) or text[self._last_value - 1] not in CLOSING_QUOTES:
            return False
        if not self._source.policy.is_on("surplus"):
            return False
        needs_space = text[position - 1] not in WHITE_SPACE and text[position + 1] not in AFTER_NAME
        self._edits.append(Edit(position, 1, " " if needs_space else ""))
        if not self._has_separators:
            sentence = f"{text[position]!r} after an attribute was dropped"
            self._assumptions.append(Assumption("assumed-attribute", sentence))
        self._has_separators = True
        return True

    def _attribute(self, name: str, position: int) -> int:
        """Read an attribute; return the index after it, 0 if it is beyond the window, -1 if the document ends in it."""
        text, stop = self._text, self._stop
        equals = self._missing_equals(position)
        if equals is not None:
            return self._attribute_value(name, equals)
        attribute = _ATTRIBUTE_NAME.match(text, position, stop)
        position = attribute.end() if attribute else position
        after = SPACES.match(text, position, stop).end()  # type: ignore[union-attr]
        if after < stop and text[after] == "=":
            return self._attribute_value(name, after)
        is_boolean = attribute is not None and attribute[0].lower() in HTML_BOOLEAN
        self._has_words = self._has_words or not (is_boolean and name.lower() in HTML_VOID)
        self._strange += attribute is not None and not _may_be_name(attribute[0])
        return position

    def _missing_equals(self, position: int) -> int | None:
        """Return the index before an attribute's value if its "=" is missing or ":", else None (R-039)."""
        found = _WITHOUT_EQUALS.match(self._text, position, self._stop)
        if found is None or not self._source.policy.is_on("equals") or not _may_be_name(found["name"]):
            return None
        end_of_name, value = found.end("name"), found.start("value")
        # Without the ":", it may be text in which something is quoted.
        if not found["colon"] and (self._has_words or not self._ends_before_tag(found.end())):
            return None
        edit = Edit(end_of_name, value - end_of_name, "=")
        self._assume(edit, f"{shown(found[0])} was taken for an attribute that lacks its '='")
        self._may_be_text = self._may_be_text or not found["colon"]
        return value - 1

    def _ends_before_tag(self, position: int) -> bool:
        """Return whether a ">" comes after an index before any "<"; for many indices, in linear time."""
        if position > self._bracket:
            found = _BRACKET.search(self._text, position, self._stop)
            self._bracket = self._stop if found is None else found.start()
        return self._text[self._bracket : self._bracket + 1] == ">" and self._bracket < self._stop

    def _attribute_value(self, name: str, equals: int) -> int:
        """Read an attribute from its "=" on; return the index as `_attribute`."""
        start = equals + 1
        several = _MANY_EQUALS.match(self._text, equals, self._stop)
        if several and self._source.policy.is_on("surplus"):
            self._assume(Edit(start, several.end() - start, ""), f"{shown(several[0])!r} was taken for '='")
            start = several.end()
        end = self._value(name, SPACES.match(self._text, start, self._stop).end())  # type: ignore[union-attr]
        if end > 0:
            self._last_value = self._whole = end
        return end

    def _value(self, name: str, start: int) -> int:
        """Read an attribute's value; return the index as `_attribute`."""
        end, edits, assumption = self._values.read(start, name)
        if assumption is not None:
            self._edits += edits
            self._assumptions.append(assumption)
        return end

    def _is_code(self, name: str) -> bool:
        """Return whether the source is rather the code of a program than a tag, though it has a value (R-014)."""
        policy = self._source.policy
        return (
            (";" in name or self._strange >= _MANY_STRANGE)
            and policy.has_open
            and name not in policy.learned.names
            and policy.is_on("words")
        )

    def _complete(self, name: str, end: int) -> Rewrite | None:
        """Return the rewrite of a tag that has its ">" (R-014); None: the draft's."""
        source = self._source
        if self._is_doubted(name, end) and not (source.policy.has_open and source.name_or_text({name: end})):
            return source.as_text()
        return self._with_edits(end) if self._assumptions else None

    def _is_doubted(self, name: str, end: int) -> bool:
        """Return whether a tag that ends at an index may be text (R-014)."""
        policy = self._source.policy
        if self._may_be_text:
            return policy.has_open and self._text[end - 2] != "/"
        is_address = "@" in name
        if self._last_value >= 0 or not (self._has_words or is_address) or name in policy.learned.names:
            return False
        if not (policy.has_open or (is_address and policy.has_many_roots)) or not policy.is_on("words"):
            return False
        if self._strange:
            return True
        if is_address:
            return not policy.has_end_tag(name, self._source.window(end))
        if self._text[end - 2] == "/" and _may_be_name(name):  # the tag ends in "/>"
            return False
        policy.spend(self._stop - end)
        escaped = re.escape(name)
        # A tag that shows elements of the name: an end tag, or a tag without attributes or with a value.
        tag = re.compile(rf"""</{escaped}[\t\n />]|<{escaped}(?:[\t\n ]*+/?>|[\t\n ][^<>]*=[\t\n ]*+["'])""")
        return tag.search(self._text, end, self._stop) is None

    def _with_edits(self, end: int) -> Rewrite:
        return Rewrite(self._assumptions, edited(self._text, self._source.start, end, self._edits), end)

    def _at_bracket(self, name: str) -> Rewrite | None:
        """Return the rewrite of a tag that meets a "<" before its ">" (R-013)."""
        source, text = self._source, self._text
        if not source.policy.is_on("gt"):
            return None
        if self._last_value >= 0:
            end = self._last_value
            if self._may_be_text and source.policy.has_open and not source.name_or_text({name: end}):
                return source.as_text()
            after = SPACES.match(text, end).end()  # type: ignore[union-attr]
            if text[after : after + 1] == "/":
                end = after + 1
            closing = ">"
            if text[end - 1] != "/" and self._seems_empty(name, end):
                closing = "/>"
            sentence = f"<{name}{closing} was taken to end after its last attribute"
            # The space keeps the "/" from being read as a part of a value without quotes.
            closing = closing if text[end - 1] in "\"'" else f" {closing}"
            return self._closed_at(end, Assumption("assumed-end-of-tag", sentence), closing)
        if not source.policy.has_open:
            return self._root_at_bracket(name)
        candidates = self._candidates(name)
        chosen = source.name_or_text(candidates) if candidates else ""
        closing = ">"
        if chosen:
            end = candidates[chosen]
        elif self._has_words or not _may_be_name(name) or not source.policy.has_elements_only:
            return source.as_text()
        else:
            chosen, end = name, source.start + len(name)
            closing = "/>" if source.policy.seems_empty(name, source.window(end)) else ">"
        sentence = f"<{chosen}{closing} was taken to end here"
        return self._closed_at(end, Assumption("assumed-end-of-tag", sentence), closing)

    def _root_at_bracket(self, name: str) -> Rewrite | None:
        """Return the rewrite of the root's start tag, without values, that meets a "<" (R-013)."""
        source, policy = self._source, self._source.policy
        end = source.start + len(name)
        if self._has_words or policy.has_root or not policy.has_end_tag(name, source.window(end)):
            return None
        return self._closed_at(end, Assumption("assumed-end-of-tag", f"<{name}> was taken to end here"))

    def _seems_empty(self, name: str, end: int) -> bool:
        """Return whether a tag with a value that another tag interrupts seems to be an empty tag (R-013).

        `end` is the index after its last attribute.
        """
        policy = self._source.policy
        following = _ON_NEXT_LINE.match(self._text, end, self._stop)
        if following is not None:
            end_name = name if following["end"] == f"</{name}" else None
            is_empty = policy.broken_tag_is_empty_by_column(len(following["indent"]), end_name)
            if is_empty is not None:
                return is_empty
        return policy.seems_empty(name, self._source.window(end))

    def _closed_at(self, end: int, assumption: Assumption, closing: str = ">") -> Rewrite:
        """Return the rewrite of the tag up to an index, with its edits and the bracket that it lacks."""
        edits = [edit for edit in self._edits if edit.place <= end]
        edits.append(Edit(end, 0, closing))
        return Rewrite([*self._assumptions, assumption], edited(self._text, self._source.start, end, edits), end)

    def _candidates(self, name: str) -> dict[str, int]:
        """Return the names that a tag may have if it ends after its name or a prefix of it, and their ends (R-013).

        End tags in the window show prefixes only if nothing else is found.
        """
        source, policy = self._source, self._source.policy
        start, known = source.start, policy.learned.names
        window = source.window(start)
        prefixes = _prefixes(name)
        found = [prefix for prefix in prefixes if prefix in known][:_MOST_PREFIXES]
        if name in known or policy.has_end_tag(name, window):
            found.insert(0, name)
        elif not found:
            found = policy.end_tags.of_names(prefixes, window)[:_MOST_PREFIXES]
        return {prefix: start + len(prefix) for prefix in found}

    def _at_end(self, name: str) -> Rewrite | None:
        """Return the rewrite of a tag in which the document ends (R-030)."""
        source, policy = self._source, self._source.policy
        if not source.at_end or not policy.is_on("eof"):
            return None
        if self._whole < 0:
            if not policy.has_root or policy.knows(name):
                return None
            sentence = f"<{name} was dropped: the document ends in its name"
            return Rewrite([Assumption(UNFINISHED_TAG, sentence)], [], self._stop)
        end = source.start + len(self._text[source.start : self._whole].rstrip(WHITE_SPACE))
        unfinished = self._text[end : self._stop].strip(WHITE_SPACE)
        if not unfinished:
            return self._with_edits(self._stop) if self._assumptions else None
        sentence = f"{shown(unfinished)!r} in <{name}> was dropped: the document ends in it"
        return self._closed_at(end, Assumption(UNFINISHED_TAG, sentence))._replace(resume=self._stop)


def read_end_tag(source: TagSource) -> Rewrite | None:
    """Return the rewrite of a faulty end tag (R-015); the source begins with its "/"."""
    text, start, stop, policy = source.text, source.start, source.stop, source.policy
    begin = SPACES.match(text, start + 1, stop).end()  # type: ignore[union-attr]
    is_spaced = begin > start + 1
    if is_spaced and not policy.is_on("endspace"):
        return None
    name = _TAG_NAME.match(text, begin, stop)[0]  # type: ignore[index]  # it matches the empty string
    has_name = _NAME_START.match(name) is not None or policy.is_open(name)
    if not has_name and (is_spaced or not name):
        return None
    if has_name:
        rewrite = _end_tag_with_bracket(source, begin, name)
        if rewrite is not None:
            return rewrite
    bracket = _BRACKET.search(text, begin + len(name), stop)
    if bracket is None or bracket[0] == "<":
        return _unended_end_tag(source, begin, name, stop if bracket is None else bracket.start())
    words = text[begin + len(name) : bracket.start()].strip(_AROUND_WORDS)
    if not is_spaced or (words and not policy.is_open(name)):
        return None
    return _as_end_tag(text, start, begin, bracket.end())


def _end_tag_with_bracket(source: TagSource, begin: int, name: str) -> Rewrite | None:
    """Return the rewrite of an end tag with a "<" in its name (R-013); `name`, at `begin`, precedes that."""
    text, rest = source.text, begin + len(name) + 1
    joined = _without_bracket(source, name, rest - 1)
    bracket = _BRACKET.search(text, rest, source.stop) if joined else None
    if bracket is None or bracket[0] == "<":
        return None
    pieces = [(f"/{name}", begin - 1), (text[rest : bracket.end()], rest)]
    return Rewrite([_bracket_dropped(text, source.start, f"/{joined}")], pieces, bracket.end())


def _unended_end_tag(source: TagSource, begin: int, name: str, following: int) -> Rewrite | None:
    """Return the rewrite of an end tag without ">", or of what only seems to be one (R-015).

    Its name is at `begin`; `following` is the index of the next tag, or of the end of the window.
    """
    end, is_spaced = begin + len(name), begin > source.start + 1
    if not source.policy.is_on("endgt") or (end == source.stop and not source.at_end):
        return None
    has_words = source.text[end:following].strip(_AROUND_WORDS) != ""
    meant = _name_of_end_tag(source, name, following, is_spaced=is_spaced, has_words=has_words)
    if not meant:
        return None if is_spaced else source.as_text()
    if following == source.stop and not has_words:
        return None  # the document is cut off in it
    end = min(end, begin + len(meant))
    assumption = Assumption("assumed-end-of-tag", f"</{meant}> was taken to end here")
    return Rewrite([assumption], [(f"/{meant}", begin - 1), (">", end - 1)], end)


def _name_of_end_tag(source: TagSource, name: str, following: int, *, is_spaced: bool, has_words: bool) -> str:
    """Return the name that an end tag without ">" has, or should have; "" if it is text (R-015).

    `name` is what is written. `following` is the index of the next tag, `has_words`: words come before that.
    `is_spaced`: white space precedes the name.
    """
    text, policy = source.text, source.policy
    if policy.is_open(name) or not (policy.has_open or policy.has_many_roots):
        return name
    if not policy.has_open or (is_spaced and has_words):
        return ""

    def is_ended_next(element: str) -> bool:
        end = following + len(f"</{element}")
        return (
            text.startswith(f"</{element}", following, source.stop)
            and text[end : min(end + 1, source.stop)] in AFTER_NAME
        )

    current = policy.current
    if name.startswith(current) and not is_spaced:  # text follows its name at once
        return "" if is_ended_next(current) else current
    if current.startswith(name):  # the end of its name is lost, too
        return "" if has_words and is_ended_next(current) else current
    near = [element.name for element in policy.innermost_elements(MOST_LEVELS) if is_near(name, element.name)]
    return name if near and not (has_words and is_ended_next(near[-1])) else ""


def _as_end_tag(text: str, start: int, begin: int, end: int) -> Rewrite:
    """Return the rewrite of a text as an end tag; its name begins at `begin`, after what is read as "/"."""
    sentence = f"'<{shown(text[start:end])}' was taken for an end tag"
    return Rewrite([Assumption("assumed-end-tag", sentence)], [("/", start), (text[begin:end], begin)], end)
