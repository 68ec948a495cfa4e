/** Tensors, the autograd graph behind them, and what several graphs share. */
#ifndef LEAKGRAPH_AUTOGRAD_H
#define LEAKGRAPH_AUTOGRAD_H

#include "findings/context.h"

/** Returns the autograd node of a tensor with a graph, or LG_NONE. */
uint32_t lg__grad_fn(const lg__detection *detection, uint32_t tensor);
/** Returns whether it is a tensor with a graph. */
bool lg__has_graph(const lg__detection *detection, uint32_t node);
/** Returns whether the tensor has one or two elements. */
bool lg__is_scalar(const lg__detection *detection, uint32_t tensor);
/** Returns whether an autograd node is of this class, such as AddBackward0. */
bool lg__is_operation(const lg__detection *detection, uint32_t node,
                      const char *operation);
/** Returns whether the gradient of a leaf ends here. */
bool lg__is_leaf(const lg__detection *detection, uint32_t node);
/** Returns false to stop. */
typedef bool lg__next_visit(void *context, uint32_t next);
/** Calls `visit` for each node to which this one passes gradients on. */
bool lg__each_next(const lg__detection *detection, uint32_t node,
                   lg__next_visit *visit, void *context);

/** Returns whether the program has an optimizer. */
bool lg__has_optimizer(lg__detection *detection);
/** What the graph of a tensor tells about backward passes. */
typedef struct lg__graph_reading {
    bool saved; /**< it still has tensors for a backward pass; if it has none,
                     one has run */
    bool modified; /**< since the forward pass, something modified one of them
                        in place, as a step of an optimizer modifies
                        parameters: no backward pass can run */
    bool filled;   /**< it has gradients of an earlier pass, too */
    bool higher;   /**< the gradients have a graph themselves */
} lg__graph_reading;

/** Reads the part of a tensor's graph that the next backward pass can reach:
 *  the backward pass of another loss of the step may have freed what is below.
 *  Looks at 4096 nodes. */
lg__graph_reading lg__read_graph(lg__detection *detection, uint32_t tensor);

enum { LG__GRAPH_COMPARISON_NODES = 4096 };

/** Graphs that are compared. Graphs of one forward pass meet inside; graphs of
 *  several meet only at parameters. */
typedef struct lg__graph_comparison {
    lg__detection *detection;
    uint32_t *part; /**< [node] number of the last part that met it */
    lg__gathered stack;
    uint32_t number; /**< number of the current part */
    uint32_t before; /**< number of the last part before the comparison began */
    size_t looked;   /**< nodes looked at since then */
    bool meets;      /**< the last part meets an earlier one */
    bool ends_alike; /**< the last part ends at a parameter where an earlier
                          one ended */
} lg__graph_comparison;

/** Opens a comparison, which must be closed in any case. Sets detection->failed
 *  if memory runs out. */
void lg__graph_comparison_open(lg__detection *detection,
                               lg__graph_comparison *out);
void lg__graph_comparison_close(lg__graph_comparison *comparison);
/** Forgets the earlier parts. */
void lg__graph_comparison_begin(lg__graph_comparison *comparison);
/** Adds the part that starts at an autograd node. A comparison looks at no more
 *  than LG__GRAPH_COMPARISON_NODES nodes. */
void lg__graph_comparison_walk(lg__graph_comparison *comparison,
                               uint32_t start);

#endif
