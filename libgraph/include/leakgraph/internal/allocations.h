/**
 * Where the program allocated what it has, and who holds it now.
 *
 * The conventions of leakgraph.h hold. A capture with `allocations` keeps, for
 * each object that tracemalloc traced, the lines that allocated it
 * (lg_node_fact "allocation"). Buffers of CUDA have theirs if PyTorch recorded
 * its history. A buffer without lines of its own has those of the object that
 * holds it. If another line allocated the table of a list, dict or set, which
 * is its last when it grew, the bytes of the table are of that line ("table
 * allocation"), and what is left is of the object's.
 *
 * The *line* of an object is the innermost one of the program's own files; if
 * no frame is of the program, the innermost one. An object is held by the place
 * (leakgraph/places.h) of the highest object above it in the dominator tree
 * that the same line allocated, with no object of another line between them: a
 * dict and all that one line has put into it are held by what holds the dict.
 */
#ifndef LEAKGRAPH_ALLOCATIONS_H
#define LEAKGRAPH_ALLOCATIONS_H

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/places.h>
#include <leakgraph/internal/scope.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Objects that the same frames allocated, and that one place holds. */
typedef struct lg_allocation_stack {
    lg_string frames; /**< the graph's: innermost first, separated by " < " */
    lg_string line;   /**< one of them; borrowed from the graph */
    uint32_t place;   /**< index of the answer's places */
    lg_node holder;   /**< an object of the place that stands for some */
    lg_node root;     /**< what dominates all of them and nothing does, such as
                           their module; LG_NONE: several */
    uint64_t count;   /**< of objects of which it allocated a part at least */
    const uint64_t *bytes; /**< shallow, by device */
    uint64_t weight;       /**< the sum of that */
} lg_allocation_stack;

typedef struct lg_allocation_stacks {
    lg_allocation_stack *items; /**< by line, then by frames */
    size_t count;
    lg_places *places;
    uint64_t *bytes; /**< what the sizes point into */
} lg_allocation_stacks;

/** Finds who holds what each stack of frames has allocated. `scope` (NULL:
 *  everything) says which objects count. O(nodes + edges). */
lg_status lg_analysis_allocation_stacks(const lg_analysis *analysis,
                                        const lg_scope *scope,
                                        const lg_monitor *monitor,
                                        lg_allocation_stacks *out,
                                        lg_error *err);
void lg_allocation_stacks_free(lg_allocation_stacks *stacks);
/** Returns the next frame and takes it off `frames`; empty at the end. */
lg_string lg_allocation_frame(lg_string *frames);

/** Whether the graph knows any line. O(facts). */
bool lg_graph_has_allocations(const lg_graph *graph);

/** What the rows of an answer are sorted and summed by. */
typedef enum lg_allocation_order {
    LG_ALLOCATIONS_BY_LINE = 0,
    LG_ALLOCATIONS_BY_HOLDER,
} lg_allocation_order;

/** A line and a holder. If there are several of the other below a line, or a
 *  holder, a row of depth 0 has the sum, and those of depth 1 behind it the
 *  parts: the eight biggest, unless all but the first are under a hundredth of
 *  it or a thousandth of all, and one for all others. */
typedef struct lg_allocation_row {
    uint32_t depth;
    lg_string line;   /**< empty: several */
    lg_string frames; /**< of most of the bytes */
    uint32_t place;   /**< LG_NONE: several */
    lg_node node;     /**< an object of the place; LG_NONE: several */
    lg_node root;     /**< as in lg_allocation_stack */
    lg_where where;   /**< of `node` */
    bool shared;      /**< others hold what is there, too */
    uint64_t others;  /**< lines or holders that this row does not name */
    uint64_t count;
    const uint64_t *bytes; /**< shallow, by device */
    uint64_t weight;       /**< the sum of that */
} lg_allocation_row;

typedef struct lg_allocations {
    lg_allocation_row *rows; /**< the most bytes first */
    size_t count;
    size_t total_rows; /**< before the limit */
    bool traced;       /**< the snapshot knows lines */
    lg_allocation_order by;
    const uint64_t *bytes; /**< of all objects with a line, by device */
    uint64_t *memory;      /**< what the sizes point into */
} lg_allocations;

/** Start from LG_ALLOCATION_OPTIONS_INIT. */
typedef struct lg_allocation_options {
    size_t size;  /**< of this struct */
    size_t limit; /**< rows of depth 0 (0: any number) */
    lg_allocation_order by;
    const lg_scope *scope; /**< only objects that it has; or NULL */
} lg_allocation_options;

#define LG_ALLOCATION_OPTIONS_INIT                                             \
    {                                                                          \
        .size = sizeof(lg_allocation_options)                                  \
    }

/** Sums the stacks by line and holder. O(nodes + edges). */
lg_status lg_analysis_allocations(const lg_analysis *analysis,
                                  const lg_allocation_options *options,
                                  const lg_monitor *monitor,
                                  lg_allocations *out, lg_error *err);
void lg_allocations_free(lg_allocations *allocations);

#ifdef __cplusplus
}
#endif

#endif
