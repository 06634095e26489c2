"""ZIP containers on the command line: their members are documents, and they are files that can be repaired."""

import json
import os
import zipfile

import pytest
from support.cases import each_case
from support.commands import run_command
from test_containers import BROKEN, MEMBERS, WHOLE, container, encrypted, mended

import xml5tree

LOSSY = b'<a x="1" x="2"/>'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path, members, **shape):
    path.write_bytes(container(members, **shape))
    return path


def names(out):
    return [json.loads(line)["file"] for line in out.splitlines()]


# Members as documents.


def test_check_reads_the_members_that_are_xml(folder):
    put(folder / "book.epub", MEMBERS)
    status, out, err = run_command("check", "--format", "concise", "book.epub")
    assert (status, err) == (2, "")
    assert out.splitlines()[:5] == [
        "book.epub/META-INF/container.xml: well-formed",
        "book.epub/OEBPS/one.xhtml: 1 error; content is kept",
        "book.epub/OEBPS/no name of XML: 1 error; content is kept",
        "book.epub/empty.xml: 1 error; there is no tree",
        "book.epub/Zoë.xml: 1 error; content is kept",
    ]
    assert run_command("check", "-j2", "--format", "concise", "book.epub").out == out


def test_formats_and_summaries_name_members(folder):
    put(folder / "a.docx", {"word/a b.xml": BROKEN, "c.xml": WHOLE})
    status, out, _ = run_command("check", "--format", "sarif", "--summary", "sum.jsonl", "a.docx")
    assert status == 1
    assert '"uri": "a.docx/word/a%20b.xml"' in out
    rows = [json.loads(line) for line in (folder / "sum.jsonl").read_text("utf-8").splitlines()]
    assert [(row["file"], row["status"], row["bytes"]) for row in rows] == [
        ("a.docx/word/a b.xml", 1, len(BROKEN)),
        ("a.docx/c.xml", 0, len(WHOLE)),
    ]


@pytest.mark.parametrize(
    "command", [("tree",), ("xpath", "//i"), ("tokens",), ("records", "--tag", "i")], ids=lambda c: c[0]
)
def test_commands_read_members(folder, command):
    put(folder / "a.zip", {"one.xml": BROKEN, "b.png": b"\x89PNG"})
    (folder / "one.xml").write_bytes(BROKEN)
    name, *arguments = command
    found, expected = (run_command(name, *arguments, file) for file in ("a.zip", "one.xml"))
    assert (found.status, found.out) == (expected.status, expected.out)
    assert found.out


def test_a_member_is_named_by_its_container_and_itself(folder):
    put(folder / "a.zip", {"x/one.xml": BROKEN, "two.xml": WHOLE})
    assert run_command("repair", "a.zip/x/one.xml").out == xml5tree.repair(BROKEN).decode()
    assert run_command("check", folder / "a.zip/two.xml").status == 0
    assert run_command("report", "a.zip/x/one.xml", "-o", "out.html").status == 0
    assert "No such file" in run_command("check", "a.zip/none.xml").err.replace("Not a directory", "No such file")
    assert run_command("report", "a.zip").status == 0
    assert "a.zip/x/one.xml" in (folder / "report.html").read_text("utf-8")
    status, _, err = run_command("repair", "--in-place", "a.zip/x/one.xml")
    assert (status, "single members cannot be replaced" in err) == (3, True)
    status, _, err = run_command("repair", "a.zip/x/one.xml", "-o", "a.zip")
    assert (status, "The output is the file itself" in err) == (3, True)


def test_folders_have_containers_where_they_are_asked_for(folder):
    put(folder / "book.epub", {"a.xml": WHOLE})
    (folder / "b.xml").write_bytes(WHOLE)
    assert names_of(run_command("check", "--format", "concise", ".").out) == ["b.xml"]
    found = run_command("check", "--format", "concise", "--include", "*.epub", ".").out
    assert names_of(found) == ["b.xml", "book.epub/a.xml"]


def names_of(out):
    return [line.partition(": ")[0] for line in out.split("\n\n")[0].splitlines()]


def test_a_container_without_xml_is_no_xml(folder):
    put(folder / "a.jar", {"b.class": b"\xca\xfe\xba\xbe"})
    status, out, _ = run_command("check", "a.jar")
    assert (status, "not-xml" in out) == (2, True)
    assert run_command("repair", "--in-place", "a.jar").status == 2


@each_case("command", [("check",), ("repair", "--in-place"), ("repair", "-o", "out"), ("tree",)])
def test_what_cannot_be_read(folder, command):
    put(folder / "cut.zip", MEMBERS).write_bytes(container(MEMBERS)[:-30])
    put(folder / "bomb.zip", {"a.xml": b"<a>" + b" " * (9 << 20)})
    put(folder / "bad.zip", {"a.xml": BROKEN}).write_bytes(container({"a.xml": BROKEN}).replace(b"\xcb", b"\xcc", 1))
    (folder / "secret.zip").write_bytes(encrypted(container({"a.xml": BROKEN})))
    for name, problem in [
        ("cut.zip", "the ZIP container is damaged"),
        ("bomb.zip", "unpacks to more than 100 times its size and more than 8 MiB"),
        ("secret.zip", "a.xml is encrypted"),
    ]:
        before = (folder / name).read_bytes()
        status, _, err = run_command(*command, name)
        assert (status, problem in err) == (3, True), err
        assert (folder / name).read_bytes() == before
    assert not [name for name in os.listdir(folder) if name.endswith((".orig", ".repairs"))]


# Repairs.


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_in_place(folder, jobs):
    members = {name: data for name, data in MEMBERS.items() if data or not name.endswith(".xml")}
    before = put(folder / "book.epub", members).read_bytes()
    put(folder / "whole.docx", {"a.xml": WHOLE})
    status, out, err = run_command("repair", "--in-place", jobs, "--summary", "s.jsonl", "book.epub", "whole.docx")
    assert (status, out) == (0, "")
    assert err.splitlines() == [
        "xml5tree: book.epub: 3 errors repaired; the original is kept as book.epub.orig",
        "xml5tree: whole.docx: well-formed; not replaced",
    ]
    assert (folder / "book.epub").read_bytes() == container(mended(members))
    assert (folder / "book.epub.orig").read_bytes() == before
    listed = (folder / "book.epub.repairs").read_text("utf-8").splitlines()
    assert listed[:2] == ["book.epub: 3 errors repaired", "book.epub/OEBPS/one.xhtml: 1 error repaired"]
    assert len(listed) == 7
    rows = [json.loads(line) for line in (folder / "s.jsonl").read_text("utf-8").splitlines()]
    assert [(row["file"], row["status"], row["effect"], row["errors"]) for row in rows] == [
        ("book.epub", 0, "kept", 3),
        ("whole.docx", 0, None, 0),
    ]
    assert rows[0]["counts"] == {"unescaped-ampersand": 3}


def test_in_place_loses_nothing_without_force(folder):
    data = put(folder / "a.zip", {"a.xml": BROKEN, "b.xml": LOSSY}).read_bytes()
    status, _, err = run_command("repair", "--in-place", "a.zip")
    assert status == 2
    assert "not replaced: 2 errors; content would be lost: duplicate-attribute (1); --force" in err
    assert (folder / "a.zip").read_bytes() == data
    assert run_command("repair", "--in-place", "--force", "a.zip").status == 0
    assert (folder / "a.zip").read_bytes() == container({"a.xml": xml5tree.repair(BROKEN), "b.xml": b'<a x="1"/>'})


def test_declarations_of_a_member_that_is_not_written_are_not_lost(folder):
    whole = b'<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'
    put(folder / "a.zip", {"a.xml": BROKEN, "b.xml": whole})
    assert run_command("repair", "--in-place", "a.zip").status == 0
    assert zipfile.ZipFile("a.zip").read("b.xml") == whole
    put(folder / "b.zip", {"b.xml": whole.replace(b"</a>", b" & </a>")})
    status, _, err = run_command("repair", "--in-place", "b.zip")
    assert (status, "declarations of the DOCTYPE" in err) == (2, True)


def test_members_that_cannot_be_repaired_stay(folder):
    """The others are repaired, and the status says that some were not."""
    put(folder / "a.zip", {"a.xml": BROKEN, "b.xml": b"", "c.xml": b"\x89PNG\r\n\x1a\n" + b"\0" * 80})
    status, _, err = run_command("repair", "--in-place", "a.zip")
    assert status == 2
    assert err.count("it stays as it is") == 2
    assert zipfile.ZipFile("a.zip").read("a.xml") == xml5tree.repair(BROKEN)
    status, _, err = run_command("repair", "--in-place", "a.zip")
    assert (status, err.splitlines()[-1]) == (2, "xml5tree: a.zip: not replaced")
    data = encrypted(container({"a.xml": BROKEN, "b.xml": BROKEN}))
    (folder / "b.zip").write_bytes(data)
    status, _, err = run_command("repair", "--in-place", "b.zip")
    assert (status, "b.zip/a.xml: b.zip/a.xml" in err, "a.xml is encrypted" in err) == (3, False, True)
    assert zipfile.ZipFile("b.zip").read("b.xml") == xml5tree.repair(BROKEN)


def test_output(folder):
    data = put(folder / "a.zip", MEMBERS).read_bytes()
    expected = container(mended(MEMBERS))
    assert run_command("repair", "a.zip", "-o", "b.zip").status == 2  # one has no tree
    assert (folder / "b.zip").read_bytes() == expected
    assert run_command("repair", "a.zip", "-o", "out/").status == 2
    assert (folder / "out/a.zip").read_bytes() == expected
    assert (folder / "a.zip").read_bytes() == data
    put(folder / "c.zip", {"a.xml": WHOLE})
    assert run_command("repair", "c.zip", "-o", "d.zip").status == 0
    assert (folder / "d.zip").read_bytes() == (folder / "c.zip").read_bytes()


def test_other_options(folder):
    put(folder / "a.zip", {"a.xml": BROKEN, "b.xml": WHOLE, "c.xml": LOSSY})
    status, out, _ = run_command("repair", "--diff", "a.zip")
    assert (status, [line for line in out.splitlines() if line.startswith("---")]) == (
        0,
        ["--- a.zip/a.xml", "--- a.zip/c.xml"],
    )
    for options in (["--edits", "json"], ["--edits", "patch"], ["--manifest", "-o", "b.zip"]):
        status, out, err = run_command("repair", *options, "a.zip")
        assert (status, out, "name it, as a.zip/a.xml" in err) == (3, "", True)
    status, out, _ = run_command("repair", "--edits", "json", "a.zip/a.xml")
    assert (status, json.loads(out)["document"]) == (0, "a.zip/a.xml")
    assert run_command("repair", "--fail-on", "lost", "a.zip", "-o", "b.zip").status == 2
    status, _, err = run_command("repair", "--recovery", "strict", "a.zip", "-o", "b.zip")
    assert (status, err.count("not well-formed"), err.count("duplicate attribute")) == (2, 1, 1)
    assert (folder / "b.zip").read_bytes() == (folder / "a.zip").read_bytes()
    assert run_command("repair", "--encoding", "utf-16", "a.zip", "-o", "b.zip").status == 0
    assert [zipfile.ZipFile("b.zip").read(name)[:2] for name in ("a.xml", "b.xml")] == [b"\xff\xfe"] * 2


# What other libraries make of the result.


def test_ebooklib_reads_what_was_repaired(folder):
    epub = pytest.importorskip("ebooklib.epub")
    book = epub.EpubBook()
    book.set_title("Title")
    chapter = epub.EpubHtml(title="One", file_name="one.xhtml", content="<p>one</p>")
    book.add_item(chapter)
    book.toc, book.spine = [chapter], [chapter]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    epub.write_epub("whole.epub", book)
    break_members(
        "whole.epub", "book.epub", {".opf": (b">Title<", b">R&D<"), "one.xhtml": (b"<p>one", b"<p>a < b & c")}
    )
    assert run_command("check", "-q", "book.epub").status > 0
    assert run_command("repair", "--in-place", "book.epub").status == 0
    with zipfile.ZipFile("book.epub") as written:
        first = written.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
    read = epub.read_epub("book.epub")
    assert read.title == "R&D"
    assert b"a &lt; b &amp; c" in next(item for item in read.items if item.file_name == "one.xhtml").get_content()


def test_python_docx_reads_what_was_repaired(folder):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph("Fish and chips")
    document.save("whole.docx")
    break_members("whole.docx", "a.docx", {"document.xml": (b"Fish and", b"Fish &")})
    with pytest.raises(Exception, match="xmlParseEntityRef"):
        docx.Document("a.docx")
    assert run_command("repair", "--in-place", "a.docx").status == 0
    assert [paragraph.text for paragraph in docx.Document("a.docx").paragraphs] == ["Fish & chips"]


def break_members(source, target, changes):
    """Copy a container, with a replacement in each member whose name ends so."""
    with zipfile.ZipFile(source) as read, zipfile.ZipFile(target, "w") as written:
        for info in read.infolist():
            data = read.read(info)
            for suffix, (old, new) in changes.items():
                if info.filename.endswith(suffix):
                    assert old in data
                    data = data.replace(old, new)
            written.writestr(info, data)
