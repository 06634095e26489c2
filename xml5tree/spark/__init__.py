"""Spark: data frames of records; XML in columns (extra `spark`).

After ``spark.dataSource.register(xml5tree.spark.XML5DataSource)``, ``spark.read.format("xml5")`` takes the options of
Spark's own ``spark.read.format("xml")``.
"""

from xml5tree.spark.functions import from_xml5
from xml5tree.spark.source import XML5DataSource

__all__ = ["XML5DataSource", "from_xml5"]
