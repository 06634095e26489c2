"""The grammars: a folder for each, with its tokenizer and its tree construction."""
