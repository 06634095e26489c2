"""Change the code in one place at a time, and see whether the tests notice.

usage: python compat/mutation.py [--count COUNT] [--seed SEED] [--modules PATH ...] [--tests PATH ...]

A mutant is the package with one change: a condition that is negated, a call or assignment that is left out, a constant
that is another. It is made in a copy of the repository, where the tests of `TESTS` run until one fails. What survives
is printed as a diff: it is either equivalent, so that no test could notice, or it shows what no test is about. (Beside
this, compat/mutations.py damages documents, not the code.)

The same seed chooses the same mutants, as long as the code is the same.
"""

import argparse
import ast
import difflib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

REPOSITORY: Final = Path(__file__).resolve().parent.parent
#: What is mutated unless something else is named: all that decides what a document means and how it is written.
MODULES: Final = tuple(f"xml5tree/{name}" for name in ("dialects", "dtd", "input", "machine", "output", "tree"))
#: What runs: first what takes seconds and notices most, and the rest where that passes.
TESTS: Final = tuple(
    tuple(f"tests/test_{name}.py" for name in names)
    for names in (
        ("decisions", "states", "namespaces", "tree_construction", "errors_doc", "declaration", "machine"),
        ("api", "content_models", "hidden_root", "core", "leafxml", "properties", "attacks"),
    )
)
#: Times of a run without a mutant after which a run is given up: the mutant does not come to an end.
_PATIENCE: Final = 5
_COPIED: Final = ("xml5tree", "tests", "compat", "docs", "pyproject.toml", "README.md")

_OTHER_OPERATORS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Change(NamedTuple):
    """Source code from one place to another, in bytes of UTF-8, and what takes its place."""

    start: int
    end: int
    replacement: str


class Mutant(NamedTuple):
    """A module in the repository, its source, and one change of that."""

    path: Path
    source: str
    change: Change

    def mutated(self) -> str:
        """The source with the change."""
        return mutate(self.source, self.change)

    def diff(self) -> str:
        """The change, as `diff -u` shows it."""
        name = str(self.path)
        lines = self.source.splitlines(), self.mutated().splitlines()
        return "\n".join(difflib.unified_diff(*lines, name, name, lineterm="", n=2))


def mutate(source: str, change: Change) -> str:
    """The source with the change."""
    data = source.encode()
    return (data[: change.start] + change.replacement.encode() + data[change.end :]).decode()


def changes(source: str) -> list[Change]:
    """All the changes that can be made to a module, in its order."""
    lines = [0]
    for line in source.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found = []
    for node, replacement in _replacements(ast.parse(source)):
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        found.append(Change(start, end, replacement))
    return sorted(set(found))


def _replacements(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Each node below one that can be replaced, with what replaces it; as often as there are ways to do so."""
    for child in _executed(node):
        match child:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from ((test, text) for text in _negated(test))
            case ast.comprehension(ifs=tests):
                yield from ((test, text) for test in tests for text in _negated(test))
        if isinstance(child, ast.stmt):
            yield from ((child, text) for text in _of_statement(child))
        if isinstance(child, ast.expr):
            yield from ((child, text) for text in _of_expression(child))
        yield from _replacements(child)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node that are run: no annotations, docstrings, exports, and what only a type checker reads."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "bases"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_no_code(child):
                yield child


def _is_no_code(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
        case ast.ClassDef(bases=[ast.Name(id="Protocol")]):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.JoinedStr():  # where its parts are in the source, Python says only from 3.12 on
            return True
    return False


def _of_statement(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Delete() | ast.Continue() | ast.Break():
            yield "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "pass"
        case ast.Return(value=None):
            yield "pass"
        case ast.Return(value=ast.Constant(value=None | False)):
            pass  # whoever asks whether something is so takes both alike
        case ast.Return():
            yield "return None"


def _of_expression(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(ops=[operator]):
            yield _text(ast.Compare(node.left, [_OTHER_OPERATORS[type(operator)]()], node.comparators))
        case ast.BoolOp():
            yield _text(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
            yield from map(_text, node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield _text(node.operand)
        case ast.BinOp(op=ast.Add()):
            yield _text(ast.BinOp(node.left, ast.Sub(), node.right))
        case ast.BinOp(op=ast.Sub()):
            yield _text(ast.BinOp(node.left, ast.Add(), node.right))
        case ast.Call(keywords=[_, *_]):
            for keyword in node.keywords:
                yield _text(ast.Call(node.func, node.args, [other for other in node.keywords if other is not keyword]))
        case ast.Constant():
            yield from map(repr, _other_values(node.value))


def _other_values(value: object) -> Iterator[object]:
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
            yield value - 1
        case str():
            yield "" if value else "x"
        case bytes():
            yield b"" if value else b"x"


def _negated(test: ast.expr) -> Iterator[str]:
    """The negation of a condition, where no other change of it comes to the same."""
    match test:
        case ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot() | ast.In()]):
            pass
        case _:
            yield _text(ast.UnaryOp(ast.Not(), test))


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


class Copy:
    """A copy of the repository, in which mutants live."""

    def __init__(self, folder: Path, tests: Iterable[Iterable[str]]) -> None:
        self._folder = folder
        self._commands = [
            [sys.executable, "-m", "pytest", "-n0", "-x", "-q", "-p", "no:cacheprovider", *some] for some in tests
        ]
        # Byte code would be taken for that of the next mutant if the file has the same size and time.
        self._environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        for name in _COPIED:
            source = REPOSITORY / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder / name)

    def run(self, patience: float | None = None) -> str:
        """Run the tests: "passed", "failed", or "too slow" if they take more seconds than `patience`."""
        end = None if patience is None else time.monotonic() + patience
        for command in self._commands:
            process = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                if process.wait(None if end is None else end - time.monotonic()):
                    return "failed"
            except subprocess.TimeoutExpired:
                return "too slow"
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)  # with what the tests have started
                    process.wait()
        return "passed"

    def outcome(self, mutant: Mutant, patience: float) -> str:
        """Run the tests on a mutant, and undo it."""
        path = self._folder / mutant.path
        path.write_text(mutant.mutated(), "utf-8")
        try:
            return self.run(patience)
        finally:
            path.write_text(mutant.source, "utf-8")


def choose(modules: Iterable[str], count: int, seed: int) -> list[Mutant]:
    """So many of all the mutants of the modules, or of the modules in the folders."""
    mutants = []
    for name in modules:
        named = REPOSITORY / name
        for path in sorted(named.rglob("*.py")) if named.is_dir() else [named]:
            source = path.read_text("utf-8")
            mutants += [Mutant(path.relative_to(REPOSITORY), source, change) for change in changes(source)]
    return Random(seed).sample(mutants, min(count, len(mutants)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="how many mutants (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="which of them (default: 0)")
    parser.add_argument("--modules", nargs="+", default=MODULES, help="files and folders (default: see MODULES)")
    parser.add_argument("--tests", nargs="+", help="what pytest runs (default: see TESTS)")
    arguments = parser.parse_args()
    mutants = choose(arguments.modules, arguments.count, arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder), [arguments.tests] if arguments.tests else TESTS)
        start = time.monotonic()
        if copy.run() != "passed":
            print("The tests fail without a mutant.")
            return 1
        patience = _PATIENCE * (time.monotonic() - start)
        outcomes = Counter[str]()
        for number, mutant in enumerate(mutants, start=1):
            outcome = copy.outcome(mutant, patience)
            outcomes[outcome] += 1
            if outcome == "passed":
                print(f"== {number} survives\n{mutant.diff()}\n", flush=True)
    noticed = outcomes["failed"] + outcomes["too slow"]
    print(f"{len(mutants)} mutants, seed {arguments.seed}: {noticed} noticed, {outcomes['passed']} survive")
    return 0


if __name__ == "__main__":
    sys.exit(main())
