/* The functions of _search.c, which is compiled by itself: its names are not those of _scan.c. */

#ifndef XML5TREE_SEARCHING_H
#define XML5TREE_SEARCHING_H

#include "stable.h"

void prepare_searches(void); /* makes tables; no other function comes before it */
PyObject *list_costs(PyObject *module, PyObject *arguments);
PyObject *open_search(PyObject *module, PyObject *arguments);
PyObject *tell_search(PyObject *module, PyObject *arguments);
PyObject *step_search(PyObject *module, PyObject *arguments);
PyObject *count_search(PyObject *module, PyObject *arguments);

#endif
