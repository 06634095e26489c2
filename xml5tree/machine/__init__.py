"""What every tokenizer that is a state machine needs; nothing here is about XML."""
