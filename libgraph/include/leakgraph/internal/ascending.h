/**
 * Binary search in an array of items that ascend by a number of theirs.
 */
#ifndef LEAKGRAPH_ASCENDING_H
#define LEAKGRAPH_ASCENDING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where an item has the number by which the items ascend. */
typedef struct lg_item_key {
    size_t item;   /**< bytes of an item */
    size_t offset; /**< of the number in the item */
    size_t width;  /**< bytes of the number: 4 or 8 */
} lg_item_key;

/** The key of a type whose `member` is a uint32_t, a uint64_t or a
 *  uintptr_t. */
#define LG_ITEM_KEY(type, member)                                              \
    ((lg_item_key){sizeof(type), offsetof(type, member),                       \
                   sizeof(((type *)0)->member)})

/** Returns the number of an item. */
static inline uint64_t
lg_item_number(const void *items, size_t index, lg_item_key key)
{
    const void *at = (const char *)items + index * key.item + key.offset;
    return key.width == 4 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

/** Returns the index of the first item whose number is not below `wanted`;
 *  `count` if there is none. O(log count). */
static inline size_t
lg_items_place(const void *items, size_t count, lg_item_key key,
               uint64_t wanted)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lg_item_number(items, middle, key) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** Returns the first item with that number; NULL if there is none. */
static inline const void *
lg_items_find(const void *items, size_t count, lg_item_key key, uint64_t wanted)
{
    size_t place = lg_items_place(items, count, key, wanted);
    return place < count && lg_item_number(items, place, key) == wanted
               ? (const char *)items + place * key.item
               : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
