"""The interface of the compiled scan."""

from typing import Any, NamedTuple, Protocol

from xml5tree.errors.codes import Code, Effect
from xml5tree.errors.entry import Found

__all__ = [
    "Adopted",
    "Default",
    "Expansion",
    "Limits",
    "PlainRun",
    "Run",
    "RunError",
    "Scan",
    "Scope",
    "TagRule",
]


class Default(NamedTuple):
    """An attribute default that a start tag without the attribute gets."""

    name: bytes  # the raw name in UTF-8
    markup: bytes  # is added to the tag, beginning with a space
    cost: int  # the characters that it takes from the budget


class TagRule(NamedTuple):
    """The effect of attribute declarations on the start and empty tags of one element.

    The scan leaves a tag to the states if it may be written anew (`is_rewritten`), if white space in a value must be
    collapsed and `is_collapsed` is set, or if there are defaults and an attribute's name must be coerced.
    """

    is_rewritten: bool
    is_collapsed: bool
    defaults: tuple[Default, ...]  # in the order in which they are added


class Limits(NamedTuple):
    """The limits of one scan.

    `references`, `all_open`, `adopted` and `broken` permit errors in a run. Without them, the states read every error.
    A scan need not take every error that its limits permit; it may leave it to the states. Where `references` or
    `adopted` lack a name, they may find its value by ``__missing__``, and keep it.

    Attributes:
        max_depth: how deep elements may nest in the markup; deeper ones are attached to an outer one.
        added: the characters that attribute defaults and entities may still add, as the budget counts them.
        has_fifth_edition_names: names of the fifth edition of XML 1.0 can be written, not only those of the fourth.
        references: the markup for a reference to an undeclared entity, by the entity's name in UTF-8. The markup has
            neither white space nor "]". None: the states read every error.
        all_open: the names of all open elements. None: the states read every end tag that is an error, and every value
            without quotes that has a quote, or whose last character is a slash before ">". It is None where elements of
            a name are noted: patterns find the run's tags, and would misread such values.
        adopted: the namespace that a used prefix gets if it is not in scope. None: the states read all such tags.
        entities: the replacements of declared entities that are text, by their names in UTF-8. None: no entity is
            declared, or the states read all references to declared entities.
        broken: a run may have tags and references whose errors the draft decides from the token itself, see `Scan`.
        keeps_lines: newlines that are left out of the markup are before the end of the next tag.
        replaces_forbidden: characters that XML forbids, and references to them, are replaced in runs with `references`.
            If False, the states read them.
        is_outside: no element is open, and there has been none. A run has the root's start tag, and may have white
            space, comments and processing instructions before it and after the root element.
        uris: the forms of namespace names that native parsers read. None: the states read declarations whose names are
            not certainly readable.
        takes_pairs: two references to the halves of a surrogate pair are one to its character.
        flattens: a run has elements that are too deep; else the states read them.
        is_wrapped: XML declarations between the roots are left out, so that the states read them.
    """

    max_depth: int
    added: int
    has_fifth_edition_names: bool
    references: dict[bytes, bytes] | None = None
    all_open: dict[str, int] | None = None
    adopted: "dict[bytes, Adopted] | None" = None
    entities: "dict[bytes, Expansion] | None" = None
    broken: bool = False
    keeps_lines: bool = True
    replaces_forbidden: bool = True
    is_outside: bool = False
    uris: dict[bytes, bytes] | None = None
    takes_pairs: bool = False
    is_wrapped: bool = False
    flattens: bool = False


class Expansion(NamedTuple):
    """The replacement of a reference to a declared entity. Its last line is not blank."""

    text: bytes  # the markup where the reference is in text; it has no "]"
    value: bytes  # the markup where the reference is in an attribute value in double quotes
    cost: int  # the characters that the reference takes from the budget, nested references included


class Adopted(NamedTuple):
    """The namespace to which a prefix is bound that is used and not in scope, and its declaration, after a space."""

    uri: bytes
    markup: bytes
    # the binding holds only if no element of the run binds another prefix, perhaps of the same family
    is_alone: bool = False


#: What all errors of a kind have: the code, its `Code`, and the usual effect on content.
RunCode = tuple[str, Code, Effect]
#: An error in a run; or what the library decides: its offset, its code in `TreeBuilder.events`, and details.
RunError = Found | tuple[int, str, tuple[Any, ...]]

#: A prefix that is bound at an element of a run: the index of the element among those that the run opens, the prefix
#: ("" for names without one), the namespace name, and whether the markup has the declaration. If not, the name is None,
#: or that of `xml`, whose prefix is written.
Scope = tuple[int, str, str | None, bool]


class Run(NamedTuple):
    """A run: content that is written as it stands, but for added defaults, replaced entities and repaired errors.

    Attributes:
        end: the place where the run ends.
        resume: the earliest place worth a new scan. Before it there is only text and the start of a token that the
            states must read. Equal to `start` if the scan gave up before it read anything.
        markup: the run as it is written. None: exactly as it stands in the document.
        ended: the number of open elements that the run ends.
        opened: the names of the elements that the run opens and does not end.
        characters: the length of the run, in characters.
        newlines: the number of newlines in the run.
        cost: the characters that attribute defaults and entities take from the budget.
        errors: the errors in the run, in the order of their reports; `note_error` in accelerator/run.h has the rules.
            Details of a wrong end tag begin with its name, "least" and "level". "Least" is the least depth since the
            wrong end tag before, and "level" the depth after this one, both relative to the start of the run. The other
            details of ``mismatched-end-tag`` are the name of the current element, and the number of elements ended
            besides that of the end tag; of ``unmatched-end-tag``, whether only white space follows in the run.
        lowest: the least depth of the run after its last wrong end tag. None if it has no wrong end tag.
        scopes: the prefixes that are bound at the elements in `opened`, from the outermost.
        renamed: the elements in `opened` that have another name in the markup, as pairs of an index and that name.
        missing, flags: as the arguments of `Scan`, after the run.
    """

    end: int
    resume: int
    markup: bytes | None
    ended: int
    opened: list[str]
    characters: int
    newlines: int
    cost: int
    errors: list[RunError]
    lowest: int | None = None
    scopes: tuple[Scope, ...] = ()
    renamed: tuple[tuple[int, str], ...] = ()
    missing: int = 0
    flags: int = 0


#: A `Run` as the compiled scan returns it.
PlainRun = tuple[Any, ...]


class Scan(Protocol):
    """A function that finds runs, and remembers nothing.

    The states define what a document means. Within a run they would write every token as it stands, but for the errors
    that the run has. So a run consists of text and of whole tags, comments, CDATA sections and processing instructions.
    Text at the end of a run does not depend on what follows: it ends neither in a ``]`` that may begin ``]]>`` nor in
    an unfinished reference. At any doubt a scan ends the run, which may be empty. A shorter run is never wrong.

    A scan checks all of this:

    * XML allows every character.
    * Text has no ``]]>``. A reference is to a character that XML allows, to one of the five predefined entities, or to
      an entity in the limits. The budget holds what entities add.
    * Names of elements and attributes are names of the edition, with at most one colon, which is inside. Prefixes are
      `xml` or in scope, declarations in the run included.
    * Attributes have quoted values without ``<``, and white space between them. No two have the same name or the same
      expanded name.
    * The value of a namespace declaration is a namespace name for every native parser as it stands, and is not
      reserved.
    * End tags match the elements that were opened in the run, and then the open elements.
    * Comments have no ``--`` inside, and do not end with ``--->``. Targets of processing
      instructions are names of ASCII without a colon, and not ``xml`` in any case. There are no declarations.
    * Tags that attribute declarations change obey `TagRule`, and the budget holds what is added.

    If the limits have `references`, a run may have these errors, and its markup has what the states would write:

    * A reference to one of the names in the limits. An ampersand that is text whatever is declared, because neither
      ``#`` nor a name follows, or no ``;`` after the name.
    * A ``<`` or ``</`` that is text because of the character after it.
    * Forbidden characters in text. A text has one ``coerced-character``, at the first.
    * With `all_open`: an end tag of an open element that is not the current one and that the run may end. An end tag of
      an element that is not open, which is dropped.

    With `broken`, a run may also have errors of numeric references, ``]]>`` in text, and any error in a tag, a comment,
    a CDATA section or an instruction, with coerced names and values. The states read tags with a prefix that
    is no name.

    A start or empty tag is written anew if it has an error or a reference to a declared entity.
    """

    def __call__(
        self,
        data: bytes,
        start: int,
        stop: int,
        open_names: list[str],
        prefixes: dict[str, str | None],
        declared: dict[bytes, TagRule],
        limits: Limits,
        missing: int,
        flags: int,
        barrier: int,
        offset: int,
        line: int,
        column: int,
        codes: tuple[RunCode | None, ...],
        /,
    ) -> PlainRun:
        """Find the run that begins at a place in a document.

        Args:
            data: a text of the document in UTF-8, without carriage returns.
            start: the place. It is in content, between two tokens or within text.
            stop: the scan reads nothing from this place on.
            open_names: the names of the open elements, from the outermost.
            prefixes: the prefixes in scope without `xml`, and their namespaces; None if names have others in the
                markup.
            declared: the effect of attribute declarations, by the name of the element.
            limits: the limits of this scan.
            missing: how many newlines the markup lacks before `start`; less than 0: it has too many.
            flags: 1 if a forbidden character of the current text has been reported, and twice the number of brackets,
                at most two, in which the text in the markup ends; 8 if the markup of the run must have all newlines
                of the document; 16 if an element has been reported that is too deep, and all since have been, too; and
                32 if the markup has an element open at the greatest depth.
            barrier: the number of the outermost open elements that the run may not end.
            offset, line, column: the place of `start` in the document.
            codes: what errors have of each kind, in the order of `run_codes`.

        Returns:
            The run, as a plain tuple.
        """
