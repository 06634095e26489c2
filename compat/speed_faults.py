"""What a fault costs, by kind: the time that a repair takes more for it.

usage: python compat/speed_faults.py    (the process that measures; see `print_faults`)
"""

import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from documents import Fault

__all__ = ["print_faults"]

_RECORDS: Final = 1000
_RECORD: Final = (
    '<record id="17"><title>An old bridge</title><link>https://gazette.example/story?id=1&amp;from=feed</link>'
    '<size w="800" h="600"/><text>The council of harbour towns met on a cold morning to hear how bread, ferries, '
    "lanterns and old bridges will be paid for next spring, while gulls over market square wait near empty boats."
    "</text><note>The ferries are late, and so is the bread; the lanterns are lit.</note></record>\n"
)
_FAULTS: Final = (
    Fault("bare `&` in text", "bread,", "bread &"),
    Fault("`&` in a URL", "&amp;from", "&from"),
    Fault("unknown entity", "bread,", "&nbsp;"),
    Fault("`<` in text", "bread,", "bread <"),
    Fault("control character", "bread,", "bread\x0b"),
    Fault("unquoted attribute", 'w="800"', "w=800"),
    Fault("no space between attributes", '" h', '"h'),
    Fault("duplicate attribute", 'h="600"', 'h="600" w="7"'),
    Fault("attribute without value", 'h="600"', "h"),
    Fault("undeclared prefix", "<size", "<x:size"),
    Fault("element that is not closed", "</title>", ""),
    Fault("end tag of no element", "bread,", "bread</b>"),
    Fault("wrong end tag", "</title>", "</tilte>"),
    Fault("unescaped HTML", "bread,", "bread<br>"),
    Fault("none, but a namespace declaration", "<size", '<size xmlns:p="urn:p"'),
)


def _document(fault: Fault | None) -> str:
    record = _RECORD if fault is None else fault.put_into(_RECORD)
    return f"<records>\n{record * _RECORDS}</records>\n"


def _work() -> None:
    """Repair the documents whose numbers come in, a line each, and give the seconds that it takes."""
    import xml5tree

    documents = [_document(fault) for fault in (None, *_FAULTS)]
    for document in documents:
        xml5tree.repair(document, recovery="draft")
    for line in sys.stdin:
        document = documents[int(line)]
        gc.collect()
        start = time.process_time()
        xml5tree.repair(document, recovery="draft")
        print(json.dumps(time.process_time() - start), flush=True)


class _Lane:
    """A process that repairs with or without the compiled scanner, with the xml5tree of a checkout."""

    def __init__(self, checkout: Path, pure: bool) -> None:
        paths = os.pathsep.join([str(checkout), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": paths, "XML5TREE_PURE": str(int(pure))},
        )
        self.least: dict[int, float] = {}

    def measure(self, number: int) -> None:
        """Repair a document once more."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(number, file=self._process.stdin, flush=True)
        seconds = float(self._process.stdout.readline())
        self.least[number] = min(seconds, self.least.get(number, seconds))

    def cost(self, number: int) -> float:
        """Microseconds that one fault costs."""
        return (self.least[number] - self.least[0]) / _RECORDS * 1e6

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def print_faults(rounds: int, before: Path | None) -> None:
    """Print what faults cost without the compiled scanner and with it.

    Args:
        rounds: how often each document is repaired; the least time counts.
        before: another checkout of xml5tree, compiled in place, that is measured in turn with this one.
    """
    checkouts = [Path(__file__).parent.parent, *([] if before is None else [before.resolve()])]
    lanes = {(checkout, pure): _Lane(checkout, pure) for pure in (True, False) for checkout in reversed(checkouts)}
    for _ in range(rounds):
        for number in range(1 + len(_FAULTS)):
            for lane in lanes.values():
                lane.measure(number)
    columns = [
        name + (", before" if checkout is not checkouts[0] else "")
        for name, checkout in (("pure" if pure else "compiled", checkout) for checkout, pure in lanes)
    ]
    print("\n### What a fault costs, in µs\n")
    print("| fault | " + " | ".join(columns) + " |\n|---" + "|---:" * len(columns) + "|")
    for number, fault in enumerate(_FAULTS, 1):
        print(f"| {fault.name} |", *(f"{lane.cost(number):.0f} |" for lane in lanes.values()))
    for lane in lanes.values():
        lane.close()


if __name__ == "__main__":
    _work()
