"""State machines for tokenizers; nothing about XML."""
