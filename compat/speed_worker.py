"""A process for peers of compat/speed.py: parses the documents whose paths come in, and measures that.

usage: python compat/speed_worker.py PEER... [--names]

The name of a peer, how often it parses, and a path come in a line each time. For each, an object of JSON goes out in a
line: the `seconds` of processor time of one parse, the peak `memory` in bytes less that after imports, and the
`problem` if the peer refuses the document.
With --names, there is also how many `elements` of each local name it made.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from peak_memory import peak_memory, release_memory
from speed_peers import PEERS, Peer


def _work(peers: list[Peer], with_names: bool) -> None:
    """Parse the documents whose paths come in."""
    readers = {peer.name: (peer, peer.load()) for peer in peers}
    before = peak_memory()
    for line in sys.stdin:
        name, times, path = line.removesuffix("\n").split(" ", 2)
        peer, reader = readers[name]
        data = Path(path).read_bytes()
        document: bytes | str = data.decode() if peer.takes_text else data
        del data
        result = None
        release_memory()
        answer: dict[str, Any] = {}
        start = time.process_time()
        try:
            for _ in range(int(times)):
                result = reader.parse(document)
        except Exception:  # each parser has its own exceptions
            answer["problem"] = "refuses"
        answer["seconds"] = (time.process_time() - start) / int(times)
        answer["memory"] = peak_memory() - before
        if with_names and "problem" not in answer:
            answer["elements"] = Counter(re.split("[}:]", element)[-1] for element in reader.names(result))
        print(json.dumps(answer), flush=True)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="+", choices=PEERS)
    parser.add_argument("--names", action="store_true", help="count the elements of each name")
    arguments = parser.parse_args()
    _work([PEERS[name] for name in arguments.peers], arguments.names)


if __name__ == "__main__":
    main()
