"""Write the listing of docs/errors.md anew: every error code, as the command line explains it.

The results of the examples are written into xml5tree/errors/explanations.toml.

usage: python docs/list_errors.py
"""

import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import cast

from xml5tree.dialects import DIALECTS, dialects_with, find_dialect
from xml5tree.documents import Parts
from xml5tree.drive import drive
from xml5tree.errors.codes import CODES
from xml5tree.errors.explanations import Explanation, explanations, literal_or_text
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.options import Options, when_pulled
from xml5tree.parser import Repairer, XMLParser

PAGE = Path(__file__).parent / "errors.md"
EXPLANATIONS = PAGE.parents[1] / "xml5tree/errors/explanations.toml"
TITLE = "## All codes\n"
BEGIN = "<!-- The listing is made by list_errors.py. -->\n"


def carry_out(explanation: Explanation) -> tuple[str | bytes | None, ErrorLog]:
    """Return the repaired markup of an explanation's document, None where it has none, and its errors.

    In a dialect without a repair, and for an error of trees alone, it is the tree's.
    """
    document, options = explanation.document, when_pulled(cast(Options, explanation.options))
    if explanation.is_long:
        assert isinstance(document, str)
        document = document.replace("…", "x" * 10_000_000)
    is_streamed = find_dialect(options.get("dialect", "xml5")).is_streamed
    try:
        if explanation.of_tree or not is_streamed or options["recovery"] == "strict":
            parser = XMLParser(**options)
            tree = parser.parse_whole(document)
            is_repaired = options["recovery"] != "strict"
            return ET.tostring(tree, encoding="unicode") if is_repaired else document, parser.error_log
        repairer = Repairer(**options)
        if isinstance(document, bytes):  # they may be compressed
            parts = Parts(io.BytesIO(document))
            return b"".join(drive(repairer, parts, lambda: parts.damage)), repairer.error_log
        return repairer.repair_whole(document), repairer.error_log
    except ParseError as error:
        return None, error.errors


def with_results(toml: str) -> str:
    """Return the tables of explanations with the results of their examples."""
    first, *tables = re.sub("\nbecomes = .*", "", toml).rstrip().split("\n\n[")
    for index, table in enumerate(tables):
        code = re.match(r".*\.([a-z0-9-]+)\]", table)[1]
        markup, _ = carry_out(explanations()[code])
        if markup is not None:
            shown = json.dumps(literal_or_text(markup), ensure_ascii=False).replace("\x7f", "\\u007f")
            tables[index] = f"{table.rstrip()}\nbecomes = {shown}"
    return "\n\n[".join([first, *tables]) + "\n"


def entry(code: str) -> Iterator[str]:
    """Yield the lines about a code."""
    explanation = explanations()[code]
    yield f"\n#### `{code}`\n"
    texts = [unusual(code), explanation.meaning, explanation.repair, explanation.note]
    yield f"\n{' '.join(filter(None, texts))}\n"
    options = ", ".join(f"{name}={value!r}" for name, value in explanation.options.items() if name != "dialect")
    document = f"`{literal_or_text(explanation.document)}`" + (f" with `{options}`" if options else "")
    result = f"becomes `{explanation.becomes}`" if explanation.becomes else "raises `ParseError`"
    yield f"\n{document} {result}\n"
    for text in dict.fromkeys(explanation.elsewhere.values()):
        dialects = " and ".join(f"`{name}`" for name, other in explanation.elsewhere.items() if other == text)
        yield f"\nIn {dialects}: {text}\n"


def unusual(code: str) -> str:
    """Return the dialects and the effect of a code, each unless it is the usual one."""
    dialects = [dialect.name for dialect in dialects_with(code)]
    others = [name for name in DIALECTS if name not in dialects]
    effect = dialects_with(code)[0].codes[code].effect
    facts = []
    if not others:
        facts.append("all dialects")
    elif len(others) == 1:
        facts.append(f"not {others[0]}")
    elif dialects != ["xml5"]:
        facts.append(", ".join(dialects))
    if effect != "kept":
        facts.append(effect)
    return f"*{'; '.join(facts)}.*" if facts else ""


def refused(code: str) -> str:
    """Return the line about a code of a dialect that repairs nothing."""
    explanation = explanations()[code]
    document = literal_or_text(explanation.document)
    example = f"`` {document} ``" if "`" in document else f"`{document}`"
    return f"* `{code}`: {explanation.meaning} {example}\n"


def listing() -> str:
    """The listing in Markdown."""
    lines = [BEGIN]
    for section, group in groupby(explanations(), key=lambda code: explanations()[code].section):
        lines.append(f"\n### {section}\n")
        codes = list(group)
        if all([dialect.name for dialect in dialects_with(code)] == ["leafxml"] for code in codes):
            lines += ["\nEach of these errors raises `ParseError`.\n\n", *map(refused, codes)]
            continue
        for code in codes:
            lines += entry(code)
    return "".join(lines)


def parts(page: str) -> tuple[str, str, str]:
    """The page before the listing, the listing, and what comes after it."""
    before, begin, rest = page.partition(BEGIN)
    body, last, after = rest.partition("\n## ")
    return before, begin + body, last + after


if __name__ == "__main__":
    if missing := CODES.keys() - explanations().keys():
        raise SystemExit(f"explain these codes in xml5tree/errors/explanations.toml: {', '.join(sorted(missing))}")
    EXPLANATIONS.write_text(with_results(EXPLANATIONS.read_text("utf-8")), "utf-8")
    explanations.cache_clear()
    before, _, after = parts(PAGE.read_text("utf-8"))
    PAGE.write_text(before + listing() + after, "utf-8")
