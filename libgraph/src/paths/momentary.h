/** References that last only as long as something runs. */
#ifndef LEAKGRAPH_MOMENTARY_H
#define LEAKGRAPH_MOMENTARY_H

#include "graph/graph_private.h"

/** A frame that a thread is running. */
typedef struct lg__running {
    uint32_t thread;
    uint32_t frame;
    uint64_t edge; /**< from the thread to the frame */
} lg__running;
/** Appends the running frames of all threads, the frames of each together and
 *  its outermost last. A damaged file may list a thread or a frame many times:
 *  each frame is appended once. Returns false when memory ran out. */
bool lg__running_list(const lg_graph *graph, lg__vector *out);

/** In which turn a reference counts for where things are. It counts only for
 *  what no earlier turn reaches. */
typedef enum lg__moment {
    LG__MOMENT_NONE,  /**< the first: it is not momentary */
    LG__MOMENT_LOOP,  /**< a thread runs a frame that waits for a task until the
                           event loop ends */
    LG__MOMENT_TASK,  /**< never: it wakes a task of asyncio, or says which one
                           runs; the tasks themselves count instead */
    LG__MOMENT_FRAME, /**< a thread runs another frame */
    LG__MOMENT_STACK, /**< the last: any other */
} lg__moment;

typedef struct lg__momentary {
    uint64_t edge;
    uint32_t source;
    lg__moment moment;
} lg__momentary;

/** Appends the momentary references. Returns false when memory ran out.
 *  O(nodes), and O(edges) if there are tasks. */
bool lg__momentary_list(const lg_graph *graph, lg__vector *out);
/** Returns whether a root stands for references that nothing explains, which a
 *  hidden stack may have. It counts as LG__MOMENT_STACK. */
bool lg__root_is_momentary(const lg_graph *graph, uint32_t index);

#endif
