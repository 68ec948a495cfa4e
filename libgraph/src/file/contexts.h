/**
 * References in contexts. Two references have the same context if the types of
 * their sources are equal, and so are their places among the references of
 * their sources. Such references have much in common.
 */
#ifndef LEAKGRAPH_CONTEXTS_H
#define LEAKGRAPH_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leakgraph/internal/columns.h>

/** Types are equal modulo the first number. All places from the last one on are
 *  equal. */
enum { LG__CONTEXT_TYPES = 1 << 10, LG__CONTEXT_PLACES = 1 << 4 };

/** A walk over the references of a graph, in their order. */
typedef struct lg__contexts {
    lg_first_edges first_edge; /**< [node_count + 1]; any numbers */
    lg_type_ids type;          /**< [node_count]; any numbers */
    uint32_t node_count;       /**< not 0 */
    uint32_t node;             /**< the source of the last reference */
    uint32_t *last;            /**< what was last in each context */
} lg__contexts;

/** Makes room for what was last, at first that number. Returns false when
 * memory ran out. */
bool lg__contexts_begin(lg__contexts *contexts, uint32_t number);
void lg__contexts_end(lg__contexts *contexts);

/** References in a row that have one source. */
typedef struct lg__run {
    uint32_t *last; /**< what was last in the contexts of its type */
    uint64_t place; /**< the first reference's place */
    uint64_t end;   /**< the reference after the last one */
} lg__run;

/** Returns the run that begins at a reference, and ends before another at the
 *  latest. */
static inline lg__run
lg__contexts_run(lg__contexts *contexts, uint64_t edge, uint64_t end)
{
    const lg_first_edges *first = &contexts->first_edge;
    uint32_t last = contexts->node_count - 1;
    uint32_t node = contexts->node;
    uint32_t next;
    while ((next = lg_first_edges_at(first, node + 1)) <= edge && node < last)
        node++;
    contexts->node = node;
    size_t type = lg_type_ids_at(&contexts->type, node) % LG__CONTEXT_TYPES;
    return (lg__run){
        .last = contexts->last + type * LG__CONTEXT_PLACES,
        .place = edge - lg_first_edges_at(first, node),
        .end = node < last && next < end ? next : end,
    };
}

/** Returns what was last in the context of the next reference of a run. */
static inline uint32_t *
lg__run_next(lg__run *run)
{
    uint64_t place = run->place++;
    const uint64_t most = LG__CONTEXT_PLACES - 1;
    return run->last + (place < most ? place : most);
}

// The kinds and payloads of references in a form that compresses well: as
// differences to what their contexts let expect.

/** Replaces kinds, those of the references from `at` on, by their differences
 *  modulo 256 to the last kind in their context, at first 0. Both blocks may be
 *  the same. */
void lg__kinds_subtract(lg__contexts *contexts, const uint8_t *kind,
                        uint64_t at, size_t count, uint8_t *out);
/** Replaces the differences by the kinds. */
void lg__kinds_add(lg__contexts *contexts, uint64_t at, size_t count,
                   uint8_t *kind);

/** The columns that payloads belong to. */
typedef struct lg__payloads {
    lg_edge_kinds kind;
    lg_edge_targets target;
    uint64_t count;
    lg__contexts contexts;
} lg__payloads;

/** Replaces payloads by differences modulo 2 to the 32, with the sign in the
 *  lowest bit: that of a value to the target of the next reference, if there is
 *  one, and any other one to the last such payload in its context, at first
 *  0. Both blocks may be the same. */
void lg__payloads_subtract(lg__payloads *payloads, const uint32_t *payload,
                           uint64_t at, size_t count, uint32_t *out);
/** Replaces the differences by the payloads. */
void lg__payloads_add(lg__payloads *payloads, uint64_t at, size_t count,
                      uint32_t *payload);

#endif
