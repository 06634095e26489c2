"""The tokenizer states, §1.3.1 to §1.3.35, in order.

Each state is a function that consumes the next input character and returns the next state; its branches come in the
order of the draft's. Where "Anything else" appends the character and stays, the state first takes the whole run of such
characters. A state that needs more input returns None and is called again; if it has looked ahead, it calls
`Tokenizer.wait` before. D-nnn are the project's decisions (``docs/internals/decisions.md``).
"""

import re
from typing import Final

from xml5tree.dialects.xml5.doctype import doctype_state
from xml5tree.dialects.xml5.tokenizer import State, Tokenizer
from xml5tree.errors.codes import KEPT
from xml5tree.machine.input import EOF
from xml5tree.xml.chars import SPACE
from xml5tree.xml.references import Reference

_SPACE_COLON_LESS_THAN: Final = frozenset("\t\n :<")
_DATA_STOP: Final = re.compile(r"[&<]|]]>|]]?\Z")  # "]" where "]]>" is or may be coming
_TAG_NAME_STOP: Final = re.compile("[\t\n />]")
_ATTRIBUTE_NAME_STOP: Final = re.compile("[\t\n =/>]")
_NO_SPACE: Final = re.compile("[^\t\n ]")
_DOUBLE_QUOTED_STOP: Final = re.compile('["&]')
_SINGLE_QUOTED_STOP: Final = re.compile("['&]")
_UNQUOTED_STOP: Final = re.compile("[\t\n &>]")
_END_TAG_JUNK_STOP: Final = re.compile("[\t\n >]")
_PI_TARGET_STOP: Final = re.compile("[\t\n ?]")
_PI_DATA_STOP: Final = re.compile(r"\?(?=>|\Z)")  # "?" where "?>" is or may be coming
_COMMENT_STOP: Final = re.compile("[-<]")
_CDATA_STOP: Final = re.compile("[]]")
_GREATER_THAN: Final = re.compile("[>]")
_CLOSE_OF_COMMENT: Final = re.compile("(?s)--.")
_MARKUP_DECLARATIONS: Final = ("--", "[CDATA[", "DOCTYPE")


def data_state(t: Tokenizer) -> State | None:
    """§1.3.1 Data state."""
    t.pass_clean_content()
    c = t.emit_until(_DATA_STOP)
    if c == "&":
        return character_reference_in_data_state
    if c == "<":
        t.begin_token()
        return t.tag_state
    if c == EOF:
        return data_state if t.end_of_input() else None
    if c == "]":
        ahead = t.peek(2)
        if t.may_grow and ahead in {"", "]"}:
            t.reconsume()
            t.wait()
            return None
        if ahead == "]>":
            t.error("cdata-end-in-text")  # but kept (D-019)
        t.emit_characters(c)
        return data_state
    return None


def character_reference_in_data_state(t: Tokenizer) -> State | None:
    """§1.3.2 Character reference in data state."""
    reference = tokenizing_character_references(t)
    if reference is None:
        return None
    t.emit_reference(reference)
    return data_state


def tag_state(t: Tokenizer) -> State | None:
    """§1.3.3 Tag state."""
    c = t.consume()
    if c == "/":
        return end_tag_state
    if c == "?":
        return pi_state
    if c == "!":
        return markup_declaration_state
    if c == EOF or c in _SPACE_COLON_LESS_THAN or c == ">":
        if c == EOF:
            t.error_at_end("eof-before-tag-name", "<")
            t.reconsume()
        elif not t.error_in_text("<"):
            return None
        t.emit_characters("<")
        return data_state
    t.create_tag(c)
    return tag_name_state


def end_tag_state(t: Tokenizer) -> State | None:
    """§1.3.4 End tag state."""
    c = t.consume()
    if c == ">":
        t.emit_short_end_tag()
        return data_state
    if c == EOF or c in _SPACE_COLON_LESS_THAN:
        if c == EOF:
            t.error_at_end("eof-before-tag-name", "</")
            t.reconsume()
        elif not t.error_in_text("</"):
            return None
        t.emit_characters("</")
        return data_state
    t.create_end_tag(c)
    return end_tag_name_state


def end_tag_name_state(t: Tokenizer) -> State | None:
    """§1.3.5 End tag name state."""
    c = t.collect_until(_TAG_NAME_STOP)
    if c is None:
        return None
    t.finish_tag_name()
    if c == ">":
        t.emit_end_tag()
        return data_state
    if c == "/":
        t.error("end-tag-with-trailing-solidus")
    elif c == EOF:
        t.reconsume()  # it has the same error in the next state
    return end_tag_name_after_state


def end_tag_name_after_state(t: Tokenizer) -> State | None:
    """§1.3.6 End tag name after state."""
    c = t.consume()
    if c == ">":
        t.emit_end_tag()
        return data_state
    if c in SPACE:
        return end_tag_name_after_state
    if c == EOF:
        t.error_at_end("eof-in-tag", "")
        t.reconsume()
        t.emit_end_tag()
        return data_state
    junk = c + t.run_until(_END_TAG_JUNK_STOP)
    for index, character in enumerate(junk):
        t.report("end-tag-with-attributes", t.place(len(junk) - index), character)
    return end_tag_name_after_state


def pi_state(t: Tokenizer) -> State | None:
    """§1.3.7 Pi state."""
    c = t.consume()
    if c == EOF or c in SPACE:
        if c == EOF:
            t.error_at_end("unexpected-question-mark-instead-of-tag-name", effect=KEPT)
        else:
            t.error_in_token("unexpected-question-mark-instead-of-tag-name")
        t.create_comment()
        t.reconsume()
        return bogus_comment_state
    t.create_processing_instruction(c)
    return pi_target_state


def pi_target_state(t: Tokenizer) -> State | None:
    """§1.3.8 Pi target state."""
    c = t.collect_until(_PI_TARGET_STOP)
    if c in SPACE:
        t.finish_target(spaced=True)
        return pi_target_after_state
    if c == EOF:
        t.error_in_unclosed("eof-in-processing-instruction", is_target=True)
        t.finish_target(spaced=True)
        t.reconsume()
        t.emit_processing_instruction()
        return data_state
    if c == "?":
        t.finish_target(spaced=False)
        return pi_after_state
    return None


def pi_target_after_state(t: Tokenizer) -> State | None:
    """§1.3.9 Pi target after state."""
    c = t.consume()
    if c in SPACE:
        return pi_target_after_state
    t.reconsume()
    return pi_data_state


def pi_data_state(t: Tokenizer) -> State | None:
    """§1.3.10 Pi data state."""
    c = t.collect_until(_PI_DATA_STOP)
    if c == "?":
        return pi_after_state
    if c == EOF:
        t.error_in_unclosed("eof-in-processing-instruction")
        t.reconsume()
        t.emit_processing_instruction()
        return data_state
    return None


def pi_after_state(t: Tokenizer) -> State | None:
    """§1.3.11 Pi after state; the "?" that led here belongs to the data unless the input ends (D-059, D-060)."""
    c = t.consume()
    if c == ">":
        t.emit_processing_instruction()
        return data_state
    if c == EOF:
        t.reconsume()
        return pi_data_state
    t.need_space_after_target()
    t.collect("?")
    t.reconsume()  # in the draft, "?" stays in this state, with the same result
    return pi_data_state


def markup_declaration_state(t: Tokenizer) -> State | None:
    """§1.3.12 Markup declaration state."""
    ahead = t.peek(7)
    if ahead.startswith("--"):
        t.skip(2)
        t.create_comment()
        return comment_start_state
    if ahead == "[CDATA[":
        t.skip(7)
        t.start_cdata()
        return cdata_state
    if ahead == "DOCTYPE":
        t.skip(7)
        t.create_doctype()
        return doctype_state
    if t.may_grow and any(declaration.startswith(ahead) for declaration in _MARKUP_DECLARATIONS):
        t.wait()
        return None
    t.error_in_token("incorrectly-opened-comment")
    t.create_comment()
    return bogus_comment_state


def comment_start_state(t: Tokenizer) -> State | None:
    """Comment start, which the draft lacks: ``<!-->`` and ``<!--->`` (D-068).

    They are empty comments closed abruptly, unless a ``>`` follows the next ``--``: then that is a well-formed
    comment whose data begins so.
    """
    ahead = t.peek(2)
    if t.may_grow and ahead in {"", "-"}:
        t.wait()
        return None
    if ahead[:1] != ">" and ahead != "->":
        return comment_state
    dashes = t.find("--")
    close = t.peek(dashes + 3)[dashes + 2 :] if dashes >= 0 else ""
    if close == "" and t.may_grow:
        t.wait(_CLOSE_OF_COMMENT)
        return None
    if close == ">":
        t.collect(t.peek(dashes))
        t.skip(dashes + 3)
    else:
        t.error_in_token("abrupt-closing-of-empty-comment")
        t.skip(1 if ahead[0] == ">" else 2)
    t.emit_comment()
    return data_state


def comment_state(t: Tokenizer) -> State | None:
    """§1.3.13 Comment state."""
    c = t.collect_until(_COMMENT_STOP)
    if c == "<":
        t.collect(c)
        return comment_less_than_sign_state
    if c == "-":
        return comment_end_dash_state
    if c == EOF:
        return _end_comment_at_eof(t)
    return None


def comment_less_than_sign_state(t: Tokenizer) -> State | None:
    """§1.3.14 Comment less-than sign state; "!" leads to the bang state (D-069)."""
    c = t.consume()
    if c == "!":
        t.collect(c)
        return comment_less_than_sign_bang_state
    if c == "<":
        t.collect(c)
        return comment_less_than_sign_state
    t.reconsume()
    return comment_state


def comment_less_than_sign_bang_state(t: Tokenizer) -> State | None:
    """§1.3.15 Comment less-than sign bang state."""
    c = t.consume()
    if c == "-":
        return comment_less_than_sign_bang_dash_state
    t.reconsume()
    return comment_state


def comment_less_than_sign_bang_dash_state(t: Tokenizer) -> State | None:
    """§1.3.16 Comment less-than sign bang dash state."""
    c = t.consume()
    if c == "-":
        return comment_less_than_sign_bang_dash_dash_state
    t.reconsume()
    return comment_end_dash_state


def comment_less_than_sign_bang_dash_dash_state(t: Tokenizer) -> State | None:
    """§1.3.17 Comment less-than sign bang dash dash state."""
    c = t.consume()
    if c not in {">", EOF}:
        t.error("nested-comment")
    t.reconsume()
    return comment_end_state


def comment_end_dash_state(t: Tokenizer) -> State | None:
    """§1.3.18 Comment end dash state."""
    c = t.consume()
    if c == "-":
        return comment_end_state
    if c == EOF:
        return _end_comment_at_eof(t)
    t.collect("-")
    t.reconsume()
    return comment_state


def comment_end_state(t: Tokenizer) -> State | None:
    """§1.3.19 Comment end state; "Anything else" appends the dashes only (D-071)."""
    c = t.consume()
    if c == ">":
        t.emit_comment()
        return data_state
    if c == "!":
        return comment_end_bang_state
    if c == "-":
        t.collect(c)
        return comment_end_state
    if c == EOF:
        return _end_comment_at_eof(t)
    t.collect("--")
    t.reconsume()
    return comment_state


def comment_end_bang_state(t: Tokenizer) -> State | None:
    """§1.3.20 Comment end bang state; "-" keeps both dashes (D-072)."""
    c = t.consume()
    if c == "-":
        t.collect("--!")
        return comment_end_dash_state
    if c == ">":
        t.error("incorrectly-closed-comment")
        t.emit_comment()
        return data_state
    if c == EOF:
        return _end_comment_at_eof(t)
    t.collect("--!")
    t.reconsume()
    return comment_state


def _end_comment_at_eof(t: Tokenizer) -> State:
    """Take the EOF branch of the comment states: "Parse error. Emit the comment token. Emit an end-of-file token."."""
    t.error_in_unclosed("eof-in-comment")
    t.reconsume()
    t.emit_comment()
    return data_state


def cdata_state(t: Tokenizer) -> State | None:
    """§1.3.21 CDATA state."""
    c = t.emit_until(_CDATA_STOP)
    if c == "]":
        return cdata_bracket_state
    if c == EOF:
        return _end_cdata_at_eof(t)
    return None


def cdata_bracket_state(t: Tokenizer) -> State | None:
    """§1.3.22 CDATA bracket state; "Anything else" goes on in the CDATA state (D-075)."""
    c = t.consume()
    if c == "]":
        return cdata_end_state
    if c == EOF:
        return _end_cdata_at_eof(t)
    t.emit_characters("]" + c)
    return cdata_state


def cdata_end_state(t: Tokenizer) -> State | None:
    """§1.3.23 CDATA end state."""
    c = t.consume()
    if c == ">":
        t.end_cdata()
        return data_state
    if c == "]":
        # The first of the three is text; the others may yet be the end.
        t.skip(-2)
        t.emit_characters(c)
        t.skip(2)
        return cdata_end_state
    if c == EOF:
        return _end_cdata_at_eof(t)
    t.emit_characters("]]" + c)
    return cdata_state


def _end_cdata_at_eof(t: Tokenizer) -> State:
    """Take the EOF branch of the CDATA states: "Parse error. Reprocess … in the data state."."""
    t.error_in_unclosed_cdata()
    t.end_cdata()
    t.reconsume()
    return data_state


def tag_name_state(t: Tokenizer) -> State | None:
    """§1.3.24 Tag name state."""
    c = t.collect_until(_TAG_NAME_STOP)
    if c is None:
        return None
    t.finish_tag_name()
    if c in SPACE:
        return tag_attribute_name_before_state
    if c == ">":
        return t.emit_tag()
    if c == "/":
        t.empty = True
        return empty_tag_state
    return _end_tag_at_eof(t)


def empty_tag_state(t: Tokenizer) -> State | None:
    """§1.3.25 Empty tag state; `t.empty`, which was set before, stays set until an attribute starts (D-047)."""
    c = t.consume()
    if c == ">":
        return t.emit_tag()
    if c == EOF:
        t.error_at_end("eof-in-tag", "")
    else:
        t.error_at_previous("unexpected-solidus-in-tag")
    t.reconsume()
    return tag_attribute_name_before_state


def tag_attribute_name_before_state(t: Tokenizer) -> State | None:
    """§1.3.26 Tag attribute name before state."""
    c = t.consume()
    if c in SPACE:
        t.run_until(_NO_SPACE)
        return tag_attribute_name_before_state
    if c == ">":
        return t.emit_tag()
    if c == "/":
        t.empty = True
        return empty_tag_state
    if c == ":":
        t.error("colon-before-attr")
        return tag_attribute_name_before_state
    if c == EOF:
        return _end_tag_at_eof(t)
    if t.is_right_after_value():
        t.error("missing-whitespace-between-attributes")
    t.start_attribute(c)
    return tag_attribute_name_state


def tag_attribute_name_state(t: Tokenizer) -> State | None:
    """§1.3.27 Tag attribute name state."""
    c = t.collect_until(_ATTRIBUTE_NAME_STOP)
    if c is None or not t.sees_after_tag():
        return None
    t.finish_attribute_name()  # "When the user agent leaves this state"
    if c == "=":
        return tag_attribute_value_before_state
    if c in SPACE:
        return tag_attribute_name_after_state
    if c == ">":
        t.error_without_value("attribute-without-value")
        return t.emit_tag()
    if c == "/":
        t.error_without_value("attribute-without-value")
        t.empty = True
        return empty_tag_state
    return _end_tag_at_eof(t)


def tag_attribute_name_after_state(t: Tokenizer) -> State | None:
    """§1.3.28 Tag attribute name after state."""
    c = t.consume()
    if c in SPACE:
        return tag_attribute_name_after_state
    if c == "=":
        return tag_attribute_value_before_state
    if c == EOF:
        return _end_tag_at_eof(t)
    if not t.sees_after_tag():
        return None
    t.error_without_value("attribute-without-value")
    if c == ">":
        return t.emit_tag()
    if c == "/":
        t.empty = True
        return empty_tag_state
    t.start_attribute(c)
    return tag_attribute_name_state


def tag_attribute_value_before_state(t: Tokenizer) -> State | None:
    """§1.3.29 Tag attribute value before state."""
    c = t.consume()
    if c in SPACE:
        return tag_attribute_value_before_state
    if c == EOF:
        return _end_tag_at_eof(t)
    if c == ">":
        if not t.sees_after_tag():
            return None
        t.error_without_value("missing-attribute-value")
        return t.emit_tag()
    t.reconsume()
    if not t.hold_duplicate():
        return None
    t.consume()
    if c == '"':
        return tag_attribute_value_double_quoted_state
    if c == "'":
        return tag_attribute_value_single_quoted_state
    if c == "\\" and t.known is not None:
        return t.known.backslash_state(t)
    t.begin_unquoted_value()
    return tag_attribute_value_unquoted_state


def tag_attribute_value_double_quoted_state(t: Tokenizer) -> State | None:
    """§1.3.30 Tag attribute value double quoted state."""
    return _quoted_value(t, _DOUBLE_QUOTED_STOP, tag_attribute_value_double_quoted_state)


def tag_attribute_value_single_quoted_state(t: Tokenizer) -> State | None:
    """§1.3.31 Tag attribute value single quoted state; the quote is U+0027 (D-054)."""
    return _quoted_value(t, _SINGLE_QUOTED_STOP, tag_attribute_value_single_quoted_state)


def _quoted_value(t: Tokenizer, stop: re.Pattern[str], state: State) -> State | None:
    """Take the branches of §1.3.30 and §1.3.31."""
    c = t.collect_value_until(stop)
    if c == "&":
        t.return_state = state
        return character_reference_in_attribute_value_state
    if c == EOF:
        return _end_value_at_eof(t)
    if c is not None:
        t.finish_attribute_value(quoted=True)
        return tag_attribute_name_before_state
    return None


def tag_attribute_value_unquoted_state(t: Tokenizer) -> State | None:
    """§1.3.32 Tag attribute value unquoted state."""
    c = t.collect_value_until(_UNQUOTED_STOP, is_quoted=False)
    if c in SPACE:
        t.finish_attribute_value()
        return tag_attribute_name_before_state
    if c == "&":
        t.return_state = tag_attribute_value_unquoted_state
        return character_reference_in_attribute_value_state
    if c == ">":
        t.finish_attribute_value()
        return t.emit_tag()
    if c == EOF:
        return _end_value_at_eof(t)
    return None


def _end_value_at_eof(t: Tokenizer) -> State:
    """Take the EOF branch of the attribute value states."""
    t.error_in_unclosed_value()
    t.finish_attribute_value()
    t.reconsume()
    t.emit_tag()
    return data_state


def _end_tag_at_eof(t: Tokenizer) -> State:
    """Take the EOF branch of the other tag states: "Parse error. Emit the current token and then reprocess …"."""
    t.report_duplicate()
    t.error_at_end("eof-in-tag", "")
    t.reconsume()
    t.emit_tag()
    return data_state


def character_reference_in_attribute_value_state(t: Tokenizer) -> State | None:
    """§1.3.33 Character reference in attribute value state."""
    reference = tokenizing_character_references(t)
    if reference is None:
        return None
    t.collect_reference(reference)
    return t.return_state


def bogus_comment_state(t: Tokenizer) -> State | None:
    """§1.3.34 Bogus comment state."""
    c = t.collect_until(_GREATER_THAN)
    if c is None:
        return None
    if c == EOF:
        t.reconsume()
    t.emit_comment()
    return data_state


def tokenizing_character_references(t: Tokenizer) -> Reference | None:
    """§1.3.35 Tokenizing character references; None to wait for more input.

    `xml5tree.xml.references` defines the extent and meaning of a reference. The draft's additional allowed character is
    not needed: neither a quote nor ">" could begin a reference (D-027).
    """
    return t.consume_reference()
