"""Write the listing of docs/errors.md anew: every error code, as the command line explains it.

usage: python docs/list_errors.py
"""

from collections.abc import Iterator
from pathlib import Path

from xml5tree.cli.examples import carry_out
from xml5tree.dialects import DIALECTS, dialects_with
from xml5tree.errors.codes import CODES
from xml5tree.errors.explanations import explanations, in_section, literal_or_text, sections

PAGE = Path(__file__).parent / "errors.md"
TITLE = "## All codes\n"
BEGIN = "<!-- The listing is made by list_errors.py. -->\n"


def entry(code: str) -> Iterator[str]:
    """The lines about a code."""
    explanation = explanations()[code]
    dialects = [dialect.name for dialect in dialects_with(code)]
    known = dialects_with(code)[0].codes[code]
    where = "all dialects" if len(dialects) == len(DIALECTS) else ", ".join(dialects)
    facts = [*([] if dialects == ["xml5"] else [where]), known.kind, known.effect]
    yield f"\n#### `{code}`\n"
    yield f"\n*{'; '.join(facts)}.* {explanation.meaning} {explanation.repair}\n"
    options = ", ".join(f"{name}={value!r}" for name, value in explanation.options.items() if name != "dialect")
    markup, _ = carry_out(explanation)
    document = f"`{literal_or_text(explanation.document)}`" + (f" with `{options}`" if options else "")
    yield f"\n{document}" + ("" if markup is None else f" becomes `{literal_or_text(markup)}`") + "\n"
    for dialect, repair in explanation.elsewhere.items():
        yield f"\nIn `{dialect}`: {repair}\n"
    if explanation.note:
        yield f"\n{explanation.note[0].upper()}{explanation.note[1:]}\n"


def table(codes: list[str]) -> Iterator[str]:
    """The lines about codes of a dialect that repairs nothing."""
    yield "\nEach of these errors raises `ParseError`.\n"
    yield "\n| code | error | example |\n|---|---|---|\n"
    for code in codes:
        explanation = explanations()[code]
        document = literal_or_text(explanation.document).replace("|", "\\|")
        example = f"`` {document} ``" if "`" in document else f"`{document}`"
        yield f"| `{code}` | {explanation.meaning} | {example} |\n"


def listing() -> str:
    """The listing in Markdown."""
    lines = [BEGIN]
    for section in sections():
        lines.append(f"\n### {section}\n")
        codes = in_section(section)
        if all([dialect.name for dialect in dialects_with(code)] == ["leafxml"] for code in codes):
            lines += table(codes)
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
