"""The data source: `spark.read.format("xml5")`, and `spark.readStream`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Final
from zlib import crc32

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StringType, StructField, StructType

from xml5tree.ranges import Range, RangeRecord
from xml5tree.spark.inference import Shape
from xml5tree.spark.makers import KNOWN
from xml5tree.spark.names import Names
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.paths import files_at, folder_values
from xml5tree.spark.reading import BatchReader, missing_files, ranges_of, records_of

#: Default number of records that a schema is inferred from.
_SAMPLE: Final = 1000
#: Number of ranges that these are from, at most.
_PLACES: Final = 50


class XML5DataSource(DataSource):  # type: ignore[misc]
    """Reads XML files, well-formed or not, as ``spark.read.format("xml5")``, once it is registered.

    The options are those of `xml5tree.spark.options.SparkOptions`. A malformed record gives its row *and* its errors:
    the columns ``_errors``, ``_effect``, ``_byte_offset`` and ``_file`` of a schema are about the record itself.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        """Take the options; raise `ValueError` if one is unknown, or has an invalid value."""
        super().__init__(options)
        given = dict(options)
        paths = [text for key in list(given) if key.lower() == "path" for text in [given.pop(key)]]
        for key in list(given):
            if key.lower() == "paths":
                paths += json.loads(given.pop(key))
        self._options = SparkOptions.make(given)
        if not self._options.rowTag:
            raise ValueError("the option rowTag is needed: the name of the elements that are rows")
        self._paths = paths

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "xml5"

    def schema(self) -> StructType:
        """Return the schema of the records, inferred from some of them.

        Raises `FileNotFoundError` without a file, and `ValueError` without a record.
        """
        options = self._options
        shape = Shape()
        count = 0
        is_any_bad = False
        files = self._files()
        for record, namespaces in self._sample(files):
            names = Names(namespaces, local=options.ignoreNamespace)
            names.begin(record.data)
            shape.see(record.element, options, names)
            is_any_bad = is_any_bad or options.policy.is_bad(record.effect)
            count += 1
        if not count:
            raise ValueError(f"no element {options.rowTag!r} to infer a schema from in {', '.join(self._paths)}")
        found = shape.schema(options)
        fields = list(found)
        if is_any_bad and options.columnNameOfCorruptRecord not in found.names:
            fields.insert(0, StructField(options.columnNameOfCorruptRecord, StringType()))
        if options.errorColumns:
            fields = [field for field in fields if field.name not in {known.name for known in KNOWN}]
            fields += KNOWN
        if options.rescuedDataColumn is not None:
            fields = [field for field in fields if field.name != options.rescuedDataColumn]
            fields.append(StructField(options.rescuedDataColumn, StringType()))
        folders = Shape()
        for file in files:
            folders.see_folders(folder_values(file, options.basePath), options)
        columns = folders.schema(options)
        return StructType([field for field in fields if field.name not in columns.names] + columns.fields)

    def _sample(self, files: list[str]) -> Iterator[tuple[RangeRecord, Mapping[str, str]]]:
        """Yield the records to infer the schema from, each with the namespaces around it."""
        options = self._options
        parts = list(ranges_of(files, options))
        ratio = options.samplingRatio
        if ratio is not None:
            limit = ratio * (1 << 32)
            found = _records_in(parts, options, None)
            return (
                one for one in found if crc32(f"{one[0].path} {one[0].number} {one[0].byte_offset}".encode()) < limit
            )
        # As many from each of some ranges all over the files; and from the others if these have too few.
        step = -(-len(parts) // _PLACES) or 1
        first = parts[::step]
        others = (part for number, part in enumerate(parts) if number % step)
        return islice(_records_in(chain(first, others), options, -(-_SAMPLE // (len(first) or 1))), _SAMPLE)

    def _files(self) -> list[str]:
        options = self._options
        found: list[str] = []
        for path in self._given_paths():
            with missing_files(path, options):
                found += files_at(path, options)
        return found

    def _given_paths(self) -> list[str]:
        if not self._paths:
            raise ValueError("no path: load() needs that of a file or folder, or a pattern")
        return self._paths

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of rows of a schema.

        Raises `FileNotFoundError` without a file, and `ValueError` for a type that is not supported, or an option for
        streams only.
        """
        self._options.refuse(("maxFilesPerTrigger", "maxFileAge"), "without a stream")
        return BatchReader(self._files(), schema, self._options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return a reader of the rows of files that are there, and of those that come later.

        Raises `ValueError` for an option that has no meaning in a stream, and `ImportError` before PySpark 4.2.
        """
        self._options.refuse(("modifiedBefore", "modifiedAfter"), "in a stream, which reads files as they come")
        try:
            from xml5tree.spark.stream import StreamReader
        except ModuleNotFoundError as error:
            raise ImportError("readStream needs PySpark 4.2 or later") from error
        return StreamReader(self._given_paths(), schema, self._options)


def _records_in(
    parts: Iterable[Range], options: SparkOptions, most: int | None
) -> Iterator[tuple[RangeRecord, Mapping[str, str]]]:
    """Yield up to `most` records of each range, or all, with the namespaces around them."""
    for part in parts:
        with missing_files(part.path, options), records_of(part, options) as found:
            for record in islice(found, most):
                yield record, found.namespaces
