/** Small heaps with memory to save, and what the search for it says. */
#ifndef LEAKGRAPH_WASTED_H
#define LEAKGRAPH_WASTED_H

#include "drawn.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/waste.h>

/** Bytes of containers without their items. */
enum { WASTED_LIST = 56, WASTED_DICT = 64, WASTED_SET = 216 };

/** Types by their ids. */
enum {
    NOTHING,
    MODULE,
    LIST,
    TUPLE,
    DICT,
    SET,
    INT,
    FLOAT,
    STR,
    OBJECT,
    TYPE,
    FUNCTION,
    BYTES,
    NDARRAY,
};

/** A heap with the module `app`. */
typedef struct heap {
    lg_builder *builder;
    uint32_t app;
} heap;

heap wasted_begin(void);
uint32_t wasted_type(heap *to, const char *name, uint32_t node, uint32_t base);
uint32_t wasted_add(heap *to, uint32_t type, uint64_t size);
/** Adds a reference that the target counts. */
void wasted_refer(heap *to, uint32_t from, uint32_t target, unsigned kind,
                  uint32_t payload);
uint32_t wasted_intern(const heap *to, const char *text);
/** Adds app.text = target. */
void wasted_name(heap *to, const char *text, uint32_t target);
/** Adds a str with that text. */
uint32_t wasted_str(heap *to, const char *text);
/** Adds a list of new objects of a type. */
uint32_t wasted_list(heap *to, uint64_t room, uint32_t items, uint32_t type,
                     uint64_t size);
/** Sets dict[key] = value. */
void wasted_put(heap *to, uint32_t dict, uint32_t key, uint32_t value,
                uint32_t rank);

typedef struct answer {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_waste waste;
} answer;

/** Asks about the graph, and takes it over. */
answer wasted_asked(lg_graph *graph, const lg_waste_options *options);
lg_graph *wasted_graph(heap *to);
/** Ends the heap and asks. */
answer wasted_end(heap *to);
void wasted_free(answer *made);
/** Checks the row of a node: what can be saved, what is used, and of how
 *  much. */
bool wasted_says(const answer *made, lg_waste_kind kind, uint32_t node,
                 uint64_t waste, uint64_t used, uint64_t of);

#define EXPECT(made, kind, node, waste, used, of)                              \
    CHECK(wasted_says(&(made), kind, node, waste, used, of))

#endif
