"""Options of Spark's XML source, and our own."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from xml5tree.errors.codes import EFFECTS, Effect
from xml5tree.errors.policy import Policy
from xml5tree.input.labels import check_label
from xml5tree.options import Recovery
from xml5tree.spark.patterns import Pattern
from xml5tree.vocabularies import read_schema
from xml5tree.xml.structure import ElementNames
from xml5tree.xml.vocabulary import check_names

PERMISSIVE: Final = "PERMISSIVE"
DROPMALFORMED: Final = "DROPMALFORMED"
FAILFAST: Final = "FAILFAST"

#: Milliseconds in the units of spans of time.
_MILLISECONDS: Final = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "min": 60_000, "s": 1000, "ms": 1, "": 1}


class SparkOptions(NamedTuple):
    """The options; the first part is that of Spark's XML source, with its defaults. docs/engines.md describes them."""

    rowTag: str = ""
    attributePrefix: str = "_"
    valueTag: str = "_VALUE"
    mode: str = PERMISSIVE
    columnNameOfCorruptRecord: str = "_corrupt_record"
    samplingRatio: float | None = None
    inferSchema: bool = True
    excludeAttribute: bool = False
    ignoreSurroundingSpaces: bool = True
    ignoreNamespace: bool = False
    nullValue: str | None = None
    encoding: str | None = None  # the encoding of the files, whatever they declare
    dateFormat: Pattern | None = None  # the pattern of dates; None: ISO 8601
    timestampFormat: Pattern | None = None  # the pattern of times in columns of the type timestamp; None: ISO 8601
    timeZone: str = "UTC"
    basePath: str | None = None
    pathGlobFilter: str | None = None
    recursiveFileLookup: bool = False
    modifiedBefore: datetime | None = None
    modifiedAfter: datetime | None = None
    ignoreMissingFiles: bool = False
    ignoreCorruptFiles: bool = False
    rescuedDataColumn: str | None = None
    storageOptions: Mapping[str, Any] | None = None
    maxFilesPerTrigger: int | None = None  # how many files a batch of a stream has; None: all that are new
    # how much older than the newest file a file may be that comes to a stream
    maxFileAge: timedelta = timedelta(days=7)
    maxPartitionBytes: int = 32 << 20
    recovery: Recovery = "intent"  # how broken markup is read: "intent" or "draft", as in `xml5tree.options.Settings`
    empty: Collection[str] | None = None  # this and the next two as in `xml5tree.options.Settings`
    neverNest: Collection[str] | None = None
    structure: ElementNames | None = None
    badFrom: Effect = "moved"  # the mildest effect of errors that makes a record malformed: "kept", "moved" or "lost"
    errorColumns: bool = False

    @property
    def reading(self) -> dict[str, Any]:
        """The options of how records are repaired."""
        return {
            "recovery": self.recovery,
            "empty": self.empty,
            "never_nest": self.neverNest,
            "structure": self.structure,
        }

    @property
    def policy(self) -> Policy:
        """The policy that says which records are malformed."""
        return Policy("keep", self.badFrom)

    @property
    def tag(self) -> str:
        """The row elements, in the notation of `xml5tree.ranges.reading.read_written`."""
        return "{*}" + self.rowTag.rpartition(":")[2] if self.ignoreNamespace else self.rowTag

    def refuse(self, names: tuple[str, ...], where: str) -> None:
        """Raise `ValueError` if one of some options is not its default, as they have no meaning there."""
        for name in names:
            if getattr(self, name) != self._field_defaults[name]:
                raise ValueError(f"the option {name} has no meaning {where}")

    @classmethod
    def make(cls, given: Mapping[str, str]) -> "SparkOptions":
        """Return options read from text; names are case-insensitive, and paths are ignored.

        Raises `ValueError` for an option that is unknown or not supported, or has an invalid value.
        """
        known = {name.lower(): name for name in cls._fields} | {"charset": "encoding"}
        values: dict[str, Any] = {}
        for key, text in given.items():
            name = known.get(key.lower())
            if name is None:
                raise ValueError(f"the option {key!r} is not supported; the options are {', '.join(cls._fields)}")
            try:
                values[name] = _READERS.get(name, str)(text)
            except (ValueError, LookupError, OverflowError) as error:
                shown = "what it is" if name == "storageOptions" else repr(text)  # it may have secrets
                raise ValueError(f"the option {name} cannot be {shown}: {error}") from error
        options = cls(**values)
        if options.samplingRatio is not None and not 0 < options.samplingRatio <= 1:
            raise ValueError(f"samplingRatio must be greater than 0, and at most 1, not {options.samplingRatio}")
        zone = ZoneInfo(options.timeZone)
        return options._replace(
            modifiedBefore=_in_zone(options.modifiedBefore, zone), modifiedAfter=_in_zone(options.modifiedAfter, zone)
        )


def _in_zone(time: datetime | None, zone: ZoneInfo) -> datetime | None:
    return time.replace(tzinfo=zone) if time is not None and time.tzinfo is None else time


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    check_names("it", names)
    return names


def _truth(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise ValueError("it is true or false")
    return text.lower() == "true"


def _one_of(*values: str, change: Callable[[str], str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if change(text) not in values:
            raise ValueError(f"it is one of {', '.join(values)}")
        return change(text)

    return read


def _encoding(text: str) -> str:
    check_label(text)
    return text


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except ZoneInfoNotFoundError as error:
        raise ValueError("it is no time zone") from error
    return text


def _size(text: str) -> int:
    """Return a number of bytes in Spark's notation: ``32m``, ``33554432`` or ``33554432b``."""
    digits = text.lower().removesuffix("b")
    power = {"k": 10, "m": 20, "g": 30}.get(digits[-1:], 0)
    return _positive(int(digits[:-1] if power else digits) << power)


def _object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("it is an object of JSON")
    return found


def _count(text: str) -> int:
    return _positive(int(text))


def _positive(number: int) -> int:
    if number < 1:
        raise ValueError("it must be positive")
    return number


def _duration(text: str) -> timedelta:
    """Return a span of time in Spark's notation: ``7d``, ``12h``, ``30m``, ``10s``, or in milliseconds ``500``."""
    match = re.fullmatch(r"(\d{1,12})(d|h|m|min|s|ms|)", text.strip().lower())
    if match is None:
        raise ValueError("it is a number and d, h, m, s or ms")
    return timedelta(milliseconds=int(match[1]) * _MILLISECONDS[match[2]])


_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "mode": _one_of(PERMISSIVE, DROPMALFORMED, FAILFAST, change=str.upper),
    "samplingRatio": float,
    "inferSchema": _truth,
    "excludeAttribute": _truth,
    "ignoreSurroundingSpaces": _truth,
    "ignoreNamespace": _truth,
    "encoding": _encoding,
    "dateFormat": Pattern,
    "timestampFormat": Pattern,
    "timeZone": _zone,
    "recursiveFileLookup": _truth,
    "modifiedBefore": datetime.fromisoformat,
    "modifiedAfter": datetime.fromisoformat,
    "ignoreMissingFiles": _truth,
    "ignoreCorruptFiles": _truth,
    "storageOptions": _object,
    "maxFilesPerTrigger": _count,
    "maxFileAge": _duration,
    "maxPartitionBytes": _size,
    "recovery": _one_of("intent", "draft", change=str.lower),
    "empty": _names,
    "neverNest": _names,
    "structure": read_schema,
    "badFrom": _one_of(*EFFECTS, change=str.lower),
    "errorColumns": _truth,
}
