"""`xml5tree repair`: writes well-formed markup."""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from itertools import chain, tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import click

from xml5tree.cli.editlist import EditWriter, changed_lines, unified
from xml5tree.cli.folders import is_committed
from xml5tree.cli.jobs import for_each, strictly
from xml5tree.cli.options import FAIL_ON, JOBS, Jobs, command, documents, known_encoding, option, reading
from xml5tree.cli.output import Encoder, NotEncodable, find_output_encoding
from xml5tree.cli.rendering import Terminal, printable
from xml5tree.cli.replacement import CannotWrite, Replacement, keep_original, write_beside
from xml5tree.cli.severity import OK, SERIOUS, USAGE, Severity, status_of
from xml5tree.cli.sidebyside import segments
from xml5tree.cli.sources import CannotRead, InputDocument, Member, complain, reason
from xml5tree.containers import Content
from xml5tree.dialects import find_dialect
from xml5tree.drive import drive
from xml5tree.editing import Edit
from xml5tree.errors.codes import KEPT, LOST, MOVED
from xml5tree.errors.log import ParseError
from xml5tree.errors.wording import number_of
from xml5tree.input.labels import family
from xml5tree.options import Options, assuming_nothing
from xml5tree.parser import Repairer

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


#: Errors that are listed beside a file that was replaced.
_LISTED: Final = 10_000
#: A document in a container is repaired, and differs.
_CHANGED: Final = -1
_COLOURS: Final = {"-": "red", "+": "green", "@": "cyan"}


class _Repair:
    """The repair of one document, whose `source` has the number of its faults, and how bad they are."""

    def __init__(
        self,
        source: InputDocument,
        reading: Options,
        encoding: str | None = None,
        *,
        lists: bool = False,
        edits: list[Edit] | None = None,
    ) -> None:
        """Get ready.

        The markup is to be in an `encoding`; None: it keeps encoding and line breaks, in a dialect that tells edits.
        With `lists`, a file lists the errors. `edits` notes the edits.
        """
        self.source = source
        self._encoding = encoding
        self._lists = lists
        severity = source.severity = Severity()
        options: Options = {
            **reading,
            "max_errors": _LISTED if lists else 0,
            "on_error": severity.take,
            "filename": source.name,
        }
        self._repairer = Repairer(edits=edits, output_encoding=None if encoding is None else "utf-8", **options)
        self.has_written = False
        #: What is lost without an error of the document, and how much.
        self.losses: Counter[str] = Counter()

    def _count_loss(self, what: str, number: int = 1) -> None:
        self.source.severity.effects[what] = LOST
        self.losses[what] += number

    @property
    def errors(self) -> int:
        return self.source.severity.number

    @property
    def is_harmless(self) -> bool:
        return self.source.severity.effect == KEPT and not self.source.severity.truncated

    def is_unchanged(self) -> bool:
        """Return whether the document needs no repair and keeps its encoding; if not, count what is not written."""
        if not self.errors and self.is_harmless and self._encoding is None:
            return True
        if self._repairer.omits_declarations:
            self._count_loss("declarations of the DOCTYPE")
        return False

    def repaired(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the blocks of the document, b"" at the end, each with the markup that is certain then.

        The markup comes in parts that end between tokens. Raises `ParseError` or `CannotRead`.
        """
        blocks, fed = tee(self.source.blocks(advances=True))
        steps: Iterator[Any] = drive(self._repairer, fed, lambda: self.source.damage)
        yield from zip(chain(blocks, (b"",)), steps, strict=True)
        self.source.severity.close(truncated=self._repairer.error_log.truncated)

    def write(self, file: "SupportsWrite[bytes]", *, to_stdout: bool = False) -> None:
        """Write the repaired markup to `file`, which is standard output if `to_stdout` is True.

        In an encoding that was asked for, lines end as the document's first one, on a terminal in LF. Raises what
        `repaired` raises, and `NotEncodable` for a character of a name that the encoding lacks.
        """
        encoder: Encoder | None = None
        for _, markup in self.repaired():
            if not markup:
                continue
            if self._encoding is not None:
                is_shown = to_stdout and sys.stdout.isatty()
                encoder = encoder or Encoder(self._encoding, "\n" if is_shown else self.source.newline)
                markup = encoder.encode(markup.decode())
            file.write(markup)
            self.has_written = True
            self.source.leaves_line_open = to_stdout and not markup.rstrip(b"\0").endswith((b"\n", b"\r"))
        if encoder is not None and encoder.altered:
            self._count_loss(f"comments with characters that {encoder.name} does not have", encoder.altered)

    def write_beside(self, path: Path) -> Iterator[Path]:
        """Write what is to be beside the file at a path; yield the path of each file."""
        if self._lists and self.errors:
            yield write_beside(path, ".repairs", self._protocol())

    def close(self) -> None:
        pass

    def status(self, fail_on: frozenset[str]) -> int:
        return status_of(self.source.severity, fail_on) if fail_on else OK

    def account(self, *, is_written: bool = True) -> str:
        """Return in words what was repaired, moved and lost, or with `is_written` False, what would be."""
        parts = [number_of(self.errors, "error") + " repaired" * is_written]
        verb = "is" if is_written else "would be"
        for effect in (MOVED, LOST):
            counts = {code: count for (code, of), count in self.source.severity.fault_counts.items() if of == effect}
            counts |= self.losses if effect == LOST else {}
            if counts:
                listed = ", ".join(f"{what} ({count:,})" for what, count in counts.items())
                parts.append(f"content {verb} {effect}: {listed}")
        if self.source.severity.truncated:
            parts.append("the document is cut off")
        return "; ".join(parts)

    def _protocol(self) -> Iterator[str]:
        """Yield the lines of a file that lists the errors."""
        yield f"{self.source.name}: {self.account()}\n"
        for fault in self._repairer.error_log.faults():
            message = printable(fault.message)
            yield f"{fault.line}:{fault.column + 1}: {fault.code}: {message} (content is {fault.effect})\n"
        if omitted := self._repairer.error_log.omitted:
            yield f"and {number_of(omitted, 'more error')}\n"


class _Edited(_Repair):
    """The repair of one document as its edits."""

    def __init__(
        self,
        source: InputDocument,
        reading: Options,
        *,
        lists: bool = False,
        write: Callable[[str], object] | None = None,
    ) -> None:
        """Get ready; `write` takes the list of edits as it comes; without it, `write_beside` writes the list."""
        self._edits: list[Edit] = []
        super().__init__(source, reading, lists=lists, edits=self._edits)
        self._lines = tempfile.SpooledTemporaryFile(1 << 20, "w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        self._writer = EditWriter(write or self._lines.write, source.name, reading)

    def parts(self) -> Iterator[tuple[bytes, bytes, bool]]:
        """Yield the parts of the document, their replacements, and whether both differ."""
        writer = self._writer
        for block, markup in self.repaired():
            writer.before.take(block)
            writer.after.take(markup)
            for edit in self._edits:
                writer.add(edit)
            self._edits.clear()
            assert self._repairer._rewriting is not None
            yield from self._repairer._rewriting.parts
        writer.close(effect=self.source.severity.effect, truncated=self.source.severity.truncated)

    def write(self, file: "SupportsWrite[bytes]", *, to_stdout: bool = False) -> None:
        for _, after, _ in self.parts():
            file.write(after)

    def write_beside(self, path: Path) -> Iterator[Path]:
        self._lines.seek(0)
        yield write_beside(path, ".edits", self._lines)
        yield from super().write_beside(path)

    def close(self) -> None:
        self._lines.close()


class _Members(_Repair):
    """The repair of a ZIP container: of its members that are XML. One that cannot be repaired stays as it is."""

    def __init__(self, source: InputDocument, reading: Options, encoding: str | None, *, lists: bool) -> None:
        super().__init__(source, assuming_nothing(reading), encoding, lists=lists)
        self._reading = reading
        self._lines: list[str] = []
        self._unrepaired = OK

    def write(self, file: "SupportsWrite[bytes]", *, to_stdout: bool = False) -> None:
        repair = _guarded(strictly(self._repair, self._reading), "it stays as it is")
        with ExitStack() as stack:
            contents: dict[int, Content] = {}
            for member in self.source.members:
                self._content = stack.enter_context(closing(Content(member.info)))
                try:
                    status = repair(member)
                except CannotRead as error:
                    complain(member, reason(member, error))
                    status = USAGE
                if status == _CHANGED:
                    contents[member.number] = self._content
                else:
                    self._unrepaired = max(self._unrepaired, status)
            for part in self.source.rewritten(contents):
                file.write(part)

    def _repair(self, member: InputDocument, reading: Options) -> int:
        """Repair a member into the current content; return whether it changes, as a status."""
        work = _Repair(member, reading, self._encoding, lists=self._lists)
        work.write(self._content)
        if work.is_unchanged():
            return OK
        self.source.severity.add(member.severity)
        self.losses += work.losses
        if self._lists and work.errors:
            self._lines += work._protocol()
        return _CHANGED

    def status(self, fail_on: frozenset[str]) -> int:
        return max(super().status(fail_on), self._unrepaired)

    def _protocol(self) -> Iterator[str]:
        yield f"{self.source.name}: {self.account()}\n"
        yield from self._lines


def _output_encoding(ctx: click.Context, parameter: click.Parameter, label: str | None) -> str | None:
    """Return Python's name of the encoding that the option names; refuse those that not every parser reads."""
    if known_encoding(ctx, parameter, label) is None:
        return None
    encoding = find_output_encoding(str(label))
    if encoding is None:
        raise click.BadParameter(
            f"not every XML parser reads {label!r}; choose UTF-8, UTF-16, ASCII, ISO 8859, windows-125x or KOI8"
        )
    return encoding


@command(
    "Write documents as well-formed XML.",
    documents(opens=False),
    option(
        *("-o", "--output"),
        metavar="OUT",
        help="Write to this file; without, to standard output. Of a folder, write to such files below the folder OUT.",
    ),
    option(
        "--in-place",
        is_flag=True,
        help="Replace each file; the original is kept as FILE.orig, and what was repaired is listed in FILE.repairs.",
    ),
    option(
        "--force",
        is_flag=True,
        help="With --in-place: replace a file even if content is moved or lost, or its end. Without: read a document "
        "even if it does not look like XML.",
    ),
    option(
        "--backup/--no-backup",
        default=None,
        help="With --in-place: write FILE.orig and FILE.repairs. [default: unless git's last commit has the file as it "
        "is]",
    ),
    option("--diff", is_flag=True, help="Write nothing but show what would change, as a unified diff."),
    option(
        "--encoding",
        metavar="NAME",
        callback=_output_encoding,
        help="Encoding of the output: UTF-8, UTF-16, ASCII, ISO 8859, windows-125x or KOI8. [default: that of the "
        "document, UTF-8 if that is none of these]",
    ),
    option(
        *("--edits", "listing"),
        type=click.Choice(["json", "patch"]),
        help="Write not the document but what is changed: a list for 'apply', or a unified diff for patch and git.",
    ),
    option(
        "--manifest",
        is_flag=True,
        help="List the edits, with SHA-256 of before and after, beside what is written, in OUT.edits; encoding and "
        "line breaks are kept. 'apply --undo' gives the document back.",
    ),
    FAIL_ON,
    JOBS,
    reading(html_lacks="cannot be repaired", has_force=False),
)
def repair(
    sources: list[InputDocument],
    output: str | None,
    in_place: bool,
    force: bool,
    backup: bool | None,
    diff: bool,
    encoding: str | None,
    listing: Literal["json", "patch"] | None,
    manifest: bool,
    fail_on: frozenset[str],
    jobs: Jobs,
    reading: Options,
) -> int:
    """Write documents as well-formed XML, whatever their size.

    What needs no repair stays as it is. The declarations of a DOCTYPE are obeyed, but not written.

    Of a folder, all files with the names of XML are repaired, with -o to files of the same names
    below another folder.

    A file is replaced whole or not at all. --in-place leaves well-formed files alone, and so it does
    with those that are cut off or of which content would be moved or lost, unless there is --force.

    \b
    The exit status is that of the worst file:
      0  written
      2  not written: there is no tree; or, with --in-place, the document is cut off, or content would
         be moved or lost
      3  wrong usage, or a file cannot be read or written
    If a document has what --fail-on names, it is written all the same, and the status is that
    of 'check'.
    """  # noqa: D301 (click reads the backspace: what follows is not wrapped)
    target = None if output in {None, "-"} else Path(str(output))
    has_folder = target is not None and (
        str(output).endswith(("/", os.sep))
        or any(source.in_folder for source in sources)
        or (len(sources) > 1 and target.is_dir())
    )
    dialect = reading["dialect"]
    is_patch = listing == "patch" and target is None  # which may be of several files
    wrong = {
        "--in-place, --diff and --output exclude each other.": in_place + diff + (output is not None) > 1,
        "--edits excludes --in-place, --diff, --manifest and --encoding.": listing is not None
        and (in_place or diff or manifest or encoding is not None),
        "--manifest needs --in-place or --output, and excludes --encoding.": manifest
        and (diff or encoding is not None or (not in_place and target is None)),
        f"--dialect {dialect} repairs nothing, so there are no edits.": (listing is not None or manifest)
        and not find_dialect(dialect).tells_edits,
        "Standard input, URLs and single members cannot be replaced in place.": in_place
        and any(source.path is None or isinstance(source, Member) for source in sources),
        "--backup and --no-backup need --in-place.": backup is not None and not in_place,
        "Of several files, none was repaired: --in-place, --diff or a folder to write to is needed.": len(sources) > 1
        and not (in_place or diff or has_folder or is_patch),
    }
    for message, is_wrong in wrong.items():
        if is_wrong:
            raise click.UsageError(message)
    reading["force"] = force and not in_place  # a file that is no XML is never replaced
    if target is not None and has_folder:
        _check_targets(sources, target)
    asked = _Asked(target, has_folder, encoding, "diff" if diff else listing, manifest, force, backup, fail_on)
    action = asked.replace if in_place else asked.list if asked.listing else asked.write

    def act(source: InputDocument) -> int:
        if not source.members:
            status: int = strictly(action, reading)(source)
            return status
        if diff:
            return max(map(_guarded(act), source.members))
        if listing is not None or manifest:
            complain(source, f"edits are of one document; name it, as {source.members[0].name}")
            return USAGE
        return action(source, reading)

    return for_each(sources, _guarded(act), jobs)


def _check_targets(sources: Sequence[InputDocument], folder: Path) -> None:
    """Refuse targets below a folder that are read, or written twice."""
    read = {os.path.realpath(source.path) for source in sources if source.path is not None}
    written: set[str] = set()
    for source in sources:
        if source.path is None:
            raise click.UsageError("Standard input and URLs have no name below a folder.")
        path = os.path.realpath(folder / source.below)
        if path in read:
            raise click.UsageError(f"{printable(path)} would be written, and is read; --in-place replaces files.")
        if path in written:
            raise click.UsageError(f"Two files would be written to {printable(path)}.")
        written.add(path)


def _guarded(
    action: Callable[[InputDocument], int], outcome: str = "nothing was written"
) -> Callable[[InputDocument], int]:
    """Return a function that carries out an action for a document, and complains where that fails."""

    def act(source: InputDocument) -> int:
        try:
            return action(source)
        except ParseError as error:
            complain(source, f"{source.refusal(error)}; {outcome}")
            return SERIOUS
        except NotEncodable as error:
            complain(source, f"{outcome}: {error}")
            return USAGE

    return act


def _commit(replacement: Replacement, beside: Iterable[Path]) -> None:
    """Put a file in its place after the files that come `beside` it; if that fails, remove them."""
    with ExitStack() as undo:
        for path in beside:
            undo.callback(path.unlink, missing_ok=True)
        replacement.commit()
        undo.pop_all()


class _Asked(NamedTuple):
    """The task of the command: where to write, a folder or not, and how; its methods do it for a document."""

    target: Path | None
    has_folder: bool
    encoding: str | None
    listing: Literal["json", "patch", "diff"] | None
    manifest: bool
    force: bool
    backup: bool | None
    fail_on: frozenset[str]

    def _work(self, source: InputDocument, reading: Options, *, lists: bool = False) -> _Repair:
        """Return the repair of a document, or of the documents in a container."""
        if source.members:
            return _Members(source, reading, self.encoding, lists=lists)
        if self.manifest:
            return _Edited(source, reading, lists=lists)
        return _Repair(source, reading, self.encoding, lists=lists)

    def _path(self, source: InputDocument) -> Path | None:
        """Return the path of what is written for a document, in an existing folder; None for standard output."""
        if self.target is None or not self.has_folder:
            return self.target
        source.look()
        path = self.target / source.below
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = f"cannot make {printable(str(path.parent))}: {error.strerror}"
            raise CannotWrite(error.errno, problem) from error
        return path

    def write(self, source: InputDocument, reading: Options) -> int:
        """Repair a document to a file, which in a folder is compressed as the document is, or to standard output."""
        path = self._path(source)
        if path is None:
            return self._print(source, reading)
        if source.is_at(path):
            raise click.UsageError("The output is the file itself; --in-place replaces it and keeps the original.")
        work = self._work(source, reading)
        compression = source.compression if self.has_folder else ""
        with closing(work), Replacement(path, compression=compression) as replacement:
            work.write(replacement)
            _commit(replacement, work.write_beside(path))
        if replacement.remarks:
            complain(source, f"{path}: {'; '.join(replacement.remarks)}")
        if work.errors:
            complain(source, work.account())
        return work.status(self.fail_on)

    def _print(self, source: InputDocument, reading: Options) -> int:
        is_terminal = sys.stdout.isatty()
        encoding = self.encoding or ("utf-8" if is_terminal else None)
        if is_terminal and source.members:
            raise click.UsageError("A ZIP container is not shown on a terminal; -o writes it to a file.")
        work = self._replace(encoding=encoding)._work(source, reading)
        file: Any = Terminal(family(str(encoding))) if is_terminal else sys.stdout.buffer
        try:
            work.write(file, to_stdout=True)
        except ParseError as error:
            if not work.has_written:
                raise
            sys.stdout.flush()
            complain(source, f"{source.refusal(error)}; only what comes before was written")
            return SERIOUS
        sys.stdout.flush()
        if work.errors:
            complain(source, work.account())
        return work.status(self.fail_on)

    def replace(self, source: InputDocument, reading: Options) -> int:
        """Replace a document by its repair, unless content is moved or lost and there is no `force`.

        If `backup` is None, the original is kept unless a commit has it.
        """
        assert source.path is not None
        if source.path.exists() and not source.path.is_file() and not source.path.is_dir():
            complain(source, "is no file that can be replaced")
            return USAGE
        source.look()
        keeps = not is_committed(source.path) if self.backup is None else self.backup
        work = self._work(source, reading, lists=keeps)
        with closing(work), Replacement(source.path, compression=source.compression) as replacement:
            work.write(replacement)
            if work.is_unchanged():
                status = work.status(self.fail_on)
                complain(source, "not replaced" if status else "well-formed; not replaced")
                return status
            if not work.is_harmless and not self.force:
                complain(source, f"not replaced: {work.account(is_written=False)}; --force replaces it all the same")
                return SERIOUS
            kept = [keep_original(source.path)] if keeps else []
            _commit(replacement, chain(kept, work.write_beside(source.path)))
        # Beside a symbolic link there is no original, but beside the file that it refers to.
        remarks = [f"the original is kept as {it if source.path.is_symlink() else it.name}" for it in kept]
        complain(source, "; ".join([work.account(), *remarks, *replacement.remarks]))
        return work.status(self.fail_on)

    def list(self, source: InputDocument, reading: Options) -> int:
        """Write what would change: a list of edits, a patch, or lines for people."""
        path = self._path(source)
        # The repair goes first, so that there is no half of a list for a document without a tree.
        work = _Repair(source, reading)
        for _ in work.repaired():
            pass
        with nullcontext() if path is None else Replacement(path) as replacement:
            write: Callable[[bytes], object] = sys.stdout.buffer.write if replacement is None else replacement.write
            if self.listing == "diff":
                parts = (
                    (it.before.encode(), it.after.encode(), it.is_changed) for it in segments(source.blocks, reading)
                )
                for encoded in unified(changed_lines(parts), f"{source.name}", f"{source.name} (repaired)"):
                    text = encoded.decode().rstrip("\n")
                    shown = printable(text, lines=True) if sys.stdout.isatty() else text
                    click.secho(shown, fg=_COLOURS.get(text[0]))
            elif self.listing == "json":
                with closing(_Edited(source, reading, write=lambda text: write(text.encode()))) as work:
                    for _ in work.parts():
                        pass
            else:
                # A TAB after a name with spaces tells `patch` where it ends.
                name = source.name if source.path is None else os.path.normpath(source.name)
                name += "\t" * (" " in name)
                with closing(_Edited(source, reading, write=lambda text: None)) as work:
                    for line in unified(changed_lines(work.parts()), f"a/{name}", f"b/{name}"):
                        write(line)
            if replacement is None:
                sys.stdout.flush()
            else:
                replacement.commit()
        return OK if self.listing == "diff" else work.status(self.fail_on)
