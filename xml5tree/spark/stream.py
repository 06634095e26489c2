"""The streaming reader; needs PySpark 4.2."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxFiles, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from xml5tree.errors.notify import warn_of_rows
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.paths import times_at
from xml5tree.spark.reading import RowReader

#: The key of the files in an offset.
_FILES: Final = "files"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

#: Files, and when each was modified, in microseconds from the epoch.
_Times = Mapping[str, int]


class StreamReader(RowReader, DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    """Reads rows of files as the files come, each file once.

    An offset has the files that were read, and when these were modified. A batch has the files of its end that are not
    in its start, so that it can be repeated. As in Spark's own sources, files older than the newest by more than
    `maxFileAge` are forgotten, and not read if they come so late.
    """

    def __init__(self, paths: Sequence[str], schema: StructType, options: SparkOptions) -> None:
        super().__init__(schema, options)
        self._paths = paths
        self._target: _Times | None = None  # all that a query with Trigger.AvailableNow reads

    def initialOffset(self) -> dict[str, Any]:
        return {_FILES: {}}

    def getDefaultReadLimit(self) -> ReadLimit:
        most = self._options.maxFilesPerTrigger
        return ReadAllAvailable() if most is None else ReadMaxFiles(most)

    def prepareForTriggerAvailableNow(self) -> None:
        """Read only the files that are there now."""
        self._target = self._listed()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the offset after the next batch, which has the oldest files that are not in `start`, up to `limit`.

        Raises `FileNotFoundError` if there is nothing at a path.
        """
        seen: dict[str, int] = start[_FILES]
        new = self._new(seen, self._listed() if self._target is None else self._target)
        if isinstance(limit, ReadMaxFiles):
            new = new[: limit.max_files]
        if not new:
            return start
        oldest = self._oldest({**seen, **dict(new)})
        kept = {file: time for file, time in seen.items() if time >= oldest}
        return {_FILES: kept | dict(new)}

    def _new(self, seen: _Times, listed: _Times) -> list[tuple[str, int]]:
        """Return the files that have not been seen and are not too old, the oldest first."""
        oldest = self._oldest(seen)
        found = sorted((time, file) for file, time in listed.items() if file not in seen)
        for time, file in found:
            if time < oldest:
                warn_of_rows(f"{file} came later than maxFileAge allows; it is not read")
        return [(file, time) for time, file in found if time >= oldest]

    def _oldest(self, seen: _Times) -> int:
        """Return the time from which on files are remembered, and read."""
        return max(seen.values()) - self._options.maxFileAge // timedelta(microseconds=1) if seen else 0

    def _listed(self) -> dict[str, int]:
        """Return the files that are there; raise `FileNotFoundError` if there is nothing at a path."""
        found: dict[str, int] = {}
        for path in self._paths:
            for file, time in times_at(path, self._options).items():
                found[file] = 0 if time is None else (time - _EPOCH) // timedelta(microseconds=1)
        return found

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        files: dict[str, int] = end[_FILES]
        return self.tasks(sorted(files.keys() - start[_FILES].keys(), key=lambda file: (files[file], file)))
