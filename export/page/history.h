/**
 * What the areas of the map had in the snapshots before the newest.
 */
#ifndef LEAKGRAPH_HISTORY_H
#define LEAKGRAPH_HISTORY_H

#include "page/map.h"

typedef struct lg__history {
    uint32_t older;   /* snapshots before the newest */
    uint32_t devices; /* of the map */
    uint64_t *own;    /* [shown][older][devices] */
    uint64_t *rest;   /* the same for what is left out below */
    uint64_t *total;  /* [older][devices] sums of all places */
} lg__history;

/** The caller frees the history, even after a failure. */
lg_status lg__history_find(lg__history *history, const lg__map *map,
                           lg_error *err);
void lg__history_free(lg__history *history);
/** Writes the bytes of one area in each older snapshot; null if they always
 *  were `now`. */
void lg__history_write(const lg__history *history, const uint64_t *bytes,
                       uint32_t at, const uint64_t *now, lg_json *json);
/** Writes the members "snapshots" (the times) and "totals". */
void lg__history_write_all(const lg__history *history, const lg__map *map,
                           lg_json *json);

#endif
