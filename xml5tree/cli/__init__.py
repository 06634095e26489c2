"""The command line: a module for each command (extra `cli`)."""
