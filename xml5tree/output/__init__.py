"""The tree as markup: what tree construction tells, and the writer of what it tells."""
