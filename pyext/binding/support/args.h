/**
 * Arguments of METH_FASTCALL | METH_KEYWORDS functions. The interpreter's
 * public parsers need a tuple and a dict of the arguments, and these objects
 * would stand in the heap that leakgraph captures.
 */
#ifndef LEAKGRAPH_ARGS_H
#define LEAKGRAPH_ARGS_H

#include "binding/support/shim.h"
#include <leakgraph/scope.h>
#include <stdbool.h>

typedef struct arg_list {
    const char *function;
    const char *const *names; /* NULL-terminated, positional ones first */
    Py_ssize_t positional;
    Py_ssize_t required;
} arg_list;

/** Fills values[] (zeroed by the caller, borrowed) in the order of list->names.
 *  False with TypeError for wrong arguments. */
bool args_take(const arg_list *list, PyObject *const *args, Py_ssize_t nargs,
               PyObject *kwnames, PyObject **values);

/** Each converts one value, and leaves *out alone if the argument is missing
 *  (NULL). The first two also take None as missing, and raise ArgumentError for
 * a number that is out of range. Bytes may be a str: '1MiB'. */
bool arg_limit(const char *name, PyObject *value, uint64_t max, uint64_t *out);
/** Rows of an answer; None and 'all' are 0: no limit. */
bool arg_rows(PyObject *value, size_t *out);
bool arg_bytes(const char *name, PyObject *value, uint64_t least,
               uint64_t *out);
bool arg_flag(PyObject *value, bool *out);

/** Reads a sequence of objects as a fast sequence (new reference); *out = NULL
 *  if it is missing or None. */
bool arg_objects(const char *name, PyObject *value, PyObject **out);

/** UTF-8 of a str, borrowed from it; NULL if it is missing or None. */
bool arg_text(const char *name, PyObject *value, const char **out);

/** The arguments mine and module. */
typedef struct scope_request {
    bool mine;
    const char *module; /* borrowed; or NULL */
} scope_request;

bool arg_scope(PyObject *mine, PyObject *module, scope_request *out);
/** Needs no GIL. */
lg_status scope_find(const scope_request *self, const lg_graph *graph,
                     const lg_monitor *monitor, lg_scope **out,
                     lg_error *error);

#define SCOPE_TEXT(what)                                                       \
    "mine      only " what "the program's own modules hold\n"                  \
    "module    only " what "matching modules hold: 'train.*'\n"

#endif
