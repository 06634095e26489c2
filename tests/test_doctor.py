"""``python -m xml5tree doctor``: what it says of installations, complete ones and others."""

import importlib.machinery
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from lxml import etree
from support.commands import run_command

import xml5tree
from xml5tree import accelerator, doctor, shrinking

ROOT = Path(xml5tree.__file__).parent.parent


def lines(text):
    return dict(line.split(": ", 1) for line in text.splitlines())


def without(*modules, **environment):
    """What it prints where some modules cannot be imported, and its exit status."""
    code = f"""if True:
        import importlib.machinery, runpy, sys
        class Missing:
            def find_spec(name, path=None, target=None):
                if name.partition(".")[0] in {modules}:
                    raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        sys.meta_path.insert(0, Missing)
        import importlib.util
        found = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *rest: None if name in {modules} else found(name, *rest)
        sys.argv = ["xml5tree", "doctor"]
        runpy.run_module("xml5tree", run_name="__main__", alter_sys=True)
    """
    variables = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], env=variables, capture_output=True, text=True)
    assert done.stderr == ""
    return lines(done.stdout), done.returncode


def test_command():
    status, out, err = run_command("doctor")
    assert (status, err) == (0, "")
    found = lines(out)
    assert found["xml5tree"].startswith(xml5tree.__version__)
    assert platform.python_version() in found["Python"]
    assert ".".join(map(str, etree.LXML_VERSION)) in found["lxml"]
    assert ".".join(map(str, etree.LIBXML_VERSION)) in found["lxml"]
    assert found["accelerated"].startswith("yes" if xml5tree.accelerated else "no, ")
    assert found["encodings"] == "all"
    assert found["a tree of etree"] == found["a tree of lxml"] == "works"


def test_without_what_is_optional():
    found, status = without("click", "lxml", XML5TREE_PURE="1")
    assert status == 0
    assert "No module named 'lxml'" in found["lxml"]
    assert found["a tree of etree"] == "works"
    assert "No module named 'lxml'" in found["a tree of lxml"]
    assert found["accelerated"] == "no, so it reads 2 to 4 MB/s: XML5TREE_PURE is set in the environment"


def test_other_commands_still_need_click():
    code = "import sys, importlib.util; importlib.util.find_spec = lambda name: None; sys.argv = ['xml5tree', 'check']"
    code += "; from xml5tree.__main__ import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 3
    assert "xml5tree[cli]" in done.stderr


def test_why_it_is_pure(monkeypatch, tmp_path):
    monkeypatch.delenv("XML5TREE_PURE", raising=False)
    monkeypatch.setattr(xml5tree, "accelerated", False)

    def why():
        monkeypatch.setattr(accelerator, "why_pure", accelerator._load()[1])
        return dict(doctor.examine())["accelerated"]

    monkeypatch.setitem(sys.modules, "xml5tree.accelerator._scan", None)
    monkeypatch.delattr("xml5tree.accelerator._scan", raising=False)
    assert "no C compiler" in why()
    monkeypatch.delitem(sys.modules, "xml5tree.accelerator._scan")
    library = f"_scan{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    (tmp_path / library).write_bytes(b"for another system")
    monkeypatch.setattr(accelerator, "__path__", [str(tmp_path)])
    assert "cannot be imported: " in why()
    assert library in why()
    monkeypatch.setitem(sys.modules, "xml5tree.accelerator._scan", SimpleNamespace(sources=lambda: 0))
    assert "is of other sources" in why()


def test_what_does_not_work_is_said(monkeypatch):
    monkeypatch.setattr(doctor, "_ENCODINGS", ("utf-8", "klingon"))
    monkeypatch.setattr(doctor, "_DOCUMENT", b"text")
    monkeypatch.setattr(doctor, "_PACKAGES", ("no-such-package",))
    found = dict(doctor.examine())
    assert found["encodings"] == "klingon is missing"
    assert found["a tree of etree"].startswith("ParseError: no root element")
    assert found["no-such-package"] == "not installed"
    monkeypatch.setattr(doctor, "_DOCUMENT", b"<b>1 & 2<b c=3>")
    assert dict(doctor.examine())["a tree of etree"].startswith("is wrong: ('b', ")


@pytest.mark.parametrize("arguments", [["doctor", "more"], ["doctor", "--nope"]])
def test_wrong_use(arguments):
    assert run_command(*arguments).status == 3


# A small document -----------------------------------------------------------------------------------------------------

SECRET = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Secret news & more</title>
{}<item><titel id="secret">Secret <b>42</b></title><link>https://secret.example/3</item>
{}</channel></rss>"""
SECRET = SECRET.format(*["<item><title>Secret</title><link a='secret'>secret</link></item>\n" * 20] * 2)
SECRETS = {
    "text": (SECRET.encode(), 200),
    "UTF-16": (SECRET.replace(' encoding="utf-8"', "").encode("utf-16"), 200),
    "bytes": ("<a><b>Secret ä secret</b><c>secret</c></a>".encode("latin-1"), 60),
    "refused": (b"no secret <!-- secret -->", 5),
    "a CDATA section": (b"<r><a>secret</a><![CDATA[secret</a><a>secret</a></r>", 40),
}


@pytest.mark.parametrize("case", SECRETS)
def test_a_small_document_with_the_same_errors(case):
    document, most = SECRETS[case]
    small = shrinking.shrunk(document)
    assert shrinking.kinds_of_errors(small) == shrinking.kinds_of_errors(document)
    assert len(small) <= most
    assert not re.search("secret|42", small if isinstance(small, str) else small.decode("latin-1"), re.IGNORECASE)


def test_what_a_report_of_a_bad_repair_has(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r><a>One & two</a><b>Three</b></r>")
    out = run_command("doctor", "--shrink", path).out
    assert out.startswith("document:\n<r> &</r>\nrepaired:\n<r> &amp;</r>\n1:4: unescaped-ampersand: ")
    assert f"\nxml5tree: {xml5tree.__version__}" in out
    path.write_text("Secret")
    assert "refused: no root element" in run_command("doctor", "--shrink", path).out
    path.write_text("<r/>")
    assert run_command("doctor", "--shrink", path) == (2, "", f"xml5tree: {path}: no errors\n")
    assert run_command("doctor", "--shrink", tmp_path / "none").status == 3


def test_shrinking_ends(monkeypatch):
    """Where the attempts are used up, the document is as small as it has become."""
    monkeypatch.setattr(shrinking, "_MOST_TRIES", 10)
    document = SECRETS["text"][0]
    small = shrinking.shrunk(document)
    assert shrinking.kinds_of_errors(small) == shrinking.kinds_of_errors(document)
    assert len(small) <= len(document)
