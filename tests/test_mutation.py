"""The command that changes the code to see whether the tests notice (`compat/mutation.py`)."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import in_whole_run

from compat import mutation

REPOSITORY = Path(__file__).parent.parent


def mutants(source):
    return {mutation.mutate(source, change) for change in mutation.changes(source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if a: b", {"if (not a): b"}),
        ("if not a: b", {"if (a): b"}),
        ("while a.b: c", {"while (not a.b): c"}),
        ("a = b if c else d", {"a = b if (not c) else d"}),
        ("a = [b for b in c if d]", {"a = [b for b in c if (not d)]"}),
        ("if a == b: c", {"if (a != b): c"}),
        ("if a in b: c", {"if (a not in b): c"}),
        ("if a < b: c", {"if (a <= b): c", "if (not a < b): c"}),
        ("a = b and c", {"a = (b or c)", "a = (b)", "a = (c)"}),
        ("a = b + c", {"a = (b - c)"}),
        ("a = b - c", {"a = (b + c)"}),
        ("a(b)", {"pass"}),
        ("a(b, c=d)", {"pass", "(a(b))"}),
        ("a.b = c", {"pass"}),
        ("a += b", {"pass"}),
        ("del a[b]", {"pass"}),
        ("while a:\n  break", {"while (not a):\n  break", "while a:\n  pass"}),
        ("def f(): return a", {"def f(): return None"}),
        ("def f(): return True", {"def f(): return None", "def f(): return False"}),
        ("def f(): return", {"def f(): pass"}),
        ("a = 1", {"a = 2", "a = 0"}),
        ("a = 'é' ; b = ''", {"a = '' ; b = ''", "a = 'é' ; b = 'x'"}),
        ("a = b'x'", {"a = b''"}),
    ],
)
def test_changes(source, expected):
    assert mutants(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        *[
            "'docstring'",
            "__all__ = ['a']",
            "__slots__ = ('a',)",
            "from a import b",
            "a: 'b'",
            "def f(a: 'b') -> 'c': d",
        ],
        *["@a('b')\ndef f(): c", "class A(Protocol):\n  b = 1", "assert a", "if TYPE_CHECKING: a()", "a = f'{b + 1}'"],
        "a = b",  # without it, whatever uses the name would fail
    ],
)
def test_what_is_not_changed(source):
    assert mutants(source) == set()


@in_whole_run
def test_mutants_are_python():
    chosen = mutation.choose(mutation.MODULES, 40, 0)
    assert len(chosen) == 40
    for mutant in chosen:
        ast.parse(mutant.mutated())


def test_the_seed_chooses():
    first, second = (mutation.choose(["xml5tree/tree"], 5, seed) for seed in (1, 2))
    assert first == mutation.choose(["xml5tree/tree"], 5, 1)
    assert first != second
    assert all(mutant.path.parts[:2] == ("xml5tree", "tree") for mutant in first)


@in_whole_run
def test_run(tmp_path, monkeypatch):
    """What a test notices, and what none does."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # loading Hypothesis takes longer than all else
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin")
    test = tmp_path / "test_it.py"
    test.write_text("def test(): pass\n")
    command = [sys.executable, "compat/mutation.py", "--count", "1", "--modules", "xml5tree/xml/chars.py", "--tests"]
    result = subprocess.run([*command, str(test)], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "== 1 survives\n--- xml5tree/xml/chars.py\n" in result.stdout
    assert result.stdout.endswith("1 mutants, seed 0: 0 noticed, 1 survive\n")
    test.write_text("def test(): assert 0\n")
    result = subprocess.run([*command, str(test)], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "The tests fail without a mutant.\n")
