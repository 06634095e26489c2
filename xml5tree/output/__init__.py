"""Writes the tree as markup; notes places, edits and texts."""
