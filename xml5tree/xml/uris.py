"""Namespace names that libxml2 reads; percent-encoding for others (D-122)."""

# libxml2 refuses a namespace name that is no URI reference of RFC 3986. Its grammar, copied here, differs in three
# places: a fragment may contain "[" and "]"; the brackets of an IP literal may enclose anything but "]"; a port is not
# empty, and at most 2147483647. For the empty name and two reserved names see D-117 and D-118.

import re

from xml5tree.xml.patterns import compiled

# The insides of sets: the characters that each component may contain, other than percent-encoded octets.
# Repetitions are possessive throughout, so that a match takes time linear in the length of the name.
_HOST = r"A-Za-z0-9\-._~!$&'()*+,;="  # unreserved / sub-delims
_USER = _HOST + ":"
_SEGMENT = _HOST + "@"  # first segment of a reference without scheme
_PATH = _HOST + ":@/"
_QUERY = _HOST + ":@/?"
_FRAGMENT = _HOST + r":@/?\[\]"


def _run(allowed: str) -> str:
    return f"[{allowed}]*+(?:%[0-9A-Fa-f][0-9A-Fa-f][{allowed}]*+)*+"


_SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*+:"
_IP_LITERAL = r"\[[^\]]*+\]"
_PORT = (
    "0*+(?:[0-9]{0,9}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7}|214[0-6][0-9]{6}|2147[0-3][0-9]{5}|21474[0-7][0-9]{4}"
    "|214748[0-2][0-9]{3}|2147483[0-5][0-9]{2}|21474836[0-3][0-9]|214748364[0-7])(?<=[0-9])(?![0-9])"
)
_AUTHORITY = rf"(?>{_run(_USER)}@)?+(?:{_IP_LITERAL}|{_run(_HOST)})(?>:{_PORT})?+(?=[/?#]|\Z)"

_REFERENCE = (
    rf"(?:(?>{_SCHEME})?+//{_AUTHORITY}(?:/{_run(_PATH)})?+"
    rf"|{_SCHEME}(?!//){_run(_PATH)}"
    rf"|(?!//){_run(_SEGMENT)}(?:/{_run(_PATH)})?+)"
    rf"(?:\?{_run(_QUERY)})?+(?:#{_run(_FRAGMENT)})?+"
)

# Scheme, authority, path, query and fragment of any string, with their delimiters.
_COMPONENTS = rf"(?s:({_SCHEME})?(//(?:{_AUTHORITY}|[^/?#]*+))?([^?#]*+)(\?[^#]*+)?(#.*+)?)"


def is_readable(uri: str) -> bool:
    """Return whether libxml2 reads a normalised namespace name, rules of prefixes aside."""
    return compiled(_REFERENCE).fullmatch(uri) is not None


def percent_encode(uri: str) -> str:
    """Return a namespace name with the characters that libxml2 refuses percent-encoded, as UTF-8.

    Decoding the result equals decoding `uri`. ``u v`` becomes ``u%20v``, ``u#a#b`` ``u#a%23b``, ``1:2`` ``1%3A2``.
    """
    if is_readable(uri):
        return uri
    components = compiled(_COMPONENTS).fullmatch(uri)
    assert components is not None  # the pattern matches every string
    scheme, authority, path, query, fragment = components.groups("")
    if not scheme and not authority:
        first, slash, rest = path.partition("/")
        path = _encode_others(first, _SEGMENT) + slash + _encode_others(rest, _PATH)
    else:
        path = _encode_others(path, _PATH)
    if not is_readable(authority):
        authority = "//" + _encode_authority(authority[2:])
    return (
        scheme
        + authority
        + path
        + _encode_others(query, _QUERY)
        + (fragment and "#" + _encode_others(fragment[1:], _FRAGMENT))
    )


def _encode_authority(authority: str) -> str:
    """Percent-encode an authority, but for the last ``@`` and the colon of a proper port."""
    user, at, host = authority.rpartition("@")
    host, colon, port = host.rpartition(":")
    if not is_readable("//:" + port):
        host, colon, port = host + colon + port, "", ""
    if not compiled(_IP_LITERAL).fullmatch(host):
        host = _encode_others(host, _HOST)
    return _encode_others(user, _USER) + at + host + colon + port


def _encode_others(text: str, allowed: str) -> str:
    """Percent-encode, as UTF-8, characters that `_run` does not match."""
    return percent_encode_matches(compiled(f"%(?![0-9A-Fa-f]{{2}})|[^%{allowed}]+"), text)


def percent_encode_matches(offending: re.Pattern[str], text: str) -> str:
    return offending.sub(_octets, text)


def _octets(match: re.Match[str]) -> str:
    return "%" + match[0].encode().hex("%").upper()
