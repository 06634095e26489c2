"""Namespace names that libxml2's parser reads, and a percent-encoding for the others (D-122).

libxml2 refuses a namespace name that is not a URI reference in the sense of RFC 3986. Its reading of that grammar has
three peculiarities, which the patterns below copy:

* a fragment may contain ``[`` and ``]``;
* the brackets of an IP literal may enclose anything but ``]``;
* a port is not empty, and at most 2147483647.

Two rules about namespace names belong to the declaration and are not looked at here: the empty name, which is readable
for the default namespace only (D-117), and the two reserved names (D-118).
"""

import re

__all__ = ["is_readable", "percent_encode", "percent_encode_matches"]

# The insides of sets: the characters that each component may contain, other than percent-encoded octets.
# Repetitions are possessive throughout, so that a match takes time linear in the length of the name.
_HOST = r"A-Za-z0-9\-._~!$&'()*+,;="  # unreserved / sub-delims
_USER = _HOST + ":"
_SEGMENT = _HOST + "@"  # first segment of a reference without scheme
_PATH = _HOST + ":@/"
_QUERY = _HOST + ":@/?"
_FRAGMENT = _HOST + r":@/?\[\]"


def _run(allowed: str) -> str:
    """Return the pattern of any number of characters of a set and percent-encoded octets."""
    return f"[{allowed}]*+(?:%[0-9A-Fa-f]{{2}}[{allowed}]*+)*+"


def _offending(allowed: str) -> re.Pattern[str]:
    """Compile the pattern of what `_run` does not match."""
    return re.compile(f"%(?![0-9A-Fa-f]{{2}})|[^%{allowed}]+")


_SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*+:"
_IP_LITERAL = r"\[[^\]]*+\]"
_PORT = (
    "0*+(?:[0-9]{0,9}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7}|214[0-6][0-9]{6}|2147[0-3][0-9]{5}|21474[0-7][0-9]{4}"
    "|214748[0-2][0-9]{3}|2147483[0-5][0-9]{2}|21474836[0-3][0-9]|214748364[0-7])(?<=[0-9])(?![0-9])"
)
_AUTHORITY = rf"(?:{_run(_USER)}@)?+(?:{_IP_LITERAL}|{_run(_HOST)})(?::{_PORT})?+(?=[/?#]|\Z)"

_REFERENCE = re.compile(
    rf"(?:(?:{_SCHEME})?+//{_AUTHORITY}(?:/{_run(_PATH)})?+"
    rf"|{_SCHEME}(?!//){_run(_PATH)}"
    rf"|(?!//){_run(_SEGMENT)}(?:/{_run(_PATH)})?+)"
    rf"(?:\?{_run(_QUERY)})?+(?:#{_run(_FRAGMENT)})?+"
)

# Scheme, authority, path, query and fragment of any string, with their delimiters.
_COMPONENTS = re.compile(rf"(?s:({_SCHEME})?(//(?:{_AUTHORITY}|[^/?#]*+))?([^?#]*+)(\?[^#]*+)?(#.*+)?)")

_IS_IP_LITERAL = re.compile(_IP_LITERAL)

_NOT_HOST = _offending(_HOST)
_NOT_USER = _offending(_USER)
_NOT_SEGMENT = _offending(_SEGMENT)
_NOT_PATH = _offending(_PATH)
_NOT_QUERY = _offending(_QUERY)
_NOT_FRAGMENT = _offending(_FRAGMENT)


def is_readable(uri: str) -> bool:
    """Tell whether libxml2 reads a namespace name (the normalised attribute value), for a prefix and as default alike.

    True for the empty and the reserved names, on which other rules decide.
    """
    return _REFERENCE.fullmatch(uri) is not None


def percent_encode(uri: str) -> str:
    """Percent-encode, as UTF-8, what libxml2 refuses in a namespace name; a readable name is returned as it is.

    Decoding the result gives what decoding `uri` gives. ``u v`` becomes ``u%20v``, ``u#a#b`` becomes ``u#a%23b``,
    ``1:2`` becomes ``1%3A2``.
    """
    if is_readable(uri):
        return uri
    components = _COMPONENTS.fullmatch(uri)
    assert components is not None  # the pattern matches every string
    scheme, authority, path, query, fragment = components.groups("")
    if not scheme and not authority:
        first, slash, rest = path.partition("/")
        path = percent_encode_matches(_NOT_SEGMENT, first) + slash + percent_encode_matches(_NOT_PATH, rest)
    else:
        path = percent_encode_matches(_NOT_PATH, path)
    if not is_readable(authority):
        authority = "//" + _encode_authority(authority[2:])
    return (
        scheme
        + authority
        + path
        + percent_encode_matches(_NOT_QUERY, query)
        + (fragment and "#" + percent_encode_matches(_NOT_FRAGMENT, fragment[1:]))
    )


def _encode_authority(authority: str) -> str:
    """Percent-encode what libxml2 refuses in an authority: the last ``@`` and a proper port's colon keep their role."""
    user, at, host = authority.rpartition("@")
    host, colon, port = host.rpartition(":")
    if not is_readable("//:" + port):
        host, colon, port = host + colon + port, "", ""
    if not _IS_IP_LITERAL.fullmatch(host):
        host = percent_encode_matches(_NOT_HOST, host)
    return percent_encode_matches(_NOT_USER, user) + at + host + colon + port


def percent_encode_matches(offending: re.Pattern[str], text: str) -> str:
    """Percent-encode, as UTF-8, every match of a pattern."""
    return offending.sub(_octets, text)


def _octets(match: re.Match[str]) -> str:
    """Percent-encode one match."""
    return "%" + match[0].encode().hex("%").upper()
