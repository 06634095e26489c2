/* The errors of a run, as Python gets them. */

#ifndef XML5TREE_ERRORS_H
#define XML5TREE_ERRORS_H

#include "texts.h"

/* Add the numbers of characters and of newlines between two places to two counts. */
static void count_characters(const uint8_t *start, const uint8_t *end, Py_ssize_t *characters, Py_ssize_t *newlines)
{
    size_t lines, continuations;
    count_bytes(start, end, &lines, &continuations);
    *characters += end - start - (Py_ssize_t)continuations;
    *newlines += (Py_ssize_t)lines;
}

/* What is told of an error besides its code: see `details_of`. Those from EVENT on are of events. */
typedef enum {
    NO_DETAILS,
    DETAIL,
    BOTH_DETAILS,
    REMARK,   /* of the code, */
    REMARKED, /* after the detail */
    OF_CHARACTER,
    OF_DEPTH,
    EVENT,
    FIRST_NAME,
    OF_PAIR,
    JUDGED,
    OF_TEXT,
    OF_OUTER_END,
    ENDED_ELEMENTS,
    ENDED_NOTHING,
} Details;

/* The most characters of a detail in a message, and how many are left of a longer one: see xml5tree/errors/reporter.py. */
enum { LONG_DETAIL = 80, SHORTENED_DETAIL = 60 };

/* Return a detail as a string that is short enough for a message; NULL on failure. */
static PyObject *short_string_of(Slice slice)
{
    PyObject *text = string_of(slice);
    if (!text || PyUnicode_GetLength(text) <= LONG_DETAIL)
        return text;
    PyObject *cut = PyUnicode_Substring(text, 0, SHORTENED_DETAIL);
    PyObject *result = cut ? PyUnicode_FromFormat("%U%s", cut, "\xE2\x80\xA6") : NULL;
    Py_DECREF(text);
    Py_XDECREF(cut);
    return result;
}

/* The codes of errors, by their kinds. */
#define KIND(name, code, details, remark) {code, details, remark},
static const struct {
    const char *code;
    Details details;
    const char *remark;
} ERRORS[] = {
#include "kinds.h"
};
#undef KIND

/* Return the details of an error: see `Run` in _scan.pyi. NULL on failure. */
static PyObject *details_of(const Scanner *scanner, const Error *error)
{
    const char *remark = ERRORS[error->kind].remark;
    switch (ERRORS[error->kind].details) {
    case NO_DETAILS:
        return PyTuple_New(0);
    case DETAIL:
        return Py_BuildValue("(N)", short_string_of(error->detail));
    case EVENT:
        return Py_BuildValue("(N)", string_of(error->detail));
    case JUDGED:
        return Py_NewRef(error->judged);
    case BOTH_DETAILS:
        return Py_BuildValue("(NN)", short_string_of(error->detail), short_string_of(error->current));
    case REMARK:
        return Py_BuildValue("(s)", remark);
    case REMARKED:
        return Py_BuildValue("(Ns)", short_string_of(error->detail), remark);
    case OF_DEPTH:
        return Py_BuildValue("(n)", (Py_ssize_t)scanner->around->max_depth);
    case OF_TEXT:
        return Py_BuildValue("(LLsiii)", error->lowest, error->level, error->effect, (int)error->within & 1,
                             (int)error->within >> 2, (int)error->within >> 1 & 1);
    case OF_OUTER_END:
        return Py_BuildValue("(Ni)", string_of(error->detail), (int)error->within);
    case OF_CHARACTER:
        return Py_BuildValue("(N)", PyUnicode_FromFormat("U+00%d%c", *error->place >> 4, "0123456789ABCDEF"[*error->place & 15]));
    case OF_PAIR:
        return Py_BuildValue("(NC)", string_of(error->detail), (int)error->lowest);
    case FIRST_NAME:
        return Py_BuildValue("(NNs)", string_of(error->detail), string_of(error->current), error->effect);
    case ENDED_ELEMENTS:
        return Py_BuildValue("(NLLNn)", string_of(error->detail), error->lowest, error->level, string_of(error->current),
                             (Py_ssize_t)error->within);
    case ENDED_NOTHING:
        return Py_BuildValue("(NLLO)", string_of(error->detail), error->lowest, error->level,
                             skip_spaces(error->current.start, scanner->end) == scanner->end ? Py_True
                                 : Py_False);
    }
    return NULL;
}

/* A place in the run: characters before it in the document, its line, and characters before it there. */
typedef struct {
    const uint8_t *p;
    Py_ssize_t offset;
    Py_ssize_t line;
    Py_ssize_t column;
    Py_ssize_t first; /* column of the run */
} Place;

/* Return where the last line begins before a place: `start` if there is no newline. */
static const uint8_t *start_of_line(const uint8_t *start, const uint8_t *p)
{
    enum { BLOCK = 256 };
    while (p - start > BLOCK && !memchr(p - BLOCK, '\n', BLOCK)) /* lines may be long */
        p -= BLOCK;
    while (p > start && p[-1] != '\n')
        p--;
    return p;
}

/* Go on to a place, or back: errors of a whole tag are noted after those within it. */
static void go_to(Place *place, const uint8_t *start, const uint8_t *p)
{
    Py_ssize_t characters = 0, newlines = 0;
    if (p >= place->p) {
        count_characters(place->p, p, &characters, &newlines);
    } else {
        count_characters(p, place->p, &characters, &newlines);
        characters = -characters;
        newlines = -newlines;
    }
    place->offset += characters;
    place->line += newlines;
    place->column += characters;
    if (newlines) {
        const uint8_t *line = start_of_line(start, p);
        Py_ssize_t more = 0;
        place->column = line > start ? 0 : place->first;
        count_characters(line, p, &place->column, &more);
    }
    place->p = p;
}

/* Return an error, and go to its place. `codes` has the code, its `Code` and its effect for each kind, or None for events. NULL on
   failure. */
static PyObject *error_of(const Scanner *scanner, const Error *error, PyObject *codes, Place *place)
{
    PyObject *code = PyTuple_GetItem(codes, error->kind), *details = code ? details_of(scanner, error) : NULL, *item = NULL;
    go_to(place, scanner->start, error->place);
    if (details && code == Py_None) {
        item = Py_BuildValue("nnnsO", place->offset, place->line, place->column, ERRORS[error->kind].code, details);
    } else if (details) {
        PyObject *effect = error->effect ? PyUnicode_InternFromString(error->effect) : Py_NewRef(PyTuple_GetItem(code, 2));
        item = Py_BuildValue("OOONOnnn", PyTuple_GetItem(code, 0), PyTuple_GetItem(code, 1), Py_None, effect, details, place->line,
                             place->column, place->offset);
    }
    Py_XDECREF(details);
    return item;
}

/* Return the first control character of a run from a place on; its end if there is none, or they have been reported. */
static const uint8_t *find_control(const Scanner *scanner, const uint8_t *p)
{
    if (!scanner->around->reports_controls)
        return scanner->end;
    while ((p = find_any(p, scanner->end, 1, 1, 1)) < scanner->end && *p >= 0x20)
        p++;
    return p;
}

/* Return the errors of the run, and go to their places: see `Run`. Control characters come before the first error at or after
   them. NULL on failure. */
static PyObject *errors_of(const Scanner *scanner, PyObject *codes, Place *place)
{
    PyObject *errors = PyList_New(0);
    Error control = {.kind = CONTROL, .place = find_control(scanner, scanner->start)};
    for (size_t i = 0; errors && (i < scanner->error_count || control.place < scanner->end);) {
        const Error *error = i < scanner->error_count ? &scanner->errors[i] : &control;
        if (control.place <= error->place && control.place < scanner->end)
            error = &control;
        PyObject *item = error_of(scanner, error, codes, place);
        if (!item || PyList_Append(errors, item) < 0)
            Py_CLEAR(errors);
        Py_XDECREF(item);
        if (error == &control)
            control.place = find_control(scanner, control.place + 1);
        else
            i++;
    }
    return errors;
}

/* Return the code of each kind of error, in their order; None for events. */
static PyObject *run_codes(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    const size_t count = sizeof ERRORS / sizeof *ERRORS;
    PyObject *codes = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; codes && i < count; i++) {
        PyObject *code = ERRORS[i].details >= EVENT ? Py_NewRef(Py_None) : PyUnicode_InternFromString(ERRORS[i].code);
        if (!code || PyList_SetItem(codes, (Py_ssize_t)i, code) < 0)
            Py_CLEAR(codes);
    }
    return codes;
}

#endif
