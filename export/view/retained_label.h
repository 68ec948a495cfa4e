/** Writes the bytes that an object would free. */
#ifndef LEAKGRAPH_RETAINED_LABEL_H
#define LEAKGRAPH_RETAINED_LABEL_H

#include "view/view_parts.h"

/** Writes `1.93 GiB cuda:0 · 12.0 MiB host`; without a device `12.0 MiB`. */
void lg__retained_label_add(lg_text *out, const lg_analysis *analysis,
                            uint32_t node);
/** Does the same for bytes by device. */
void lg__each_add(lg_text *out, const lg_graph *graph, const uint64_t *bytes);
/** Does the same for any bytes. Names the device only if there are several. */
void lg__bytes_add(lg_text *out, const lg_graph *graph, lg_bytes bytes);
/** Sets a node's own size, and its words if needed. */
void lg__own_set(lg__view_node *node, const lg_graph *graph, lg_bytes bytes);
/** Adds up host and devices. */
uint64_t lg__bytes_total(lg_bytes bytes);
/** Writes on every object of the view what it retains. analysis may be NULL. */
void lg__view_weigh(lg_view *view, const lg_analysis *analysis);

#endif
