/* Fuzz target for the compiled scan, records and columns, without Python. compat/fuzz_scan.py builds and runs it.

   With clang: clang -fsanitize=fuzzer,address,undefined -Ixml5tree/accelerator compat/fuzz_scan.c
   Else -DSTANDALONE makes a program that makes up documents: fuzz_scan SEED COUNT. It prints a checksum of what came of
   them, which has to be the same for every way to compile it. */

#include <stdio.h>

#include "columntables.h"
#include "extents.h"

static uint64_t checksum = 14695981039346656037u;

static void note(const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        checksum = (checksum ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static void note_number(size_t number)
{
    note(&number, sizeof number);
}

static Slice slice(const char *text)
{
    return (Slice){(const uint8_t *)text, strlen(text)};
}

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "it does not hold that %s\n", what);
        abort();
    }
}

/* Reads all that it is told of a tag; refuses some. */
static Verdict declarations(void *context, Scanner *scanner, Slice name, const Tag *tag, Slice *defaults)
{
    size_t seen = 0;
    note(name.start, name.length);
    for (size_t i = 0; i < scanner->attribute_count; i++) {
        note(scanner->attributes[i].value.start, scanner->attributes[i].value.length);
        seen += scanner->attributes[i].prefix_length != 0 && !declares(scanner->attributes[i].name);
    }
    require(seen == tag->prefixed, "all attributes with prefixes are counted");
    ++*(size_t *)context;
    if (name.length == 3)
        return REFUSED;
    if (name.length > 1)
        *defaults = slice(" d='v'");
    return ACCEPTED;
}

/* Reads the name; knows some, and that there are costs. */
static Verdict find(void *context, uint8_t kind, Slice name, Found *found)
{
    note(name.start, name.length);
    note_number(kind);
    ++*(size_t *)context;
    if (kind == '=') {
        *found = (Found){.first = slice("w")};
        return name.length < 6 ? ACCEPTED : REFUSED;
    }
    if (kind == ':') {
        *found = (Found){slice("u"), slice(" xmlns:o='u'"), name.start[0] == 'a', 1};
        return name.length == 1 ? ACCEPTED : REFUSED;
    }
    *found = (Found){slice("+"), slice("&quot;"), (long long)name.length, 1};
    if (name.start[0] != 'e')
        *found = (Found){.first = slice("-")};
    return name.length == 1 || name.start[0] == 'e' ? ACCEPTED : REFUSED;
}

/* Reads the name; lets those of one character only be left out. */
static Verdict unmatched(void *context, Slice name)
{
    note(name.start, name.length);
    ++*(size_t *)context;
    return name.length == 1 ? ACCEPTED : REFUSED;
}

/* See whether the replacements are within the run, one after the other. */
static void check_replacements(const Scanner *scanner, const uint8_t *data)
{
    for (size_t i = 0; i < scanner->replacement_count; i++) {
        const Replacement *item = &scanner->replacements[i];
        require(item->source.start >= data, "replacements are in order");
        data = item->source.start + item->source.length;
        require(data <= scanner->end, "replacements are in the run");
        note_number((size_t)(scanner->end - data));
        note(item->markup.start, item->markup.length);
    }
}

/* See whether the errors obey the rules at `note_error` in run.h and in kinds.h. */
static void check_errors(const Scanner *scanner, const uint8_t *data, size_t open_count)
{
    long long lowest = -(long long)open_count;
    const uint8_t *start = data;
    for (size_t i = 0; i < scanner->error_count; i++) {
        const Error *error = &scanner->errors[i];
        const uint8_t *end = error->detail.start + error->detail.length;
        int is_of_tag = error->kind >= UNDECLARED; /* these come after what is in the tag */
        require(error->place >= (is_of_tag ? start : data) && error->place < scanner->end, "errors are in order");
        data = error->place;
        /* What is coerced may have been made, as a value with references is. */
        require(error->kind == COERCED || error->kind == COERCED_URI || error->kind == COERCED_COMMENT ||
                    (error->detail.start >= data && end <= scanner->end),
                "the detail of an error is in the run");
        require(error->kind > REFERENCE || *data == '&', "the error of a reference is at its ampersand");
        if (error->kind == NO_TAG || (error->kind >= UNDECLARED && error->kind != OUTER_TEXT))
            require(*data == '<', "an error of a whole tag, or of a < that is text, is at its <");
        if (is_wrong_end_tag(error->kind)) {
            require(end - data == (long)error->detail.length + 2, "end tags begin with a name");
            require(error->lowest >= lowest && error->level >= lowest, "no more is ended than was open");
        }
        if (error->kind == MISMATCHED)
            require(error->within > 0 && error->current.length > 0, "there are elements within");
        note_number(error->kind);
        note_number((size_t)(scanner->end - data));
        note(error->detail.start, error->detail.length);
        note(error->current.start, error->current.length);
        note_number(error->within);
        note_number((size_t)(error->lowest - lowest));
        note_number((size_t)(error->level - lowest));
    }
    require(scanner->lowest >= lowest, "no more is ended than was open");
    note_number((size_t)(scanner->lowest - lowest));
    note_number((size_t)scanner->cost);
}

/* See whether the notes on elements are in the run, in order, and no more elements end than are open. */
static void check_notes(const Scanner *scanner, const uint8_t *data, size_t open_count)
{
    size_t open = open_count;
    require(!scanner->note_count || scanner->around->wanted.start, "nothing is noted that is not wanted");
    for (size_t i = 0; i < scanner->note_count; i++) {
        const Note *note = &scanner->notes[i];
        require(note->tag >= data && note->tag < scanner->end && *note->tag == '<', "a tag begins in the run");
        require(!note->end || (note->end > note->tag && note->end <= scanner->end && note->end[-1] == '>'), "and ends there");
        require(note->end || !note->is_implied, "what is implied is an end");
        require(!note->end || open > 0, "what ends has begun");
        open = note->end ? open - 1 : open + 1;
        data = note->tag;
        note_number((size_t)(scanner->end - note->tag));
        note_number(note->end ? (size_t)(scanner->end - note->end) + 1 + (size_t)note->is_implied : 0);
    }
}

/* Finds the names of open elements. */
static Verdict open_names(void *context, size_t number, Slice *name)
{
    const Slice names[] = {slice("a"), slice("p:c"), slice("b")};
    ++*(size_t *)context;
    *name = names[number];
    return ACCEPTED;
}

/* Begin to scan a part, with what options say of the text before it. */
static void begin_part(Scanner *scanner, const Surroundings *around, const uint8_t *data, const uint8_t *stop, unsigned options)
{
    begin(scanner, around, data, stop);
    scanner->missing = (long long)(options >> 3 & 3) - 1;
    scanner->is_too_deep = options >> 8 & 1;
    scanner->is_deepest_open = options >> 9 & 1;
    scanner->brackets = (options >> 5 & 3) % 3;
    scanner->is_exact = options >> 7 & 1;
}

/* Scan a part of a block of memory, and see whether what comes of it can be. */
static void scan_part(const uint8_t *data, size_t size, unsigned options)
{
    Binding bindings[] = {
        {slice("p"), slice("u"), PLAIN}, {slice("q"), slice("u"), PLAIN}, {slice("\xC3\xA9"), slice("v"), ODD}};
    size_t tags = 0;
    Surroundings around = {
        .open_names = open_names,
        .open_count = options & 3,
        .depth = (options & 3) + (options >> 13 & 1),
        .bindings = bindings,
        .binding_count = options >> 2 & 3,
        .max_depth = options & 16 ? 1000000 : 1 + (options >> 5 & 3),
        .first_class = options & 128 ? FIRST_IN_FIFTH : FIRST_IN_FOURTH,
        .name_class = options & 128 ? IN_FIFTH : IN_FOURTH,
        .declarations = options & 256 ? declarations : NULL,
        .find = find,
        .unmatched = unmatched,
        .cost_limit = 20,
        .takes_errors = options >> 9 & 1,
        .wanted = options & 1024 ? slice(options & 2048 ? "c" : "") : (Slice){NULL, 0},
        .keeps_lines = options >> 4 & 1,
        .is_outside = !(options & 3) && (options >> 12 & 3) == 1,
        .takes_pairs = options & 1,
        .checks_ids = options >> 6 & 1,
        .is_plain = (options & 2) && is_plain_text(data, data + size, 0),
        .stops_at_error = (options & 512) && (options & 7) == 5,
        .context = &tags,
    };
    Scanner scanner, again;
    begin_part(&scanner, &around, data, data + size, options);
    require(read_run(&scanner), "there is memory");
    require(scanner.end >= data && scanner.end <= data + size, "the run ends in the data");
    require(scanner.resume >= scanner.end && scanner.resume <= data + size, "it resumes after the run");
    require(scanner.ended <= around.open_count, "no more is ended than was open");
    check_replacements(&scanner, data);
    check_errors(&scanner, data, around.open_count);
    check_notes(&scanner, data, around.open_count);
    for (size_t i = 0; i < scanner.scope_count; i++) {
        require(scanner.scopes[i].element < scanner.opened_count, "scopes are those of elements that are open");
        require(!i || scanner.scopes[i - 1].element <= scanner.scopes[i].element, "from the outermost");
        note(scanner.scopes[i].binding.prefix.start, scanner.scopes[i].binding.prefix.length);
    }
    /* Scan again with less after the run: one character of at most four bytes, by which the scan sees that a name at the
       end of a text is no reference. */
    size_t rest = (size_t)(data + size - scanner.end);
    const uint8_t *stop = scanner.end + (rest < 4 ? rest : 4);
    while (stop < data + size && (*stop & 0xC0) == 0x80) /* no text ends within a character */
        stop++;
    begin_part(&again, &around, data, stop, options);
    require(read_run(&again), "there is memory");
    require(again.end <= scanner.end, "a run with less after it is not longer"); /* what "<!-->" is depends on the next "--" */
    if (again.end == scanner.end) {
        require(again.replacement_count == scanner.replacement_count, "nor are its replacements others");
        require(again.error_count == scanner.error_count && again.lowest == scanner.lowest, "nor are its errors");
        require(again.note_count == scanner.note_count, "nor are its notes");
        require(again.cost == scanner.cost && again.missing == scanner.missing, "nor is what is added");
        require(again.ended == scanner.ended && again.opened_count == scanner.opened_count, "nor are its elements");
    }
    size_t newlines, continuations;
    count_bytes(data, scanner.end, &newlines, &continuations);
    note_number((size_t)(scanner.end - data));
    note_number((size_t)(scanner.resume - data));
    note_number(scanner.ended);
    for (size_t i = 0; i < scanner.opened_count; i++) {
        note(scanner.opened[i].name.start, scanner.opened[i].name.length);
        note(scanner.opened[i].written.start, scanner.opened[i].written.length);
    }
    note_number(newlines);
    note_number(continuations);
    note_number((size_t)(scanner.missing + 2));
    note_number((size_t)count_brackets(&scanner, scanner.end));
    release(&scanner);
    release(&again);
}

/* Find the records of a name, and see whether they are in the data. */
static void find_records(const uint8_t *data, size_t size, unsigned options)
{
    const Slice names[] = {slice("a"), slice("c"), slice("abc"), slice("\xC3\xA9")};
    const Slice name = names[options & 3];
    for (const uint8_t *p = data; (p = memchr(p, '<', (size_t)(data + size - p))) != NULL; p++) {
        const uint8_t *end = read_record(p, data + size, name, options >> 2 & 1);
        require(!end || (end > p && end <= data + size && end[-1] == '>'), "a record is in the data, and whole");
        note_number(end ? (size_t)(end - p) : 0);
    }
}

/* States by their parents and the last characters of names; "a" and names of one other character are records. */
static void name_child(Columns *e, uint32_t parent, Slice name)
{
    uint32_t *known = e->context, *target = &known[(parent << 3 | (name.start[name.length - 1] & 7u)) & 1023];
    const uint32_t columns[] = {(uint32_t)(name.length % 3), 3};
    e->answer.role = name.length == 1 ? IS_RECORD : name.length & 1;
    e->answer.namespace = name.start[0] == '{' ? (uint32_t)name.length & 3 : 0;
    e->answer.target = e->answer.role == IS_RECORD ? RECORD : parent < RECORD ? parent : *target;
    if (e->answer.role == IS_RECORD || parent < RECORD || *target)
        return;
    if (e->state_count > 60)
        e->answer.target = SKIPPED;
    else if (e->states[RECORD].flags & TABLE)
        e->answer.target = *target = add_state(e, parent, TABLE | (name.start[0] & 62u), NULL, 0);
    else
        e->answer.target = *target = add_state(e, parent, 0, columns, name.length & 1 ? 2 : 1);
}

static void name_attribute(Columns *e, uint32_t state, Slice name)
{
    if (!(e->states[RECORD].flags & TABLE))
        answer_column(e, 4 + (uint32_t)(name.length & 1));
    else if (e->column_count < 200)
        answer_column(e, add_column(e, ATTRIBUTE, 0, state));
}

/* See whether what was taken of a state can be laid out, as tables.h does. */
static void lay_out(Columns *e)
{
    int32_t *offsets = resized(e, NULL, (e->row_count + e->begun + 70000) * sizeof *offsets);
    uint8_t *validity = resized(e, NULL, e->row_count + e->begun + 70000);
    for (uint32_t i = RECORD; i < e->state_count; i++) {
        const Taken *taken = &e->taken[i];
        if (i > RECORD && e->states[i].flags & TABLE) {
            size_t size = e->taken[e->states[i].parent].count;
            for (size_t k = 0; k < taken->count; k++)
                require(taken->owners[k] < size && (!k || taken->owners[k] >= taken->owners[k - 1]), "owners are in order");
            lay_lists(taken->owners, taken->count, NULL, size, offsets);
            note_number(lay_validity(e, i, offsets, size, validity));
            note_number(lay_structures(e, i, NULL, taken->count, validity));
            note_number((size_t)has_members(e, i) + first_with_both(e, i));
        }
    }
    for (size_t i = 0; i < e->column_count; i++) {
        const Values *values = &e->values[i];
        size_t size = e->taken[e->columns[i].table == NONE ? RECORD : e->columns[i].table].count;
        for (size_t k = 0; k < values->count; k++) {
            require(values->owners[k] < size, "values have owners");
            require(values->ends[k] >= (k ? values->ends[k - 1] : 0), "values are in order");
            note_number((size_t)values->ends[k]);
        }
        note(values->text, values->length);
        if (!e->columns[i].is_list)
            note_number(lay_values(values, NULL, size, offsets, validity));
    }
    note(e->irregular, e->row_count);
    release_memory(e, offsets);
    release_memory(e, validity);
}

static void declare_some(Columns *e, unsigned options)
{
    static const uint32_t FULL[] = {0};
    begin_columns(e, options);
    if (options & 1) {
        e->states[RECORD].flags = TABLE;
        e->states[RECORD].captures = resized(e, NULL, sizeof(uint32_t));
        e->states[RECORD].captures[0] = add_column(e, DIRECT_TEXT, 0, RECORD);
        e->states[RECORD].capture_count = 1;
        e->raw = add_column(e, RECORD_MARKUP, 0, NONE);
    } else {
        for (unsigned i = 0; i < 6; i++)
            add_column(e, i > 3 ? ATTRIBUTE : i & 1 ? OWN_TEXT : FULL_TEXT, (int)(options >> i & 2), NONE);
        e->states[RECORD].captures = resized(e, NULL, sizeof FULL);
        memcpy(e->states[RECORD].captures, FULL, sizeof FULL);
        e->states[RECORD].capture_count = 1;
    }
}

static void take_some(Columns *e, size_t from, size_t next, size_t stop)
{
    const size_t ranges[][2] = {{0, from}, {next, stop}};
    take(e, ranges, 2, stop);
    lay_out(e);
    end_taking(e);
    require(e->finished_count <= e->begun, "what has not been taken is there");
}

/* Read the first half of a document as a window, which goes then; return whether that can be. */
static int read_half(Columns *e, Scanner *scanner, const uint8_t *data, size_t size)
{
    const size_t half = size / 2;
    uint8_t *window = malloc(half + 1);
    require(window != NULL, "there is memory");
    memcpy(window, data, half);
    begin_window(e, scanner, (Slice){window, half});
    const int is_read = read_document(e, scanner, size + 1, window + half - half / 16);
    end_window(e, scanner);
    const size_t done = (size_t)(scanner->end - window);
    free(window);
    begin_window(e, scanner, (Slice){data + done, size - done});
    return is_read;
}

/* Read data as a whole document, up to its first error; it has the values that are read of it where it is taken for markup. */
static void read_whole(const uint8_t *data, size_t size, unsigned options, size_t most)
{
    uint32_t known[2][1024] = {{0}};
    Columns e = {.ask_child = name_child, .ask_attribute = name_attribute, .context = known[0], .is_source = 1};
    Columns other = {.ask_child = name_child, .ask_attribute = name_attribute, .context = known[1]};
    Surroundings around;
    Scanner scanner;
    begin_document(&scanner, &around, (Slice){data, size}, 9, (int)(options >> 3 & 1));
    require(read_run(&scanner), "there is memory");
    const int is_right = is_well_formed(&scanner) && is_plain_text(data, data + size, 1);
    release(&scanner);
    begin_document(&scanner, &around, (Slice){data, size}, 9, (int)(options >> 3 & 1));
    require(!setjmp(e.failed) && !setjmp(other.failed), "there is memory");
    declare_some(&e, options);
    declare_some(&other, options);
    begin_markup(&e, data, data);
    const int has_windows = options & 16 && most > size;
    int goes_on = !has_windows || read_half(&e, &scanner, data, size), is_read = 0;
    while (goes_on) {
        is_read = read_document(&e, &scanner, most, NULL);
        goes_on = is_read && e.finished_count == most;
        if (goes_on)
            take_some(&e, most / 2, most / 2, most);
    }
    require(!is_read || is_right, "a document that is read has no error");
    if (is_right && most > size) {
        require(is_read || has_windows || !e.begun, "only a document whose root is an empty tag is not read");
        const size_t read = read_part(&other, data, data + size);
        require(skip_spaces(data + read, data + size) == data + size, "it is markup");
        require(!is_read || (e.begun == other.begun && e.column_count == other.column_count), "the same records are in it");
        for (size_t i = 0; is_read && i < e.column_count; i++) {
            const Column *a = &e.columns[i], *b = &other.columns[i];
            require(a->count == b->count && (e.raw == i || same((Slice){a->text.data, a->text.length}, (Slice){b->text.data, b->text.length})),
                    "the same values are in it");
        }
    }
    release(&scanner);
    release_all(&e);
    release_all(&other);
}

/* Read data as if it were markup, in two parts, and take some of its records after each. */
static void make_columns(const uint8_t *data, size_t size, unsigned options)
{
    uint32_t known[1024] = {0};
    Columns e = {.ask_child = name_child, .ask_attribute = name_attribute, .context = known};
    const size_t cuts[] = {0, size ? (options >> 3) % (size + 1) : 0, size};
    require(!setjmp(e.failed), "there is memory");
    declare_some(&e, options);
    size_t from_here = 0;
    for (int i = 0; i < 2; i++) {
        const size_t length = cuts[i + 1] - from_here;
        uint8_t *part = malloc(length + 1);
        require(part != NULL, "there is memory");
        memcpy(part, data + from_here, length);
        const size_t read = read_part(&e, part, part + length);
        free(part);
        require(read <= length, "what has been read was there");
        if (read < length)
            break;
        from_here += read;
        if (options & 4)
            forget(&e);
        const size_t stop = e.finished_count - (options >> 1 & 1 && e.finished_count), from = stop / 3;
        take_some(&e, from, from + (stop > from), stop);
    }
    release_all(&e);
}

/* Look whether the whole seems broken. */
static void look_at_all(const uint8_t *data, size_t size)
{
    long long unended = 0;
    for (size_t i = 0; i + 1 < size; i++)
        unended += count_unended(data + i, data + i + 2);
    require(unended == count_unended(data, data + size), "blocks are counted as their pairs are");
    note_number((size_t)seems_broken(data, data + size));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    if (size < 2)
        return 0;
    unsigned options = input[0] | (unsigned)input[1] << 8;
    size -= 2;
    uint8_t *data = malloc(size ? size : 1); /* so that what is read after its end is noticed */
    if (!data)
        return 0;
    if (size)
        memcpy(data, input + 2, size);
    scan_part(data, size, options);
    find_records(data, size, options);
    make_columns(data, size, options);
    read_whole(data, size, options, size + 1);
    read_whole(data, size, options, 2);
    look_at_all(data, size);
    free(data);
    return 0;
}

#ifdef STANDALONE

static uint64_t state;

static size_t below(size_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % limit);
}

static const char *const PIECES[] = {
    "<a>", "</a>", "<b>", "</b>", "<p:c>", "</p:c>", "<a ", "<b/>", "<abc k='v'>", "/>", ">", "<a k=\"v\" l='w'>", " k='v'",
    "<a k='<b>' l='", "<a k=v>", "<b k=v/>", "<o:a>", "</o:a>", "<o:a o:k=\"\"/>", "<a n:k=\"v\" o:k=\"w\">", "</a>", "<a k=\"v\"l=\"w\">", "<a k=\"v\" k=\"w\"/>", "<a k>", "<b k />",
    "<a k=>", " k=v", "k=\"v\"", " k", "<b k=v \n>", "<a><b><p:c>", "</c>", "</x>", "</p:c></b></a>", "< ", "</ ", "<:", "<>",
    "\x0C", "\x0Btext", "\xEF\xBF\xBF", "<br>", "</br>", "<?x <?y ?>", "<!-- <!--", "<!-->",
    " k = \"v\"", " p:k='v'", " q:k='v'", " xml:k='v'", " xmlns='u'", " xmlns=\"\"", " xmlns:p=\"u\"", "<n:a xmlns:n='http://x.y/z?a#b'>", "</n:a>", " xmlns:xml='u'", " \xC3\xA9:k='v'", "='", "'", "\"", "=", " ", "\n",
    "\t", "\r", "&amp;", "&lt;", "&quot;", "&#65;", "&#x1F600;", "&#xFFFE;", "&#0;", "&#99999999999;", "&", "&x;", "&xy;",
    "&x", "& ", "&&", "&\xC3\xA9;", "<a k=\"&x&\">", "<d k=\"&\"/>", "<ab k=\"&\" l=\"&amp;&x;\">", "<a k=\"&&gt;\">", ";", "]]>",
    "]", "<!--", "-->", "--", "<!-- x -->", "<![CDATA[", "<![CDATA[x]]>", "<![CDATA[]]>", "<?", "<?p x?>", "<?p?>",
    "<?xml ?>", "?>", "</", "</>", "<", "<!", "<!D", "\xC3\xA9", "\xE4\xBD\xA0", "\xF0\x9F\x98\x80", "\xF0\x90\x80\x80",
    "\xEF\xBF\xBD", "\xEF\xBF\xBE", "\xEF\xBF", "\xED\xA0\x80", "\xC0\x80", "\xFF", "\x80", "\x0B", "x", "text ",
    "<a>", "<a><b>", "</b></a>", "<a><b>x</b></a>", "<a ><b\n>&lt;</b > </a>\n", "<a k=\"v\">y</a>", "<a\tk=\"&amp;\">&#x10FFFF;</a>",
    "<a a1='' a2='' a3='' a4='' a5='' a6='' a7='' a8='' a9='' b1='' b2='' b3='' b4='' b5=''", " a3='x'", " p:k='1' q:k='2'",
    " xmlns:w='a b'", " xmlns:xmlns='x'", " xmlns:p=''", " xmlns:q='http://www.w3.org/XML/1998/namespace'", "<q:a q:k='' q:id=''>", "<p:a/>", " xmlns:xml='http://www.w3.org/XML/1998/namespace'", "--!>", "--->", "<!-- --", "<!x>",
    "<? x>", "<?p?x?>", "<?p\n \x0B?>", "<?a:b c?>", "</a\n>", "</a k>", "</x/y>", "&#93", "]]", "&#xD83D;&#xDE09;",
    "&#xD83D&#xDE09", "&#xD83D;", "a longer text of more than thirty-two characters ", ":", "-", ".", "0",
};

static size_t make_document(uint8_t *data, size_t room)
{
    size_t length = 2, pieces = below(40) + 1;
    data[0] = (uint8_t)below(256);
    data[1] = (uint8_t)below(256);
    for (size_t i = 0; i < pieces; i++) {
        const char *piece = PIECES[below(sizeof PIECES / sizeof *PIECES)];
        size_t times = below(30) ? 1 : below(40);
        for (size_t size = strlen(piece); times-- && length + size <= room; length += size)
            memcpy(data + length, piece, size);
    }
    if (below(4) == 0)
        data[2 + below(length - 1) % (length - 2 ? length - 2 : 1)] = (uint8_t)below(256);
    return below(4) ? length : 2 + below(length - 1);
}

int main(int count, char **arguments)
{
    static uint8_t data[8192];
    if (count != 3)
        return 2;
    state = strtoull(arguments[1], NULL, 10) * 2654435769u + 88172645463325252u;
    for (unsigned long long left = strtoull(arguments[2], NULL, 10); left; left--)
        LLVMFuzzerTestOneInput(data, make_document(data, sizeof data));
    printf("%016llx\n", (unsigned long long)checksum);
    return 0;
}

#endif
