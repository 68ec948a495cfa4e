/** What the files about Arrow share: columns before they are handed out. */
#ifndef LEAKGRAPH_ARROW_PARTS_H
#define LEAKGRAPH_ARROW_PARTS_H

#include "binding/objects/arrow.h"

enum { LG__MOST_COLUMNS = 64 };

typedef struct lg__column_object {
    char *name;
    char format[4];
    uint32_t parent;   /* 1 + its index; 0: the batch */
    uint8_t *validity; /* one bit for each row, made with the first null */
    char *values;      /* numbers, bits, or the offsets of texts */
    char *bytes;       /* of texts */
    size_t bytes_length;
    size_t bytes_room;
    size_t count;
    size_t nulls;
} lg__column_object;

struct lg__arrow_batch {
    size_t rows;
    lg__column_object columns[LG__MOST_COLUMNS];
    uint32_t count;
    uint32_t within; /* 1 + the index of the open record; 0: none */
    bool failed;
    bool taken; /* the batch was handed out */
};

#endif
