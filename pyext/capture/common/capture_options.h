/** What to capture, and how much. */
#ifndef LEAKGRAPH_CAPTURE_OPTIONS_H
#define LEAKGRAPH_CAPTURE_OPTIONS_H

#include <Python.h>
#include <leakgraph/base.h>

struct lg__leading;

typedef struct lg__capture_options {
    bool previews;          /**< keep short texts of str, bytes, int, float */
    bool no_keys;           /**< leave out the texts of str keys */
    bool contents;          /**< find equal strs, bytes and arrays */
    bool native;            /**< list native memory; in a forked child only */
    bool allocations;       /**< keep the lines that allocated each object;
                                 tracemalloc traces, and no child captures */
    PyObject *const *roots; /**< borrowed; NULL: the whole heap */
    size_t root_count;
    const struct lg__leading *leading; /**< only the roots and these; or NULL */
    PyObject *const *held; /**< borrowed: arguments of the call; its references
                              to them count as found, and each gets a node */
    size_t held_count;
    PyObject *hidden; /**< borrowed: a list made for the call alone, or NULL */
    uint32_t max_depth; /**< hops from the roots; 0: no limit */
    uint32_t max_nodes; /**< stop (partial) at this number; 0: no limit */
    uint64_t max_bytes; /**< limit of capture memory (LG_ELIMIT); 0: none */
    uint64_t traced;    /**< bytes from malloc that tracemalloc uses itself */
    bool spill;         /**< memory is short, so reserve none */
    bool forks;         /**< a child captures, so reserve none here */
    const lg_monitor *watch; /**< gets the walk's progress, GIL held: it may
                                  run no Python code and allocate nothing */
    const char *attached; /**< how another process has asked for it; NULL: none
                               has */
    double *pause; /**< out: seconds that the GIL was held; may be NULL */
} lg__capture_options;

#endif
