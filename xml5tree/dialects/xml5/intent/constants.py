"""The policy's numbers that `costs` lacks; names of rules."""

from typing import Final

#: The characters after a token that are read ahead (R-004). A shorter window often ends before the error that a wrong
#: reading leads to; a longer one costs time and takes in faults of other places.
WINDOW: Final = 32768
#: The most tags in a window, so that one of short tags costs no more than others.
MOST_TAGS: Final = 800
#: The far window, for a start tag in an element of its own name while the document has shown few elements of the name
#: (R-041). If the first record lacks its end tag, the error is at the end of all records; most feeds are shorter than
#: this.
FAR_WINDOW: Final = 262144
MOST_FAR_TAGS: Final = 32768
#: The tags that are read on after all readings have become equal, if they differ by new pairs of parent and child
#: (R-008): a pair that the next records show again is no slip.
MOST_EVIDENCE: Final = 100
#: The end tags in one comparison that close several elements and for which the following end tags are looked at, to
#: tell what they are meant for (R-005). Each look takes `MOST_INSIDE` tags and texts.
MOST_DOUBTS: Final = 16
#: The bytes that a scan covers after the policy has ended a run early, since the policy may soon end another run; later
#: scans reach farther again. After many short runs, a scan covers less, down to `LEAST_REACH`.
USUAL_REACH: Final = 16384
LEAST_REACH: Final = 512

#: How many of the innermost open elements a simulation knows; no rule reaches farther.
MOST_OPEN: Final = 256
#: The budget for reading ahead, in characters: `BUDGET` times the sum of the document so far and `BUDGET_WINDOWS`
#: windows (R-008). It keeps time linear. The windows are for the beginning of a document, where everything is new and
#: more is doubted than later.
BUDGET: Final = 8
BUDGET_WINDOWS: Final = 8
#: The choices that are repeated without budget, and the characters of the document that allow one more (R-008). Choices
#: are bounded because each may need a search for an error in the draft's reading, which may take a whole window. Only
#: in `FAR_WINDOW` is that charged to the budget.
MOST_REPEATED: Final = 256
REPEAT_AFTER: Final = 256

#: How many pairs, triples and names are learned (R-003): more than any vocabulary has, so that memory is bounded.
MOST_LEARNED: Final = 4096

#: The cost of a parent and child that the document has never shown together (R-005). It is less than an error, since
#: every vocabulary has pairs that come late, but enough to decide between readings with equally many errors.
NEW_PAIR: Final = 0.2
#: How much cheaper than the draft's reading another one must be (R-006), so that one new pair decides and rounding does
#: not.
MARGIN: Final = 0.15
#: As `MARGIN`, where the token is an error itself: any difference decides, but rounding does not.
LEAST_MARGIN: Final = 1e-9
#: If the second-best reading costs less than `DOUBTFUL` more than the best, no pair is learned (R-003): one wrong
#: nesting would teach to nest.
DOUBTFUL: Final = 0.9
#: Start tags and empty tags after the root element that count as errors (R-005): a document written twice is one
#: fault, not thousands.
MOST_AFTER_ROOT: Final = 4

#: The tags, and the characters, in which the current element must end without an error for the draft's reading to stand
#: (R-006). Characters are bounded because comments and the like are no tags. Most elements with something new end
#: sooner. This look-ahead is not charged to the budget, so it needs bounds of its own.
MOST_INSIDE: Final = 100
INSIDE_REACH: Final = 8192

#: The tags and texts that are searched for the end tag of an element whose start tag may be wrong (R-036, R-037). Few
#: records are longer. The search is for new names only; it takes nothing from the budget if it finds no reading.
MOST_BEFORE_END: Final = 400

#: Where this many children follow the text of an element, without text between them, the element rather lacks its end
#: tag before them (R-023).
SOME_CHILDREN: Final = 3

#: The most elements that a hypothesis closes: the current one and three around it, by an end tag (R-022) or before a
#: start tag (R-023).
MOST_LEVELS: Final = 4
#: The most names tried for a start tag that may be missing before another (R-024), in the order in which the parent has
#: shown them. Each is one more reading of the following text.
MOST_IMPLIED: Final = 3
#: The elements around the current one that are searched for one of the tag's name whose end tag is missing (R-023).
MOST_LEVELS_TO_NAMESAKE: Final = 3
#: The most names that are remembered of elements just closed by another element's end tag (R-021).
MOST_FORCED: Final = 8

#: After this many elements of a name, none within another, one within another is doubted (R-027). Completed elements
#: are not counted any farther.
MANY_RECORDS: Final = 8
#: After the ends of this many records have been assumed before others, more are assumed without look-ahead (R-041).
#: After this many completed elements, one within another is doubted if elements are open at the document's end (R-027).
SOME_RECORDS: Final = 3
#: If at least this many records begin ahead, and none that ends contains another, a record in a record is doubted even
#: without an error in the far window (R-041).
MOST_RECORDS: Final = 64
#: The last column that counts as indentation in elements of one name (R-035): looking farther back from each tag might
#: take more than linear time. The same number is in accelerator/stack.h.
MOST_INDENT: Final = 255

#: How far the end tag of an element may be whose tag ends in "/>" after a value without quotes (R-019).
SOLIDUS_REACH: Final = 400
#: How far a CDATA section is looked through for its end (R-020): unlike a comment, it is not held in memory.
CDATA_REACH: Final = 65536


#: The rules that a policy may lack, so that the worth of each can be measured. Without "soft", "far" looks no farther.
RULES: Final = frozenset(
    {
        "digit",
        "startspace",
        "gt",
        "words",
        "runon",
        "equals",
        "surplus",
        "declaration",
        "endspace",
        "endgt",
        "closequote",
        "innerquote",
        "openquote",
        "typographic",
        "unquotedslash",
        "comment",
        "cdata",
        "pi",
        "misspelt",
        "ignore",
        "wrongname",
        "crossed",
        "endtag",
        "close",
        "begun",
        "noslash",
        "omitted",
        "indent",
        "implied",
        "text",
        "root",
        "twice",
        "void",
        "filled",
        "startname",
        "soft",
        "far",
        "recursion",
        "junk",
        "eof",
        "legacy",
        "rootend",
    }
)

#: The name of the element around the roots, with roots="all": no tag has a name with ">" in it.
AROUND: Final = ">"
