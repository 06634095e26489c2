"""Write the listing of docs/errors.md anew: every error code, as the command line explains it.

usage: python docs/list_errors.py
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from xml5tree.cli.rendering import carry_out
from xml5tree.dialects import DIALECTS, dialects_with
from xml5tree.errors.codes import CODES
from xml5tree.errors.explanations import explanations, literal_or_text

PAGE = Path(__file__).parent / "errors.md"
TITLE = "## All codes\n"
BEGIN = "<!-- The listing is made by list_errors.py. -->\n"


def entry(code: str) -> Iterator[str]:
    """Yield the lines about a code."""
    explanation = explanations()[code]
    yield f"\n#### `{code}`\n"
    texts = [unusual(code), explanation.meaning, explanation.repair, explanation.note]
    yield f"\n{' '.join(filter(None, texts))}\n"
    options = ", ".join(f"{name}={value!r}" for name, value in explanation.options.items() if name != "dialect")
    markup, _ = carry_out(explanation)
    document = f"`{literal_or_text(explanation.document)}`" + (f" with `{options}`" if options else "")
    result = "raises `ParseError`" if markup is None else f"becomes `{literal_or_text(markup)}`"
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
    before, _, after = parts(PAGE.read_text("utf-8"))
    PAGE.write_text(before + listing() + after, "utf-8")
