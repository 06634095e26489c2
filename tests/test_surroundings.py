"""Values that records get from the elements around them: the same by both backends, and however a document is cut."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import run_command
from support.scaling import assert_scales_linearly

import xml5tree
import xml5tree.ranges

pytestmark = pytest.mark.usefixtures("reader")

ORDERS = """<orders currency="EUR" xmlns:dc="http://purl.org/dc/elements/1.1/"><note>n</note>
<order id="1" dc:date="5"><buyer><name>Ann<br/>A</name><name>Bo</name></buyer><lines page="1"><line><qty>1</qty></line>
<line><qty>2</qty></line></lines><total>3</total></order>
<order id="2"><buyer kind="b"/><lines><line><qty>3</qty></line></lines></order><line><qty>4</qty></line></orders>"""

#: The values of the four lines, by path.
VALUES = {
    "ancestor::order/@id": ["1", "1", "2", None],
    "ancestor::orders/@currency": ["EUR"] * 4,
    "ancestor::*/@page": ["1", "1", None, None],
    "ancestor::order/@dc:date": ["5", "5", None, None],
    "ancestor::{*}order/@id": ["1", "1", "2", None],
    "../@page": ["1", "1", None, None],
    "../../@id": ["1", "1", "2", None],
    "../../../../@id": [None] * 4,
    "ancestor::order/buyer/name": ["AnnA", "AnnA", None, None],
    "ancestor::order/buyer/name/text()": ["Ann", "Ann", None, None],
    "../../buyer/*": ["AnnA", "AnnA", None, None],
    "ancestor::order/buyer/@kind": [None, None, "b", None],
    # The first of a name, also if that is in the record, or in one before it.
    "ancestor::order/lines/line/qty": ["1", "1", "3", None],
    # Neither what stands after the record nor what is somewhere else.
    "ancestor::order/total": [None] * 4,
    "ancestor::order/name": [None] * 4,
    "ancestor::line/qty": [None] * 4,
    "ancestor::orders/note": ["n"] * 4,
}


def values(parts, path, **options):
    found = xml5tree.records(parts, "line", fields={"qty": "qty", "value": path}, **options)
    return [record["value"] for record in list(found)]  # after all has been read


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("path", VALUES)
def test_values(path, backend):
    assert values([ORDERS], path, backend=backend) == VALUES[path]
    assert values([ORDERS.encode()], path, backend=backend, on_bad="mark", spans=True) == VALUES[path]
    assert values([*ORDERS], path, backend=backend) == VALUES[path]


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_what_is_cut_where_the_tree_is_pruned(backend):
    """A value lasts as long as its element, though 200 KB are between it and the record, and within it."""
    filler = "<p>x</p>" * 25_000
    name = f"<buyer>{filler}<name>A{filler}B</name></buyer>"
    text = f'<orders><order id="1">{name}{filler}<line/>{filler}</order><order id="2"><line/></order></orders>'
    full = ["A" + "x" * 25_000 + "B", None]
    assert values([text], "ancestor::order/buyer/name", backend=backend) == full
    assert values([text], "../@id", backend=backend) == ["1", "2"]


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_what_was_meant_is_around_a_record(backend):
    """End tags that are missing or wrong are those of the repaired document."""
    text = "<orders><order id=1><date>d</date><line>1</line><order id=2><line>2<line>3</order></line></orders>"
    repaired = xml5tree.repair(text)
    for path in ("ancestor::order/@id", "../@id"):
        assert values([text], path, backend=backend) == values([repaired], path, backend=backend)
    assert values([text], "ancestor::order/@id", backend=backend) == ["1", "2", "2"]


PARTS = ["<o a='1'>", "<o>", "</o>", "<b>t", "</b>", "<line>", "</line>", "&", "<b/>"]


@pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")
@given(
    st.lists(st.sampled_from(PARTS)),
    st.sampled_from(["ancestor::o/@a", "../@a", "ancestor::o/b", "../b/text()"]),
    st.data(),
)
def test_cuts_do_not_matter(parts, path, data):
    text = "".join(["<r a='0'>", *parts])
    cut = data.draw(st.integers(0, len(text)))
    whole = values([text], path)
    for backend in ("etree", "lxml"):
        assert values([text[:cut], text[cut:]], path, backend=backend) == whole


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize(
    "path",
    [
        "ancestor::order", "ancestor::", "..", "../..", "ancestor::order/", "../line[1]/@x", "ancestor::order/count(x)",
        "ancestor::unknown:order/@id", "../.", "ancestor::a::b/@c", ["../@id"], ("ancestor::order/@id",),
    ],
)  # fmt: skip
def test_paths_that_cannot_be_followed(path, backend):
    with pytest.raises(ValueError, match="cannot be followed: a path to an element around the record"):
        xml5tree.records([ORDERS], "line", fields={"value": path}, backend=backend)


def test_records_within_records_and_in_other_calls(tmp_path):
    fields = {"id": "ancestor::order/@id", "qty": "qty"}
    both = xml5tree.records([ORDERS], ["order", "line"], fields=fields)
    assert [(record["id"], record["qty"]) for record in both] == [
        ("1", "1"), ("1", "2"), (None, None), ("2", "3"), (None, None), (None, "4"),
    ]  # fmt: skip

    async def ask():
        async def parts():
            yield ORDERS

        return [dict(record) async for record in xml5tree.arecords(parts(), "line", fields=fields)]

    expected = [{"id": "1", "qty": "1"}, {"id": "1", "qty": "2"}, {"id": "2", "qty": "3"}, {"id": None, "qty": "4"}]
    assert asyncio.run(ask()) == expected
    path = tmp_path / "a.xml"
    path.write_text(ORDERS)
    done = run_command("records", path, "--tag", "line", "--field", "id=ancestor::order/@id", "--field", "qty=qty")
    assert done.out.splitlines()[0] == '{"id": "1", "qty": "1"}'
    (part,) = xml5tree.ranges.split(path)
    with pytest.raises(ValueError, match="a range has not all that is around its records"):
        list(xml5tree.ranges.read(part, "line", fields=fields))


def test_tables():
    pytest.importorskip("pyarrow")
    fields = {"id": "../../@id", "qty": "qty", "buyer": "ancestor::order/buyer/name"}
    rows = [(1, 1, "AnnA"), (1, 2, "AnnA"), (2, 3, None), (None, 4, None)]
    for schema in ("infer", "qty int, id int, buyer string"):
        table = xml5tree.read_table([ORDERS], "line", fields=fields, schema=schema)
        assert [tuple(row[name] for name in fields) for row in table.to_pylist()] == rows
    batches = xml5tree.record_batches([ORDERS], "line", fields=fields, batch_size=1)
    assert [batch.to_pylist()[0]["buyer"] for batch in batches] == [row[2] for row in rows]


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("make", [lambda n: ["<line>"] * n + ["</line>"] * n, lambda n: ["<line/>"] * n])
def test_linear_time(make, backend):
    fields = {"id": "ancestor::order/@id", "name": "ancestor::r/order/name", "up": "../../@id"}

    def read(text):
        for _ in xml5tree.records([text], "line", fields=fields, backend=backend, max_depth=10_000):
            pass

    assert_scales_linearly(read, lambda n: "".join(["<r>", *make(n), "</r>"]), 500)
