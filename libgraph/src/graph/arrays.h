/**
 * The arrays that a graph consists of, in memory and in a file.
 */
#ifndef LEAKGRAPH_ARRAYS_H
#define LEAKGRAPH_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

/** Every array of a graph: name, id in a file (never changed or reused), size
 *  of an element, and name for messages. */
#define LG__ARRAYS(X)                                                          \
    X(ADDRESS, 1, 8, "address")                                                \
    X(TYPE, 2, 4, "type")                                                      \
    X(SIZE, 3, 4, "size")                                                      \
    X(REFCOUNT, 4, 4, "refcount")                                              \
    X(FOUND, 5, 4, "references found")                                         \
    X(NODE_FLAGS, 6, 2, "node flags")                                          \
    X(FIRST_EDGE, 7, 8, "first edge")                                          \
    X(EDGE_TARGET, 8, 4, "edge target")                                        \
    X(EDGE_PAYLOAD, 9, 4, "edge payload")                                      \
    X(EDGE_KIND, 10, 1, "edge kind")                                           \
    X(STRING_OFFSET, 11, 8, "string offset")                                   \
    X(STRING_BYTES, 12, 1, "string bytes")                                     \
    X(TEXT_NODE, 13, 4, "text node")                                           \
    X(TEXT_STRING, 14, 4, "text string")                                       \
    X(BIG_NODE, 15, 4, "large size node")                                      \
    X(BIG_SIZE, 16, 8, "large size")                                           \
    X(TYPE_NAME, 17, 4, "type name")                                           \
    X(TYPE_NODE, 18, 4, "type node")                                           \
    X(TYPE_FIRST_BASE, 19, 4, "type first base")                               \
    X(TYPE_BASE, 20, 4, "type base")                                           \
    X(ROOT_NODE, 21, 4, "root node")                                           \
    X(ROOT_KIND, 22, 1, "root kind")                                           \
    X(ROOT_NAME, 23, 4, "root name")                                           \
    X(INFO_KEY, 24, 4, "info key")                                             \
    X(INFO_VALUE, 25, 4, "info value")                                         \
    X(DEVICE_NODE, 26, 4, "device node")                                       \
    X(DEVICE_ID, 27, 4, "device of a node")                                    \
    X(DEVICE_NAME, 28, 4, "device name")                                       \
    X(FACT_NODE, 29, 4, "fact node")                                           \
    X(FACT_KEY, 30, 4, "fact key")                                             \
    X(FACT_VALUE, 31, 4, "fact value")                                         \
    X(SEGMENT, 32, 40, "segment")                                              \
    X(BLOCK, 33, 40, "block")                                                  \
    X(EQUAL_NODE, 34, 4, "node of equal contents")                             \
    X(EQUAL_GROUP, 35, 4, "group of equal contents")                           \
    X(DOMINATOR, 64, 4, "dominator")                                           \
    X(COMPONENT_FIRST, 65, 4, "first of a component")                          \
    X(COMPONENT_NODE, 66, 4, "node of a component")                            \
    X(COMPONENT_HOST, 67, 8, "host bytes of a component")                      \
    X(COMPONENT_DEVICE, 68, 16, "device bytes of a component")                 \
    X(COLLECTIVE, 70, 8, "collectively dominated nodes")                       \
    X(ANALYSIS, 69, 8, "analysis")

/** From here on, arrays are optional in a file; they are empty if left out. */
#define LG__ARRAY_OPTIONAL LG__DEVICE_NODE
/** From here on, arrays belong to an analysis that is saved with the graph. */
#define LG__ARRAY_ANALYSIS LG__DOMINATOR

enum lg__array_name {
#define LG__NUMBER(name, id, element, title) LG__##name,
    LG__ARRAYS(LG__NUMBER)
#undef LG__NUMBER
        LG__ARRAY_COUNT
};

typedef struct lg__array_info {
    uint32_t id;
    uint32_t element;
    const char *title;
} lg__array_info;

extern const lg__array_info lg__array_infos[LG__ARRAY_COUNT];

typedef struct lg__array {
    const void *data;
    uint64_t count;
    void *owned; /**< the block that has the data; NULL: borrowed */
    size_t owned_size;
} lg__array;

#endif
