"""Folders and many files, read by one process or several."""

import gzip
import itertools
import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from support.cases import one_in
from support.commands import run_command, start_command

from xml5tree.cli import jobs as jobs_module
from xml5tree.cli.workers import CAN_FORK, Captured, Died, redirected, results

pytestmark = [
    pytest.mark.usefixtures("interruptible"),
    pytest.mark.skipif(not CAN_FORK, reason="this system cannot fork, so one process reads all files"),
]

COMMANDS = [
    ["check"],
    ["check", "--format", "concise"],
    ["check", "--format", "json"],
    ["check", "--format", "sarif"],
    ["check", "--format", "github"],
    ["check", "--statistics"],
    ["check", "-q"],
    ["repair", "--diff"],
    ["xpath", "//a"],
    ["tree"],
    ["tokens"],
    ["records", "--tag", "item"],
    ["records", "--field", "a=a", "--to", "csv", "--on-bad", "mark"],
]


@pytest.fixture
def interruptible():
    """Have interruptions obeyed, which are ignored where the tests are run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Some forty files, one of them cut off, one without a tree, one compressed, one that is not there."""
    for number in range(40):
        text = f"<r><item><a>{number}</a></item>{'<item>& </item>' * (number % 5)}</r>"
        (tmp_path / f"f{number:02}.xml").write_text(text)
    (tmp_path / "below" / "more").mkdir(parents=True)
    (tmp_path / "below" / "cut.rss").write_text("<r><item><a>cut")
    (tmp_path / "below" / "none.xml").write_text("nothing")
    (tmp_path / "below" / "more" / "packed.XML.gz").write_bytes(gzip.compress(b"<r><item><a>packed</a></item></r>"))
    (tmp_path / "below" / "damaged.xml.gz").write_bytes(gzip.compress(b"<r><item>1</item></r>")[:-9])
    (tmp_path / "below" / "other.txt").write_text("<r>not read</r>")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", one_in(3, COMMANDS), ids=" ".join)
def test_all_is_as_with_one_process(folder, command):
    one = run_command(*command, ".", "missing.xml", "empty")
    several = run_command(*command, ".", "missing.xml", "empty", "--jobs", "3")
    assert several == one
    assert one.status == 3
    assert "missing.xml" in one.err
    assert "damaged.xml.gz: the compressed data is damaged" in one.err


def test_a_folder_stands_for_the_files_in_it_that_have_names_of_xml(folder):
    done = run_command("check", "--format", "concise", "below")
    assert [line.partition(":")[0] for line in done.out.splitlines()[:4]] == [
        f"below{os.sep}{name}" for name in ("cut.rss", "damaged.xml.gz", f"more{os.sep}packed.XML.gz", "none.xml")
    ]
    assert run_command("check", "empty").err == (
        "xml5tree: empty: is a folder without files such as *.xml; --include '*.epub' reads such files, too\n"
    )


def test_records_go_to_one_file(folder):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    arguments = ["records", "--field", "a=a", "f*.xml"]
    for name in ("jsonl", "csv", "parquet"):
        for count in (1, 3):
            assert run_command(*arguments, "--to", name, "-o", f"{count}.{name}", "--jobs", count).status == 0
    for name in ("jsonl", "csv"):
        assert (folder / f"3.{name}").read_bytes() == (folder / f"1.{name}").read_bytes()
    assert (folder / "3.csv").read_text().count("a\n") == 1
    table = parquet.read_table("3.parquet")
    assert table == parquet.read_table("1.parquet")
    assert len(table) == 120


def test_files_are_repaired_in_place(folder):
    done = run_command("repair", "--in-place", "f*.xml", "-j", "3")
    assert done.status == 0
    assert [line.split(": ")[1] for line in done.err.splitlines()] == [f"f{number:02}.xml" for number in range(40)]
    assert (folder / "f01.xml").read_text() == "<r><item><a>1</a></item><item>&amp; </item></r>"
    assert len(list(folder.glob("*.orig"))) == 32


def test_what_is_written_can_be_larger_than_memory_should_be(folder, monkeypatch):
    monkeypatch.setattr("xml5tree.cli.workers._IN_MEMORY", 100)
    monkeypatch.setenv("TMPDIR", str(folder / "empty"))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert run_command("tokens", "f*.xml", "-j2") == run_command("tokens", "f*.xml")
    assert list((folder / "empty").iterdir()) == []


# The summary.


def test_a_summary_as_json_lines(folder):
    for count in (1, 3):
        assert run_command("check", "-q", ".", "missing.xml", "--summary", f"{count}.jsonl", "-j", count).status == 3
    one, several = ([json.loads(line) for line in (folder / f"{n}.jsonl").read_text().splitlines()] for n in (1, 3))
    for row in [*one, *several]:
        assert row.pop("seconds") >= 0
    assert several == one
    by_name = {os.path.basename(row["file"]): row for row in one}
    assert by_name["f02.xml"] == {
        "file": "f02.xml",
        "status": 1,
        "effect": "kept",
        "truncated": False,
        "errors": 2,
        "counts": {"unescaped-ampersand": 2},
        "verdict": "whole",
        "bytes": (folder / "f02.xml").stat().st_size,
        "problem": None,
        "uri": None,
    }
    assert (by_name["f00.xml"]["status"], by_name["f00.xml"]["effect"], by_name["f00.xml"]["errors"]) == (0, None, 0)
    assert by_name["missing.xml"]["problem"] == "No such file or directory"
    assert by_name["damaged.xml.gz"]["status"] == 3
    assert len(one) == 45


@pytest.mark.parametrize("command", [["repair", "--diff"], ["xpath", "//a"], ["tree"], ["tokens"], ["records"]])
def test_every_command_counts_errors(folder, command):
    run_command(*command, "f02.xml", "f03.xml", "--summary", "out.jsonl", "-j2")
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [row["counts"] for row in rows] == [{"unescaped-ampersand": 2}, {"unescaped-ampersand": 3}]
    assert [row["effect"] for row in rows] == ["kept", "kept"]


@pytest.mark.parametrize("command", [["check"], ["repair", "--diff"], ["xpath", "//a"], ["tree"], ["records"]])
def test_every_command_tells_that_a_file_is_cut_off(folder, command):
    (folder / "cut.xml").write_text("<a><item>x</item><b>")
    run_command(*command, "cut.xml", "f03.xml", "--summary", "out.jsonl", "-j2")
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [row["truncated"] for row in rows] == [True, False]


def test_there_is_no_effect_without_a_tree(folder):
    (folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "words.txt").write_text("no tag")
    for command in (["check", "-q"], ["repair", "--diff"], ["tree"]):
        run_command(*command, "image.png", "words.txt", "--summary", "out.jsonl")
        rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
        assert [(row["status"], row["effect"]) for row in rows] == [(2, None), (2, None)]
    files = json.loads(run_command("check", "--format", "json", "image.png", "words.txt").out)["files"]
    assert [(file["has_tree"], file["effect"]) for file in files] == [(False, None), (False, None)]


def test_a_summary_as_parquet(folder):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    run_command("check", "-q", "f02.xml", "missing.xml", "--summary", "out.parquet")
    one, other = parquet.read_table("out.parquet").to_pylist()
    assert (one["file"], one["status"], one["counts"]) == ("f02.xml", 1, [("unescaped-ampersand", 2)])
    assert (other["effect"], other["bytes"], other["problem"]) == (None, None, "No such file or directory")


def test_a_summary_as_a_table(folder):
    done = run_command("check", "-q", "f*.xml", "missing.xml", "--summary", "-", "--jobs", "2")
    lines = done.err.splitlines()
    assert lines[1].split() == ["status", "verdict", "errors", "seconds", "bytes", "file"]
    assert lines[2].endswith("missing.xml: No such file or directory")
    assert lines[3].split()[:3] == ["1", "whole", "4"]
    assert lines[-2] == "and 21 more files"
    assert lines[-1].startswith("41 files: 8 with status 0, 32 with status 1, 1 with status 3; 80 errors; 0.0 MB; ")


def test_the_worst_files_come_first_in_a_summary(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documents = {
        "none": "no tree",
        "lost": "<a x=1 x=2/>",
        "cut": "<a>1 & 2<b>",
        "moved": "<a><b>&&&&&&</a>",
        "kept": "<a>&&&</a>",
        "less": "<a>&</a>",
        "well": "<a/>",
    }
    for name, text in documents.items():
        Path(f"{name}.xml").write_text(text)
    for options in ([], ["--fail-on", "moved"]):
        done = run_command("check", "-q", ".", "--summary", "-", *options)
        assert [Path(line.split()[-1]).stem for line in done.err.splitlines()[1:-1]] == [*documents]


def test_a_summary_that_cannot_be(folder):
    assert "ends neither in .jsonl nor in .parquet" in run_command("check", "f00.xml", "--summary", "f01.xml").err
    done = run_command("check", "f00.xml", "--summary", "none/out.jsonl")
    assert (done.status, "out.jsonl" in done.err) == (3, True)


# Processes.


def test_a_process_that_ends_does_not_stop_the_others(folder, monkeypatch):
    do = jobs_module._do

    def end(document, *arguments):
        if document.name == "f07.xml":
            os._exit(1)
        return do(document, *arguments)

    monkeypatch.setattr(jobs_module, "_do", end)
    done = run_command("check", "--format", "concise", "f*.xml", "-j", "2")
    assert done.status == 3
    assert done.err == "xml5tree: f07.xml: the process that read it has ended; is there enough memory?\n"
    assert "f07.xml: not read: the process that read it has ended" in done.out
    assert "40 files: 8 well-formed, 31 with content kept, 1 not read" in done.out


def test_an_exception_ends_the_command(folder, monkeypatch):
    def fail(*arguments):
        raise LookupError("a mistake")

    monkeypatch.setattr(jobs_module, "_do", fail)
    with pytest.raises(LookupError, match="a mistake"):
        run_command("check", "f*.xml", "-j", "2")


def values(work, count, wait=lambda: None):
    """Yield the values of pieces of work of two processes."""
    return (value for value, _ in results(work, count, 2, wait))


def test_results_come_in_order_and_are_not_kept(tmp_path):
    begun = set()

    def work(number):
        (tmp_path / str(number)).touch()
        time.sleep(0.5 if number == 0 else 0)
        return number

    for expected, number in enumerate(values(work, 1000)):
        assert number == expected
        begun |= set(map(int, os.listdir(tmp_path)))
        assert max(begun) - number < 2 * 64
        if not number:
            assert len(begun) > 1  # all others that may be were done during the first


def test_the_caller_has_turns_until_a_result_is_there():
    turns = []
    assert list(values(lambda number: time.sleep(0.5), 2, lambda: turns.append(1))) == [None, None]
    assert turns


def test_each_that_kills_its_process_is_lost_alone():
    def work(number):
        if number % 10 == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert [type(one) if isinstance(one, Died) else one for one in values(work, 30)] == [
        Died if number % 10 == 3 else number for number in range(30)
    ]


def test_a_process_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr("xml5tree.cli.workers._PATIENCE", 0.05)

    def work(number):
        if number == 0:
            raise ValueError("a mistake")
        while True:
            with suppress(SystemExit):
                time.sleep(60)

    with pytest.raises(ValueError, match="a mistake"):
        list(values(work, 2))


def test_what_a_process_has_begun_is_removed(tmp_path):
    def work(number):
        if number == 0:
            while not (tmp_path / "begun").exists():
                time.sleep(0.01)
            raise ValueError("a mistake")
        try:
            (tmp_path / "begun").touch()
            time.sleep(60)
        finally:
            (tmp_path / "begun").unlink()

    with pytest.raises(ValueError, match="a mistake"):
        list(values(work, 2))
    assert not (tmp_path / "begun").exists()


def test_interruption_ends_all_processes(folder):
    pipe = folder / "pipe.xml"
    os.mkfifo(pipe)
    command = start_command("check", "f00.xml", "pipe.xml", "-j", "2", stdout=subprocess.PIPE, start_new_session=True)
    assert command.stdout.readline() == b"f00.xml: well-formed\n"
    os.killpg(command.pid, signal.SIGINT)
    command.stdout.close()
    assert command.wait(20) == 130


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    "command", [["check"], ["check", "--format", "concise"], ["repair", "--diff"], ["records", "--tag", "a"]]
)
def test_what_is_ready_is_not_held_back(folder, command, jobs):
    """The last document comes from a pipe that says nothing; a reader has the output for all others."""
    for number in range(20):
        (folder / f"g{number:02}.xml").write_text(f"<r><a>ready{number:02}&</a></r>")
    os.mkfifo(folder / "z.xml")
    environment = {"PYTHONUNBUFFERED": ""}
    process = start_command(*command, "g*.xml", "z.xml", "-j", jobs, stdout=subprocess.PIPE, env=environment)
    last = b"g19.xml" if command[0] == "check" else b"ready19"
    shown = b""
    try:
        while last not in shown:
            assert select.select([process.stdout], [], [], 60)[0], shown
            part = os.read(process.stdout.fileno(), 65536)
            assert part, shown
            shown += part
    finally:
        process.kill()
        process.stdout.close()
        process.wait(60)


def test_a_reader_that_goes_away_ends_all_processes(folder):
    for number in range(300):
        (folder / f"g{number}.xml").write_text("<r>" + "<a>&</a>" * 90 + "</r>")
    command = start_command("check", "g*.xml", "-j", "2", stdout=subprocess.PIPE)
    command.stdout.readline()
    command.stdout.close()
    assert command.wait(60) == 141


def test_captured_output_keeps_its_order():
    captured = Captured()
    with redirected(captured.write):
        print("one")
        print("two", file=__import__("sys").stderr)
        __import__("sys").stdout.buffer.write(b"\xff")
    assert list(captured.parts()) == [
        (False, b"one\n"),
        (True, b"two\n"),
        (False, b"\xff"),
    ]


def test_bytes_and_text_that_are_captured_keep_their_order_beyond_memory(monkeypatch):
    monkeypatch.setattr("xml5tree.cli.workers._IN_MEMORY", 3)
    captured = Captured()
    with redirected(captured.write):
        for number in range(5):
            sys.stdout.write(f"{number}")
            sys.stdout.buffer.write(b"\xfe")
            sys.stderr.write("!")
    parts = list(captured.parts())
    assert b"".join(data for is_error, data in parts if not is_error) == b"0\xfe1\xfe2\xfe3\xfe4\xfe"
    assert b"".join(data for is_error, data in parts if is_error) == b"!" * 5
    assert [is_error for is_error, _ in itertools.groupby(parts, key=lambda part: part[0])] == [False, True] * 5
    with redirected(captured.write), pytest.raises(TypeError, match="must be str"):
        sys.stdout.write(b"bytes")
