/**
 * Arguments of METH_FASTCALL | METH_KEYWORDS functions. The interpreter's
 * public parsers need a tuple and a dict of the arguments, and these objects
 * would stand in the heap that leakgraph captures.
 */
#ifndef LEAKGRAPH_ARGS_H
#define LEAKGRAPH_ARGS_H

#include "binding/support/shim.h"
#include <leakgraph/internal/scope.h>
#include <stdbool.h>

typedef struct lg__arg_list {
    const char *function;
    const char *const *names; /* NULL-terminated, positional ones first */
    Py_ssize_t positional;
    Py_ssize_t required;
} lg__arg_list;

/** Fills values[] (zeroed by the caller, borrowed) in the order of list->names.
 *  False with TypeError for wrong arguments. */
bool lg__args_take(const lg__arg_list *list, PyObject *const *args,
                   Py_ssize_t nargs, PyObject *kwnames, PyObject **values);

/** Each converts one value, and leaves *out alone if the argument is missing
 *  (NULL). The first two also take None as missing, and raise ArgumentError for
 * a number that is out of range. Bytes may be a str: '1MiB'. */
bool lg__arg_limit(const char *name, PyObject *value, uint64_t max,
                   uint64_t *out);
/** Rows of an answer; None and 'all' are 0: no limit. */
bool lg__arg_rows(PyObject *value, size_t *out);
bool lg__arg_bytes(const char *name, PyObject *value, uint64_t least,
                   uint64_t *out);
bool lg__arg_flag(PyObject *value, bool *out);

/** Reads a sequence of objects as a fast sequence (new reference); *out = NULL
 *  if it is missing or None. */
bool lg__arg_objects(const char *name, PyObject *value, PyObject **out);

/** UTF-8 of a str, borrowed from it; NULL with ArgumentError if it has a lone
 *  surrogate. */
const char *lg__arg_utf8(const char *name, PyObject *text);
/** The same; NULL if it is missing or None. */
bool lg__arg_text(const char *name, PyObject *value, const char **out);

/** The arguments mine and module. */
typedef struct lg__scope_request {
    bool mine;
    const char *module; /* borrowed; or NULL */
} lg__scope_request;

bool lg__arg_scope(PyObject *mine, PyObject *module, lg__scope_request *out);
/** Needs no GIL. */
lg_status lg__scope_find(const lg__scope_request *self, const lg_graph *graph,
                         const lg_monitor *monitor, lg_scope **out,
                         lg_error *error);

#define LG__SCOPE_TEXT(what)                                                   \
    "mine      only " what "the program's own modules hold\n"                  \
    "module    only " what "matching modules hold: 'train.*'\n"

/** `path` in the encoding of the file system, a new reference. */
PyObject *lg__pathname_bytes(PyObject *path);

/** The same with `{pid}` replaced by the process id, `{rank}` by
 *  lg_process_rank() or 0, and `{n}` by the smallest number from 1 with which
 *  the file does not exist. */
PyObject *lg__pathname_filled(PyObject *path);

PyObject *lg__core_is_installed(PyObject *module, PyObject *path);

extern const char lg__core_is_installed_doc[];

#endif
