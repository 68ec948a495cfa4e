/**
 * Facts about nodes and about the snapshot that no column has, by key.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_FACTS_H
#define LEAKGRAPH_FACTS_H

#include <leakgraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Texts about the snapshot, as ordered pairs of key and value: see
 *  lg_graph_info_find. */
uint32_t lg_graph_info_count(const lg_graph *graph);
void lg_graph_info(const lg_graph *graph, uint32_t index, lg_string *key,
                   lg_string *value);

/** The value of a fact whose type the caller knows: of another type, or without
 *  the fact, an empty text, or `otherwise`. O(log facts). */
lg_string lg_node_fact_text(const lg_graph *graph, lg_node node,
                            const char *key);
uint64_t lg_node_fact_number(const lg_graph *graph, lg_node node,
                             const char *key, uint64_t otherwise);
bool lg_node_fact_bool(const lg_graph *graph, lg_node node, const char *key,
                       bool otherwise);

/** The group of nodes with the same contents that a node is in; LG_NONE if its
 *  contents are its own, or were not compared (info "contents"). O(log). */
uint32_t lg_node_equal(const lg_graph *graph, lg_node node);

#ifdef __cplusplus
}
#endif

#endif
