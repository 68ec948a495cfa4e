/**
 * Adapters: what libraries keep outside of Python's heap.
 *
 * One adapter knows one library, by the types it finds in the heap; it never
 * imports the library and never changes its state. When it does not recognise
 * what it sees it says so (lg_pass_note) and adds nothing: never a guess.
 *
 * The course of a capture, with the GIL held throughout:
 *   prepare   before the walk: looks for the library among the loaded modules,
 *             calibrates, asks what only the library's own code can tell. May
 *             run Python code.
 *   visit     during the walk, for each instance: names the references that
 *             CPython cannot see.
 *   survey    after the walk, and again as long as the walk of what it found
 *             met more instances: adds nodes, edges, spans and facts.
 *   settle    after the last survey, nothing being walked any more: counts what
 *             was found.
 *   ask       after all walking: may run the library's code on the instances,
 *             which the capture holds strongly meanwhile; lg_pass_next begins
 *             anew. Left out in a forked child.
 *   finish    frees the state. Always, if prepare returned true.
 * visit, survey and settle run no Python code, allocate no Python object, take
 * no reference, and read foreign memory only through lg_pass_read.
 */
#ifndef LEAKGRAPH_ADAPTER_H
#define LEAKGRAPH_ADAPTER_H

#include "capture/walk/known.h"

#include <Python.h>
#include <leakgraph/builder.h>

typedef struct lg_adapter_pass lg_adapter_pass;

typedef struct lg_adapter {
    const char *name; /**< "torch": info text "adapter.torch" */
    /** False: the library is not loaded, or not understood (then noted). */
    bool (*prepare)(lg_adapter_pass *pass, void **state);
    /** What instances of the type are to this adapter: 1 to 15; 0: nothing.
     *  Asked once for each type, when it is first met. */
    unsigned (*kind)(void *state, PyTypeObject *type);
    /** May be NULL. */
    void (*visit)(lg_adapter_pass *pass, void *state, PyObject *object,
                  unsigned kind);
    void (*pass)(lg_adapter_pass *pass, void *state);
    void (*settle)(lg_adapter_pass *pass, void *state); /**< may be NULL */
    void (*ask)(lg_adapter_pass *pass, void *state);    /**< may be NULL */
    void (*finish)(void *state);
} lg_adapter;

/** What a capture has room for. */
enum { LG_ADAPTERS_MAX = 32 };

/** Ended by NULL; at most LG_ADAPTERS_MAX. The first adapter that wants a type
 *  has it. */
extern const lg_adapter *const lg_adapters[];

/* ------------------------------------------------------------- prepare --- */

/** A module of sys.modules, borrowed, or NULL; imports nothing, runs nothing.
 */
PyObject *lg_pass_module(const char *name);
/** A name in a module's own namespace, borrowed, or NULL; runs nothing (no
 *  module __getattr__). */
PyObject *lg_pass_member(PyObject *module, const char *name);
/** "inspected: 2.13.0", or "not inspected: reason". The last one counts. */
void lg_pass_note(lg_adapter_pass *pass, const char *format, ...)
    LG_PRINTF(2, 3);
lg_builder *lg_pass_builder(lg_adapter_pass *pass);
/** Bytes of leakgraph's own: open snapshots, memory kept for captures. */
uint64_t lg_pass_own_bytes(void);
/** Types of C libraries whose layout is known, as they were found for this
 *  capture. */
const lg_known *lg_pass_types(const lg_adapter_pass *pass);
/** Whether only a part of the heap is captured: what is costly and about the
 *  whole process is then left out. */
bool lg_pass_is_partial(const lg_adapter_pass *pass);
/** Whether the texts of str keys are left out: then no name is to be made of
 *  them. */
bool lg_pass_hides_keys(const lg_adapter_pass *pass);
/** Of `ask`: ends the capture with the exception that is set, taking it over.
 */
void lg_pass_interrupt(lg_adapter_pass *pass);
/** Whether `ask` will be called: not in a forked child, where no library's code
 *  may run. What only asking tells is then to be noted as not inspected. */
bool lg_pass_will_ask(const lg_adapter_pass *pass);
/** Whether the capture may still grow: partial ones have a limit of nodes. */
bool lg_pass_has_room(const lg_adapter_pass *pass);

/* --------------------------------------------------------------- visit --- */

/** Names a reference of the visited object: one that tp_traverse reported, else
 *  one that it left out. child may be NULL. */
void lg_pass_name_edge(lg_adapter_pass *pass, PyObject *child, unsigned kind,
                       const char *name);
/** The same for the index of an element. */
void lg_pass_name_item(lg_adapter_pass *pass, PyObject *child, uint32_t index);

/* -------------------------------------------------------------- survey --- */

/** An instance that the walk met. */
typedef struct lg_instance {
    PyObject *object; /**< borrowed */
    uint32_t node;
    uint32_t kind;
    bool frontier; /**< a partial capture stopped here: name it, add no edges */
} lg_instance;

/** The next instance of this adapter's types that it was not given yet; false
 *  when there is none for now. */
bool lg_pass_next(lg_adapter_pass *pass, lg_instance *out);

/** The node of a Python object, numbered (and walked afterwards) if new. */
uint32_t lg_pass_object(lg_adapter_pass *pass, PyObject *object);
/** The node of a C++ object, LG_NODE_SYNTHETIC | LG_NODE_CPP, made if new
 *  (*made, may be NULL, says so) with that type and size. LG_NONE without
 *  memory. */
uint32_t lg_pass_native(lg_adapter_pass *pass, const void *address,
                        uint32_t type, uint64_t size, bool *made);
/** Makes the address of a C++ object mean that node: a tensor's TensorImpl is
 *  one with its wrapper. False if the address already has another node. */
bool lg_pass_alias(lg_adapter_pass *pass, const void *address, uint32_t node);
/** The node that an address has, or LG_NONE. */
uint32_t lg_pass_known(lg_adapter_pass *pass, const void *address);
/** A type of C++ objects, by its name, with one base (a type id, or LG_NONE);
 *  the same id for the same name. */
uint32_t lg_pass_type(lg_adapter_pass *pass, const char *name, uint32_t base);
/** The id in the graph of a Python type, made if new. */
uint32_t lg_pass_type_of(lg_adapter_pass *pass, PyTypeObject *type);

/** An edge of any two nodes; flags as in builder.h. Named "grad_fn". */
void lg_pass_edge(lg_adapter_pass *pass, uint32_t source, uint32_t target,
                  unsigned kind, const char *name);
/** With an index instead of a name. */
void lg_pass_edge_item(lg_adapter_pass *pass, uint32_t source, uint32_t target,
                       unsigned kind, uint32_t index);
/** An instance's attribute by name, from its own storage; borrowed, or NULL.
 *  Runs nothing: no descriptor, no __getattr__, no __dict__ is made. */
PyObject *lg_pass_attribute(lg_adapter_pass *pass, PyObject *object,
                            const char *name);
/** The value of a str key in an exact dict; borrowed, or NULL. */
PyObject *lg_pass_item(PyObject *dict, const char *key);
/** Adds the text of a str, as UTF-8 and at most `limit` bytes of it, from its
 *  memory: the str itself caches nothing. */
void lg_pass_say(lg_text *out, PyObject *str, size_t limit);

/** The edges that the walk found from a node, as a range of the builder's
 *  columns; false if its turn has not come yet. */
bool lg_pass_edges(const lg_adapter_pass *pass, uint32_t node, uint64_t *first,
                   uint64_t *end);
/** Whether the walk has already found an edge from source to target. O(edges of
 *  source). */
bool lg_pass_has_edge(lg_adapter_pass *pass, uint32_t source, uint32_t target);
/** Adds to a node's shallow size. */
void lg_pass_add_size(lg_adapter_pass *pass, uint32_t node, int64_t bytes);
/** The device with that name, declared if new; 0 for "cpu" and "host". */
uint32_t lg_pass_device(lg_adapter_pass *pass, const char *name);

/** One piece of this process's memory to copy. */
typedef struct lg_piece {
    const void *from;
    void *to;
    size_t length;
    bool read; /**< out: false if any of it cannot be read */
} lg_piece;

/** Copies pieces through the kernel, so that memory which another thread has
 *  just released answers false instead of a crash. Any number; many at once are
 *  much cheaper than one by one. */
void lg_pass_read(lg_piece *pieces, size_t count);

/** Memory that lasts until the end of the capture, zeroed, not Python's and not
 *  malloc's; NULL when it ran out (the capture then fails as a whole). */
void *lg_pass_keep(lg_adapter_pass *pass, size_t size);

#endif
