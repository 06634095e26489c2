"""``xml5tree report``: the page as it is written, and as a browser shows it."""

import base64
import hashlib
import html
import os
import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import chromium, nearxml
from support.cases import in_whole_run, one_in
from support.commands import PACKAGE, run_command
from support.scaling import assert_scales_linearly

import xml5tree
from xml5tree.cli.sidebyside import Gap, aligned, rows_of, segments
from xml5tree.errors.faults import faults_of
from xml5tree.input.stream import InputStream

FEED = PACKAGE / "docs/examples/feed.xml"


class Page(HTMLParser):
    """Links, targets and the text of the two sides of a page."""

    VOID = ("meta", "link", "br", "input")

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.sides, self.elsewhere = [], [], {"old": [], "new": []}, []
        self.contents = {"style": "", "script": ""}
        self.policy = ""
        self._open = []
        self._side = None
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        self.elsewhere += [attributes[name] for name in ("src", "href") if name in attributes and tag != "a"]
        side = (attributes.get("class") or "").partition(" ")[0]
        if tag == "div" and side in self.sides:
            self._side = side
            self.sides[side].append("")
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag
        if tag == "div":
            self._side = None

    def handle_data(self, data):
        if self._open[-1:] and self._open[-1] in self.contents:
            self.contents[self._open[-1]] += data
        elif self._side and "code" in self._open:
            self.sides[self._side][-1] += data


def page_of(document, *options):
    status, out, err = run_command("report", "-o", "-", *options, "-", stdin=document)
    assert err == ""
    assert status in (0, 2)
    return Page(out)


def check_links(page):
    assert len(set(page.ids)) == len(page.ids)
    assert {link[0] for link in page.links} == {"#"}
    assert {link[1:] for link in page.links} <= set(page.ids)


ANY_DOCUMENT = nearxml.byte_documents() | nearxml.documents().map(lambda text: text.encode("utf-8", "replace"))


@given(ANY_DOCUMENT)
def test_every_error_is_marked_and_explained(document):
    log = []
    codes = []
    try:
        xml5tree.repair(document, on_error=log.append)
    except xml5tree.ParseError as error:
        if error.code == "no-root-element":  # no other one is in the log
            codes.append(error.code)
    codes += [fault.code for fault in faults_of(log)]
    page = page_of(document)
    check_links(page)
    assert {f"e{number}" for number in range(len(codes))} <= set(page.ids)
    assert {f"why-{code}" for code in codes} == {name for name in page.ids if name.startswith("why-")}


@example(b'<!DOC x\r\n[<!ENTITY\r\nt0 "">]]><a></a>', True)
@example(b"<?xml version='1.0' encoding='ISO-8859-1'?><1 k='&#128512;'></1>", True)  # it needs the reference
@given(ANY_DOCUMENT, st.booleans())
def test_alignment_has_both_documents(document, whole):
    log = []
    try:
        markup = InputStream().feed(xml5tree.repair(document, on_error=log.append), True)
    except xml5tree.ParseError:
        return
    log.sort(key=lambda entry: entry.offset)
    stream = InputStream()
    text = stream.feed(document, True)
    every = list(rows_of(segments(lambda: [document], {}), log))
    rows = every if whole else list(aligned(every))
    errors = [number for row in rows if not isinstance(row, Gap) for number in row.errors]
    assert errors == list(range(len(log)))
    marked = [number for row in rows if not isinstance(row, Gap) for span in row.before or [] for number in span.errors]
    assert sorted(marked) == errors
    if whole:
        assert joined(rows, "before") == text.replace("\n", "")
        # The declaration may name UTF-8 in one of them.
        assert without_declaration(joined(rows, "after")) == without_declaration(markup.replace("\n", ""))
        for row in rows:
            has_both = row.line is not None and row.new_line is not None
            is_same = texts(row, "before") == texts(row, "after")
            assert row.changed or is_same or row.errors or not has_both
    else:
        lines = sum(row.lines if isinstance(row, Gap) else row.before is not None for row in rows)
        assert lines == sum(row.before is not None for row in every)


def without_declaration(text):
    return re.sub(r"\A\ufeff?(?:<\?xml[^>]*>)?", "", text)


def joined(rows, side):
    return "".join(texts(row, side) for row in rows)


def texts(row, side):
    return "".join(span.text for span in getattr(row, side) or [])


def test_each_side_has_its_document():
    page = page_of(FEED.read_bytes())
    assert page.sides["old"] == [*FEED.read_text("utf-8").splitlines(), ""][: len(page.sides["old"])]
    assert page.sides["new"] == xml5tree.repair(FEED.read_bytes()).decode().splitlines()


def test_marks_are_where_the_errors_are():
    out = run_command("report", "--recovery", "draft", "-o", "-", FEED).out
    for number, marked in {0: "2.0</a>", 1: "&amp;", 4: "&amp;eacute;", 8: "&lt;/catgory&gt;"}.items():
        assert re.search(rf'<a class="mark" id="e{number}" href="#why-[a-z-]+">{marked}', out)
    assert '<ins><a href="#why-unescaped-ampersand">&amp;amp;</a></ins>' in out


def test_page_is_self_contained():
    page = page_of(FEED.read_bytes())
    check_links(page)
    assert page.elsewhere == ["data:,"]
    assert "url(" not in page.contents["style"]
    for kind, content in page.contents.items():
        name = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{name}'" in page.policy
    assert page.policy.startswith("default-src 'none'; ")


def test_well_formed():
    page = page_of(b"<a>\n<b/>\n</a>")
    assert page.sides["old"] == page.sides["new"] == ["<a>", "<b/>", "</a>"]
    assert page.ids == ["document"]


def test_long_documents_are_shown_in_part(tmp_path):
    lines = [f"<b>{number}</b>\n" for number in range(4000)]
    lines[1000] = "<b>&</b>\n"
    lines[3000] = "<b x='1' x='2'>&</b>\n"
    page = page_of(("<a>\n" + "".join(lines) + "</a>").encode())
    assert len(page.sides["old"]) == 10
    assert page.sides["old"][2] == "<b>&</b>"
    check_links(page)


def test_one_long_line():
    document = "<a>" + "".join(f"<b n='{number}'>text</b>" for number in range(3000)) + "<b>&</b>" + "y" * 5000 + "</a>"
    page = page_of(document.encode())
    assert len(page.sides["old"]) < 10
    assert any("<b>&</b>" in text for text in page.sides["old"])
    assert max(map(len, page.sides["old"])) < 800
    check_links(page)


REPEATED = {
    "words of a line": "& x",
    "words of lines that are compared word by word": "& x" * 1300 + "\n",
    "lines": "&\nx\n",
    "attributes": "<b c=1>",
    "attributes of lines": "<b c=1>\n",
    "stray characters": "<",
}


REPORT, DIFF = ["report", "-o", os.devnull], ["repair", "--diff"]


@pytest.mark.parametrize(
    ("repeated", "command"), one_in(4, [(name, REPORT) for name in REPEATED] + [(name, DIFF) for name in REPEATED])
)
def test_time_is_linear(command, repeated):
    repeated = REPEATED[repeated]

    def document(size):
        return ("<a>" + repeated * (size // len(repeated))).encode()

    def run_it(data):
        assert run_command(*command, "-", stdin=data).status == 0

    assert_scales_linearly(run_it, document, max(1500, len(repeated) * 5 // 4))


def test_words_that_repeat_are_compared_at_once():
    """19 KB took more than 20 seconds when every word was compared with every other."""
    document = b"<a>" + (b"& x" * 1200 + b"\n") * 5
    start = time.process_time()
    assert len(page_of(document, "--max-errors", 0).sides["old"]) == 6
    assert time.process_time() - start < 5


def test_max_errors():
    page = page_of(b"<a>" + b"&\n" * 50, "--max-errors", 10)
    assert [name for name in page.ids if re.fullmatch(r"e\d+", name)] == [f"e{number}" for number in range(10)]


@in_whole_run
@pytest.mark.parametrize("line_end", one_in(2, [b"\n", b""]))
def test_page_is_bounded(line_end):
    """However many errors there are, and whether they are in one line or in many."""
    few, many = (b"<a>" + b"<b x=1>&nope; & text</c>" * count + line_end for count in (500, 1_000))
    if line_end:
        few, many = (document.replace(b"</c>", b"</c>\n") for document in (few, many))
    sizes = [len(run_command("report", "-", "-o", "-", stdin=document).out) for document in (few, many)]
    assert max(sizes) < 4_000_000
    assert sizes[1] < sizes[0] * 1.5  # the worst errors, which are shown, are farther apart


def test_nothing_is_marked_or_linked_beyond_the_limit():
    """What comes after an error that is marked may belong to others, so that no link may lead to its code."""
    document = b"<a>\n" + b"1 & 2\n" * 5 + b"<b x=1/> &amp; <b y=2/>\n" + b"3 < 4\n" * 20000 + b"</a>"
    out = run_command("report", "--recovery", "draft", "-", "-o", "-", "--max-errors", "6", stdin=document).out
    page = Page(out)
    assert [name for name in page.ids if re.fullmatch(r"e\d+", name)] == [f"e{number}" for number in range(6)]
    assert "The worst 6 are marked." in out
    assert out.count('<p class="gap">') == 1
    rows = re.findall(r'<div class="row.*?(?=<div class="row|</main>)', out, re.DOTALL)
    assert len(rows) < 15  # five errors with two lines of context, and the worst at the end
    assert any("<ins>" in row and "#why" not in row for row in rows)
    assert "only in what is not shown" in out
    for link in re.findall(r'href="#(.+?)"', out):
        assert link in page.ids


def test_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run_command("report", "--recovery", "draft", FEED)
    assert (status, out, err) == (0, "", f"xml5tree: {FEED}: 13 errors; see report.html\n")
    assert os.listdir() == ["report.html"]
    Page((tmp_path / "report.html").read_text("utf-8"))
    (tmp_path / "none.xml").write_text("no markup")
    assert run_command("report", "none.xml", "-o", "none.html").status == 2
    assert "no tree" in (tmp_path / "none.html").read_text("utf-8")
    assert run_command("report", "missing.xml").status == 3


@pytest.fixture
def folder(tmp_path, monkeypatch):
    documents = {
        "well": "<a/>",
        "kept": "<a>1 & 2</a>",
        "lost": "<a x='1' x='2'>&</a>",
        "cut": "<a><b>3 & 4",
        "none": "no tag",
    }
    for name, text in documents.items():
        (tmp_path / f"{name}.xml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folder(folder):
    """One page for all files, with a table that has the worst first."""
    status, out, err = run_command("report", ".")
    assert (status, out, err) == (2, "", "xml5tree: see report.html\n")
    text = (folder / "report.html").read_text("utf-8")
    page = Page(text)
    check_links(page)
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td>', text)
    assert [re.sub("<.*?>", "", "|".join(row)) for row in rows] == [
        "none.xml|no tree|2",
        "lost.xml|lost|2",
        "cut.xml|moved, cut off|2",
        "kept.xml|kept|1",
        "well.xml|kept|0",
    ]
    assert [name for name in page.ids if name.startswith("file-")] == [f"file-{number}" for number in range(4)]
    assert [name for name in page.ids if re.fullmatch(r"e\d+", name)] != []
    assert '<a href="#e0">cut.xml:' in text


def test_most_of_each_file_of_a_folder(folder):
    (folder / "many.xml").write_text("<a>" + "&\n" * 100 + "</a>")
    page = page_of_files(".")
    assert sum(re.fullmatch(r"e\d+", name) is not None for name in page.ids) == 20 + 2 + 2 + 2 + 1
    page = page_of_files(".", "--max-errors", "3")
    assert sum(re.fullmatch(r"e\d+", name) is not None for name in page.ids) == 3 + 2 + 2 + 2 + 1
    check_links(page)


def page_of_files(*arguments):
    return Page(run_command("report", "-o", "-", *arguments).out)


def test_errors_can_be_ignored(folder):
    page = page_of_files("cut.xml", "--ignore", "eof-*")
    assert [name for name in page.ids if name.startswith("why-")] == ["why-unescaped-ampersand"]
    assert page_of_files("kept.xml", "--ignore", "unescaped-ampersand").ids == ["document"]


def test_codes_with_the_worst_effect_come_first():
    out = run_command("report", "-o", "-", "-", stdin=b"<a x='1' x='2'>&&&</a>").out
    assert re.findall(r'<span class="count">\d+</span> <a href="#why-(.*?)">', out) == [
        "duplicate-attribute",
        "unescaped-ampersand",
    ]


# In a browser.


@pytest.fixture(scope="module")
def browser():
    if missing := chromium.missing():
        absent = " and ".join(missing)
        pytest.skip(f"the page was NOT SHOWN in a browser: no {absent} (Debian packages chromium, chromium-driver)")
    with chromium.Browser() as browser:
        browser.show()
        yield browser


@pytest.fixture
def feed_page(tmp_path):
    path = tmp_path / "report.html"
    assert run_command("report", "--recovery", "draft", FEED, "-o", path).status == 0
    return path


@in_whole_run
def test_a_large_page_opens_in_a_second(browser, tmp_path):
    path = tmp_path / "report.html"
    document = b"<a>\n" + b"<b x=1>&nope; text & more</c>\n" * 3000
    assert run_command("report", "-", "-o", path, stdin=document).status == 0
    browser.show(width=1280)
    assert min(browser.open(path) for _ in range(2)) < 1


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_page_fits(browser, feed_page, width, dark):
    browser.show(width=width, dark=dark)
    browser.open(feed_page)
    assert browser.console() == []
    assert browser.run("return innerWidth") == width
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    text, page = browser.run(
        "const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]"
    )
    assert (sum(channels(text)) > sum(channels(page))) == dark
    assert contrast(text, page) > 7
    # Whatever text there is can be read.
    pairs = browser.run(
        """return Array.from(document.querySelectorAll("a, p, h1, h2, h3, span, li, code, strong, em, output, button"))
        .filter((element) => element.textContent.trim() && element.checkVisibility()
          && !element.classList.contains("skip")).map((element) => {
          let behind = element;
          while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
          return [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor, element.outerHTML];
        })"""
    )
    assert len(pairs) > 100
    for text, behind, element in pairs:
        assert contrast(text, behind) >= 4.5, element


def channels(colour):
    return [int(value) for value in re.findall(r"\d+", colour)[:3]]


def luminance(colour):
    parts = [value / 255 for value in channels(colour)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour, other):
    """The contrast ratio of WCAG 2."""
    low, high = sorted([luminance(colour), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_links_work(browser, feed_page):
    browser.show()
    browser.open(feed_page)
    count = browser.run("return document.links.length")
    assert count > 40
    seen = browser.run(
        """const seen = [];
        for (const link of document.links) {
          link.click();
          const target = document.getElementById(location.hash.slice(1));
          const box = target && target.getBoundingClientRect();
          seen.push([link.hash, location.hash, Boolean(box) && box.top < innerHeight && box.bottom >= 0]);
        }
        return seen"""
    )
    assert len(seen) == count
    for wanted, reached, is_visible in seen:
        assert wanted == reached
        assert is_visible, wanted
    assert browser.console() == []


def test_keyboard(browser, feed_page):
    browser.show()
    browser.open(feed_page)
    focused = "return document.activeElement.id"
    position = "return document.getElementById('position').textContent"
    assert browser.run(position) == "13 in the page"
    browser.press("n", "n", "n", "p")
    assert (browser.run(focused), browser.run(position)) == ("e1", "2 of 13")
    browser.press("\ue007")  # Enter follows the link to the explanation
    assert browser.run("return location.hash") == "#why-unescaped-ampersand"
    browser.open(feed_page)
    browser.press("p")
    assert browser.run(focused) == "e12"
    browser.open(feed_page)
    browser.press("\ue004")  # Tab
    assert browser.run("return document.activeElement.className") == "skip"
    browser.press("\ue004", "\ue004")
    assert browser.run("return document.activeElement.hash").startswith("#why-")
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_choosing_a_code(browser, feed_page):
    browser.show()
    browser.open(feed_page)
    browser.run(
        """const choice = document.getElementById("code");
        choice.value = "mismatched-end-tag";
        choice.dispatchEvent(new Event("change"))"""
    )
    browser.run("document.getElementById('next').click()")
    assert browser.run("return document.activeElement.hash") == "#why-mismatched-end-tag"
    assert browser.run("return document.getElementById('position').textContent") == "1 of 2"


@in_whole_run
@pytest.mark.parametrize("newline", ["\n", ""])
def test_ten_thousand_errors(browser, tmp_path, newline):
    """On many lines or on one: the page is there, and moves, without a noticeable delay."""
    path = tmp_path / "many.xml"
    path.write_text(newline.join(["<r>", *["<item id=1>x</item>"] * 10_000, "</r>"]))
    assert run_command("report", path, "-o", tmp_path / "many.html", "--max-errors", 0).status == 0
    browser.show()
    assert browser.open(tmp_path / "many.html") < 20
    assert browser.console() == []
    assert browser.run("return document.querySelectorAll('.mark').length") == 10_000
    delay = browser.run(
        """const start = performance.now();
        for (const key of ["n", "p", "p"]) {
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          document.body.offsetHeight;
        }
        for (let step = 0; step < 20; step++) { window.scrollBy(0, 5000); document.body.offsetHeight; }
        return performance.now() - start"""
    )
    assert browser.run("return document.activeElement.id") == "e9998"
    assert delay < 3000, "23 movements, in milliseconds"


def trees_of(document, *options):
    """Return the lines of the two trees on a page, and whether they are marked."""
    _, out, _ = run_command("report", "-o", "-", *options, "-", stdin=document)
    _, _, section = out.partition('<section class="trees"')
    trees = re.findall("<code>(.*?)</code>", section.partition("</section>")[0], re.DOTALL)
    marks = [("<del>", "</del>"), ("<ins>", "</ins>")][: len(trees)]
    return [
        [(html.unescape(line.removeprefix(start).removesuffix(end)), start in line) for line in tree.splitlines()]
        for tree, (start, end) in zip(trees, marks, strict=True)
    ]


def test_the_draft_may_have_no_tree():
    draft, intent = trees_of(b'&<?xml version="1.0"encoding<a></a>')
    assert (draft, intent) == ([], [("a", True)])


def test_trees_that_differ_are_shown():
    draft, intent = trees_of(b"<r><i>1<i a='&lt;'>2</i></r>")
    assert draft == [("r", False), ("  i", False), ("    “1”", False), ('    i a="<"', True), ("      “2”", True)]
    assert intent == [("r", False), ("  i", False), ("    “1”", False), ('  i a="<"', True), ("    “2”", True)]


@pytest.mark.parametrize(
    ("document", "options"),
    [
        (b"<r/>", ()),
        (b"<r>1 & 2</r>", ()),
        (b"no tree", ()),
        (b"<r><i>1<i>2</i></r>", ("--recovery", "draft")),
        (b"<r><i>1<i>2</i></r>", ("--dialect", "microxml")),
        (b"<r><i>1<i>2</i></r>" + b" " * 600_000, ()),
    ],
)
def test_trees_are_not_shown_without_need(document, options):
    assert trees_of(document, *options) == []


def test_assumptions_have_a_colour_of_their_own(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r><i>a</I><i>b</i></r>")
    page = tmp_path / "page.html"
    run_command("report", "--recovery", "intent", "-o", str(page), str(path))
    assert '<a class="code assumed" href="#why-assumed-end-tag">' in page.read_text()
    assert ".assumed {" in page.read_text()
