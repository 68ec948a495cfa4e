/** Random graphs whose nodes can get any numbers, and the places of graphs. */
#ifndef LEAKGRAPH_PLANNED_H
#define LEAKGRAPH_PLANNED_H

#include <leakgraph/builder.h>
#include <leakgraph/internal/places.h>

enum {
    PLANNED_NODES = 40,
    PLANNED_MORE = 30, /**< what planned_run and planned_wait add, at most */
    PLANNED_ROOM = PLANNED_NODES + PLANNED_MORE,
};
/** Types of the nodes. */
enum {
    PLANNED_MODULE,
    PLANNED_DICT,
    PLANNED_LIST,
    PLANNED_A,
    PLANNED_B,
    PLANNED_STR,
    PLANNED_PLAIN, /**< those of planned_graph end here */
    PLANNED_THREAD = PLANNED_PLAIN,
    PLANNED_FRAME,
    PLANNED_GENERATOR,
    PLANNED_TASK,
    PLANNED_STEP, /**< wakes a task */
    PLANNED_TYPES,
};

typedef struct planned_reference {
    uint32_t source;
    uint32_t target;
    unsigned kind;
    uint32_t name; /**< of an attribute or a variable; key of a value */
} planned_reference;

/** A graph before it has numbers. */
typedef struct planned {
    uint32_t nodes;
    uint32_t type[PLANNED_ROOM];
    uint32_t size[PLANNED_ROOM];
    uint32_t device[PLANNED_ROOM];
    uint32_t roots;
    uint32_t root[8];
    uint32_t hidden_roots; /**< native code refers to these */
    uint32_t hidden[5];
    uint32_t references;
    planned_reference reference[8 * PLANNED_ROOM];
} planned;

/** Makes a plan; always the same for the same seed. */
planned planned_graph(uint64_t seed);
/** Adds one or two threads with frames, and objects that these may have alone.
 *  Anything may refer to a frame. */
void planned_run(planned *to);
/** Adds tasks, what wakes them, generators that threads may be running, and
 *  objects that native code refers to. */
void planned_wait(planned *to);
/** Begins a builder with the types and a device. */
lg_builder *planned_begin(void);
/** Returns the builder's number of a type. */
uint32_t planned_type(uint32_t type);
/** Adds the plan's nodes: node i gets the number number[i] + first. */
void planned_nodes(lg_builder *builder, const planned *from,
                   const uint32_t *number, uint32_t first);
/** Adds the plan's references and roots. All nodes must be there. */
void planned_references(lg_builder *builder, const planned *from,
                        const uint32_t *number, uint32_t first);
/** Fills in the numbers 0, 1, 2 ..., in a random order if `seed` is not 0. */
void planned_numbers(uint32_t *number, uint32_t count, uint64_t seed);

typedef struct planned_places {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_places *places;
    uint32_t *place_of;
} planned_places;

/** Finishes a graph, and finds its places. */
planned_places planned_analyse(lg_builder *builder);
/** Builds a plan and finds its places. */
planned_places planned_build(const planned *from, const uint32_t *number);
void planned_forget(planned_places *made);

#endif
