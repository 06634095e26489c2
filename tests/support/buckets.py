"""A file system in memory that has the scheme ``s3``, and wants credentials, in the place of s3fs."""

from importlib import import_module

from fsspec.implementations.memory import MemoryFileSystem

#: What it wants.
OPTIONS = {"key": "me", "secret": "sesame"}


class Buckets(MemoryFileSystem):
    """Opens what `put_into_bucket` has put into it, for those with credentials."""

    protocol = ("s3", "s3a")
    cachable = False
    store = {}  # noqa: RUF012 - as in the class above, all that there is is in one place
    pseudo_dirs = [""]  # noqa: RUF012

    def __init__(self, key=None, secret=None, **options):
        super().__init__(**options)
        if {"key": key, "secret": secret} != OPTIONS:
            raise PermissionError("no credentials")

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.replace("s3a://", "memory://").replace("s3://", "memory://"))

    def unstrip_protocol(self, name):
        return f"s3://{self._strip_protocol(name).lstrip('/')}"


def put_into_bucket(monkeypatch, name, content):
    """Have ``s3://`` and ``s3a://`` mean `Buckets` for the rest of a test, with a file in it."""
    known = import_module("fsspec.registry")._registry
    if known.get("s3") is not Buckets:
        for scheme in Buckets.protocol:
            monkeypatch.setitem(known, scheme, Buckets)
        monkeypatch.setattr(Buckets, "store", {})
        monkeypatch.setattr(Buckets, "pseudo_dirs", [""])
    Buckets(**OPTIONS).pipe_file(f"/{name}", content)
