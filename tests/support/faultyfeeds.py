"""Documents of records with each kind of fault that compat/ knows."""

from random import Random

from cliff_documents import FAULTS as CLIFF_FAULTS
from cliff_documents import with_faults
from recovery_faults import inject
from recovery_kinds import ALL_FAULTS

__all__ = ["FAULTY_FEEDS", "write_feeds"]

_OTHER = "<item>\n<m:date>\n1 é 2\n</m:date>\n<q k='v'/>\n<b>1.5</b>\n</item>\n"
_ITEM = '<item id="{0}">\n<title>A title &amp; more, {0}</title>\n<link kind="l">http://e.example/{0}</link>\n</item>\n'
_ITEMS = _OTHER * 2 + "".join(map(_ITEM.format, range(14)))
_FEED = f"<?xml version='1.0'?>\n<r xmlns:m='urn:m'>\n{_ITEMS}</r>"
#: For faults of pages.
_PAGE = f"<?xml version='1.0'?>\n<html xmlns:m='urn:m'><head></head>\n{_ITEMS}</html>"


def _faulty(fault):
    random = Random(fault.name)
    made = (inject(fault, random, text, 2) for _ in range(9) for text in (_FEED, _PAGE))  # some places do no harm
    return next(filter(None, made)).broken


#: By kind of fault; those of compat/cliff_documents.py are in longer records.
FAULTY_FEEDS = {fault.name: _faulty(fault) for fault in ALL_FAULTS} | {
    f"{fault.name} (cliff)": with_faults(fault, 1, 3).replace(b"record", b"item") for fault in CLIFF_FAULTS
}


def write_feeds(folder):
    """Write all documents into a folder; return the paths by kind of fault."""
    folder.mkdir()
    paths = {name: folder / f"{number:03}.xml" for number, name in enumerate(FAULTY_FEEDS)}
    for name, path in paths.items():
        path.write_bytes(FAULTY_FEEDS[name])
    return paths
