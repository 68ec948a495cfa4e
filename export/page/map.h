/**
 * The places that the page shows as areas: packages first, then places, parents
 * before children.
 */
#ifndef LEAKGRAPH_MAP_H
#define LEAKGRAPH_MAP_H

#include "page/page_private.h"

/** A package or another group of roots, or a place. */
typedef struct lg__map_item {
    lg_string package; /* of a package */
    uint32_t place;    /* LG_NONE: a package */
    uint32_t parent;   /* an item; LG_NONE of a package */
    uint32_t at;       /* its index in the page; LG_NONE: left out */
    uint32_t left_out; /* direct children that are left out */
    double score;      /* the greatest share of the bytes of a device */
    uint64_t *within;  /* [devices] its own bytes and all below */
    uint64_t *rest;    /* [devices] the part of `within` that is left out */
    bool mine;         /* one of the program's own packages */
} lg__map_item;

typedef struct lg__map {
    const lg__page *page;
    const lg_places *places;
    lg__map_item *items;
    uint32_t *order; /* items, the greatest score first */
    uint64_t *bytes; /* memory that the items point into */
    uint32_t packages;
    uint32_t count;   /* all items */
    uint32_t shown;   /* items in the page */
    uint32_t devices; /* including the host */
} lg__map;

/** Chooses up to `most` items. The caller frees the map, even after a
 *  failure. */
lg_status lg__map_choose(lg__map *map, const lg__page *page, uint32_t most,
                         lg_error *err);
void lg__map_free(lg__map *map);
lg_category lg__map_category(const lg__map *map, uint32_t place);

#endif
