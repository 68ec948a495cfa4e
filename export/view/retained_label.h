/** What an object is worth: the bytes that would be freed with it. */
#ifndef LEAKGRAPH_RETAINED_LABEL_H
#define LEAKGRAPH_RETAINED_LABEL_H

#include "view/view_parts.h"

/** `1.93 GiB cuda:0 · 12.0 MiB host`; without a device `12.0 MiB`. */
void lg__retained_label_add(lg_text *out, const lg_analysis *analysis,
                            uint32_t node);
/** The same of bytes by device. */
void lg__each_add(lg_text *out, const lg_graph *graph, const uint64_t *bytes);
/** The same of any bytes; which device is said where there is only one. */
void lg__bytes_add(lg_text *out, const lg_graph *graph, lg_bytes bytes);
/** Sets what is a node's own: the size, and the words if they are needed. */
void lg__own_set(view_node *node, const lg_graph *graph, lg_bytes bytes);
/** Host and devices together. */
uint64_t lg__bytes_total(lg_bytes bytes);
/** Puts on every object of the view what it retains. analysis may be NULL. */
void lg__view_weigh(lg_view *view, const lg_analysis *analysis);

#endif
