"""The clean lane: stretches of the document that are beyond doubt free of errors are written as they stand.

The states alone define behaviour. Whatever the lane takes, they would write just so, without an error; at the least
doubt it takes nothing. It can be switched off, and tests hold the two ways equal.

The lane works on UTF-8, as expat does and as markup is written.
"""

from xml5tree.fastpath.apply import CleanLane

__all__ = ["CleanLane"]
