"""Bytes to characters (§1.2 of the draft): encodings, declaration, newlines, forbidden characters."""
