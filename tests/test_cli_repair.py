"""``xml5tree repair``: what is written, and when nothing is."""

import codecs
import errno
import gzip
import itertools
import os
import random
import re
import signal
import stat
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from functools import partial
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support import nearxml
from support.commands import PACKAGE, run_command, start_command
from support.scaling import assert_grows_at_most
from support.splits import chunkings
from support.trees import assert_same_tree

import xml5tree
from xml5tree.cli.editlist import changed_lines, unified
from xml5tree.cli.output import Encoder, NotEncodable, find_output_encoding

FEED = PACKAGE / "docs/examples/feed.xml"
BROKEN = b"<a>\n  Tom & Jerry<br x='1'y='2'/>\n</a>\n"
REPAIRED = b'<a>\n  Tom &amp; Jerry<br x="1" y="2"/>\n</a>\n'
LOSSY = b'<a x="1" x="2"/>'
DOCTYPE_LOSSES = "declarations of the DOCTYPE (1)"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "broken.xml"
    path.write_bytes(BROKEN)
    return path


# To standard output or to a file.


def test_to_standard_output(path):
    status, out, err = run_command("repair", path)
    assert (status, out, err) == (0, REPAIRED.decode(), f"xml5tree: {path}: 2 errors repaired\n")
    assert path.read_bytes() == BROKEN


@given(nearxml.byte_documents())
def test_markup_is_that_of_the_library(document):
    try:
        expected = xml5tree.repair(document)
    except xml5tree.ParseError:
        assert run_command("repair", "-", stdin=document).status == 2
    else:
        assert run_command("repair", "-", stdin=document).out == expected.decode("utf-8", "backslashreplace")


def test_to_a_file(path, tmp_path):
    target = tmp_path / "out.xml"
    assert run_command("repair", path, "-o", target).status == 0
    assert target.read_bytes() == REPAIRED
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask
    target.chmod(0o640)
    assert run_command("repair", FEED, "-o", target).status == 0
    assert target.read_bytes() == xml5tree.repair(FEED.read_bytes())
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["broken.xml", "out.xml"]


def test_to_what_is_no_file(path, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as reader:
        assert run_command("repair", path, "-o", tmp_path / "pipe").status == 0
        assert reader.communicate()[0] == REPAIRED
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("command", ["repair", "report"])
def test_devices_are_not_replaced(path, command):
    before = os.stat(os.devnull)
    assert run_command(command, path, "-o", os.devnull).status == 0
    assert os.stat(os.devnull).st_rdev == before.st_rdev
    status, _, err = run_command("repair", "--in-place", os.devnull)
    assert (status, err) == (3, f"xml5tree: {os.devnull}: is no file that can be replaced\n")


@pytest.mark.parametrize("command", ["repair", "report"])
def test_a_directory_is_no_output(path, tmp_path, command):
    status, _, err = run_command(command, path, "-o", tmp_path)
    assert status == 3
    assert f"cannot write {tmp_path}: Is a directory" in err


def test_what_cannot_be_written(path, tmp_path):
    status, _, err = run_command("repair", path, "-o", tmp_path / "none" / "out.xml")
    assert status == 3
    assert "cannot write" in err
    for command in ("repair", "report"):
        status, _, err = run_command(command, path, "-o", path)
        assert status == 3
        assert "The output is the file itself" in err
    assert path.read_bytes() == BROKEN


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    target = tmp_path / "out.xml"
    target.write_bytes(b"what was there")
    source = tmp_path / "none.xml"
    source.write_bytes(b"<!-- " + b"x" * 200_000 + b" -->")
    status, _, err = run_command("repair", source, "-o", target)
    assert status == 2
    assert "no start tag" in err
    assert target.read_bytes() == b"what was there"
    assert sorted(os.listdir(tmp_path)) == ["none.xml", "out.xml"]


def test_losses_are_named(tmp_path):
    status, _, err = run_command("repair", "-", stdin=LOSSY + b"text")
    assert status == 0
    assert err == (
        "xml5tree: <stdin>: 2 errors repaired; content is lost: duplicate-attribute (1), text-outside-root (1)\n"
    )


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system does not tell how much memory was used")
def test_size_does_not_matter(tmp_path):
    path = tmp_path / "long.xml"
    with path.open("wb") as file:
        file.write(b"<a>")
        for _ in range(300):
            file.write(b"<b c='d'>" + b"text " * 20_000 + b"</b>\n& ")
    code = """if True:
        import sys
        from xml5tree.cli.application import run
        assert run(sys.argv[1:]) == 0
        print(open("/proc/self/status").read())
    """
    done = subprocess.run(
        [sys.executable, "-c", code, "repair", path, "-o", tmp_path / "out.xml"],
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (tmp_path / "out.xml").stat().st_size > path.stat().st_size > 30_000_000
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", done.stdout)[1])
    assert peak < 60_000, "of which the interpreter and the library are about half"


# In place.


def test_in_place(path, tmp_path):
    path.chmod(0o600)
    status, out, err = run_command("repair", "--in-place", path)
    assert (status, out) == (0, "")
    assert err == f"xml5tree: {path}: 2 errors repaired; the original is kept as broken.xml.orig\n"
    assert path.read_bytes() == REPAIRED
    assert (tmp_path / "broken.xml.orig").read_bytes() == BROKEN
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_in_place_never_overwrites_an_original(path, tmp_path):
    for number in (1, 2, 3):
        path.write_bytes(BROKEN + b"<!--%d-->" % number)
        assert run_command("repair", "--in-place", path).status == 0
    assert (tmp_path / "broken.xml.orig").read_bytes() == BROKEN + b"<!--1-->"
    assert (tmp_path / "broken.xml.orig.2").read_bytes() == BROKEN + b"<!--2-->"
    assert (tmp_path / "broken.xml.orig.3").read_bytes() == BROKEN + b"<!--3-->"


def test_in_place_leaves_well_formed_files_alone(path):
    path.write_bytes(b'<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>')
    before = path.stat()
    status, _, err = run_command("repair", "--in-place", path)
    assert (status, err) == (0, f"xml5tree: {path}: well-formed; not replaced\n")
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_mode) == (before.st_ino, before.st_mtime_ns, before.st_mode)


@pytest.mark.parametrize(
    ("document", "loss"),
    [
        (LOSSY, "duplicate-attribute (1)"),
        (b"<a/>more", "text-outside-root (1)"),
        (b'<!DOCTYPE a [<!ENTITY e "x">]><a>&e; & </a>', DOCTYPE_LOSSES),
        (b"<!--" + b"licence " * 9000 + b"--><!DOCTYPE a SYSTEM '>' \n[<!ENTITY e 'x'>]><a>& </a>", DOCTYPE_LOSSES),
        (
            gzip.compress(b"<a>" + random.Random(1).randbytes(400).hex().encode() + b"</a>")[:-20],
            "damaged-compression (1)",
        ),
    ],
)
def test_in_place_loses_nothing_unless_forced(path, tmp_path, document, loss):
    path.write_bytes(document)
    status, _, err = run_command("repair", "--in-place", path)
    assert status == 2 + document.startswith(b"\x1f")
    assert f"not replaced: {'1 error' if document.endswith(b'& </a>') else ''}" in err
    assert f"content would be lost: {loss}; " in err
    assert "; --force replaces it all the same\n" in err
    assert path.read_bytes() == document
    assert os.listdir(tmp_path) == ["broken.xml"]
    run_command("repair", "--in-place", "--force", path)
    assert path.read_bytes() != document
    assert (tmp_path / "broken.xml.orig").read_bytes() == document


def test_in_place_replaces_what_only_looks_like_declarations(path):
    path.write_bytes(b"<!-- <!DOCTYPE a [<!ENTITY e 'x'>]> --><!DOCTYPE a SYSTEM '['><a>& </a>")
    assert run_command("repair", "--in-place", path).status == 0
    assert path.read_bytes().endswith(b"<!DOCTYPE a SYSTEM '['><a>&amp; </a>")


def test_in_place_without_a_tree(path, tmp_path):
    path.write_bytes(b"no markup")
    assert run_command("repair", "--in-place", "--force", path).status == 2
    assert path.read_bytes() == b"no markup"
    assert os.listdir(tmp_path) == ["broken.xml"]


def test_in_place_through_a_link(path, tmp_path):
    link = tmp_path / "sub" / "link.xml"
    link.parent.mkdir()
    link.symlink_to(path)
    assert run_command("repair", "--in-place", link).status == 0
    assert link.is_symlink()
    assert path.read_bytes() == REPAIRED
    assert (tmp_path / "broken.xml.orig").read_bytes() == BROKEN


def test_in_place_keeps_gzip(path):
    path.write_bytes(gzip.compress(BROKEN))
    assert run_command("repair", "--in-place", path).status == 0
    assert gzip.decompress(path.read_bytes()) == REPAIRED


def test_in_place_with_several_files(path, tmp_path):
    other = tmp_path / "other.xml"
    other.write_bytes(LOSSY)
    status, _, err = run_command("repair", "--in-place", other, tmp_path / "missing.xml", path)
    assert status == 3
    assert len(err.splitlines()) == 3
    assert path.read_bytes() == REPAIRED


# Files: owners, permissions, links, and what is left behind.


@pytest.fixture
def no_umask():
    """Every permission that is not asked for is there."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_nobody_else_can_read_a_private_file_meanwhile(path, tmp_path, monkeypatch, no_umask):
    path.chmod(0o600)
    seen = []

    def watch(event, arguments):
        if event in {"open", "os.rename", "os.link", "os.chmod"} and tmp_path.exists():
            with os.scandir(tmp_path) as entries:
                seen.extend((entry.name, stat.S_IMODE(entry.stat().st_mode)) for entry in entries)

    for name in ("open", "fchmod", "fchown", "fsync", "replace"):
        monkeypatch.setattr(os, name, watched(getattr(os, name), watch))
    assert run_command("repair", "--in-place", path).status == 0
    assert {mode for _, mode in seen} == {0o600}
    assert {"broken.xml", ".broken.xml.xml5tree"} < {name for name, _ in seen}
    assert (tmp_path / "broken.xml.orig").read_bytes() == BROKEN
    assert sorted(os.listdir(tmp_path)) == ["broken.xml", "broken.xml.orig", "broken.xml.repairs"]


def watched(function, watch):
    def call(*arguments, **options):
        result = function(*arguments, **options)
        watch("open", arguments)
        return result

    return call


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to others")
def test_owner_and_group_are_kept(path, tmp_path, monkeypatch):
    os.chown(path, 1234, 2345)
    path.chmod(0o640)
    before = path.stat()
    assert run_command("repair", "--in-place", path).status == 0
    for file in (path, tmp_path / "broken.xml.orig"):
        status = file.stat()
        assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 2345, 0o640)
    assert (tmp_path / "broken.xml.orig").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(("mode", "expected"), [(0o660, 0o600), (0o664, 0o644), (0o2750, 0o700)])
def test_another_group_gets_no_more_than_everybody(path, monkeypatch, mode, expected):
    path.chmod(mode)
    monkeypatch.setattr(os, "fchown", mock.Mock(side_effect=PermissionError(errno.EPERM, "not permitted")))
    status, _, err = run_command("repair", "--in-place", path)
    assert status == 0
    assert err.endswith("; its group is not the same; its owner is not the same\n")
    assert stat.S_IMODE(path.stat().st_mode) == expected


def test_hard_links_keep_the_original(path, tmp_path):
    os.link(path, tmp_path / "other.xml")
    _, _, err = run_command("repair", "--in-place", path)
    assert err.endswith("; the original is kept as broken.xml.orig; hard links that keep what was there: 1\n")
    assert (tmp_path / "other.xml").read_bytes() == BROKEN
    os.link(path, tmp_path / "third.xml")
    _, _, err = run_command("repair", tmp_path / "other.xml", "-o", path)
    assert f"{path}: hard links that keep what was there: 1\n" in err


def test_message_says_where_the_original_is(path, tmp_path):
    link = tmp_path / "sub" / "link.xml"
    link.parent.mkdir()
    link.symlink_to(path)
    assert f"the original is kept as {path}.orig" in run_command("repair", "--in-place", link).err


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("call", ["fsync", "replace", "fchmod"])
def test_failure_leaves_nothing_behind(path, tmp_path, monkeypatch, call, error):
    monkeypatch.setattr(os, call, mock.Mock(side_effect=error))
    status, _, err = run_command("repair", "--in-place", path)
    if isinstance(error, OSError):
        assert status == 3
        assert "cannot write " in err
        assert "No space left on device" in err
    else:
        assert status == 130
    assert path.read_bytes() == BROKEN
    assert os.listdir(tmp_path) == ["broken.xml"]


@pytest.mark.parametrize("command", ["repair", "report"])
def test_full_disk_leaves_nothing_behind(tmp_path, command):
    """Here, files must not become longer than 10 kB, of which writing and closing a file both tell."""
    resource = pytest.importorskip("resource")
    (tmp_path / "long.xml").write_bytes(b"<a>" + b"x & y " * 5000)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (10_000, 10_000))
    # Nor may bytecode, of which a part would stay for the processes after this one.
    environment = {"PYTHONDONTWRITEBYTECODE": "1"}
    options = {"cwd": tmp_path, "stderr": subprocess.PIPE, "preexec_fn": limit, "env": environment}
    with start_command(command, "long.xml", "-o", "out", **options) as process:
        err = process.stderr.read().decode()
        assert process.wait(60) == 3
    assert err.startswith("xml5tree: long.xml: cannot write out: ")
    assert err.count("\n") == 1
    assert os.listdir(tmp_path) == ["long.xml"]


def test_what_a_killed_run_has_left_is_removed(path, tmp_path):
    with start_command("repair", "-", "-o", path, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(b"<a>" * 100_000)
        process.stdin.flush()
        left = tmp_path / ".broken.xml.xml5tree"
        while not left.exists():
            time.sleep(0.01)
        # In use, it is left alone.
        assert run_command("repair", FEED, "-o", path).status == 0
        assert left.exists()
        process.kill()
        process.wait(60)
    assert left.exists()
    assert run_command("repair", FEED, "-o", path).status == 0
    assert os.listdir(tmp_path) == ["broken.xml"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is killed")
def test_run_that_is_killed_at_any_step_leaves_nothing_after_the_next(path, tmp_path, monkeypatch):
    """The child dies before its n-th call that opens, moves or finishes a file."""
    seen = set()
    for step in range(100):
        folder = tmp_path / str(step)
        folder.mkdir()
        file = folder / "broken.xml"
        file.write_bytes(BROKEN)
        child = os.fork()
        if not child:
            steps = itertools.count()
            for name in ("fchmod", "fsync", "replace", "unlink", "utime"):
                function = getattr(os, name)
                setattr(os, name, killed_at(function, name, steps, step))
            run_command("repair", "--in-place", file)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        left = set(os.listdir(folder))
        seen |= left
        assert run_command("repair", "--in-place", file).status == 0
        after = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
        listed = {name.rstrip(".2") for name in after}
        assert listed == {"broken.xml", "broken.xml.orig", "broken.xml.repairs"}, (step, left, after)
        assert all(after.values())
        assert after["broken.xml"] == REPAIRED
        assert {after[name] for name in after if ".orig" in name} == {BROKEN}
        if not status:
            assert left == listed
            break
    assert {".broken.xml.xml5tree", ".broken.xml.repairs.xml5tree", ".broken.xml.orig.xml5tree"} < seen


def killed_at(function, name, steps, step):
    def call(*arguments, **options):
        # Between the two steps of a file without hard links, an empty one is there for a moment.
        is_between = name == "replace" and os.path.basename(arguments[1]) != "broken.xml"
        if not is_between and next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)

    return call


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda name: os.symlink("broken.xml", name)])
def test_what_is_not_ours_is_left_alone(path, tmp_path, make):
    make(tmp_path / ".broken.xml.xml5tree")
    assert run_command("repair", "--in-place", path).status == 0
    assert path.read_bytes() == REPAIRED
    assert sorted(os.listdir(tmp_path)) == [
        ".broken.xml.xml5tree",
        "broken.xml",
        "broken.xml.orig",
        "broken.xml.repairs",
    ]


# Encodings and ends of lines.


def encoded(document, encoding, newline="\n"):
    encoder = Encoder(find_output_encoding(encoding), newline)
    return encoder.encode(document), encoder.altered


@pytest.mark.parametrize(
    ("markup", "expected", "altered"),
    [
        ("<a>é Ω</a>", '<?xml version="1.0" encoding="iso-8859-1"?>\n<a>é &#937;</a>', 0),
        ("<?xml version='1.0'?><a/>", '<?xml version="1.0" encoding="iso-8859-1"?><a/>', 0),
        (
            '<?xml version="1.1" encoding="utf-8" standalone="yes"?><a/>',
            '<?xml version="1.1" encoding="iso-8859-1" standalone="yes"?><a/>',
            0,
        ),
        ("<é b='Ω>'/>", '<?xml version="1.0" encoding="iso-8859-1"?>\n<é b=\'&#937;>\'/>', 0),
        (
            "<a><![CDATA[é<Ω]]></a>",
            '<?xml version="1.0" encoding="iso-8859-1"?>\n<a><![CDATA[é<]]>&#937;<![CDATA[]]></a>',
            0,
        ),
        ("<a><!--Ω--></a>", '<?xml version="1.0" encoding="iso-8859-1"?>\n<a><!--&#937;--></a>', 1),
        ("<a><?p Ω?></a>", '<?xml version="1.0" encoding="iso-8859-1"?>\n<a><?p &#937;?></a>', 1),
    ],
)
def test_characters_that_an_encoding_does_not_have(markup, expected, altered):
    assert encoded(markup, "latin-1") == (expected.encode("latin-1"), altered)


@pytest.mark.parametrize(
    "markup",
    [
        "<Ω/>",
        "<a Ω=''/>",
        "<a></Ω>",
        "<?Ω x?>",
        "<!DOCTYPE Ω><a/>",
        '<!DOCTYPE a SYSTEM "Ω"><a/>',
        '<!DOCTYPE a SYSTEM "x>Ω"><a/>',
        "<!DOCTYPE a PUBLIC '>' 'x>Ω'><a/>",
    ],
)
def test_names_that_cannot_be_encoded(markup):
    with pytest.raises(NotEncodable):
        encoded(markup, "latin-1")


def test_names_that_cannot_be_encoded_are_reported(path, tmp_path):
    path.write_text("<Ω>", "utf-8")
    status, _, err = run_command("repair", path, "--encoding", "latin-1", "-o", tmp_path / "out.xml")
    assert status == 3
    assert "nothing was written: iso-8859-1 does not have 'Ω', which is in '<Ω>'" in err
    assert os.listdir(tmp_path) == ["broken.xml"]


def test_comments_that_cannot_be_encoded_are_a_loss(path):
    path.write_text("<a>&<!--Ω--></a>", "utf-8")
    assert run_command("repair", path, "--encoding", "ascii", "--in-place").status == 2
    assert run_command("repair", path, "--encoding", "utf-16", "--in-place").status == 0


CONSTRUCTS = {
    "CDATA sections": "<![CDATA[y]]>",
    "comments": "<!--y-->",
    "instructions": "<?x y?>",
    "comments that seem to have CDATA sections": "<!--<![CDATA[]]>-->",
    "values that seem to end CDATA sections": "<b c=']]>'/>",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("construct", CONSTRUCTS.values(), ids=CONSTRUCTS)
def test_no_construct_makes_encoding_slow(construct, encoding):
    """What the encoding has all characters of is not read piece by piece, whatever is in it."""

    def write(line):
        encoder = Encoder(find_output_encoding(encoding))
        for _ in range(20):
            encoder.encode(line * 1000)

    assert_grows_at_most(write, f"<a k='v'>ü</a>{'y' * len(construct)}\n", f"<a k='v'>ü</a>{construct}\n", 8)


@given(
    nearxml.documents(),
    st.sampled_from(["us-ascii", "iso-8859-1", "windows-1252", "utf-8", "utf-16", "utf-16-le", "utf-16be", "koi8-r"]),
    st.data(),
)
def test_encoded_markup_has_the_same_tree(document, encoding, data):
    """In every encoding, whatever parts the document comes in; that of comments and instructions aside."""
    text = document.encode("utf-8", "replace")
    repairer = xml5tree.Repairer(output_encoding="utf-8")
    encoder = Encoder(find_output_encoding(encoding))
    written = b""
    try:
        parts = [repairer.feed(part) for part in data.draw(chunkings(text))] + [repairer.close()]
        for part in parts:
            written += encoder.encode(part.decode())
    except (xml5tree.ParseError, NotEncodable):
        return
    declared = re.match(rb"<\?xml[^>]*encoding=.([^'\"]*)", written.replace(b"\0", b"").lstrip(codecs.BOM_UTF16))
    assert declared or encoding in {"utf-8", "us-ascii"}
    characters = written.decode(encoding)
    root = ET.fromstring(re.sub(r"^\ufeff?<\?xml[^>]*\?>", "", characters))
    assert_same_tree(root, ET.fromstring(b"".join(parts)))
    assert_same_tree(ET.fromstring(written), root)
    assert xml5tree.repair(written) == written


@pytest.mark.parametrize(
    "encoding",
    [
        *("utf-8", "utf-8-sig", "ascii", "utf16", "unicode", "utf-16le", "utf_16_be", "latin-1", "l1", "8859"),
        *(f"iso8859_{part}" for part in (*range(2, 12), *range(13, 17))),
        *(f"cp{page}" for page in range(1250, 1259)),
        *("KOI8-R", "koi8_u", "koi8-t", "x-cp1252", "visual"),
    ],
)
@pytest.mark.parametrize("declaration", ["", "<?xml version='1.0' encoding='shift_jis'?>"])
def test_an_encoding_is_declared_by_a_name_that_all_parsers_know(path, tmp_path, encoding, declaration):
    path.write_text(f"{declaration}<a>\xe9 & \u042f</a>", "utf-8" if not declaration else "ascii", "xmlcharrefreplace")
    out = tmp_path / "out.xml"
    assert run_command("repair", "--encoding", encoding, path, "-o", out).status == 0
    assert run_command("repair", "--in-place", "--encoding", encoding, path).status == 0
    written = out.read_bytes()
    assert path.read_bytes() == written
    for parse in (partial(xml5tree.fromstring, recovery="strict"), ET.fromstring, etree.fromstring):
        assert parse(written).text == "\xe9 & \u042f"
    assert xml5tree.repair(written) == written


@pytest.mark.parametrize(
    "encoding",
    ["cp037", "cp1140", "cp437", "mac-roman", "utf-32", "hz", "iso-2022-jp", "shift_jis", "big5hkscs", "tis-620", ""],
)
def test_an_encoding_that_not_every_parser_reads_is_refused(path, encoding):
    path.write_bytes(b"<a>&</a>")
    status, out, err = run_command("repair", "--in-place", "--encoding", encoding, path)
    assert (status, out) == (3, "")
    assert ("choose UTF-8" if encoding else "unknown or refused encoding") in err
    assert path.read_bytes() == b"<a>&</a>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_declared_encoding_is_understood_by_others(path, encoding):
    path.write_bytes("<?xml version='1.0' encoding='windows-1252'?><é>ö & €</é>".encode("windows-1252"))
    assert run_command("repair", "--in-place", "--encoding", encoding, path).status == 0
    root = ET.parse(path).getroot()
    assert (root.tag, root.text) == ("é", "ö & €")


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "koi8-r", "utf-16", "utf-16-le", "utf-8-sig"])
def test_in_place_keeps_the_encoding_of_a_file(path, encoding):
    letter = "я" if encoding == "koi8-r" else "é"
    label = "utf-16" if encoding.startswith("utf-16") else encoding.removesuffix("-sig")
    # Ends of lines are mixed, so that only a copy of what is not broken keeps them.
    text = f"<?xml version='1.0' encoding='{label}'?>\r\n<{letter}>\n{letter} & b<br>\r\n</{letter}>\r"
    path.write_bytes(text.encode(encoding))
    assert run_command("repair", "--in-place", "--force", path).status == 0
    expected = text.replace("&", "&amp;").replace("<br>", "<br/>")
    written = path.read_bytes()
    assert written.decode(encoding).removeprefix("\ufeff") == expected
    assert (written[:2] == codecs.BOM_UTF16_LE) == encoding.startswith("utf-16")
    assert path.with_name(path.name + ".orig").read_bytes() == text.encode(encoding)
    assert not path.with_name(path.name + ".edits").exists()
    assert ET.parse(path).getroot().tag == letter


def test_in_place_writes_utf_8_where_not_every_parser_reads_the_encoding(path):
    path.write_bytes("<?xml version='1.0' encoding='shift_jis'?><a>日本 &</a>".encode("shift_jis"))
    assert run_command("repair", "--in-place", path).status == 0
    assert ET.fromstring(path.read_bytes().decode("utf-8")).text == "日本 &"


def test_in_place_writes_references_for_what_the_encoding_lacks(path):
    path.write_bytes("<?xml version='1.0' encoding='iso-8859-1'?><a>é\x01 &</a>".encode("latin-1"))
    assert run_command("repair", "--in-place", "--force", path).status == 0
    assert path.read_bytes() == "<?xml version='1.0' encoding='iso-8859-1'?><a>é&#65533; &amp;</a>".encode("latin-1")
    path.write_bytes("<?xml version='1.0' encoding='iso-8859-1'?><a>é\x01 &</a>".encode("latin-1"))
    assert run_command("repair", "--in-place", "--force", "--control-characters", "drop", path).status == 0
    assert path.read_bytes() == "<?xml version='1.0' encoding='iso-8859-1'?><a>é &amp;</a>".encode("latin-1")


def test_in_place_can_be_asked_for_utf_8(path):
    path.write_bytes("<?xml version='1.0' encoding='iso-8859-1'?><a>é &</a>".encode("latin-1"))
    assert run_command("repair", "--in-place", "--encoding", "utf-8", path).status == 0
    assert ET.fromstring(path.read_bytes().decode("utf-8")).text == "é &"


def test_well_formed_files_get_another_encoding(path):
    path.write_text("<a>é</a>", "utf-8")
    assert run_command("repair", "--in-place", "--encoding", "latin-1", path).status == 0
    assert path.read_bytes() == '<?xml version="1.0" encoding="iso-8859-1"?>\n<a>é</a>'.encode("latin-1")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_ends_of_lines_are_kept(path, encoding, newline):
    text = f"<a>{newline}<b>&</b>{newline}</a>{newline}"
    path.write_bytes(text.encode(encoding))
    run_command("repair", "--in-place", "--encoding", encoding, path)
    with open(path, encoding=encoding, newline="") as file:
        assert file.read().rpartition("?>")[2].lstrip() == text.replace("&", "&amp;")


# The difference.


def patch(before, diff):
    """Apply a unified diff to lines, strictly."""
    after, place = [], 0
    lines = iter(diff)
    assert next(lines).startswith("--- ")
    assert next(lines).startswith("+++ ")
    for line in lines:
        if line.startswith("@@ "):
            start, count, new_start, new_count = map(
                int, re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n", line).groups()
            )
            begin = start - 1 if count else start
            after += before[place:begin]
            place = begin
            assert len(after) == (new_start - 1 if new_count else new_start)
            continue
        text = line[1:].removesuffix("\n\\ No newline at end of file\n")
        if line[0] in " -":
            assert before[place] == text
            place += 1
        if line[0] in " +":
            after.append(text)
    return after + before[place:]


PARTS = st.lists(st.tuples(st.text("ab\n", max_size=5), st.text("ab\n", max_size=5), st.booleans()), max_size=20)


@given(PARTS, st.integers(1, 10))
def test_unified_diff_can_be_applied(parts, repeats):
    parts = [(before, after if changed else before, changed) for before, after, changed in parts] * repeats
    before, after = ("".join(part[side] for part in parts).splitlines(keepends=True) for side in (0, 1))
    encoded = [(old.encode(), new.encode(), changed) for old, new, changed in parts]
    found = list(changed_lines(encoded))
    assert "".join(old.decode() for old, _ in found) == "".join(before)
    assert "".join(new.decode() for _, new in found) == "".join(after)
    diff = [line.decode() for line in unified(found, "old", "new")]
    if before != after:
        assert patch(before, diff) == after


def test_diff(path, tmp_path):
    status, out, err = run_command("repair", "--diff", path)
    assert (status, err) == (0, "")
    assert out == (
        f"--- {path}\n+++ {path} (repaired)\n@@ -1,3 +1,3 @@\n"
        " <a>\n-  Tom & Jerry<br x='1'y='2'/>\n+  Tom &amp; Jerry<br x=\"1\" y=\"2\"/>\n </a>\n"
    )
    assert path.read_bytes() == BROKEN
    assert os.listdir(tmp_path) == ["broken.xml"]
    path.write_bytes(REPAIRED)
    assert run_command("repair", "--diff", path) == (0, "", "")
    path.write_bytes(b"no markup")
    status, out, err = run_command("repair", "--diff", path)
    assert (status, out) == (2, "")
    assert "no start tag" in err


def test_diff_of_a_long_document(tmp_path):
    lines = [f"<b>{number}</b>\n" for number in range(30_000)]
    before = ["<a>\n", *lines, "</a>\n"]
    for number in range(7, len(before) - 1, 5000):
        before[number] = before[number].replace("<b>", "<b>&")
    path = tmp_path / "long.xml"
    path.write_text("".join(before))
    diff = run_command("repair", "--diff", path).out.splitlines(keepends=True)
    assert len(diff) == 2 + 6 * 9
    assert patch(before, diff) == [line.replace("&", "&amp;") for line in before]


def test_recovery_by_intent(tmp_path):
    """`--recovery intent` reads what the author meant, and says what was assumed."""
    path = tmp_path / "feed.xml"
    path.write_text("<r><i>a</I><i>b</i></r>")
    status, out, _ = run_command("repair", "--recovery", "intent", "-o", "-", str(path))
    assert status == 0
    assert "<r><i>a</i><i>b</i></r>" in out
    assert "</I> was taken for </i>" in run_command("check", "--recovery", "intent", str(path))[1]
