"""The costs of assumptions, in errors.

An assumption that is as likely as an error costs one. A likelier one costs a little less, so that it wins a tie.
"""

from typing import Final

STRAY: Final = 1.0  # an end tag that belongs to nothing
WRONG_NAME: Final = 1.1  # an end tag of an outer open element, meant for the current one
NEAR_NAME: Final = 0.8  # an end tag with a slip of the pen in its name
SOLIDUS: Final = 1.1  # an end tag that was meant to be a start tag
UNKNOWN_NAME: Final = 1.1  # the current element's end tag, with a name that no start tag or empty tag had
KNOWN_NAME: Final = 1.5  # the current element's end tag, with a name that start tags or empty tags had
EMPTY: Final = 0.9  # a start tag that was meant to be an empty tag
EMPTY_OF_HTML: Final = 0.8  # as `EMPTY`, if neither HTML nor the window has an end tag of the name
EMPTY_THRICE: Final = 0.8  # as `EMPTY`, if the tag comes three times in a row, without an end tag
FILLED: Final = 0.8  # an empty tag that was meant to be a start tag
OTHER_NAME: Final = 0.8  # a start tag with a slip of the pen in its name
TWICE: Final = 0.9  # a start tag that was written twice
MISSING: Final = 1.0  # a missing start tag
MISSING_ROOT: Final = 0.9  # a missing start tag of the root element
MISSING_AROUND: Final = 0.6  # a missing start tag of an element whose end tag comes last in its parent
END_BEFORE_TEXT: Final = 1.0  # a missing end tag before text
NO_SOLIDUS: Final = 1.0  # an end tag without "/"
NO_SOLIDUS_BETWEEN: Final = 0.9  # an end tag without "/" that another element of its name follows
TEXT: Final = 1.0  # a "<" that is text, though it may begin a tag
KNOWN_TAG: Final = 0.9  # a "<" that may be text, taken for the beginning of a tag with a known name
UNKNOWN_TAG: Final = 1.0  # a "<" that may be text, taken for the beginning of a tag with an unknown name
# These are added to the cost of a reading.
NO_OTHER_END: Final = 1.0  # to `STRAY`, where this end tag is the only sign that the current element ends
UNLIKE_PARENT: Final = 1.5  # to `NO_SOLIDUS`, where what follows fits the element better than its parent
#: A start tag in an element of its own name, if what follows fits the name and has no end tag of it (R-023); or if the
#: tag seems to begin the next record or to be written twice (R-041).
IN_ITS_LIKE: Final = 0.5
IN_NAMESAKE: Final = 1.5  # a tag in an element of its name farther out that seems to lack its end tag
IN_TEXT_ONLY: Final = 0.5  # a tag in an element that seems to have text only
BEGUN: Final = 0.5  # ending an element that has just begun
INDENT: Final = 0.5  # a place that contradicts the indentation
INDENT_IN_OWN: Final = 1.0  # such a place, for a name whose elements are within each other and indented
#: A child unlike all that elements of its parent's name have had: an element in one of its own name, or in one whose
#: name has had text only (R-027). Added once more if many such elements follow one another (R-041). It is more than an
#: error, so that it decides even if errors in other places make readings equal.
UNLIKE: Final = 1.5
