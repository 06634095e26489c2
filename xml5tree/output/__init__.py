"""The tree as markup: the interface to which tree construction reports it, and its writer."""
