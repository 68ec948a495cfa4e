/**
 * Sets of nodes: what is alive without them, and what each of several keeps
 * alive by itself.
 */
#ifndef LG_SET_H
#define LG_SET_H

#include "retained.h"

/** Whether the edge is one of the policy graph. */
bool lg__policy_edge(const lg_analysis *analysis, uint64_t edge,
                     uint32_t source);

/** One byte a node: 1 if a root reaches it by a way that avoids the set. *out
 *  is released with free(). O(nodes + edges). */
lg_status lg__set_reached(const lg_analysis *analysis, const uint32_t *nodes,
                          size_t count, const lg_monitor *monitor,
                          uint8_t **out, lg_error *err);

/** One byte a node: 1 where garbage hangs from, the nodes of components that no
 *  other garbage refers to. *out is released with free(). */
lg_status lg__garbage_sources(const lg_analysis *analysis, uint8_t **out,
                              lg_error *err);

/**
 * What up to 64 groups of nodes retain, each by itself and exactly: group i is
 * of all nodes whose type t has lane_of[t] == i; 64 is of no group. bytes is
 * [count * (device_count + 1)]. O(nodes + edges), times what the ways around
 * the groups differ in length.
 */
lg_status lg__groups_retained(const lg_analysis *analysis,
                              const uint32_t *lane_of, uint32_t count,
                              const lg_monitor *monitor, uint64_t *bytes,
                              lg_error *err);

/** A node that several sets reach, and nothing else. */
#define LG__SHARED UINT32_MAX

/**
 * What each of `count` sets, which have no node in common, keeps alive by
 * itself: bytes[i] of the set that has the number i, from 1. label[node] is
 * the number of the node's set, or 0; afterwards also that of the only set
 * through which a node is reached. Garbage is reached through sets of garbage
 * only. O(nodes + edges).
 */
lg_status lg__sets_retained(const lg_analysis *analysis, uint32_t *label,
                            uint32_t count, const lg_monitor *monitor,
                            lg_bytes *bytes, lg_error *err);

#endif
