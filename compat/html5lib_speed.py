"""Measure the tokenizer of the dialect html beside html5lib's, and beside justhtml where it is installed.

usage: python -m compat.html5lib_speed [FILE ...]

Without files, a page is made. The times are CPU seconds, the best of five, taken in turn; garbage is not collected.
justhtml has no tokenizer of its own any more, so its time is that of a whole parse.
"""

import gc
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from compat.cache import SKIPPED

ITEM = (
    '<li class="item n{0}" id="i{0}"><a href="/page?x={0}&amp;y=2" title="A title">Link &mdash; number {0}</a> and '
    '<b>bold</b> text that goes on for a while, as text does.<br><img src="/i/{0}.png" alt=""></li>\n'
)


def made_page() -> str:
    """A page of a megabyte: a list of links, pictures and text."""
    items = "".join(ITEM.format(number) for number in range(5000))
    return f"<!DOCTYPE html>\n<html><head><title>Page</title></head><body><ul>\n{items}</ul></body></html>\n"


def ours(page: str) -> int:
    import xml5tree

    return sum(1 for _ in xml5tree.tokenize(page, dialect="html"))


def of_html5lib(page: str) -> int:
    from html5lib._tokenizer import HTMLTokenizer

    return sum(1 for _ in HTMLTokenizer(page))


def of_justhtml(page: str) -> int:
    from justhtml import JustHTML

    JustHTML(page)
    return 0


def tokenizers() -> Iterator[tuple[str, Callable[[str], int]]]:
    """The names of those that are there, and what runs them."""
    yield "xml5tree", ours
    for name, run in (("html5lib", of_html5lib), ("justhtml", of_justhtml)):
        if importlib.util.find_spec(name):
            yield name, run


def best_times(page: str, rounds: int = 5) -> dict[str, float]:
    """The least CPU time of each."""
    best = {name: float("inf") for name, _ in tokenizers()}
    gc.disable()
    for _ in range(rounds):
        for name, run in tokenizers():
            gc.collect()
            start = time.process_time()
            run(page)
            best[name] = min(best[name], time.process_time() - start)
    gc.enable()
    return best


def main() -> int:
    if importlib.util.find_spec("html5lib") is None:
        print("skipped: html5lib is not installed")
        return SKIPPED
    if importlib.util.find_spec("justhtml") is None:
        print("justhtml is not run, as it is not installed")
    pages = {name: Path(name).read_text("utf-8", "replace") for name in sys.argv[1:]} or {"made": made_page()}
    for name, page in pages.items():
        tokens = ours(page)
        times = best_times(page)
        print(f"{name}: {len(page):,} characters, {tokens:,} tokens")
        for tokenizer, seconds in times.items():
            rate = f"{tokens / seconds:10,.0f} tokens/s" if tokenizer != "justhtml" else "whole parse"
            print(f"  {tokenizer:10} {seconds:6.3f} s  {rate}  {times['html5lib'] / seconds:.1f} times html5lib")
    return 0


if __name__ == "__main__":
    sys.exit(main())
