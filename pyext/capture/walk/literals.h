/**
 * Interns names that are written in the program, such as "__mro__", without
 * hashing them again for each of thousands of types and code objects. Included
 * by heap_walk.h.
 */
#ifndef LEAKGRAPH_LITERALS_H
#define LEAKGRAPH_LITERALS_H

#include <stdint.h>

typedef struct lg__heap_walk lg__heap_walk;

enum { LG__LITERAL_BITS = 7 };

/** The last literal at each place, and its string. */
typedef struct lg__literals {
    const char *text[1 << LG__LITERAL_BITS];
    uint32_t id[1 << LG__LITERAL_BITS];
} lg__literals;

/** Does the same as lg__walk_intern for a text that never changes. */
uint32_t lg__walk_intern_literal(lg__heap_walk *walk, const char *literal);

#endif
