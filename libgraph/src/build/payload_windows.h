/**
 * The payloads of the edges that a producer appends: plain ones of the last
 * edges, in a window, and coded ones of all before.
 *
 * A full window is coded by the second thread, if there is one, while the
 * producer fills the next. The edges of the open node move to the new window,
 * so the producer finds all of them in one.
 */
#ifndef LEAKGRAPH_PAYLOAD_WINDOWS_H
#define LEAKGRAPH_PAYLOAD_WINDOWS_H

#include "graph/graph_private.h"

#include <leakgraph/internal/second_thread.h>

enum { LG__WINDOWS = 8 };

typedef struct lg__window {
    uint32_t *payload;
    size_t capacity;
    uint64_t first;     /**< the edge that payload[0] belongs to */
    lg_reached reached; /**< its edges end where the next window begins */
    uint32_t end;       /**< nodes below have all their edges in it or before */
} lg__window;

typedef struct lg__payload_windows {
    lg__payload_coder coder;
    lg__window window[LG__WINDOWS]; /**< in a ring */
    _Atomic uint32_t filled;        /**< full ones so far, without the one that
                                         is being filled */
    _Atomic uint32_t coded;         /**< how many of these are coded */
    lg__vector doubtful; /**< lg__late_edge: unsound when they were coded, and
                              their number instead of the source */
    lg__vector changed;  /**< lg__new_payload, in order of arrival */
} lg__payload_windows;

static inline void
lg__windows_open(lg__payload_windows *windows)
{
    lg__payload_coder_open(&windows->coder);
    windows->doubtful.element = sizeof(lg__late_edge);
    windows->changed.element = sizeof(lg__new_payload);
}

void lg__windows_free(const lg_allocator *allocator,
                      lg__payload_windows *windows);

/** How many edges the payloads have room for. */
uint64_t lg__windows_room(const lg_builder *builder);
/** Makes that more. Returns false when memory ran out. */
bool lg__windows_turn(lg_builder *builder);

/** Codes the rest, once all nodes have their edges. Returns false when memory
 *  ran out. */
bool lg__windows_end(lg_builder *builder);
/** Makes the payloads of all edges, the late ones included, which are sorted by
 *  source and part of the columns by now. */
bool lg__windows_complete(lg_builder *builder, const lg__vector *late,
                          lg__payload_arrays *out);

#endif
