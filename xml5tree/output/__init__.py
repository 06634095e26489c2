"""The tree as markup: its writer, and notes on the places, edits and texts of what is written."""
