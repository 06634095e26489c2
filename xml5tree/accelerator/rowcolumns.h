/* rows.h for Python: values of flat records, and columns of text for Arrow. What the arguments are is in _scan.pyi. */

#ifndef XML5TREE_ROWCOLUMNS_H
#define XML5TREE_ROWCOLUMNS_H

#include "texts.h"

#include "rows.h"

/* Finding records --------------------------------------------------------------------------------------------------- */

static void release_parts(Part *parts, size_t count)
{
    for (size_t i = 0; parts && i < count; i++) {
        PyMem_Free(parts[i].steps);
        PyMem_Free(parts[i].uses);
    }
    PyMem_Free(parts);
}

/* Read the steps and the uses of a part, which are tuples of tuples; 0 on failure. */
static int read_record_part(PyObject *steps, PyObject *uses, size_t width, Part *part)
{
    part->step_count = (size_t)PyTuple_Size(steps);
    part->use_count = (size_t)PyTuple_Size(uses);
    part->steps = PyMem_Calloc(part->step_count + 1, sizeof *part->steps);
    part->uses = PyMem_Calloc(part->use_count + 1, sizeof *part->uses);
    if (!part->steps || !part->uses)
        return no_memory();
    for (size_t i = 0; i < part->step_count; i++) {
        Slice literal;
        unsigned kind;
        PyObject *bytes, *step = PyTuple_GetItem(steps, (Py_ssize_t)i);
        if (!is_tuple(step, "a step") || !PyArg_ParseTuple(step, "SI", &bytes, &kind) || !content_of(bytes, &literal))
            return 0;
        if (kind >= STEP_KINDS)
            return refuse(PyExc_ValueError, "a step has a known kind");
        part->steps[i] = (Step){literal, kind};
    }
    for (size_t i = 0; i < part->use_count; i++) {
        Py_ssize_t column, number;
        PyObject *use = PyTuple_GetItem(uses, (Py_ssize_t)i);
        if (!is_tuple(use, "a use") || !PyArg_ParseTuple(use, "nn", &column, &number))
            return 0;
        if (column < 0 || (size_t)column >= width || number < -2 || number >= (Py_ssize_t)part->step_count)
            return refuse(PyExc_ValueError, "a use has the numbers of a column and a step");
        part->uses[i] = (Use){(size_t)column, number == -2 ? LACKING : number == -1 ? NO_STEP : (size_t)number};
    }
    return 1;
}

/* Read parts; NULL on failure. */
static Part *read_record_parts(PyObject *tuple, size_t width)
{
    Py_ssize_t count = PyTuple_Size(tuple);
    Part *parts = PyMem_Calloc((size_t)count + 1, sizeof *parts);
    if (!parts)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; parts && i < count; i++) {
        PyObject *steps, *uses, *part = PyTuple_GetItem(tuple, i);
        Py_ssize_t group;
        if (!is_tuple(part, "a part") ||
            !PyArg_ParseTuple(part, "O!O!In", &PyTuple_Type, &steps, &PyTuple_Type, &uses, &parts[i].role, &group) ||
            (group >= count && !refuse(PyExc_ValueError, "there are no more groups than parts")) ||
            !read_record_part(steps, uses, width, &parts[i])) {
            release_parts(parts, (size_t)count);
            return NULL;
        }
        parts[i].group = group < 0 ? NO_GROUP : (size_t)group;
    }
    return parts;
}

static PyObject *bytes_of(const Spans *spans)
{
    return PyBytes_FromStringAndSize((const char *)spans->spans, (Py_ssize_t)(spans->count * sizeof *spans->spans));
}

static PyObject *find_rows(PyObject *module, PyObject *arguments)
{
    (void)module;
    Slice data, modes;
    Py_ssize_t start;
    PyObject *bytes, *tuple, *wanted, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "SnO!S", &bytes, &start, &PyTuple_Type, &tuple, &wanted) ||
        !content_of(bytes, &data) || !content_of(wanted, &modes))
        return NULL;
    if (start < 0 || (size_t)start > data.length)
        return PyErr_Format(PyExc_ValueError, "no place in the data: %zd", start);
    Part *parts = read_record_parts(tuple, modes.length);
    if (!parts)
        return NULL;
    const uint8_t *source = data.start, *p = source + start;
    Found found = {0};
    if (!find_records(parts, (size_t)PyTuple_Size(tuple), modes.start, modes.length, source, &p, source + data.length,
                      &found)) {
        PyErr_NoMemory();
    } else {
        size_t cell_size = measure_spans(&found.cells, modes.start, modes.length);
        PyObject *text = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(cell_size + measure_spans(&found.items, NULL, 1)));
        if (text) {
            uint8_t *to = (uint8_t *)PyBytes_AsString(text);
            size_t place = write_spans(&found.cells, modes.start, modes.length, source, to, 0);
            place = write_spans(&found.items, NULL, 1, source, to, place);
            memset(to + place, 0, (size_t)PyBytes_Size(text) - place);
        }
        PyObject *cells = bytes_of(&found.cells), *items = bytes_of(&found.items);
        if (text && cells && items)
            result = Py_BuildValue("nnOOO", (Py_ssize_t)found.count, (Py_ssize_t)(p - source), text, cells, items);
        Py_XDECREF(text);
        Py_XDECREF(cells);
        Py_XDECREF(items);
    }
    release_found(&found);
    release_parts(parts, (size_t)PyTuple_Size(tuple));
    return result;
}

/* RowValues ------------------------------------------------------------------------------------------------------------ */

/* The values of a column in some records. */
typedef struct {
    Slice text;
    const uint8_t *cells;
    const uint8_t *items;
    size_t item_count;
    size_t width;
    size_t column;
    size_t start;
    size_t stop;
    int is_list;
} RowValues;

/* Read the values of a column; return 0 on failure. */
static int read_values(PyObject *tuple, RowValues *values)
{
    PyObject *found[3];
    Slice cells, items;
    Py_ssize_t width, column, start, stop;
    if (!is_tuple(tuple, "values") ||
        !PyArg_ParseTuple(tuple, "SSSnnpnn", &found[0], &found[1], &found[2], &width, &column, &values->is_list, &start,
                          &stop) ||
        !content_of(found[0], &values->text) || !content_of(found[1], &cells) || !content_of(found[2], &items))
        return 0;
    if (column < 0 || column >= width || start < 0 || start > stop ||
        (size_t)stop > cells.length / sizeof(Span) / (size_t)width)
        return refuse(PyExc_ValueError, "no column of some records");
    values->cells = cells.start;
    values->items = items.start;
    values->item_count = items.length / sizeof(Span);
    values->width = (size_t)width;
    values->column = (size_t)column;
    values->start = (size_t)start;
    values->stop = (size_t)stop;
    return 1;
}

/* Read the span at an index, which is absent or within a limit; return 0 on failure. */
static int read_span(const uint8_t *spans, size_t index, size_t limit, Span *span)
{
    memcpy(span, spans + index * sizeof *span, sizeof *span);
    if (span->begin == ABSENT || (span->begin <= span->end && span->end <= limit))
        return 1;
    return refuse(PyExc_ValueError, "a span is not in the data");
}

static int read_cell(const RowValues *values, size_t row, Span *span)
{
    return read_span(values->cells, row * values->width + values->column,
                     values->is_list ? values->item_count : values->text.length, span);
}

/* Read an item, whose start is NULL if it is absent; return 0 on failure. */
static int read_item(const RowValues *values, size_t item, Slice *text)
{
    Span span;
    if (!read_span(values->items, item, values->text.length, &span))
        return 0;
    *text = span.begin == ABSENT ? (Slice){NULL, 0} : (Slice){values->text.start + span.begin, span.end - span.begin};
    return 1;
}

static PyObject *decoded_text(Slice text)
{
    if (!text.start)
        return Py_NewRef(Py_None);
    return string_of(text);
}

static PyObject *row_value_of(const RowValues *values, Span cell)
{
    if (cell.begin == ABSENT)
        return Py_NewRef(Py_None);
    if (!values->is_list)
        return decoded_text((Slice){values->text.start + cell.begin, cell.end - cell.begin});
    PyObject *texts = PyList_New((Py_ssize_t)(cell.end - cell.begin));
    for (size_t item = cell.begin; texts && item < cell.end; item++) {
        Slice text;
        PyObject *value = read_item(values, item, &text) ? decoded_text(text) : NULL;
        if (!value || PyList_SetItem(texts, (Py_ssize_t)(item - cell.begin), value) < 0)
            Py_CLEAR(texts);
    }
    return texts;
}

static PyObject *list_values(PyObject *module, PyObject *tuple)
{
    (void)module;
    RowValues values;
    if (!read_values(tuple, &values))
        return NULL;
    PyObject *list = PyList_New((Py_ssize_t)(values.stop - values.start));
    for (size_t row = values.start; list && row < values.stop; row++) {
        Span cell;
        PyObject *value = read_cell(&values, row, &cell) ? row_value_of(&values, cell) : NULL;
        if (!value || PyList_SetItem(list, (Py_ssize_t)(row - values.start), value) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Columns ----------------------------------------------------------------------------------------------------------- */

/* The sizes of a column; in one of lists, the texts are their items. */
typedef struct {
    size_t rows;
    size_t items;
    size_t length; /* of all texts */
} Sizes;

/* A column as Arrow lays it out; without `data`, it is measured only. */
typedef struct {
    int is_list;
    Sizes room; /* what has been measured; code that ran since then may have changed lists, or give other numbers */
    size_t rows;
    size_t nulls;
    size_t items;
    size_t item_nulls;
    size_t length; /* of all texts */
    char *data;
    int32_t *row_ends;
    int32_t *item_ends;
    char *validity;
    char *item_validity;
} RowColumn;

static void set_valid(char *validity, size_t place)
{
    validity[place / 8] |= (char)(1 << place % 8);
}

/* Return 0, with a RuntimeError, if there is less room than has been measured. */
static int has_room(const RowColumn *column, size_t rows, size_t items, size_t length)
{
    const Sizes *room = &column->room;
    if (!column->data || (rows <= room->rows - column->rows && items <= room->items - column->items &&
                          length <= room->length - column->length))
        return 1;
    return refuse(PyExc_RuntimeError, "values have changed while they were read");
}

/* Add a text, or as an item of a list, one that is absent; return 0 on failure. */
static int add_text(RowColumn *column, Slice text)
{
    if (!has_room(column, 0, (size_t)column->is_list, text.length))
        return 0;
    if (column->data && text.length)
        memcpy(column->data + column->length, text.start, text.length);
    column->length += text.length;
    if (!column->is_list)
        return 1;
    column->item_nulls += !text.start;
    if (column->data) {
        if (text.start)
            set_valid(column->item_validity, column->items);
        column->item_ends[column->items + 1] = (int32_t)column->length;
    }
    column->items++;
    return 1;
}

/* End a row; return 0 on failure. */
static int end_row(RowColumn *column, int is_null)
{
    if (!has_room(column, 1, 0, 0))
        return 0;
    if (column->data) {
        if (!is_null)
            set_valid(column->validity, column->rows);
        column->row_ends[column->rows + 1] = (int32_t)(column->is_list ? column->items : column->length);
    }
    column->rows++;
    column->nulls += (size_t)is_null;
    return 1;
}

/* Results of adding values; -1: failure. UNLIKE: they have to be converted otherwise. */
enum { ADDED = 1, UNLIKE = 0 };

static int add_found(RowColumn *column, PyObject *tuple)
{
    RowValues values;
    if (!read_values(tuple, &values))
        return -1;
    if (values.is_list != column->is_list)
        return UNLIKE;
    for (size_t row = values.start; row < values.stop; row++) {
        Span cell;
        Slice text;
        if (!read_cell(&values, row, &cell))
            return -1;
        if (cell.begin != ABSENT && !values.is_list &&
            !add_text(column, (Slice){values.text.start + cell.begin, cell.end - cell.begin}))
            return -1;
        for (size_t item = cell.begin; values.is_list && item < cell.end; item++) {
            if (!read_item(&values, item, &text) || !add_text(column, text))
                return -1;
        }
        if (!end_row(column, cell.begin == ABSENT))
            return -1;
    }
    return ADDED;
}

static int add_string(RowColumn *column, PyObject *value)
{
    Py_ssize_t length;
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    if (!text) {
        PyErr_Clear(); /* no text, or with surrogates */
        return UNLIKE;
    }
    return add_text(column, (Slice){(const uint8_t *)text, (size_t)length}) ? ADDED : -1;
}

/* Add a value of a list: None, a text, or a list of texts. */
static int add_value(RowColumn *column, PyObject *value)
{
    int done = value == Py_None ? ADDED : UNLIKE;
    if (!done && !column->is_list) {
        done = add_string(column, value);
    } else if (!done && PyList_Check(value)) {
        done = ADDED;
        for (Py_ssize_t item = 0; done > 0 && item < PyList_Size(value); item++) {
            PyObject *text = Py_NewRef(PyList_GetItem(value, item));
            done = add_string(column, text);
            Py_DECREF(text);
        }
    }
    return done <= 0 ? done : end_row(column, value == Py_None) ? ADDED : -1;
}

static int add_list(RowColumn *column, PyObject *values)
{
    int done = ADDED;
    for (Py_ssize_t i = 0; done > 0 && i < PyList_Size(values); i++) {
        PyObject *value = Py_NewRef(PyList_GetItem(values, i));
        done = add_value(column, value);
        Py_DECREF(value);
    }
    return done;
}

static int add_parts(RowColumn *column, PyObject *parts)
{
    int done = ADDED;
    for (Py_ssize_t i = 0; done > 0 && i < PyList_Size(parts); i++) {
        PyObject *part = Py_NewRef(PyList_GetItem(parts, i));
        done = PyList_Check(part) ? add_list(column, part) : add_found(column, part);
        Py_DECREF(part);
    }
    return done;
}

/* Return bytes that are all zero; NULL on failure. */
static PyObject *zero_bytes(size_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes)
        memset(PyBytes_AsString(bytes), 0, size);
    return bytes;
}

static PyObject *join_texts(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *parts, *result = NULL;
    RowColumn column = {0};
    if (!PyArg_ParseTuple(arguments, "O!p", &PyList_Type, &parts, &column.is_list))
        return NULL;
    int done = add_parts(&column, parts);
    if (done <= 0 || column.length > INT32_MAX || column.rows >= INT32_MAX || column.items >= INT32_MAX)
        return done < 0 ? NULL : Py_NewRef(Py_None);
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)column.length);
    PyObject *row_ends = zero_bytes((column.rows + 1) * sizeof(int32_t));
    PyObject *item_ends = zero_bytes((column.items + 1) * sizeof(int32_t));
    PyObject *validity = zero_bytes(column.rows / 8 + 1), *item_validity = zero_bytes(column.items / 8 + 1);
    if (data && row_ends && item_ends && validity && item_validity) {
        const Sizes room = {column.rows, column.items, column.length};
        column = (RowColumn){
            .is_list = column.is_list,
            .room = room,
            .data = PyBytes_AsString(data),
            .row_ends = (void *)PyBytes_AsString(row_ends),
            .item_ends = (void *)PyBytes_AsString(item_ends),
            .validity = PyBytes_AsString(validity),
            .item_validity = PyBytes_AsString(item_validity),
        };
        done = add_parts(&column, parts);
        if (done == UNLIKE)
            result = Py_NewRef(Py_None);
        else if (done > 0 && (column.rows < room.rows || column.items < room.items || column.length < room.length))
            refuse(PyExc_RuntimeError, "values have changed while they were read");
        else if (done > 0)
            result = Py_BuildValue("nnOOnnOOO", (Py_ssize_t)column.rows, (Py_ssize_t)column.nulls,
                                   column.nulls ? validity : Py_None, row_ends, (Py_ssize_t)column.items,
                                   (Py_ssize_t)column.item_nulls, column.item_nulls ? item_validity : Py_None, item_ends,
                                   data);
    }
    Py_XDECREF(data);
    Py_XDECREF(row_ends);
    Py_XDECREF(item_ends);
    Py_XDECREF(validity);
    Py_XDECREF(item_validity);
    return result;
}

#endif
