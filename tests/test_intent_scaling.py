"""Invariant I7 for `recovery="intent"`: what the policy reads ahead stays in proportion to the document (R-008)."""

import pytest
from support.cases import one_in
from support.scaling import assert_scales_linearly
from support.splits import chunks
from support.windows import window_of

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.dialects.xml5.intent.constants import BUDGET, MOST_LEARNED, MOST_REPEATED, REPEAT_AFTER, WINDOW
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.runs import pure
from xml5tree.dialects.xml5.intent.runs.pure import _start_of_last

#: Documents in which much is doubted.
FAMILIES = {
    "tags in names": lambda n: "<r>" + "<a" * n,
    "tags in attributes": lambda n: "<r>" + "<a b " * n,
    "attributes in names": lambda n: "<r><i/><it/>" + "<itx='1'>" * n,
    "comments": lambda n: "<r>" + "<a><!-- x </a>" * n,
    "comments within each other": lambda n: "<r>" + "<!--<a>" * n,
    "CDATA sections": lambda n: "<r>" + "<a><![CDATA[ x </a>" * n,
    "instructions": lambda n: "<r>" + "<a><?x </a>" * n,
    "misspelt comments": lambda n: "<r>" + "<a><!- x> </a>" * n,
    "misspelt CDATA sections": lambda n: "<r>" + "<a><![cdata[ x> </a>" * n,
    "sections in sections": lambda n: "<r>" + "<![CDATA[ <![CDATA[ ]]>" * n,
    "unclosed values": lambda n: "<r><a " + 'x="' * n,
    "unclosed values before tags": lambda n: "<r>" + "<a x=\"1>t</a><b y='2>" + "<c>t</c>" * n,
    "unclosed values after each other": lambda n: (
        "<r>" + ('<a x="1>t</a>' + "<c>t</c>" * (WINDOW // 8 // SHORTER)) * (n // 60)
    ),
    "unclosed values before long text": lambda n: (
        "<r>"
        + ('<a x="1>' + "t" * (WINDOW * 3 // SHORTER) + "</a>" + "<c>t</c>" * (WINDOW // 8 // SHORTER)) * (n // 60)
    ),
    "unclosed values in text": lambda n: '<r><a x="' + "t<" * (8 * n),
    "values without quotes": lambda n: "<r><a " + "b =" * (4 * n),
    "values without names": lambda n: "<r><a " + "= " * (4 * n),
    "alternating quotes": lambda n: "<r><a x=" + "\"'" * (8 * n),
    "typographic quotes": lambda n: "<r>" + "<a b=“x " * n,
    "distinct names": lambda n: "<r>" + "".join(f"<a{i}></a{i}>" for i in range(n)),
    "distinct names after text": lambda n: "<r>" + "".join(f"<×<a{i}>" for i in range(n)),
    "distinct names within each other": lambda n: "<r>" + "".join(f"<a{i}>" for i in range(n)),
    "no end tags": lambda n: "<a><b>" * n,
    "end tags that are not open": lambda n: "<r>" + f"<item><b>x</c>{'y' * 36}" * n,
    "end tags without >": lambda n: "<r>" + "</a " * n,
    "end tags without > that are misspelt": lambda n: "<r>" + "<item>x</itme " * n,
    "crossed tags": lambda n: "<r>" + "<a><b></a></b>" * n,
    "elements that are always empty": lambda n: "<r>" + "<b></b>" * n + "</c>",
    "void elements": lambda n: "<r>" + "a<br>b" * n,
    "double quotes before single ones": lambda n: "<r>" + "<a x=\"'" * n,
    "single quotes before double ones": lambda n: "<r>" + "<a x='\"" * n,
    "end tags before start tags": lambda n: "<r>" + "</a><b>" * n,
    "texts like tags": lambda n: "<r>" + "<a>b<c d>" * n,
    "texts with less-than signs": lambda n: "<r>" + "< a" * n,
    "references without semicolons": lambda n: "<r>" + "&amp " * n,
}
#: The window and the documents are so many times shorter than with the window of the policy.
SHORTER = 8
#: How many parts the small document has: so many that windows are full, where time grows faster before they are.
SMALL = dict.fromkeys(["tags in names", "end tags without >", "unclosed values"], 6000 // SHORTER)
SMALL |= {"alternating quotes": 20000 // SHORTER}  # as far as a tag is read: one that the document ends in is dropped
SMALL |= dict.fromkeys(["no end tags", "void elements"], 3000 // SHORTER)
SMALL |= dict.fromkeys(["comments", "CDATA sections", "instructions"], 300 // SHORTER)
#: Those of which many times as much would be read ahead if that were not bounded. The time of the others is bounded by
#: this: sections and values are looked through up to the next of the kind, the draft's reading is not read anew, and
#: neither are the names of all end tags.
READ_AHEAD = ["end tags that are not open", "crossed tags", "end tags before start tags"]


#: Documents of one long thing: each has a function that makes it of a number.
LONG = {
    "name of an element that has attributes": lambda n: "<r><" + "a" * n + " b='1'>x",
    "unclosed value": lambda n: "<r><a b='1" + "a" * 8 * n,
    "unclosed values": lambda n: "<r><a" + " b='1>" * n,
    "values without quotes": lambda n: "<r><a" + " b=1 c" * n,
    "equals signs": lambda n: "<r><a b" + "= " * n,
    "separated attributes": lambda n: "<r><a" + ' b="1",' * n,
    "typographic quotes that are not closed": lambda n: "<r><a" + " b=“x c=‘y" * (n // 2),
}


def repair(pieces):
    repairer = xml5tree.Repairer(recovery="intent", max_errors=100)
    for piece in pieces:
        repairer.feed(piece)
    repairer.close()


@pytest.mark.parametrize("family", one_in(2, FAMILIES))
def test_linear_time(family):
    with window_of(WINDOW // SHORTER):
        assert_scales_linearly(
            lambda document: repair(chunks(document, 1000)),
            FAMILIES[family],
            SMALL.get(family, 1500 // SHORTER),
            slack=3,
        )


def test_choices_without_budget(monkeypatch):
    """R-008: each may take a window, so few are repeated."""
    asked = []
    original = Intent.choose_for_end_tag

    def choose_for_end_tag(policy, name, window, far=None):
        asked.append(name)
        return original(policy, name, window, far)

    monkeypatch.setattr(Intent, "choose_for_end_tag", choose_for_end_tag)
    monkeypatch.setattr("xml5tree.dialects.xml5.intent.policy.BUDGET", -1)
    document = "<r>" + "</a>" * 5000 + "</r>"
    repair([document])
    assert MOST_REPEATED < len(asked) <= MOST_REPEATED + len(document) // REPEAT_AFTER + 1


#: Documents that some rule once read again and again, as far as its look-ahead goes. They are tried with the limits as
#: they are, since shorter windows hide such a fault.
WITHIN_REACH = {
    "values with less-than signs": (lambda n: "<r>" + '"<a " x=' * n, 500),
    "instructions that do not end, where junk may be": (lambda n: "<b>" + "<?" * n, 1000),
    "question marks that are text": (lambda n: "<r>" + "<?1 3<4 " * n, 500),
    "attributes without an equals sign": (lambda n: "<r><a " + 'x"1" ' * n + ">t", 1000),
    "tags that are passed over when they are read ahead": (lambda n: "<r>" + "<b></b><:a></:a>" * n, 250),
    # Each name is compared with those of open elements, in each window again. There are more than are remembered.
    "end tags of other names than open elements have": (lambda n: names("<#>", 100) + names("</#>", n), 500),
    "end tags of names with the same letters": (lambda n: names("<xyxyxyxy#>", 60) + names("</yxyxyxyx#>", n), 500),
}


def names(tag, n):
    """Repeat a tag with other letters in the place of ``#``; their order has nothing to do with the number."""
    return "".join([tag.replace("#", f"{number * 2654435761 % 2**32:032b}") for number in range(1, n + 1)])


@pytest.mark.parametrize("family", one_in(2, READ_AHEAD))
def test_characters_read_ahead(family, monkeypatch):
    """R-008: these documents use what may be read ahead, and no more; as much with and without the compiled scanner."""

    def spend(policy, characters):
        spent[-1].append(characters)
        original(policy, characters)

    original = Intent.spend
    monkeypatch.setattr(Intent, "spend", spend)
    monkeypatch.setattr("xml5tree.dialects.xml5.intent.policy.BUDGET_WINDOWS", 1)  # so that small documents use it up
    document = FAMILIES[family](1000)
    spent = []
    window = WINDOW // SHORTER
    for name in ("pure", *LANES.keys() & {"compiled"}):
        with window_of(window), lane(name):
            spent.append([])
            repair([document])
    most = BUDGET * (len(document) + window)
    assert most / 2 < sum(spent[0]) < most + 8 * window  # the last decision may read several windows
    assert spent[1:] == spent[:-1]


def test_tokens_of_a_run_are_found_once(monkeypatch):
    """Without the compiled scanner, all that followed in a run was tokenized again after each tag that is doubted."""

    class Pattern:
        def finditer(self, *arguments):
            for match in pattern.finditer(*arguments):
                if len(arguments) == 2:  # else the end of an element is looked for, not far away
                    found.append(match)
                yield match

    pattern, found = pure.TOKEN, []
    monkeypatch.setattr(pure, "TOKEN", Pattern())
    with lane("pure"):
        repair(["<r>" + "<b></b>" * 400 + "</q>"])
    assert 400 <= len(found) < 2000


@pytest.mark.parametrize("family", one_in(2, WITHIN_REACH))
def test_linear_time_within_reach(family):
    """Time grows no faster even where a document is shorter than what is read ahead."""
    make_document, small = WITHIN_REACH[family]
    for name in ("pure", *LANES.keys() & {"compiled"}):
        with lane(name):
            assert_scales_linearly(lambda document: repair([document]), make_document, small, factor=8, slack=3)


@pytest.mark.parametrize("family", one_in(2, LONG))
def test_linear_time_of_long_things(family):
    assert_scales_linearly(lambda document: repair([document]), LONG[family], 5000, factor=8, slack=3)


def test_linear_time_of_what_is_learned():
    """An element with many kinds of children was looked through for each child, with each text in such elements."""

    def learn(count):
        learned = Learned()
        for number in range(count):
            learned.learn_child("r", None, f"n{number}")
            learned.learn_pair("r", TEXT_CHILD)
            assert learned.between("r", f"n{number}") == []

    assert_scales_linearly(learn, int, 500, factor=8, slack=3)


def test_empty_tags_are_not_new_where_no_more_are_learned():
    """R-036: one that came before might be among those that were not learned."""
    learned = Learned()
    for number in range(MOST_LEARNED):
        assert learned.is_new_empty("e")
        learned.learn_empty(f"n{number}")
    learned.learn_content("e")
    assert not learned.is_new_empty("n0")
    assert not learned.is_new_empty("e")
    assert not learned.may_be_filled("e")


def test_elements_between_others_are_the_first_that_were_shown():
    learned = Learned()
    for name in "cabed":
        learned.learn_pair("r", name)
        learned.learn_pair(name, "x")
    assert learned.between("r", "x") == ["c", "a", "b"]
    for number in range(9):
        learned.learn_pair("r", f"n{number}")
    assert learned.between("r", "x") == ["c", "a", "b"]
    assert learned.between("r", "y") == learned.between("s", "x") == []


@pytest.mark.parametrize("text", ["", "x", "abc", "é€😀", "a😀é" * 3])
def test_start_of_the_last_characters(text):
    """How near the end of a run is, in characters, is found once for each run: its text is not decoded at each tag."""
    data = f"<é>{text}<b>".encode()
    start, end = len("<é>".encode()), len(data) - len(b"<b>")
    for count in range(1, 12):
        place = _start_of_last(count, data, start, end)
        assert data[place:end].decode() == text[-count:]
