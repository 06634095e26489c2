"""Namespaces in scope and infoset coercion, for all dialects."""
