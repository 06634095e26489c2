"""`recovery="intent"`: the rules, one by one, and what holds for all of them."""

import re
import subprocess
import sys
from itertools import cycle, permutations, product
from pathlib import Path

import pytest
from support.cases import each_case, one_in
from support.splits import chunks
from support.windows import window_of

import xml5tree
from compat.lanes import LANES, lane
from compat.rules import RULES, without
from xml5tree.dialects.xml5.intent.choices import DRAFT, OF_END_TAG, OF_START_TAG, Choice, Habits
from xml5tree.dialects.xml5.intent.constants import CDATA_REACH, FAR_WINDOW, WINDOW
from xml5tree.dialects.xml5.intent.endplaces import EndTags
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.situation import PlacedTag
from xml5tree.dialects.xml5.intent.window import Window


def repaired(document, size=None):
    """The markup and the log of a document that comes in pieces of a size."""
    repairer = xml5tree.Repairer(recovery="intent")
    size = size or len(document)
    markup = "".join(repairer.feed(document[start : start + size]) for start in range(0, len(document), size))
    return markup + repairer.close(), repairer.error_log


def draft(document):
    """The markup and the log of a document by the draft's rules."""
    repairer = xml5tree.Repairer(recovery="draft")
    return repairer.feed(document) + repairer.close(), repairer.error_log


def check(document, markup, *codes):
    """A document becomes markup, with assumptions of these codes, however it is fed."""
    found, log = repaired(document)
    assert found == markup
    assert [entry.code for entry in log if entry.code.startswith("assumed-")] == list(codes)
    assert {entry.kind for entry in log if entry.code.startswith("assumed-")} <= {"parse-error"}
    for size in (1, 2, 3, 7, 100):
        assert repaired(document, size) == (found, log)


#: The examples of the rules: documents, and what becomes of them.
EXAMPLES = re.findall(
    "^`(.+)`.* → `(.+)`$",
    (Path(__file__).parent.parent / "docs/internals/intent.md").read_text("utf-8"),
    re.MULTILINE,
)


@each_case("document, markup", EXAMPLES)
def test_examples_of_rules(document, markup):
    """Intent reads them as the page of the rules says; the draft reads most of them otherwise."""
    assert repaired(document)[0] == markup


def test_examples_need_rules():
    assert len([document for document, markup in EXAMPLES if draft(document)[0] != markup]) > 20


# Markup that is text (R-012 to R-014) -------------------------------------------------------------------------------


def test_digit_after_less_than_sign():
    """R-012: "<" and no letter is text."""
    check("<r>2<3 I <3 it</r>", "<r>2&lt;3 I &lt;3 it</r>", "assumed-text", "assumed-text")


@pytest.mark.parametrize("way", LANES)
@each_case(
    "document",
    [
        "<items><0><name>A</name></0><1><name>B</name></1></items>",
        "<items>\n <0 >\n  <name>A</name>\n </0>\n <1/>\n <2>B</2></items>",
        "<items><0/><1 /><2/>text</items>",
        "<r><data><0><tags><0>a</0><1></1></tags></0><1><id>1</id><tags><0>b</0></tags></1><2/></data><more/></r>",
        "<r><3d_x.y-z>a</3d_x.y-z><b>1</b><2nd>b</2nd></r>",
        "<0><a>1</a></0>",
        f"<r>{''.join(f'<{n}><name>x</name><v>{n}</v></{n}>' for n in range(200))}</r>",
    ],
)
def test_numbers_as_names(document, way):
    """R-012: elements of arrays, whose names the draft rewrites."""
    with lane(way):
        for size in one_in(2, (1, 7, 100, len(document))):
            assert repaired(document, size) == draft(document)


@pytest.mark.parametrize("way", LANES)
def test_numbers_as_names_where_something_is_broken(way):
    """R-012, R-004: look-ahead takes them for names, too."""
    with lane(way):
        before = "<r><0><a>x</a><b>1</b></0><1><a>x</a><b>2</b></1>"
        for broken, meant in (
            ("<2><a>x<b>3</b></2>", "<2><a>x</a><b>3</b></2>"),
            ("<2><a>x</A><b>3</b></2>", "<2><a>x</a><b>3</b></2>"),
            ("<2><a>x</a><b>3</b></2", "<2><a>x</a><b>3</b></2>"),
            ("<2><a>x</a><b>3</b></ 2>", "<2><a>x</a><b>3</b></2>"),
        ):
            markup = repaired(f"{before}{broken}<3><a>x</a><b>4</b></3></r>")[0]
            assert markup == draft(f"{before}{meant}<3><a>x</a><b>4</b></3></r>")[0]
        assert repaired(f"{before}<2><a>x</a><b>4")[0] == draft(f"{before}<2><a>x</a><b>4")[0]


def test_numbers_in_text():
    """R-012: without an end tag or a neighbour of the kind, it is text; so is what has more than a number."""
    for text in ("x <2 and 3> y", "a<5", "<3 you", "step <1>, step <2>", "<3/> x", '<3 a="b">', "<4/ >", "<1@2>"):
        codes = ["assumed-text"] * text.count("<")
        check(f"<r><c>{text}</c><d>1</d></r>", f"<r><c>{text.replace('<', '&lt;')}</c><d>1</d></r>", *codes)


def test_tags_of_letters_that_are_not_ascii():
    """R-012: letters of any script begin a name."""
    check("<été><ß>a</ß></été>", "<été><ß>a</ß></été>")


def test_space_before_name():
    """R-012: white space before the name of a tag that there has to be."""
    check("<r><i>< title>a</title></i></r>", "<r><i><title>a</title></i></r>", "assumed-text")


def test_space_before_the_name_of_the_root():
    """R-012: it is a tag if an end tag of its name follows."""
    check('< r a="1"><t>b</t></r>', '<r a="1"><t>b</t></r>', "assumed-text")
    check("a < b > c <r><t>b</t></r>", "<r><t>b</t></r>")
    check("a < b > c <r><bar>b</bar></r>", "<r><bar>b</bar></r>")


def test_space_after_less_than_sign_in_text():
    """R-012: white space before what is no tag."""
    check("<r>a < b > c</r>", "<r>a &lt; b > c</r>")


def test_question_mark_after_less_than_sign():
    """R-012: "<?" without a name is text if a tag comes before "?>"."""
    for code in (
        "Class<?> c",
        "a<?",
        "a <? b",
        "Map<?, V>",
        "<??>",
        "<? extends T> <? super T>",
        "<?\n",
        "<?> a; List<?>",
    ):
        text = code.replace("<", "&lt;")
        codes = ["assumed-text"] * code.count("<")
        check(f"<r><c>{code}</c><p>1</p></r>", f"<r><c>{text}</c><p>1</p></r>", *codes)
    check("<a>b<?<b>2</b></a>", "<a>b&lt;?<b>2</b></a>", "assumed-text")
    check("<a>b<?é <1 ?></a>", "<a>b<?é <1 ?></a>")
    check("<a>b<?> c", "<a>b&lt;?> c</a>", "assumed-text")
    check("<?><a/>", "<a/>", "assumed-text")


def test_instruction_without_a_name():
    """R-012: if "?>" comes before a tag, "<?" is an instruction or comment, but for wildcards of generic types."""
    for instruction in ("<?= 3 < 4 ?>", "<? echo 1 ?>", "<?1?>", "<???>"):
        for size in (1, 2, 100):
            document = f"<r><c>a{instruction}b</c></r>"
            assert repaired(document, size) == draft(document)
    for code in ("Map<?, ?>", "Map<?,?>", "Map<? extends T, ?>"):
        check(f"<r><c>{code}</c></r>", f"<r><c>{code.replace('<', '&lt;')}</c></r>", "assumed-text")


def test_question_mark_far_before_its_end():
    """R-012: a window is searched."""
    near, far = (f"<r>a<?={'x' * length}?></r>" for length in (WINDOW - 3, WINDOW))
    for size in (1000, WINDOW + 4):
        assert repaired(near, size) == draft(near)
        assert repaired(far, size)[0] == far.replace("<?", "&lt;?")


@pytest.mark.parametrize("way", LANES)
def test_question_mark_hides_no_tags(way):
    """R-004, R-012: a window has the tags after "<?" without a name."""
    with lane(way):
        for text in ("List<?> c", "a <? b", "<?="):
            document = f"<r><i>1</i><i>2{{}}<i>3</i><i>4</i><i>{text}</i></r>"
            markup = document.format("</i>").replace("<?", "&lt;?")
            check(document.format(""), markup, "assumed-end-before", "assumed-text")


def test_tag_ends_after_its_last_value():
    """R-013: a tag with attributes that meets "<"."""
    check('<r><a x="1"text</a></r>', '<r><a x="1">text</a></r>', "assumed-end-of-tag")
    check('<r><a x="1"/<b/></r>', '<r><a x="1"/><b/></r>', "assumed-end-of-tag")


def test_tag_without_end_may_be_empty():
    """R-013: it is one if the empty tag leads to fewer errors, and elements of its name had no content."""
    check('<r><p a="1"<q>b</q><q>c</q></r>', '<r><p a="1"/><q>b</q><q>c</q></r>', "assumed-end-of-tag")
    check("<r><p a=1<q>b</q><q>c</q></r>", '<r><p a="1"/><q>b</q><q>c</q></r>', "assumed-end-of-tag")
    check('<r><p a="1"<q>b</q></p></r>', '<r><p a="1"><q>b</q></p></r>', "assumed-end-of-tag")
    document = '<r><p><q>a</q></p><p a="1"<q>b</q></r>'
    check(document, '<r><p><q>a</q></p><p a="1"><q>b</q></p></r>', "assumed-end-of-tag")


def test_end_tag_farther_out_is_the_only_one():
    """R-013: where no element of the name is open around it, an end tag of the name is the tag's own."""
    check('<r>\n  <o k="1"\n </o>\n</r>', '<r>\n  <o k="1">\n </o>\n</r>', "assumed-end-of-tag")


@pytest.mark.parametrize(
    ("broken", "meant"),
    [
        ('<o k="1"\n    <o k="2"/>\n', '<o k="1"/>\n    <o k="2"/>\n'),  # the next tag stands where it stands
        ('<o k="1"\n  </o>\n<o/>', '<o k="1"/>\n  </o>\n<o/>'),  # or farther out
        ('<o k="1"\n      <o k="2"/>\n    </o>\n', '<o k="1">\n      <o k="2"/>\n    </o>\n'),  # or farther in
        ('<o k="1"\n    </o>\n', '<o k="1">\n    </o>\n'),  # or is its own end tag
    ],
)
def test_tag_without_end_may_be_empty_for_its_column(broken, meant):
    """R-013: indentation tells whether an element has content, though others of its name have some."""
    outer = "<o>\n    <o><o/></o>\n  </o>\n"
    end = "" if "\n<o/>" in broken else "  </o>\n</r>"
    check(
        f"<r>\n  {outer}  <o>\n    {broken}{end}",
        f"<r>\n  {outer}  <o>\n    {meant}{end or '</r>'}",
        "assumed-end-of-tag",
    )


def test_tag_ends_after_its_name():
    """R-013: a tag without attributes that meets "<" ends where a known name or that of an end tag does."""
    check("<r><titleTea für</title></r>", "<r><title>Tea für</title></r>", "assumed-end-of-tag")
    check("<r><lb</l></r>", "<r><l>b</l></r>", "assumed-end-of-tag")


def test_tag_of_the_root_ends_after_its_name():
    """R-013: the root's tag does so if an end tag of its name follows."""
    check("<r<t>a</t></r>", "<r><t>a</t></r>", "assumed-end-of-tag")
    check("<r\n  <t>a</t>\n</r>", "<r>\n  <t>a</t>\n</r>", "assumed-end-of-tag")
    for document in ("<r<t>a</t>", "<r a <t>b</t></r>"):
        assert repaired(document)[0] == draft(document)[0]


@each_case(
    "broken, meant, number",
    [
        ("<str<ing>b</string>", "<string>b</string>", 1),
        ('<str<ing k="1" /><string>b</string>', '<string k="1"/><string>b</string>', 1),
        ("<string>b</str<ing >", "<string>b</string>", 1),
        ("<str<ing>b</st<ring>", "<string>b</string>", 2),
        ("<string<>b</string<>", "<string>b</string>", 2),
        ("<new<est><string>b</string></newest>", "<newest><string>b</string></newest>", 1),
    ],
)
def test_less_than_sign_in_the_name_of_a_tag(broken, meant, number):
    """R-013: it is dropped if an earlier tag has the name without it, or an end tag ahead."""
    before = "<r><string>a</string>"
    check(f"{before}{broken}</r>", f"{before}{meant}</r>", *["assumed-text"] * number)


def test_less_than_sign_between_tags():
    """R-013: what is before it and after it are rather tags of their own, or text."""
    for document in (
        "<r><br/><b>x</b><b<r>y</r></r>",
        "<r><br/><b<r/></r>",
        "<r><string>a</string>x<stri<ng>y</ng></r>",
        "<r><string><a>x</a></string</r>",
    ):
        assert "'<' in the tag" not in str(repaired(document)[1])


def test_tag_where_elements_are():
    """R-013: where there is no text, it is an element though nothing else shows its name."""
    document = "<b><i>1</i><d<l>9</l><p/></b>"
    check(document, "<b><i>1</i><d/><l>9</l><p/></b>", "assumed-end-of-tag")
    check(document.replace("<d<", "<d\n<"), "<b><i>1</i><d/>\n<l>9</l><p/></b>", "assumed-end-of-tag")
    check("<b>x<i>1</i>a<d<i>9</i></b>", "<b>x<i>1</i>a&lt;d<i>9</i></b>", "assumed-text")
    check("<b><i>1</i><d e <i>9</i></b>", "<b><i>1</i>&lt;d e <i>9</i></b>", "assumed-text")


def test_less_than_sign_before_a_letter():
    """R-013: it is text where no end tag says otherwise."""
    check("<r><t>a<b</t></r>", "<r><t>a&lt;b</t></r>", "assumed-text")


def test_words_are_no_attributes():
    """R-014: a tag of words only, of an unknown name."""
    check("<r>if a<b and c>d</r>", "<r>if a&lt;b and c>d</r>", "assumed-text")


@pytest.mark.parametrize(
    "document",
    [
        '<form><field name="a" required/><switch on/></form>',  # an empty tag
        "<r><b>x</b><i><b hidden>y</b>",  # the name was there before
        "<r>a<td nowrap>x</td>y</r>",  # has an end tag
        '<r><td nowrap><td>x</td><td nowrap><td width="1">',  # or comes again without words
        "<body><p>a</p><hr noshade><p>b</p></body>",  # or HTML has it so
        "<r><INPUT Disabled CHECKED></r>",
    ],
)
def test_words_that_are_attributes(document):
    """R-014: it takes more than an unknown name."""
    _, log = repaired(document)
    assert "assumed-text" not in [entry.code for entry in log]


def test_words_that_no_attribute_is_called():
    """R-014: they are doubted whatever follows, and so is a name that is none."""
    check("<r>a<b && c>d <b>e</b></r>", "<r>a&lt;b &amp;&amp; c>d <b>e</b></r>", "assumed-text")
    check("<r>see <http://example.org/a b/></r>", "<r>see &lt;http://example.org/a b/></r>", "assumed-text")


def test_code_is_text():
    """R-014: what a program has between two "<"."""
    code = "for(var i=0; i<as.length; i++) {for(j=0; j<d.length; j++) {if (a != -1 && b != -1) {}}}"
    expected = code.replace("&", "&amp;").replace("<", "&lt;")
    check(f"<script>{code}</script>", f"<script>{expected}</script>", *["assumed-text"] * 2)
    check(
        "<r><t>x</t><tDas „ist“ „ein“ „Satz“</t></r>",
        "<r><t>x</t><t>Das „ist“ „ein“ „Satz“</t></r>",
        "assumed-end-of-tag",
    )


# Tags and values (R-015 to R-019) -----------------------------------------------------------------------------------


def test_space_in_end_tag():
    """R-015: white space after "</"."""
    check("<r><a>x</ a></r>", "<r><a>x</a></r>", "assumed-end-tag")


@pytest.mark.parametrize("count", [2, 12, 300])
def test_end_tag_before_an_element_of_its_name_is_no_start_tag(count):
    """R-022: records in records would be new, so that the records are those of the draft."""
    document = "<r>" + "\n<item><n>1</n></><k>1</k></item>" * count + "</r>"
    for name in LANES:
        with lane(name):
            assert repaired(document) == draft(document)
    before, after = "<r><d><d>x</d></d>", "<d>a</d>b</d><p/></r>"
    check(f"{before}</d>{after}", f"{before}<d>{after}", "assumed-start-tag")


def test_backslash_in_end_tag():
    """R-015: a backslash for the "/", if an element of the name is open."""
    check("<r><a>x<\\a><a>y<\\a ></r>", "<r><a>x</a><a>y</a></r>", *["assumed-end-tag"] * 2)
    check("<r><a>x<\\b></a></r>", "<r><a>x&lt;\\b></a></r>", "assumed-text")


def test_end_tag_that_meets_less_than_sign():
    """R-015: an end tag without ">" ends after its name, or after that of the current element."""
    check("<r><t>a</t x <t>b</t></r>", "<r><t>a</t> x <t>b</t></r>", "assumed-end-of-tag")
    check("<r><t>a</tfoo<t>b</t></r>", "<r><t>a</t>foo<t>b</t></r>", "assumed-end-of-tag")


def test_end_tag_cut_short():
    """R-015: what is left of its name is the beginning of that of the current element."""
    check("<r><title>a</ti\n<b>c</b></r>", "<r><title>a</title>\n<b>c</b></r>", "assumed-end-of-tag")
    document = "<r><folder><l>a</l><folder><l>b</l></folder></fol{}<folder><l>c</l></folder></r>"
    check(document.format(""), document.format("der>"), "assumed-end-of-tag")  # it explains the error that follows
    check("<r><title>a<t>b</t c</title></r>", "<r><title>a<t>b</t> c</title></r>", "assumed-end-of-tag")


@pytest.mark.parametrize("way", LANES)
@each_case(
    "text",
    [
        "either </ or both",
        "use </and or",
        "5 km</h",
        "I </3 it",
        "10</$5",
        "use </ror of it",  # begins with the name of the current element, whose own end tag follows
        "</ or both> x",
    ],
)
def test_end_tag_of_nothing_is_text(text, way):
    """R-015: a tag without ">" whose name is not near that of an open element, or a tag with words after "</ "."""
    escaped = text.replace("<", "&lt;")
    with lane(way):
        for document in ("<r>{}</r>", "<a><r>1</r><r>{}</r><t>2</t></a>", "<a><r>1</r><b><r>{}</r>3<r>4</r></b></a>"):
            broken, meant = document.format(text), document.format(escaped)
            for size in (1, 2, 7, 100):
                markup, log = repaired(broken, size)
                assert markup == meant
                assert {entry.effect for entry in log} == {"kept"}


def test_end_tag_of_nothing_in_which_the_document_ends():
    """R-015: it is text, too; a tag that is cut off before its ">" is none."""
    assert repaired("<r><p>use </and or")[0] == "<r><p>use &lt;/and or</p></r>"
    assert repaired("<r><p>5 </ km")[0] == "<r><p>5 &lt;/ km</p></r>"
    assert repaired("<r><p>use </p and or")[0] == "<r><p>use </p> and or</r>"
    for document in ("<r><item>x</item", "<r><item>x</it", "<r><item>x</item "):
        assert repaired(document)[0] == "<r><item>x</item></r>"


def test_end_tag_of_nothing_among_many_roots():
    """R-015: outside all elements, it is text if that is kept."""
    repairer = xml5tree.Repairer(recovery="intent", roots="all")
    assert "Use &lt;/and or so.<r>" in repairer.feed("Use </and or so.<r>x</r>") + repairer.close()


def test_end_tag_without_greater_than_sign_that_is_misspelt():
    """R-015, R-022: its name is near that of an open element."""
    codes = "assumed-end-of-tag", "assumed-end-tag"
    check("<r><title>a</titel<b>c</b></r>", "<r><title>a</title><b>c</b></r>", *codes)
    check("<r><item><title>a</title></itm<b>c</b></r>", "<r><item><title>a</title></item><b>c</b></r>", *codes)


@pytest.mark.parametrize("way", LANES)
@each_case("broken", ["< /c>", "< / c>", "<\n/c >"])
def test_space_before_solidus(broken, way):
    """R-015: it is an end tag if an element of the name is open."""
    with lane(way):
        check(f"<r><c>3{broken}<d>4</d></r>", "<r><c>3</c><d>4</d></r>", "assumed-end-tag")
        document = f"<r><d>3{broken}</d></r>"
        assert repaired(document)[0] == document.replace("<", "&lt;", 3).replace("&lt;", "<", 2)
        items = "".join([f"<i><c>{number}</c></i>" for number in range(20)])
        document = f"<r>{items}<i><c>3{broken}</i>{items}</r>"
        check(document, document.replace(broken, "</c>"), "assumed-end-tag")


def test_closing_quote_missing():
    """R-016: a value ends before the next attribute, the end of the tag, or the next tag."""
    check('<r><a x="1 y="2">b</a></r>', '<r><a x="1" y="2">b</a></r>', "assumed-end-of-value")
    check('<r><a x="1>t</a><a x="1"/></r>', '<r><a x="1">t</a><a x="1"/></r>', "assumed-end-of-value")


def test_closing_quote_missing_before_one_in_a_comment():
    """R-016: the comment shows that its quote ends no value."""
    for comment in ('<!-- a quote" -->', '<!-- a "quote" -->', '<!-- 5" by 3" -->'):
        check(
            f'<r><a h="1{comment}x</a><b/></r>',
            f'<r><a h="1">{comment}x</a><b/></r>',
            "assumed-end-of-value",
            "assumed-end-of-tag",
        )
    check('<r><a h="<!-- 1 -->" b="2"/></r>', '<r><a h="&lt;!-- 1 -->" b="2"/></r>')


def test_markup_in_value():
    """R-016: quotes that are followed by what may follow them are right."""
    check('<r note="a <b>c</b>" n="1"/>', '<r note="a &lt;b>c&lt;/b>" n="1"/>')
    check('<r note="a > b" n="1"/>', '<r note="a > b" n="1"/>')


#: A record without a quote.
PLAIN = f"<item><t>{'some words ' * 20}</t><d>{'x' * 200}</d></item>"


@pytest.mark.parametrize(
    ("broken", "later", "place"),
    one_in(
        5,
        product(
            ["<t a=~x>a</t>", "<t b=~1~ a=~x>a</t>", "<t a=~x/><d>x</d>", "<t a=~x"],
            ["", "<item><t a=~x~>z</t></item>", "<item><t>it~s</t></item>"],
            [('"', 1, 0), ("'", 1, 4), ('"', 20, 4)],
        ),
    ),
)
def test_closing_quote_missing_before_a_far_one(broken, later, place):
    """R-016: wherever the next quote of the kind is, the value has none of the tags that follow its own."""
    quote, count, before = place
    later, broken = later.replace("~", quote), broken.replace("~", quote)
    document = f"<rss><channel>{PLAIN * before}<item>{broken}</item>{PLAIN * count}{later}{PLAIN * 12}</channel></rss>"
    with window_of(1024):
        rows = list(xml5tree.records([document], "item"))
        assert len(rows) == before + 1 + count + bool(later) + 12
        assert rows[before].element.find("t").get("a") == "x"
        expected = repaired(document)
        assert [entry.code for entry in expected[1]].count("assumed-end-of-value") == 1
        for size in (7, 1025):
            assert repaired(document, size) == expected
        for name in LANES.keys() - {"compiled"}:  # which is the one so far
            with lane(name):
                assert repaired(document) == expected


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("before", [0, 20])
def test_closing_quote_missing_before_long_text(quote, before):
    """R-016 with the window as it is."""
    document = f"<rss>{PLAIN * before}<item><t a={quote}x>a</t></item>{PLAIN * 100}<item>it{quote}s</item></rss>"
    assert len(list(xml5tree.records([document], "item"))) == before + 102
    markup, _ = repaired(document)
    assert '<t a="x">a</t>' in markup


@pytest.mark.parametrize(
    ("broken", "length", "quote"),
    one_in(
        4,
        [
            (broken, length, quote)
            for broken in ("<t a=~x>{}</t>", "<t a=~x{}>b</t>", "<t a=~x>{}")
            for length, quote in zip((50, 500, 950, 1016, 1024, 1050, 7500), cycle("\"'"))
        ],
    ),
)
def test_closing_quote_missing_around_text_longer_than_the_window(quote, length, broken):
    """R-016: the next tag shows it, however far that is up to the far window."""
    broken = broken.replace("~", quote).format("1" * length)
    document = f"<rss>{PLAIN}<item>{broken}</item>{PLAIN * 6}</rss>"
    with window_of(1024):
        rows = list(xml5tree.records([document], "item"))
        assert len(rows) == 8
        assert rows[1].element.find("t").get("a").rstrip("1") == "x"
        expected = repaired(document)
        assert "assumed-end-of-value" in [entry.code for entry in expected[1]]
        for size in (1, 7, 1025) if length < 7500 else (7, 1025):
            assert repaired(document, size) == expected
        for name in LANES.keys() - {"compiled"}:
            with lane(name):
                assert repaired(document) == expected
        cut = document[: document.index("1" * length) + length]
        expected = repaired(cut)
        for size in (7, 1025):
            assert repaired(cut, size) == expected


@pytest.mark.parametrize(
    ("value", "before", "quote"),
    one_in(3, product(["a > b\n", ">", "x>&lt;/item>", "iVBORw0KGgo="], ["", "<item/>"], ['"', "'"])),
)
def test_long_values_without_faults(quote, before, value):
    """R-016: a well-formed value is not doubted, however long it is."""
    value *= 1 + FAR_WINDOW // len(value)
    document = f"<r>{before}<item a={quote}{value}{quote} b='1'>t</item></r>"
    _, log = repaired(document)
    assert not log
    attributes = xml5tree.fromstring(document)[-1].attrib
    assert attributes == {"a": value.replace("\n", " ").replace("&lt;", "<"), "b": "1"}


@pytest.mark.parametrize("value", ["<p>a</p><b>c</b>", "<p>a <p>b", "if (a<b) c", "a->b, i<n ", "a << b >> c "])
def test_long_values_with_less_than_signs(value):
    """R-016: markup of its own, which ends no element around it, may well be a value. Its errors are told."""
    value *= 1 + WINDOW // len(value)
    _, log = repaired(f'<r><item a="{value}" b="1">t</item></r>')
    assert {entry.code for entry in log} == {"less-than-sign-in-attribute-value"}


@pytest.mark.parametrize("value", ["/5", "?n=5", "a/b"])
def test_closing_quote_missing_before_a_path(value):
    """R-016: what the next value begins with does not end a tag."""
    item = f'<item><a href="{value}">t</a></item>'
    broken = item.replace('">', ">")
    check(f"<r>{item * 2}{broken}{item * 2}</r>", f"<r>{item * 5}</r>", "assumed-end-of-value")


def test_opening_quote_missing():
    """R-017: a quote that ends a value which has not begun."""
    check('<r><a x=1" y="2"/></r>', '<r><a x="1" y="2"/></r>', "assumed-quotes")


@pytest.mark.parametrize("quotes", ["“”", "„“", "‘’", "«»", "»«", "´´"])
def test_typographic_quotes(quotes):
    """R-018: they are quotes."""
    check(f"<r><a x={quotes[0]}1 2{quotes[1]}/></r>", '<r><a x="1 2"/></r>', "assumed-quotes")


def test_quotes_within_typographic_quotes():
    """R-018: straight quotes in such a value belong to it."""
    check('<r><a x=“say "a"”/></r>', '<r><a x="say &quot;a&quot;"/></r>', "assumed-quotes")


@pytest.mark.parametrize(
    ("quotes", "value"), one_in(3, product(["“”", "„“", "‘’", "«»"], ["1 2 ", "1", 'a="b" ', "x'y "]))
)
def test_typographic_quotes_around_a_long_value(value, quotes):
    """R-018: however long the value is up to the far window, in all lanes and chunks."""
    first, last = quotes
    with window_of(1024):
        for length in (1990, 2010, 7100):
            long = (value * length)[:length].rstrip(" ").ljust(length, "x")
            document = f"<r><a x={first}{long}{last} y={first}2{last}>t</a><b/></r>"
            meant = long.replace('"', "&quot;")
            expected = repaired(document)
            assert expected[0] == f'<r><a x="{meant}" y="2">t</a><b/></r>'
            assert [entry.code for entry in expected[1]] == ["assumed-quotes"] * 2
            for size in (7, 1025):
                assert repaired(document, size) == expected
            for name in LANES:
                with lane(name):
                    assert repaired(document) == expected


def test_typographic_quotes_beyond_the_window():
    """R-018: they are characters of a value that is longer than the far window; the window's end is always the same."""
    with window_of(1024):
        document = f"<r><a x=“{'1' * 9000}” y='2'>t</a><b/></r>"
        expected = repaired(document)
        assert "assumed-quotes" not in [entry.code for entry in expected[1]]
        for size in (7, 1025):
            assert repaired(document, size) == expected


def test_typographic_quotes_of_several_kinds():
    """R-018: what was looked for in vain, or found too far back, is found for a later value."""
    check("<r><a x=“1 y=‘2’ z=“3”/></r>", '<r><a x="1 y=‘2’ z=“3"/></r>', "assumed-quotes")
    check("<r><a x=“1” y=„2“ z=“3”/></r>", '<r><a x="1" y="2" z="3"/></r>', *["assumed-quotes"] * 3)
    check("<r><a x=«1 y=“2” z=“3”/></r>", '<r><a x="«1" y="2" z="3"/></r>', *["assumed-quotes"] * 2)
    check("<r><a x=“1>t</a><a x=“2”/></r>", '<r><a x="“1">t</a><a x="2"/></r>', "assumed-quotes")


def test_name_and_attribute_in_one():
    """R-038: "=" after the name, or an attribute that nothing separates from it."""
    call = "<t>\n<function={}>\n<parameter={}>\ntea\n</parameter>\n</function>\n</t>"
    expected = call.replace("={", ' name="{').replace("}>", '}">')
    check(call.format("search", "q"), expected.format("search", "q"), *["assumed-attribute"] * 2)
    check("<f='a b'>c</f>", '<f name="a b">c</f>', "assumed-attribute")
    check('<r><itemid="3">a</item></r>', '<r><item id="3">a</item></r>', "assumed-attribute")
    check(
        '<r><item/><itemid="3"<b/></r>', '<r><item/><item id="3"/><b/></r>', "assumed-attribute", "assumed-end-of-tag"
    )


@pytest.mark.parametrize("way", LANES)
@pytest.mark.parametrize(
    ("document", "meant"),
    [
        ("<trk><trkptlat='1' lon='2'>a</trkpt>{}</trk>", '<trk><trkpt lat="1" lon="2">a</trkpt>{}</trk>'),
        ("<items>{}<itemsize='3'>x</item></items>", '<items>{}<item size="3">x</item></items>'),  # the nested end tag
        ("<items><item/>{}<itemsize='3'/></items>", '<items><item/>{}<item size="3"/></items>'),  # a known child
        ("<r>{}<h></h><h1>a</h1><h1id='3'/></r>", '<r>{}<h></h><h1>a</h1><h1 id="3"/></r>'),  # no name begins with "1"
        ("<r>{}<it/><item/><itemid='3'/></r>", '<r>{}<it/><item/><item id="3"/></r>'),
        ("<r>{}<link/><linkhref='u'/></r>", '<r>{}<link/><link href="u"/></r>'),
    ],
)
def test_several_names_that_an_attribute_may_follow(document, meant, way):
    """R-038: tags show which is meant; else the longest is."""
    others = '<trkpt lat="3" lon="4">b</trkpt>' * 3
    with lane(way):
        check(document.format(others), meant.format(others), "assumed-attribute")


@pytest.mark.parametrize("equals", ["=", " =", "= ", " = ", "\n=\t"])
@pytest.mark.parametrize("quote", ["", '"', "'"])
def test_value_after_the_name_of_a_tag(equals, quote):
    """R-038: white space may be around the "="."""
    value = f"{equals}{quote}v{quote}"
    check(f"<r><f{value}>x</f></r>", '<r><f name="v">x</f></r>', "assumed-attribute")
    check(f'<r><f k="1"/><f{value} k="2"/></r>', '<r><f k="1"/><f name="v" k="2"/></r>', "assumed-attribute")


@pytest.mark.parametrize("comparison", ["b=c then", "b=c> then", "b = c then", "b = c and d> then"])
def test_comparison_is_no_attribute(comparison):
    """R-038: text leads to fewer errors."""
    document = f"<r><b>x</b> if a<{comparison}</r>"
    check(document, document.replace("a<", "a&lt;"), "assumed-text")


def test_name_that_is_nothing_else():
    """R-038: without an end tag, or a tag before, nothing is known of the name."""
    for document in ("<r><f=a>b</r>", "<r><f = a>b</r>", '<r><fa="b"/></r>'):
        _, log = repaired(document)
        assert "assumed-attribute" not in [entry.code for entry in log]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ('<p version "3.0" id="a"></p>', '<p version="3.0" id="a"></p>'),
        ('<p id="a" version "3.0" lang \'en\'/>', '<p id="a" version="3.0" lang="en"/>'),
        ('<a Ccy:"JPY" b="c d">1</a>', '<a Ccy="JPY" b="c d">1</a>'),
        ('<a b c:"d e"/>', '<a b="" c="d e"/>'),
        ('<a b"c d" e="f" g\'h\'>1</a>', '<a b="c d" e="f" g="h">1</a>'),
        ('<f xmlns:a"u" xmlns"http://e.org/x#y"><a:b/></f>', '<f xmlns:a="u" xmlns="http://e.org/x#y"><a:b/></f>'),
    ],
)
def test_attribute_without_equals_sign(document, expected):
    """R-039: it is missing, or white space or a colon is in its place."""
    found, log = repaired(document)
    assert found == expected
    assert {entry.code for entry in log} <= {"assumed-attribute", "attribute-without-value"}
    for size in (1, 2, 7):
        assert repaired(document, size) == (found, log)


@pytest.mark.parametrize(
    "document",
    [
        '<r>if a<b the "x" <c/></r>',  # the tag has no ">"
        '<r>if a<b and the "x"></r>',  # words are before it
        '<r>if a<b the "x"> and c</r>',  # text leads to fewer errors
        '<r>if a<b the"x"> and c</r>',
    ],
)
def test_quotes_in_text_are_no_values(document):
    """R-039: without a colon, it takes more than a word and quotes."""
    _, log = repaired(document)
    assert [entry.code for entry in log] == ["assumed-text"]


@pytest.mark.parametrize("way", LANES)
@pytest.mark.parametrize("sign", ",;")
def test_signs_between_attributes(sign, way):
    """R-044: a comma or semicolon after a value in quotes is dropped, with one entry for a tag."""
    records = f"""<p x='a > b'{sign} a="1"{sign} b="2{sign}"{sign}\n c=“3” {sign}d="4",/>""" * 3
    meant = f"""<p x="a > b" a="1" b="2{sign}" c="3" d="4"/>"""
    with lane(way):
        found, log = repaired(f"<r>{records}</r>")
        assert " ".join(found.split()) == f"<r>{meant * 3}</r>"
        assert [entry.code for entry in log] == ["assumed-attribute", "assumed-quotes"] * 3
        for size in (1, 2, 7, 100):
            assert repaired(f"<r>{records}</r>", size) == (found, log)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('<p a="1", b="2", c="3"/>', '<p a="1" b="2" c="3"/>'),
        ('<p a="1",b="2",/>', '<p a="1" b="2"/>'),
        ('<p a="1" ;></p>', '<p a="1"></p>'),
        ('<p id=="3"/>', '<p id="3"/>'),
        ("<p id= = '3' k ==\n'4'>x</p>", '<p id="3" k="4">x</p>'),
    ],
)
def test_signs_that_a_tag_has_too_many(written, meant):
    """R-044: separators of attributes, and an "=" written twice; in each lane."""
    expected = f"<r>{meant}<q/>{meant}</r>"
    for way in LANES:
        with lane(way):
            found, log = repaired(f"<r>{written}<q/>{written}</r>")
            assert (found, {(entry.code, entry.effect) for entry in log}) == (expected, {("assumed-attribute", "kept")})
            for size in (1, 2, 7):
                assert repaired(f"<r>{written}<q/>{written}</r>", size) == (found, log)
    with without("surplus"):
        assert repaired(f"<r>{written}</r>")[0] != f"<r>{meant}</r>"


@pytest.mark.parametrize(
    "document",
    ['<r><p a="1," b=",2"/></r>', "<r><p a=1,2 b==x c= =></p></r>", '<r><p ,a="1"/></r>', '<r><p a="1", b/></r>'],
)
def test_signs_that_nothing_explains(document):
    """R-044: in a value or without one before it, a comma stays; so does "=" before no quote."""
    assert "assumed-attribute" not in [entry.code for entry in repaired(document)[1]]
    assert repaired(document)[0] == draft(document)[0]


def test_opening_quote_doubled():
    """R-039: one of the two is dropped, unless the value may be empty."""
    check('<d x=""http://a/b" y="1">t</d>', '<d x="http://a/b" y="1">t</d>', "assumed-quotes")
    check("<d x=''a b'/>", '<d x="a b"/>', "assumed-quotes")
    for document in ('<d x="" y="1"/>', '<d x=""y="1"/>', '<d x=""y=""/>', '<d x=""y="" z=""/>', '<d x=""/>'):
        assert repaired(document) == draft(document)


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('k="more "of" this"', 'more "of" this'),
        ('k="12" monitor"', '12" monitor'),
        ('k="a 12" b" l="v"', 'a 12" b'),
        ('k="say "hi""', 'say "hi"'),
        ('k=""quoted" text" l="v"', '"quoted" text'),
        ('k="a?b=1 "x""/', 'a?b=1 "x"'),
        ('k="x""', "x"),
        *[('k=""x""', "x"), ('k="""x"""', "x"), ('k="""" l="v"', ""), ('k=""" l="v"', "")],
        ('k="x" ""', 'x" "'),
        ('k="' + '"x ' * 8 + '"', '"x ' * 8),
        ('k="a"' + "x" * 200 + '"', 'a"' + "x" * 200),
    ],
)
def test_quotes_within_a_value(written, meant, quote):
    """R-042: they are characters of the value, or those of the value written twice."""
    document = f"<r><i {written}>t</i></r>".replace("/>t</i>", "/>").replace('"', quote)
    root = xml5tree.fromstring(document)
    assert root[0].get("k") == meant.replace('"', quote)
    assert root[0].get("l", "v") == "v"
    assert [entry.code for entry in repaired(document)[1]] == ["assumed-quotes"]


@pytest.mark.parametrize(
    "tag",
    [
        '<i k="x" y l="z">',
        '<i k="x"l="z">',
        *['<i k="x" l"z">', '<i k="x" l "z">', '<i k="x" l "z" m="w">', "<i k='x' l 'z'>"],  # it rather lacks its "="
        *['<i k="x" l "y" m "z">', '<i k="1" l = "2" m "3" n="4">', '<i class="x" href "/y">'],
        '<i k="x" y>',
        '<i k="' + '"x ' * 9 + '">',
        '<i k="a"' + "x" * 201 + '">',
    ],
)
def test_no_quotes_within_a_value(tag):
    """R-042: an attribute follows, or the next quote is not the end of the value."""
    document = f"<r>{tag}t</i></r>"
    assert "assumed-quotes" not in {entry.code for entry in repaired(document)[1]}


def test_solidus_after_value_without_quotes():
    """R-019: it ends the tag, unless it seems to belong to the value."""
    check("<r><x a=b/><y/></r>", '<r><x a="b"/><y/></r>', "assumed-empty")
    check("<r><x a=b/c/>d</x></r>", '<r><x a="b/c/">d</x></r>')


def test_solidus_in_place_of_a_value():
    """R-019: it ends the tag, and the value is empty, unless an end tag follows."""
    check("<r><x a=/><y/></r>", '<r><x a=""/><y/></r>', "assumed-empty")
    check("<r><x a=1 b= /><y/></r>", '<r><x a="1" b=""/><y/></r>', "assumed-empty")
    check("<r><x a=/>b</x><y/></r>", '<r><x a="/">b</x><y/></r>')


def test_an_end_tag_of_a_longer_name_is_none_of_the_name():
    """R-019, R-020, R-024: nor does a tag of a longer name show that an element has begun."""
    check("<r><ab>1</ab><a h=x/y/><ab>1</ab></r>", '<r><ab>1</ab><a h="x/y"/><ab>1</ab></r>', "assumed-empty")
    document = "<l><item>\n    {}<t>a</t>\n    <{}/>\n    <ms>x</ms>\n  </m>\n</item></l>"
    for name in ("items", "i"):
        check(document.format("", name), document.format("<m>", name), "assumed-start-tag")
    document = "<r><a>x</a><a><![CDATA[y</ab>z"
    check(f"{document}</a></r>", f"{document}]]></a></r>", "assumed-end-of-section")


@pytest.mark.parametrize(
    ("filling", "rest"),
    [
        (32690, " h=b/>" + "z" * 200),
        (32668, '" " k=“v” \'zz\n]]>t'),
        (32740, '" b=\'1\'><c k="2"d'),
    ],
)
def test_pieces_change_nothing_where_a_window_ends_in_a_tag(filling, rest):
    """R-008: what is decided in a window does not depend on what follows it."""
    document = f'<r><a>t</a><a x="{"y" * filling}"{rest}</a></r>'
    whole = repaired(document)
    for size in (7, 1000, 16384, WINDOW, WINDOW + 20):
        assert repaired(document, size) == whole


def test_white_space_after_a_value_that_grows():
    """R-042: it is found however much longer than its source the repaired value is."""
    check('<a x="1"2"3" k=“v”>4</a>', '<a x="1&quot;2&quot;3" k="v">4</a>', "assumed-quotes", "assumed-quotes")
    assert "missing-whitespace-between-attributes" not in [entry.code for entry in repaired('<a x="1"2"3" k=“v”/>')[1]]
    entry = repaired('<a x=“1"2"3"4”y="1">x</a>')[1][1]
    assert (entry.code, entry.column) == ("missing-whitespace-between-attributes", 14)


# Sections (R-020) ---------------------------------------------------------------------------------------------------


def test_comment_not_closed():
    """R-020: it ends at the first ">", or before the first "<"."""
    check(
        "<r><t>a<!-- b</t><t>c<!-- d ->e</t></r>",
        "<r><t>a<!-- b--></t><t>c<!-- d -->e</t></r>",
        "assumed-end-of-section",
        "assumed-end-of-section",
    )


def test_comments_not_closed():
    """R-020: the end tag is after the second opening; or there is a third opening, and a tag before the second."""
    check(
        "<r><i>a<!-- b <j>c</j><!-- d </i></r>",
        "<r><i>a<!-- b --><j>c</j><!-- d --></i></r>",
        "assumed-end-of-section",
        "assumed-end-of-section",
    )
    check(
        f"<r><i>a</i><!-- b <i>c</i><!-- d <i>e</i><!-- f -->{'<i>g</i>' * 9}</r>",
        f"<r><i>a</i><!-- b --><i>c</i><!-- d <i>e</i><!- - f -->{'<i>g</i>' * 9}</r>",
        "assumed-end-of-section",
    )


@pytest.mark.parametrize(("opening", "closing"), [("<![CDATA[", "]]>"), ("<?b ", "?>")])
def test_sections_not_closed(opening, closing):
    """R-020: other sections end as comments do, but three openings of them show nothing."""
    _, log = repaired(f"<r><i>a{opening}b <j>c</j>{opening}d </i>{closing}</r>")
    assert [entry.code for entry in log if entry.code.startswith("assumed-")] == ["assumed-end-of-section"]
    section = f"{opening}b <j>c</j>{opening}d {opening}e {closing}"
    assert "assumed-end-of-section" not in [entry.code for entry in repaired(f"<r>{section}</r>")[1]]


@pytest.mark.parametrize("comment", ["<!-- b <i>c</i><!-- d -->", "<!-- b <!-- c <!-- d -->", "<!-- <i><!-- b --></i>"])
def test_comment_in_a_comment(comment):
    """R-020: it ends no open element, and lacks a third opening, or a tag before the second one."""
    _, log = repaired(f"<r>{comment}</r>")
    assert not [entry for entry in log if entry.code.startswith("assumed-")]


def test_comments_not_closed_far_from_what_shows_it():
    """R-020: what shows it is looked for in a window."""
    near, far = (f"<r><i>a<!-- b <!-- c {'x' * length}</i></r>" for length in (32_700, 33_000))
    codes = [[entry.code for entry in repaired(document)[1]] for document in (near, far)]
    assert codes == [
        ["assumed-end-of-section"] * 2,
        ["coerced-comment", "nested-comment", "eof-in-comment", "eof-in-element"],
    ]
    assert [repaired(document, 1000) for document in (near, far)] == [repaired(document) for document in (near, far)]


def test_cdata_section_not_closed():
    """R-020: it ends at "]>", or before the end tag of its element."""
    check(
        "<r><t>a<![CDATA[b</t><t>c<![CDATA[d]>e</t></r>",
        "<r><t>a<![CDATA[b]]></t><t>c<![CDATA[d]]>e</t></r>",
        "assumed-end-of-section",
        "assumed-end-of-section",
    )


def test_long_cdata_section_not_closed():
    """R-020: that two elements end in it shows it; the end tag of one may be part of a program."""
    items = "<item><t>a</t></item>" * 4000
    markup, log = repaired(f"<r><item><t><![CDATA[x</t></item>{items}</r>", 5000)
    assert markup == f"<r><item><t><![CDATA[x]]></t></item>{items}</r>"
    assert [entry.code for entry in log] == ["assumed-end-of-section"]
    document = f"<r><head><script><![CDATA[{'</script>' * 8000}]]></script></head></r>"
    assert repaired(document, 5000) == (document, [])


def test_instruction_not_closed():
    """R-020: it ends at the first ">", or before the first "<"."""
    check("<r><t>a<?php b >c</t></r>", "<r><t>a<?php b ?>c</t></r>", "assumed-end-of-section")


@pytest.mark.parametrize("document", ["<r>a<!-- b <t>c</t>", "<r>a<![CDATA[ b <t>c</t>", "<r>a<?b <t>c</t>"])
def test_no_evidence_against_a_section(document):
    """R-020, R-034: where nothing that is open ends in it, the document is cut off."""
    assert repaired(document)[0] == draft(document)[0]


@pytest.mark.parametrize("section", ["<!--", "<!-- b\nc -", "<?b", "<?b c ?"])
def test_section_after_the_root_in_which_the_document_ends(section):
    """R-020, R-034: without a bracket in it, the document is cut off there, as the draft says."""
    for size in (1, 4, 1000):
        markup, log = repaired(f"<a/>{section}", size)
        assert (markup, log) == draft(f"<a/>{section}")
        assert log.truncated


@pytest.mark.parametrize("comment", ["<!-- </b> <!-->", "<!--></b><!-->"])
def test_comment_that_ends_like_the_beginning_of_one(comment):
    """R-020: it may be well-formed, so it ends where the draft says; what is read ahead agrees."""
    for name in LANES:
        with lane(name):
            check(f"<r><b>y{comment}</b>< b>z</b></r>", f"<r><b>y{comment}</b><b>z</b></r>", "assumed-text")


@pytest.mark.parametrize("size", [1000, 1, 2, 3])
def test_instruction_that_ends_like_the_beginning_of_one(size):
    """R-020: "<?>" ends an instruction, in every piece and lane; what is read ahead agrees."""
    source, markup = "<r><b>y<?p </b> <?></b>< b>z</b></r>", "<r><b>y<?p </b> <?></b><b>z</b></r>"
    for name in LANES:
        with lane(name):
            check(source, markup, "assumed-text")
            repairer = xml5tree.Repairer(recovery="intent")
            pieces = [repairer.feed(source[index : index + size]) for index in range(0, len(source), size)]
            assert "".join(pieces) + repairer.close() == markup


def test_comment_that_has_markup():
    """R-020: a comment with its end is one, whatever is in it but the opening of another."""
    check("<r><t><!-- </t><t> --></t></r>", "<r><t><!-- </t><t> --></t></r>")


@pytest.mark.parametrize("way", LANES)
@each_case(
    "opening",
    one_in(
        2,
        [
            *("![cdata[", "![Cdata[", "! [CDATA[", "![ CDATA[", "! [\n cdata\t[", "![CDATA [", "!CDATA["),
            *("!cdata[", "![CDATA ", "![cdata\n"),
        ],
    ),
)
def test_cdata_section_with_a_misspelt_opening(opening, way):
    """R-043: it is a CDATA section if its end follows."""
    space = opening[7:] if opening[-1] in " \n" else ""
    with lane(way):
        for content in ("<p>x & y</p>", "x", "", "<!-- x", "a]] > b"):
            document = f"<r><i>1</i><{opening}{content}]]><b>2</b></r>"
            check(document, f"<r><i>1</i><![CDATA[{space}{content}]]><b>2</b></r>", "assumed-section")
            assert {entry.effect for entry in repaired(document)[1]} == {"kept"}


def test_no_cdata_section():
    """R-043: what may be something else, or whose end does not follow, is read as by the draft."""
    for document in (
        "<r><![cdata[x <b>1</b></r>",
        "<r><![cdata[x <b>1</b><![CDATA[y]]></r>",
        "<r><![cdata[x <b>1</b><![ cdata[y></r>",
        "<r><![CDATAx[x <b>1</b>]]></r>",
        "<r><![if !mso]>x<![endif]>]]></r>",
        "<r><!ELEMENT a (b)> <!CDATA x>]]></r>",
        "<![cdata[x]]><r/>",
        "<r><!",
        "<r><![cda",
    ):
        for size in (1, 3, 100):
            assert repaired(document, size) == draft(document)


def test_cdata_section_with_a_misspelt_opening_far_before_its_end():
    """R-043: as far as a CDATA section is searched for its end."""
    near, far = (f"<r><![cdata[{'x' * length}]]>y</r>" for length in (CDATA_REACH - 3, CDATA_REACH))
    for size in (1000, CDATA_REACH):
        assert repaired(near, size)[0] == near.replace("cdata", "CDATA")
        assert repaired(far, size) == draft(far)


@pytest.mark.parametrize("way", LANES)
@each_case("opening", ["<!-", "<! --", "<!\n--"])
def test_comment_with_a_misspelt_opening(opening, way):
    """R-043: it is a comment if its end follows, before that of an element around it."""
    with lane(way):
        for document in (
            "<r><a>1</a>{} <b>2</b> --><c/></r>",
            "{} <b>2</b> --><r/>",
            "<r>{}x--></r>",
            "<r>{} <r>--></r>",
        ):
            check(document.format(opening), document.format("<!--"), "assumed-section")
        for document in (
            "<r><a>x {} y<b>1</b></a><a>b --> c</a></r>",
            "<r>{}> x --></r>",
            "<r>{}-> x --></r>",
            "<r>{} <b>1</b></r>",
            "<r>{} a> <!- b",
        ):
            markup, log = repaired(document.format(opening))
            assert "assumed-section" not in [entry.code for entry in log]
            for size in (1, 3, 100):
                assert repaired(document.format(opening), size) == (markup, log)


def test_effect_of_a_comment_with_a_misspelt_opening():
    """R-043: its content is moved, or lost in a tree without comments."""
    document = "<r><!- <b>2</b> --></r>"
    [entry] = repaired(document)[1]
    assert entry.effect == "moved"
    parser = xml5tree.XMLParser(recovery="intent", backend="etree")
    xml5tree.fromstring(document, parser=parser)
    assert [entry.effect for entry in parser.error_log] == ["lost"]


# Tree construction (R-021 to R-027, R-033) --------------------------------------------------------------------------


def test_end_tags_crossed():
    """R-021: the draft's reading has no more errors than any other."""
    document = "<r><b><i>ab</b></i></r>"
    assert repaired(document)[0] == draft(document)[0]


def test_end_tags_crossed_around_an_empty_tag():
    """R-005, R-021: behind that, the other end tag is an error of its own, when readings are compared, too."""
    document = "<r><b>x<i>x<q/><a>x</a></b><q/></i></r>"
    check(document, "<r><b>x</b><i>x<q/><a>x</a><q/></i></r>", "assumed-end-before")


def test_end_tag_of_another_name():
    """R-021, R-022: an end tag that is meant for the current element."""
    items = "<item><t>a</t><l>b</l></item>" * 3
    check(
        f"<r>{items}<item><t>a</t><l>b</t></item>{items}</r>",
        f"<r>{items}<item><t>a</t><l>b</l></item>{items}</r>",
        "assumed-end-tag",
    )


@pytest.mark.parametrize("number", [0, 4, 9])
@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("<item>", ["rss", "channel"]),
        ("<title>x", ["rss", "channel", "item"]),
        ("<enclosure/>", ["rss", "channel", "title", "author"]),
        ("<name>y", ["rss", "channel", "item", "author"]),
        ("</author>", ["rss", "channel", "name"]),
    ],
)
def test_stray_end_tag_of_any_element(place, names, number):
    """R-005, R-021: it is ignored, and no element is taken to end before it, though all before it is new."""
    item = "<item><title>x</title><enclosure/><author><name>y</name></author></item>"
    begin, end = "<rss><channel><title>z</title>", "</channel></rss>"
    for name in names:
        broken = item.replace(place, f"{place}</{name}>")
        document = f"{begin}{item * number}{broken}{item * (9 - number)}{end}"
        assert repaired(document)[0] == f"{begin}{item * 10}{end}"


@pytest.mark.parametrize("number", [0, 4, 9])
@pytest.mark.parametrize("name", ["rss", "channel", "item"])
def test_end_tag_with_the_name_of_an_outer_element(name, number):
    """R-005, R-021: it is meant for the current element, and no element is taken to end before it."""
    item = "<item><title>x</title><link>y</link></item>"
    begin, end = "<rss><channel><title>z</title>", "</channel></rss>"
    document = f"{begin}{item * number}{item.replace('</title>', f'</{name}>')}{item * (9 - number)}{end}"
    assert repaired(document)[0] == f"{begin}{item * 10}{end}"


@pytest.mark.parametrize("odd", ["</×>", "</ >"])
def test_end_tag_without_a_name_ahead(odd):
    """R-004: it ends nothing, so it is no reason to doubt the tags before it."""
    before, after = "<t>b</t><i><t>a", "b</t></i></c></r>"
    kept = "" if odd == "</×>" else odd.replace("<", "&lt;")
    check(f"<r>{before}{odd}{after}", f"<r><c>{before}{kept}{after}", "assumed-start-tag")


def test_new_names_after_an_end_tag_of_the_root():
    """R-005, R-021: new pairs of parent and child are no reason to end the root, after which none are counted."""
    rest = "".join(f"<n{number}>a</n{number}>" for number in range(40))
    check(f"<r><t>a</r>{rest}</r>", f"<r><t>a</t>{rest}</r>", "assumed-end-tag")


def test_end_tag_of_the_root_too_early_with_only_text_after_it():
    """R-021: it ends the root only if no further end tag of the root follows."""
    check("<r><a><b>x</r>y</b>z</a></r>", "<r><a><b>xy</b>z</a></r>", "assumed-stray-end-tag")
    check("<r><a>x</r>y</r>", "<r><a>x</a>y</r>", "assumed-end-tag")
    document = "<r><a><b>x</r>y</b>z</a>"
    assert repaired(document)[0] == draft(document)[0]


def test_end_tag_with_the_name_of_the_parent_that_is_longer():
    """R-021, R-037: the end tag has the wrong name, not the start tag."""
    document = "<r><items><item><t>a</t></items></items></r>"
    check(document, document.replace("</items>", "</item>", 1), "assumed-end-tag")


def test_end_tag_that_closes_many():
    """R-021: it is not ignored only because that spares some of the errors of what it closes."""
    rest = "<x>b</x>" * 9000
    document = f'<r><v><a n="1"><l type="ru"></v>{rest}</r>'
    markup, log = repaired(document)
    assert markup == f'<r><v><a n="1"><l type="ru"></l></a></v>{rest}</r>'
    assert [entry.code for entry in log] == ["mismatched-end-tag"]


def test_end_tag_misspelt():
    """R-022, R-002: the entry says what was assumed, and against what."""
    document = f"<r><item>a</itm>{'<item>b</item>' * 5}</r>"
    check(document, f"<r><item>a</item>{'<item>b</item>' * 5}</r>", "assumed-end-tag")
    [entry] = repaired(document)[1]
    assert entry.message == "</itm> was taken for </item> (one error instead of 2)"
    assert (entry.line, entry.column, entry.offset) == (1, 10, 10)


def test_end_tag_that_belongs_to_nothing():
    """R-022: it is ignored where the right one follows."""
    check("<r><t>a</b></t><t>c</t></r>", "<r><t>a</t><t>c</t></r>")


@pytest.mark.parametrize(
    ("names", "ended"), [("", "</entry>"), ("i", "</entry>"), ("ijk", "</entry>"), ("ijkm", "</m>")]
)
def test_end_tag_misspelt_of_an_outer_element(names, ended):
    """R-022: the element is the current one or one of the three around it; else the end tag is the current one's."""
    start = f"<feed><entry>{''.join(f'<{name}>' for name in names)}a"
    markup = f"{start}{''.join(f'</{name}>' for name in reversed(names))}</entry></feed>"
    check(f"{start}</entri></feed>", markup, "assumed-end-tag")
    assert f"was taken for {ended} " in repaired(f"{start}</entri></feed>")[1][0].message


def test_end_tag_misspelt_of_a_record():
    """R-022: the record ends although two elements in it lack their end tags."""
    entry = "<entry><t>a</t><l>b</l></entry>" * 3
    document = f"<feed>{entry}<entry><t>a</t><l>b</l><m><n>c</entri>{entry}</feed>"
    check(document, document.replace("</entri>", "</n></m></entry>"), "assumed-end-tag")


@pytest.mark.parametrize(
    ("document", "markup", "codes"),
    [
        # A slip costs 0.8, to ignore the end tag 1: the same errors follow both.
        ("<r><item>a</itm>", "<r><item>a</item></r>", ["assumed-end-tag", "eof-in-element"]),
        # A name that no start tag had costs 1.1: then the end tag is ignored.
        ("<r><item>a</xyz>", "<r><item>a</item></r>", ["unmatched-end-tag", "eof-in-element"]),
        # Two new pairs, text and `c` in `item`, cost 0.2 each; then the name costs 1.1, or 1.5 if a start tag had it.
        ("<r>x<c/><item><d/></xyz>x<c/>", "<r>x<c/><item><d/></item>x<c/></r>", ["assumed-end-tag", "eof-in-element"]),
        ("<r>x<c/><item><d/></c>x<c/>", "<r>x<c/><item><d/>x<c/></item></r>", ["unmatched-end-tag", "eof-in-element"]),
    ],
)
def test_costs_of_an_end_tag_of_no_open_element(document, markup, codes):
    """R-022: where the same errors follow all readings, the costs of these decide."""
    found, log = repaired(document)
    assert (found, [entry.code for entry in log]) == (markup, codes)


def test_end_tag_that_belongs_to_nothing_does_not_end_the_root():
    """R-022: it would cost what follows, however many errors are in that."""
    entries = "<entry><id>b</id></entry>" * 3
    document = f"<feed><id>a</id></div></content></entry>{entries}</feed>"
    check(document, f"<feed><id>a</id>{entries}</feed>")
    check("<feed><id>a</id></fed>", "<feed><id>a</id></feed>", "assumed-end-tag")


@pytest.mark.parametrize("document", ["<a>x</a> text </b> more", "<a>x</a>y</roots>z", "x</b>y"])
def test_no_end_tag_ends_the_element_around_all_roots(document):
    """R-022: text after it was lost."""
    markup = xml5tree.repair(document, roots="all", recovery="intent")
    assert markup == xml5tree.repair(document, roots="all", recovery="draft")


@pytest.mark.parametrize(
    ("document", "expected", "codes"),
    [
        ("<d>a</d><e>b</e></f>", None, ["unmatched-end-tag"]),
        ("<e/><e>a</e><e>b</e></e>", None, ["unmatched-end-tag"]),
        ("<e/>a</e><e>b</e>", "<e>a</e><e>b</e>", ["assumed-start-tag"]),
        ("<f/><e>a</e><e>b</e></f>", "<f><e>a</e><e>b</e></f>", ["assumed-start-tag"]),
    ],
)
def test_first_of_all_roots(document, expected, codes):
    """R-024, R-036: it is no error that there are elements after it."""
    for name in LANES:
        with lane(name):
            repairer = xml5tree.Repairer(roots="all", recovery="intent")
            markup = repairer.feed(document) + repairer.close()
        assert markup == xml5tree.repair(expected or document, roots="all", recovery="draft")
        assert [entry.code for entry in repairer.error_log] == codes


def test_end_tag_missing():
    """R-023: an element that has not been in the current one is not put there where that leads to errors."""
    check(
        "<r><i><t>a<l>b</l></i><i><t>c</t><l>d</l></i></r>",
        "<r><i><t>a</t><l>b</l></i><i><t>c</t><l>d</l></i></r>",
        "assumed-end-before",
    )


def test_end_tag_of_record_missing():
    """R-023: records do not nest."""
    item = "<item><t>a</t></item>"
    check(
        f"<r>{item}<item><t>b</t>{item}{item}</r>",
        f"<r>{item}<item><t>b</t></item>{item}{item}</r>",
        "assumed-end-before",
    )


def test_end_tag_of_first_record_missing():
    """R-023: what no later record has is in the first, whose end tag may be missing before the next one."""
    record = "<item><t>a</t><by>b</by><l>c</l>"
    others = "<item><t>d</t></item><item><t>e</t><d>f</d></item>"
    check(f"<r>{record}{others}</r>", f"<r>{record}</item>{others}</r>", "assumed-end-before")


def test_end_tag_of_each_record_missing_after_a_new_name():
    """R-023, R-008: to find out that another record follows takes little of the budget."""
    record = "<rec><a>x</a><b>y</b>"
    document = f"<r>{(record + '</rec>') * 20}{''.join(f'{record}<new{number}/>' for number in range(800))}</r>"
    assert len(xml5tree.fromstring(document)) == 820


def test_end_tag_without_solidus():
    """R-023: a start tag where an end tag should be."""
    item = "<item><t>a</t></item>"
    check(
        f"<r>{item}<item><t>b</t><item>{item}{item}</r>",
        f"<r>{item}<item><t>b</t></item>{item}{item}</r>",
        "assumed-end-tag",
    )


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        # any number of end tags left out in a row
        ("<r><item>1<item>2<item>3</r>", "<r><item>1</item><item>2</item><item>3</item></r>"),
        ("<list><item>pear<item></list>", "<list><item>pear</item></list>"),
        (
            "<ul>\n<li>tea</li>\n<li>milk\n<li>cake\n<li>bread</li>\n</ul>",
            "<ul>\n<li>tea</li>\n<li>milk\n</li><li>cake\n</li><li>bread</li>\n</ul>",
        ),
        # an element that such elements have had, and their parent not
        (
            "<r><i><a>1</a></i><i><a>2</a><i><a>3</a></i></r>",
            "<r><i><a>1</a></i><i><a>2</a></i><i><a>3</a></i></r>",
        ),
        # in an element that is not the innermost
        (
            "<b>\n<s><p>x\n<s><p>y<br>z\n<s><p>u\n</b>",
            "<b>\n<s><p>x\n</p></s><s><p>y<br/>z\n</p></s><s><p>u\n</p></s></b>",
        ),
    ],
)
def test_end_tags_left_out_in_a_row(document, expected):
    """R-023: a start tag ends elements of its name, or is an end tag, as what follows it says."""
    for name in LANES:
        with lane(name):
            assert repaired(document)[0] == expected


def test_solidus_forgotten():
    """R-023: indentation shows it."""
    document = "<p>\n  <a/>\n  <b>\n  <c/>\n</p>"
    check(document, "<p>\n  <a/>\n  <b>\n  </b><c/>\n</p>", "assumed-end-before")
    with without("indent"):
        assert repaired(document) == draft(document)


def test_recursion_is_no_fault():
    """R-006: where what follows has no error, elements may come anywhere."""
    document = "<r><s>a</s><s>b<s>c</s></s><s><t><s/></t></s></r>"
    check(document, document)


def test_start_tag_missing():
    """R-024: before an element, or before text."""
    check(
        "<r><i><t>a</t><u/></i><t>b</t><u/></i></r>",
        "<r><i><t>a</t><u/></i><i><t>b</t><u/></i></r>",
        "assumed-start-tag",
    )
    item = "<i><g>a</g><t>b</t></i>"
    check(
        f"<r>{item}<i>c</g><t>d</t></i>{item}</r>", f"<r>{item}<i><g>c</g><t>d</t></i>{item}</r>", "assumed-start-tag"
    )


@pytest.mark.parametrize(("between", "is_found"), [("c", True), ("d", False)])
def test_start_tag_missing_of_one_element_among_many(between, is_found):
    """R-024: three elements are thought of, those that came first."""
    shown = "".join(f"<{name}><s/><t>1</t></{name}>" for name in "abcde")
    document = f"<r>{shown}<u/><t>2</t></{between}></r>"
    root = xml5tree.fromstring(document, recovery="intent")
    assert [child.tag for child in root] == ["a", "b", "c", "d", "e", "u", between if is_found else "t"]


RECORDS = [f"<item><title>{number}</title><link/></item>" for number in range(4)]


@pytest.mark.parametrize("end", ["</x>", "</br>", "</div >"])
def test_end_tag_without_start_tag_last_in_a_record(end):
    """R-024: no element is around several leaves of different names."""
    document = "<r><a>1</a><b/><c>2</c>{}</r>"
    check(document.format(end), document.format(""))
    for children in ("<a>1</a>", "<a>1</a><a>2</a>", "<a>1</a><b><c/></b>"):
        check(f"<r>{children}</x></r>", f"<r><x>{children}</x></r>", "assumed-start-tag")


@pytest.mark.parametrize("head", ["", "<title>x</title><link/>", "<title>x</title><p>y</p>"])
@pytest.mark.parametrize("between", ["", "\n"])
@pytest.mark.parametrize("number", range(4))
def test_start_tag_missing_of_a_record(head, between, number):
    """R-024: another record that begins alike follows, or came before."""
    first, last = between.join(RECORDS[:number]), between.join(RECORDS[number + 1 :])
    document = f"<list>{head}{first}{between}{{}}{RECORDS[number].removeprefix('<item>')}{between}{last}</list>"
    check(document.format(""), document.format("<item>"), "assumed-start-tag")


def test_start_tag_missing_of_a_record_with_repeated_children():
    """R-024: the next record has as many children of the name."""
    document = "<r><i>0</i><b/>{}<i>2</i><i>3</i></a><a><i>4</i><i>5</i></a></r>"
    check(document.format(""), document.format("<a>"), "assumed-start-tag")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        # the end tag is there twice, and a record comes before it
        ("<r><t>x</t><i><t>a</t></i></i><i><t>b</t></i></r>", "<r><t>x</t><i><t>a</t></i><i><t>b</t></i></r>"),
        # the start tag is there, with another name
        (
            "<r><s><p>x</p></s><l><i><p>a</p></i><s><p>b</p></i><i><p>c</p></i></l></r>",
            "<r><s><p>x</p></s><l><i><p>a</p></i><s><p>b</p></s><i><p>c</p></i></l></r>",
        ),
    ],
)
def test_no_start_tag_missing_of_a_record(document, expected):
    """R-024: the end tag that lacks a start tag has another explanation."""
    assert repaired(document)[0] == expected


def test_start_tag_of_root_missing():
    """R-024: the last end tag says what the root element was."""
    check("<i>a</i><i>b</i></r>", "<r><i>a</i><i>b</i></r>", "assumed-start-tag")
    check("<i/><i/></r>", "<r><i/><i/></r>", "assumed-start-tag")


def test_start_tag_of_root_missing_where_much_is_new():
    """R-024: that the rest of the document is new does not count against keeping it."""
    rest = "<h><a>b</a></h><b>" + "".join(f"<c{i}>d</c{i}>" for i in range(40)) + "</b>"
    check(f"{rest}</e>", f"<e>{rest}</e>", "assumed-start-tag")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<a><b>1</b><b>2</b></a><c>x</d></d>", "<a><b>1</b><b>2</b></a>"),
        ("<a><b>1</b></a><c/></d>", "<d><a><b>1</b></a><c/></d>"),  # no error with that root
        ("<a><b>1</b></a><c/><c/><e>x</f></d>", "<d><a><b>1</b></a><c/><c/><e>x</e></d>"),  # more elements follow
    ],
)
def test_start_tag_of_root_missing_after_a_whole_document(document, expected):
    """R-024: it is less likely if the first element ends rightly, and has most of the elements."""
    assert repaired(document)[0] == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<request><a>1</a></REQUEST></REQUEST>", "<request><a>1</a></request>"),
        ("<Request><a>1</a></request></request>", "<Request><a>1</a></Request>"),
        ("<request><a>1</a></REQUEST></b>", "<request><a>1</a></request>"),  # as with </request>
        ("<request/><a>1</a></REQUEST>", "<request><a>1</a></request>"),
        ("<list>1</list><a>2</a></List>", "<List><list>1</list><a>2</a></List>"),  # which <list> has an end tag
    ],
)
def test_end_tag_of_root_in_another_case(document, expected):
    """R-024: it is the end tag of the first element, whose name stands."""
    assert repaired(document)[0] == expected


def test_start_tag_missing_of_what_ends_last():
    """R-024: the end tag before that of the parent says what is missing."""
    check(
        "<rss><t>a</t><item><t>b</t></item></channel></rss>",
        "<rss><channel><t>a</t><item><t>b</t></item></channel></rss>",
        "assumed-start-tag",
    )
    check(
        "<e>\n <h>a</h>\n  <i>b</i>\n </g>\n</e>",
        "<e>\n <h>a</h>\n  <g><i>b</i>\n </g>\n</e>",
        "assumed-start-tag",
    )


@pytest.mark.parametrize(
    "document",
    [
        "<e>\n <h>a</h>\n <i>b</i>\n </g>\n</e>",  # no farther in than the end tag
        "<e>\n <h>a</h>\n  <i>b</g></i>\n</e>",  # not the last one
        "<e>\n  <i>a</i>\n  <i>b</g>\n</e>",  # on no line of its own
        "<e><i>a</i></i></e>",  # of the name of the tag
        '<e><i>a</i></g n="1"></e>',  # no name alone
        "<e><g>a</g><h><i><j>b</j></g></h></e>",  # of a name that was elsewhere
        "<e><i>a</i><j>b</g></e>",  # where an element is open that it may be the end tag of
        "<e><i>a</i><i>b</g></e>",
    ],
)
def test_end_tag_that_says_nothing_of_a_start_tag(document):
    """R-024: it is not the last in the parent, or what it would be around is not clear."""
    _, log = repaired(document)
    assert "assumed-start-tag" not in [entry.code for entry in log]


def test_a_value_in_the_name_of_the_first_tag():
    """R-038: errors in what is put in have a place, be it nearer to the beginning than what is put in is long."""
    check('<a=b c="">d</a>', '<a name="b" c="">d</a>', "assumed-attribute")
    check('\r\n<a=b c=""></a>', '\r\n<a name="b" c=""></a>', "assumed-attribute")


def test_start_tag_missing_around_a_sibling():
    """R-024: a tag in the column of the child before it is no child of something that is missing."""
    record = " <s>\n  <s>\n   <t>a</t>\n   <p>b</p>\n  </s>\n  <p>c</p>\n </s>\n"
    document = f"<r>\n{record} <s>\n  <t>d</t>\n  <u/>\n  <p>e</p>\n </s>\n </s>\n{record}</r>"
    _, log = repaired(document)
    assert "assumed-start-tag" not in [entry.code for entry in log]


def test_start_tag_twice():
    """R-025: one of them is dropped."""
    check('<r><i k="1"><i k="1">a</i><u/></r>', '<r><i k="1">a</i><u/></r>', "assumed-twice")


def test_start_tag_of_root_twice():
    """R-025: only the end of the document shows it."""
    check('<r><r><c i="1"/><c i="2"/></r>', '<r><c i="1"/><c i="2"/></r>', "assumed-twice")
    document = "<r><r><c/></r><c/></r>"
    check(document, document)


@pytest.mark.parametrize(
    "names", ["<g><t/></g><r><r/></r>", "<g><t/></g><r><r></r></r>", "<g><t/></g><x><x><x>a</x></x></x>"]
)
def test_start_tag_twice_where_nothing_is_wrong(names):
    """R-025: that elements which had no content have some now is no error, at the end of the document, too."""
    document = f"<r><b>{names}{'<t><b><t/></b></t>' * 4}</b></r>"
    check(document, document)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<r>\n<u>\n<u>\n<u>\n<u>\n<u>\n</r>", "<r>\n<u/>\n<u/>\n<u/>\n<u/>\n<u>\n</u></r>"),
        ('<r><u a="1"><u a="1"><u a="1"><v/></r>', '<r><u a="1"/><u a="1"/><u a="1"></u><v/></r>'),
        ("<r><u><u><u>x</u></r>", "<r><u><u>x</u></u></r>"),  # an end tag follows: one of them is a repetition
    ],
)
def test_start_tag_three_times(document, expected):
    """R-025: without an end tag, they are empty tags; with one, a start tag is dropped once only."""
    for name in LANES:
        with lane(name):
            assert repaired(document)[0] == expected


def test_start_tag_twice_is_lost():
    """R-025: the log says of the tag that it is not in the tree."""
    _, log = repaired("<r><b><b>x</b></r>")
    assert [(entry.code, entry.effect) for entry in log] == [("assumed-twice", "lost")]


def test_start_tag_twice_far_from_its_end():
    """R-025, R-027: the evidence is out of reach."""
    item = '<item n="1"><t>a</t></item>\n'
    markup, log = repaired(f'<r>{item * 9}<item n="2"><item n="2"><t>b</t></item>{item * 4000}</r>')
    assert markup == f'<r>{item * 9}<item n="2"><t>b</t></item>{item * 4000}</r>'
    assert [entry.code for entry in log] == ["assumed-twice"]


def test_empty_tag_without_solidus():
    """R-026: elements that never had content, and those of HTML."""
    check("<r>a<br>b<br>c</r>", "<r>a<br/>b<br/>c</r>", "assumed-empty", "assumed-empty")
    check("<r><e/>a<e>b</r>", "<r><e/>a<e/>b</r>", "assumed-empty")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ('<r><a><img src="x"><s>1</s></a></r>', '<r><a><img src="x"/><s>1</s></a></r>'),
        ("<r><f><img><c>1</c></f><f><img><c>2</c></f></r>", "<r><f><img/><c>1</c></f><f><img/><c>2</c></f></r>"),
        ("<r><link>/a</link><link>/b</link><link>/c</r>", "<r><link>/a</link><link>/b</link><link>/c</link></r>"),
    ],
)
def test_elements_of_html_without_an_end_tag(document, expected):
    """R-026: what follows is no part of them, unless the window has their end tag."""
    for name in LANES:
        with lane(name):
            assert repaired(document)[0] == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ('<link rel="a"><link rel="b"/><a>x</a><a>y</a>', '<link rel="a"/><link rel="b"/><a>x</a><a>y</a>'),
        ("<p>a</p><img><!-- b --><img>", "<p>a</p><img/><!-- b --><img/>"),
        ("<link>a</link><p>b</p>", "<link>a</link><p>b</p>"),
    ],
)
def test_elements_of_html_without_an_end_tag_among_many_roots(document, expected):
    """R-026: the first tag is doubted, too."""
    for name in LANES:
        with lane(name):
            markup = xml5tree.repair(document, roots="all", recovery="intent")
            assert markup == xml5tree.repair(expected, roots="all", recovery="draft")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<r><i>a</i><i/>b</i></r>", "<r><i>a</i><i>b</i></r>"),
        ("<r><i n='1'/><t/>b</i></r>", '<r><i n="1"><t/>b</i></r>'),  # the first one of its name
        ("<r/><i>a</i><i>b</i></r>", "<r><i>a</i><i>b</i></r>"),
        ("<r><i>a</i><i/><i/>b</i></r>", None),  # there are empty ones
        ("<r><i>a</i><s><i/></s>b</i></r>", None),  # it is that of another element
        ("<r><i>a<i/>b</i></i></r>", None),  # elements of one name within each other may be empty
        ("<r><i>q</i><s><i>a<i/>b</i><i>c</i></i></s></r>", None),
        ("<r><i></i><i/>b</i></r>", None),  # no element of its name had content
        (f"<r><i>a</i><i/>{'<t/>' * 399}</i></r>", f"<r><i>a</i><i>{'<t/>' * 399}</i></r>"),
        (f"<r><i>a</i><i/>{'<t/>' * 400}</i></r>", None),  # the end tag is too far
        (f"<r><i>a</i><i/>{'<i>a</i>' * 6000}<i/>b</i></r>", None),  # an empty one is in a run without errors
        ("<r><i>a</i><i/></r>", None),
    ],
)
def test_empty_tags_that_were_meant_to_be_start_tags(document, expected):
    """R-036: the end tag of the element shows it."""
    markup, log = repaired(document)
    assert ["taken for a start tag" in entry.message for entry in log].count(True) == (expected is not None)
    if expected is not None:
        assert markup == expected
        assert len(log) == 1
    with without("filled"):
        assert not any("taken for a start tag" in entry.message for entry in repaired(document)[1])


def test_start_tag_with_an_end_tag_of_its_own():
    """R-037: its name is right, though an end tag in the wrong place has a name that is nearly the same."""
    items = "<item>b</item>" * 3
    check(f"<r><items><item>a</item></item>{items}</items></r>", f"<r><items><item>a</item>{items}</items></r>")


@pytest.mark.parametrize("way", LANES)
def test_short_names_after_a_prefix_are_not_near(way):
    """R-007: a prefix that both have makes them no longer, so that no slip makes one of the other."""
    word = '<w:body xmlns:w="w"><w:p><w:r><w:rPr><w:b/>{}</w:rPr><w:t>b</w:t></w:r></w:p></w:body>'
    names = '<r xmlns:x="x"><x:b>1</x:b><x:i>2</x:{}><x:u>3</x:u></r>'
    with lane(way):
        check(word.format("</w:p>"), word.format(""), "assumed-stray-end-tag")
        check(names.format("u"), names.format("i"), "assumed-end-tag")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<r><item>a</item><itm n='1'>b</item></r>", '<r><item>a</item><item n="1">b</item></r>'),
        ("<r><a:item>a</a:item><item>b</a:item></r>", "<r><a:item>a</a:item><a:item>b</a:item></r>"),
        ("<r><item>a</item><Item>b<i/></item></r>", "<r><item>a</item><item>b<i/></item></r>"),
        ("<r><itm n='1'>b</item><item>a</item></r>", '<r><item n="1">b</item><item>a</item></r>'),  # as others show
        ("<r><Item>b</item></r>", "<r><item>b</item></r>"),  # as the case of the parent's name shows
        ("<R><item>b</Item></R>", "<R><Item>b</Item></R>"),
        ("<r><item>b</Item></r>", None),
        ("<r><ITEM>b</item></r>", "<r><item>b</item></r>"),
        ("<Order><name>b</NAME></Order>", None),  # the parent's name shows one capital
        ("<kml><Icon><href>b</HREF></Icon></kml>", None),
        ("<TEI><text>b</TEXT></TEI>", None),  # an abbreviation shows nothing
        ("<Head><STYLE>b</Style></Head>", None),
        ("<Order><name>b</NAME><NAME>c</NAME></Order>", "<Order><NAME>b</NAME><NAME>c</NAME></Order>"),
        ("<r><itm>b</item></r>", None),  # either name may be the one that is meant
        ("<r><itm>b</item><itm/><item/></r>", None),
        ("<r><a:item>b</item><item>a</item></r>", None),  # a prefix is rather forgotten
        ("<r><item>a</item><items>b</items></r>", None),  # nothing is wrong
        ("<r><item>a</item><items><item>b</items></r>", None),
        ("<r><item>a</item><link>b</item></r>", None),  # the names are not near
        ("<r><item>a</item><s><items>b</items></s><items>b</item></r>", None),  # its name is not new
        (f"<r><item>a</item><itm>{'<t/>' * 399}</item></r>", f"<r><item>a</item><item>{'<t/>' * 399}</item></r>"),
        ("<r><item>a</item><itm n='1'/>b</item></r>", '<r><item>a</item><item n="1">b</item></r>'),  # with R-036
        ("<r><itm/>b</item><item>a</item></r>", "<r><item>b</item><item>a</item></r>"),
        ("<r><item>a</item><itm/><item>b</item></r>", None),  # nothing is wrong
        ("<r><item>a</item><itm/><itm/>b</item></r>", None),  # empty elements have that name
        ("<r><item>a</item><link/>b</item></r>", None),  # the names are not near
        (f"<r><item>a</item><itm>{'<t/>' * 400}</item></r>", None),
    ],
)
def test_start_tags_with_wrong_names(document, expected):
    """R-037: a name that is new gives way to that of the end tag."""
    markup, log = repaired(document)
    codes = [entry.code for entry in log]
    assert ("assumed-name" in codes) == (expected is not None)
    if expected is not None:
        assert markup.replace(' xmlns:a="urn:x-undeclared-prefix:a"', "") == expected
        assert codes.count("assumed-name") == 1
    with without("startname"):
        assert "assumed-name" not in [entry.code for entry in repaired(document)[1]]


def test_record_within_record_far_from_its_end():
    """R-027: the evidence is out of reach."""
    item = "<item><t>a</t></item>\n"
    document = f"<r>{item * 9}<item><t>b</t>{item * 4000}</r>"
    assert len(document) > 80_000
    markup, log = repaired(document)
    assert markup == f"<r>{item * 9}<item><t>b</t></item>{item * 4000}</r>"
    assert [entry.code for entry in log] == ["assumed-end-before"]


def test_record_within_record_where_an_element_may_be_missing():
    """R-027: that its columns are unlike those of others is no evidence of a fault but its place."""
    record = "\n <p>\n  <i>\n   <p>\n    <x/>\n   </p>\n  </i>\n </p>"
    rest = f"    <p>{'<x/>' * 10_000}</p>"
    markup, log = repaired(f"<r>{record * 9}\n <p>\n  <x/>\n{rest}\n</r>", 1000)
    assert markup == f"<r>{record * 9}\n <p>\n  <x/>\n    </p>{rest.strip()}\n</r>"
    assert [entry.code for entry in log] == ["assumed-end-before"]


@pytest.mark.parametrize("inner", ["<item n='1'>\n<t>a</t>\n</item>\n<item n='2'>\n</item>\n", "<item>\n</item>\n"])
def test_record_within_record(inner):
    """R-027: its end tag is in the window, so that no other reading is without errors, whatever the columns say."""
    item = "<item>\n<t>a</t>\n</item>\n"
    document = f"<r>\n{item * 9}<item>\n{inner}<t>b</t>\n</item>\n{item * 4000}</r>"
    assert repaired(document, 1000) == (document, [])
    document = f"<r>\n{item * 9}<item>\n{inner}<t>b</t>\n</item>\n</r>"
    assert repaired(document, 1000) == (document, [])


@pytest.mark.parametrize("count", [60, 600])
def test_end_tags_of_records_missing(count):
    """R-027: a record is not put into another one because the same is wrong with one that follows."""
    records = [
        f'<part n="{i}"><label>a {i}</label><size w="7"/><cost>1</cost><note>b</note></part>' for i in range(count)
    ]
    broken = [record.removesuffix("</part>") if i % 20 == 10 else record for i, record in enumerate(records)]
    markup, log = repaired("<r>\n" + "\n".join(broken) + "\n</r>")
    assert len(xml5tree.fromstring(markup)) == count
    assert {entry.code for entry in log} == {"assumed-end-before"}


#: Which of some records lack their end tags.
UNENDED = {
    "the first": lambda number: number == 0,
    "the second": lambda number: number == 1,
    "the first two": lambda number: number < 2,
    "every second": lambda number: number % 2 == 0,
    "all": lambda number: True,
    "all after ten": lambda number: number >= 10,
}
#: Records without their end tags. Some have texts only, or children that others lack.
KINDS_OF_RECORDS = {
    "items": lambda i: f"<item><title>t{i}</title><link>l{i}</link>" + "<category>c</category>" * (i % 3),
    "entries": lambda i: f'<item><title>t{i}</title><link href="{i}"/><author><name>n</name></author>',
    "rows": lambda i: "<item>" + f"<c>{i}</c>" * 8,
    "indented": lambda i: f"\n  <item>\n    <title>t{i}</title>\n    <link>l{i}</link>\n  ",
    "texts": lambda i: f"<item>text {i}, and more of it, as articles have ",
}


def read_records_that_lack_their_end_tags(count, unended, kind):
    """Read a document of so many records, which all have to be apart; its length."""
    make = KINDS_OF_RECORDS[kind]
    items = "".join([make(i) + ("" if UNENDED[unended](i) else "</item>") for i in range(count)])
    document = f"<rss><channel><title>x</title>{items}</channel></rss>"
    [channel] = xml5tree.fromstring(document)
    assert len(channel.findall("item")) == count
    assert not channel.findall("item/item")
    return len(document)


@pytest.mark.parametrize("count", [12, 300])
@each_case("unended, kind", one_in(2, product(UNENDED, KINDS_OF_RECORDS)))
def test_records_that_lack_their_end_tags(count, unended, kind):
    """R-041: from the first record on, wherever the evidence is."""
    read_records_that_lack_their_end_tags(count, unended, kind)


@each_case(
    "unended, kind",
    one_in(2, [pair for number, pair in enumerate(product(UNENDED, KINDS_OF_RECORDS)) if number % 2 == 0]),
)
def test_records_that_lack_their_end_tags_where_the_last_are_far(unended, kind):
    """R-041: every second pair is enough, which is each of both with some of the others."""
    with window_of(WINDOW // 4):
        count = FAR_WINDOW // 4 // len(KINDS_OF_RECORDS[kind](1000)) + 250
        assert read_records_that_lack_their_end_tags(count, unended, kind) > FAR_WINDOW // 4


def test_sections_in_chapters_far_from_a_fault():
    """R-041: that an element of the name ends which contains others speaks for all that seem to."""
    section = "<section><t>a</t><p>b</p></section>"
    chapter = f"<section><t>c</t>{section * 300}</section>"
    document = f"<book>{section}{chapter * 6}</book>"
    place = document.find("</section>", 5000)
    _, log = repaired(document[:place] + document[place + len("</section>") :])
    assert len(log) == 1


def test_sections_within_sections_after_some_that_were_not_ended():
    """R-041: an end tag that is too many ends what was assumed of the name."""
    section = "<section><t>a</t><p>b</p></section>"
    nested = f"<section><t>a</t><p>b</p>{section * 2}</section>"
    unended = section.removesuffix("</section>")
    _, log = repaired(f"<book>{unended * 3}{section * 2600}{nested * 30}</book>")
    assert [entry.code for entry in log].count("assumed-end-before") <= 4


def test_records_in_a_document_without_end_tags():
    """R-041: at the end of the document, only its being cut off is an error; but no end tag is seen, either."""
    records = "<item>a<b/>" * 100
    assert len(xml5tree.fromstring(f"<r><list>{records}")[0]) == 100


@pytest.mark.parametrize(("count", "codes"), [(63, []), (64, ["assumed-end-before"])])
def test_many_records_in_a_record_without_an_error(count, codes):
    """R-041: so many start tags of the name follow in the longer window."""
    item = "<item><t>a</t></item>"
    document = f"<r>{item}<item><t>b</t>{item * count}<item><t>{'x' * 270_000}</t></item></item></r>"
    found = [entry.code for entry in repaired(document)[1]]
    assert [code for code in found if code.startswith("assumed-")] == codes


@pytest.mark.parametrize(
    ("count", "doubled"),
    one_in(2, [*product([30, 900], ["the first", "the second", "every second"]), (12_000, "the second")]),
)
def test_start_tags_of_records_twice(count, doubled):
    """R-041: from the second record on, wherever the evidence is; of the first, where the end of all is near."""
    items = "".join(
        [("<item>" if UNENDED[doubled](i) else "") + f"<item><t>{i}</t><l>b</l></item>" for i in range(count)]
    )
    [channel] = xml5tree.fromstring(f"<rss><channel><title>x</title>{items}</channel></rss>")
    assert len(channel.findall("item")) == count
    assert not channel.findall("item/item")


@pytest.mark.parametrize("place", [1, 3, 20])
@pytest.mark.parametrize(
    ("slip", "code"),
    [
        (lambda record: record.replace("</row>", "<row>"), "assumed-end-tag"),
        (lambda record: record.replace("<row>", "<ow>"), "assumed-end-tag"),
    ],
    ids=["end tag without a solidus", "start tag misspelt"],
)
@pytest.mark.parametrize("count", one_in(2, [3000, 12_000]))
def test_slip_in_one_record_of_many(count, slip, code, place):
    """R-022, R-023: the end of the document, which shows the error, is far."""
    records = [f"<row><c>{i}</c><d>x</d></row>" for i in range(count)]
    records[place] = slip(records[place])
    document = f"<r><table><head>x</head>{''.join(records)}</table></r>"
    [table] = xml5tree.fromstring(document)
    assert len(table) == count + 1
    assert [entry.code for entry in repaired(document)[1]] == [code]


@pytest.mark.parametrize("unended", one_in(2, UNENDED))
def test_records_that_lack_their_end_tags_in_chunks_and_lanes(unended):
    items = "".join([KINDS_OF_RECORDS["items"](i) + ("" if UNENDED[unended](i) else "</item>") for i in range(150)])
    document = f"<rss><channel><title>x</title>{items}</channel></rss>"
    assert len(document) > WINDOW // 4
    results = []
    for name in LANES:
        with lane(name), window_of(WINDOW // 4):
            results += [repaired(document), repaired(document, 300)]
    assert results[1:] == results[:-1]


def test_records_in_a_record():
    """R-041: as the end tag of the outer one shows, though it is beyond the window, and something else is wrong."""
    item = "<item><title>t</title><link>l</link></item>"
    document = f"<r><item><title>t</title><link>l</link>{item * 1200}</item>{item * 20}<a>&</a></r>"
    markup, log = repaired(document)
    assert markup == document.replace("&", "&amp;")
    assert len(log) == 1
    section = "<section><title>t</title><p>x</p></section>"
    chapter = f"<section><title>t</title><p>x</p>{section * 9}</section>"
    document = f"<r><book>{section * 4}{chapter * 800}</book><a>&</a></r>"
    assert repaired(document)[0] == document.replace("&", "&amp;")
    with without("far"):
        unended = f"<r><item><title>t</title><link>l</link>{item * 1200}</r>"
        assert [entry.code for entry in repaired(unended)[1]] == ["mismatched-end-tag"]


def test_start_tag_twice_in_more_than_one_record():
    """R-025, R-027: with attributes, even in the first records."""
    items = [f'<i n="{number}"><t>a</t></i>' for number in range(9)]
    broken = [f'<i n="{number}">{item}' if number in {0, 3, 4} else item for number, item in enumerate(items)]
    markup, log = repaired(f"<r>{''.join(broken)}</r>")
    assert markup == f"<r>{''.join(items)}</r>"
    assert [entry.code for entry in log] == ["assumed-twice"] * 3


def test_children_of_what_had_text_only():
    """R-027: an element whose name always had text only lacks its end tag, though others lack theirs, too."""
    record = "<i><t>a</t><l>b</l></i>"
    check(
        f"<r>{record}<i><t>a<l>b</l></i><i><t>a<l>b</l></i></r>",
        f"<r>{record}<i><t>a</t><l>b</l></i><i><t>a</t><l>b</l></i></r>",
        "assumed-end-before",
        "assumed-end-before",
    )


def test_what_was_doubtful_before_is_not_unlike():
    """R-027: where elements of a name are within each other by doubtful choices, that says nothing."""
    folder = "<f><l>a</l></f>"
    deep = f"<f><l>b</l><f><l>c</l>{folder * 9}</f></f>"
    document = f"<r>{deep}{deep}<f><l>d</l>{folder}{folder}</r>"
    _, log = repaired(document)
    assert [entry.code for entry in log] == ["mismatched-end-tag"]


#: Outlines; "|" is where an end tag may be missing.
OUTLINES = {
    "as its parent": " <n>\n  <n>\n  |<n/>\n </n>\n",
    "as its parent, with text": " <n>\n  <n>x\n  |<n>y</n>\n </n>\n",
    "left of its parent": " <n>\n  <n>\n   <n>z\n   </n>\n ||<n k='1'/>\n",
    "not as its siblings": " <n>\n  <n>\n   <n/>\n   <n/>\n  |<n/>\n </n>\n",
    "with attributes": " <n k='a'>\n\t\t<n k='b'>\n\t\t|<n k='c'>\n\t\t\t<n/></n>\n </n>\n",
    "in a long document": f" <n>\n  <n>\n  |<n/>\n </n>\n{' <n><n>x</n></n>' * 150}\n",
}


def outline(lines):
    return f"<r>\n <n>\n  <n/>\n </n>\n{lines}</r>"


@pytest.mark.parametrize("lines", OUTLINES.values(), ids=OUTLINES)
def test_end_tag_missing_between_elements_of_one_name(lines):
    """R-035: the columns of the tags say which element is not closed."""
    document = outline(lines)
    check(document.replace("|", ""), document.replace("|", "</n>"), "assumed-end-before")
    with without("recursion"):
        assert repaired(document.replace("|", ""))[0] == draft(document.replace("|", ""))[0]


@pytest.mark.parametrize(
    "document",
    [
        outline(OUTLINES["as its parent"]).replace("\n ", "\n").replace("\n ", "\n"),  # not indented at all
        outline(OUTLINES["as its parent"]).replace("\n", "\n" + 255 * " "),  # too far
        outline(OUTLINES["as its parent"]).replace("  |<n", "<!-- -->|<n"),  # not the first on its line
        f"<n>{outline(OUTLINES['as its parent'])[9:]}".replace(" <n>", "<n>").replace("</r>", "</n>"),
    ],
)
def test_columns_that_say_nothing(document):
    """R-035: elements are read as the draft reads them."""
    document = document.replace("|", "")
    assert repaired(document)[0] == draft(document)[0]


def test_columns_of_a_document_without_errors():
    """R-006: they may be as they like."""
    document = outline("<n>\n   <n>\n <n>\n    <n/>\n<n/></n>\n     </n>\n    <n/></n>")
    check(document, document)


def test_root_ended_too_early():
    """R-033: children of the root follow, and its end tag again."""
    check("<r><i>a</i></r><i>b</i><i>c</i></r>", "<r><i>a</i><i>b</i><i>c</i></r>", "assumed-stray-end-tag")


@pytest.mark.parametrize(
    ("head", "between", "count"),
    one_in(7, product(["", "<title>x</title>"], ["", "\n", "<!-- x -->", "<?x?>"], [1, 30, 300])),
)
def test_end_tag_of_a_container_too_early(head, between, count):
    """R-033: children that it had follow, and its end tag again, be it far away."""
    item = "<item><title>a</title><link>b</link></item>"
    document = f"<rss><list>{head}{item}{item}{{}}{between}{item * count}{'x' * 20 * count}</list></rss>"
    for name in LANES:
        with lane(name):
            assert repaired(document.format("</list>"))[0] == document.format("")
    check(document.format("</list>"), document.format(""), "assumed-stray-end-tag")


@pytest.mark.parametrize(
    "document",
    [
        "<r><l><i>1</i></l><i>2</i></r>",
        "<r><l><i>1</i></l><l><i>2</i></l><i>3</i></l></r>",  # it has been completed
        "<r><l><i>1</i></l><i>2</i></l><l><i>3</i></l></r>",  # further elements of the name follow
        "<r><l><i>1</i></l><j>2</j></l></r>",
    ],
)
def test_end_tag_of_a_container_in_its_place(document):
    """R-033: nothing shows that it is too early."""
    _, log = repaired(document)
    assert "assumed-stray-end-tag" not in [entry.code for entry in log]


@pytest.mark.parametrize(
    ("ends", "count"),
    [
        *[("</r></r>", 2), ("</r></r></r>", 3), ("</r></q></r>", 2)],
        *[("</>", 1), ("</></>", 2), ("</></r>", 2), ("</r></>", 2), ("</r></q></>", 2)],
    ],
)
def test_root_ended_too_early_and_often(ends, count):
    """R-033: none of the end tags before the child ends the root element."""
    meant = "<r><i>a</i><i>b</i><i>c</i></r>"
    check(f"<r><i>a</i>{ends}<i>b</i><i>c</i></r>", meant, *["assumed-stray-end-tag"] * count)


def test_root_ended_too_early_by_a_short_end_tag():
    """R-002, R-033: what the draft reports of an end tag without a name is not reported of one that is ignored."""
    document = "<r><i>a</></><i>b</><i>c</></>"
    for name in LANES:
        with lane(name):
            markup, log = repaired(document)
            assert markup == "<r><i>a</i><i>b</i><i>c</i></r>"
            assert [entry.offset for entry in log if entry.code == "missing-end-tag-name"] == [7, 17, 24, 27]
            assert [entry.offset for entry in log if entry.code != "missing-end-tag-name"] == [10]


def test_short_end_tags_between_roots():
    """R-033: where there may be any number of roots, it ends the root."""
    document = "</><r><i>a</i></></><i>b</i><i>c</i>"
    roots = xml5tree.fromstrings(document)
    assert [(root.tag, len(root)) for root in roots] == [("r", 1), ("i", 0), ("i", 0)]


def test_end_tag_of_the_first_text_missing():
    """R-023: three children directly after one another are not in an element with text before them."""
    check("<r><t>a<u>b</u><v>c</v><w/></r>", "<r><t>a</t><u>b</u><v>c</v><w/></r>", "assumed-end-before")
    for document in ("<r><p>a<u>b</u><v>c</v></r>", "<r><p>a<u>b</u><v>c</v>d<w/></r>"):
        assert repaired(document)[0] == draft(document)[0]


def test_child_at_the_beginning_of_a_paragraph_without_end_tag():
    """R-027: it is in the paragraph though those before had text only, as the next one begins in time."""
    document = "<r><p>a</p><p><b>b</b>\n<p><b>c</b> d</p>\n<p>e</p></r>"
    check(document, document.replace("</b>\n", "</b>\n</p>"), "assumed-end-before")


def test_roots_that_have_begun():
    """R-023: where there may be any number of roots, none ends before its first child."""
    assert xml5tree.repair("<r><a><b><c/></r></a></r><d/></b></a></r>", roots="all").count("<r>") == 1
    (root, *_) = xml5tree.fromstrings("<r><a><a><b></r></a></r><d/></b></a></r>")
    assert len(root) == 1


@pytest.mark.parametrize("end", ["", "<item>", "<item><t>a"])
def test_few_records_in_a_document_that_is_cut_off(end):
    """R-027: three records are enough if others like them follow."""
    record = "<item><t>a</t><l>b</l></item>"
    document = f"<r>{record * 3}{record.removesuffix('</item>')}{record * 2}{end}"
    for name in LANES:
        with lane(name):
            assert [len(item) for item in xml5tree.fromstring(document)][:6] == [2] * 6
    nested = f"<r>{record * 3}{record.removesuffix('</item>')}{record}"
    assert repaired(nested)[0] == draft(nested)[0]


def test_child_that_its_parents_end_tag_ends():
    """R-027: it is in its parent, even if a CDATA section hides what follows."""
    record = "<item><title>a</title><link>b</link><d>c</d></item>"
    broken, hidden = record.replace("a<", "a <b>c<"), record.replace(">b", "><![CDATA[b")
    meant = broken.replace("</t", "</b></t") + record + hidden.replace("b<", "b]]><") + record
    markup, log = repaired(f"<r>{record}{broken}{record}{hidden}{record}</r>")
    assert markup == f"<r>{record}{meant}</r>"
    assert [entry.code for entry in log] == ["mismatched-end-tag", "assumed-end-of-section"]


def test_start_tag_misspelt_in_a_later_element():
    """R-005: the end tag there is that start tag's, so that what comes before is no end tag of another name."""
    item = "<item><b>a</b> c</item>"
    document = f"<r>{item}{item.replace(' c', ' <b>c')}{item}{item.replace('<item', '<itm')}<p><i>1</i></p></r>"
    meant = f"<r>{item}{item.replace(' c', ' <b>c</b>')}{item * 2}<p><i>1</i></p></r>"
    check(document, meant, "assumed-name")


def test_first_child_in_a_document_without_indentation():
    """R-023: its column says nothing where its parent is no farther in than the element around."""
    document = "<r>\n<h>\n<t>a</t>\n<u>b</u>\n<h>\n<b>\n<p>c</p>\n</b>\n</r>"
    check(document, document.replace("</u>\n<h>", "</u>\n</h>"), "assumed-end-tag")


@pytest.mark.parametrize("tag", ["<who>", "</who>"])
@pytest.mark.parametrize("every", [5, 10, 40])
def test_same_fault_in_many_records_of_a_list_within_the_root(tag, every):
    """R-023, R-024: the next fault of the kind has no part in the choice."""
    record = "<item><who><name>a</name><mail>b</mail></who><sum>c</sum></item>\n"
    records = [record.replace(tag, "") if number % every == every - 1 else record for number in range(120)]
    document = f"<shop><list>\n{''.join(records)}</list></shop>"
    assert repaired(document)[0] == f"<shop><list>\n{record * 120}</list></shop>"


def test_last_end_tag_of_a_start_tag_that_is_broken():
    """R-012, R-013, R-024, R-038: the start tag is not missing."""
    document = "<o><head><t>a</t></head><body<p>b</p></body></o>"
    check(document, document.replace("<body", "<body>"), "assumed-end-of-tag")
    check(document.replace("<body", "< body>"), document.replace("<body", "<body>"), "assumed-text")
    check(document.replace("<p>b</p>", "b"), "<o><head><t>a</t></head><body>b</body></o>", "assumed-end-of-tag")
    call = '<re><thinking></thinking><answer g=""></answer><tool{}="q"><arg k=""></arg><arg k=""></arg></tool></re>'
    check(call.format("name"), call.format(" name"), "assumed-attribute")
    check(call.format(""), call.format(" name"), "assumed-attribute")


def test_last_end_tag_in_the_column_of_the_parent():
    """R-024: no start tag is missing, as an element would not be farther in than its parent."""
    document = "<r>\n  <i>\n    <t>x</t>\n    <p>y</p>\n  </xyz></i>\n</r>"
    check(document, document.replace("</xyz>", ""))


def test_end_tag_with_content_in_its_name():
    """R-022: no tree has that content."""
    for tag in ("</bx='Q'>", "</![CDATA[Q]]>", "</b,Q>", "</b](Q)>"):
        _, log = repaired(f"<r><b>t{tag}</r>")
        assert [(entry.code, entry.effect) for entry in log] == [("assumed-end-tag", "lost")]
    _, log = repaired("<r><b>t</b,></r>")  # a slip of the keyboard
    assert [entry.effect for entry in log] == ["moved"]


def test_end_tag_of_a_longer_name():
    """R-023, R-024: it is no end tag of a shorter one that it begins with, nor is one that the window cuts off."""
    for text, has_it in [("<a></items></item>", True), ("<a></items></item", False)]:
        assert EndTags().has("item", Window(text, 0, len(text), at_end=True)) is has_it


def test_start_tag_missing_in_the_first_column():
    """R-024: columns say nothing where no element is farther in than its parent."""
    records = [f"<item>\n<t>{i}</t>\n<l>b</l>\n</item>" for i in range(10)]
    records[5] = records[5].replace("<item>\n", "")
    document = "<r>\n" + "\n".join(records) + "\n</r>"
    assert [element.tag for element in xml5tree.fromstring(document)] == ["item"] * 10


@pytest.mark.parametrize(("count", "between"), one_in(3, product([1, 5, 100], ["", "\n"])))
def test_records_after_the_root(between, count):
    """R-033: the element of the root that they are in goes on, even if no end tags come again."""
    item = "<item><t>a</t></item>"
    document = f"<rss><channel><t>x</t>{item * 3}{{}}{between}{item * count}</channel></rss>"
    for ends in ("</channel></rss>", f"</channel>{between}</rss>", "</></>"):
        meant = document.format(between if between in ends else "")
        for name in LANES:
            with lane(name):
                assert repaired(document.format(ends))[0] == meant
        check(document.format(ends), meant, "assumed-stray-end-tag", "assumed-stray-end-tag")
    if count > 1:
        cut = document.format("</channel></rss>").removesuffix("</channel></rss>")
        assert repaired(cut)[0] == document.format("")


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("cut", ["", "\n  <item>", "\n  <item>\n    <t>x"])
def test_first_end_tag_missing_in_a_document_that_is_cut_off(count, cut):
    """R-027: columns tell that the next element is beside the first one."""
    first = "\n  <item>\n    <t>x</t>\n    <l>y</l>"
    others = f"{first}\n  </item>" * count
    _, log = repaired(f"<r>{first}{others}{cut}")
    assert [entry.code for entry in log if entry.code.startswith("assumed-")] == ["assumed-end-before"]
    root = xml5tree.fromstring(f"<r>{first}{others}{cut}")
    assert [element.tag for element in root] == ["item"] * (1 + count + bool(cut))


def test_elements_in_their_like_in_a_document_that_is_cut_off():
    """R-027: they are farther in, or no columns tell anything."""
    inner = "<s>\n{0}<t>b</t>\n{0}<p>y</p>\n"
    for outer, inside in (("", ""), (" ", "  ")):
        document = f"<r>\n{outer}{inner.format(outer)}{inside}{inner.format(inside + outer)}{inside}</s>\n"
        assert repaired(document)[0] == draft(document)[0]


def test_root_after_the_root():
    """R-033: a second document is none of the elements that go on."""
    document = "<rss><channel><t>x</t></channel></rss><rss><channel><t>x</t></channel></rss>"
    assert repaired(document)[0] == draft(document)[0]


def test_root_ended_too_early_before_a_new_child():
    """R-033: the document's last tag is another end tag of the root."""
    check("<r></r><a/><b/></r>", "<r><a/><b/></r>", "assumed-stray-end-tag")
    check("<r><t>a</t></r><i><t>b</t></i></r>", "<r><t>a</t><i><t>b</t></i></r>", "assumed-stray-end-tag")
    for document in (
        "<r><t>a</t></r><i>b</i>",
        "<r><t>a</t></r><i>b</i></r></i>",
        "<r><t>a</t></r><r><t>a</t></r></r>",
    ):
        assert repaired(document)[0] == draft(document)[0]


@pytest.mark.parametrize("end", ["</r>", "</>"])
@pytest.mark.parametrize("after", ["<r/>", "<script>b</script>", "", "</>", "</r>", "<!--c-->"])
def test_root_ended(end, after):
    """R-033: anything else after the root is dropped, as the draft says."""
    document = f"<r><i>a</i>{end}{after}"
    (markup, log), (expected, expected_log) = repaired(document), draft(document)
    assert (markup, [str(entry) for entry in log]) == (expected, [str(entry) for entry in expected_log])


# Where documents begin and end (R-028, R-030, R-034) ----------------------------------------------------------------


def test_junk_before_the_document():
    """R-028: messages in HTML."""
    feed = "<rss><item>a</item></rss>"
    markup, log = repaired(f"<b>Warning</b>: no such file<br>\n{feed}")
    assert markup == "<rss><item>a</item></rss>"
    [entry] = log
    assert (entry.code, entry.effect, entry.offset) == ("assumed-junk", "lost", 0)
    check(f"<br />\n<b>Warning</b>: x<br />\n<?xml version='1.0'?>{feed}", feed, "assumed-junk")


@pytest.mark.parametrize("before", ["From: <a@example.org>\n\n", "See <http://example.org/a> and <b@c.d>:\n"])
def test_addresses_before_the_document(before):
    """R-028: what no name has shows that it is none; but not where there is an end tag."""
    check(f"{before}<a><b>c</b></a>", "<a><b>c</b></a>", "assumed-junk")
    check("<a@b>c</a@b>", "<aU000040b>c</aU000040b>")
    check("<a@b c='d'/>", '<aU000040b c="d"/>')


@pytest.mark.parametrize(
    ("document", "is_dropped"),
    [
        ("<p>Some text</p><div>More</div><p>text</p>", False),
        ("<p>PHP Notice: undefined x</p><feed/>", True),
        ("<b>x failed</b> in <b>a.php</b> on line <b>7</b><feed/>", True),
        ("<p>Error 503</p><feed/>", True),
        ("<p>Errors and what to do about them</p><feed/>", False),
        ("<p>a</p><?xml version='1.0'?><feed/>", True),
        ("<p>a</p><!DOCTYPE feed><feed/>", True),
        ("<p>a</p>\n<feed><a>b</a><c>d</c></feed>\n", True),  # one element that is longer
        ("<p>a</p>\n<feed><a>b</a><c>d</c></feed>e", False),  # but does not end the document
        ("<p>a</p>\n<feed><a>b</a></feed><feed><c>d</c></feed>", False),  # or is not alone
        ("<p>a, which is longer</p>\n<feed></feed>", False),
        (f"<p>a</p>\n<feed>{'<a>b</a>' * 5000}</feed>", True),  # or whose end is out of reach
        (f"<p>a</p>\n<feed/>{'<a>b</a>' * 5000}", False),
    ],
)
def test_elements_of_html_before_the_document(document, is_dropped):
    """R-028: they are dropped on evidence only, and never where there may be any number of roots."""
    _, log = repaired(document)
    assert ("assumed-junk" in [entry.code for entry in log]) == is_dropped
    if is_dropped:
        effect = "kept" if "<?" in document or "<!" in document else "lost"  # what precedes a declaration is no content
        assert (log[0].code, log[0].effect) == ("assumed-junk", effect)
    parser = xml5tree.XMLParser(roots="all", recovery="intent")
    xml5tree.fromstring(document, parser=parser)
    assert "assumed-junk" not in [entry.code for entry in parser.error_log]


@pytest.mark.parametrize("tag", ["<r[t x:y='>'>", "<mailto;x y=1>", "<e(r) y=1>"])
@pytest.mark.parametrize("form", [str, str.encode])
def test_first_tag_of_a_name_that_none_can_have(tag, form):
    """R-028: it is junk, also where a run could begin with it."""
    root = xml5tree.fromstring(form(f"{tag}<a>b</a>"))
    assert root.tag == "a"


def test_root_with_a_solidus_too_many_is_no_junk():
    """R-028 and R-036: what ends the document is its root."""
    check('<i k="1"/><j>a</j><j>b</j></i>', '<i k="1"><j>a</j><j>b</j></i>', "assumed-start-tag")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<r>John <john@example.org> wrote</r>", "<r>John &lt;john@example.org> wrote</r>"),
        ("<r><a@b.c> and <a@b.c></r>", "<r>&lt;a@b.c> and &lt;a@b.c></r>"),
        ("<r><a@b>c</a@b></r>", "<r><aU000040b>c</aU000040b></r>"),
    ],
)
def test_addresses_in_text(document, expected):
    """R-014: an address in brackets is text, unless there is an end tag of it."""
    for name in LANES:
        with lane(name):
            assert repaired(document)[0] == expected
    markup = xml5tree.repair(f"{document[3:-4]} <x/>", roots="all", recovery="intent")
    expected = f"{expected[3:-4].replace('U000040', '@')} <x/>"
    assert markup == xml5tree.repair(expected, roots="all", recovery="draft")


@pytest.mark.parametrize(
    "document",
    [
        "<p>a<a>b</a></p>",
        "<link><a>b</a></link>",
        "<br><a>b</a></br>",
        "<code><![CDATA[<?xml version='1.0'?>]]><a/></code>",
        "<b><!-- <!DOCTYPE a> --></b>",
    ],
)
def test_elements_of_html_as_root(document):
    """R-028: what is well-formed has no junk."""
    check(document, document)


def test_declaration_without_its_question_mark():
    """R-040: it is no element."""
    check('<xml version="1.0" encoding="UTF-8"?>\n<r><a>1</a></r>', "\n<r><a>1</a></r>", "assumed-declaration")
    for document in ('<xml version="1.0"><a/></xml>', "<r><xml version='1.0'?>a</xml></r>", "<xmlversion='1.0'?>"):
        _, log = repaired(document)
        assert "assumed-declaration" not in [entry.code for entry in log]


@pytest.mark.parametrize("lane_name", LANES)
def test_declaration_with_space_after_its_question_mark(lane_name):
    """R-040: it is no comment."""
    code = "assumed-declaration"
    with lane(lane_name):
        check('<? xml version="1.0" encoding="UTF-8"?>\n<r><a>1</a></r>', "\n<r><a>1</a></r>", code)
        check("<!--c--><?\n xml\tversion = '1.0' ?><!DOCTYPE r><r/>", "<!--c--><!DOCTYPE r><r/>", code)
    for document in (
        "<? xml version='1.0' <r/>",  # it has no end
        "<? xml-stylesheet version='1.0'?><r/>",
        "<? xml?><r/>",
        "<? xmlversion='1.0'?><r/>",
        "<r><? xml version='1.0'?></r>",
        "<r/><? xml version='1.0'?>",
        "<?xml version='1.0'><r/>",  # the draft's (D-014)
    ):
        _, log = repaired(document)
        assert code not in [entry.code for entry in log]


@pytest.mark.parametrize(
    ("document", "expected", "unfinished"),
    [
        ('<r><a/><a x="1"', '<r><a/><a x="1"></a></r>', None),
        ('<r><a/><b x="1"/', '<r><a/><b x="1"/></r>', None),
        ("<r><a/><a", "<r><a/><a></a></r>", None),
        ('<r><a/><b x="1" y="2', '<r><a/><b x="1"></b></r>', "'y=\"2' in <b>"),
        ('<r><a/><b x="1" y', '<r><a/><b x="1"></b></r>', "'y' in <b>"),
        ("<r><a/><b x=1", "<r><a/><b></b></r>", "'x=1' in <b>"),
        ("<r><a/><b ", "<r><a/></r>", "<b"),
        ('<package version="3.0" prefix="cal', '<package version="3.0"></package>', "'prefix=\"cal' in <package>"),
        ("<pack", "<pack></pack>", None),
    ],
)
def test_start_tag_that_the_document_ends_in(document, expected, unfinished):
    """R-030: what was cut off is dropped, and the element kept."""
    check(document, expected, *(["assumed-unfinished-tag"] if unfinished else []))
    _, log = repaired(document)
    assert log.truncated
    if unfinished:
        assert (log[0].effect, log[0].message.partition(" was dropped")[0]) == ("lost", unfinished)


@pytest.mark.parametrize("before", ["", "a ", "<answer>x</answer> b ", "<r>a</r>"])
@pytest.mark.parametrize("rest", ["", " ", " la", ' lang="ja'])
@pytest.mark.parametrize("names", [{"answer", "r"}, {"{*}answer", "r"}])
def test_start_tag_of_a_known_name_that_the_document_ends_in(before, rest, names):
    """R-030: the option `elements` knows the name, whether or not the document has shown it."""
    document = f"{before}<answer{rest}"
    for size in (1, len(document)):
        repairer = xml5tree.Repairer(recovery="intent", elements=names, roots="all")
        markup = "".join(map(repairer.feed, chunks(document, size))) + repairer.close()
        assert markup.endswith("<answer></answer></xml5tree:roots>")
        assert repairer.error_log.truncated
        assert repairer.error_log[0].code == ("assumed-unfinished-tag" if rest.strip() else "eof-in-tag")


def test_start_tag_that_the_document_ends_in_after_a_repair():
    """R-030 with R-018: what was repaired before stays."""
    codes = "assumed-quotes", "assumed-unfinished-tag"
    check("<r><b x=“1” y", '<r><b x="1"></b></r>', *codes)
    check("<r><b x=“1”", '<r><b x="1"></b></r>', codes[0])


def test_reference_without_semicolon():
    """R-031: names of HTML that need none."""
    check(
        "<r t='&copy 1'>&amp x &copy y &lt=3 &copyx &foo</r>",
        '<r t="© 1">&amp; x © y &amp;lt=3 &amp;copyx &amp;foo</r>',
        "assumed-reference",
        "assumed-reference",
        "assumed-reference",
    )


@pytest.mark.parametrize("lane_name", LANES)
def test_typographic_reference_without_semicolon(lane_name):
    """R-031: names to which HTML gives a semicolon, if they are unlikely to be anything else."""
    with lane(lane_name):
        check("<r>&ldquo Hello &rdquo &mdash x</r>", "<r>“ Hello ” — x</r>", *["assumed-reference"] * 3)
        check("<r a='l&rsquo x'>b&hellip</r>", '<r a="l’ x">b…</r>', *["assumed-reference"] * 2)
        check("<r>&mdash= &mdashx</r>", "<r>&amp;mdash= &amp;mdashx</r>")
        check("<r>&ldquo; a&larr b&hellip, c</r>", "<r>“ a← b…, c</r>", *["assumed-reference"] * 2)


@pytest.mark.parametrize("name", ["image", "target", "alpha", "trade", "bull", "euro", "hearts", "order"])
@pytest.mark.parametrize("lane_name", LANES)
def test_words_that_are_names_of_html(name, lane_name):
    """R-031: programs and prose have these, too."""
    with lane(lane_name):
        check(f"<r>auto &{name} = x, a&{name} b</r>", f"<r>auto &amp;{name} = x, a&amp;{name} b</r>")


def test_reference_without_semicolon_and_names_of_xml():
    """R-031: `entities="xml"` has no names of HTML."""
    repairer = xml5tree.Repairer(recovery="intent", entities="xml")
    markup = repairer.feed("<r>&amp a &copy b &mdash c</r>") + repairer.close()
    assert markup == "<r>&amp; a &amp;copy b &amp;mdash c</r>"


def test_cut_off():
    """R-034: nothing is invented."""
    document = "<r><i><t>a</t><u>b</u></i><i><t>c</t><u"
    assert repaired(document)[0] == draft(document)[0]


# All of them --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        "<r/>",
        "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e '<b>c</b>'>]><r>a&e;</r>\n<!-- b -->",
        "<r><a/><b>c<d/>e</b><a>f</a><b><a/></b></r>",
        "<r><br>a</br><hr>b<hr/></hr></r>",
        "<r><item><item><item/>a</item></item></r>",
        "<r a='b>c' d = \"e>f\" ><![CDATA[</r>]]><?g </r>?><!--</r>--></r>",
        "<r><a>\n  <b/>\n <c/>\n    <b/>\n</a></r>",
        "<r><\u200cb c='d'>e</\u200cb><\u3001/><\u212e>f</\u212e></r>",  # names that begin with no letter
    ],
)
def test_well_formed_documents(document):
    """I2: the draft's reading, and nothing in the log that it has not."""
    expected = draft(document)
    for size in (1, 5, None):
        assert repaired(document, size) == expected


def test_entities_are_read_as_the_draft_reads_them():
    """R-001: nothing departs in the replacement text of an entity."""
    document = "<!DOCTYPE r [<!ENTITY e '<b>1<2</c><br>'>]><r>&e;</r>"
    assert repaired(document)[0] == draft(document)[0]


def test_all_doors():
    """R-001: functions, parsers, drop-ins, SAX and files take the option."""
    import io
    from xml.sax import ContentHandler

    import xml5tree.ElementTree
    import xml5tree.sax
    from xml5tree.lxml import etree

    document = "<r><item>a</itm><item>b</item></r>"
    expected = ["item", "item"]
    for root in (
        xml5tree.fromstring(document, recovery="intent"),
        xml5tree.fromstring(document, backend="lxml", recovery="intent"),
        xml5tree.ElementTree.fromstring(document, recovery="intent"),
        etree.fromstring(document, etree.XMLParser(recovery="intent")),
        xml5tree.parse(io.StringIO(document), recovery="intent").getroot(),
        xml5tree.fromstring(xml5tree.open(io.BytesIO(document.encode()), recovery="intent").read()),
    ):
        assert [child.tag for child in root] == expected
    ended = [element.tag for _, element in xml5tree.iterparse(io.BytesIO(document.encode()), recovery="intent")]
    assert ended == ["item", "item", "r"]
    found = xml5tree.records(io.BytesIO(document.encode()), "item", recovery="intent")
    assert [record.element.text for record in found] == ["a", "b"]

    class Depth(ContentHandler):
        deepest = depth = 0

        def startElement(self, name, attributes):
            self.depth += 1
            self.deepest = max(self.deepest, self.depth)

        def endElement(self, name):
            self.depth -= 1

    handler = Depth()
    parser = xml5tree.sax.SAXParser(recovery="intent")
    parser.setContentHandler(handler)
    parser.feed(document)
    parser.close()
    assert handler.deepest == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recovery": "guess"}, 'recovery must be "intent", "draft" or "strict"'),
        ({"recovery": "strict", "dialect": "html"}, "every document is HTML, whatever its errors"),
    ],
)
def test_wrong_use(options, message):
    with pytest.raises(ValueError, match=message):
        xml5tree.fromstring("<r/>", **options)


def test_is_imported_only_when_asked_for():
    """The draft pays nothing, and neither do well-formed documents."""
    code = """if True:
        import sys
        import xml5tree
        xml5tree.fromstring("<a/>")
        xml5tree.fromstring("<a>", recovery="draft")
        assert not [name for name in sys.modules if ".intent" in name]
        xml5tree.fromstring("<a>")
        assert "xml5tree.dialects.xml5.intent.policy" in sys.modules
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_rules_can_be_switched_off():
    """Each rule has a switch, so that what it is worth can be measured."""
    with without("endtag", "close", "noslash"):
        assert repaired("<r><item>a</itm><item>b</item></r>")[0] == "<r><item>a<item>b</item></item></r>"
    assert repaired("<r><item>a</itm><item>b</item></r>")[0] == "<r><item>a</item><item>b</item></r>"
    with without(*RULES):
        document = "<b>x</b><br><r>a<3 <i>b<i></I><x y=“z” w=1/><t>&amp <!-- a</t><!--"
        assert repaired(document)[0] == xml5tree.repair(document, recovery="draft")
    with pytest.raises(ValueError, match="no such rules"), without("none"):
        pass


# What is told of assumptions ------------------------------------------------------------------------------------------


def test_effects_are_told_where_they_are_decided():
    """R-002: a slip in an end tag moves nothing; what is dropped before the document is lost."""
    _, log = repaired("<r><item>a</itm><item>b</item></r>")
    assert [(entry.code, entry.effect) for entry in log] == [("assumed-end-tag", "kept")]
    _, log = repaired("<r><item><t>a<l>b</l></item><item><t>c</t><l>d</l></item></r>")
    assert [(entry.code, entry.effect) for entry in log] == [("assumed-end-before", "moved")]
    _, log = repaired("<b>Warning</b>: x <br /><r>a</r>")
    assert [(entry.code, entry.effect) for entry in log] == [("assumed-junk", "lost")]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("<r><e/>a<e>b</r>", "<e> was taken for an empty tag"),
        ("<r>a<br>b<br>c</r>", "<br> was taken for an empty tag"),
        ("<r><i><t>a<l>b</l></i><i><t>c</t><l>d</l></i></r>", "</t> was assumed before <l>"),
        ("\n<l>\n  <p>text<=/p=>\n  <b/>\n</l>", "</p> was assumed before <b/>"),
        (
            "<i><t><i><i/><l>a<i><n/></i></t></i>",
            "</l></i> was assumed before <i> (one error instead of 2)",
        ),
        ("\n<b>\n  <a>\n    <a/>\n    <a>c</a>\n  <a>\n</b>", "</a> was assumed before the text"),
        ("<r><b>a<b></r>", "<b> was taken for </b> (one error instead of 2)"),
        ("<q></a>", "</a> was taken for </q> (one error instead of 2)"),
        ("<item></itm>", "</itm> was taken for </item> (one error instead of 2)"),
        ("<r><i></ig></r>", "</ig> was taken for </i> (one error instead of 2)"),
        ("<r><i>a</i></ig></r>", "a start tag <ig> was assumed before <i>"),
        ("<r><c/>a</i></r>", "a start tag <i> was assumed before <c/>"),
        ("<r><i>a</i><i/>b</i></r>", "<i/> was taken for a start tag"),
        ("<r><item>a</item><itm>b</item></r>", "<itm> was taken for <item>"),
        ("<r><i><g>a</g></i><i>c</g></i></r>", "a start tag <g> was assumed before the text"),
        ("<r/><i>a</i><i>b</i></r>", "<r/> was taken for a start tag (one error instead of 3)"),
        ("<i/><i/></r>", "a start tag <r> was assumed as the root element (one error instead of 2)"),
        ("<i><l k='4'><j/>a</i></l><i/>", "</i> was ignored (one error instead of 2)"),
        (
            "<r><i>a</i></r><i>b</i><i>c</i></r>",
            "</r> was ignored, since the root element goes on (one error instead of 3)",
        ),
        ("<b><b></b>", "<b> was taken for a repetition of the tag before it, and dropped"),
    ],
)
def test_sentences(document, message):
    """R-002: what is assumed is told in words, with names, and with how many errors of the draft it replaces."""
    assert message in [entry.message for entry in repaired(document)[1]]


def test_without_budget():
    """R-008: a token is read as the last one like it was, but the root element does not end so."""
    habits = Habits()
    chosen = Choice("assumed-end-tag", "</b> was taken for </a>", levels=1, is_dropped=True, errors=9)
    habits.note(OF_END_TAG, "b", ["r", "a"], chosen)
    assert habits.choose(OF_END_TAG, "b", ["r", "r", "a"]) == chosen._replace(errors=0)
    for kind, name, names in [(OF_END_TAG, "c", ["r", "a"]), (OF_END_TAG, "b", ["r", "c"]), (OF_END_TAG, "b", ["a"])]:
        assert habits.choose(kind, name, names) is DRAFT
    assert habits.choose(OF_START_TAG, "b", ["r", "a"]) is DRAFT
    habits.note(OF_END_TAG, "b", ["r", "a"], DRAFT)
    assert habits.choose(OF_END_TAG, "b", ["r", "a"]) is DRAFT
    tag = PlacedTag("b", {"k": "v"}, empty=False, indent=4)
    habits.note(OF_START_TAG, "b", ["r"], Choice("assumed-empty", "<b> was taken for an empty tag", tag=tag))
    other = tag._replace(attributes={}, indent=None)
    assert habits.choose(OF_START_TAG, "b", ["r"], other).tag == other


@pytest.mark.parametrize(
    ("items", "meant"),
    [
        ('<b k="1"><b k="2">y</b>', '<b k="1"><b k="2">y</b></b>'),
        ('<b k="1">t<b k="2">y</b>', '<b k="1">t<b k="2">y</b></b>'),
        ('<b k="1"><b k="1">y</b>', '<b k="1">y</b>'),
    ],
)
def test_without_budget_only_a_repeated_start_tag_is_dropped(monkeypatch, items, meant):
    """R-008, R-025: that another one was dropped is no reason."""
    monkeypatch.setattr("xml5tree.dialects.xml5.intent.policy.BUDGET", 0)
    for name in LANES:
        with lane(name):
            markup, _ = repaired(f'<r><b k="1"><b k="1">x</b>{items}</r>')
            assert markup == f'<r><b k="1">x</b>{meant}</r>'


def test_without_budget_a_start_tag_with_attributes_is_no_end_tag(monkeypatch):
    """R-008, R-023: nor that one without attributes was taken for an end tag."""
    monkeypatch.setattr("xml5tree.dialects.xml5.intent.policy.BUDGET", 0)
    markup, log = repaired('<r><b>x<b><b>y<b k="1">z</b></r>')
    assert markup == '<r><b>x</b><b>y<b k="1">z</b></b></r>'
    assert [entry.code for entry in log] == ["assumed-end-tag", "mismatched-end-tag"]


def test_without_budget_text_is_read_as_before_the_same_end_tag(monkeypatch):
    """R-008: a start tag that was assumed before text is assumed again only where its end tag follows."""
    monkeypatch.setattr("xml5tree.dialects.xml5.intent.policy.BUDGET", 0)
    items = ["<l>u</l><title>A</title>", "<l>u</l>B</title>", "<l>u</l>C</title>", "<l>u</l>D</guid>"]
    markup, log = repaired("<r>" + "".join(f"<item>{item}</item>" for item in items) + "</r>")
    assert markup == (
        "<r><item><l>u</l><title>A</title></item><item><l>u</l><title>B</title></item>"
        "<item><l>u</l><title>C</title></item><item><l>u</l>D</item></r>"
    )
    assert [entry.code for entry in log] == ["assumed-start-tag", "assumed-start-tag", "unmatched-end-tag"]


def test_the_root_element_does_not_end_by_a_slip():
    """R-005: what follows would have no errors then."""
    document = "<records>" + "<Record><a>x</a></record>" * 20 + "</records>"
    check(document, document.replace("</record>", "</Record>"), *["assumed-end-tag"] * 20)


def test_more_tags_than_a_window_has_in_all_lanes():
    """R-022: whether the document goes on beyond the window does not depend on who has read its tags."""
    first = set()
    for number in range(796, 803):
        results = []
        for name in LANES:
            with lane(name):
                results.append(repaired("<r><b>1</b><zzz>x" + "</b>" * 3 + "<i/>" * number + "end"))
        assert results[1:] == results[:-1]
        first.add(results[0][1][0].code)
    assert first == {"unmatched-end-tag", "assumed-end-tag"}


@each_case(
    "document, effects",
    [
        ("<p><b>x <i>y</b> z</i></p>", ["moved", "kept"]),
        ("<r><a><b><c>x</a></c></b></r>", ["moved", "kept", "kept"]),
        ("<r><a><b>x</a></b><c>y</b></c></r>", ["moved", "kept", "moved"]),
    ],
)
def test_effect_of_end_tags_that_cross(document, effects):
    """R-021: what the first one has moved, the second does not move once more."""
    for size in (1, 100):
        assert [entry.effect for entry in repaired(document, size)[1]] == effects


@each_case(
    "document, meant",
    [
        ("<r></t>x</t><b/></r>", "<r><t>x</t><b/></r>"),
        ("<r><u/></i><t>x</t></i></r>", "<r><u/><i><t>x</t></i></r>"),
        ("<r>\n <i>\n  </l>\n   <t>x</t>\n  </l>\n </i>\n</r>", "<r>\n <i>\n  <l>\n   <t>x</t>\n  </l>\n </i>\n</r>"),
    ],
)
def test_start_tag_with_a_solidus(document, meant):
    """R-022: an end tag, without a start tag, of an element that ends later."""
    check(document, meant, "assumed-start-tag")


def test_end_tags_without_start_tags():
    """R-022: each is stray, or a start tag is missing elsewhere."""
    for document in ("<r><a>x</a></b><c>y</c></r>", "<r></b><c>y</c><d>z</d></r>", "<r><b>x</b></b><b>y</b></b></r>"):
        assert "was taken for a start tag" not in str(repaired(document)[1])


def test_end_tag_of_an_empty_element_of_html():
    """R-024: its start tag is not missing."""
    for document in ("<r><a>x</a></br></r>", "<r><p><a>x</a><b>y</b></hr></p></r>"):
        assert repaired(document) == draft(document)


def test_end_tags_that_cross_a_slip():
    """R-021, R-022: each own end tag of an element that ended so is ignored once, without a choice."""
    entry = "<entry><x>1</x><t>a<n>c</n></t></entry>"
    slip = "<entry><x>1</x><t>a<n>c</entri></t></n></n>"
    _, log = repaired(f"<rss><feed>{entry * 4}{slip}{entry * 4}</feed></rss>")
    assert [entry.code for entry in log] == ["assumed-end-tag", *["unmatched-end-tag"] * 3]
    policy = Intent()
    for name in ("rss", "feed"):
        policy.opened(name, {})
    policy._forced = ["t", "n"]
    for is_doubted in (False, True):
        assert [policy.doubts_end_tag(name) for name in ("t", "n")] == [is_doubted] * 2
        assert [policy.take_crossed(name) for name in ("t", "n")] == [not is_doubted] * 2


@pytest.mark.parametrize("end", ["</>", "</a>"])
def test_column_after_an_end_tag(end, monkeypatch):
    """R-023: what follows it is not the first on its line."""
    found = []

    class Recorded(Intent):
        def doubts_start_tag(self, tag):
            found.append(tag.indent)
            return super().doubts_start_tag(tag)

    monkeypatch.setattr("xml5tree.dialects.xml5.intent.stages.Intent", Recorded)
    with lane("states"):
        repaired(f"<r>\n  <a>\n   {end}<b/>")
    assert found == [0, 2, None]


@pytest.mark.parametrize("value", ["x", "\x01", "&#1;"])
def test_a_tag_twice_whatever_its_values_are(value):
    """R-025: attributes are compared as they are written, in all lanes, not as the tree has them."""
    tag = f"<a k='{value}'>"
    results = []
    for name in LANES:
        with lane(name):
            results.append(repaired(f"<r>{tag}{tag}text<b/></a></r>"))
    assert results[1:] == results[:-1]
    assert "assumed-twice" in {entry.code for entry in results[0][1]}


@pytest.mark.parametrize(
    "attribute", ['a="1"', "a=1", "a='x&amp;y'", 'a="x\ty"', 'a="&#65;"', "a=x/y", "a='1' b", "a='1' a='2'"]
)
def test_a_tag_three_times_however_its_values_are_written(attribute):
    """R-025: a value counts, not how it is written."""
    tag = f"<u {attribute}>"
    log = repaired(f"<r>{tag}{tag}{tag}<v/></r>")[1]
    assumed = [entry.code for entry in log if entry.code.startswith("assumed-")]
    assert assumed == ["assumed-empty", "assumed-empty", "assumed-end-before"]


@pytest.mark.parametrize("values", list(permutations(['"x&amp;y"', "'x&#38;y'", "x&#x26;y"])))
def test_a_tag_three_times_with_one_value_written_in_three_ways(values):
    """R-025: references to characters and to XML's own entities are resolved in tags that are read ahead, too."""
    tags = "".join([f"<u a={value}>" for value in values])
    for name in LANES:
        with lane(name):
            markup, log = repaired(f"<r>{tags}<v/></r>")
        assumed = [entry.code for entry in log if entry.code.startswith("assumed-")]
        assert assumed == ["assumed-empty", "assumed-empty", "assumed-end-before"]
        assert [element.get("a") for element in xml5tree.fromstring(markup).iter("u")] == ["x&y"] * 3


@pytest.mark.parametrize("declared", ["", "<!DOCTYPE r [<!ENTITY eacute 'x'>]>"])
def test_a_tag_three_times_with_an_entity(declared):
    """R-025: other entities are not resolved ahead, so that the third tag does not count."""
    tag = "<u a='&eacute;'>"
    for name in LANES:
        with lane(name):
            log = repaired(f"{declared}<r>{tag}{tag}{tag}<v/></u></u></r>")[1]
        assert [entry.code for entry in log if entry.code.startswith("assumed-")] == ["assumed-twice"]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            "<b><p>one\n<p>two <i>2</i>\n<p>three\n</b>",
            "<b><p>one\n</p><p>two <i>2</i>\n</p><p>three\n</p></b>",
        ),
        ("<b><p>one\n<p>two <i/>\n<p>3</b>", "<b><p>one\n</p><p>two <i/>\n</p><p>3</p></b>"),
        # where end tags are written, or the next one is in another parent, the end tag is missing before the child
        ("<d><t>a<d>b</d><t>c</t></d>", "<d><t>a</t><d>b</d><t>c</t></d>"),
        (
            "<r><i><t>a<l/></i><i><k/><l>c</l></i><i><t>z</i></r>",
            "<r><i><t>a</t><l/></i><i><k/><l>c</l></i><i><t>z</t></i></r>",
        ),
    ],
)
def test_end_tags_of_text_with_children_missing_before_the_next(document, expected):
    """R-023: the last child stays in its paragraph."""
    assert repaired(document)[0] == expected


@pytest.mark.parametrize("end", ["", "</r", "<i><t>c", "<i><t>c</t>"])
@pytest.mark.parametrize("number", [1, 60])
def test_end_tag_of_a_record_missing_in_a_document_that_is_cut_off(number, end):
    """R-027: the end of the document shows that elements are open, whichever these are."""
    record, faulty = "<i><t>a</t><l>b</l></i>\n", "<i><t>x</t><l>y</l>\n"
    document = f"<r>{record * 8}{faulty}{record * number}{end}"
    for name in LANES:
        with lane(name):
            root = xml5tree.fromstring(document)
            assert [len(item) for item in root[: 9 + number]] == [2] * (9 + number)
            assert repaired(document)[1][0].code == "assumed-end-before"


@pytest.mark.parametrize("before", ["", "<r>", "<r>\n\n", "<r>\nx\n"])
@pytest.mark.parametrize("reference", ["&", "&#", "&#1", "&#x", "&q", "&lt"])
def test_places_of_references_before_inserted_text(before, reference):
    """A reference at the end of a piece is at its own place, though the next piece is longer than what it replaces."""
    document = f'{before}<a \nb="x{reference}"";"></a>'
    for name in LANES:
        with lane(name):
            _, log = repaired(document)
            places = {entry.code: (entry.offset, entry.line, entry.column) for entry in log}
            start = document.index("&")
            line = document.count("\n", 0, start) + 1
            assert (start, line, 4) in places.values()
            assert min(places.values()) == (len(before), line - 1, len(before.rpartition("\n")[2]))
