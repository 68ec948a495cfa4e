/**
 * What each rank has at each place.
 */
#ifndef LG_RANKS_PRIVATE_H
#define LG_RANKS_PRIVATE_H

#include "growth/growth_private.h"

#include <leakgraph/ranks.h>

/** Places of all ranks, and what each rank has there. */
typedef struct lg__rank_table {
    lg_places *places; /**< of all ranks, added up */
    uint32_t count;    /**< of places */
    uint32_t ranks;
    uint32_t each;           /**< kinds of devices, and the host */
    lg_string *kinds;        /**< [each] */
    uint64_t *members;       /**< [count][ranks] */
    uint64_t *bytes;         /**< [count][each][ranks] retained */
    uint64_t *covered;       /**< [count][each][ranks] of these, what rows for
                                 places below tell */
    uint64_t *usual_members; /**< [count] medians over the ranks */
    uint64_t *sorted;        /**< [ranks] scratch */
    uint64_t *rest;          /**< likewise */
    uint8_t *is_own;         /**< [count] leakgraph's */
} lg__rank_table;

lg_status lg__rank_table_new(const lg_summary *const *summaries, size_t count,
                             lg__rank_table *out, lg_error *err);
/** All but the places, if `out` of lg_ranks_find has them. */
void lg__rank_table_free(lg__rank_table *table);

/** Names the ranks; *out is what the names point into, for free(). False when
 *  memory ran out. */
bool lg__rank_names(const lg_summary *const *summaries, uint32_t count,
                    lg_rank *ranks, char **out);

/** The kind of a device: `cuda` of `cuda:1`. */
lg_string lg__device_kind(lg_string device);
/** Where `bytes` and `covered` have a rank's number. */
static inline size_t
lg__rank_cell(const lg__rank_table *table, uint32_t place, uint32_t kind,
              uint32_t rank)
{
    return ((size_t)place * table->each + kind) * table->ranks + rank;
}
/** The bytes of a rank at a place, on the host and all devices. */
uint64_t lg__rank_bytes(const lg__rank_table *table, uint32_t place,
                        uint32_t rank);
/** The bytes on a kind of device that no row for a place below tells. */
uint64_t lg__rank_rest(const lg__rank_table *table, uint32_t place,
                       uint32_t kind, uint32_t rank);
/** The median; of an even number the lower one. Puts numbers into order. */
uint64_t lg__rank_median(uint64_t *numbers, uint32_t count);

/** Marks the places where a rank differs, and fills `covered`. False when
 * memory ran out. */
bool lg__ranks_differ(lg__rank_table *table, uint64_t min_bytes,
                      uint8_t *marks);
/** Marks the places that all ranks have alike, of which none lies in another;
 *  adds what every rank has in modules of libraries to `libraries`, [each].
 *  False when memory ran out. */
bool lg__ranks_repeat(const lg__rank_table *table, uint64_t min_bytes,
                      uint8_t *marks, uint64_t *libraries);

#endif
