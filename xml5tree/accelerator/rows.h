/* Flat records of known shapes, one after the other, and the values in them. What a shape is, is in
   xml5tree/output/flatrecords.py.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [p, stop) only, whatever the bytes are. */

#ifndef XML5TREE_ROWS_H
#define XML5TREE_ROWS_H

#include "scanner.h"

/* What comes after the literal of a step, as much as there is of it. The same numbers are in flatrecords.py. */
enum {
    SOME_SPACE, /* one white space at least */
    ANY_SPACE,
    CONTENT,       /* text up to the next tag, CDATA sections included */
    VALUE,         /* of an attribute in quotation marks, without white space that a parser changes */
    SINGLE_QUOTED, /* the same in apostrophes */
    STEP_KINDS,
};

/* A part of a shape. */
typedef struct {
    Slice literal;
    unsigned kind;
} Step;

/* The steps of a shape. The values of each column are in `uses`, one column after the other: numbers of steps, NO_STEP for
   empty text, or LACKING for an item of a list that is not there. `use_ends` has the end of each column in it. */
typedef struct {
    Step *steps;
    size_t step_count;
    size_t *uses;
    size_t *use_ends;
} RecordShape;

#define NO_STEP SIZE_MAX
#define LACKING (SIZE_MAX - 1)

/* What is wanted of a column: the first value; or all of them; but only those that are not empty, or for which something is
   written, which may be an empty CDATA section. */
enum { WANTS_ALL = 1, WANTS_FILLED = 2, WANTS_WRITTEN = 4 };

/* A value, by its places in the source, and once it has been written, in the text of all values; of a column with all
   values, which of the items are those of the record. */
typedef struct {
    size_t begin; /* ABSENT: there is none */
    size_t end;
} Span;

#define ABSENT SIZE_MAX

typedef struct {
    Span *spans;
    size_t count;
    size_t room;
} Spans;

/* The values of records: a span for each column of each record, and the items of columns with all values. */
typedef struct {
    Spans cells;
    Spans items;
    size_t count;
} Found;

static void release_found(Found *found)
{
    free(found->cells.spans);
    free(found->items.spans);
}

/* Add a span; return 0 if there is no memory. */
static int add_span(Spans *spans, size_t begin, size_t end)
{
    if (spans->count == spans->room) {
        size_t room = 2 * spans->room + 256;
        Span *grown = room > SIZE_MAX / 2 / sizeof *grown ? NULL : realloc(spans->spans, room * sizeof *grown);
        if (!grown)
            return 0;
        spans->spans = grown;
        spans->room = room;
    }
    spans->spans[spans->count++] = (Span){begin, end};
    return 1;
}

/* Return whether a byte is white space, of which a clean run has no carriage returns. */
static int is_plain_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t';
}

static const char SECTION[] = "<![CDATA[";
enum { BEFORE_SECTION = sizeof SECTION - 1, AFTER_SECTION = 3 /* ]]> */ };

/* Return the next "<" that begins no CDATA section; NULL if there is none. */
static const uint8_t *skip_content(const uint8_t *p, const uint8_t *stop)
{
    while ((p = memchr(p, '<', (size_t)(stop - p))) != NULL && starts_with(p, stop, SECTION, BEFORE_SECTION)) {
        p = find_text(p + BEFORE_SECTION, stop, "]]>", AFTER_SECTION);
        if (!p)
            return NULL;
        p += AFTER_SECTION;
    }
    return p;
}

/* Return whether a value is empty, as it is with nothing but empty CDATA sections in it. */
static int is_empty(const uint8_t *p, const uint8_t *stop)
{
    while (starts_with(p, stop, "<![CDATA[]]>", BEFORE_SECTION + AFTER_SECTION))
        p += BEFORE_SECTION + AFTER_SECTION;
    return p == stop;
}

/* Return the end of a record of a shape, and set what comes after the literal of each step; NULL if there is none. */
static const uint8_t *match_record(const RecordShape *shape, const uint8_t *p, const uint8_t *stop, Slice *after)
{
    for (size_t i = 0; i < shape->step_count; i++) {
        const Step *step = &shape->steps[i];
        size_t length = step->literal.length;
        if ((size_t)(stop - p) < length || memcmp(p, step->literal.start, length) != 0)
            return NULL;
        p += length;
        const uint8_t *begin = p;
        switch (step->kind) {
        case CONTENT:
            p = skip_content(p, stop);
            if (!p)
                return NULL;
            break;
        case VALUE:
        case SINGLE_QUOTED: {
            const uint8_t quote = step->kind == VALUE ? '"' : '\'';
            while (p < stop && *p != quote && *p != '<' && *p != '\t' && *p != '\n')
                p++;
            break;
        }
        default:
            while (p < stop && is_plain_space(*p))
                p++;
            if (p == begin && step->kind == SOME_SPACE)
                return NULL;
        }
        after[i] = (Slice){begin, (size_t)(p - begin)};
    }
    return p;
}

/* Add the values of a record. 0: there is no memory. */
static int add_record(Found *found, const RecordShape *shape, const uint8_t *modes, size_t width, const uint8_t *source,
                      const Slice *after)
{
    size_t use = 0;
    for (size_t column = 0; column < width; column++) {
        size_t begin = ABSENT, end = 0, first_item = found->items.count;
        for (; use < shape->use_ends[column]; use++) {
            size_t number = shape->uses[use], at = 0, length = 0;
            if (number == LACKING) {
                if (modes[column] & WANTS_ALL && !add_span(&found->items, ABSENT, 0))
                    return 0;
                continue;
            }
            if (number != NO_STEP) {
                at = (size_t)(after[number].start - source);
                length = after[number].length;
            }
            if ((modes[column] & WANTS_WRITTEN && !length) ||
                (modes[column] & WANTS_FILLED && is_empty(source + at, source + at + length)))
                continue;
            if (modes[column] & WANTS_ALL) {
                if (!add_span(&found->items, at, at + length))
                    return 0;
            } else if (begin == ABSENT) {
                begin = at;
                end = at + length;
            }
        }
        if (modes[column] & WANTS_ALL) {
            begin = first_item;
            end = found->items.count;
        }
        if (!add_span(&found->cells, begin, end))
            return 0;
    }
    found->count++;
    return 1;
}

/* Find records of known shapes from `*p` on, and set `*p` to the end of the last one. 0: there is no memory.

   `after` has room for the most steps of a shape; `modes` has what is wanted of each of the `width` columns. */
static int find_records(const RecordShape *shapes, size_t shape_count, const uint8_t *modes, size_t width,
                        const uint8_t *source, const uint8_t **p, const uint8_t *stop, Slice *after, Found *found)
{
    size_t last = 0; /* no record has two shapes, so they can be tried in any order */
    for (;;) {
        const uint8_t *end = NULL;
        for (size_t i = 0; i < shape_count && !end; i++) {
            size_t number = (last + i) % shape_count;
            end = match_record(&shapes[number], *p, stop, after);
            if (end)
                last = number;
        }
        if (!end || end == *p)
            return 1;
        if (!add_record(found, &shapes[last], modes, width, source, after))
            return 0;
        *p = end;
    }
}

/* Text of values ---------------------------------------------------------------------------------------------------- */

/* Write text of a clean run without its references; return the end of what is written, which is no longer. */
static uint8_t *write_plain(const uint8_t *p, const uint8_t *stop, uint8_t *out)
{
    while (p < stop) {
        const uint8_t *next = memchr(p, '&', (size_t)(stop - p));
        size_t plain = (size_t)((next ? next : stop) - p);
        memcpy(out, p, plain);
        out += plain;
        if (!next)
            break;
        uint32_t code;
        p = read_reference(next, stop, &code);
        if (p) {
            out += write_character(code, out);
        } else {
            *out++ = '&';
            p = next + 1;
        }
    }
    return out;
}

/* Write a value of a clean run as a parser reads it, and return its length, which is not greater than that of the value. */
static size_t write_text(Slice value, uint8_t *to)
{
    const uint8_t *p = value.start, *stop = p + value.length, *section, *end;
    uint8_t *out = to;
    while ((section = memchr(p, '<', (size_t)(stop - p))) != NULL &&
           starts_with(section, stop, SECTION, BEFORE_SECTION) &&
           (end = find_text(section + BEFORE_SECTION, stop, "]]>", AFTER_SECTION)) != NULL) {
        out = write_plain(p, section, out);
        p = section + BEFORE_SECTION;
        memcpy(out, p, (size_t)(end - p));
        out += end - p;
        p = end + AFTER_SECTION;
    }
    return (size_t)(write_plain(p, stop, out) - to);
}

/* Return how many bytes the texts of some spans have at most; every `width`th span is of a column of `modes`, or all
   are. */
static size_t measure_spans(const Spans *spans, const uint8_t *modes, size_t width)
{
    size_t size = 0;
    for (size_t i = 0; i < spans->count; i++) {
        if (spans->spans[i].begin != ABSENT && !(modes && modes[i % width] & WANTS_ALL))
            size += spans->spans[i].end - spans->spans[i].begin;
    }
    return size;
}

/* Write the texts of some spans from a place of `text` on, and note their places in the spans; see `measure_spans`. Return the
   end of the last text. */
static size_t write_spans(Spans *spans, const uint8_t *modes, size_t width, const uint8_t *source, uint8_t *text, size_t place)
{
    for (size_t i = 0; i < spans->count; i++) {
        Span *span = &spans->spans[i];
        if (span->begin == ABSENT || (modes && modes[i % width] & WANTS_ALL))
            continue;
        Slice value = {source + span->begin, span->end - span->begin};
        *span = (Span){place, place + write_text(value, text + place)};
        place = span->end;
    }
    return place;
}

#endif
