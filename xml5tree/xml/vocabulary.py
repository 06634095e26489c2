"""The element names that a caller lists."""

import re
from collections.abc import Iterable
from typing import Final

#: Marks a local name with any prefix or none, as in the filters of lxml.
ANY_PREFIX: Final = "{*}"
#: Longest prefix that `ANY_PREFIX` matches. The bound limits the look-ahead that decides on a name.
LONGEST_PREFIX: Final = 64
_PREFIX: Final = re.compile(rf"[\w.\-]{{1,{LONGEST_PREFIX}}}")

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
#: Characters that end a name in the tokenizer, and characters that cannot begin one.
_NO_NAME: Final = re.compile(r"[\s/>]|\A[<:?!]|\A\Z")


def check_names(option: str, names: Iterable[object]) -> None:
    """Raise `TypeError` for a name of an option that is no string, `ValueError` if no tag can have it."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{option} has names, which are strings, not {type(name).__name__}")
        if not is_name(name):
            raise ValueError(
                f"{option} has names as they stand in tags, or {ANY_PREFIX} and a local name for any prefix; {name!r} "
                "is neither"
            )
        if not name.isascii() and _SURROGATE.search(name):
            raise ValueError(f"{option} has names of text, and {name!r} has a surrogate, which no document has")


def is_name(name: str) -> bool:
    """Return whether a string can be the name in a tag, or `ANY_PREFIX` and a local name."""
    local = name.removeprefix(ANY_PREFIX)
    return not (_NO_NAME.search(local) or local.startswith("{") or (local != name and ":" in local))


def is_attribute(name: str) -> bool:
    return re.fullmatch("[^\t\n =/>\"'<&:][^\t\n =/>\"'<&]*", name) is not None


class Vocabulary:
    """A set of element names; the longest name that matches has `longest` characters.

    ``{*}name`` stands for ``name`` with or without a prefix of up to `LONGEST_PREFIX` characters. `pattern` is a
    regular expression for the names, without the end of a name; in UTF-8, it has ASCII prefixes for `ANY_PREFIX`.
    """

    def __init__(self, names: Iterable[str]) -> None:
        names = frozenset(names)
        self._locals = frozenset(name.removeprefix(ANY_PREFIX) for name in names if name.startswith(ANY_PREFIX))
        self._names = frozenset(name for name in names if not name.startswith(ANY_PREFIX)) | self._locals
        self._beginnings = {name[:length] for name in self._names for length in range(1, len(name) + 1)}
        of_locals = LONGEST_PREFIX + 1 + max(map(len, self._locals)) if self._locals else 0
        self.longest = max(max(map(len, self._names), default=0), of_locals)
        # The longest first, as a name may begin with another one, and the end of a name is matched after it.
        plain = "|".join(map(re.escape, sorted(self._names, reverse=True)))
        of_any_prefix = "|".join(map(re.escape, sorted(self._locals, reverse=True)))
        self.pattern = f"(?:{plain})" if plain else "(?!)"
        if of_any_prefix:
            self.pattern = f"(?:{plain}|{_PREFIX.pattern}:(?:{of_any_prefix}))"

    def __contains__(self, name: str) -> bool:
        if name in self._names:
            return True
        prefix, _, local = name.partition(":")
        return local in self._locals and _PREFIX.fullmatch(prefix) is not None

    def may_begin(self, beginning: str) -> bool:
        """Return whether a known name begins with `beginning`, or equals it."""
        if not beginning or beginning in self._beginnings:
            return True
        prefix, colon, local = beginning.partition(":")
        if not self._locals or not _PREFIX.fullmatch(prefix):
            return False
        return not local if not colon else any(name.startswith(local) for name in self._locals)

    def wrong_beginning(self, name: str) -> str:
        """Return the shortest beginning of a name that no known name has, or the whole name."""
        return next((name[:length] for length in range(1, len(name)) if not self.may_begin(name[:length])), name)
