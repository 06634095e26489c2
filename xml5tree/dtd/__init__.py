"""What the declarations of a DOCTYPE say: entities, attribute defaults, and how much they may add to a document."""
