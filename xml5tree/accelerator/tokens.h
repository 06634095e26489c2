/* The tokens of runs without doubted errors, as the pattern `TOKEN` of xml5tree/dialects/xml5/intent/runs/tokens.py finds
   them.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [start, stop) of the data only, whatever the bytes
   are. There is no recursion, and every count is bounded by the number of bytes. */

#ifndef XML5TREE_TOKENS_H
#define XML5TREE_TOKENS_H

#include "scanner.h"

/* Flags of a token. */
enum {
    END_TAG = 1,
    EMPTY_TAG = 2,
    CDATA = 4,
    BLANK = 8, /* a CDATA section of white space */
    TEXT = 16, /* text that is not white space comes after it */
    LEAF = 32, /* then an end tag of its name does; after END_TAG, a second one */
    TAIL = 64, /* and then such text */
};

/* A tag, comment, CDATA section or instruction, with what follows it up to the next `<`. */
typedef struct {
    const uint8_t *end;
    Slice name; /* of a tag; else it is empty */
    unsigned flags;
} Token;

/* Tokens ----------------------------------------------------------------------------------------------------------- */

static const uint8_t *skip_blank(const uint8_t *p, const uint8_t *stop)
{
    while (p < stop && is_space(*p))
        p++;
    return p;
}

/* Return whether the `<` here begins markup; else it is text, as the scan has found. */
static int begins_markup(const uint8_t *p, const uint8_t *stop)
{
    return p + 1 < stop && !(is_space(p[1]) || p[1] == ':' || p[1] == '<' || p[1] == '>');
}

/* Return where the text that begins here ends; if it is not white space, the flag is set. */
static const uint8_t *pass_text(const uint8_t *p, const uint8_t *stop, unsigned *flags, unsigned flag)
{
    p = skip_blank(p, stop);
    if (p == stop || (*p == '<' && begins_markup(p, stop)))
        return p;
    *flags |= flag;
    while ((p = memchr(p, '<', (size_t)(stop - p))) != NULL && !begins_markup(p, stop))
        p++;
    return p ? p : stop;
}

/* Return where a comment, CDATA section or instruction ends; NULL where another one seems to begin in it, which the
   states have to see. */
static const uint8_t *read_section(const uint8_t *p, const uint8_t *stop, unsigned *flags)
{
    const uint8_t *content, *end;
    if (starts_with(p, stop, "<!--", 4)) {
        end = find_text(p + 4, stop, "-->", 3);
        return end ? end + 3 : NULL;
    }
    if (starts_with(p, stop, "<![CDATA[", 9)) {
        content = p + 9;
        end = find_text(content, stop, "]]>", 3);
        if (!end || find_text(content, end, "<![CDATA[", 9))
            return NULL;
        *flags = CDATA | (skip_blank(content, end) == end ? BLANK : 0);
        return end + 3;
    }
    if (!starts_with(p, stop, "<?", 2))
        return NULL;
    content = p + 2;
    end = find_text(content, stop, "?>", 2);
    return end && !find_text(content, end, "<?", 2) ? end + 2 : NULL;
}

static int ends_name(uint8_t byte)
{
    return is_space(byte) || byte == '/' || byte == '>' || byte == '!' || byte == '?';
}

/* Return where a tag ends; NULL where none begins here. There are three bytes at least. */
static const uint8_t *read_whole_tag(const uint8_t *p, const uint8_t *stop, Token *token)
{
    int is_end_tag = p[1] == '/';
    const uint8_t *name = p + (is_end_tag ? 2 : 1);
    token->flags = is_end_tag ? END_TAG : 0;
    for (p = name; p < stop && !ends_name(*p); p++)
        ;
    token->name = (Slice){name, (size_t)(p - name)};
    for (; p < stop && *p != '>'; p++) {
        if (*p == '"' || *p == '\'') {
            p = memchr(p + 1, *p, (size_t)(stop - p - 1));
            if (!p)
                return NULL;
        }
    }
    if (p >= stop || !token->name.length)
        return NULL;
    if (p[-1] == '/')
        token->flags |= EMPTY_TAG;
    return p + 1;
}

/* Return where the end tag of a name that begins here ends; NULL where none begins. */
static const uint8_t *read_end_of(const uint8_t *p, const uint8_t *stop, Slice name)
{
    if ((size_t)(stop - p) <= 2 + name.length || p[0] != '<' || p[1] != '/' ||
        memcmp(p + 2, name.start, name.length) != 0)
        return NULL;
    p = skip_blank(p + 2 + name.length, stop);
    return p < stop && *p == '>' ? p + 1 : NULL;
}

/* Read the token that begins here; 0 where the states have to read it, or it does not end. */
static int read_token(const uint8_t *p, const uint8_t *stop, Token *token)
{
    const uint8_t *end;
    *token = (Token){p, {p, 0}, 0};
    if (stop - p < 3 || *p != '<')
        return 0;
    end = p[1] == '!' || p[1] == '?' ? read_section(p, stop, &token->flags) : read_whole_tag(p, stop, token);
    if (!end)
        return 0;
    end = pass_text(end, stop, &token->flags, TEXT);
    token->end = end;
    if (token->name.length && (end = read_end_of(end, stop, token->name)) != NULL) {
        token->flags |= LEAF;
        token->end = pass_text(end, stop, &token->flags, TAIL);
    }
    return 1;
}

/* Return where the token begins that ends the current element; NULL if that is not among the first `most` tags from a
   place on, in `reach` bytes. */
static const uint8_t *find_end(const uint8_t *p, const uint8_t *stop, unsigned most, size_t reach)
{
    const uint8_t *begun = p;
    size_t depth = 0; /* how many elements are open in it */
    Token token;
    for (; read_token(p, stop, &token); p = token.end) {
        if ((size_t)(token.end - begun) > reach)
            return NULL;
        if (!token.name.length)
            continue;
        if (!most--)
            return NULL;
        if (!(token.flags & END_TAG))
            depth += !(token.flags & EMPTY_TAG);
        else if (!depth--)
            return p;
        if (!(token.flags & LEAF))
            continue;
        if (!most--)
            return NULL;
        if (!depth--)
            return p;
    }
    return NULL;
}

/* The number of elements around one that `is_flat` looks at. */
enum { MOST_FLAT = 64 };

/* Return whether a part of a run is one element with what is around it, and no element is in another of its name. */
static int is_flat(const uint8_t *p, const uint8_t *stop)
{
    Slice open[MOST_FLAT];
    size_t depth = 0, roots = 0;
    Token token;
    for (p = skip_blank(p, stop); p < stop; p = token.end) {
        if (!read_token(p, stop, &token))
            return 0;
        if (!token.name.length)
            continue;
        if (token.flags & END_TAG) {
            if (!depth-- || token.flags & LEAF || !same(open[depth], token.name))
                return 0;
            continue;
        }
        for (size_t i = 0; i < depth; i++) {
            if (same(open[i], token.name))
                return 0;
        }
        if (depth == MOST_FLAT || (!depth && roots++))
            return 0;
        if (!(token.flags & (EMPTY_TAG | LEAF)))
            open[depth++] = token.name;
    }
    return roots && !depth;
}

#endif
