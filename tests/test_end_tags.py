"""What an end tag does to the open elements is one rule (D-109, D-110), with and without the core."""

from itertools import product

import pytest

import xml5tree

pytestmark = pytest.mark.usefixtures("reader")

START_TAGS = ("<a>", "<b>")
END_TAGS = ("</a>", "</b>", "</>")
MARK = "<m/>"
#: How many elements from before a run its first end tag is compared with: `MOST_LOOKED_AT` in endtags.h.
LIMIT = 64
WRONG = {"mismatched-end-tag", "unmatched-end-tag"}


def expected(tags):
    """The indices of wrong end tags, and the names of what is open then; None: the root has ended."""
    stack, wrong = ["r"], []
    for index, tag in enumerate(tags):
        name = tag.strip("</>")
        if tag in START_TAGS:
            stack.append(name)
            continue
        if name and name != stack[-1]:
            wrong.append(index)
        if not name:
            stack.pop()
        elif name in stack:
            while stack.pop() != name:
                pass
        if not stack:
            return None
    return wrong, stack


def names_around(root, name):
    """The names of the elements around the last element, which has a name."""
    names = []
    while root.tag != name:
        names.append(root.tag)
        root = root[-1]
    return names


def check_tree(tags, **options):
    """The same end tags are wrong, and the mark is in the same elements."""
    if (found := expected(tags)) is None:
        return
    wrong, stack = found
    starts = [3 + len("".join(tags[:index])) for index in wrong]
    log = []
    root = xml5tree.fromstring(f"<r>{''.join(tags)}{MARK}", recovery="draft", on_error=log.append, **options)
    assert [entry.offset for entry in log if entry.code in WRONG] == starts
    around = names_around(root, "m")
    assert (around[1:] if options.get("roots") == "all" else around) == stack


@pytest.mark.parametrize("options", [{}, {"roots": "all"}])
@pytest.mark.parametrize("length", range(1, 5))
def test_end_tags_end_what_they_name(length, options):
    for tags in product(START_TAGS + END_TAGS, repeat=length):
        check_tree(tags, **options)


@pytest.mark.parametrize("options", [{}, {"roots": "all"}])
@pytest.mark.parametrize("end", ["</a>", "</x>", "</>"])
def test_deep_end_tags_end_what_they_name(end, options):
    """An end tag after so many start tags of other names that the limit is just not reached, and just is."""
    for depth in range(LIMIT - 2, LIMIT + 3):
        check_tree(["<a>", *["<b>"] * depth, end], **options)


@pytest.mark.parametrize("end", ["</a>", "</x>", "</>", "</x></a>", "</x>" * LIMIT + "</a>"])
def test_deep_end_tags_in_another_part_end_what_they_name(end):
    """The elements are those of an earlier run, by their own names and by others that have come since."""
    for depth in (1, *range(LIMIT - 2, LIMIT + 3), 3 * LIMIT):
        for opened in ("", "<c>", "<x></x>"):
            parts = ["<r><x/><a>" + "<b>" * depth, f"{opened}{end}{MARK}"]
            results = []
            for document in (parts, ["".join(parts)]):
                log = []
                root = xml5tree.fromstringlist(document, recovery="draft", on_error=log.append)
                results.append((names_around(root, "m"), log))
            assert results[0] == results[1]
