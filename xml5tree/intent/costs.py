"""The table of costs, and the table of operations.

Costs are whole numbers, in thousandths of a nat: an operation that is e times as rare costs 1,000 more. What follows
from the document (`model.py`) is added to them. So that all implementations agree to the last bit, no other numbers
are used anywhere in the search.
"""

from typing import Final, NamedTuple

from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect

__all__ = ["COSTS", "OPERATIONS", "Operation", "ln"]

COSTS: Final[dict[str, int]] = {
    # operations on tags
    "missing_end": 3000,
    "gap": 500,  # per mille of it, for a further end tag at the same place
    "never_ended": 400,  # per mille of it, for a name that never has an end tag
    "empty_tag": 200,  # per mille, for a start tag with attributes and no content, whose name never has an end tag
    "empty_tag_once": 600,  # per mille, where there is one such tag only
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
    "close_root": 3000,  # added where an end tag of another name ends the root
    "end_as_start": 6000,
    "void_end": 500,
    "start_as_end": 4000,
    "start_as_end_unseen": 2000,  # added if the name never has an end tag
    "empty_as_end": 3000,
    "empty_as_start": 6000,
    "root_again": 3000,
    "missing_start": 6000,
    "usual_start": 2000,  # less, if what follows often comes first in such an element
    "phrase_start": 2500,  # added for an inline name of HTML
    "rename_start": 3000,
    "rename_far": 6000,
    "unseen_name": 1500,  # added if no element has the other name
    "complete_name": 4000,  # added if elements have the name as it is written
    "prefix": 5000,  # added if only a prefix would go
    "start_as_text": 4200,
    "after_text": 1000,  # added if the tag follows no text, but text follows it
    "between_tags": 4000,  # added if the tag is beside no text
    "phrase_text": 5000,  # added for a name of HTML
    # the ends of the document
    "cut_off": 4000,  # at most, for the elements that are open at the end of the document
    "cut_off_each": 500,  # and for each of them
    "no_root": 5000,
    "text_before_root": 8000,
    "text_between_roots": 1500,
    "after_root": 6000,
    "after_root_each": 800,  # for what follows the root: a token, and each 40 octets of it
    "next_root": 2000,  # at most, for the start of a further root
    "restart": 200,  # per mille of a missing end tag, where a document begins inside another
    # what an element has: see `Model.event`
    "most": 6000,  # the most that a child costs, before the rest
    "sure": 0,  # an end tag that fits and costs no more needs no other reading
    "sure_child": -1000,
    "bare_text": 2500,  # the least for text after a child, in an element that never has text
    "mixed": 1300,  # per nat that elements with text and children are rare
    "self_nest": 3000,  # an element in one of its own name, if complete ones never are
    "self_nest_deeper": 2100,  # less where it is farther in
    "html_end": 6000,  # a tag that ends the current element in HTML
    "void": 2000,  # content of a void name of HTML
    "void_with": 6000,  # the same, if the element has attributes, or the name is hardly any other's
    "void_ends": 500,  # the most that the end of such an element costs
    "hollow": 2000,  # an element that ends at once
    "attributes": 1000,  # per nat that tags of the name without attributes are rare
    # readings of broken markup: see `lattice.py`
    "no_gt": 4000,
    "no_quote": 4000,
    "inner_quote": 2000,
    "odd_value": 2000,
    "lt_text": 4000,
    "has_values": 3000,
    "no_lt": 7000,
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
    "swallow": 2000,
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
    """A kind of departure from the draft.

    Attributes:
        code: the error code.
        sentence: what the log says. Fields: {token} as written, the {meant} tag, the {opened} and {closed} tags.
        effect: the effect on content; None: the usual one of the code.
        cost: the row of `COSTS` that it costs at least, or "".
        example: a document, and what it is read as; the operation is the only one.
    """

    code: str
    sentence: str
    effect: Effect | None
    cost: str
    example: tuple[str, str]


OPERATIONS: Final[dict[str, Operation]] = {
    "missing_end": Operation(
        "assumed-end-before",
        "{closed} was assumed before {token}",
        None,
        "missing_end",
        ("<r><a>1</a><a>2<a>3</a><a>4</a></r>", "<r><a>1</a><a>2</a><a>3</a><a>4</a></r>"),
    ),
    "empty_tag": Operation(
        "assumed-empty",
        "{token} was taken for an empty tag",
        None,
        "missing_end",
        ('<r><i k="1"><a>1</a><i k="2"><a>2</a></r>', '<r><i k="1"/><a>1</a><i k="2"/><a>2</a></r>'),
    ),
    "drop_end": Operation(
        "assumed-stray-end-tag",
        "{token} was ignored",
        None,
        "drop_end",
        (
            "<r><s><a>1</a></r><a>2</a></s><s><a>3</a></s><s><a>4</a></s></r>",
            "<r><s><a>1</a><a>2</a></s><s><a>3</a></s><s><a>4</a></s></r>",
        ),
    ),
    "goes_on": Operation(
        "assumed-stray-end-tag",
        "{token} was ignored, since its element goes on",
        None,
        "drop_end",
        (
            "<r><l><t>x</t><i>a</i></l><i>b</i></l></r>",
            "<r><l><t>x</t><i>a</i><i>b</i></l></r>",
        ),
    ),
    "root_goes_on": Operation(
        "assumed-stray-end-tag",
        "{token} was ignored, since the root element goes on",
        None,
        "drop_end",
        ("<r><i>1</i></r><i>2</i></r>", "<r><i>1</i><i>2</i></r>"),
    ),
    "wrong_end_near": Operation(
        "assumed-end-tag",
        "{token} was taken for {meant}",
        KEPT,
        "wrong_end_near",
        ("<r><name>1</nmae><name>2</name></r>", "<r><name>1</name><name>2</name></r>"),
    ),
    "wrong_end": Operation(
        "assumed-end-tag",
        "{token} was taken for {meant}",
        MOVED,
        "wrong_end",
        ("<r><a>1</a><b>2</c><a>3</a></r>", "<r><a>1</a><b>2</b><a>3</a></r>"),
    ),
    "start_as_end": Operation(
        "assumed-end-tag",
        "{token} was taken for {meant}",
        MOVED,
        "start_as_end",
        ("<r><a>1<a><a>2</a><a>3</a></r>", "<r><a>1</a><a>2</a><a>3</a></r>"),
    ),
    "empty_as_end": Operation(
        "assumed-end-tag",
        "{token} was taken for {meant}",
        MOVED,
        "empty_as_end",
        (
            "<r><u><l>1</l><u/><u><l>2</l></u><u><l>3</l></u></r>",
            "<r><u><l>1</l></u><u><l>2</l></u><u><l>3</l></u></r>",
        ),
    ),
    "end_as_start": Operation(
        "assumed-start-tag",
        "{token} was taken for a start tag",
        None,
        "end_as_start",
        ("<r><a>1</a></a>2</a><a>3</a></r>", "<r><a>1</a><a>2</a><a>3</a></r>"),
    ),
    "empty_as_start": Operation(
        "assumed-start-tag",
        "{token} was taken for a start tag",
        None,
        "empty_as_start",
        ("<r><a>1</a><a/>2</a><a>3</a></r>", "<r><a>1</a><a>2</a><a>3</a></r>"),
    ),
    "void_end": Operation(
        "assumed-empty",
        "{token} was taken for an empty tag",
        KEPT,
        "void_end",
        ("<p>one</br>two</p>", "<p>one<br/>two</p>"),
    ),
    "missing_start": Operation(
        "assumed-start-tag",
        "a start tag {opened} was assumed before {token}",
        None,
        "missing_start",
        (
            "<r><i><t>a</t><u/></i><i><t>b</t><u/></i><i><t>c</t><u/></i><t>d</t><u/></i></r>",
            "<r><i><t>a</t><u/></i><i><t>b</t><u/></i><i><t>c</t><u/></i><i><t>d</t><u/></i></r>",
        ),
    ),
    "root_again": Operation(
        "assumed-twice",
        "{token} was taken for the start tag of the root element once more",
        LOST,
        "root_again",
        ('<e x="1"><i>1</i><e x="1"><i>2</i></e>', '<e x="1"><i>1</i><i>2</i></e>'),
    ),
    "rename_start": Operation(
        "assumed-name",
        "{token} was taken for {meant}",
        None,
        "rename_start",
        (
            "<r><title>1</title><titel>2</title><title>3</title></r>",
            "<r><title>1</title><title>2</title><title>3</title></r>",
        ),
    ),
    "start_as_text": Operation(
        "assumed-text",
        "{token} was taken for text",
        None,
        "start_as_text",
        ("<r><f>was <true> here</f><f>b</f></r>", "<r><f>was &lt;true> here</f><f>b</f></r>"),
    ),
    # Readings of broken markup: see `lattice.py`.
    "text": Operation(
        "assumed-text",
        "'<' was taken for text",
        None,
        "lt_text",
        ("<r><a>1 <2</a></r>", "<r><a>1 &lt;2</a></r>"),
    ),
    "unknown_name": Operation(
        "assumed-text",
        "'<' was taken for text",
        None,
        "",
        ("", ""),
    ),
    "bracket_twice": Operation(
        "assumed-text",
        "'<' was dropped before another one",
        None,
        "drop_lt",
        ("<r>\n<a>1</a>\n<<a>2</a></r>", "<r>\n<a>1</a>\n<a>2</a></r>"),
    ),
    "bracket_in_name": Operation(
        "assumed-text",
        "the '<' in {token} was dropped",
        None,
        "drop_lt",
        ("<r><title>a</title><ti<tle>b</title></r>", "<r><title>a</title><title>b</title></r>"),
    ),
    "bracket_lost": Operation(
        "assumed-text",
        "{token} was taken for a tag without its '<'",
        MOVED,
        "no_lt",
        ("<r><t>a</t><t>b/t><t>c</t></r>", "<r><t>a</t><t>b</t><t>c</t></r>"),
    ),
    "spaced_tag": Operation(
        "assumed-text",
        "the white space after the '<' of {token} was dropped",
        None,
        "space",
        ("<r><a>1</a>< a>2</a></r>", "<r><a>1</a><a>2</a></r>"),
    ),
    "tag_without_end": Operation(
        "assumed-end-of-tag",
        "{meant} was taken to end here",
        None,
        "no_gt",
        ('<r><a k="1"<b>2</b></a></r>', '<r><a k="1"><b>2</b></a></r>'),
    ),
    "end_tag_without_end": Operation(
        "assumed-end-of-tag",
        "{meant} was taken to end here",
        None,
        "no_gt",
        ("<r><a>x</a<b>y</b></r>", "<r><a>x</a><b>y</b></r>"),
    ),
    "end_tag_spaced": Operation(
        "assumed-end-tag",
        "{token} was taken for {meant}",
        None,
        "space",
        ("<r><a>1< /a><b>2</b></r>", "<r><a>1</a><b>2</b></r>"),
    ),
    "end_tag_with_words": Operation(
        "assumed-end-tag",
        "{token} was taken for {meant}",
        LOST,
        "word",
        ("<r><a>1</a'x'><b>2</b></r>", "<r><a>1</a><b>2</b></r>"),
    ),
    "value_without_end": Operation(
        "assumed-end-of-value",
        "a value in {token} was ended",
        None,
        "no_quote",
        ('<r><a h="1 k="2">x</a></r>', '<r><a h="1" k="2">x</a></r>'),
    ),
    "quotes": Operation(
        "assumed-quotes",
        "{token} was taken for {meant}",
        None,
        "odd_value",
        ('<r><a h="say "x" now">y</a></r>', '<r><a h="say &quot;x&quot; now">y</a></r>'),
    ),
    "equals": Operation(
        "assumed-attribute",
        "{token} was taken for {meant}",
        None,
        "equals",
        ('<r><a h "1">x</a></r>', '<r><a h="1">x</a></r>'),
    ),
    "separator": Operation(
        "assumed-attribute",
        "the attributes in {token} were taken to be separated by white space",
        None,
        "",
        ('<r><a h="1", k="2"/></r>', '<r><a h="1" k="2"/></r>'),
    ),
    "solidus": Operation(
        "assumed-attribute",
        "{token} was taken for {meant}",
        None,
        "",
        ('<r><a =k="1"/></r>', '<r><a k="1"/></r>'),
    ),
    "odd_space": Operation(
        "assumed-attribute",
        "the spaces in {token} were taken for white space",
        None,
        "",
        ('<r><a\xa0h="1">x</a></r>', '<r><a  h="1">x</a></r>'),
    ),
    "split": Operation(
        "assumed-attribute",
        "{token} was taken for {meant}",
        None,
        "split",
        ('<a><abb="1">x</ab><ab/></a>', '<a><ab b="1">x</ab><ab/></a>'),
    ),
    "empty_after_value": Operation(
        "assumed-empty",
        "'/>' in {token} was taken for the end of an empty tag, not for a part of the value",
        None,
        "",
        ("<r><a h=1/><b/></r>", '<r><a h="1"/><b/></r>'),
    ),
    "unfinished": Operation(
        "assumed-unfinished-tag",
        "the document ends in {token}: what is unfinished was dropped",
        None,
        "cut_tag",
        ('<r><a>x</a><b h="1" k="2', '<r><a>x</a><b h="1"></b></r>'),
    ),
    "twice": Operation(
        "assumed-twice",
        "what stands here once more was dropped: {token}",
        None,
        "twice",
        (
            '<s><g id="a"><k/><g id="b"><g id="a"><k/><g id="b"><p/></g></g></s>',
            '<s><g id="a"><k/><g id="b"><p/></g></g></s>',
        ),
    ),
    "section_without_end": Operation(
        "assumed-end-of-section",
        "{token} was taken to end here",
        None,
        "unclosed",
        ("<r><a><!-- x</a><a>y</a></r>", "<r><a><!-- x--></a><a>y</a></r>"),
    ),
    "nested_section": Operation(
        "assumed-section",
        "{token} was taken for one section, with others of its kind in it",
        None,
        "balanced",
        ("<r><!-- a <!-- b --> c --><a>1</a></r>", "<r><!-- a <!- - b - -> c --><a>1</a></r>"),
    ),
    "end_in_section": Operation(
        "assumed-section",
        "']]>' in {token} was taken for text",
        None,
        "bad_end",
        ("<r><a><![CDATA[<i>x]]></i>]]></a></r>", "<r><a><![CDATA[<i>x]]]]><![CDATA[></i>]]></a></r>"),
    ),
    "misspelt_section": Operation(
        "assumed-section",
        "{token} was taken for a section with a misspelt opening",
        None,
        "",
        ("<r><![cdata[<p>x & y</p>]]></r>", "<r><![CDATA[<p>x & y</p>]]></r>"),
    ),
    "declaration": Operation(
        "assumed-declaration",
        "{token} was taken for the XML declaration",
        None,
        "",
        ('<? xml version="1.0"?><r/>', '<?xml version="1.0"?><r/>'),
    ),
    "reference": Operation(
        "assumed-reference",
        "a reference without ';' in {token} was taken for one with it",
        None,
        "",
        ("<r>A &amp B</r>", "<r>A &amp; B</r>"),
    ),
    "junk": Operation(
        "assumed-junk",
        "{token}",
        None,
        "",
        ("<b>Warning</b>: x on line 7<br><r><a/></r>", "<r><a/></r>"),
    ),
    "junk_before_declaration": Operation(
        "assumed-junk",
        "{token}",
        KEPT,
        "",
        ('<b>x</b><?xml version="1.0"?><r><a/></r>', '<?xml version="1.0"?><r><a/></r>'),
    ),
}
