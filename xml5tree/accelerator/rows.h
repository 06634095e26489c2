/* Records of known parts, one after the other, and the values in them. What a part is, is in
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

typedef struct {
    Slice literal;
    unsigned kind;
} Step;

/* A value of a column: what comes after the literal of a step, by the number of the step; NO_STEP for empty text, or LACKING
   for an item of a list that is not there. */
typedef struct {
    size_t column;
    size_t step;
} Use;

#define NO_STEP SIZE_MAX
#define LACKING (SIZE_MAX - 1)

/* What a part is of a record. One that is neither comes after the start, any number of times. */
enum { STARTS = 1, ENDS = 2 };

/* A part of records: a tag, or an element. A record has one part of a group at most; NO_GROUP: as many as there are. */
typedef struct {
    Step *steps;
    size_t step_count;
    Use *uses;
    size_t use_count;
    unsigned role;
    size_t group; /* a number less than that of the parts */
} Part;

#define NO_GROUP SIZE_MAX

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
    Span *grown = with_room(spans->spans, spans->count, &spans->room, sizeof *grown);
    if (!grown)
        return 0;
    spans->spans = grown;
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

/* Return where a part ends that begins here, and set what comes after the literal of each step; NULL if none does. */
static const uint8_t *match_part(const Part *part, const uint8_t *p, const uint8_t *stop, Slice *after)
{
    for (size_t i = 0; i < part->step_count; i++) {
        const Step *step = &part->steps[i];
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

/* A value of the column that has all of them. */
typedef struct {
    size_t column;
    Span span;
} Item;

/* What is known while records are looked for. */
typedef struct {
    const Part *parts;
    size_t part_count;
    const uint8_t *modes; /* what is wanted of each column */
    size_t width;
    const uint8_t *source;
    size_t *next;  /* the part that came after each part, and after what is before the records, the last time */
    size_t *seen;  /* the number of the last record with a part of each group, from 1 */
    Slice *after;  /* what comes after the literals of the part that was found last */
    Span *cells;   /* of the record */
    Item *items;   /* of all columns of the record */
    size_t item_count;
    size_t item_room;
} Finder;

static int add_item(Finder *finder, size_t column, Span span)
{
    Item *grown = with_room(finder->items, finder->item_count, &finder->item_room, sizeof *grown);
    if (!grown)
        return 0;
    finder->items = grown;
    finder->items[finder->item_count++] = (Item){column, span};
    return 1;
}

/* Add the values in the part that was found last. 0: there is no memory. */
static int add_values(Finder *finder, const Part *part)
{
    for (size_t i = 0; i < part->use_count; i++) {
        const Use use = part->uses[i];
        const unsigned mode = finder->modes[use.column];
        Span span = {ABSENT, 0};
        if (use.step != LACKING) {
            Slice text = use.step == NO_STEP ? (Slice){finder->source, 0} : finder->after[use.step];
            if ((mode & WANTS_WRITTEN && !text.length) ||
                (mode & WANTS_FILLED && is_empty(text.start, text.start + text.length)))
                continue;
            span.begin = (size_t)(text.start - finder->source);
            span.end = span.begin + text.length;
        }
        if (mode & WANTS_ALL) {
            if (!add_item(finder, use.column, span))
                return 0;
        } else if (finder->cells[use.column].begin == ABSENT) {
            finder->cells[use.column] = span;
        }
    }
    return 1;
}

/* Add the record whose values have been added. 0: there is no memory. */
static int add_record(Found *found, const Finder *finder)
{
    for (size_t column = 0; column < finder->width; column++) {
        Span cell = finder->cells[column];
        if (finder->modes[column] & WANTS_ALL) {
            cell.begin = found->items.count;
            for (size_t i = 0; i < finder->item_count; i++) {
                const Item *item = &finder->items[i];
                if (item->column == column && !add_span(&found->items, item->span.begin, item->span.end))
                    return 0;
            }
            cell.end = found->items.count;
        }
        if (!add_span(&found->cells, cell.begin, cell.end))
            return 0;
    }
    found->count++;
    return 1;
}

/* Return where the part ends that begins here, and set `*number` to its own, which is at first that of the part before it;
   NULL if there is none. No text is two parts, so they can be tried in any order. */
static const uint8_t *find_part(Finder *finder, size_t *number, int is_start, const uint8_t *p, const uint8_t *stop)
{
    const size_t first = finder->next[*number];
    for (size_t i = 0; i < finder->part_count; i++) {
        size_t tried = first + i < finder->part_count ? first + i : first + i - finder->part_count;
        const Part *part = &finder->parts[tried];
        if (!(part->role & STARTS) != !is_start)
            continue;
        const uint8_t *end = match_part(part, p, stop, finder->after);
        if (end && end > p) {
            *number = finder->next[*number] = tried;
            return end;
        }
    }
    return NULL;
}

/* Find a record here, add its values, and set `*p` to its end. 0: there is none; -1: there is no memory. */
static int find_record(Finder *finder, size_t *number, size_t record, const uint8_t **p, const uint8_t *stop)
{
    const uint8_t *q = *p;
    const Part *part = NULL;
    finder->item_count = 0;
    for (size_t column = 0; column < finder->width; column++)
        finder->cells[column] = (Span){ABSENT, 0};
    do {
        q = find_part(finder, number, !part, q, stop);
        if (!q)
            return 0;
        part = &finder->parts[*number];
        if (part->group != NO_GROUP) {
            if (finder->seen[part->group] == record)
                return 0;
            finder->seen[part->group] = record;
        }
        if (!add_values(finder, part))
            return -1;
    } while (!(part->role & ENDS));
    *p = q;
    return 1;
}

/* Find records of known parts from `*p` on, and set `*p` to the end of the last one. 0: there is no memory.

   `modes` has what is wanted of each of the `width` columns. */
static int find_records(const Part *parts, size_t part_count, const uint8_t *modes, size_t width, const uint8_t *source,
                        const uint8_t **p, const uint8_t *stop, Found *found)
{
    size_t most = 0, number = part_count;
    for (size_t i = 0; i < part_count; i++)
        most = parts[i].step_count > most ? parts[i].step_count : most;
    Finder finder = {
        .parts = parts,
        .part_count = part_count,
        .modes = modes,
        .width = width,
        .source = source,
        .next = calloc(part_count + 1, sizeof *finder.next),
        .seen = calloc(part_count + 1, sizeof *finder.seen),
        .after = calloc(most + 1, sizeof *finder.after),
        .cells = calloc(width + 1, sizeof *finder.cells),
    };
    int done = finder.next && finder.seen && finder.after && finder.cells ? 1 : -1;
    for (size_t i = 0; done > 0 && i + 1 < part_count; i++)
        finder.next[i] = i + 1;
    while (done > 0) {
        done = find_record(&finder, &number, found->count + 1, p, stop);
        if (done > 0 && !add_record(found, &finder))
            done = -1;
    }
    free(finder.next);
    free(finder.seen);
    free(finder.after);
    free(finder.cells);
    free(finder.items);
    return done == 0;
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
