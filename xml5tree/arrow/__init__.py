"""Records as tables of Arrow; it imports pyarrow, as only `spark/`, `tables.py` and `remote.py` do besides.

Values come as text. A batch of records becomes columns of text first (`batches`), with the structure that the records
have (`shapes`); then each column is converted as a whole (`conversion`) to the type that the caller gave (`schemas`) or
that all texts of it have.
"""
