"""Records as Arrow tables.

Besides this package, only `spark/`, `tables.py` and `remote.py` import pyarrow.

Values come as text. A batch of records first becomes columns of text (`batches`), structured like the records
(`shapes`). Then each column is converted as a whole (`conversion`) to the caller's type (`schemas`), or to the type
that all its texts have.
"""
