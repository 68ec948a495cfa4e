/** What the files of Arrow share: its columns, before they are handed out. */
#ifndef LEAKGRAPH_ARROW_PARTS_H
#define LEAKGRAPH_ARROW_PARTS_H

#include "binding/objects/arrow.h"

enum { MOST_COLUMNS = 64 };

typedef struct column {
    char *name;
    char format[4];
    uint32_t parent;   /* its number and 1; 0: the batch */
    uint8_t *validity; /* a bit each, made with the first null */
    char *values;      /* numbers, bits, or the ends of texts */
    char *bytes;       /* of texts */
    size_t bytes_length;
    size_t bytes_room;
    size_t count;
    size_t nulls;
} column;

struct arrow_batch {
    size_t rows;
    column columns[MOST_COLUMNS];
    uint32_t count;
    uint32_t within; /* of the record that is open, and 1; 0: none */
    bool failed;
    bool taken; /* it was handed out */
};

#endif
