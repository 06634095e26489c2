"""Write the listing of docs/errors.md anew: every error code, as the command line explains it.

usage: python docs/list_errors.py
"""

from collections.abc import Iterator
from pathlib import Path

from xml5tree.cli.examples import carry_out
from xml5tree.dialects import dialects_with
from xml5tree.errors.codes import CODES
from xml5tree.errors.explanations import explanations, in_section, literal_or_text, sections

PAGE = Path(__file__).parent / "errors.md"
TITLE = "## All codes\n"
BEGIN = "<!-- The listing is made by list_errors.py. -->\n"


def entry(code: str) -> Iterator[str]:
    """The lines about a code."""
    explanation = explanations()[code]
    dialects = dialects_with(code)
    known = dialects[0].codes[code]
    facts = [
        ", ".join(dialect.name for dialect in dialects),
        known.kind,
        known.effect,
        *(["own"] if explanation.ours else []),
    ]
    yield f"\n#### `{code}`\n"
    yield f"\n*{'; '.join(facts)}.* {explanation.meaning} {explanation.repair}\n"
    options = ", ".join(f"{name}={value!r}" for name, value in explanation.options.items())
    markup, _ = carry_out(explanation)
    document = f"`{literal_or_text(explanation.document)}`" + (f" with `{options}`" if options else "")
    yield f"\n{document} becomes `{'ParseError' if markup is None else literal_or_text(markup)}`\n"
    for dialect, repair in explanation.elsewhere.items():
        yield f"\nIn the dialect `{dialect}`: {repair}\n"
    if explanation.note:
        yield f"\n{explanation.note[0].upper()}{explanation.note[1:]}\n"


def listing() -> str:
    """The listing in Markdown."""
    lines = [BEGIN]
    for section in sections():
        lines.append(f"\n### {section}\n")
        for code in in_section(section):
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
