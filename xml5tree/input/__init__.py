"""Octets to characters (§1.2 of the draft): encodings, the XML declaration, newlines, characters that XML forbids."""
