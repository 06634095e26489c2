/* Reads the tags of a text as the pattern `TOKEN` of xml5tree/dialects/xml5/intent/window.py does.

   Like scanner.h, it knows nothing of Python, reads [p, stop) only, whatever the bytes are, and has no recursion. It stops
   before a token that might change if more text followed, so that the result does not depend on where a chunk ends. It also
   stops before a name whose first character only Python can tell to be a letter. */

#ifndef XML5TREE_TAGS_H
#define XML5TREE_TAGS_H

#include "scanner.h"

/* The kinds of tags. IS_TEXT stands for text, IS_PASSED_OVER for a token that is passed over. */
enum { IS_START, IS_EMPTY, IS_END, IS_TEXT, IS_PASSED_OVER };

/* Names are numbered in the order in which they come. These two come first. */
enum { NO_NAME, TEXT_CHILD };

typedef struct {
    size_t start; /* in the bytes of all names */
    size_t length;
    uint32_t hash;
} Name;

typedef struct {
    uint8_t *bytes;
    size_t size;
    size_t byte_room;
    Name *items;
    size_t count;
    size_t room;
    uint32_t *slots; /* a hash table: 0, or a name's number and 1 */
    size_t slot_count;
    uint32_t seed;
} Names;

/* Places are characters of the document. */
typedef struct {
    long long start; /* of its token */
    long long end;   /* of its token, after the white space that follows and the first character of text */
    uint32_t name;
    uint32_t kind;
} Tag;

/* Tags of consecutive tokens. */
typedef struct {
    Names names;
    Tag *items;
    size_t count;
    size_t room;
    size_t sure; /* tags from this index on were read by Python, and hold for one end of the window only */
} Tags;

/* Names -------------------------------------------------------------------------------------------------------------- */

static uint32_t hash_of_name(const Names *names, Slice name)
{
    uint32_t hash = names->seed;
    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ name.start[i]) * 16777619u;
    return hash ^ (hash >> 15);
}

static int grow_names(Names *names)
{
    size_t count = names->slot_count ? 2 * names->slot_count : 256;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return 0;
    for (size_t i = 0; i < names->count; i++) {
        size_t slot = names->items[i].hash & (count - 1);
        while (slots[slot])
            slot = (slot + 1) & (count - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    return 1;
}

static int add_name(Names *names, Slice name, uint32_t hash)
{
    Name *items = with_room(names->items, names->count, &names->room, sizeof *items);
    if (!items)
        return 0;
    names->items = items;
    if (name.length > names->byte_room - names->size) {
        if (name.length > SIZE_MAX / 4 || names->size > SIZE_MAX / 4)
            return 0;
        size_t room = 2 * (names->size + name.length) + 256;
        uint8_t *bytes = realloc(names->bytes, room);
        if (!bytes)
            return 0;
        names->bytes = bytes;
        names->byte_room = room;
    }
    if (name.length)
        memcpy(names->bytes + names->size, name.start, name.length);
    items[names->count++] = (Name){names->size, name.length, hash};
    names->size += name.length;
    return 1;
}

/* Set the number of a name; return 0 where memory is short. */
static int number_of(Names *names, Slice name, uint32_t *number)
{
    if (2 * names->count >= names->slot_count && !grow_names(names))
        return 0;
    uint32_t hash = hash_of_name(names, name);
    size_t mask = names->slot_count - 1, slot = hash & mask;
    for (; names->slots[slot]; slot = (slot + 1) & mask) {
        const Name *item = &names->items[names->slots[slot] - 1];
        if (item->hash == hash && same((Slice){names->bytes + item->start, item->length}, name)) {
            *number = names->slots[slot] - 1;
            return 1;
        }
    }
    if (names->count >= UINT32_MAX || !add_name(names, name, hash))
        return 0;
    *number = (uint32_t)names->count - 1;
    names->slots[slot] = (uint32_t)names->count;
    return 1;
}

static void release_names(Names *names)
{
    free(names->bytes);
    free(names->items);
    free(names->slots);
    memset(names, 0, sizeof *names); /* so that a second call is harmless */
}

/* Begin with the names of NO_NAME and TEXT_CHILD; 0 where memory is short. */
static int begin_names(Names *names, unsigned long seed)
{
    uint32_t number;
    memset(names, 0, sizeof *names);
    names->seed = (uint32_t)(seed & UINT32_MAX);
    if (number_of(names, (Slice){(const uint8_t *)"", 0}, &number) && number == NO_NAME &&
        number_of(names, (Slice){(const uint8_t *)"#text", 5}, &number) && number == TEXT_CHILD)
        return 1;
    release_names(names);
    return 0;
}

static void release_tags(Tags *tags)
{
    release_names(&tags->names);
    free(tags->items);
    memset(tags, 0, sizeof *tags);
}

/* Begin without tags; 0 where memory is short. */
static int begin_tags(Tags *tags, unsigned long seed)
{
    memset(tags, 0, sizeof *tags);
    return begin_names(&tags->names, seed);
}

/* Markup ------------------------------------------------------------------------------------------------------------- */

/* Text that counts, after a token's markup. */
typedef enum { NO_TEXT, SOME_TEXT, PERHAPS_TEXT } Text;

/* The kind and name of a token, and whether it has text. PERHAPS_TEXT: what follows the markup tells. */
typedef struct {
    uint32_t kind;
    Slice name;
    Text text;
} Shape;

/* Return whether a name begins here; -1 where that is not known. */
static int begins_name(const uint8_t *p, const uint8_t *stop)
{
    uint32_t code = *p;
    if (code >= 0x80 && decode(p, stop, &code) == 0)
        return -1;
    return class_of(code) & FIRST_IN_FIFTH ? 1 : code < 0x80 ? 0 : -1;
}

static int is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static int is_in_number(uint8_t byte)
{
    uint8_t lower = byte | 0x20;
    return is_digit(byte) || (lower >= 'a' && lower <= 'z') || byte == '_' || byte == '.' || byte == '-';
}

/* Return whether a number is the name of the tag here, and all that it has (`NUMBER` in dialects/xml5/lexis.py); -1 where
   that is not known. */
static int has_number(const uint8_t *p, const uint8_t *stop, int is_end_tag)
{
    if (!is_digit(*p))
        return 0;
    while (p < stop && is_in_number(*p))
        p++;
    p = skip_spaces(p, stop);
    if (p < stop && *p == '/' && !is_end_tag)
        p++;
    return p >= stop ? -1 : *p == '>';
}

/* Return where a section ends, after its terminator; `p` is the end of its opening. Return `p` if another opening of the
   kind comes first, NULL if neither comes. "<!--" or "<?" before ">" are no openings, but part of a terminator. */
static const uint8_t *skip_section(const uint8_t *p, const uint8_t *stop, const char *opening, const char *terminator)
{
    size_t opening_length = strlen(opening), length = strlen(terminator);
    int is_cdata = opening_length == 9;
    for (const uint8_t *q = p; (q = find_either(q, stop, '<', (uint8_t)*terminator)) < stop; q++) {
        if (*q != '<') {
            if (starts_with(q, stop, terminator, length))
                return q + length;
        } else if (starts_with(q, stop, opening, opening_length)) {
            if (is_cdata)
                return p;
            if ((size_t)(stop - q) == opening_length)
                return NULL;
            if (q[opening_length] != '>')
                return p;
        }
    }
    return NULL;
}

/* Return the end of the section whose "<" is here, or of its "<" alone if it is no section; NULL if that is not known. */
static const uint8_t *read_passed_over(const uint8_t *p, const uint8_t *stop, Shape *shape)
{
    static const struct {
        const char *opening;
        const char *terminator;
        Text text;
    } kinds[] = {{"<?", "?>", PERHAPS_TEXT}, {"<!--", "-->", PERHAPS_TEXT}, {"<![CDATA[", "]]>", SOME_TEXT}};
    if (stop - p < 9)
        return NULL;
    int has_target = p[1] == '?' ? begins_name(p + 2, stop) : 1; /* without one, the "<?" may be text */
    if (has_target < 0)
        return NULL;
    for (size_t i = 0; has_target && i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].opening);
        if (!starts_with(p, stop, kinds[i].opening, length))
            continue;
        const uint8_t *end = skip_section(p + length, stop, kinds[i].opening, kinds[i].terminator);
        if (end == p + length)
            break;
        shape->text = kinds[i].text;
        return end;
    }
    shape->text = NO_TEXT;
    return p + 1;
}

/* Return the end of the markup whose "<" is here; NULL if that is not known. */
static const uint8_t *read_form(const uint8_t *p, const uint8_t *stop, Shape *shape)
{
    *shape = (Shape){IS_PASSED_OVER, {p, 0}, PERHAPS_TEXT};
    if (++p >= stop)
        return NULL;
    if (*p == '!' || *p == '?')
        return read_passed_over(p - 1, stop, shape);
    const uint8_t *start = *p == '/' ? skip_spaces(p + 1, stop) : p;
    int has_name = start < stop ? begins_name(start, stop) : -1;
    if (!has_name)
        has_name = has_number(start, stop, *p == '/');
    if (has_name < 0)
        return NULL;
    const uint8_t *end = start;
    while (has_name && end < stop && !ends_tag_name(*end))
        end++;
    if (end >= stop)
        return NULL;
    Slice name = {start, (size_t)(end - start)};
    if (*p == '/') {
        shape->kind = has_name || p[1] == '>' ? IS_END : IS_PASSED_OVER;
        shape->name = name;
        end = find_either(end, stop, '<', '>');
        return end >= stop ? NULL : *end == '>' ? end + 1 : end;
    }
    if (!has_name || !(is_space(*end) || *end == '/' || *end == '>'))
        return p;
    const uint8_t *after = skip_inside(end, stop);
    if (!after || after == end)
        return after ? p : NULL;
    const uint8_t *last = after[-1] == '>' ? after - 2 : after - 1;
    shape->kind = *last == '/' ? IS_EMPTY : IS_START;
    shape->name = name;
    return after;
}

/* Tokens ------------------------------------------------------------------------------------------------------------- */

/* Add a tag; 0 where memory is short. */
static int add_tag(Tags *tags, long long start, long long end, uint32_t kind, uint32_t name)
{
    Tag *items = with_room(tags->items, tags->count, &tags->room, sizeof *items);
    if (!items)
        return 0;
    tags->items = items;
    items[tags->count++] = (Tag){start, end, name, kind};
    return 1;
}

/* A place in the bytes, and in the document. */
typedef struct {
    const uint8_t *p;
    long long offset;
} Place;

static void go_to(Place *place, const uint8_t *p)
{
    size_t newlines, continuations;
    count_bytes(place->p, p, &newlines, &continuations);
    place->offset += (p - place->p) - (long long)continuations;
    place->p = p;
}

/* Read tokens from a place on, and move the place to the first token that cannot be taken, or to `stop`. 0 where memory
   is short. */
static int read_tags(Tags *tags, Place *place, const uint8_t *stop)
{
    const uint8_t *p = place->p;
    while ((p = memchr(p, '<', (size_t)(stop - p))) != NULL) {
        Shape shape;
        go_to(place, p);
        const uint8_t *end = read_form(p, stop, &shape);
        if (end)
            end = skip_spaces(end, stop);
        if (!end || end >= stop)
            return 1;
        if (shape.text == PERHAPS_TEXT)
            shape.text = *end == '<' ? NO_TEXT : SOME_TEXT;
        long long start = place->offset;
        go_to(place, end);
        long long last = place->offset + (*end != '<');
        uint32_t name;
        if (!number_of(&tags->names, shape.name, &name))
            return 0;
        if ((shape.kind != IS_PASSED_OVER || shape.text == NO_TEXT) && !add_tag(tags, start, last, shape.kind, name))
            return 0;
        if (shape.text == SOME_TEXT && !add_tag(tags, start, last, IS_TEXT, TEXT_CHILD))
            return 0;
        p = end;
    }
    go_to(place, stop);
    return 1;
}

/* Return the index of the first tag whose token begins at an offset or after it. */
static size_t find_tag(const Tags *tags, long long offset)
{
    size_t low = 0, high = tags->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tags->items[middle].start < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
