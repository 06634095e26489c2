"""Declarations of a DOCTYPE: entities, attribute defaults, and the budget for what they add to a document."""
