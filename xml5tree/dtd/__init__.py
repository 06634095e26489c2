"""Declarations of a DOCTYPE: entities, attribute defaults, and the budget for the content that they add."""
