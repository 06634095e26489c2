/* What all files need that use Python.

   What is compiled by one Python is used by others. So no format of arguments or results has a `#`: its meaning depends on the
   Python that compiles. Allocating an object of Python's may run finalizers, and looking a key up may compare it with keys
   of any type, so both may run any code: pointers to what other objects own are held over them. */

#ifndef XML5TREE_TEXTS_H
#define XML5TREE_TEXTS_H

#include "stable.h" /* before all of C's headers, as Python wants it */

#include "scanner.h"

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

#endif
