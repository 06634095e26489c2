"""Hints of `check` at whole documents, such as text that seems to be encoded, or escaped, twice."""

import json

import pytest
from support.commands import run_command
from support.scaling import assert_grows_at_most

import xml5tree
from xml5tree.errors.suspicions import Doubling, Suspicions, certain_encoding


def twice(text):
    return text.encode().decode("cp1252")


def hints_of(*parts, encoding="utf-8"):
    doubling = Doubling()
    for part in parts:
        doubling.take(part)
    return [str(hint) for hint in doubling.hints(encoding)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (twice("Café"), "encoded twice: 'Ã©', perhaps for 'é'"),
        (twice("Ä"), "encoded twice: 'Ã„', perhaps for 'Ä'"),
        (twice("it’s"), "encoded twice: 'â€™', perhaps for '’'"),
        ("Caf\xc3\xa9 na\xc3\xafve", "and 1 more"),
        (twice("😀"), "perhaps for '😀'"),
        ("é".encode().decode("latin-1"), "perhaps for 'é'"),
        ("R&amp;amp;D", "escaped twice: '&amp;amp;'"),
        ("caf&amp;eacute; &amp;#233; &amp;#xE9;", "and 2 more"),
        ("&amp;lt;b&amp;gt;", "escaped twice: '&amp;lt;'"),
    ],
)
def test_there_is_a_hint(text, hint):
    (found,) = hints_of(text)
    assert hint in found


@pytest.mark.parametrize(
    "text",
    [
        *[
            "Café",
            "CAFÉ…",
            "NÃO",
            "MAÇÃ",
            "Â",
            "“«À»”",
            "日本語",
            "–",
            "R&amp;D",
            "a &amp; b;",
            "&amp;;",
            "?a=1&amp;b=2",
        ],
        # HTML in a feed is escaped once, and what is escaped in it, twice.
        "&lt;p&gt;R&amp;amp;D&lt;/p&gt;",
    ],
)
def test_there_is_none(text):
    assert hints_of(text) == []


def test_hints_do_not_depend_on_chunks():
    text = f"a{twice('é')}b&amp;eacute;c{twice('“😀…')}d&amp;#233;"
    whole = hints_of(text)
    assert len(whole) == 2
    for size in range(1, len(text)):
        assert hints_of(*(text[start : start + size] for start in range(0, len(text), size))) == whole


def test_what_is_utf8_and_says_otherwise_can_be_read_as_such(tmp_path):
    path = tmp_path / "document.xml"
    path.write_bytes('<?xml version="1.0" encoding="windows-1252"?><a>Café</a>'.encode())
    (file,) = json.loads(run_command("check", "--format", "json", path).out)["files"]
    (hint,) = file["hints"]
    assert (hint["option"], hint["value"]) == ("encoding", "utf-8")
    assert "--input-encoding utf-8 reads it as such" in hint["message"]
    assert file["status"] == 0
    assert run_command("check", "--input-encoding", "utf-8", path).out.count("\n") == 1


def test_nothing_is_repaired(tmp_path):
    document = f"<a>{twice('é')} R&amp;amp;D</a>"
    path = tmp_path / "document.xml"
    path.write_text(document, encoding="utf-8")
    result = run_command("check", path)
    assert result.status == 0
    assert len(result.out.splitlines()) == 3
    assert run_command("check", "--format", "concise", path).out == f"{path}: well-formed\n"
    parser = xml5tree.XMLParser()
    parser.feed(document)
    parser.close()
    assert parser.error_log.hints == ()
    assert xml5tree.repair(document) == document


# Hints at whole documents.


def hints_of_file(tmp_path, data, *options):
    path = tmp_path / "document.xml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    (file,) = json.loads(run_command("check", "--format", "json", *options, path).out)["files"]
    return file["hints"], file["total"]


CONFLICT = "<r>\n<<<<<<< HEAD\n<a>1</a>\n=======\n<a>2</a>\n>>>>>>> other\n</r>"
SECTIONS = "<r>\n<a><![CDATA[one]]</a>\n<b>two</b>\n<a><![CDATA[three]]></a>\n</r>"
ASTRAY = {
    "merge": (CONFLICT, "has the markers of a merge conflict, in line 2"),
    "merge of three": (CONFLICT.replace("=======", "||||||| base\n<a/>\n======="), "merge conflict, in line 2"),
    "section": (
        SECTIONS,
        "has a CDATA section with another one in it: the end of the first seems to be misspelt, in line 2",
    ),
    "section with a bracket": (SECTIONS.replace("]]<", "]]&gt;<"), "misspelt, in line 2"),
    "declaration": (
        "<?xml version='1.0'?>\n<r/>\n<?xml version='1.0'?>\n<r/>",
        "an XML declaration after its first tag",
    ),
    "id that is none": ("<r>\n<a xml:id='1'/></r>", "libxml2 refuses them, in line 2"),
    "id twice": ("<r><a xml:id='x'/>\n<a\nxml:id='x'/></r>", "libxml2 refuses them, in line 2"),
}


@pytest.mark.parametrize(("document", "hint"), ASTRAY.values(), ids=list(ASTRAY))
@pytest.mark.parametrize("filler", ["", "<!-- x -->" * 300 + "\n", "<!-- x -->\n" * 20_000])
def test_what_went_astray(tmp_path, document, hint, filler):
    """The hint is beside the log: a well-formed document has no error."""
    start, root, rest = document.partition("<r>\n") if "<r>\n" in document else ("", "", document)
    hint = hint.replace("in line 2", f"in line {2 + filler.count(chr(10))}") if root else hint
    hints, total = hints_of_file(tmp_path, f"{start}{root}{filler if root else ''}{rest}")
    assert [found["message"] for found in hints if hint in found["message"]]
    assert total == (0 if "section" in hint or "xml:id" in hint else total)


@pytest.mark.parametrize(
    "document",
    [
        "<r>\n=======\nTitle\n=======\n</r>",
        "<r>\n&gt;&gt;&gt;&gt;&gt;&gt;&gt; quoted\n&lt;&lt;&lt;&lt;&lt;&lt;&lt;\n</r>",
        "<r><a><![CDATA[x]]></a><a><![CDATA[array[i[0]] = '<b>']]></a></r>",
        "<r><![CDATA[<![CDATA[ begins a section]]></r>",
        "<?xml version='1.0'?><r><![CDATA[<?xml version='1.0'?>]]></r>",
        "<r><a xml:id='x'/><a xml:id='y'/><![CDATA[<a xml:id='x'/>]]></r>",
    ],
)
def test_nothing_went_astray(tmp_path, document):
    assert hints_of_file(tmp_path, document) == ([], 0)


#: Sentences of this test, and encodings in which they are certain, and in which they are not.
LANGUAGES = {
    "Russian": (
        "Мама сегодня варит суп, а дети играют во дворе и ждут обеда. Потом они пойдут гулять в парк с собакой.",
        {"koi8-r": "koi8-r", "windows-1251": "windows-1251"},
        "iso8859-5 cp866 mac_cyrillic",
    ),
    "Russian in capitals": (
        "МАМА СЕГОДНЯ ВАРИТ СУП, А ДЕТИ ИГРАЮТ ВО ДВОРЕ И ЖДУТ ОБЕДА. ПОТОМ ОНИ ПОЙДУТ ГУЛЯТЬ В ПАРК С СОБАКОЙ.",
        {},
        "koi8-r windows-1251 cp866 iso8859-5",
    ),
    "Hebrew": (
        "היום אנחנו הולכים לים עם כל הילדים, ואחר כך נאכל גלידה טעימה בבית קפה קטן ונעים ליד הגן.",
        {"windows-1255": "windows-1255"},
        "cp862",
    ),
    "Chinese": (
        "今天天气很好，我们一起去公园散步，看见很多孩子在那里玩，大家都很高兴，晚上回家吃饭。",
        {"gb2312": "gb2312"},
        "",
    ),
    "Chinese of Taiwan": (
        "今天天氣很好，我們一起去公園散步，看見很多孩子在那裡玩，大家都很高興，晚上回家吃飯。",
        {"big5": "big5"},
        "gbk",
    ),
    "Japanese": (
        "きょうはとても天気がいいので、みんなで公園へ行って、お弁当を食べました。楽しかったです。",
        {"shift_jis": "shift_jis", "euc_jp": "euc_jp"},
        "",
    ),
    "Korean": (
        "오늘은 날씨가 아주 좋아서 친구들과 함께 공원에 가서 산책을 하고 점심을 먹었습니다. 정말 즐거웠어요.",
        {"euc_kr": "euc_kr"},
        "johab",
    ),
    "Thai": (
        "วันนี้อากาศดีมาก เราไปเดินเล่นที่สวนสาธารณะกับเพื่อนๆ แล้วกินข้าวกลางวันด้วยกัน สนุกมากครับ",
        {"tis_620": "tis_620"},
        "",
    ),
    "Greek": (
        "Σήμερα ο καιρός είναι πολύ καλός και τα παιδιά παίζουν στον κήπο με τη γάτα τους όλη μέρα.",
        {},
        "windows-1253 iso8859-7",
    ),
    "French": (
        "Élève très doué, il a été reçu à l'école où sa mère enseignait; les étés étaient déjà frais, dorés, rêvés.",
        {},
        "windows-1252 latin-1 mac_roman cp850",
    ),
    "German": (
        "Müßige Bären hören übermäßig schöne Lieder, während größere Vögel süße Äpfel über den Dächern zerdrücken.",
        {},
        "windows-1252 cp850 mac_roman",
    ),
    "Polish": (
        "Zażółć gęślą jaźń, a później wróć do źródła, gdzie żółte łąki śnią o miłości i pięknych gałęziach.",
        {},
        "cp1250 iso8859-2 cp852",
    ),
    "Czech": ("Příliš žluťoučký kůň úpěl ďábelské ódy, zatímco děti běžely přes louku a křičely.", {}, "cp1250 cp852"),
    "Turkish": (
        "Öğleden sonra çocuklar bahçede oynuyor, güneş ışığı ağaçların üstünde parlıyor, büyük köpek uyuyor.",
        {},
        "cp1254",
    ),
    "Arabic": (
        "اليوم الطقس جميل جدا ونحن نذهب مع الأطفال إلى الحديقة ثم نأكل الطعام في البيت مع العائلة.",
        {},
        "cp1256 iso8859-6",
    ),
    "Ukrainian": (
        "Сьогодні гарна погода, тому діти граються надворі, а мама варить борщ і чекає на всіх до обіду.",
        {},
        "koi8-u cp1251",
    ),
    "Latvian": (
        "Šodien laiks ir ļoti jauks, un bērni spēlējas dārzā, bet māte vāra zupu un gaida visus.",
        {},
        "cp1257",
    ),
}
ENCODED = [
    (text, encoding, certain.get(encoding, ""))
    for text, certain, others in LANGUAGES.values()
    for encoding in [*certain, *others.split()]
]


@pytest.mark.parametrize(("text", "encoding", "certain"), ENCODED, ids=[f"{row[1]}-{row[0][:6]}" for row in ENCODED])
def test_encodings_that_are_certain(tmp_path, text, encoding, certain):
    """No other encoding is named, so that there is no false alarm."""
    data = f"<r>\n<a>{text}</a>\n<b>{text}</b>\n</r>".encode(encoding, "ignore")
    hints, _ = hints_of_file(tmp_path, data)
    named = [hint["value"] for hint in hints if hint["option"] == "encoding"]
    assert named == [certain] if certain else {*named} <= {"windows-1252"}
    if certain:
        assert text in xml5tree.fromstring(data, encoding=named[0])[0].text
    assert certain_encoding(text.encode(encoding, "ignore")[:20]) == ""
    assert certain_encoding(b"") == ""


@pytest.mark.parametrize("encoding", ["iso-8859-2", "windows-1251", "koi8-r", "iso-8859-7"])
def test_utf8_that_is_declared_as_another_encoding(tmp_path, encoding):
    for text in ("Мама сегодня варит суп, а дети играют во дворе", "ένα δύο τρία τέσσερα πέντε έξι"):
        declared = f"<?xml version='1.0' encoding='{encoding}'?><r>{text}</r>"
        hints, total = hints_of_file(tmp_path, declared.encode())
        assert [hint["value"] for hint in hints] == ["utf-8"]
        assert total == 0
    hints, _ = hints_of_file(tmp_path, f"<?xml version='1.0' encoding='{encoding}'?><r>plain</r>".encode())
    assert hints == []


def test_looking_takes_linear_time():
    def look(count):
        suspicions = Suspicions()
        for _ in range(count):
            suspicions.take("<a><![CDATA[x" * 2000, b"\xe9" * 1000)
        return suspicions.hints((), "")

    assert_grows_at_most(look, 100, 800, 16)
