/**
 * What each rank has at each place.
 */
#ifndef LEAKGRAPH_RANKS_PRIVATE_H
#define LEAKGRAPH_RANKS_PRIVATE_H

#include "growth/growth_private.h"

#include <leakgraph/internal/ranks.h>

/** Places of all ranks, and what each rank has there. */
typedef struct lg__rank_table {
    lg_places *places; /**< of all ranks together */
    uint32_t count;    /**< number of places */
    uint32_t ranks;
    uint32_t each;           /**< number of kinds of devices, and the host */
    lg_string *kinds;        /**< [each] */
    uint64_t *members;       /**< [count][ranks] */
    uint64_t *bytes;         /**< [count][each][ranks] retained */
    uint64_t *covered;       /**< [count][each][ranks] bytes that rows for
                                  places below report */
    uint64_t *usual_members; /**< [ranks] scratch memory */
    uint64_t *sorted;        /**< [ranks] scratch memory */
    uint64_t *rest;          /**< [count] whether the place is leakgraph's */
    uint8_t *is_own;         /**< [count] leakgraph's */
} lg__rank_table;

lg_status lg__rank_table_new(const lg_summary *const *summaries, size_t count,
                             lg__rank_table *out, lg_error *err);
/** Frees everything except the places, if `out` of lg_ranks_find has taken them
 *  over. */
void lg__rank_table_free(lg__rank_table *table);

/** Names the ranks. The names point into *out, which is released with free().
 *  Returns false when memory ran out. */
bool lg__rank_names(const lg_summary *const *summaries, uint32_t count,
                    lg_rank *ranks, char **out);

/** Returns the kind of a device: `cuda` for `cuda:1`. */
lg_string lg__device_kind(lg_string device);
/** Returns the index of a rank's number in `bytes` and `covered`. */
static inline size_t
lg__rank_cell(const lg__rank_table *table, uint32_t place, uint32_t kind,
              uint32_t rank)
{
    return ((size_t)place * table->each + kind) * table->ranks + rank;
}
/** Returns the bytes of a rank at a place, on the host and all devices. */
uint64_t lg__rank_bytes(const lg__rank_table *table, uint32_t place,
                        uint32_t rank);
/** Returns the bytes on a kind of device that no row for a place below
 *  reports. */
uint64_t lg__rank_rest(const lg__rank_table *table, uint32_t place,
                       uint32_t kind, uint32_t rank);
/** Returns the median, the lower one of an even number, and reorders the
 *  numbers. */
uint64_t lg__rank_median(uint64_t *numbers, uint32_t count);

/** Marks the places where a rank differs, and fills `covered`. Returns false
 *  when memory ran out. */
bool lg__ranks_differ(lg__rank_table *table, uint64_t min_bytes,
                      uint8_t *marks);
/** Marks the places that all ranks have alike; none of them lies in another.
 *  Adds what every rank has in modules of libraries to `libraries`, [each].
 *  Returns false when memory ran out. */
bool lg__ranks_repeat(const lg__rank_table *table, uint64_t min_bytes,
                      uint8_t *marks, uint64_t *libraries);

#endif
