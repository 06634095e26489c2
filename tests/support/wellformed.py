"""Well-formed documents: those that speeds are quoted on, real ones, and small ones that show one thing each."""

import runpy
from pathlib import Path
from random import Random

import pytest

from support.cases import one_in
from support.xml5lib import REPOSITORY

#: Those of `compat/documents.py` that are well-formed, but shorter: they repeat themselves.
make = runpy.run_path(str(REPOSITORY / "compat" / "documents.py"))
DOCUMENTS = {
    "rss": lambda: make["feed"](100).encode(),
    "catalog": lambda: make["catalog"](400).encode(),
    "nested": lambda: make["nested"](800).encode(),
}

#: What Debian's packages unicode-cldr-core and shared-mime-info install, of which some: all would take half an hour.
LONGEST = 150_000
FOLDERS = {
    "unicode-cldr-core": (Path("/usr/share/unicode/cldr/common"), 16),
    "shared-mime-info": (Path("/usr/share/mime"), 10),
}

SMALL = {
    "namespaces": b"<a xmlns='u' xmlns:p='v'><p:b p:c='1' c='2' xmlns=''><d/></p:b>\n<e xmlns:p='w'><p:f/></e></a>",
    "outside the root": b"<?p q?>\n<!-- c -->\n<a/>\n<!-- d -->\n<?r?>\n",
    "inside the root": b"<a>1<!-- c -->2<?p q?>3<![CDATA[<4>]]>5<b><!-- d --></b><?r?>\n</a>",
    "DOCTYPE": b"<!DOCTYPE a PUBLIC '-//p//EN' 'a.dtd'>\n<a>x</a>",
    # On one line: what is in an entity is on the line of the reference, in lxml on that of the declaration.
    "entities": b"<!DOCTYPE a [<!ENTITY e '<b>x</b>'><!ENTITY f '&#38;amp;'>]><a c='&f;'>&e;&f;</a>",
    "attribute lists": b"<!DOCTYPE a [<!ATTLIST a b NMTOKENS #IMPLIED xmlns CDATA 'u'>]><a b='  x  y '/>",
    "references": b"<a b='&#10;&#x9;&lt;&quot;'>&#13;&amp;&gt;]]&gt;\r\n&#xe9;</a>",
    "white space": b"\n<a>\r\n\t<b  c\n=\n'd\n e'  /> \n</a  >\n",
    "UTF-16": "<?xml version='1.0' encoding='utf-16'?><a b='é'>\U0001f600</a>".encode("utf-16"),
    "Latin-1": "<?xml version='1.0' encoding='iso-8859-1'?>\n<é ü='ß'>ø</é>".encode("iso-8859-1"),
    "byte order mark": "\ufeff<a>é</a>".encode(),
    "text": "<a b='é'>\U0001f600</a>",
}


def files():
    """A sample of the files of the packages, the same at every run."""
    for package, (folder, count) in FOLDERS.items():
        paths = sorted(path for path in folder.rglob("*.xml") if path.stat().st_size < LONGEST)
        if paths:
            for path in one_in(4, Random(20).sample(paths, min(count, len(paths)))):
                yield pytest.param(path.read_bytes, id=str(path.relative_to(folder)))
        else:
            skipped = pytest.mark.skip(reason=f"the Debian package {package} is not installed")
            yield pytest.param(None, id=package, marks=skipped)


every_document = pytest.mark.parametrize(
    "document",
    [
        *(pytest.param(function, id=name) for name, function in DOCUMENTS.items()),
        *(pytest.param(lambda data=data: data, id=name) for name, data in SMALL.items()),
        *files(),
    ],
)
