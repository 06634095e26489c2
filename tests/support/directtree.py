"""An emitter that builds an ElementTree tree by itself: no markup, no native parser, namespaces resolved here."""

import xml.etree.ElementTree as ET

from xml5tree.dialects.xml5.pipeline import tokenize_chunk
from xml5tree.dialects.xml5.states import data_state, tag_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.reporter import Reporter
from xml5tree.input.stream import InputStream
from xml5tree.options import Settings
from xml5tree.xml.limits import EXPAT_LIMITS

XML = "http://www.w3.org/XML/1998/namespace"


class DirectTree:
    """Takes what tree construction reports (see `xml5tree.output.markup.Markup`)."""

    def __init__(self):
        self.root = None
        self._open = []
        self._scopes = [{"": "", "xml": XML}]
        self._text = []

    def start_tag(self, name, attributes, empty, verbatim):
        self._flush()
        attributes = list(attributes)
        scope = dict(self._scopes[-1])
        for attribute, value in attributes:
            if attribute == "xmlns":
                scope[""] = value
            elif attribute.startswith("xmlns:"):
                scope[attribute[6:]] = value
        element = ET.Element(self._expand(name, scope, default=True))
        for attribute, value in attributes:
            if attribute != "xmlns" and not attribute.startswith("xmlns:"):
                element.set(self._expand(attribute, scope, default=False), value)
        if self._open:
            self._open[-1].append(element)
        else:
            assert self.root is None
            self.root = element
        if not empty:
            self._open.append(element)
            self._scopes.append(scope)

    @staticmethod
    def _expand(name, scope, default):
        prefix, colon, local = name.rpartition(":")
        uri = scope[prefix] if colon or default else ""
        return f"{{{uri}}}{local}" if uri else local

    def end_tag(self, name, verbatim, *, closed_at=None):
        self._flush()
        element = self._open.pop()
        assert element.tag == self._expand(name, self._scopes.pop(), default=True)

    def _flush(self):
        text = "".join(self._text)
        self._text.clear()
        if not text or not self._open:
            return
        parent = self._open[-1]
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            parent.text = (parent.text or "") + text

    def text(self, data):
        self._text.append(data)

    def reference(self, data, verbatim):
        self._text.append(data)

    def cdata_start(self):
        pass

    def cdata_end(self):
        pass

    def at(self, offset):
        pass

    def space(self, data, line):
        assert not self._open
        assert not data.strip()

    def can_append_verbatim(self):
        return False

    def clean_run(self, markup, source, newlines):
        raise AssertionError("the core knows markup only")

    def comment(self, data, verbatim):
        assert "--" not in data

    def processing_instruction(self, target, data, verbatim):
        assert "?>" not in data

    def doctype(self, name, public_id, system_id, verbatim, declarations=""):
        assert self.root is None


def build(document, **options):
    """The root element that tree construction makes of a document, or None."""
    settings = Settings(**options)
    reporter = Reporter(settings.max_errors, settings.on_error)
    tree = DirectTree()
    builder = TreeBuilder(tree, reporter, EXPAT_LIMITS, settings)
    stream = InputStream()
    text = stream.feed(document, True)
    declaration = stream.declaration
    is_standalone = declaration is not None and declaration.standalone == "yes"
    tokenizer = Tokenizer(builder, reporter, settings, data_state, tag_state, is_standalone=lambda: is_standalone)
    tokenize_chunk(stream, reporter, tokenizer, text, skip=declaration.end if declaration else 0, final=True)
    return tree.root
