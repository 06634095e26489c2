/* The run that the scanner reads: what is around it, what came of it so far, and the elements and prefixes in scope.
   scanner.h reads content, broken.h start tags and references with errors, endtags.h end tags, sections.h all else.

   A function `read_…` in these files reads a construct, notes its errors and what the markup has instead, and returns its end. It
   returns NULL where the states must read the construct; then the caller takes back what has been noted. A function `skip_…`
   looks for an end; `skip_text` also reads the references before it, and notes their errors. Where memory is short, functions that
   note something do not tell: `has_failed` says so to `read_run`. */

#ifndef XML5TREE_RUN_H
#define XML5TREE_RUN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "simd.h"

typedef struct {
    const uint8_t *start;
    size_t length;
} Slice;

static const uint8_t *skip_spaces(const uint8_t *p, const uint8_t *stop)
{
    while (p < stop && is_space(*p))
        p++;
    return p;
}

/* What a prefix is bound to. PLAIN: to its namespace, in the markup, too. UNBOUND: to nothing, as a declaration says; the markup
   lacks that declaration. AS_XML: to the namespace of `xml`, and names have that prefix in the markup. ODD: the states know. */
typedef enum { PLAIN, UNBOUND, AS_XML, ODD } Meaning;

typedef struct {
    Slice prefix;
    Slice uri;
    Meaning meaning;
} Binding;

/* An attribute. Its name as it is written has the prefix `prefix`, empty for none, and the namespace `uri`. */
typedef struct {
    Slice name;
    size_t prefix_length; /* 0 where there is none */
    int is_proper;        /* the name is a qualified name, whose local name is written as it is, */
    int is_raw;           /* the value is that of the document, perhaps with white space that stands for spaces */
    Slice prefix;
    Slice local;
    Slice uri;
    Slice value;
    int is_declaration; /* of a namespace, */
    int has_entity;     /* whose value has a reference to an entity that XML does not declare */
    int is_reserved;
    int is_dropped;
} Attribute;

/* What the markup has in the place of a slice of the document, which is empty where something is only added. */
typedef struct {
    Slice source;
    Slice markup;
} Replacement;

/* The kinds of errors in a run. */
#define KIND(name, code, details, remark) name,
typedef enum {
#include "kinds.h"
} Kind;
#undef KIND

static int is_wrong_end_tag(Kind kind)
{
    return kind >= MISMATCHED;
}

typedef struct {
    Kind kind;
    const uint8_t *place;
    Slice detail;
    Slice current;    /* the second detail: the name of the current element, a namespace, or what is written */
    const char *effect; /* what happens to content; NULL: the usual effect of the code */
    void *judged;       /* what a `Judge` has said */
    /* For end tags: */
    size_t within;    /* the number of elements that the end tag ends besides its own */
    long long lowest; /* the least depth since the previous wrong end tag, relative to the start of the run */
    long long level;  /* the depth after this end tag, relative to the start of the run */
} Error;

typedef struct Scanner Scanner;

/* The answer of a callback about a part of the document.

   ACCEPTED: the run goes on past the part, with what the callback has given.
   REFUSED: the run ends before the part, and the states read it.
   FAILED: the scan fails; memory is short, or Python has raised an exception. */
typedef enum { ACCEPTED, REFUSED, FAILED } Verdict;

typedef struct Tag Tag;

/* Apply the declarations of the DOCTYPE to a start or empty tag, whose attributes the scanner has. ACCEPTED: the tag is
   written with `*defaults`, which may be empty, before its end. */
typedef Verdict (*Declarations)(void *context, Scanner *scanner, Slice name, const Tag *tag, Slice *defaults);

/* What is found for a name. */
typedef struct {
    Slice first;
    Slice second;
    long long number;
    int is_pair; /* there is a second part, and a number */
} Found;

/* Find what a name means: that of an entity (`kind` is '&'), a prefix that is not in scope (':'), or a namespace ('='). See
   `Found` in _scan.pyi for what is found. REFUSED: the states know. */
typedef Verdict (*Finder)(void *context, uint8_t kind, Slice name, Found *found);

/* See whether an end tag of a name matches any element that was open when the run began, even one unknown to the scan. ACCEPTED:
   it matches none. */
typedef Verdict (*UnmatchedEndTags)(void *context, Slice name);

/* Judge a child of the current element: an element of a name, or text, whose name is "#". Note where it is not expected. If that
   is taken back, the run ends there: else others of the name might not be judged again. */
typedef void (*Judge)(void *context, Scanner *scanner, Slice name, const uint8_t *place);

/* Find the name of an open element; number 0 is the innermost one when the run begins. FAILED or ACCEPTED. */
typedef Verdict (*OpenNames)(void *context, size_t number, Slice *name);

typedef struct {
    OpenNames open_names;
    size_t open_count; /* of elements that the run may end, */
    size_t depth;      /* and of all that are open */
    Binding *bindings;    /* in any order */
    size_t binding_count;
    size_t max_depth; /* of elements in the markup; deeper ones are attached to an outer one */
    unsigned first_class; /* the classes of names.h: of a name's first character, */
    unsigned name_class;  /* and of any; */
    int has_replaced;     /* U+FFFD is none of these, as it stands for characters that were replaced */
    Declarations declarations;  /* NULL: there are none */
    Finder find;
    UnmatchedEndTags unmatched;
    Judge judge; /* NULL: nothing is known of the structure */
    long long cost_limit;   /* what entities and defaults may add, */
    int takes_errors;       /* errors may be in a run; else the states read them */
    Slice wanted;           /* the local name of the elements to be noted, empty for all names; NULL: none is noted */
    int keeps_lines;        /* newlines that are left out of the markup are before the end of the next tag */
    int takes_pairs;            /* two references to the halves of a surrogate pair are one to its character */
    int checks_ids;             /* the states read tags with `xml:id` */
    int reports_controls;       /* control characters have not been reported */
    int is_plain;               /* the data has none, nor other characters that XML forbids */
    int is_outside;             /* no element is open, and there has been none */
    int stops_at_error;         /* nobody wants to know more than whether there is an error: `read_run` returns */
    void *context;
} Surroundings;

/* A note on an element: that its start tag begins at `tag`, or that it ends at `end`, where a tag ends that begins at `tag`. */
typedef struct {
    const uint8_t *tag;
    const uint8_t *end; /* NULL: it begins */
    int is_implied;     /* the tag is not its own */
} Note;

/* An element that is open. */
typedef struct {
    Slice name;
    Slice written; /* its name in the markup; NULL: the same */
} Open;

/* A prefix that is bound at an element of the run; one of no characters is that of names without a prefix. */
typedef struct {
    Binding binding;
    size_t element; /* the number of that among the opened ones */
} Scope;

/* Room for what is made. What has been made stays where it is until the scanner is released. */
typedef struct Block {
    struct Block *before;
    size_t room;
    uint8_t bytes[];
} Block;

/* The counts at a place that the scanner may go back to. */
typedef struct {
    const uint8_t *place;
    size_t replacement_count;
    size_t error_count;
    size_t scope_count;
    size_t note_count;
    long long cost;
    long long missing;
    int is_too_deep;
    int is_deepest_open;
} Mark;

/* Text outside the root element, which is dropped: see `drop_text` in dialects/xml5/tree.py. */
typedef struct {
    Mark mark;        /* where it begins; its place is NULL: there is none */
    size_t length;    /* characters, */
    size_t visible;   /* and those up to the last one that is not white space */
    int is_content;   /* some character is neither white space nor a byte order mark */
    int is_text;      /* some character that is not white space stands there itself, */
    int is_reference; /* or was a reference */
} OuterText;

/* The run that is being read, and what came of it. */
struct Scanner {
    const Surroundings *around;
    const uint8_t *start;
    const uint8_t *stop;
    const uint8_t *end;    /* of the run */
    const uint8_t *resume; /* see `Run` in _scan.pyi */
    size_t ended;
    Slice *known; /* names of the elements that were open when the run began, from the innermost */
    size_t known_count;
    size_t known_room;
    size_t looked_at; /* elements that end tags were compared with: see `MOST_LOOKED_AT` in endtags.h */
    Open *opened;
    size_t opened_count;
    size_t opened_room;
    Attribute *attributes; /* of the current tag */
    size_t attribute_count;
    size_t attribute_room;
    Replacement *replacements; /* in the order of their places, which do not overlap */
    size_t replacement_count;
    size_t replacement_room;
    Error *errors; /* see `note_error` */
    size_t error_count;
    size_t error_room;
    long long lowest; /* the fewest elements that were open since the last end tag that is an error, see `Error` */
    long long cost;   /* of what the declarations of the DOCTYPE add, see `Run` in _scan.pyi */
    Scope *scopes; /* of the current element, from the outermost */
    size_t scope_count;
    size_t scope_room;
    Note *notes; /* on elements, in the order of the tree */
    size_t note_count;
    size_t note_room;
    int has_root;   /* the root element has begun */
    int is_coerced; /* a forbidden character of the current text has been noted */
    const uint8_t *text; /* markup is left out before this place, and its text ends in so many brackets there, at most two: */
    int brackets;
    int is_too_deep;     /* an element was attached to the one at the greatest depth, or its parent, */
    int is_deepest_open; /* and the markup has an element open at that depth */
    int is_exact;      /* the markup must have all newlines of the document */
    long long missing; /* newlines that have been left out of the markup; less than 0: too many are in it */
    Slice *added;      /* declarations that the markup has in the current tag, and the document has not */
    size_t added_count;
    size_t added_room;
    const uint8_t *tag; /* where the current tag begins */
    Block *block; /* has what is made: markup, and values of attributes, that do not stand in the document */
    size_t made;  /* bytes of the block that are used, */
    size_t item;  /* and of those before what is being made */
    uint32_t *slots; /* numbers of attributes by their hashes, see `find_slot` */
    size_t slot_count; /* a power of two */
    size_t slot_room;
    OuterText outer;
    Error unkept;   /* the last error, if memory is short */
    int has_failed; /* memory is short, or a callback has failed: the scan goes on to the end of the construct, for nothing */
};

/* Names mostly differ in their last byte, as `p1` and `p2` do. */
static inline int same(Slice a, Slice b)
{
    return a.length == b.length && (!a.length || (a.start[a.length - 1] == b.start[a.length - 1] && memcmp(a.start, b.start, a.length) == 0));
}

static inline int is_text(Slice a, const char *text)
{
    return a.length == strlen(text) && memcmp(a.start, text, a.length) == 0;
}

/* Return room for one more item in an array that grows; NULL where memory is short. */
static void *with_room(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    size_t more = *room ? 2 * *room : 16;
    if (more > SIZE_MAX / size)
        return NULL;
    void *grown = realloc(items, more * size);
    if (grown)
        *room = more;
    return grown;
}

/* As `with_room`; where memory is short, the scan fails. */
static void *room_in(Scanner *scanner, void *items, size_t count, size_t *room, size_t size)
{
    void *grown = with_room(items, count, room, size);
    scanner->has_failed |= !grown;
    return grown;
}

/* Begin another block, which has room for `length` bytes after what is being made. */
static void add_block(Scanner *scanner, size_t length)
{
    size_t item = scanner->made - scanner->item, room = 2 * (item + length);
    room = room < 4000 ? 4000 : room;
    Block *block = malloc(sizeof *block + room);
    scanner->has_failed |= !block;
    if (!block)
        return;
    if (item)
        memcpy(block->bytes, scanner->block->bytes + scanner->item, item);
    block->before = scanner->block;
    block->room = room;
    scanner->block = block;
    scanner->item = 0;
    scanner->made = item;
}

/* Append to what is being made; where memory is short, the scan fails. */
static void put(Scanner *scanner, const void *bytes, size_t length)
{
    if (!scanner->block || length > scanner->block->room - scanner->made)
        add_block(scanner, length);
    if (scanner->has_failed || !length)
        return;
    memcpy(scanner->block->bytes + scanner->made, bytes, length);
    scanner->made += length;
}

/* Return what has been made since the last one. */
static Slice finish(Scanner *scanner)
{
    static const uint8_t nothing[1];
    Slice item = {scanner->block ? scanner->block->bytes + scanner->item : nothing, scanner->made - scanner->item};
    scanner->item = scanner->made;
    return item;
}

/* Drop what is being made. */
static void drop(Scanner *scanner)
{
    scanner->made = scanner->item;
}

/* Return whether a callback has accepted; where it has failed, the scan fails. */
static int is_accepted(Scanner *scanner, Verdict verdict)
{
    scanner->has_failed |= verdict == FAILED;
    return verdict == ACCEPTED;
}

static Slice slice_of(const char *text)
{
    return (Slice){(const uint8_t *)text, strlen(text)};
}

/* Note that the markup has something else than the document. */
static void replace(Scanner *scanner, Slice source, Slice markup)
{
    Replacement *items =
        room_in(scanner, scanner->replacements, scanner->replacement_count, &scanner->replacement_room, sizeof *items);
    if (!items)
        return;
    scanner->replacements = items;
    items[scanner->replacement_count++] = (Replacement){source, markup};
}

/* Note an error. These are the rules for all errors of runs:

   - Order: that in which the states and then tree construction report them; `report_run` in core.py does not sort
     them. So the errors of a tag as a whole come last in the tag.
   - Place: that of the report. It is not before the place of the last error, unless the error is of a tag as a whole.
   - Detail: a part of the run that does not begin before the place. Only that of COERCED, COERCED_URI and COERCED_COMMENT may
     have been made, as a value with references is.
   - Replacement: what the markup has instead, noted by `replace` in the order of the places. Not every error needs one.
     `read_tag` in broken.h replaces the whole tag.
   - Effect: the usual one of the code. Another is set in the returned error, before the next error is noted.
   - The `kind` of the entry, as in errors/codes.py, is the usual one of the code, as `record_run` in errors/reporter.py takes
     no other. (`Kind` here tells the code.) Where an entry has another kind, the states must read the markup.

   If the states must read a construct after all, its errors are taken back: see `take_back`. */
static Error *note_error(Scanner *scanner, Kind kind, const uint8_t *place, Slice detail)
{
    Error *items = room_in(scanner, scanner->errors, scanner->error_count, &scanner->error_room, sizeof *items);
    if (items)
        scanner->errors = items;
    Error *error = items ? &items[scanner->error_count++] : &scanner->unkept;
    *error = (Error){.kind = kind, .place = place, .detail = detail};
    return error;
}

/* Note that a part of the document is not written with its newlines; 0 where the states must do it. */
static int lose_lines(Scanner *scanner, Slice source)
{
    for (const uint8_t *p = source.start, *end = p + source.length; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++) {
        /* For people, white space on lines of which nothing is written is left out before everything else. */
        if (scanner->is_exact || !(scanner->has_root || scanner->around->keeps_lines))
            return 0;
        scanner->missing++;
    }
    return 1;
}

/* Append the newlines that the markup lacks; later elements were on other lines without them. */
static void put_missing_lines(Scanner *scanner)
{
    for (; scanner->around->keeps_lines && scanner->missing > 0; scanner->missing--)
        put(scanner, "\n", 1);
}

/* Note that the markup has the newlines that it lacks before the end of a tag. */
static void add_missing_lines(Scanner *scanner, const uint8_t *end)
{
    if (scanner->missing <= 0 || !scanner->around->keeps_lines)
        return;
    put_missing_lines(scanner);
    replace(scanner, (Slice){end, 0}, finish(scanner));
}

/* Return in how many brackets, at most two, the markup of the text before a place ends. */
static int count_brackets(const Scanner *scanner, const uint8_t *p)
{
    int count = 0;
    while (count < 2 && p > scanner->text && p[-1] == ']') {
        count++;
        p--;
    }
    count += p == scanner->text ? scanner->brackets : 0;
    return count < 2 ? count : 2;
}

static Mark mark_of(const Scanner *scanner, const uint8_t *place)
{
    return (Mark){place,
                  scanner->replacement_count,
                  scanner->error_count,
                  scanner->scope_count,
                  scanner->note_count,
                  scanner->cost,
                  scanner->missing,
                  scanner->is_too_deep,
                  scanner->is_deepest_open};
}

/* Take back what has been noted since a mark, of markup that another function or the states must read. */
static void take_back(Scanner *scanner, const Mark *mark)
{
    scanner->replacement_count = mark->replacement_count;
    scanner->error_count = mark->error_count;
    scanner->scope_count = mark->scope_count;
    scanner->note_count = mark->note_count;
    scanner->cost = mark->cost;
    scanner->missing = mark->missing;
    scanner->is_too_deep = mark->is_too_deep;
    scanner->is_deepest_open = mark->is_deepest_open;
    drop(scanner);
}

/* Characters and names ------------------------------------------------------------------------------------------- */

/* Return the length of the character of two to four bytes that begins here, and set its code point; 0: none begins. */
static size_t decode(const uint8_t *p, const uint8_t *stop, uint32_t *code)
{
    size_t left = (size_t)(stop - p);
    if (p[0] >= 0xC2 && p[0] < 0xE0 && left >= 2 && (p[1] & 0xC0) == 0x80) {
        *code = (uint32_t)(p[0] & 0x1F) << 6 | (uint32_t)(p[1] & 0x3F);
        return 2;
    }
    if (p[0] >= 0xE0 && p[0] < 0xF0 && left >= 3 && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80) {
        *code = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (uint32_t)(p[2] & 0x3F);
        return *code >= 0x800 ? 3 : 0;
    }
    if (p[0] >= 0xF0 && p[0] < 0xF5 && left >= 4 && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80 &&
        (p[3] & 0xC0) == 0x80) {
        *code = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 |
                (uint32_t)(p[3] & 0x3F);
        return *code >= 0x10000 && *code <= 0x10FFFF ? 4 : 0;
    }
    return 0;
}

/* Return whether XML allows a character nowhere, not even by a reference. */
static int is_forbidden(uint32_t code)
{
    return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xFFFE || code == 0xFFFF;
}

/* Return where the digits end that begin here, in base 16 or 10. Set their number; one above 0x10FFFF is not exact. */
static const uint8_t *skip_digits(const uint8_t *p, const uint8_t *stop, uint32_t base, uint32_t *number)
{
    for (*number = 0; p < stop; p++) {
        uint32_t digit = *p >= '0' && *p <= '9'                   ? *p - (uint32_t)'0'
                         : (*p | 0x20) >= 'a' && (*p | 0x20) <= 'f' ? (*p | 0x20u) - (uint32_t)'a' + 10
                                                                    : 16;
        if (digit >= base)
            break;
        *number = *number > 0x10FFFF ? *number : *number * base + digit;
    }
    return p;
}

/* Return the character of a reference that XML itself declares; 0: there is none of this name. */
static uint8_t predefined(Slice name)
{
    static const struct {
        size_t length;
        const char *name;
        uint8_t code;
    } ENTITIES[] = {{3, "amp", '&'}, {2, "lt", '<'}, {2, "gt", '>'}, {4, "quot", '"'}, {4, "apos", '\''}};
    for (size_t i = 0; i < sizeof ENTITIES / sizeof *ENTITIES; i++) {
        if (name.length == ENTITIES[i].length && !memcmp(name.start, ENTITIES[i].name, name.length))
            return ENTITIES[i].code;
    }
    return 0;
}

/* Return the end of the reference that begins here, and its character in `*code`; NULL where it is neither to a character that
   XML allows nor one of the five. */
static const uint8_t *read_reference(const uint8_t *p, const uint8_t *stop, uint32_t *code)
{
    if (++p >= stop || *p != '#') {
        const uint8_t *end = p, *limit = stop - p < 5 ? stop : p + 5;
        while (end < limit && *end != ';')
            end++;
        *code = end < limit ? predefined((Slice){p, (size_t)(end - p)}) : 0;
        return *code ? end + 1 : NULL;
    }
    int is_hexadecimal = ++p < stop && *p == 'x';
    const uint8_t *digits = p + is_hexadecimal, *end = skip_digits(digits, stop, is_hexadecimal ? 16 : 10, code);
    if (end == digits || end >= stop || *end != ';' || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF) ||
        is_forbidden(*code))
        return NULL;
    return end + 1;
}

/* As `find_any` up to the end of the data. */
static inline const uint8_t *find_special(const Scanner *scanner, const uint8_t *p, uint8_t one, uint8_t two, uint8_t three)
{
    return scanner->around->is_plain ? find_byte(p, scanner->stop, one, two, three, 0)
                                     : find_byte(p, scanner->stop, one, two, three, 1);
}

/* Return whether the byte 0xEF begins U+FFFE or U+FFFF, or no character at all. */
static int is_noncharacter(const Scanner *scanner, const uint8_t *p)
{
    uint32_t code;
    return decode(p, scanner->stop, &code) == 0 || code == 0xFFFE || code == 0xFFFF;
}

/* Return whether a character is in one of the classes of names that are wanted. */
static int is_of_class(const Surroundings *around, uint32_t code, unsigned wanted)
{
    return (class_of(code) & wanted) && !(around->has_replaced && code == 0xFFFD);
}

/* Return where the NCName that begins here ends; NULL where none begins. */
static const uint8_t *skip_ncname(const Scanner *scanner, const uint8_t *p)
{
    const uint8_t *start = p, *stop = scanner->stop;
    unsigned wanted = scanner->around->first_class;
    for (;;) {
        const uint8_t *letters = p;
        while (p < stop && (*p | 0x20u) - 'a' < 26) /* most are, so these are not looked up */
            p++;
        wanted = p > letters ? scanner->around->name_class : wanted;
        uint32_t code = p < stop ? *p : ' ';
        size_t length = 1;
        if (code >= 0x80 && (length = decode(p, stop, &code)) == 0)
            return NULL;
        if (!is_of_class(scanner->around, code, wanted))
            return p > start ? p : NULL;
        p += length;
        wanted = scanner->around->name_class;
    }
}

/* The most bytes of a name that is written anew; the states know what is too long for a native parser. */
enum { LONGEST_WRITTEN_NAME = 1000000 };

/* Return whether all of a slice is an NCName, or (`has_colons`) one that may have colons anywhere. */
static int is_name(const Scanner *scanner, Slice name, int has_colons)
{
    const uint8_t *p = name.start, *end = p + name.length;
    unsigned wanted = scanner->around->first_class;
    while (p < end) {
        uint32_t code = *p;
        size_t length = code < 0x80 ? 1 : decode(p, end, &code);
        if (!length || !((has_colons && code == ':') || is_of_class(scanner->around, code, wanted)))
            return 0;
        p += length;
        wanted = scanner->around->name_class;
    }
    return name.length > 0;
}

/* Find what is written for a reference to an entity. Set the kind of error, which it is
   if the entity is undeclared. 0 where the states must read the reference. */
static int find_entity(Scanner *scanner, Slice name, Found *found, Kind *kind)
{
    const Surroundings *around = scanner->around;
    if (!is_accepted(scanner, around->find(around->context, '&', name, found)))
        return 0;
    const uint8_t *end = found->first.start + found->first.length;
    *kind = starts_with(found->first.start, end, "&amp;", 5) ? REFERENCE : KNOWN_REFERENCE;
    return found->is_pair || around->takes_errors;
}

/* Take the cost of a declared entity; 0 if that is too much. */
static int spend(Scanner *scanner, long long cost)
{
    if (cost < 0 || cost > scanner->around->cost_limit - scanner->cost)
        return 0;
    scanner->cost += cost;
    return 1;
}

/* Find what is written for a reference to an entity at a place, and note that the entity is undeclared, or take its cost. 0 where
   the states must read the reference. */
static int take_entity(Scanner *scanner, const uint8_t *place, Slice name, Found *found)
{
    Kind kind;
    if (!find_entity(scanner, name, found, &kind))
        return 0;
    if (found->is_pair)
        return spend(scanner, found->number);
    note_error(scanner, kind, place, name);
    return 1;
}

/* Note that an ampersand and perhaps a name are text, as no semicolon follows. */
static void note_unended(Scanner *scanner, const uint8_t *p, Slice name)
{
    Found found;
    Kind kind = name.length ? NO_REFERENCE : AMPERSAND;
    if (name.length && !predefined(name)) {
        int is_undeclared = find_entity(scanner, name, &found, &kind) && !found.is_pair;
        kind = !is_undeclared ? NO_KNOWN_REFERENCE : kind == REFERENCE ? AMPERSAND : NO_REFERENCE;
    }
    note_error(scanner, kind, p, (Slice){p, name.length + 1});
}

/* Return where the qualified name that begins here ends, and set the length of its prefix; NULL where none begins. */
static const uint8_t *skip_name(const Scanner *scanner, const uint8_t *p, size_t *prefix_length)
{
    const uint8_t *end = skip_ncname(scanner, p);
    *prefix_length = 0;
    if (end && end < scanner->stop && *end == ':') {
        *prefix_length = (size_t)(end - p);
        end = skip_ncname(scanner, end + 1);
    }
    return end && end < scanner->stop && *end != ':' ? end : NULL;
}

/* Return where the Name, colons included, that begins here ends: here where none does. NULL where it may go on after
   `stop`, or what follows is no UTF-8. */
static const uint8_t *skip_any_name(const uint8_t *p, const uint8_t *stop)
{
    for (unsigned wanted = FIRST_IN_FIFTH; p < stop; wanted = IN_FIFTH) {
        uint32_t code = *p;
        size_t length = 1;
        if (code >= 0x80 && (length = decode(p, stop, &code)) == 0)
            return NULL;
        if (code != ':' && !(class_of(code) & wanted))
            return p;
        p += length;
    }
    return NULL;
}

/* Elements ------------------------------------------------------------------------------------------------------------- */

/* Return how many elements are open. */
static size_t depth_of(const Scanner *scanner)
{
    return scanner->around->depth - scanner->ended + scanner->opened_count;
}

/* Note that an element has been opened. */
static inline void push(Scanner *scanner, Slice name, Slice written)
{
    Open *opened = room_in(scanner, scanner->opened, scanner->opened_count, &scanner->opened_room, sizeof *opened);
    if (!opened)
        return;
    scanner->opened = opened;
    opened[scanner->opened_count++] = (Open){name, written};
    scanner->is_deepest_open = depth_of(scanner) >= scanner->around->max_depth;
}

/* Return how many more elements are open than at the start of the run. */
static long long level_of(const Scanner *scanner)
{
    return (long long)scanner->opened_count - (long long)scanner->ended;
}

/* Find the name of an open element; number 0 is the current element, number 1 the element around it. 0 where there is none. */
static int any_open_element(Scanner *scanner, size_t number, Slice *name)
{
    if (number < scanner->opened_count) {
        *name = scanner->opened[scanner->opened_count - 1 - number].name;
        return 1;
    }
    number += scanner->ended - scanner->opened_count;
    if (number >= scanner->around->depth)
        return 0;
    while (number >= scanner->known_count) {
        Slice *known = room_in(scanner, scanner->known, scanner->known_count, &scanner->known_room, sizeof *known);
        if (!known)
            return 0;
        scanner->known = known;
        if (!is_accepted(scanner, scanner->around->open_names(scanner->around->context, scanner->known_count,
                                                              &known[scanner->known_count])))
            return 0;
        scanner->known_count++;
    }
    *name = scanner->known[number];
    return 1;
}

/* As `any_open_element`, for elements that the run may end. */
static int open_element(Scanner *scanner, size_t number, Slice *name)
{
    return (number < scanner->opened_count || number + scanner->ended - scanner->opened_count < scanner->around->open_count) &&
           any_open_element(scanner, number, name);
}

/* As `open_element`, but find the element's name in the markup. */
static int written_element(Scanner *scanner, size_t number, Slice *name)
{
    int is_open = open_element(scanner, number, name);
    if (number < scanner->opened_count && scanner->opened[scanner->opened_count - 1 - number].written.start)
        *name = scanner->opened[scanner->opened_count - 1 - number].written;
    return is_open;
}

/* Return whether the markup has an end tag for the current element, if that is ended: see `pop` in dialects/xml5/tree.py. */
static int is_end_written(const Scanner *scanner)
{
    return depth_of(scanner) < scanner->around->max_depth || scanner->is_deepest_open;
}

/* Note that an element of a name in the markup begins or ends, if it has the local name that is wanted: see `Note`. */
static void note_if_wanted(Scanner *scanner, Slice name, const uint8_t *tag, const uint8_t *end, int is_implied)
{
    Slice wanted = scanner->around->wanted;
    if (wanted.length) {
        if (name.length < wanted.length || memcmp(name.start + name.length - wanted.length, wanted.start, wanted.length) != 0 ||
            (name.length > wanted.length && name.start[name.length - wanted.length - 1] != ':'))
            return;
    }
    Note *notes = room_in(scanner, scanner->notes, scanner->note_count, &scanner->note_room, sizeof *notes);
    if (!notes)
        return;
    scanner->notes = notes;
    notes[scanner->note_count++] = (Note){tag, end, is_implied};
}

/* As `note_if_wanted`, which is not called where no elements are to be noted. */
static inline void note_element(Scanner *scanner, Slice name, const uint8_t *tag, const uint8_t *end, int is_implied)
{
    if (scanner->around->wanted.start)
        note_if_wanted(scanner, name, tag, end, is_implied);
}

static void judge_child(Scanner *scanner, Slice name, const uint8_t *place)
{
    if (scanner->around->judge)
        scanner->around->judge(scanner->around->context, scanner, name, place);
}

/* Make room for the element of a tag, if it would be too deep: see `_make_room` in dialects/xml5/tree.py. 0 where the states must
   do it, such as where a scope would end before its element. */
static int make_room(Scanner *scanner, Slice tag)
{
    Slice name;
    const uint8_t *place = tag.start;
    if (depth_of(scanner) < scanner->around->max_depth)
        return 1;
    if (!scanner->around->takes_errors)
        return 0;
    if (!scanner->is_too_deep)
        note_error(scanner, TOO_DEEP, place, (Slice){place, 0});
    scanner->is_too_deep = 1;
    if (scanner->is_deepest_open) {
        if (!written_element(scanner, 0, &name) ||
            (scanner->scope_count && scanner->scopes[scanner->scope_count - 1].element + 1 == scanner->opened_count))
            return 0;
        put(scanner, "</", 2);
        put(scanner, name.start, name.length);
        put_missing_lines(scanner);
        put(scanner, ">", 1);
        scanner->is_deepest_open = 0;
        note_element(scanner, name, place, place + tag.length, 1);
        replace(scanner, (Slice){place, 0}, finish(scanner));
    }
    return 1;
}

/* End the current element. */
static inline void pop(Scanner *scanner)
{
    if (is_end_written(scanner))
        scanner->is_deepest_open = 0;
    if (scanner->opened_count)
        scanner->opened_count--;
    else
        scanner->ended++;
    if (depth_of(scanner) < scanner->around->max_depth)
        scanner->is_too_deep = 0;
    if (level_of(scanner) < scanner->lowest)
        scanner->lowest = level_of(scanner);
    scanner->is_coerced = 0;
    while (scanner->scope_count && scanner->scopes[scanner->scope_count - 1].element >= scanner->opened_count)
        scanner->scope_count--;
}

static void release(Scanner *scanner)
{
    free(scanner->opened);
    free(scanner->known);
    free(scanner->attributes);
    free(scanner->replacements);
    free(scanner->errors);
    free(scanner->scopes);
    free(scanner->notes);
    free(scanner->slots);
    free(scanner->added);
    for (Block *block = scanner->block, *before; block; block = before) {
        before = block->before;
        free(block);
    }
}

#endif
