"""The measurement of speed: its processes, its arithmetic, and the tables made of its results."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import speed
from speed_measuring import families, measure
from speed_peers import EXPAT, LIBXML2, PEERS
from speed_results import Result, share_kept, times_native
from speed_tables import print_overview, print_summary, print_table
from support.cases import in_whole_run

SCRIPT = Path(__file__).parent.parent / "compat" / "speed.py"
OURS = "xml5tree-etree"
SLOW = "xml5tree-repair-states"


@pytest.fixture
def documents(tmp_path):
    for name, text in {
        "a": "<a><b>1</b><p:c xmlns:p='u'/></a>",
        "a-broken": "<a><b>1<p:c/></a>",
        "rss": "<a/>",
    }.items():
        (tmp_path / f"{name}.xml").write_text(text)
    return tmp_path


def test_families(documents):
    assert [[path.stem for path in paths] for paths in families(documents)] == [["a", "a-broken"], ["rss"]]


@in_whole_run
def test_measure(documents):
    peers = [PEERS[name] for name in (EXPAT, OURS, SLOW)]
    results = measure(peers, families(documents)[0], rounds=3, limit=60)
    assert {key: result.problem for key, result in results.items() if result.problem} == {
        (EXPAT, "a-broken"): "refuses"
    }
    assert {name: len(results[name, "a"].times) for name in (EXPAT, OURS, SLOW)} == {EXPAT: 3, OURS: 3, SLOW: 1}
    for peer in peers[1:]:
        assert results[peer.name, "a-broken"].elements == {"a": 1, "b": 1, "c": 1}


def test_measure_with_a_limit(documents):
    results = measure([PEERS[EXPAT]], [documents / "rss.xml"], rounds=1, limit=0)
    assert results[EXPAT, "rss"].problem == "over 0 s"


# Results made up ----------------------------------------------------------------------------------------------------

WHOLE = Counter(a=1, item=3)
RESULTS = {
    (EXPAT, "rss"): Result(2_000_000, [1.5, 9.0, 1.0], 3_000_000, WHOLE),
    (OURS, "rss"): Result(2_000_000, [2.0], 4_000_000, WHOLE),
    ("feedparser", "rss"): Result(2_000_000, [8.0], 5_000_000, Counter(item=2)),
    ("lxml", "rss"): Result(2_000_000, [0.5], 0, WHOLE),
    (EXPAT, "rss-broken"): Result(2_000_000, problem="refuses"),
    (OURS, "rss-broken"): Result(2_000_000, [4.0], 6_000_000, Counter(a=1, item=1, other=5)),
    ("feedparser", "rss-broken"): Result(2_000_000, [8.0], 5_000_000, Counter(item=3)),
    ("lxml", "rss-broken"): Result(2_000_000, problem="refuses"),
}
SHOWN = [PEERS[name] for name in (EXPAT, OURS, "feedparser")]


def test_ratios():
    assert times_native(RESULTS, PEERS[OURS], "rss-broken") == 4
    assert times_native(RESULTS, PEERS["feedparser"], "rss-broken") == 16
    assert share_kept(RESULTS, PEERS[OURS], "rss-broken") == 0.5
    assert share_kept(RESULTS, PEERS["feedparser"], "rss") == 2 / 3


def test_table(capsys):
    print_table(RESULTS, SHOWN, "rss-broken")
    assert capsys.readouterr().out.splitlines()[1:] == [
        "### rss-broken (2.0 MB)",
        "",
        "| parser | MB/s | × native | elements kept | memory, MB |",
        "|---|---:|---:|---:|---:|",
        "| ElementTree | refuses | | | |",
        "| xml5tree-etree | 0.5 | 4.00 | 50.00% | 6 |",
        "| feedparser | 0.2 | 16.00 | 100.00% | 5 |",
    ]


def test_overview(capsys):
    print_overview(RESULTS, SHOWN)
    assert capsys.readouterr().out.splitlines()[3:] == [
        "| parser | rss | rss-broken |",
        "|---|---:|---:|",
        "| ElementTree | 2.0 | refuses |",
        "| xml5tree-etree | 1.0 | keeps 50% |",
        "| feedparser | keeps 67% | 0.2 |",
    ]


def test_summary(capsys):
    print_summary(RESULTS, SHOWN)
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "Well-formed: rss. Broken: rss-broken."
    assert lines[7:] == ["| xml5tree-etree | 2.00 | 4.00 | 1.00 |  |  |"]


def test_summary_of_what_took_too_long(capsys):
    print_summary(RESULTS | {(OURS, "rss"): Result(2_000_000, problem="over 1 s")}, SHOWN)
    assert capsys.readouterr().out.splitlines()[7:] == ["| xml5tree-etree | over 1 s |  |  |  |  |"]


@pytest.fixture
def without_markupever(monkeypatch):
    monkeypatch.setattr(speed, "version_of", lambda package: None if package == "markupever" else "1.0")


def test_peers_are_chosen(without_markupever):
    peers, absent = speed._choose(OURS)
    assert [peer.name for peer in peers] == [EXPAT, LIBXML2, OURS]
    assert absent == []
    peers, absent = speed._choose(None)
    assert [peer.name for peer in absent] == ["markupever"]
    assert [peer.name for peer in peers] == [name for name in PEERS if name != "markupever"]


def test_peers_that_are_not_installed_are_named(without_markupever, documents, monkeypatch, capsys):
    """A table without a parser must not look as if there were no such parser."""
    monkeypatch.setattr(sys, "argv", ["speed.py", str(documents)])
    monkeypatch.setattr(speed, "_compare", lambda *arguments: None)
    speed.main()
    assert capsys.readouterr().err == "not run, as not installed: markupever (for markupever)\n"
    monkeypatch.setattr(sys, "argv", ["speed.py", str(documents), "--peers", f"{OURS},markupever"])
    with pytest.raises(SystemExit, match=r"^not installed: markupever \(for markupever\)$"):
        speed.main()


def test_one_package_of_many_peers():
    peers = [PEERS[name] for name in ("lxml", OURS, SLOW)]
    assert speed._not_installed(peers) == f"not installed: lxml (for lxml), xml5tree (for {OURS}, {SLOW})"


def test_unknown_peer():
    done = subprocess.run([sys.executable, SCRIPT, "--peers", "nobody"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("no such peer: nobody; there are ElementTree, lxml")
