/**
 * Adapters: they add what libraries keep outside of Python's heap.
 *
 * An adapter knows one library by the types that it finds in the heap. It never
 * imports the library and never changes its state. When it does not recognise
 * what it sees, it says so (lg__pass_note) and adds nothing: it never guesses.
 *
 * The steps of a capture, with the GIL held throughout:
 *   prepare   before the walk: looks for the library among the loaded modules,
 *             calibrates, and asks what only the library's own code knows. May
 *             run Python code.
 *   visit     during the walk, for each instance: names the references that
 *             CPython cannot see.
 *   pass      after the walk, and again whenever the walk of what it added
 *             meets more instances: adds nodes, edges, spans and facts.
 *   settle    after the last pass, when the walk is over: counts what was
 *             found.
 *   ask       after settle: may run the library's code on the instances, which
 *             the capture holds strongly meanwhile; lg__pass_next starts over.
 *             Not called in a forked child.
 *   finish    frees the state; always called if prepare returned true.
 * visit, pass and settle run no Python code, allocate no Python object, take
 * no reference, and read foreign memory only through lg__pass_read.
 */
#ifndef LEAKGRAPH_ADAPTER_H
#define LEAKGRAPH_ADAPTER_H

#include "capture/common/capture_common.h"

#include <Python.h>
#include <leakgraph/builder.h>
#include <leakgraph/text.h>

typedef struct lg__adapter_pass lg__adapter_pass;

typedef struct lg__adapter {
    const char *name; /**< "torch": info text "adapter.torch" */
    /** False: the library is not loaded, or the adapter does not know its
     *  layout, which it notes. */
    bool (*prepare)(lg__adapter_pass *pass, void **state);
    /** What instances of the type are to this adapter: 1 to 15; 0: nothing.
     *  Called once for each type, when the walk first meets it. */
    unsigned (*kind)(void *state, PyTypeObject *type);
    /** May be NULL. */
    void (*visit)(lg__adapter_pass *pass, void *state, PyObject *object,
                  unsigned kind);
    void (*pass)(lg__adapter_pass *pass, void *state);
    void (*settle)(lg__adapter_pass *pass, void *state); /**< may be NULL */
    void (*ask)(lg__adapter_pass *pass, void *state);    /**< may be NULL */
    void (*finish)(void *state);
} lg__adapter;

/** The most adapters that a capture can have. */
enum { LG__ADAPTERS_MAX = 32 };

/* Before the walk: prepare. */

/** A module of sys.modules, borrowed, or NULL; imports and runs nothing. */
PyObject *lg__pass_module(const char *name);
/** A name in a module's own namespace, borrowed, or NULL; runs nothing, not
 *  even a module's __getattr__. */
PyObject *lg__pass_member(PyObject *module, const char *name);
/** The same if it is a type, and NULL otherwise, also without a module. */
PyTypeObject *lg__pass_member_type(PyObject *module, const char *name);
/** The type that a loaded module has under a name, borrowed, or NULL. Runs
 *  nothing. */
PyTypeObject *lg__type_in(const char *module, const char *name);
/** The same if it is made in C. */
PyTypeObject *lg__c_type_in(const char *module, const char *name);
/** Notes "inspected: 2.13.0", or "not inspected: reason". A later note replaces
 *  it. */
void lg__pass_note(lg__adapter_pass *pass, const char *format, ...)
    LG_PRINTF(2, 3);
lg_builder *lg__pass_builder(lg__adapter_pass *pass);
/** The bytes of captures before this one that were in memory when it began:
 *  their snapshots, and what is kept for captures to come. */
uint64_t lg__pass_left_bytes(const lg__adapter_pass *pass);
/** Notes the bytes of leakgraph itself (open snapshots, their analyses, memory
 * kept for captures), and how many of them come from malloc. */
uint64_t lg__pass_own_bytes(const lg__adapter_pass *pass);
uint64_t lg__pass_own_malloc(void);
/** The bytes from malloc that tracemalloc uses itself. */
uint64_t lg__pass_traced(const lg__adapter_pass *pass);
/** The types of C libraries with a known layout, as this capture has found
 *  them. */
const lg__known *lg__pass_types(const lg__adapter_pass *pass);
/** Whether leakgraph is in the process for this capture only: another process
 *  has brought it along, and the program does not import it. */
bool lg__pass_is_visit(const lg__adapter_pass *pass);
/** Whether the capture is partial. If so, leave out what is costly and concerns
 *  the whole process. */
bool lg__pass_is_partial(const lg__adapter_pass *pass);
/** Whether the snapshot leaves out the texts of str keys. If so, make no names
 *  from them. */
bool lg__pass_hides_keys(const lg__adapter_pass *pass);
/** For `ask`: ends the capture with the current exception, which it takes
 *  over. */
void lg__pass_interrupt(lg__adapter_pass *pass);
/** Whether the capture will call `ask`. A forked child does not, because no
 *  library's code may run there. If not, note what only `ask` finds as not
 *  inspected. */
bool lg__pass_will_ask(const lg__adapter_pass *pass);
/** Functions that the program registered may take snapshots themselves, and
 *  start threads that do. So that this ends, their snapshots do not call them,
 *  and only one snapshot at a time does. Returns why this one must not, or
 *  NULL. */
const char *lg__pass_refusal(const lg__adapter_pass *pass);
/** For `ask`: waits for the callbacks of another snapshot, a few seconds at
 *  most. NULL: call the functions now, then lg__pass_end_callbacks. Otherwise
 *  returns the reason not to call them. May let other threads run. */
const char *lg__pass_begin_callbacks(const lg__adapter_pass *pass);
void lg__pass_end_callbacks(void);
/** Whether the capture may add nodes: a partial one has a limit. */
bool lg__pass_has_room(const lg__adapter_pass *pass);

/* During the walk: visit. */

/** Names a reference of the visited object, or adds it if tp_traverse has left
 *  it out. child may be NULL. */
void lg__pass_name_edge(lg__adapter_pass *pass, PyObject *child, unsigned kind,
                        const char *name);
/** Says that a str has more room than text: its text and contents are not to be
 *  read. */
void lg__pass_leave_out(lg__adapter_pass *pass, PyObject *str);
/** lg__pass_name_edge with the index of an element. */
void lg__pass_name_item(lg__adapter_pass *pass, PyObject *child,
                        uint32_t index);

/* After the walk: pass, settle, ask. */

/** An instance that the walk met. */
typedef struct lg__instance {
    PyObject *object; /**< borrowed */
    uint32_t node;
    uint32_t kind;
    bool frontier; /**< a partial capture ends here: name it, but add no edges
                    */
} lg__instance;

/** Gives the next new instance of this adapter's types; false when there is
 *  none for now. */
bool lg__pass_next(lg__adapter_pass *pass, lg__instance *out);

/** The node of a Python object. The walk visits the object later if it is new.
 *  */
uint32_t lg__pass_object(lg__adapter_pass *pass, PyObject *object);
/** The node of a C++ object, LG_NODE_SYNTHETIC | LG_NODE_CPP. Makes one with
 *  that type and size if there is none, and reports that in *made (may be
 *  NULL). LG_NONE when memory ran out. */
uint32_t lg__pass_native(lg__adapter_pass *pass, const void *address,
                         uint32_t type, uint64_t size, bool *made);
/** The node of an address, or LG_NONE. */
uint32_t lg__pass_known(lg__adapter_pass *pass, const void *address);
/** A type of C++ objects by its name, with one base (a type id, or LG_NONE).
 *  The same name gives the same id. */
uint32_t lg__pass_type(lg__adapter_pass *pass, const char *name, uint32_t base);
/** The graph's id of a Python type; makes one if there is none. */
uint32_t lg__pass_type_of(lg__adapter_pass *pass, PyTypeObject *type);

/** Adds an edge between any two nodes, with a name such as "grad_fn"; flags as
 *  in builder.h. */
void lg__pass_edge(lg__adapter_pass *pass, uint32_t source, uint32_t target,
                   unsigned kind, const char *name);
/** An instance's attribute by name, read from its own storage; borrowed, or
 *  NULL. Runs nothing: no descriptor, no __getattr__; makes no __dict__. */
PyObject *lg__pass_attribute(lg__adapter_pass *pass, PyObject *object,
                             const char *name);
/** The value of a str key in an exact dict; borrowed, or NULL. */
PyObject *lg__pass_item(PyObject *dict, const char *key);
/** Adds the text of a str as UTF-8, at most `limit` bytes. It reads the memory
 *  of the str, so that the str caches nothing. */
void lg__pass_add_text(lg_text *out, PyObject *str, size_t limit);

/** The edges that the walk found from a node, as a range of the builder's
 *  columns; false if the walk has not visited the node yet. */
bool lg__pass_edges(const lg__adapter_pass *pass, uint32_t node,
                    uint64_t *first, uint64_t *end);
/** Whether the walk has already found an edge from source to target. O(edges of
 *  source). */
bool lg__pass_has_edge(lg__adapter_pass *pass, uint32_t source,
                       uint32_t target);
/** Adds bytes to a node's shallow size. */
void lg__pass_add_size(lg__adapter_pass *pass, uint32_t node, int64_t bytes);
/** The device with that name, which it declares if it is new. 0 for "cpu" and
 *  "host". */
uint32_t lg__pass_device(lg__adapter_pass *pass, const char *name);

/** One piece of this process's memory to copy. */
typedef struct lg__memory_piece {
    const void *from;
    void *to;
    size_t length;
    bool read; /**< out: false if a part of it is not readable */
} lg__memory_piece;

/** Copies any number of pieces through the kernel. Memory that another thread
 *  has just released gives false instead of a crash. One call for many pieces
 *  is much cheaper than one for each. */
void lg__pass_read(lg__memory_piece *pieces, size_t count);

/** Zeroed memory that lasts until the end of the capture, from neither Python
 *  nor malloc; NULL when memory ran out, which fails the whole capture. */
void *lg__pass_keep(lg__adapter_pass *pass, size_t size);
/** The same for large blocks of which little is used. */
void *lg__pass_keep_apart(lg__adapter_pass *pass, size_t size);

#endif
