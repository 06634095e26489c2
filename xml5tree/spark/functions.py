"""`from_xml5`: XML in a column."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.functions import arrow_udf
from pyspark.sql.types import StructType

from xml5tree.errors import ParseError
from xml5tree.parser import XMLParser
from xml5tree.spark.makers import RowMaker
from xml5tree.spark.options import DROPMALFORMED, SparkOptions
from xml5tree.spark.types import arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import Column


def from_xml5(column: "Column | str", schema: StructType | str, options: Mapping[str, str] | None = None) -> "Column":
    """Read the XML documents in a column, well-formed or not, as Spark's ``from_xml`` does; needs Arrow.

    The root element is the row, whatever its name. A null document gives null, and one without an element a row of
    nulls.

    Args:
        column: the column, of strings.
        schema: the type of the result, as a `StructType` or as DDL. The columns ``_errors`` and ``_effect`` have the
            errors of the document.
        options: options of `xml5tree.spark.options.SparkOptions`, except those about files; the mode cannot be
            ``DROPMALFORMED``.

    Raises:
        ValueError: an option has an invalid value, or a type is not supported.
    """
    settings = SparkOptions.make(options or {})
    if settings.mode == DROPMALFORMED:
        raise ValueError("the mode of from_xml5 cannot be DROPMALFORMED, as each row of a column stays")
    columns = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    fields = arrow_schema(columns)
    RowMaker(fields, settings, {})  # raises for a type that is not supported

    def parse(documents: pa.Array) -> pa.Array:
        maker = RowMaker(fields, settings, {})
        rows = [None if text is None else _row(text, maker, settings) for text in documents.to_pylist()]
        return pa.array(rows, pa.struct(list(fields)))

    return arrow_udf(parse, columns)(column)


def _row(text: str, maker: RowMaker, settings: SparkOptions) -> Any:
    parser = XMLParser(max_errors=None, **settings.reading)
    data = text.encode("utf-8", "replace")
    try:
        element = parser.parse_whole(text)
    except ParseError as error:
        return maker.empty_row(data, error)
    return maker.row(element, data, parser.error_log, None, None)
