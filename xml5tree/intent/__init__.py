"""What the author meant: a list of edits of the source, found by one minimum-cost search."""
