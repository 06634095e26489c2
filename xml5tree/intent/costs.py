"""The table of costs, and the table of operations.

Costs are whole numbers, in thousandths of a nat: an operation that is e times as rare costs 1,000 more. What follows
from the document (`model.py`) is added to them. So that all implementations agree to the last bit, no other numbers
are used anywhere in the search.
"""

from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect

COSTS: Final[dict[str, int]] = {
    # operations on tags
    "missing_end": 3000,
    "gap": 400,  # per mille of it, for a further end tag at the same place
    "never_ended": 400,  # per mille of it, for a name that never has an end tag
    "empty_tag": 200,  # per mille, for a start tag with attributes and no content, whose name never has an end tag
    "empty_tag_once": 800,  # per mille, where there is one such tag only
    "void_name": 100,  # per mille, for a void name of HTML without content
    "drop_end": 4000,
    "drop_end_owed": 500,  # the end tag of an element whose end was assumed just before
    "goes_on": 500,  # added for the end tag of the current element
    "goes_on_once": 1500,  # less, instead, if no other element has its name
    "torn_tail": 6000,  # added where what follows looks like the tail of an older file
    "wrong_end_near": 2500,
    "odd_case": 3000,  # added if the case of the start tag's name is odd, not that of the end tag's
    "wrong_end": 6000,
    "unseen_start": 3000,  # added to `wrong_end_near` if only the end tag has a name with complete elements
    "end_as_start": 6000,
    "void_end": 500,
    "start_as_end": 4000,
    "start_as_end_unseen": 2000,  # added if the name never has an end tag, and text or a child follows
    "start_as_end_inline": 2500,  # less, instead, after text in an element that HTML has in text
    "empty_as_end": 3000,
    "empty_as_start": 3500,
    "early_end": 5000,  # added where an operation ends the root, and more follows
    "lost_most": 8000,  # added where the root ends, and twice as much follows as was in it
    "root_again": 3000,
    "missing_start": 6000,
    "start_after_others": 2000,  # added between elements of other names, if the name has three end tags, no start tag
    "usual_start": 2000,  # less, if what follows often comes first in such an element
    "only_start": 4000,  # less, instead, for text between tags, if it is all that is in such an element
    "rename_start": 3000,
    "rename_far": 6000,
    "unseen_name": 1500,  # added if no element has the other name
    "complete_name": 4000,  # added if elements have the name as it is written
    "prefix": 5000,  # added if only a prefix would go
    "start_as_text": 4200,
    "printed": 500,  # instead of that and the next one, for a word that programs print in brackets
    "between_tags": 4000,  # added if the tag is beside no text
    "phrase_text": 7000,  # added for a name of HTML, or with attributes
    # the ends of the document
    "cut_off": 4000,  # at most, for the elements that are open at the end of the document
    "cut_off_each": 500,  # and for each of them
    "no_root": 10500,  # at the end of the document
    "text_before_root": 8000,
    "after_root": 6000,
    "after_root_each": 800,  # for what follows the root: a token, and each 40 octets of it
    "after_root_early": 6000,  # in place of both, if an operation ended the root
    "next_root": 2000,  # at most, for the start of a further root
    "restart": 200,  # per mille of a missing end tag and of `root_again`, where a document begins inside another
    # what an element has: see `Model.event`
    "most": 6000,  # the most that a child costs, before the rest
    "rare": 5500,  # the most that a missing tag costs more as tags of a name rarely lack another
    "sure": 0,  # an end tag that fits and costs no more needs no other reading
    "bare_text": 2500,  # the least for text after a child, in an element that never has text
    "mixed": 1300,  # per nat that elements with text and children are rare
    "self_nest": 3000,  # an element in one of its own name, if complete ones never are
    "html_end": 6000,  # a tag that ends the current element in HTML
    "void": 2000,  # content of a void name of HTML
    "void_with": 8000,  # the same, if the element has attributes, or the name is hardly any other's
    "void_ends": 500,  # the most that the end of such an element costs
    "hollow": 2000,  # an element that ends at once
    "declared": 1000,  # the most for what may be in an element, as it is known: see `knowledge.py`
    "undeclared": 8000,  # for all else
    # readings of broken markup: see `lattice.py`
    "no_gt": 4000,
    "no_quote": 4000,
    "inner_quote": 2000,
    "odd_value": 2000,
    "lt_text": 4000,
    "unknown_end": -2000,  # for an end tag that is near a name which the caller lists
    "unknown_end_text": 1900,  # for the same as text
    "known_inside": 2000,  # for the opening of a section without an end that would hide a tag of such a name, as text
    "known_inside_cdata": 5000,
    "has_values": 4500,
    "no_lt": 7000,
    "no_lt_all": 1500,  # less, if no such tag has its "<"
    "no_lt_first": 500,  # for such a tag at the beginning of the document
    "drop_lt": 5000,
    "word": 1500,
    "space": 2000,
    "split": 1500,
    "equals": 1000,
    "strange": 4000,
    "bad_end": 2000,
    "end_in_text": 4000,  # for `]]>` in text
    "not_a_section": 500,  # for `<!` that the draft takes for a comment
    "cut_tag": 1000,
    "unclosed": 6000,
    "swallow": 2000,  # for an end tag in a section without an end
    "swallow_start": 4000,  # for a start tag
    "nested_open": 3000,
    "balanced": 2000,
    "most_swallowed": 1_000_000,
    "twice": 4000,
    "twice_text": 8000,
    # the beam
    "width": 10000,  # a hypothesis this much dearer than the best at the same place is dropped
}


def _logarithms() -> tuple[list[int], int]:
    """Return 1,000 ln(1 + n / 4,096) for n from 0 to 4,095, and 1,000 ln 2 with 40 more bits."""
    table, total = [], 0
    for number in range(4096, 8192):
        table.append((1000 * total + (1 << 39)) >> 40)
        odd = 2 * number + 1  # ln((n + 1) / n) = 2 artanh(1 / (2n + 1))
        total += (2 << 40) // odd + (2 << 40) // (3 * odd * odd * odd)
    return table, 1000 * total


_MANTISSAS, _TWO = _logarithms()


def ln(number: int) -> int:
    """Return 1,000 times the natural logarithm of a positive whole number."""
    bits = number.bit_length() - 1
    mantissa = number >> (bits - 12) if bits >= 12 else number << (12 - bits)
    return (bits * _TWO >> 40) + _MANTISSAS[mantissa & 4095]


class Operation(NamedTuple):
    """A kind of departure from the draft."""

    code: str
    sentence: str  # fields: the {token} as written, the tags that are {meant}
    cost: str = ""  # the row of `COSTS` that it costs at least
    effect: Effect | None = None  # the effect on content; None: the usual one of the code


OPERATIONS: Final[dict[str, Operation]] = {
    # operations on tags
    "missing_end": Operation("assumed-end-before", "{meant} was assumed before {token}", "missing_end"),
    "empty_tag": Operation("assumed-empty", "{token} was taken for an empty tag", "missing_end"),
    "drop_end": Operation("assumed-stray-end-tag", "{token} was ignored", "drop_end"),
    "goes_on": Operation("assumed-stray-end-tag", "{token} was ignored, since its element goes on", "drop_end"),
    "root_goes_on": Operation("assumed-stray-end-tag", "{token} was ignored, since the root goes on", "drop_end"),
    "wrong_end_near": Operation("assumed-end-tag", "{token} was taken for {meant}", "wrong_end_near", KEPT),
    "wrong_end": Operation("assumed-end-tag", "{token} was taken for {meant}", "wrong_end", MOVED),
    "start_as_end": Operation("assumed-end-tag", "{token} was taken for {meant}", "start_as_end", MOVED),
    "empty_as_end": Operation("assumed-end-tag", "{token} was taken for {meant}", "empty_as_end", MOVED),
    "end_as_start": Operation("assumed-start-tag", "{token} was taken for a start tag", "end_as_start"),
    "empty_as_start": Operation("assumed-start-tag", "{token} was taken for a start tag", "empty_as_start"),
    "void_end": Operation("assumed-empty", "{token} was taken for an empty tag", "void_end", KEPT),
    "missing_start": Operation("assumed-start-tag", "a start tag {meant} was assumed before {token}", "missing_start"),
    "root_again": Operation(
        "assumed-twice", "{token} was taken for the root's start tag once more", "root_again", LOST
    ),
    "rename_start": Operation("assumed-name", "{token} was taken for {meant}", "rename_start"),
    "start_as_text": Operation("assumed-text", "{token} was taken for text", "start_as_text"),
    # Readings of broken markup: see `lattice.py`.
    "text": Operation("assumed-text", "'<' was taken for text", "lt_text"),
    "unknown_name": Operation("assumed-text", "{token} was taken for text: it begins no known name"),
    "bracket_twice": Operation("assumed-text", "'<' was dropped before another one", "drop_lt"),
    "bracket_lost": Operation("assumed-text", "{token} was taken for a tag without its '<'", "no_lt", MOVED),
    "spaced_tag": Operation("assumed-text", "the white space after the '<' of {token} was dropped", "space"),
    "tag_without_end": Operation("assumed-end-of-tag", "{meant} was taken to end here", "no_gt"),
    "end_tag_without_end": Operation("assumed-end-of-tag", "{meant} was taken to end here", "no_gt"),
    "end_tag_spaced": Operation("assumed-end-tag", "{token} was taken for {meant}", "space"),
    "end_tag_with_words": Operation("assumed-end-tag", "{token} was taken for {meant}", "word", LOST),
    "value_without_end": Operation("assumed-end-of-value", "a value in {token} was ended", "no_quote"),
    "quotes": Operation("assumed-quotes", "{token} was taken for {meant}", "odd_value"),
    "equals": Operation("assumed-attribute", "{token} was taken for {meant}", "equals"),
    "misspelt_xmlns": Operation("assumed-attribute", "{token} was taken for {meant}"),
    "separator": Operation("assumed-attribute", "the attributes in {token} were taken to be separated by white space"),
    "solidus": Operation("assumed-attribute", "{token} was taken for {meant}"),
    "odd_space": Operation("assumed-attribute", "the spaces in {token} were taken for white space"),
    "split": Operation("assumed-attribute", "{token} was taken for {meant}", "split"),
    "torn": Operation("assumed-attribute", "{token} was taken for {meant}", "no_gt", LOST),
    "empty_after_value": Operation("assumed-empty", "'/>' in {token} was taken for the end of an empty tag"),
    "unfinished": Operation("assumed-unfinished-tag", "what is unfinished in {token} was dropped", "cut_tag"),
    "twice": Operation("assumed-twice", "{token} was taken for a repetition", "twice"),
    "section_without_end": Operation("assumed-end-of-section", "{token} was taken to end here", "unclosed"),
    "nested_section": Operation("assumed-section", "{token} was taken for one section with others in it", "balanced"),
    "end_in_section": Operation("assumed-section", "']]>' in {token} was taken for text", "bad_end"),
    "misspelt_section": Operation("assumed-section", "{token} was taken for a section with a misspelt opening"),
    "declaration": Operation("assumed-declaration", "{token} was taken for the XML declaration"),
    "reference": Operation("assumed-reference", "a reference without ';' in {token} was taken for one with it"),
    "junk": Operation("assumed-junk", "{token}"),
}

#: 1,000 times the logarithm of the odds that an operation is right, without a margin and for each 1,000 of it; then
#: what is added for operations that are right more or less often. `compat/confidence.py --fit` makes it.
ODDS: Final[dict[str, int]] = {
    "": 830,
    "margin": 240,
    "missing_start": -1150,
    "start_as_end": -980,
    "goes_on": -620,
    "text": -450,
    "unfinished": -380,
    "tag_without_end": -330,
    "end_as_start": -310,
    "start_as_text": 340,
    "missing_end": 350,
    "nested_section": 350,
    "value_without_end": 390,
    "empty_as_start": 420,
    "empty_tag": 430,
    "wrong_end_near": 480,
    "empty_as_end": 500,
}


@lru_cache
def confidence(operation: str, margin: int) -> float | None:
    """Return how likely an operation is right that a margin speaks for; None if there was no choice."""
    if margin > COSTS["width"]:
        return None
    odds = ODDS[""] + ODDS.get(operation, 0) + margin * ODDS["margin"] / 1000
    return round(1 / (1 + exp(-odds / 1000)), 2)
