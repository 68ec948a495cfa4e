/**
 * The targets of references in a form that compresses well. Nodes have numbers
 * in the order in which the capture met them, so most references either meet
 * the next new node, or lead where an earlier reference led. A block of targets
 * becomes one code for each of them, and after these the bytes that the codes
 * call for.
 */
#ifndef LEAKGRAPH_TARGETS_H
#define LEAKGRAPH_TARGETS_H

#include "file/block.h"
#include "file/contexts.h"

enum {
    LG__TARGETS_PIECES = 8,
    LG__TARGETS_ROOM = LG__TARGETS_PIECES * LG__BLOCK_ELEMENTS,
};

/** The sizes of a block's pieces: of the codes, of three pieces with bytes of
 *  distances, and of four with bytes of other targets. */
typedef struct lg__targets_pieces {
    size_t size[LG__TARGETS_PIECES];
    size_t total;
} lg__targets_pieces;

/** A column of targets, and how far it is split or joined. Blocks are taken in
 *  order. */
typedef struct lg__targets {
    uint64_t count;
    lg__contexts contexts; /**< the last target in each */
    uint32_t next;         /**< the next new node */
    uint32_t distance;     /**< the last one; 0: none */
    uint32_t *met;         /**< to split: the last reference to nodes;
                                or NULL */
} lg__targets;

/** Makes room to join a column, or to split one. Returns false when memory ran
 *  out. */
bool lg__targets_begin(lg__targets *targets, bool split);
void lg__targets_end(lg__targets *targets);

/** Splits the block that begins at target `at` of the column. Writes its pieces
 *  to LG__TARGETS_ROOM bytes, each at a multiple of LG__BLOCK_ELEMENTS. */
lg__targets_pieces lg__targets_split(lg__targets *targets,
                                     const lg_edge_targets *column, uint64_t at,
                                     uint8_t *room);

/** Returns the sizes of the pieces that go with the codes of a block. */
lg__targets_pieces lg__targets_measure(const uint8_t *codes, size_t count);

/** Joins the block that begins at target `at` of the column, from its pieces,
 * one right after the other, which lg__targets_measure measured. Any bytes are
 * safe; returns false if no writer makes them. */
bool lg__targets_join(lg__targets *targets, uint32_t *column, uint64_t at,
                      const lg__targets_pieces *pieces, const uint8_t *bytes);

#endif
