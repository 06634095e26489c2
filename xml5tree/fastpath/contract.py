"""What a scan is: the contract that the pure scan and the compiled one fulfil, each in its own way."""

from typing import Any, NamedTuple, Protocol

from xml5tree.errors.codes import Effect

__all__ = [
    "Adopted",
    "Cache",
    "Default",
    "Expansion",
    "Limits",
    "Run",
    "RunError",
    "Scan",
    "Scanner",
    "Scope",
    "TagRule",
]


class Default(NamedTuple):
    """An attribute default that a start tag without the attribute gets.

    Attributes:
        name: the attribute's raw name, in UTF-8.
        markup: what is put into the tag, with the space before it.
        cost: what that costs of the budget, in characters.
    """

    name: bytes
    markup: bytes
    cost: int


class TagRule(NamedTuple):
    """What attribute declarations do to the start and empty tags of one element.

    Attributes:
        is_rewritten: such a tag must be left to the states, as it may have to be written anew.
        is_collapsed: so it must where white space would have to be collapsed in one of its attribute values.
        defaults: what is added to the tag, in this order; a tag with two prefixed attributes, too, must then be left
            to the states.
    """

    is_rewritten: bool
    is_collapsed: bool
    defaults: tuple[Default, ...]


class Limits(NamedTuple):
    """The limits of one scan.

    Attributes:
        levels: how many more elements may be open at a time.
        added: how many characters of attribute defaults and of entities may be added, as the budget counts them.
        least: bytes that it is not worth starting a scan for.
        has_fifth_edition_names: whether names of the fifth edition of XML 1.0 can be written, or only those of the
            fourth. A scan may take the smaller set either way.
        references: what the markup has for a reference to an entity that is not declared, by its name in UTF-8; it has
            neither white space nor "]". None: the states read all that is an error. A scan may leave that to the states
            either way.
        all_open: the names of all open elements. None: the states read all end tags that are errors, and values without
            quotes that have a quote or end in a slash before ">", so that tags can be found in the run by what is
            between quotes.
        adopted: what a prefix that is not in scope is bound to where it is used. None: the states read all such tags.
        unended: names in UTF-8 of which the states must read a reference without a semicolon, as the keys of a
            dictionary; then they also read what else `recovery="intent"` may doubt, see `Scan`. None: there are none.
        entities: what references to declared entities come to that stand for text, by the names in UTF-8. None: there
            are none, or the states read all such references.
        broken: whether a run may have tags and references with the errors that the draft decides from the token itself,
            see `Scan`. A scan may leave them to the states either way.
        keeps_lines: whether tags that are written anew as a whole keep their newlines, before their ends; if not, the
            states read such tags that have any, as a run has as many in its markup as in the document.
    """

    levels: int
    added: int
    least: int
    has_fifth_edition_names: bool
    references: dict[bytes, bytes] | None = None
    all_open: dict[str, int] | None = None
    adopted: "dict[bytes, Adopted] | None" = None
    unended: dict[bytes, None] | None = None
    entities: "dict[bytes, Expansion] | None" = None
    broken: bool = False
    keeps_lines: bool = True


class Expansion(NamedTuple):
    """What a reference to a declared entity comes to, of which the last line has something visible.

    Attributes:
        text: the markup in text; it has no ``]``.
        value: the markup in an attribute value, in double quotes.
        cost: what the reference costs of the budget, with all that it leads to.
    """

    text: bytes
    value: bytes
    cost: int


class Adopted(NamedTuple):
    """What a prefix that is not in scope is bound to.

    Attributes:
        uri: the namespace name, in UTF-8.
        markup: the declaration, with the space before it.
        is_alone: whether it is so only where no other prefix is bound at an element of the run, as that may be of the
            prefix's family.
    """

    uri: bytes
    markup: bytes
    is_alone: bool = False


#: An error in a run: how many characters of the run come before it, how many of them are newlines, the error code,
#: details, see `Run`, and its effect on content, where that is not what is usual for the code.
RunError = tuple[int, int, str, tuple[Any, ...], Effect | None]

#: A prefix that is bound at an element of a run: the index of the element among those that the run opens, the prefix
#: ("" for names without one), and the namespace name.
Scope = tuple[int, str, str]


class Run(NamedTuple):
    """A clean run: content to be written verbatim, but for what declarations add and errors of the simplest kinds.

    Attributes:
        end: where it ends.
        resume: before this place it is pointless to ask again: there is nothing but text and the start of a token that
            the states must read. It is `start` where the scan gave up before it read anything.
        markup: the run with the attribute defaults and what entities stand for, and repaired where there are errors;
            None where there is none of these.
        ended: how many of the open elements it ends.
        opened: the names of the elements that it opens and does not end.
        characters: how many characters it takes up.
        newlines: how many of these are newlines.
        cost: what attribute defaults and entities cost of the budget.
        errors: the errors in it, in the order in which the states find them. Details are those of the message. The code
            is "" for a reference to a name in the limits, which is the detail: the states tell what is wrong with it.
            Of wrong end tags the details are the name; how deep the run was at its shallowest since the wrong end tag
            before; how deep it is after this one; then, for ``mismatched-end-tag``, the name of the current element,
            and how many elements are ended besides that of the end tag; for ``unmatched-end-tag``, whether nothing but
            white space follows in the run. Depths count from that at the start of the run.
        lowest: how deep the run is at its shallowest after the last wrong end tag in it; None where it has none.
        scopes: the prefixes that are bound at the elements in `opened`, from the outermost.
        renamed: the elements in `opened` that have another name in the markup, by their indices, and those names.
    """

    end: int
    resume: int
    markup: bytes | None
    ended: int
    opened: list[str]
    characters: int
    newlines: int
    cost: int
    errors: tuple[RunError, ...] = ()
    lowest: int | None = None
    scopes: tuple[Scope, ...] = ()
    renamed: tuple[tuple[int, str], ...] = ()


_PlainRun = tuple[
    int,
    int,
    bytes | None,
    int,
    list[str],
    int,
    int,
    int,
    tuple[RunError, ...],
    int | None,
    tuple[Scope, ...],
    tuple[tuple[int, str], ...],
]


class Cache:
    """What a scan notes about one text, so that it need not find it out again.

    Whoever asks makes a new one for every text and hands it to each scan of that text, the places of which never go
    back. A run never depends on it.
    """

    __slots__ = ("notes",)

    def __init__(self) -> None:
        self.notes: Any = None


class Scan(Protocol):
    """A pure function that finds clean runs; all that it is allowed to remember is in the cache.

    The states define what a document means. Within a run they would write every token as it stands, but for the errors
    that the run has.
    So a run consists of whole tags, comments, CDATA sections and processing instructions, and of text. It ends after a
    text where what follows cannot change that text's meaning: no ``]`` that ``]]>`` may come of and no unfinished
    reference is at its end. These are checked:

    * all characters are such that XML allows them;
    * text has no ``]]>``, and all references in text and in attribute values are to characters that XML allows, or to
      one of the five entities that every document has, or of those in the limits, of which the budget holds what is
      added;
    * names of elements and attributes are names of the edition; they have at most one colon, which is inside, and
      prefixes are `xml` or in scope, declarations in the run included;
    * attributes have quoted values without ``<``, and white space between them; no two have the same name or the same
      expanded name;
    * an attribute that declares a namespace, which only is in elements without attribute declarations, has a value that
      every native parser takes for a namespace name as it stands, and that is not reserved;
    * end tags match the elements that were opened in the run, and then the open elements;
    * comments have no ``--`` inside, and do not end with ``--->``; CDATA sections are not empty; targets of processing
      instructions are names of ASCII without a colon, and not ``xml`` in any case; there are no declarations;
    * no more elements are opened than the limit of levels allows;
    * tags that attribute declarations change obey `TagRule`, and the budget holds what is added.

    If the limits have references, a run may have these errors, and its markup what the states would write for them:

    * A reference to one of the names in the limits; or an ampersand that is text whatever is declared, because neither
      ``#`` nor a name follows, or no ``;`` after the name.
    * A ``<`` or ``</`` that is text because of the character after it.
    * Forbidden characters in text, after which there is a tag, a comment or a processing instruction in the run. The
      first of a text is the error.
    * An attribute without a value, or of which the value is not quoted, or that is not separated from the one before;
      or that has the same name as one before and is dropped.
    * If the limits have the names of all open elements: an end tag ``</name>`` of an element that the run may end and
      that is not the current one; or of one that is not open, if no ``]`` stands before the tag, which is dropped.
    * A prefix that is not in scope, if the limits have it, in a tag whose other errors, if it has any, are of the same
      kind. It is bound at the element, which must have no attribute declarations.

    If the limits say so, it may have what else the draft decides from the token itself, in §1.3.24 to §1.3.35:
    numeric references with errors; ``]]>`` in text; start and empty tags with any error of names,
    values and what is between them, which are written anew as a whole; and an end tag with more than a name, or
    without one.

    If the limits have names of unended references, there is a policy (`recovery="intent"`), which reads some errors
    otherwise than the draft. Then a run has only errors that none of its rules doubts, and tags that it finds where the
    states do when it reads ahead.

    The states write a start or empty tag anew that has an error, or a reference to a declared entity. So a scan takes
    it only if it is like that but for these: with one space before attributes, which have double quotes and no
    references but some of the five. White space that is dropped from it has no newline.

    At any doubt a scan ends the run, which may be empty: it is never wrong to take less.
    """

    def __call__(
        self,
        data: bytes,
        start: int,
        stop: int,
        open_names: list[str],
        prefixes: dict[str, str],
        declared: dict[bytes, TagRule],
        limits: Limits,
        cache: Cache,
        /,
    ) -> Run | _PlainRun:
        """Find the clean run that begins at a place in a document.

        Args:
            data: a text of the document in UTF-8, which has no carriage returns.
            start: the place, which is in content, between two tokens or within text.
            stop: nothing from this place on is read.
            open_names: the names of the innermost open elements that the run may end, from the outermost.
            prefixes: the prefixes in scope, but for `xml`, and their namespaces.
            declared: what attribute declarations do, by the name of the element.
            limits: the limits.
            cache: that of the text.

        Returns:
            The run, of which the compiled scan gives the plain tuple.
        """


class Scanner(NamedTuple):
    """A scan, and when it pays to ask it.

    Attributes:
        name: ``"compiled"`` or ``"pure"``.
        scan: the function.
        least: characters that the states read in the time that the scan takes to start.
        rest: characters that are left to the states after several short runs in a row, which show that errors are
            dense there.
        takes_errors: whether runs go on past errors, where the limits allow it.
    """

    name: str
    scan: Scan
    least: int
    rest: int
    takes_errors: bool = False
