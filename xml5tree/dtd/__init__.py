"""DOCTYPE declarations: entities, attribute defaults, and their budget."""
