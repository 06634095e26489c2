/* Names as Python's texts, and as numbers: see `Names` in tags.h; and what all files need that use Python.

   What is compiled by one Python is used by others. So no format of arguments or results has a `#`: its meaning depends on the
   Python that compiles. Allocating an object of Python's may run finalizers, and looking a key up may compare it with keys
   of any type, so both may run any code: pointers to what other objects own are held over them. */

#ifndef XML5TREE_TEXTS_H
#define XML5TREE_TEXTS_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include "tags.h"

/* References are counted by functions of the Python that runs. The macros of 3.11 count those to None, too, which 3.12 and later
   never count, so that the number would drift. */
#undef Py_NewRef
#undef Py_XNewRef
#undef Py_INCREF
#undef Py_DECREF
#undef Py_XDECREF
#define Py_INCREF(object) Py_IncRef(object)
#define Py_DECREF(object) Py_DecRef(object)
#define Py_XDECREF(object) Py_DecRef(object)

/* A text whose number has been asked for. */
typedef struct {
    PyObject *text;
    uint32_t number;
} Numbered;

/* The number of texts whose numbers are found by their addresses: the names of the open elements are the same objects each
   time, and there may be hundreds of them. */
enum { MOST_NUMBERED = 64 };

typedef struct {
    Names *names;
    PyObject **items; /* by the numbers of names, where they have been asked for */
    size_t count;
    Numbered numbered[MOST_NUMBERED];
} Texts;

/* Set a MemoryError; return 0. */
static int no_memory(void)
{
    PyErr_NoMemory();
    return 0;
}

/* Set an exception; return 0. */
static int refuse(PyObject *type, const char *message)
{
    PyErr_SetString(type, message);
    return 0;
}

/* Set `slice` to the UTF-8 of a string, which lives as long as the string; return 0 on failure. */
static int utf8_of(PyObject *text, Slice *slice)
{
    Py_ssize_t length;
    const char *start = PyUnicode_AsUTF8AndSize(text, &length);
    *slice = (Slice){(const uint8_t *)start, (size_t)length};
    return start != NULL;
}

/* Set `slice` to the content of bytes, which lives as long as they do; return 0 on failure. */
static int content_of(PyObject *bytes, Slice *slice)
{
    char *start;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(bytes, &start, &length) < 0)
        return 0;
    *slice = (Slice){(const uint8_t *)start, (size_t)length};
    return 1;
}

/* Return a part of UTF-8 as a string; NULL on failure. */
static PyObject *string_of(Slice slice)
{
    return PyUnicode_DecodeUTF8((const char *)slice.start, (Py_ssize_t)slice.length, "strict");
}

/* Set `*part` to a part of bytes; return 0, with a ValueError, if there is no such part. */
static int part_of(PyObject *bytes, Py_ssize_t start, Py_ssize_t stop, Slice *part)
{
    if (!content_of(bytes, part))
        return 0;
    if (start < 0 || start > stop || (size_t)stop > part->length) {
        PyErr_Format(PyExc_ValueError, "no part of the data: %zd to %zd", start, stop);
        return 0;
    }
    *part = (Slice){part->start + start, (size_t)(stop - start)};
    return 1;
}

/* Return whether an object is a tuple, or set a TypeError, where `PyArg_ParseTuple` would set a SystemError. */
static int is_tuple(PyObject *object, const char *what)
{
    if (PyTuple_Check(object))
        return 1;
    PyErr_Format(PyExc_TypeError, "%s is a tuple", what);
    return 0;
}

/* Return whether an object is true, which is given up; -1 on failure, or if it is NULL. */
static int is_true(PyObject *object)
{
    int answer = object ? PyObject_IsTrue(object) : -1;
    Py_XDECREF(object);
    return answer;
}

static void release_texts(Texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        Py_CLEAR(texts->items[i]);
    for (size_t i = 0; i < MOST_NUMBERED; i++)
        Py_CLEAR(texts->numbered[i].text);
    PyMem_Free(texts->items);
    texts->items = NULL;
    texts->count = 0;
}

/* Return the text of a name, borrowed; NULL on failure. */
static PyObject *text_of(Texts *texts, uint32_t name)
{
    if (name >= texts->count) {
        size_t count = 2 * texts->names->count;
        PyObject **items = PyMem_Realloc(texts->items, count * sizeof *items);
        if (!items)
            return PyErr_NoMemory();
        memset(items + texts->count, 0, (count - texts->count) * sizeof *items);
        texts->items = items;
        texts->count = count;
    }
    if (!texts->items[name]) {
        const Name *item = &texts->names->items[name];
        texts->items[name] = string_of((Slice){texts->names->bytes + item->start, item->length});
    }
    return texts->items[name];
}

/* Set the number of a name; return 0 on failure. */
static int number_of_text(Texts *texts, PyObject *text, uint32_t *number)
{
    Slice name;
    Numbered *numbered = &texts->numbered[((uintptr_t)text >> 4) % MOST_NUMBERED];
    if (numbered->text == text) {
        *number = numbered->number;
        return 1;
    }
    if (!utf8_of(text, &name))
        return 0;
    if (!number_of(texts->names, name, number))
        return no_memory();
    PyObject *before = numbered->text;
    *numbered = (Numbered){Py_NewRef(text), *number};
    Py_XDECREF(before);
    return 1;
}

#endif
