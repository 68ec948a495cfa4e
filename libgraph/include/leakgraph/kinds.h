/**
 * Kinds of edges, nodes and roots, for those who make graphs and who read them.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_KINDS_H
#define LEAKGRAPH_KINDS_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The meaning of an edge; the payload of its label depends on the kind. */
typedef enum lg_edge_kind {
    LG_EDGE_REFERENCE = 0, /**< nothing is known but its rank: payload rank */
    LG_EDGE_ATTRIBUTE,     /**< `.x`: instance attribute, slot or C member:
                                payload string */
    LG_EDGE_VALUE,         /**< `['k']`: mapping value: payload key's node */
    LG_EDGE_KEY,           /**< the mapping's key itself: payload rank */
    LG_EDGE_INDEX,         /**< `[i]`: sequence element: payload index */
    LG_EDGE_ELEMENT,       /**< member of a set: payload rank */
    LG_EDGE_LOCAL,         /**< a frame's, generator's or coroutine's local
                                variable: payload string */
    LG_EDGE_STACK,         /**< evaluation stack temporary: payload depth */
    LG_EDGE_CELL,          /**< cell to its contents: payload 0 */
    LG_EDGE_DICT,          /**< owner to its own namespace: payload 0 */
    LG_EDGE_GLOBALS,       /**< function or frame to a namespace it only reads
                                names from: payload string */
    LG_EDGE_TYPE,          /**< object to its type: payload 0 */
    LG_EDGE_REFERENT,      /**< weak reference to its referent: payload 0 */
    LG_EDGE_FIELD,         /**< word of the C struct: payload byte offset */
    LG_EDGE_FRAME,         /**< thread to its frame, innermost 0: payload
                                depth */
    LG_EDGE_NATIVE,        /**< held by the interpreter or native code: payload
                                string */
    LG_EDGE_KIND_COUNT,
    LG_EDGE_KIND_MASK = 0x1f,
} lg_edge_kind;

/** Kept in the same byte as the kind. */
enum {
    LG_EDGE_WEAK = 0x20,      /**< never followed for retention */
    LG_EDGE_UNCOUNTED = 0x40, /**< borrowed: no reference count behind it */
    LG_EDGE_TRAVERSED = 0x80, /**< tp_traverse reports it: CPython's collector
                                   sees it */
};

/** Node flags. */
enum {
    LG_NODE_TRACKED = 1 << 0,   /**< tracked by the cyclic collector */
    LG_NODE_FROZEN = 1 << 1,    /**< in the permanent generation (gc.freeze) */
    LG_NODE_IMMORTAL = 1 << 2,  /**< its reference count means nothing */
    LG_NODE_SYNTHETIC = 1 << 3, /**< not a Python object: thread, interpreter */
    LG_NODE_FRONTIER = 1 << 4,  /**< a partial capture stopped here: its out-
                                     edges are unknown */
    LG_NODE_NAME = 1 << 5,      /**< a str that names something (attribute,
                                     variable, module): its text is kept */
    LG_NODE_KEY = 1 << 6,       /**< a str that is a key: its text is user data
                                     and goes with `keys=False` and strip */
    LG_NODE_BUFFER = 1 << 7,    /**< memory outside of any object's own
                                     allocation: an interval that begins at its
                                     address (0: not known), on its device;
                                     synthetic */
    LG_NODE_CPP = 1 << 8,    /**< a C++ object (autograd node, tensor without a
                                  Python wrapper); synthetic */
    LG_NODE_NATIVE = 1 << 9, /**< blocks that C code has allocated, or what
                                  holds such blocks; synthetic */
};

typedef enum lg_root_kind {
    LG_ROOT_MODULE = 0,  /**< a module of sys.modules; name: its key there */
    LG_ROOT_THREAD,      /**< a thread (synthetic node); name: its name */
    LG_ROOT_INTERPRETER, /**< interpreter state (synthetic node) */
    LG_ROOT_STATIC,      /**< static or immortal object that nothing else
                              needs to hold, such as a static type */
    LG_ROOT_NATIVE,      /**< referred to by native code only seen as an
                              unexplained reference */
    LG_ROOT_GIVEN,       /**< an object that a partial capture started from */
} lg_root_kind;

#ifdef __cplusplus
}
#endif

#endif
