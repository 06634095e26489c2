from xml5tree.fastpath.contract import Cache, Limits, TagRule

def scan(
    data: bytes,
    start: int,
    stop: int,
    open_names: list[str],
    prefixes: dict[str, str],
    declared: dict[bytes, TagRule],
    limits: Limits,
    cache: Cache,
    /,
) -> tuple[int, int, bytes | None, int, list[str], int, int, int, tuple[tuple[int, int], ...]]: ...
def forbidden_characters(utf8: bytes, /) -> str: ...
def make_automaton() -> object: ...
def walk(
    automaton: object, data: bytes, start: int, stop: int, place: int, into: int, is_remembered: bool, /
) -> tuple[int, int, int]: ...
def walked(automaton: object, /) -> tuple[int, list[int], int, bool]: ...
