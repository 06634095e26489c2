"""The policy's numbers except costs; names of rules."""

from typing import Final

#: How many characters after a token are read ahead (R-004). In a shorter window, the error that a wrong reading leads
#: to is often not there yet; a longer one costs time and brings faults of other places in.
WINDOW: Final = 32768
#: How many tags of them at most, so that a window of short tags costs no more than one of ordinary ones.
MOST_TAGS: Final = 800
#: The window in which it is decided whether a start tag begins an element in one of its own name, while the document
#: has shown few elements of the name (R-041): if the end tag of the first record is missing, the error is at the end of
#: all records. Most feeds are shorter than this.
FAR_WINDOW: Final = 262144
MOST_FAR_TAGS: Final = 32768
#: The number of tags looked through after all readings have become equal, for the new pairs of parent and child by
#: which they differed: a pair that the next records show again is no slip (R-008).
MOST_EVIDENCE: Final = 100
#: In a comparison, the number of end tags that end several elements for which the following end tags are looked at, to
#: tell what such an end tag is meant for (R-005). Each time, `MOST_INSIDE` tags and texts are looked through.
MOST_DOUBTS: Final = 16
#: How far a scan looks in bytes where the policy was asked before the end of the last run, since it may be asked soon
#: again; then ever farther. After many runs with short parts to take, it looks less far, down to `LEAST_REACH`.
USUAL_REACH: Final = 16384
LEAST_REACH: Final = 512

#: How many of the innermost open elements a simulation knows; no rule reaches farther.
MOST_OPEN: Final = 256
#: How many characters may be read ahead in all: `BUDGET` times the sum of the document so far and of `BUDGET_WINDOWS`
#: windows (R-008), so that the time that a document takes stays linear. The windows are for its beginning: there all is
#: new, and more is doubted than later.
BUDGET: Final = 8
BUDGET_WINDOWS: Final = 8
#: While the budget is used up, how many choices are repeated, and after how many characters of the document one more.
#: To find out whether the draft's reading of a token has an error may take a whole window, and is not charged, but for
#: `FAR_WINDOW`.
MOST_REPEATED: Final = 256
REPEAT_AFTER: Final = 256

#: How many pairs, triples and names are learned (R-003): more than any vocabulary has, so that memory is bounded.
MOST_LEARNED: Final = 4096

#: The cost of a parent and child that the document has never shown together (R-005): less than an error, since every
#: vocabulary has pairs that come late, but enough to decide between readings with equally many errors.
NEW_PAIR: Final = 0.2
#: How much cheaper than the draft's reading another one must be (R-006), so that one new pair decides and rounding does
#: not.
MARGIN: Final = 0.15
#: As `MARGIN`, where the token is an error itself: any difference decides, but rounding does not.
LEAST_MARGIN: Final = 1e-9
#: Where two readings are so close, no pair is learned of the one chosen (R-003): one wrong nesting would teach to nest.
DOUBTFUL: Final = 0.9
#: Start tags and empty tags after the root element that count as errors (R-005): a document twice is one fault, not
#: thousands.
MOST_AFTER_ROOT: Final = 4

#: The number of tags looked through for the end of the current element, where no error is before that (R-006), and of
#: characters, since comments and the like are no tags. Most elements with something new end sooner. This look-ahead is
#: not charged to the budget, so it needs these bounds.
MOST_INSIDE: Final = 100
INSIDE_REACH: Final = 8192

#: How many tags and texts are looked through for an end tag that may show that the start tag is written wrong (R-036,
#: R-037): few records are longer. Each new name costs a look-through.
MOST_BEFORE_END: Final = 400

#: How many levels a hypothesis closes at most: the current element and three around it (R-022), or one to four elements
#: before a start tag (R-023).
MOST_LEVELS: Final = 4
#: The most elements considered whose start tag may be missing before another one (R-024): the first ones that the
#: parent was shown with. Each is one more reading of the following text.
MOST_IMPLIED: Final = 3
#: Among how many elements around the current one an element of the tag's name is sought whose end tag is missing
#
MOST_LEVELS_TO_NAMESAKE: Final = 3
#: How many names are remembered of elements just closed by another element's end tag (R-021).
MOST_FORCED: Final = 8

#: The number of elements of a name, none of them within another, after which one within another is doubted (R-027). No
#: more are counted.
MANY_RECORDS: Final = 8
#: The number of ends of records, assumed before others, after which no more is read ahead to assume one (R-041).
SOME_RECORDS: Final = 3
#: If so many records begin ahead, and none that ends contains another, a record in a record is doubted even without an
#: error in the window (R-041).
MOST_RECORDS: Final = 64
#: Columns up to this one are indentation where elements of one name are within each other (R-035): to look farther back
#: for each tag might take time that is not linear. The same number is in accelerator/stack.h.
MOST_INDENT: Final = 255

#: How far a value may reach that begins with a typographic quote (R-018).
TYPOGRAPHIC_REACH: Final = 2000
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
