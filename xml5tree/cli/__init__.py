"""The command line: one module for each command, and what they share. It needs the extra ``cli``."""
