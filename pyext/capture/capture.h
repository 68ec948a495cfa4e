/**
 * Capture: the heap of the running interpreter as an lg_graph.
 *
 * Call with the GIL held. The walk runs no Python code, allocates no Python
 * object, writes no reference count and materialises no __dict__ or frame
 * object; its memory comes from anonymous mappings of its own. It cannot start
 * a garbage collection and cannot be interrupted. The graph is finished with
 * the GIL released.
 */
#ifndef LEAKGRAPH_CAPTURE_H
#define LEAKGRAPH_CAPTURE_H

#include <Python.h>
#include <leakgraph/leakgraph.h>

typedef struct lg_capture_options {
    bool previews;          /**< keep short texts of str, bytes, int, float */
    bool no_keys;           /**< leave the text of str keys out */
    PyObject *const *roots; /**< borrowed; NULL: the whole heap */
    size_t root_count;
    PyObject *const *held; /**< borrowed: the arguments of the call that asks.
                                Its own reference to each is counted as found,
                                and each has its node whoever else holds it */
    size_t held_count;
    PyObject *hidden; /**< borrowed; NULL, or a list made for the call alone */
    uint32_t max_depth; /**< hops from the roots; 0: no limit */
    uint32_t max_nodes; /**< stop (partial) after so many; 0: no limit */
    uint64_t max_bytes; /**< of capture memory: LG_ELIMIT beyond; 0: none */
    bool spill;         /**< memory is short: reserve none */
    const lg_monitor *watch; /**< told how far the walk is, GIL held: it may
                                  run no Python code and allocate nothing */
    double *pause; /**< out: seconds that the GIL was held; may be NULL */
} lg_capture_options;

/** Captures into *out. With roots or a limit the graph is partial. */
lg_status lg_capture(const lg_capture_options *options, lg_graph **out,
                     lg_error *err);

/** To be called once, from module initialisation: proves that the interpreter's
 *  internals are where this build expects them. Cannot fail; a mismatch selects
 *  the public method. LEAKGRAPH_CAPTURE=public in the environment forces it. */
void lg_capture_self_check(void);
/** Warns (RuntimeWarning) if a mismatch was found and says what is missed then;
 *  silent when the public method was asked for. -1 if the warning is an error.
 */
int lg_capture_announce(void);

/** The method as text: "internal", or "public: reason". */
void lg_capture_describe(char *out, size_t size);

/** Whether this build has no GIL: other threads run Python code at any time. */
bool lg_capture_is_free_threaded(void);

#endif
