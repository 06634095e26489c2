"""Spark's data source and function, run by PySpark itself."""

import datetime
import decimal
import json
import os
import shutil
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.faultyfeeds import write_feeds

from xml5tree.accelerator import compiled
from xml5tree.errors import RowsWarning

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'xml5tree[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("PySpark needs a Java runtime, such as Debian's default-jre-headless", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")

FEED = """<rss xmlns:m="urn:m"><channel><title>no</title>
<item id="1"><title>One</title><n>1</n><m:x>a</m:x><tag>u</tag><tag>v</tag><when>2024-02-29T12:00:00Z</when></item>
<item id="2"><title>Two & more</title><n>2</n><tag>w</tag>
<item id="3"><title>Three<n>3</n></item>
<!--<item><title>hidden</title></item>-->
<item id="x"><title>Four</title><n>many</n><b>5 <i>&lt; 6</i></b></item>
</channel></rss>
"""


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    root = str(Path(__file__).parents[1])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    from xml5tree.spark import XML5DataSource

    session.dataSource.register(XML5DataSource)
    yield session
    session.stop()


@pytest.fixture
def feed(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(FEED)
    return path


def load(spark, path, schema=None, **options):
    reader = spark.read.format("xml5").options(**({"rowTag": "item"} | options))
    return (reader if schema is None else reader.schema(schema)).load(str(path))


def test_schemas_with_the_oldest_pyspark(monkeypatch):
    """PySpark 4.1 has no argument for the time zone of times, which is UTC."""
    from pyspark.sql.types import StructField, StructType, TimestampType

    from xml5tree.spark import types

    def oldest(schema, error_on_duplicated_field_names_in_struct=False, timestamp_utc=True, prefers_large_types=False):
        return newest(schema, timezone="UTC")

    schema = StructType([StructField("time", TimestampType())])
    newest, expected = types.to_arrow_schema, types.arrow_schema(schema)
    assert expected.field("time").type.tz == "UTC"
    monkeypatch.setattr(types, "to_arrow_schema", oldest)
    assert types.arrow_schema(schema) == expected


def test_a_broken_record_gives_its_row_and_its_errors(spark, feed):
    schema = "_id string, title string, n int, tag array<string>, _errors array<string>, _effect string"
    schema += ", _confidence double, _corrupt_record string"
    one, two, three, four = load(spark, feed, schema).collect()
    assert (one.title, one.n, one.tag, one._errors, one._effect) == ("One", 1, ["u", "v"], [], None)
    assert (two.title, two.n, two.tag, two._effect) == ("Two & more", 2, ["w"], "moved")
    assert ["unescaped-ampersand" in two._errors[0], "assumed-end-before" in two._errors[1]] == [True, True]
    assert (three._id, three.title, three.n) == ("3", "Three", 3)
    assert (four.title, four.n, four._errors) == ("Four", None, ["/n: 'many' is not of the type int32"])
    assert four._effect == "lost"
    assert one._corrupt_record is None
    assert (one._confidence, 0 < three._confidence < 1, four._confidence) == (None, True, None)
    assert four._corrupt_record == '<item id="x"><title>Four</title><n>many</n><b>5 <i>&lt; 6</i></b></item>'


def test_an_inferred_schema_is_that_of_sparks_source(spark, tmp_path):
    path = tmp_path / "good.xml"
    path.write_text(
        '<r xmlns:m="u"><item id="5"><s>A</s><n>1</n><e/><m:x>q</m:x><t t="1">u</t><d>2024-01-02</d><l>1</l><l>2.5</l>'
        "<ts>2024-01-02T03:04:05Z</ts><mix>a<b>c</b>d</mix><o><p>true</p></o></item>"
        "<item><s>5</s><n>7000000000</n><l>3</l><d>2024-01-02T03:04:05Z</d><o><p>false</p><p>true</p></o></item></r>"
    )
    ours = load(spark, path)
    theirs = spark.read.format("xml").option("rowTag", "item").load(str(path))
    assert ours.schema == theirs.schema
    assert ours.collect() == theirs.collect()
    assert load(spark, path, inferSchema="false").schema["n"].dataType.simpleString() == "string"
    about = ["_file", "_byte_offset", "_effect", "_confidence", "_errors"]
    assert load(spark, path, errorColumns="true").columns[-5:] == about
    assert "n" in load(spark, path, samplingRatio="1.0").columns
    with pytest.raises(Exception, match="no element 'none' to infer a schema from"):
        load(spark, path, rowTag="none")


def test_types(spark, tmp_path):
    path = tmp_path / "types.xml"
    path.write_text(
        "<r><item a='7' m:b='8'><i>2147483648</i><y>-128</y><f>1.5</f><c>12.345</c><b>TRUE</b><d>2024-02-29</d>"
        "<t>2024-02-29T12:00:00+01:00</t><u>2024-02-29 12:00:00</u><o k='1'>x<p>2</p></o><q><r>1</r><s>2</s></q>"
        "<z> - </z><v><w>1</w></v><v><w>2</w></v></item></r>"
    )
    schema = (
        "_a long, `_m:b` int, i int, y tinyint, f double, c decimal(10,2), b boolean, d date, t timestamp,"
        " u timestamp_ntz, o struct<_k:int,_VALUE:string,p:int>, q map<string,int>, z string, v array<struct<w:int>>"
    )
    (row,) = load(spark, path, schema + ", _errors array<string>", nullValue="-", timeZone="Europe/Berlin").collect()
    assert (row._a, row["_m:b"], row.i, row.y, row.f) == (7, 8, None, -128, 1.5)
    assert (row.c, row.b, row.d) == (
        decimal.Decimal("12.35") - decimal.Decimal("0.01"),
        True,
        datetime.date(2024, 2, 29),
    )
    assert row.u == datetime.datetime(2024, 2, 29, 12)
    assert (row.o.asDict(), row.q, row.z) == ({"_k": 1, "_VALUE": "x", "p": 2}, {"r": 1, "s": 2}, None)
    assert [inner.w for inner in row.v] == [1, 2]
    assert "/i: '2147483648' is not of the type int32" in row._errors
    (time,) = load(spark, path, "t timestamp").selectExpr("cast(t as string) as t").collect()
    assert time.t == "2024-02-29 11:00:00"


def test_values_beyond_their_types_are_those_of_sparks_source(spark, tmp_path):
    path = tmp_path / "large.xml"
    item = "<item><f>7e400</f><g>-1e39</g><t>2024-01-31T10:00:00.1234567Z</t></item>"
    path.write_text(f"<r>{item * 40}</r>")
    found = [
        spark.read.format(source).option("rowTag", "item").schema("f double, g float, t timestamp").load(str(path))
        for source in ("xml", "xml5")
    ]
    theirs, ours = [frame.selectExpr("f", "g", "cast(t as string) as t").collect() for frame in found]
    assert ours == theirs
    assert tuple(ours[0]) == (float("inf"), -float("inf"), "2024-01-31 10:00:00.123456")


def rescued(rows, column="rest"):
    return [json.loads(row[column]) if row[column] is not None else None for row in rows]


def test_what_no_column_takes_is_rescued(spark, tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(
        "<r xmlns:m='u'><item><n>1</n></item>"
        "<item id='7'>loose<n a='1'> many </n><m:x>y</m:x><x/><b><c>1</c><d e='2'>3</d></b><b>4</b></item>"
        "<item><s k='1' l='2'>t<p>5</p><q>6</q></s><s k='9'>u</s><n>7</n><n>8 & 9</n></item>"
        "<item><v><w>z</w><w>2</w></v><v><y>3</y></v><o a='1'>t<k>5</k><k>6</k></o></item></r>"
    )
    schema = "n int, s struct<_k:int,p:int>, v array<struct<w:int>>, o map<string,int>, rest string, _effect string"
    schema += ", _corrupt_record string, _errors array<string>"
    rows = load(spark, path, schema, rescuedDataColumn="rest").collect()
    file = {"_file_path": str(path)}
    assert rescued(rows) == [
        None,
        {
            "_id": "7",
            "n": [{"_a": "1"}, "many"],
            "m:x": "y",
            "x": None,
            "b": [{"c": "1", "d": {"_e": "2", "_VALUE": "3"}}, "4"],
            "_VALUE": "loose",
        }
        | file,
        {
            "s": {"_k": "1", "_l": "2", "p": "5", "q": "6", "_VALUE": ["t", "u"]},
            "n": ["7", "8 & 9"],
        }
        | file,
        {"v": {"w": "z", "y": "3"}, "o": {"_VALUE": "t", "k": "5"}} | file,
    ]
    assert [row.n for row in rows] == [1, None, None, None]
    assert [row._effect for row in rows] == [None, "kept", "kept", None]
    assert [row._corrupt_record for row in rows] == [None] * 4
    assert rows[1]._errors == ["/n: 'many' is not of the type int32"]
    assert rows[2].s.asDict() == {"_k": 9, "p": None}
    assert len(load(spark, path, schema, rescuedDataColumn="rest", mode="FAILFAST").collect()) == 4


def test_what_an_inferred_schema_lacks_is_rescued(spark, tmp_path):
    path = tmp_path / "feed.xml"
    records = ["<item><n>1</n></item>"] * 1000 + ["<item><n>x</n><late a='1'>2</late></item>"]
    path.write_text(f"<r>{''.join(records)}</r>")
    frame = load(spark, path, rescuedDataColumn="rest")
    assert frame.dtypes == [("n", "bigint"), ("rest", "string")]
    found = rescued(frame.where("rest is not null").collect())
    assert found == [{"n": "x", "late": {"_a": "1", "_VALUE": "2"}, "_file_path": str(path)}]
    frame = load(spark, path, rescuedDataColumn="rest", excludeAttribute="true")
    assert rescued(frame.where("rest is not null").collect())[0]["late"] == "2"
    for schema in ("n int", "n int, rest int"):
        with pytest.raises(Exception, match="the schema has no column rest of strings"):
            load(spark, path, schema, rescuedDataColumn="rest").collect()


def test_modes(spark, feed):
    assert [row.n for row in load(spark, feed, "n int", mode="dropmalformed").collect()] == [1]
    assert load(spark, feed, "n int", mode="dropmalformed", badFrom="lost").count() == 3
    with pytest.raises(Exception, match=r"byte 164: malformed record: 1:24: unescaped-ampersand"):
        load(spark, feed, "n int", mode="FAILFAST").collect()


def test_what_is_known_of_the_structure(spark, tmp_path):
    path, dtd = tmp_path / "empty.xml", tmp_path / "empty.dtd"
    path.write_text("<r>" + "<item><a>1</a><g><a>2</a><g><a>3</a></item>" * 3 + "</r>")
    dtd.write_text("<!ELEMENT item (a|g)*><!ELEMENT a (#PCDATA)><!ELEMENT g EMPTY>")
    for known in ({"empty": "g"}, {"structure": str(dtd)}):
        assert [row.a for row in load(spark, path, "a array<int>", **known).collect()] == [[1, 2, 3]] * 3
    assert load(spark, path, "a array<int>", neverNest="item").count() == 3


def test_names_and_spaces(spark, tmp_path):
    path = tmp_path / "names.xml"
    path.write_text("<r xmlns='u' xmlns:a='v'><a:item b='1'>  <a:c> x </a:c><d xmlns='w'>y</d></a:item></r>")
    (row,) = load(spark, path, "`a:c` string, d string, `@b` int", rowTag="a:item", attributePrefix="@").collect()
    assert tuple(row) == ("x", "y", 1)
    options = {"ignoreNamespace": "true", "ignoreSurroundingSpaces": "false", "excludeAttribute": "true"}
    (row,) = load(spark, path, "c string, _b int", **options).collect()
    assert tuple(row) == (" x ", None)


def test_a_large_file_is_read_by_several_tasks(spark, tmp_path):
    path = tmp_path / "large.xml"
    path.write_text("<r>" + "".join(f"<item><n>{n}</n> & </item>\n" for n in range(4400)) + "</r>")
    frame = load(spark, path, "n int, _byte_offset long", maxPartitionBytes="20k")
    assert frame.rdd.getNumPartitions() == 6
    rows = frame.collect()
    assert [row.n for row in rows] == list(range(4400))
    assert rows[1]._byte_offset == 28


def test_folders_patterns_and_compressed_files(spark, tmp_path):
    import gzip

    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    for name, number in (("a.xml", 1), ("b.xml", 2), ("deep/c.xml", 3), ("_d.xml", 4), (".e.xml", 5), ("f.txt", 6)):
        (folder / name).write_text(f"<r><item><n>{number}</n></item></r>")
    (folder / "g.xml.gz").write_bytes(gzip.compress(b"<r><item><n>7</n></item></r>"))

    def numbers(path, **options):
        return sorted(row.n for row in load(spark, path, "n int", **options).collect())

    assert numbers(folder) == [1, 2, 6, 7]
    assert numbers(folder, pathGlobFilter="*.xml") == [1, 2]
    assert numbers(folder, recursiveFileLookup="true") == [1, 2, 3, 6, 7]
    assert numbers(f"{folder}/*.xml*") == [1, 2, 7]
    assert numbers(f"{folder}/{{a,f}}.*") == [1, 6]
    assert numbers(f"{tmp_path}/*/[bg]*") == [2, 7]
    assert numbers(folder.as_uri()) == [1, 2, 6, 7]
    assert numbers(f"file:{folder}/?.xml") == [1, 2]
    frame = spark.read.format("xml5").option("rowTag", "item").schema("n int, _file string")
    rows = frame.load([f"{folder}/a.xml", f"{folder}/b.xml"]).collect()
    assert [(row.n, row._file) for row in rows] == [(1, f"{folder}/a.xml"), (2, f"{folder}/b.xml")]
    with pytest.raises(Exception, match="there is no file at"):
        numbers(folder / "missing.xml")


def test_folders_are_columns(spark, tmp_path):
    for folder, number in (("year=2023/m%3An=a", 1), ("year=2024/m%3An=__HIVE_DEFAULT_PARTITION__", 2), ("other", 3)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.xml").write_text(f"<r><item><n>{number}</n><year>x</year></item></r>" + "\n" * 40)
    rows = load(spark, tmp_path).select("n", "year", "m:n").collect()
    assert sorted(map(tuple, rows)) == [(1, 2023, "a"), (2, 2024, None)]
    rows = read_here(tmp_path, "n int, year string", recursiveFileLookup="true")
    assert sorted((row["n"], row["year"]) for row in rows) == [(1, "2023"), (2, "2024"), (3, "x")]
    base = {"basePath": str(tmp_path / "year=2024")}
    assert read_here(tmp_path / "year=2024", "year int", **base) == [{"year": None}]
    with pytest.raises(ValueError, match=r"a\.xml is not below basePath, "):
        read_here(tmp_path, "year int", **base)
    with pytest.raises(ValueError, match="invalid literal"):
        read_here(tmp_path / "*", "`m:n` int")


def test_metadata_of_files(spark, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<r>" + "".join(f"<item><n>{number}</n></item>" for number in range(20)) + "</r>")
    facts = "file_path string, file_name string, file_size long, file_block_start long, file_block_length long"
    schema = f"n int, _metadata struct<{facts.replace(' ', ':').replace(',:', ',')},file_modification_time:timestamp>"
    rows = load(spark, path, schema, maxPartitionBytes="200").select("n", "_metadata.*").collect()
    size = path.stat().st_size
    assert [row.n for row in rows] == list(range(20))
    assert {row[1:4] for row in rows} == {(str(path), "a.xml", size)}
    half = -(-size // 2)  # tasks of equal size end together
    assert sorted({row[4:6] for row in rows}) == [(0, half), (half, size - half)]
    assert rows[0].file_modification_time.timestamp() == pytest.approx(path.stat().st_mtime, abs=1)
    record = "<r><item><metadata><k>1</k></metadata></item></r>"
    path.write_text(record.replace("metadata>", "_metadata>"))
    assert read_here(path, "_metadata struct<k:int>") == [{"_metadata": {"k": 1}}]


def test_schemas_are_inferred_from_places_all_over_the_files(spark, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<r>" + "<item><n>1</n></item>" * 1500 + "<item><n>x</n><m/></item>" * 500 + "</r>")
    assert load(spark, path, maxPartitionBytes="10k").dtypes == [("m", "string"), ("n", "string")]
    for number in range(120):
        (tmp_path / f"b{number:03}.xml").write_text(f"<r><item><{'k' if number == 7 else 'n'}/></item></r>")
    assert load(spark, f"{tmp_path}/b*").columns == ["k", "n"]


def read_here(path, schema, **options):
    """Read rows without Spark, in this process, where warnings can be caught."""
    from pyspark.sql.types import StringType, StructField, StructType

    from xml5tree.spark import XML5DataSource

    # A name alone is a column of strings, without a session of Spark.
    columns = StructType.fromDDL(schema) if " " in schema else StructType([StructField(schema, StringType())])
    reader = XML5DataSource({"rowTag": "item", "path": str(path)} | options).reader(columns)
    batches = [batch for part in reader.partitions() for batch in reader.read(part)]
    return [row for batch in batches for row in batch.to_pylist()]


#: Records; most are good, so that there are runs of them.
GOOD = st.sampled_from(
    [
        "<item a='{0}'><n>{0}</n><t>x</t></item>",
        '<item a="{0}" >\n<t>x &gt; &#233; ]] é</t><n> {0} </n></item>\n',
        "<item><n>{0}</n><n>7</n></item>",
        "<item><l>{0}</l><l/><l k='1'>y</l><s><n>{0}</n><m:p>z</m:p></s></item>",
        "<item><s><n>{0}</n></s><d k='{0}'> x </d></item>",
        '<item>\n<d k="{0}">\n<e><f>{0}</f><f>8</f></e>\n</d><v k="1"><w>a</w><x><n>{0}</n></x></v></item>',
        '<item><d><e/></d><v k="1"><w>a</w></v><v k="{0}"><w> </w></v><t>&lt;</t></item>',
        '<item><v k="1">b<w>a</w></v><v/></item>',
        '<item><v k="{0}" ><w>a</w><x><n>{0}</n></x></v><v k="2"><w/><x> <n>x</n></x></v></item>',
        '<item><u k="1">a</u><u k="{0}"> </u><s/></item>',
        '<item><u k="1">a</u><u>b</u><s><n><n>1</n></n></s></item>',
        '<item><d k="{0}"><e/>text</d></item>',
        "<item><t>a<b q='&lt;'>c</b>d</t></item>",
        "<item>loose<n>many</n></item>",
        "<item/>",
        "<item a='x'/>  ",
    ]
)
ODD = st.sampled_from(
    [
        "<item><t>a & b</t></item>",
        "<item><t>a\x01</t></item>",
        "<item><t>]]></t><n>{0}</n></item>",
        "<item><t>\r\n</t></item>",
        "<item><t>{0}",
        "<item><item><n>{0}</n></item></item>",
        "<item a=1><n>{0}</n></item>",
        "<item><!--<item>--><n>{0}</n></item>",
        "<item><t><![CDATA[<item>]]></t></item>",
        "<item xmlns='u'><n>{0}</n></item>",
        "<item xmlns:m='v'><m:p>1</m:p></item>",
        "<item><q:p>1</q:p><n>{0}</n></item>",
        '<item a="1" a="2"><n>{0}</n></item>',
        "<!--<item><n>{0}</n></item>-->",
        "<?x <item> ?>",
        "</item>",
        "<other>text</other>",
        "text",
        "<item><1>x</1></item>",
        "<item><t>&nbsp;</t></item>",
        "<item><t>\ufffe</t></item>",
        "<items><n>1</n></items>",
    ]
)
HEADS = (
    "<r>",
    "<r xmlns:m='u'>",
    "<f:r xmlns:f='f' xmlns='d'><c>",
    "<r xmlns:m='u'>text",
    "<!DOCTYPE r [<!ATTLIST item a CDATA '5'>]><r>",
)


@st.composite
def feeds(draw):
    """A document with runs of good records and some odd ones, most of a few kinds."""
    parts = []
    for _ in range(draw(st.integers(1, 5))):
        kinds = draw(st.lists(GOOD, min_size=1, max_size=2))
        parts += kinds * draw(st.integers(0, 40))
        parts += draw(st.lists(ODD, max_size=2))
    return draw(st.sampled_from(HEADS)) + "".join(part.format(n) for n, part in enumerate(parts)) + "</r>"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(feeds(), st.sampled_from([300, 1000, 1 << 20]), st.booleans(), st.booleans())
def test_columns_are_those_of_elements(tmp_path, text, size, is_deep, rescues):
    from pyspark.sql import types

    from xml5tree.spark import XML5DataSource
    from xml5tree.spark.columns import RecordColumns

    path = tmp_path / "feed.xml"
    path.write_text(text, "utf-8", newline="")
    string = types.StringType()
    fields = [("_a", string), ("n", types.IntegerType()), ("t", string), ("l", types.ArrayType(string))]
    number, several = types.IntegerType(), types.ArrayType

    def structure(**fields):
        return types.StructType([types.StructField(*field) for field in fields.items()])

    if is_deep:
        fields += [
            ("s", structure(**{"n": types.LongType(), "m:p": string})),
            ("d", structure(_k=number, _VALUE=string, e=structure(f=several(number)))),
            ("v", several(structure(_k=string, w=string, x=structure(n=number)))),
            ("u", several(structure(_k=string, _VALUE=string))),
        ]
    fields += [("rest", string)] * rescues
    fields += [("_effect", string), ("_confidence", types.DoubleType())]
    fields += [("_byte_offset", types.LongType()), ("_errors", types.ArrayType(string))]
    schema = types.StructType([types.StructField(*field) for field in [*fields, ("_corrupt_record", string)]])
    options = {"rowTag": "item", "path": str(path), "maxPartitionBytes": str(size)}
    reader = XML5DataSource(options | ({"rescuedDataColumn": "rest"} if rescues else {})).reader(schema)

    def rows():
        return [row for task in reader.partitions() for batch in reader.read(task) for row in batch.to_pylist()]

    found = rows()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RecordColumns, "_members", lambda *_: None)
        assert found == rows()


#: Records with elements in elements, and whether their columns are found without elements.
SHAPED = [
    ("<item><d k='{0}'> x </d></item>", True),
    ('<item><d k="{0}"></d><l>a</l><l/><l> b </l></item>', True),
    ('<item>\n<d k="{0}">\n<e><f>{0}</f><f>8</f></e>\n</d>\n</item>', True),
    ('<item><d k="1"><e/></d><d><e/></d></item>', False),
    ("<item><d><e><f>1</f><e/></e></d></item>", True),
    ("<item><l>a<b/></l></item>", False),
    ('<item><v k="1"><w>a</w><x><n>{0}</n></x></v><v k="{0}"><w></w><x><n> </n></x></v></item>', True),
    ('<item><v k="1"><w>a</w><x><n>1</n></x></v><v k="2"><x><n>2</n></x></v></item>', True),
    ('<item><v k="1"><w>a</w><x/></v></item>', True),
    ('<item><u k="1">a</u><u k="{0}"> </u><u k="3"/></item>', True),
    ('<item><u k="1">a</u><u>b</u></item>', True),
    ("<item><_x>1</_x></item>", True),
    ("<item><d><_k>1</_k></d></item>", False),
    ("<item><d>1<e/></d></item>", False),
    ("<item><d><item/></d></item>", True),
    ("<item><other><n>{0}</n><n>1</n></other></item>", True),
]


@pytest.mark.parametrize(("record", "is_shaped"), SHAPED)
@pytest.mark.parametrize("library", [compiled, None], ids=["compiled", "pure"])
def test_columns_of_shapes_are_those_of_elements(tmp_path, monkeypatch, record, is_shaped, library):
    from pyspark.sql.types import ArrayType, IntegerType, StringType, StructField, StructType

    from xml5tree.spark import XML5DataSource
    from xml5tree.spark.columns import RecordColumns
    from xml5tree.spark.makers import RowMaker

    def structure(**fields):
        return StructType([StructField(*field) for field in fields.items()])

    string, number = StringType(), IntegerType()
    schema = structure(
        l=ArrayType(string),
        d=structure(_k=number, _VALUE=string, e=structure(f=ArrayType(number))),
        v=ArrayType(structure(_k=string, w=string, x=structure(n=number))),
        u=ArrayType(structure(_k=string, _VALUE=string)),
        _errors=ArrayType(string),
    )
    monkeypatch.setattr("xml5tree.recordreader.compiled", library)
    path = tmp_path / "feed.xml"
    path.write_text("<r>" + "".join(record.format(number) for number in range(40)) + "</r>")
    reader = XML5DataSource({"rowTag": "item", "path": str(path)}).reader(schema)
    made = []
    row = RowMaker.row

    def rows():
        return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]

    monkeypatch.setattr(RowMaker, "row", lambda *given: made.append(given[1]) or row(*given))
    found = rows()
    assert (len(made) < 40) == (is_shaped and library is not None)
    monkeypatch.setattr(RecordColumns, "_members", lambda *_: None)
    assert found == rows()


def test_few_records_around_a_value_that_does_not_fit_are_elements(tmp_path, monkeypatch):
    """Else one such value would make a whole part of a file slow."""
    from pyspark.sql.types import IntegerType, StructField, StructType

    from xml5tree.spark import XML5DataSource
    from xml5tree.spark.makers import RowMaker

    made = []
    row = RowMaker.row
    monkeypatch.setattr(RowMaker, "row", lambda *given: made.append(given[1]) or row(*given))
    path = tmp_path / "feed.xml"
    numbers = [*range(999), "many", *range(1000)]
    path.write_text("<r>" + "".join(f"<item><n>{number}</n></item>\n" for number in numbers) + "</r>")
    reader = XML5DataSource({"rowTag": "item", "path": str(path)}).reader(StructType([StructField("n", IntegerType())]))
    found = [value for part in reader.partitions() for batch in reader.read(part) for value in batch["n"].to_pylist()]
    assert found == [None if number == "many" else number for number in numbers]
    assert len(made) <= (16 if compiled else len(numbers))


@pytest.mark.parametrize("bad", [b"&#99999999;", b"&#x999999999999;", b"&#0;", b"&lt;\xff", b"\0&lt;", b"&nbsp;"])
@pytest.mark.parametrize("library", [compiled, None], ids=["compiled", "pure"])
def test_text_that_is_none_changes_no_other_record(tmp_path, monkeypatch, bad, library):
    monkeypatch.setattr("xml5tree.recordreader.compiled", library)
    path = tmp_path / "feed.xml"
    record = b"<item><n>%b</n></item>\n"
    path.write_bytes(b"<r>" + record % b"&lt;" * 20 + record % bad + record % b"&lt;" * 20 + b"</r>")
    rows = read_here(path, "n")
    assert [row["n"] for row in rows if row["n"] == "<"] == ["<"] * 40
    assert len(rows) == 41


def test_files_that_are_no_xml(spark, tmp_path):
    """They have a row, or end the query, as malformed records do."""
    (tmp_path / "a.xml").write_text("<r><item><n>1</n></item></r>")
    (tmp_path / "b.xml").write_bytes(b"PK\x03\x04" + bytes(range(256)))
    schema = "n int, _corrupt_record string, _errors array<string>, _file string"
    good, bad = sorted(load(spark, tmp_path, schema).collect(), key=lambda row: row._file)
    assert (good.n, good._corrupt_record) == (1, None)
    assert (bad.n, bad._corrupt_record, bad._file) == (None, "", f"{tmp_path}/b.xml")
    assert "it looks like a ZIP archive" in bad._errors[-1]
    assert load(spark, tmp_path, "n int", mode="DROPMALFORMED").count() == 1
    with pytest.raises(Exception, match=r"b\.xml: byte 0: malformed record: .*it looks like a ZIP archive"):
        load(spark, tmp_path, "n int", mode="FAILFAST").collect()
    assert load(spark, tmp_path).columns == ["n"]
    assert [row.n for row in load(spark, tmp_path, "n int", ignoreCorruptFiles="true").collect()] == [1]
    with pytest.warns(RowsWarning, match=r"b\.xml: .*it looks like a ZIP archive.*; the file was skipped"):
        assert read_here(tmp_path / "b.xml", "n int", ignoreCorruptFiles="true") == []


def test_files_without_records_are_told_of(tmp_path):
    path = tmp_path / "feed.xml"
    for text in ("", "<r><Item/></r>"):
        path.write_text(text)
        with pytest.warns(RowsWarning, match="feed.xml: .*no start tag of a record was found"):
            assert read_here(path, "n") == []


def test_files_by_the_time_they_were_modified(spark, tmp_path):
    for number, hour in enumerate((11, 12, 13)):
        path = tmp_path / f"{number}.xml"
        path.write_text(f"<r><item><n>{number}</n></item></r>")
        moment = datetime.datetime(2024, 2, 29, hour, tzinfo=datetime.UTC).timestamp()
        os.utime(path, (moment, moment))

    def numbers(**options):
        found = sorted(row["n"] for row in read_here(tmp_path, "n int", **options))
        if "timeZone" not in options:
            reader = spark.read.format("xml").options(rowTag="item", **options).schema("n int")
            assert found == sorted(row.n for row in reader.load(str(tmp_path)).collect())
        return found

    assert numbers(modifiedAfter="2024-02-29T12:00:00") == [2]
    assert numbers(modifiedBefore="2024-02-29T12:00:00") == [0]
    assert numbers(modifiedAfter="2024-02-29T11:00:00", modifiedBefore="2024-02-29T13:00:00") == [1]
    assert numbers(modifiedAfter="2024-02-29T13:00:00") == []
    assert numbers(modifiedAfter="2024-02-29T12:30:00", timeZone="Europe/Berlin") == [1, 2]
    assert numbers(modifiedAfter="2024-02-29T12:30:00Z", timeZone="Europe/Berlin") == [2]
    assert [row["n"] for row in read_here(tmp_path.as_uri(), "n int", modifiedAfter="2024-02-29T12:00:00")] == [2]
    assert load(spark, tmp_path, "n int", modifiedBefore="2024-02-29T12:00:00").collect()[0].n == 0


def test_a_file_whose_time_is_unknown(monkeypatch):
    from xml5tree.spark import paths
    from xml5tree.spark.options import SparkOptions

    monkeypatch.setattr(paths, "_found", lambda *args: [("x.xml", lambda: None)])
    moment = datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC)
    assert paths.files_at("x.xml", SparkOptions()) == ["x.xml"]
    with pytest.raises(ValueError, match=r"not known when x\.xml was modified"):
        paths.files_at("x.xml", SparkOptions(modifiedAfter=moment))


def test_files_that_fsspec_opens(monkeypatch):
    from support.buckets import OPTIONS, put_into_bucket

    from xml5tree import RowsWarning

    put_into_bucket(monkeypatch, "feeds/a.xml", b"<r>" + b"<item><n>1 & 2</n></item>" * 200 + b"</r>")
    put_into_bucket(monkeypatch, "feeds/b.xml", b"<r><item><n>3</n></item></r>")
    given = {"storageOptions": json.dumps(OPTIONS), "maxPartitionBytes": "1k"}
    for path in ("s3://feeds/a.xml", "s3a://feeds/*.xml", "s3://feeds"):
        rows = read_here(path, "n", **given)
        assert [row["n"] for row in rows] == ["1 & 2"] * 200 + ["3"] * ("a.xml" not in path)
    reader = streamed("s3://feeds", **given)
    assert list(reader.latestOffset({"files": {}}, None)["files"]) == ["s3://feeds/a.xml", "s3://feeds/b.xml"]
    assert read_here("s3://feeds", "n", modifiedBefore="2024-02-29T12:00:00", **given) == []
    with pytest.raises(OSError, match="no credentials"):
        read_here("s3://feeds/a.xml", "n")
    with pytest.raises(ValueError, match="storageOptions cannot be what it is: it is an object of JSON"):
        read_here("s3://feeds/a.xml", "n", storageOptions='["secret"]')
    with pytest.warns(RowsWarning, match="there is no file at s3://feeds/none.xml"):
        assert read_here("s3://feeds/none.xml", "n", ignoreMissingFiles="true", **given) == []


def test_missing_files(spark, tmp_path):
    from xml5tree import RowsWarning

    kept, gone, absent = tmp_path / "kept.xml", tmp_path / "gone.xml", tmp_path / "absent.xml"
    for number, path in enumerate((kept, gone)):
        path.write_text(f"<r><item><n>{number}</n></item></r>")

    def numbers(**options):
        reader = spark.read.format("xml5").options(rowTag="item", **options).schema("n int")
        frame = reader.load([str(kept), str(gone), str(absent)])
        return [row.n for row in frame.collect()]

    assert numbers(ignoreMissingFiles="true") == [0, 1]
    with pytest.raises(Exception, match=r"there is no file at .*absent\.xml"):
        numbers(ignoreCorruptFiles="true")
    with pytest.warns(RowsWarning, match=r"there is no file at .*absent\.xml; it was skipped"):
        assert read_here(absent, "n int", ignoreMissingFiles="true") == []
    with pytest.warns(RowsWarning, match=r"there is no file at .*none.*; it was skipped"):
        assert read_here(tmp_path / "none*.xml", "n int", ignoreMissingFiles="true") == []


def test_files_that_are_gone_before_they_are_read(spark, tmp_path):
    from pyspark.sql.types import StructType

    from xml5tree import RowsWarning
    from xml5tree.spark import XML5DataSource

    kept, gone = tmp_path / "kept.xml", tmp_path / "gone.xml"

    def reader(**options):
        for number, path in enumerate((gone, kept)):
            path.write_text(f"<r><item><n>{number}</n></item></r>")
        source = XML5DataSource({"rowTag": "item", "path": str(tmp_path)} | options)
        return source.reader(StructType.fromDDL("n int"))

    def rows(reader, parts):
        return [row["n"] for part in parts for batch in reader.read(part) for row in batch.to_pylist()]

    def remove_before_partitions(reader):
        gone.unlink()
        return rows(reader, reader.partitions())

    def remove_before_reading(reader):
        parts = reader.partitions()
        gone.unlink()
        return rows(reader, parts)

    for remove in (remove_before_partitions, remove_before_reading):
        with pytest.warns(RowsWarning, match=r"there is no file at .*gone\.xml; it was skipped"):
            assert remove(reader(ignoreMissingFiles="true")) == [1]
        with pytest.raises(FileNotFoundError):
            remove(reader())


@pytest.mark.parametrize("module", ["gzip", "bz2", "lzma"])
@pytest.mark.parametrize("size", ["32m", "1k"])  # cut into ranges or not, if it were not compressed
def test_damaged_files(spark, tmp_path, module, size):
    from importlib import import_module

    from xml5tree import RowsWarning

    text = "".join(f"<item><n>{n}</n><x>{n * n * n * 7919 % 99991}</x></item>" for n in range(4000))
    packed = import_module(module).compress(f"<r>{text}</r>".encode())
    for name, data in (("cut.xml", packed[:-20]), ("whole.xml", packed), ("none.xml", packed[:15])):
        (tmp_path / name).write_bytes(data)
    schema = "n int, _file string, _effect string"
    with pytest.warns(RowsWarning) as warned:
        rows = read_here(tmp_path, schema, ignoreCorruptFiles="true", maxPartitionBytes=size)
    said = [str(one.message) for one in warned if "damaged or cut off" in str(one.message)]
    assert [one.partition(": ")[0] for one in said] == [str(tmp_path / "cut.xml"), str(tmp_path / "none.xml")]
    assert [row["n"] for row in rows if row["_file"].endswith("whole.xml")] == list(range(4000))
    cut = [row for row in rows if row["_file"].endswith("cut.xml")]
    if module != "bz2":  # the whole is one block of it, which unpacks as a whole or not at all
        assert len(cut) > 3000
    assert [row["n"] for row in cut[:-1]] == list(range(len(cut) - 1))
    assert [row["_effect"] for row in cut[:-1]] == [None] * len(cut[:-1])
    for options in ({}, {"ignoreMissingFiles": "true"}):
        with pytest.raises(OSError, match="damaged or cut off"):
            read_here(tmp_path, schema, maxPartitionBytes=size, **options)


def test_damaged_files_in_spark(spark, tmp_path):
    import gzip

    text = "".join(f"<item><n>{n}</n></item>" for n in range(100))
    (tmp_path / "cut.xml.gz").write_bytes(gzip.compress(f"<r>{text}</r>".encode())[:-8])
    assert load(spark, tmp_path, "n int", ignoreCorruptFiles="true").count() == 100
    assert "n" in load(spark, tmp_path, ignoreCorruptFiles="true").columns
    with pytest.raises(Exception, match="damaged or cut off"):
        load(spark, tmp_path, "n int").count()


def put(folder, name, numbers, minutes):
    """Put a file into a folder at once, as streams want it, modified so many minutes after a time."""
    folder.mkdir(exist_ok=True)
    part = folder.parent / f"{name}.part"
    part.write_text("<r>" + "".join(f"<item><n>{number}</n> & </item>" for number in numbers) + "</r>")
    moment = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC).timestamp() + 60 * minutes
    os.utime(part, (moment, moment))
    part.rename(folder / name)


def test_a_stream_reads_each_row_once(spark, tmp_path):
    """Files that come while it runs and between runs, a batch that fails and is repeated, and a file of many ranges."""
    feeds = tmp_path / "feeds"
    found = []
    fails = []

    def keep(frame, number):
        rows = sorted(row.n for row in frame.collect())
        if number in fails:
            fails.remove(number)
            put(feeds, "a-late.xml", range(600, 603), 3)  # older than the files of the batch
            raise RuntimeError("the sink is gone")
        found.append(rows)

    def run(**options):
        reader = spark.readStream.format("xml5").options(rowTag="item", **options).schema("n int")
        writer = reader.load(str(feeds)).writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = writer.foreachBatch(keep).trigger(availableNow=True).start()
        query.awaitTermination(180)
        batches = found.copy()
        found.clear()
        return batches

    put(feeds, "c.xml", range(5), 1)
    put(feeds, "b.xml", range(100, 400), 2)
    put(feeds, "a.xml", [], 3)
    assert run(maxPartitionBytes="1k") == [[*range(5), *range(100, 400)]]
    assert run() == []
    put(feeds, "d.xml", [7], 5)
    put(feeds, "0.xml", [8], 4)
    put(feeds, "e.xml", [9], 6)
    fails.append(2)
    with pytest.raises(Exception, match="the sink is gone"):
        run(maxFilesPerTrigger="1")
    assert found == [[8]]
    found.clear()
    assert run(maxFilesPerTrigger="2") == [[7], [9, 600, 601, 602]]
    assert run() == []


def streamed(path, **options):
    from pyspark.sql.types import IntegerType, StructField, StructType

    from xml5tree.spark import XML5DataSource

    return XML5DataSource({"rowTag": "item", "path": str(path)} | options).streamReader(
        StructType([StructField("n", IntegerType())])
    )


def test_files_of_a_stream(tmp_path):
    pytest.importorskip("pyspark.sql.streaming.datasource", reason="PySpark is older than 4.2")
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles

    from xml5tree import RowsWarning

    feeds = tmp_path / "feeds"

    def files(reader, start, end):
        return [Path(part.path).name for task in reader.partitions(start, end) for part in task.value]

    def batch(reader, start, limit=ReadAllAvailable()):  # noqa: B008
        end = json.loads(json.dumps(reader.latestOffset(start, limit)))
        return files(reader, start, end), end

    for name, minutes in (("old.xml", 0), ("b.xml", 20 * 24 * 60), ("a.xml", 20 * 24 * 60), ("_c.xml", 0)):
        put(feeds, name, [1], minutes)
    put(feeds, "d.txt", [1], 0)
    reader = streamed(feeds, pathGlobFilter="*.xml", maxFilesPerTrigger="7", maxFileAge="10d")
    start = reader.initialOffset()
    assert reader.getDefaultReadLimit() == ReadMaxFiles(7)
    assert batch(reader, start, ReadMaxFiles(2))[0] == ["old.xml", "a.xml"]
    found, end = batch(reader, start)
    assert found == ["old.xml", "a.xml", "b.xml"]
    assert batch(reader, end) == ([], end)
    put(feeds, "later.xml", [1], 1)
    with pytest.warns(RowsWarning, match=r"later\.xml came later than maxFileAge allows"):
        assert batch(reader, end) == ([], end)
    (feeds / "later.xml").unlink()
    put(feeds, "new.xml", [1], 21 * 24 * 60)
    reader.prepareForTriggerAvailableNow()
    put(feeds, "newer.xml", [1], 22 * 24 * 60)
    found, end = batch(reader, end)
    assert found == ["new.xml"]
    assert [Path(file).name for file in end["files"]] == ["a.xml", "b.xml", "new.xml"]  # the old one is forgotten
    with pytest.warns(RowsWarning, match=r"old\.xml came later than maxFileAge allows"):
        assert batch(streamed(feeds, maxFileAge="240h", pathGlobFilter="*.xml"), end)[0] == ["newer.xml"]


def test_paths_of_a_stream(tmp_path):
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "*.xml", tmp_path / "{a,b}"):
        reader = streamed(path)
        assert reader.latestOffset(reader.initialOffset(), reader.getDefaultReadLimit()) == {"files": {}}
    reader = streamed(tmp_path / "absent")
    with pytest.raises(FileNotFoundError, match=r"there is no file or folder at .*absent"):
        reader.latestOffset(reader.initialOffset(), reader.getDefaultReadLimit())


def test_options_without_meaning_in_a_stream_or_outside(tmp_path):
    for name in ("modifiedBefore", "modifiedAfter"):
        with pytest.raises(ValueError, match=f"the option {name} has no meaning in a stream"):
            streamed(tmp_path, **{name: "2024-02-29T12:00:00"})
    for name, value in (("maxFilesPerTrigger", "1"), ("maxFileAge", "1d")):
        with pytest.raises(ValueError, match=f"the option {name} has no meaning without a stream"):
            read_here(tmp_path, "n int", **{name: value})


ZONES = (
    "UTC GMT Z UT utc EST EDT CST CDT MST MDT PST PDT AKST AKDT HST WET WEST CET CEST cet EET EEST MSK JST KST "
    "Europe/Berlin America/New_York europe/berlin America/Port-au-Prince EST5EDT Etc/UTC Zulu GMT0 "
    "+01:00 GMT+01:00 UTC-01:30 UT+01:00 Etc/GMT+5 GMT+1 UTC+1 XYZ Europe/Nowhere +25:00 +1"
).split()
PATTERNS = [
    ("yyyy-MM-dd", ["2024-02-29", "2023-02-29", "2024-2-9", "2024-02-29T", "02024-02-29"]),
    ("d.M.y", ["1.2.2024", "01.02.2024", "31.4.2024", "1.13.2024"]),
    ("dd/MM/yy", ["29/02/24", "29/02/2024", "01/01/99"]),
    ("yyyyMMddHHmmss", ["20240229235959", "20240229240000", "2024022923595"]),
    (
        "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]",
        ["2024-02-29T12:00:00", "2024-02-29T12:00:00.5+01:00", "2024-02-29T12:00Z"],
    ),
    ("yyyy-MM-dd HH:mm:ss.SSSSSS", ["2024-02-29 12:00:00.123456", "2024-02-29 12:00:00.12", "2024-02-29 12:00:00"]),
    ("yyyy-MM-dd hh:mm a", ["2024-02-29 12:30 AM", "2024-02-29 01:30 pm", "2024-02-29 13:30 PM"]),
    ("yyyy-MM-dd hh:mm", ["2024-02-29 12:30", "2024-02-29 01:30"]),
    ("yyyy-MM-dd HH:mm X", ["2024-02-29 12:30 +01", "2024-02-29 12:30 -0130", "2024-02-29 12:30 Z"]),
    ("yyyy-MM-dd HH:mm XX", ["2024-02-29 12:30 +0100", "2024-02-29 12:30 +01", "2024-02-29 12:30 +01:00"]),
    ("yyyy-MM-dd HH:mm XXX", ["2024-02-29 12:30 -11:00", "2024-02-29 12:30 +0100", "2024-02-29 12:30 +19:00"]),
    ("yyyy 'o''clock' HH", ["2024 o'clock 07", "2024 O'CLOCK 07", "2024 oclock 07"]),
    *(
        (f"yyyy-MM-dd HH:mm{letters}", [f"2024-{day} {zone}" for zone in zones])
        for letters, zones in ((" z", ZONES), (" zzz", ["PST", "utc"]), ("[ XXX][ z]", ["+01:00", "CET"]))
        for day in ("01-15 12:00", "07-15 12:00", "03-31 02:30", "10-27 02:30")
    ),
    ("MM/dd", ["02/28", "2/28"]),
    ("HH:mm", ["12:30", "24:00", "12:60"]),
]


def test_patterns_read_what_spark_reads(spark):
    from xml5tree.spark.patterns import Pattern

    def ours(pattern, text):
        try:
            return Pattern(pattern).read(text, datetime.UTC).astimezone(datetime.UTC).isoformat()
        except ValueError:
            return None

    pairs = [(pattern, text) for pattern, texts in PATTERNS for text in texts]
    quoted = [[one.replace("'", "\\'") for one in pair] for pair in pairs]
    calls = ", ".join(f"unix_micros(try_to_timestamp('{text}', '{pattern}'))" for pattern, text in quoted)
    start = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    theirs = [
        None if micros is None else (start + datetime.timedelta(microseconds=micros)).isoformat()
        for micros in spark.sql(f"select {calls}").collect()[0]
    ]
    assert [(*pair, ours(*pair)) for pair in pairs] == [
        (*pair, found) for pair, found in zip(pairs, theirs, strict=True)
    ]


def test_dates_and_times_by_patterns(spark, tmp_path):
    path = tmp_path / "dates.xml"
    path.write_text(
        "<r><item><d>29.02.2024</d><t>2024/02/29 13:00</t></item>"
        "<item><d>1.3.2024</d><t>2024/03/01 01:30</t></item></r>"
    )
    options = {"rowTag": "item", "dateFormat": "d.M.yyyy", "timestampFormat": "yyyy/MM/dd HH:mm"}
    ours = load(spark, path, **options)
    theirs = spark.read.format("xml").options(**options).load(str(path))
    assert ours.schema == theirs.schema
    assert ours.collect() == theirs.collect()
    assert ours.schema["t"].dataType.simpleString() == "timestamp"
    assert ours.collect()[0].d == datetime.date(2024, 2, 29)
    (row, _) = load(spark, path, "d date, _errors array<string>", dateFormat="yyyy").collect()
    assert (row.d, row._errors) == (None, ["/d: '29.02.2024' is not of the type date32[day]"])
    (row, _) = load(spark, path, "t timestamp", **options, timeZone="Europe/Berlin").selectExpr("string(t) t").collect()
    assert row.t == "2024-02-29 12:00:00"


def test_other_encodings(spark, tmp_path):
    path = tmp_path / "latin.xml"
    path.write_bytes("<r><item><t>é</t></item></r>".encode("latin-1"))
    assert load(spark, path, "t string", encoding="latin-1").collect()[0].t == "é"
    assert load(spark, path, "t string", charset="latin-1").collect()[0].t == "é"


def test_from_xml5(spark):
    from xml5tree.spark import from_xml5

    documents = ["<a b='1'><c>x & y</c></a>", None, "nothing", "<a><c>1<c>2"]
    frame = spark.createDataFrame([(text,) for text in documents], "document string")
    schema = "_b int, c array<string>, _errors array<string>, _effect string, bad string"
    found = frame.select(from_xml5("document", schema, {"columnNameOfCorruptRecord": "bad"}).alias("row")).collect()
    one, null, none, cut = (row.row for row in found)
    assert (one._b, one.c, one._effect, one.bad) == (1, ["x & y"], "kept", None)
    assert "unescaped-ampersand" in one._errors[0]
    assert null is None
    assert (none.c, none._effect, none.bad) == (None, "lost", "nothing")
    assert "no root element" in none._errors[-1]
    assert (cut.c, cut._effect, cut.bad) == (["1", "2"], "moved", "<a><c>1<c>2")
    row = from_xml5("document", "_b int, rest string", {"rescuedDataColumn": "rest"}).alias("row")
    assert [row.row and row.row.rest for row in frame.select(row).collect()] == [
        '{"c": "x & y"}',
        None,
        None,
        '{"c": ["1", "2"]}',
    ]
    with pytest.raises(ValueError, match="cannot be DROPMALFORMED"):
        from_xml5("document", "c string", {"mode": "DROPMALFORMED"})
    with pytest.raises(Exception, match="malformed record"):
        frame.select(from_xml5("document", "c string", {"mode": "FAILFAST"})).collect()


def test_the_table_beside_sparks_source(spark):
    from compat import spark_rows

    assert spark_rows.table_of_page() == spark_rows.table(spark)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rowTag": ""}, "the option rowTag is needed"),
        ({"rowTags": "item"}, "the option 'rowTags' is not supported"),
        ({"rowValidationXSDPath": "a.xsd"}, "the option 'rowValidationXSDPath' is not supported"),
        ({"mode": "LENIENT"}, "the option mode cannot be 'LENIENT': it is one of PERMISSIVE"),
        ({"samplingRatio": "2"}, "samplingRatio must be greater than 0"),
        ({"samplingRatio": "x"}, "the option samplingRatio cannot be 'x'"),
        ({"inferSchema": "1"}, "it is true or false"),
        ({"encoding": "klingon"}, "unknown or refused encoding"),
        ({"timeZone": "Moon"}, "it is no time zone"),
        ({"maxPartitionBytes": "0"}, "it must be positive"),
        ({"maxFilesPerTrigger": "0"}, "it must be positive"),
        ({"maxFileAge": "1 week"}, "it is a number and d, h, m, s or ms"),
        ({"maxFileAge": "999999999999d"}, "the option maxFileAge cannot be"),
        ({"latestFirst": "true"}, "the option 'latestFirst' is not supported"),
        ({"dateFormat": "yyyy-MM-dd E"}, "the letter 'E' is not supported"),
        ({"timestampFormat": "HH:mm zzzz"}, "'zzzz' is not supported; there may be 3 of 'z'"),
        ({"timestampFormat": "HH:mm VV"}, "the letter 'V' is not supported"),
        ({"dateFormat": "d MMM y"}, "'MMM' is not supported"),
        ({"dateFormat": "Md"}, "'d' follows another number without a fixed width"),
        ({"dateFormat": "[yyyy"}, "is not closed"),
        ({"dateFormat": "yyyy]"}, "closes no"),
        ({"dateFormat": "yyyy'"}, "has no meaning in a pattern"),
        ({"modifiedBefore": "yesterday"}, "the option modifiedBefore cannot be 'yesterday'"),
    ],
)
def test_options_that_are_none(options, message):
    from xml5tree.spark import XML5DataSource

    with pytest.raises(ValueError, match=message):
        XML5DataSource({"rowTag": "item"} | options)


def test_a_type_that_cannot_be_read(tmp_path):
    from pyspark.sql.types import BinaryType, StructType

    from xml5tree.spark import XML5DataSource

    path = tmp_path / "a.xml"
    path.write_text("<r/>")
    with pytest.raises(ValueError, match="values of the type binary cannot be read"):
        XML5DataSource({"rowTag": "item", "path": str(path)}).reader(StructType().add("b", BinaryType()))


def test_rows_around_any_fault_are_those_of_ranges(spark, tmp_path):
    """Of each kind of fault that there is: what is known of a record, and its values however files are cut."""
    from xml5tree.ranges import Range
    from xml5tree.ranges.reading import read_written

    paths = write_feeds(tmp_path / "feeds")
    facts = "_file string, _byte_offset long, _effect string, _errors array<string>"
    rows = load(spark, tmp_path / "feeds", facts).collect()
    found = sorted((tuple(row) for row in rows), key=lambda row: row[:1])
    expected = [
        (str(path), record.byte_offset, record.effect, [*map(str, record.errors)])
        for path in paths.values()
        for record in read_written(Range(str(path)), "item")
    ]
    assert [row[1:] for row in found] == [row[1:] for row in expected]
    schema = "_id int, title string, link struct<_kind:string,_VALUE:string>, n int, _corrupt_record string"
    for name, path in paths.items():
        size = Random(name).randrange(100, 600)
        assert read_here(path, schema, maxPartitionBytes=str(size)) == read_here(path, schema), (name, size)
