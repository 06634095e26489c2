"""Spark's data source and function, run by PySpark itself."""

import datetime
import decimal
import os
import shutil
import sys
from pathlib import Path

import pytest

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


def test_a_broken_record_gives_its_row_and_its_errors(spark, feed):
    schema = "_id string, title string, n int, tag array<string>, _errors array<string>, _effect string"
    one, two, three, four = load(spark, feed, schema + ", _corrupt_record string").collect()
    assert (one.title, one.n, one.tag, one._errors, one._effect) == ("One", 1, ["u", "v"], [], None)
    assert (two.title, two.n, two.tag, two._effect) == ("Two & more", 2, ["w"], "moved")
    assert ["unescaped-ampersand" in two._errors[0], "mismatched-end-tag" in two._errors[1]] == [True, True]
    assert (three._id, three.title, three.n) == ("3", "Three<n>3</n>", None)
    assert (four.title, four.n, four._errors) == ("Four", None, ["/n: 'many' is not of the type int32"])
    assert four._effect == "lost"
    assert one._corrupt_record is None
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
    assert load(spark, path, errorColumns="true").columns[-4:] == ["_file", "_byte_offset", "_effect", "_errors"]
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


def test_modes(spark, feed):
    assert [row.n for row in load(spark, feed, "n int", mode="dropmalformed").collect()] == [1]
    assert load(spark, feed, "n int", mode="dropmalformed", bad="lost").count() == 3
    with pytest.raises(Exception, match=r"byte 164: malformed record: 1:24: unescaped-ampersand"):
        load(spark, feed, "n int", mode="FAILFAST").collect()


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
    path.write_text("<r>" + "".join(f"<item><n>{n}</n> & </item>\n" for n in range(20000)) + "</r>")
    frame = load(spark, path, "n int, _byte_offset long", maxPartitionBytes="100k")
    assert frame.rdd.getNumPartitions() == 6
    rows = frame.collect()
    assert [row.n for row in rows] == list(range(20000))
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


def read_here(path, schema, **options):
    """Read rows without Spark, in this process, where warnings can be caught."""
    from pyspark.sql.types import StructType

    from xml5tree.spark import XML5DataSource

    reader = XML5DataSource({"rowTag": "item", "path": str(path)} | options).reader(StructType.fromDDL(schema))
    batches = [batch for part in reader.partitions() for batch in reader.read(part)]
    return [row for batch in batches for row in batch.to_pylist()]


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
    from pyarrow import fs

    from xml5tree.spark import paths

    info = fs.FileInfo("x.xml", fs.FileType.File)
    monkeypatch.setattr(paths, "_found", lambda *args: [("x.xml", info)])
    moment = datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC)
    assert paths.files_at("x.xml") == ["x.xml"]
    with pytest.raises(ValueError, match=r"not known when x\.xml was modified"):
        paths.files_at("x.xml", after=moment)


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
    assert (cut.c, cut._effect, cut.bad) == (["1<c>2</c>"], "moved", "<a><c>1<c>2")
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
        ({"dateFormat": "yyyy-MM-dd E"}, "the letter 'E' is not supported"),
        ({"timestampFormat": "HH:mm z"}, "the letter 'z' is not supported"),
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
