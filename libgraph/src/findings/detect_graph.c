// Detects autograd graphs that stay after their backward pass.
#include "findings/autograd.h"
#include "findings/detectors.h"
#include "findings/in_use.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>

enum { NODES_LOOKED_AT = 4096 };

// ------------------------------------------------------------ retain_graph ---

static bool
has_saved(const lg__detection *detection, uint32_t node)
{
    const lg_columns *columns = &detection->graph->columns;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        lg_string name = lg__detection_name(detection, edge);
        if ((lg__string_begins(name, "_saved_") ||
             lg__string_begins(name, "_raw_saved_") ||
             lg__string_begins(name, "saved")) &&
            (lg__type_bits_of(detection, columns->edge_target[edge]) &
             LG__TYPE_TENSOR))
            return true;
    }
    return false;
}

// Returns whether a backward pass has freed what the node had saved.
static bool
is_freed(const lg__detection *detection, uint32_t node)
{
    // Each of these saves a tensor, whatever its inputs are.
    static const char *const saving[] = {
        "AddmmBackward0",       "MmBackward0",
        "BmmBackward0",         "BaddbmmBackward0",
        "ConvolutionBackward0", "EmbeddingBackward0",
        "ReluBackward0",        "SigmoidBackward0",
        "TanhBackward0",        "GeluBackward0",
        "SiluBackward0",        "NativeLayerNormBackward0",
        "SoftmaxBackward0",     "NativeBatchNormBackward0",
        "LogSoftmaxBackward0",  "CudnnBatchNormBackward0",
    };
    for (size_t i = 0; i < sizeof saving / sizeof *saving; i++)
        if (lg__is_operation(detection, node, saving[i]))
            return !has_saved(detection, node);
    return false;
}

typedef struct reading {
    lg__detection *detection;
    lg__gathered queue;
    bool saved;    // it still has tensors for a backward pass
    bool modified; // one of them was modified in place since
    bool filled;   // it has gradients of an earlier one, too
    bool higher;   // the gradients have a graph themselves
} reading;

static bool
visit_reading(void *context, uint32_t node)
{
    reading *to = context;
    lg__detection *detection = to->detection;
    if (detection->seen[node] == detection->searches)
        return true;
    detection->seen[node] = detection->searches;
    if (lg__is_leaf(detection, node)) {
        uint32_t variable =
            lg__detection_attribute(detection, node, "variable");
        uint32_t grad =
            variable == LG_NONE
                ? LG_NONE
                : lg__detection_attribute(detection, variable, "grad");
        to->filled |= grad != LG_NONE;
        to->higher |= grad != LG_NONE && lg__has_graph(detection, grad);
        return true;
    }
    if (!lg__gather_append(&to->queue, node))
        detection->failed = true;
    return !detection->failed;
}

// Reads the part of a graph that the next backward pass can reach: the backward
// pass of another loss of the step may have freed what is below.
static reading
read_graph(lg__detection *detection, uint32_t tensor)
{
    reading to = {.detection = detection};
    detection->searches++;
    visit_reading(&to, lg__grad_fn(detection, tensor));
    for (size_t i = 0; i < to.queue.count && i < NODES_LOOKED_AT; i++) {
        to.saved |= has_saved(detection, to.queue.items[i]);
        to.modified |= lg_node_fact_number(detection->graph, to.queue.items[i],
                                           "modified", 0) > 0;
        if (!is_freed(detection, to.queue.items[i]))
            lg__each_next(detection, to.queue.items[i], visit_reading, &to);
    }
    lg__free(to.queue.items);
    return to;
}

bool
lg__has_saved_graph(lg__detection *detection, uint32_t tensor)
{
    return read_graph(detection, tensor).saved;
}

bool
lg__awaits_backward(lg__detection *detection, uint32_t tensor)
{
    reading of = read_graph(detection, tensor);
    return of.saved && !of.modified;
}

static bool
is_retained(lg__detection *detection, uint32_t tensor)
{
    reading of = read_graph(detection, tensor);
    return of.saved && of.filled && !of.higher;
}

// Returns whether a container has the tensor, and is kept for a backward pass.
static bool
is_gathered(const lg__detection *detection, uint32_t tensor)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, tensor);
         i < lg__first_in(reverse, tensor + 1); i++) {
        uint32_t holder = lg__in_source(reverse, i);
        if ((lg__type_bits_of(detection, holder) & LG__TYPE_CONTAINER) &&
            lg__fold_owner(detection->walk.fold, holder) == LG_NONE &&
            lg__detection_is_for_backward(detection, holder))
            return true;
    }
    return false;
}

// Looks for retained graphs. Before backward(), a loss in a variable of running
// code is no mistake, nor in a container that a function has for it.
static void
look_for_retained_graphs(lg__detection *detection)
{
    const lg__gathered *tensors = lg__detection_all(detection, LG__TYPE_TENSOR);
    for (size_t i = 0; i < tensors->count && !detection->failed; i++) {
        uint32_t tensor = tensors->items[i];
        if (lg__is_scalar(detection, tensor) && !detection->is_kept[tensor] &&
            lg__has_graph(detection, tensor) &&
            lg__detection_is_stored(detection, tensor) &&
            !lg__detection_is_in_use(detection, tensor) &&
            is_retained(detection, tensor) &&
            !(lg__has_optimizer(detection) && is_gathered(detection, tensor)))
            lg__detection_note(detection, tensor, tensor);
    }
}

const lg__detector lg__detect_retained_graph = {
    .pattern = {.name = "retained-graph",
                .cause =
                    "A loss still has everything that its backward pass needs, "
                    "although the gradients exist: backward() ran with "
                    "retain_graph=True, or nothing runs it on this result.",
                .fix = "Drop retain_graph=True, or keep loss.detach(). "
                       "Evaluate under torch.no_grad()."},
    .least = LG__ANY,
    .look = look_for_retained_graphs,
    .effect = LG__FIX_ALL,
};

// ------------------------------------------------------------ create_graph ---

// Returns the parameter that already has a match for this component, or else
// this one. All garbage counts as one component.
static uint32_t
first_of_component(const lg__detection *detection, uint32_t component,
                   uint32_t tensor)
{
    for (size_t i = detection->match_count; i-- > 0;) {
        const lg__match *match = &detection->matches[i];
        if (match->pattern != detection->pattern)
            break;
        if (lg_node_component(detection->analysis, match->holder) ==
                component ||
            (!lg_node_is_reachable(detection->analysis, match->holder) &&
             !lg_node_is_reachable(detection->analysis, tensor)))
            return match->holder;
    }
    return tensor;
}

// Looks for gradients with a graph that are in one component with their
// parameters.
static void
look_for_create_graph(lg__detection *detection)
{
    const lg__gathered *tensors = lg__detection_all(detection, LG__TYPE_TENSOR);
    for (size_t i = 0; i < tensors->count && !detection->failed; i++) {
        uint32_t tensor = tensors->items[i];
        uint32_t component = lg_node_component(detection->analysis, tensor);
        if (component == LG_NONE)
            continue;
        uint32_t grad = lg__detection_attribute(detection, tensor, "grad");
        if (grad != LG_NONE &&
            lg_node_component(detection->analysis, grad) == component &&
            lg__has_graph(detection, grad))
            lg__detection_note(detection,
                               first_of_component(detection, component, tensor),
                               grad);
    }
}

const lg__detector lg__detect_create_graph_cycle = {
    .pattern = {.name = "create-graph-cycle",
                .cause = "backward(create_graph=True) gave the gradients a "
                         "graph that refers back to their parameters: a cycle "
                         "through C++ that the collector cannot free.",
                .fix = "Use torch.autograd.grad(), or set p.grad = None before "
                       "you drop the parameters."},
    .least = LG__ANY,
    .look = look_for_create_graph,
    .effect = LG__FIX_ALL,
};
