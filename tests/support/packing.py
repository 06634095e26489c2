"""The ways in which files may be compressed."""

import gzip
import random

import pytest

from xml5tree import unpacking

__all__ = ["cut_off", "each_compression"]


def _compressors():
    yield pytest.param(gzip.compress, id="gzip")
    zstd = unpacking._zstd()
    missing = pytest.mark.skipif(zstd is None, reason="zstd needs Python 3.14 or backports.zstd")
    yield pytest.param(None if zstd is None else zstd.compress, id="zstd", marks=missing)


#: Gives a test the function `compress`.
each_compression = pytest.mark.parametrize("compress", list(_compressors()))


def cut_off(compress):
    """A document that was compressed and then cut off, so that its beginning can be unpacked: of zstd, whole blocks."""
    numbers = random.Random(1)
    items = b"".join(b"<b>%x</b>" % numbers.getrandbits(256) for _ in range(4000))
    data = compress(b"<r>" + items + b"</r>")
    return data[: len(data) * 9 // 10]
