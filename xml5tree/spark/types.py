"""Spark's types as Arrow types."""

from inspect import signature
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


def arrow_schema(schema: StructType) -> pa.Schema:
    """Return a schema of Spark as one of Arrow, with times in UTC."""
    # PySpark 4.1 does not have this argument: there, times are in UTC.
    arguments: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
    return to_arrow_schema(schema, **arguments)
