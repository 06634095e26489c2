/* Prefixes and their namespaces. Nothing here knows of Python. */

#ifndef XML5TREE_NAMESPACES_H
#define XML5TREE_NAMESPACES_H

#include "run.h"

static const char XML_NAMESPACE[] = "http://www.w3.org/XML/1998/namespace", XMLNS_NAMESPACE[] = "http://www.w3.org/2000/xmlns/";

/* Return the innermost binding of a prefix, or (`is_written`) the innermost one that the markup has, too. */
static Binding find_binding(const Scanner *scanner, Slice prefix, int is_written)
{
    const Surroundings *around = scanner->around;
    for (size_t i = scanner->scope_count; i-- > 0;) {
        const Binding *binding = &scanner->scopes[i].binding;
        if (same(binding->prefix, prefix) && !(is_written && binding->meaning != PLAIN))
            return *binding;
    }
    for (size_t i = 0; i < around->binding_count; i++) {
        Binding found = around->bindings[i];
        if (same(found.prefix, prefix)) { /* what is asked for often comes to the beginning, as there may be many */
            around->bindings[i] = around->bindings[i / 2];
            around->bindings[i / 2] = found;
            return found;
        }
    }
    return is_text(prefix, "xml") ? (Binding){prefix, slice_of(XML_NAMESPACE), PLAIN} : (Binding){prefix, prefix, UNBOUND};
}

/* The most prefixes that are bound at the same place of a run; they are looked through one by one. */
enum { MOST_SCOPES = 128 };

/* Bind a prefix at the element of the current tag; 0 where the states must do it. */
static int bind_prefix(Scanner *scanner, Slice prefix, Slice uri, Meaning meaning)
{
    if (scanner->scope_count >= MOST_SCOPES)
        return 0;
    Scope *scopes = room_in(scanner, scanner->scopes, scanner->scope_count, &scanner->scope_room, sizeof *scopes);
    if (!scopes)
        return 0;
    scanner->scopes = scopes;
    scopes[scanner->scope_count++] = (Scope){{prefix, uri, meaning}, scanner->opened_count};
    return 1;
}

/* Return whether a name is `xmlns` or has that prefix. */
static inline int declares(Slice name)
{
    return name.length >= 5 && memcmp(name.start, "xmlns", 5) == 0 && (name.length == 5 || name.start[5] == ':');
}

/* Parts of a URI, and the characters besides ASCII letters and digits that may be in each. */
enum { SCHEME = 1, HOST = 2, SEGMENT = 4, PATH = 8, QUERY = 16, AFTER_SCHEME = HOST | SEGMENT | PATH | QUERY, ANY_PART = 31 };
static const uint8_t IN_URI[128] = {
    ['-'] = ANY_PART,     ['.'] = ANY_PART,     ['+'] = ANY_PART,     ['_'] = AFTER_SCHEME, ['~'] = AFTER_SCHEME,
    ['!'] = AFTER_SCHEME, ['$'] = AFTER_SCHEME, ['('] = AFTER_SCHEME, [')'] = AFTER_SCHEME, ['*'] = AFTER_SCHEME,
    [','] = AFTER_SCHEME, [';'] = AFTER_SCHEME, ['='] = AFTER_SCHEME, ['@'] = SEGMENT | PATH | QUERY,
    [':'] = PATH | QUERY, ['/'] = PATH | QUERY, ['?'] = QUERY,
};

/* Return where characters end of which each may be in a part of a URI. */
static const uint8_t *skip_part(const uint8_t *p, const uint8_t *end, uint8_t part)
{
    while (p < end && ((*p >= '0' && *p <= '9') || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') ||
                       (*p < 0x80 && IN_URI[*p] & part)))
        p++;
    return p;
}

/* Return whether a namespace name is certainly a URI reference that all native parsers take as it stands: one of ASCII,
   without percent-encoding, brackets and a user; see xml5tree/xml/uris.py. */
static int is_plain_uri(Slice uri)
{
    const uint8_t *p = uri.start, *end = p + uri.length;
    const uint8_t *scheme = skip_part(p, end, SCHEME);
    int has_scheme = scheme > p && scheme < end && *scheme == ':' && (*p | 0x20) >= 'a';
    if (has_scheme)
        p = scheme + 1;
    if (starts_with(p, end, "//", 2)) {
        p = has_scheme ? skip_part(p + 2, end, HOST) : p;
        if (has_scheme && p < end && *p == ':') {
            const uint8_t *port = ++p;
            while (p < end && *p >= '0' && *p <= '9')
                p++;
            if (p == port || p - port > 9)
                return 0;
        }
        if (!has_scheme || (p < end && *p != '/' && *p != '?' && *p != '#'))
            return 0;
    } else if (!has_scheme) {
        p = skip_part(p, end, SEGMENT);
        if (p < end && *p != '/' && *p != '?' && *p != '#')
            return 0;
    }
    p = skip_part(p, end, PATH);
    if (p < end && *p == '?')
        p = skip_part(p + 1, end, QUERY);
    if (p < end && *p == '#')
        p = skip_part(p + 1, end, QUERY);
    return p == end;
}

#endif
