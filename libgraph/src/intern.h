/**
 * Strings of a builder. Names that repeat are interned; a text given once is
 * only appended, without hashing. Ids cover both.
 */
#ifndef LG_INTERN_H
#define LG_INTERN_H

#include "allocator.h"

/** Longest string kept, in bytes. */
#define LG__STRING_MAX 4096

typedef struct lg__entry lg__entry;
typedef struct lg__chunk lg__chunk;

typedef struct lg__strings {
    lg__entry *table;   /**< uthash, by content */
    lg__chunk *chunks;  /**< where the entries lie */
    lg__vector *offset; /**< u64, ends of strings; the first is 0 */
    lg__vector *bytes;
} lg__strings;

/** The id of the cleaned string, whatever it was called before; LG_NONE when
 *  memory ran out. */
uint32_t lg__strings_intern(const lg_allocator *allocator, lg__strings *strings,
                            const char *bytes, size_t length);
/** A new id for the cleaned string. */
uint32_t lg__strings_append(const lg_allocator *allocator, lg__strings *strings,
                            const char *bytes, size_t length);
/** Frees the table and its entries; the vectors are the caller's. */
void lg__strings_free(const lg_allocator *allocator, lg__strings *strings);

#endif
