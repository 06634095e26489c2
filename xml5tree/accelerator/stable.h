/* Python, by the stable ABI of 3.11. A Python without a global lock has none: what is compiled for it is for its version only. */

#ifndef XML5TREE_STABLE_H
#define XML5TREE_STABLE_H

#include <pyconfig.h>

#if !defined Py_LIMITED_API && !defined Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

/* Return a new reference to what a dictionary has for a key; NULL, perhaps with an exception, if it has nothing. */
#ifdef Py_GIL_DISABLED
static inline PyObject *held_value(PyObject *dictionary, PyObject *key)
{
    PyObject *value;
    PyDict_GetItemRef(dictionary, key, &value);
    return value;
}
#else
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }

static inline PyObject *held_value(PyObject *dictionary, PyObject *key)
{
    PyObject *value = PyDict_GetItemWithError(dictionary, key);
    if (value)
        Py_IncRef(value);
    return value;
}
#endif

#endif
