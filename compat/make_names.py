"""Makes names.h of the compiled scan, which says what characters are in names, out of `xml5tree.xml.names`.

usage: python -m compat.make_names
"""

import re
from pathlib import Path
from typing import Final

import xml5tree
from xml5tree.xml.names import EXPAT, FIFTH_EDITION

__all__ = ["PATH", "classes", "header"]

PATH: Final = Path(xml5tree.__file__).with_name("accelerator") / "names.h"
_HEAD: Final = """\
/* Which characters are in NCNames of the fourth and the fifth edition of XML 1.0.

   Made by compat/make_names.py of xml5tree/xml/names.py. Each character has four bits. Characters are in blocks, of
   which those that are equal are stored once. */

#ifndef XML5TREE_NAMES_H
#define XML5TREE_NAMES_H

#include <stdint.h>

enum { IN_FOURTH = 1, FIRST_IN_FOURTH = 2, IN_FIFTH = 4, FIRST_IN_FIFTH = 8 };
"""
_FOOT: Final = """
/* The classes of a character; none of what is no code point. */
static inline unsigned class_of(uint32_t code)
{
    return code > 0x10FFFF ? 0 : (unsigned)blocks[block_of[code >> 8]][(code & 0xFF) >> 1] >> ((code & 1) << 2) & 0xF;
}

#endif
"""


def classes() -> bytearray:
    """The classes of every code point."""
    found = bytearray(0x110000)
    text = "".join(map(chr, range(0x110000)))
    for first_bit, rules in enumerate((EXPAT, FIFTH_EDITION)):
        for bit, bad in enumerate((rules.bad_char, rules.bad_start)):
            for run in re.finditer(f"(?s:(?!{bad.pattern}).)+", text):
                for code in range(*run.span()):
                    found[code] |= 1 << 2 * first_bit + bit
    return found


def header() -> str:
    """The text of names.h."""
    found = classes()
    numbers: dict[bytes, int] = {}
    block_of = []
    for start in range(0, len(found), 0x100):
        block = bytes(found[code] | found[code + 1] << 4 for code in range(start, start + 0x100, 2))
        block_of.append(numbers.setdefault(block, len(numbers)))
    blocks = ",\n".join(f"    {{{','.join(map(str, block))}}}" for block in numbers)
    return (
        f"{_HEAD}\nstatic const uint8_t block_of[{len(block_of)}] = {{\n{_lines(block_of)}\n}};\n\n"
        f"static const uint8_t blocks[{len(numbers)}][128] = {{\n{blocks}\n}};\n{_FOOT}"
    )


def _lines(numbers: list[int]) -> str:
    return ",\n".join("    " + ",".join(map(str, numbers[i : i + 64])) for i in range(0, len(numbers), 64))


if __name__ == "__main__":
    PATH.write_text(header(), "ascii")
