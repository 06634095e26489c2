"""`check --against lxml`: what lxml keeps of documents, beside what this library keeps."""

import pytest
from lxml import etree
from support.commands import run_command
from support.scaling import assert_scales_linearly

from xml5tree.cli.against import Comparison, Counts, Facts


def differences(mine, theirs):
    """Return what the second of two well-formed documents lacks of the first, and what it has elsewhere."""
    paths = {}
    facts, others = (Facts(etree.fromstring(document), paths) for document in (mine, theirs))
    return facts.without(others, {number: name for (_, name), number in paths.items()})


@pytest.mark.parametrize(
    ("mine", "theirs", "dropped", "moved"),
    [
        ("<a b='1'>x<c/>y</a>", "<a b='1'>x<c/>y</a>", (0, 0, 0), (0, 0, 0)),
        ("<a><b>x</b><b>yz</b></a>", "<a><b>x</b></a>", (1, 0, 2), (0, 0, 0)),
        ("<a b='1' c='23'/>", "<a b='1'/>", (0, 1, 2), (0, 0, 0)),
        ("<a>R&amp;D</a>", "<a>RD</a>", (0, 0, 1), (0, 0, 0)),
        # The same content in another element
        ("<a><b>x</b><c>y</c></a>", "<a><b>x<c>y</c></b></a>", (0, 0, 0), (1, 0, 1)),
        ("<a><b/>tail</a>", "<a><b>tail</b></a>", (0, 0, 0), (0, 0, 4)),
        ("<a><b/><c/>tail</a>", "<a><b/></a>", (1, 0, 4), (0, 0, 0)),
        # What does not count: white space, U+FFFD, comments and instructions, prefixes, where a name is in its parent
        ("<a> x y\n<b/></a>", "<a>xy<b/></a>", (0, 0, 0), (0, 0, 0)),
        ("<a>x\ufffdy</a>", "<a>xy</a>", (0, 0, 0), (0, 0, 0)),
        ("<a>x<!--c-->y<?p?>z</a>", "<a>xyz</a>", (0, 0, 0), (0, 0, 0)),
        ("<p:a xmlns:p='u' p:b='1'/>", "<a b='1'/>", (0, 0, 0), (0, 0, 0)),
        ("<a><b/><c/></a>", "<a><c/><b/></a>", (0, 0, 0), (0, 0, 0)),
    ],
)
def test_facts(mine, theirs, dropped, moved):
    assert differences(mine, theirs) == (dropped, moved)


def test_counts_in_words():
    assert Counts(1, 2, 3000).in_words == "1 element, 2 attributes and 3,000 characters"
    assert Counts(0, 1, 1).in_words == "1 attribute and 1 character"
    assert Counts(5).in_words == "5 elements"
    found = Comparison(Counts(9, 9, 9), Counts(1), Counts(0, 0, 2), Counts(0, 1))
    assert found.in_words == "lxml drops 1 element; lxml has 2 characters elsewhere; xml5tree drops 1 attribute"


def test_deep_documents():
    document = "<a>" * 2000 + "x" + "</a>" * 2000
    root = etree.fromstring(document, etree.XMLParser(huge_tree=True))
    assert Facts(root, {}).counts == (2000, 0, 1)


def test_it_takes_linear_time():
    def tree(size):
        return etree.fromstring("<a>" + '<b c="d">e</b>f' * size + "</a>")

    assert_scales_linearly(lambda root: Facts(root, {}), tree, 1000)


def test_command(tmp_path):
    same, broken, empty = (tmp_path / name for name in ("a.xml", "b.xml", "c.xml"))
    same.write_text("<a b='1'>c</a>")
    broken.write_text("<a><b x=1>R&D</b><c>d</c></a>")
    empty.write_text("no markup")
    result = run_command("check", "--against", "lxml", same)
    assert (result.status, result.out) == (0, f"{same}: both keep the same\n")
    for jobs in ("1", "2"):
        result = run_command("check", "--against", "lxml", "--jobs", jobs, tmp_path)
        lines = result.out.splitlines()
        assert result.status == 2
        assert lines[0] == f"{same}: both keep the same"
        assert lines[1].startswith(f"{broken}: lxml drops ")
        assert lines[2] == f"{empty}: neither gives a tree"
        assert lines[4].startswith(
            "3 files: 2 the same from both; lxml keeps less, or moves it, in 1, and gives no tree"
        )
        assert lines[6].split() == ["xml5tree", "keeps", "4", "2", "7"]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    result = run_command("check", "--against", "lxml", tmp_path / "none.xml")
    assert result.status == 3
    assert "No such file" in result.err


def test_characters_that_xml_does_not_allow_do_not_count():
    root = etree.fromstring("<a>x<b/>y</a>", etree.XMLParser())
    recovered = etree.fromstring("<a>x&#1;<b/>y</a>", etree.XMLParser(recover=True))  # libxml2 keeps it
    assert Facts(recovered, {}).counts == Facts(root, {}).counts == (2, 0, 2)


@pytest.mark.parametrize("other", [["-q"], ["--statistics"], ["--format", "json"], ["--dialect", "microxml"]])
def test_bad_use(tmp_path, other):
    assert run_command("check", "--against", "lxml", *other, tmp_path / "a.xml").status == 3
