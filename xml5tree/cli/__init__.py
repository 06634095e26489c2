"""The command line: one module for each command, and what they share.

Everything that is not in the standard library, but for lxml, belongs to the extra ``cli``.
"""
