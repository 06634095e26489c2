"""The playground: what it says of documents, and the page in a browser, with Pyodide and without a network."""

import base64
import functools
import http.server
import importlib.util
import io
import json
import shutil
import threading
import time
import zipfile
import zlib
from pathlib import Path

import cache
import pytest
from support import chromium
from support.cases import in_whole_run

import xml5tree
from xml5tree.cli.sidebyside import SHOWN_LINES
from xml5tree.errors.explanations import explanations

DOCS = Path(__file__).parent.parent / "docs"
FEED = (DOCS / "examples/feed.xml").read_text("utf-8")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_playground = load(DOCS / "make_playground.py")
examine = load(DOCS / "playground/examine.py")


def examined(text="", **request):
    if isinstance(text, bytes):
        request["bytes"] = base64.b64encode(text).decode()
    return json.loads(examine.examine(json.dumps({"text": text if isinstance(text, str) else ""} | request)))


def lines(reading):
    return [(depth, text) for depth, kind, text, differs in reading["tree"]]


def test_both_policies():
    readings = examined("<r><i>1<i>2</i></r>")["readings"]
    assert lines(readings["draft"]) == [(0, "r"), (1, "i"), (2, "1"), (2, "i"), (3, "2")]
    assert lines(readings["intent"]) == [(0, "r"), (1, "i"), (2, "1"), (1, "i"), (2, "2")]
    assert [line[3] for line in readings["draft"]["tree"]] == [False, False, False, True, True]
    assert readings["intent"]["markup"] == "<r><i>1</i><i>2</i></r>"


@pytest.mark.parametrize("dialect", ["xml5", "microxml", "leafxml"])
@pytest.mark.parametrize("text", ["<a>b</a>", "<a>1 & 2<b>", "text", "", "\ud800<a>\udc00", "<a>\0</b>", "<a/>" * 3])
def test_any_text(dialect, text):
    found = examined(text, dialect=dialect)
    for policy, reading in found["readings"].items():
        try:
            markup = xml5tree.repair(examine.as_saved(text), dialect=dialect, recovery=policy)
            assert reading["markup"] == (markup if isinstance(markup, str) else markup.decode())
        except xml5tree.ParseError as error:
            assert reading["refused"].startswith(error.reason)
        assert {fault["code"] for fault in reading["faults"]} <= found["explanations"].keys()
    assert len(found["readings"]) == 1 + (dialect == "xml5")


@pytest.mark.parametrize(
    ("document", "markup"),
    [
        (b'<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9', "é"),
        ('<?xml version="1.0" encoding="iso-8859-1"?><a>é', "é"),
        ('<?xml version="1.0" encoding="UTF-8"?><a>é', "é"),
        ("<a>é", "é"),
    ],
)
def test_encodings(document, markup):
    reading = examined(document)["readings"]["draft"]
    assert reading["markup"].endswith(f"<a>{markup}</a>")
    assert [fault["code"] for fault in reading["faults"]] == ["eof-in-element"]


def test_no_difference_is_shown_that_is_none():
    """A declaration of UTF-8 stays, whether the document was pasted or is a file."""
    document = '<?xml version="1.0" encoding="utf-8"?>\n<a>\n</a>'
    for form in (document, document.encode()):
        rows = examined(form, whole=True)["readings"]["draft"]["rows"]
        assert [row["changed"] for row in rows] == [False] * 3


def test_edits_are_marked():
    rows = examined("<a b=1>\n</a>")["readings"]["draft"]["rows"]
    assert [row["changed"] for row in rows] == [True, False]
    assert '"' in "".join(span["text"] for span in rows[0]["after"] if span["changed"])
    assert [span["errors"] for span in rows[0]["before"] if span["errors"]] == [[0]]


def test_a_feed_in_its_words():
    feed = examined(FEED)["feed"]
    assert feed["entries"] == {"draft": 1, "intent": 2}
    assert not feed["accepted"]
    said = {sentence["words"]: [place["where"] for place in sentence["places"]] for sentence in feed["sentences"]}
    assert set(said["A plain & in a title, text or address. Write it as &amp;."]) == {"in the feed itself"}
    places = said[examine.IN_FEEDS["undeclared-namespace-prefix"]]
    assert [where[:10] for where in places] == ["in the fee", "in the fee"]
    assert said[examine.IN_FEEDS["assumed-end-before"]] == ["in entry 2, “Second story”"]
    assert examined("<rss><channel><item/></channel></rss>")["feed"]["accepted"]
    assert examined("<plist>")["feed"] is None
    atom = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>1 & 2</title></entry>'
    assert examined(atom)["feed"]["entries"] == {"draft": 1, "intent": 1}


def test_words_for_feeds_are_of_codes_that_exist():
    assert examine.IN_FEEDS.keys() <= explanations().keys()


def test_large_documents_are_cut():
    reading = examined("<r>" + "<a>1 & 2</a>\n" * 1600)["readings"]["draft"]
    assert reading["count"] == 1601
    assert len(reading["faults"]) == examine.SHOWN_FAULTS
    assert len(reading["tree"]) == SHOWN_LINES + 1
    assert len(reading["rows"]) == examine.SHOWN_ROWS + 1
    assert examined("<a>" * 1600)["readings"]["draft"]["tree"][-1][1] == "cut"


@pytest.mark.skipif(not DOCS.with_name("xml5tree").exists(), reason="the sources are not there")
def test_package_is_pure_and_whole():
    archive = zipfile.ZipFile(io.BytesIO(make_playground.package()))
    names = set(archive.namelist())
    package = Path(xml5tree.__file__).parent
    files = [*package.rglob("*.py"), package / "errors" / "explanations.toml"]
    assert names == {path.relative_to(package.parent).as_posix() for path in files}
    assert make_playground.package() == make_playground.package()


class Files(http.server.SimpleHTTPRequestHandler):
    """A static host that keeps its log to itself."""

    def log_message(self, *args):
        pass


class Page:
    """The page in a browser."""

    def __init__(self, browser, address, site):
        self.browser, self.address, self.site = browser, address, site

    def run(self, script, *arguments):
        return self.browser.run(script, *arguments)

    def open(self, fragment=""):
        self.browser._call("/url", {"url": "about:blank"})
        self.browser._call("/url", {"url": self.address + fragment})
        self.wait("return document.getElementById('version') && document.getElementById('status').textContent === ''")

    def wait(self, script):
        """Wait until a script returns something true. Loading Python takes long on a machine with other work."""
        for _ in range(900):
            if self.run(script):
                return
            time.sleep(0.2)
        raise AssertionError(f"{script}: {self.run('return document.body.innerText')}; {self.browser.console()}")

    def paste(self, text):
        script = """
            const field = document.getElementById("text");
            field.value = arguments[0];
            field.dispatchEvent(new Event("input"));
        """
        self.run(script, text)
        self.answered()

    def answered(self):
        """Wait until the results are of the document in the field."""
        self.wait("return document.getElementById('results').ariaBusy === 'false'")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    missing = chromium.missing()
    if missing:
        pytest.skip(f"the playground was NOT TRIED in a browser: {' and '.join(missing)} not installed")
    site = tmp_path_factory.mktemp("site")
    try:
        make_playground.make(site)
    except cache.Unavailable as error:
        pytest.skip(f"the playground was NOT TRIED in a browser: {error}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with chromium.Browser() as browser:
        yield Page(browser, f"http://127.0.0.1:{server.server_port}/playground.html", site)
    server.shutdown()
    server.server_close()


def in_link(**state):
    """The part of a link to the page that has its state, as the page makes it."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(json.dumps(state).encode()) + packer.flush()
    return "#" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def of_link(fragment):
    packed = fragment.removeprefix("#")
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), wbits=-15))


@in_whole_run
@pytest.mark.timeout(600)
def test_page_without_python(page):
    """The page begins with an example and all that is known of it, even where Python is never loaded."""
    shutil.copytree(page.site, page.site / "bare", ignore=shutil.ignore_patterns("worker.js", "pyodide", "bare"))
    page.browser._call("/url", {"url": page.address.replace("playground.html", "bare/playground.html")})
    page.wait("return document.getElementById('status').textContent.startsWith('Python cannot be loaded')")
    page.wait("return !document.getElementById('results').hidden")
    assert page.run("return document.getElementById('text').value") == FEED
    assert page.texts("#errors .code")
    assert "Second story" in page.run("return document.getElementById('intent').textContent")


@in_whole_run
@pytest.mark.timeout(600)
def test_page(page):
    """One test, since loading Python takes seconds."""
    feed = "<rss version=2.0><channel><item><title>A & B</title><item><title>C</title></item></channel></rss>"
    page.open(in_link(text=feed, dialect="xml5", policy="intent"))
    page.answered()
    assert page.run("return document.getElementById('text').value") == feed
    assert page.text("#version") == xml5tree.__version__
    assert "errors repaired" in page.text("#verdict")
    assert "Write it as &amp;" in page.text("#feed-list")
    assert "1 entry by the draft’s rules alone, and 2" in page.text("#feed-verdict")
    codes = page.texts("#errors .code")
    assert codes[:2] == ["unquoted-attribute-value", "unescaped-ampersand"]
    assert "&amp;" in page.texts("#rows ins")  # which words are marked beside it is for the tests of the report
    assert page.texts("#draft li.differs") == page.texts("#intent li.differs") == ["item", "title", "“C”"]

    # An error's place is selected in the document.
    page.click("#errors li:nth-child(2) .place")
    field = "const field = document.getElementById('text');"
    assert page.run(f"{field} return field.value.slice(field.selectionStart, field.selectionEnd)") == "&"

    # The other policy has other errors.
    page.click("[name=policy][value=draft]")
    assert page.texts("#errors .code") != codes

    # A link has all of it, and the server does not get to know it.
    page.click("#link")
    page.wait("return document.getElementById('linked').textContent !== ''")
    link = page.run("return location.hash")
    assert of_link(link) == {"text": feed, "dialect": "xml5", "policy": "draft"}
    page.run("location.hash = 'damaged'")
    page.wait("return document.getElementById('status').textContent.includes('damaged')")
    page.run("document.getElementById('text').value = ''; location.hash = arguments[0]", in_link(text="<a/>"))
    page.wait("return document.getElementById('text').value === '<a/>'")
    page.answered()
    assert page.text("#verdict").startswith("Well-formed")

    # Documents are shown, and never run.
    page.paste('<a title="<img src=x onerror=alert(1)>"><script>document.title = "run"</script><b>')
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0
    assert page.run("return document.title") != "run"

    # Each example at a click; one of them is no UTF-8.
    for name, says in {"feed.xml": "Jerry", "answer.xml": "Q3", "contacts.xml": "Jürg"}.items():
        page.click(f"[data-example='{name}']")
        shown = "document.getElementById('intent').textContent + document.getElementById('draft').textContent"
        page.wait(f"return ({shown}).includes('{says}')")
    assert not page.run("return document.getElementById('bytes').hidden")

    # Dialects
    script = """
        const field = document.getElementById("dialect");
        field.value = arguments[0];
        field.dispatchEvent(new Event("change"));
    """
    page.paste("<a>1 & 2")
    page.run(script, "leafxml")
    page.answered()
    assert page.text("#verdict").startswith("Refused: ")
    page.run(script, "microxml")
    page.answered()
    assert "repaired" in page.text("#verdict")
    page.run(script, "xml5")
    page.answered()

    # Nothing is wider than the window, on a phone, either.
    page.paste(FEED)
    for width in (390, 1280):
        page.browser.show(width=width, height=900)
        assert page.run("return document.documentElement.scrollWidth") <= width
    page.paste("<a>b</a>")
    assert page.text("#verdict").startswith("Well-formed")
    console = [line["message"] for line in page.browser.console()]
    assert [line for line in console if "favicon" not in line] == []
