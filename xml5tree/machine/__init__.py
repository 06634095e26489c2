"""The machinery of tokenizers that are state machines; nothing here is about XML."""
