"""What a scan is: the contract that the pure scan and the compiled one fulfil, each in its own way."""

from typing import Any, NamedTuple, Protocol

__all__ = ["Cache", "Default", "Limits", "Run", "Scan", "Scanner", "TagRule"]


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
        added: how many characters of attribute defaults may be added.
        least: bytes that it is not worth starting a scan for.
        has_fifth_edition_names: whether names of the fifth edition of XML 1.0 can be written, or only those of the
            fourth. A scan may take the smaller set either way.
        references: what the markup has for a reference to an entity that is not declared, by its name in UTF-8; it has
            neither white space nor "]". None: the states read all ampersands that are errors. A scan may leave them to
            the states either way.
    """

    levels: int
    added: int
    least: int
    has_fifth_edition_names: bool
    references: dict[bytes, bytes] | None = None


class Run(NamedTuple):
    """A clean run: content that can be written verbatim, but for attribute defaults, and ampersands.

    Attributes:
        end: where it ends.
        resume: before this place it is pointless to ask again: there is nothing but text and the start of a token that
            the states must read. It is `start` where the scan gave up before it read anything.
        markup: the run with the attribute defaults, with ``&amp;`` for each ampersand that can only be text, and with
            what stands for each reference that the limits have; None where there are none of these.
        ended: how many of the open elements it ends.
        opened: the names of the elements that it opens and does not end.
        characters: how many characters it takes up.
        newlines: how many of these are newlines.
        cost: the characters of the attribute defaults.
        ampersands: for each of these ampersands, and of those that begin these references, how many characters of the
            run come before it, and how many of them are newlines. Each is an error.
    """

    end: int
    resume: int
    markup: bytes | None
    ended: int
    opened: list[str]
    characters: int
    newlines: int
    cost: int
    ampersands: tuple[tuple[int, int], ...] = ()


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

    The states define what a document means. Within a run they would find no error but at these ampersands, and write
    every token as it stands but for these.
    So a run consists of whole tags, comments, CDATA sections and processing instructions, and of text. It ends after a
    text where what follows cannot change that text's meaning: no ``]`` that ``]]>`` may come of and no unfinished
    reference is at its end. These are checked:

    * all characters are such that XML allows them;
    * text has no ``]]>``, and all references in text and in attribute values are to characters that XML allows, or to
      one of the five entities that every document has;
    * or, if the limits have any, to one of the names there; or the ampersand is text whatever is declared, because
      neither ``#`` nor a name follows, or no ``;`` after the name. Where this is in an attribute value, the rest of the
      tag is as the states write it anew: with one space before attributes, and with double quotes;
    * names of elements and attributes are names of the edition; they have at most one colon, which is inside, and
      prefixes are `xml` or in scope;
    * attributes have quoted values without ``<``, and white space between them; no two have the same name or the same
      expanded name, and none declares a namespace;
    * end tags match the elements that were opened in the run, and then the open elements;
    * comments have no ``--`` inside, and do not end with ``--->``; CDATA sections are not empty, because empty ones
      are not written (E11 of D-001); targets of processing instructions are names of ASCII without a colon, and not
      ``xml`` in any case; there are no declarations;
    * no more elements are opened than the limit of levels allows;
    * tags that attribute declarations change obey `TagRule`, and the budget holds what is added.

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
    ) -> Run | tuple[int, int, bytes | None, int, list[str], int, int, int, tuple[tuple[int, int], ...]]:
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
        takes_ampersands: whether runs go on past ampersands that are errors, where the limits allow it.
    """

    name: str
    scan: Scan
    least: int
    rest: int
    takes_ampersands: bool = False
