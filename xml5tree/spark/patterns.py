"""Reads dates and times by Spark's patterns.

The letters are those of https://spark.apache.org/docs/latest/sql-ref-datetime-pattern.html that are in common use.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

_PARTS: Final = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|(.)", re.DOTALL)
#: How many of a letter there may be.
_LIMITS: Final = {"y": 4, "M": 2, "d": 2, "H": 2, "h": 2, "m": 2, "s": 2, "S": 9, "a": 1, "X": 5, "z": 3}
#: Offsets by the number of letters.
_OFFSETS: Final = {
    1: r"Z|[+-]\d\d(?:\d\d)?",
    2: r"Z|[+-]\d{4}",
    3: r"Z|[+-]\d\d:\d\d",
    4: r"Z|[+-]\d{4}(?:\d\d)?",
    5: r"Z|[+-]\d\d:\d\d(?::\d\d)?",
}
_ZONE: Final = r"[A-Za-z+-][A-Za-z0-9_/:+-]*"
#: Zones by abbreviations that mean one zone to all. As Java does, Spark takes them for that zone in summer and winter.
_ABBREVIATIONS: Final = {
    **dict.fromkeys(("Z", "UT"), "UTC"),
    **dict.fromkeys(("EST", "EDT"), "America/New_York"),
    **dict.fromkeys(("CST", "CDT"), "America/Chicago"),
    **dict.fromkeys(("MST", "MDT"), "America/Denver"),
    **dict.fromkeys(("PST", "PDT"), "America/Los_Angeles"),
    **dict.fromkeys(("AKST", "AKDT"), "America/Anchorage"),
    "HST": "Pacific/Honolulu",
    **dict.fromkeys(("WET", "WEST"), "Europe/Lisbon"),
    **dict.fromkeys(("CET", "CEST"), "Europe/Paris"),
    **dict.fromkeys(("EET", "EEST"), "Europe/Athens"),
    "MSK": "Europe/Moscow",
    "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul",
}
_OFFSET: Final = re.compile(r"(?:UTC|GMT|UT)?([+-]\d\d:\d\d)", re.IGNORECASE)
#: Names of zones that are none for Spark.
_NO_ZONE: Final = re.compile(r"(?:etc/gmt[+-]?|gmt[+-])\d+|factory|localtime|roc")


class Pattern:
    """A datetime pattern."""

    def __init__(self, text: str) -> None:
        """Compile a pattern; raise `ValueError` if it is not valid, or has letters that are not supported."""
        self._letters: list[str] = []
        parts: list[str] = []
        depth = 0
        is_open = False  # whether a number of any width comes directly before
        for found in _PARTS.finditer(text):
            quoted, letter, other = found[1], found[2], found[3]
            if letter:
                count = len(found[0])
                is_number = letter in "yMdHhmsS"
                is_wide = is_number and (letter == "S" or count in {1, 3})
                if is_open and is_number and is_wide:
                    raise ValueError(f"{letter!r} follows another number without a fixed width")
                is_open = is_wide
                parts.append(f"({self._expression(letter, count)})")
                self._letters.append(letter)
            elif quoted is not None:
                parts.append(re.escape(quoted.replace("''", "'") or "'"))
                is_open = False
            elif other in {"'", "#", "{", "}"}:
                raise ValueError(f"{other!r} has no meaning in a pattern")
            elif other == "[":
                depth += 1
                parts.append("(?:")
            elif other == "]":
                depth -= 1
                if depth < 0:
                    raise ValueError("']' closes no '['")
                parts.append(")?")
            else:
                parts.append(re.escape(other))
                is_open = False
        if depth:
            raise ValueError("'[' is not closed")
        self._expression_of_all = re.compile("".join(parts), re.ASCII | re.IGNORECASE)

    @staticmethod
    def _expression(letter: str, count: int) -> str:
        """Return the regular expression of a run of a letter; raise `ValueError` if that is not supported."""
        if letter not in _LIMITS:
            raise ValueError(f"the letter {letter!r} is not supported; the letters are {' '.join(_LIMITS)}")
        if count > _LIMITS[letter]:
            raise ValueError(f"{letter * count!r} is not supported; there may be {_LIMITS[letter]} of {letter!r}")
        if letter == "y":
            return r"\d\d" if count == 2 else rf"\d{{{count},{max(count, 4)}}}"
        if letter == "S":
            return rf"\d{{1,{count}}}"
        if letter == "a":
            return "AM|PM"
        if letter == "X":
            return _OFFSETS[count]
        if letter == "z":
            return _ZONE
        return r"\d\d" if count == 2 else r"\d{1,2}"

    def read(self, text: str, zone: tzinfo | None) -> datetime:
        """Return the time of a text; parts that it does not have are those of 1970-01-01T00:00:00.

        A text without a zone is in `zone`. Raises `ValueError` if the text has another form, or names no time.
        """
        match = self._expression_of_all.fullmatch(text)
        if match is None:
            raise ValueError(text)
        values: dict[str, str] = {}
        for letter, value in zip(self._letters, match.groups(), strict=True):
            if value is not None and values.setdefault(letter, value) != value:
                raise ValueError(text)
        year = int(values.get("y", "1970"))
        if len(values.get("y", "1970")) == 2:
            year += 2000
        microsecond = int(values.get("S", "0").ljust(6, "0")[:6])
        moment = datetime(year, int(values.get("M", "1")), int(values.get("d", "1")), _hour(values, text))
        moment = moment.replace(minute=int(values.get("m", "0")), second=int(values.get("s", "0")))
        return moment.replace(microsecond=microsecond, tzinfo=_zone(values, zone))


def _hour(values: dict[str, str], text: str) -> int:
    half = values.get("a", "").upper()
    if "h" not in values:
        hour = int(values.get("H", "12" if half == "PM" else "0"))
        if half and (hour >= 12) != (half == "PM"):
            raise ValueError(text)
        return hour
    if not 1 <= int(values["h"]) <= 12:
        raise ValueError(text)
    hour = int(values["h"]) % 12 + (12 if half == "PM" else 0)
    if int(values.get("H", hour)) != hour:
        raise ValueError(text)
    return hour


def _zone(values: dict[str, str], zone: tzinfo | None) -> tzinfo | None:
    if "z" in values:
        return _named_zone(values["z"])
    return _offset(values["X"].replace(":", "")) if "X" in values else zone


@lru_cache(maxsize=256)
def _named_zone(name: str) -> tzinfo:
    """Return the zone of a name, such as ``Europe/Berlin``, ``CET`` or ``GMT+01:00``."""
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        return _offset(offset[1].replace(":", ""))
    known = _ABBREVIATIONS.get(name.upper()) or _names_of_zones().get(name.lower())
    if known is None:
        raise ValueError(name)
    return ZoneInfo(known)


@lru_cache(maxsize=1)
def _names_of_zones() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones() if not _NO_ZONE.fullmatch(name.lower())}


def _offset(text: str) -> timezone:
    """Return the zone of an offset from UTC, without colons."""
    if text in {"Z", "z"}:
        return UTC
    seconds = int(text[1:3]) * 3600 + int(text[3:5] or "0") * 60 + int(text[5:7] or "0")
    if int(text[3:5] or "0") > 59 or int(text[5:7] or "0") > 59 or seconds > 18 * 3600:
        raise ValueError(text)
    return timezone(timedelta(seconds=-seconds if text[0] == "-" else seconds))
