"""Tokens as xml5lib-tests writes them, and ways to get them."""

from xml5tree import tokens
from xml5tree.dialects.xml5.recorder import tokenize
from xml5tree.errors.entry import ErrorEntry
from xml5tree.options import Settings


def in_suite_form(token):
    """A token as the suite writes it."""
    match token:
        case tokens.StartTag(name, attributes):
            return ["StartTag", name, attributes]
        case tokens.EmptyTag(name, attributes):
            return ["EmptyTag", name, attributes]
        case tokens.EndTag(name):
            return ["EndTag", name]
        case tokens.ShortEndTag():
            return ["ShortTag", ""]
        case tokens.Characters(data):
            return ["Character", data]
        case tokens.Comment(data):
            return ["Comment", data]
        case tokens.ProcessingInstruction(target, data):
            return ["PI", target, data]
        case tokens.Doctype(name, public_id, system_id):
            return ["DOCTYPE", name, public_id, system_id]


def tokenize_in_pieces(pieces, recovery="draft", **options):
    """Tokens and error log of a text that is fed in pieces."""
    found = [*tokenize(pieces, Settings(recovery=recovery, **options), with_errors=True)]
    errors = [one for one in found if isinstance(one, ErrorEntry)]
    return [one for one in found if not isinstance(one, ErrorEntry)], sorted(errors, key=lambda error: error.offset)
