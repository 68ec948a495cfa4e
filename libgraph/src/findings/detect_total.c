// Totals that add up tensors with an autograd graph.
#include "findings/context.h"

#include <stdlib.h>

enum {
    MANY = 3,               // parts that make a total
    NODES_LOOKED_AT = 4096, // of its graph
};

static bool
is_sum(const lg__detection *detection, uint32_t node)
{
    return lg__is_operation(detection, node, "AddBackward0") ||
           lg__is_operation(detection, node, "SubBackward0") ||
           lg__is_operation(detection, node, "LerpBackward0");
}

// Nodes that scale or copy one number.
static bool
is_passing(const lg__detection *detection, uint32_t node)
{
    static const char *const passing[] = {
        "MulBackward0",     "DivBackward0",   "CloneBackward0",
        "ToCopyBackward0",  "NegBackward0",   "SumBackward0",
        "MeanBackward0",    "AliasBackward0", "UnsqueezeBackward0",
        "SqueezeBackward0", "ViewBackward0",  "SelectBackward0",
    };
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (lg__is_operation(detection, node, passing[i]))
            return true;
    return false;
}

typedef struct inputs {
    uint32_t node[4];
    size_t count;
} inputs;

static bool
take_input(void *context, uint32_t next)
{
    inputs *to = context;
    if (to->count < sizeof to->node / sizeof *to->node)
        to->node[to->count++] = next;
    return true;
}

static inputs
inputs_of(const lg__detection *detection, uint32_t node)
{
    inputs found = {.count = 0};
    lg__each_next(detection, node, take_input, &found);
    return found;
}

// The sum that a node is or scales; LG_NONE.
static uint32_t
sum_behind(const lg__detection *detection, uint32_t node)
{
    for (int i = 0; i < 4 && !is_sum(detection, node); i++) {
        inputs from = inputs_of(detection, node);
        if (!is_passing(detection, node) || from.count != 1)
            return LG_NONE;
        node = from.node[0];
    }
    return is_sum(detection, node) ? node : LG_NONE;
}

// The graphs of the parts of a total: alike, but without a common step. They
// meet at parameters only.
typedef struct parts {
    lg__detection *detection;
    uint32_t *part; // [node] the number of the part that met it last
    lg__gathered stack;
    uint32_t number; // of the part
    uint32_t before; // the last part of the total before this one
    size_t looked;
    uint32_t apart; // parts that end where others do, and meet nowhere before
    bool meets;
    bool ends_alike;
} parts;

static bool
visit_part(void *context, uint32_t node)
{
    parts *to = context;
    if (to->part[node] == to->number)
        return true;
    if (lg__is_leaf(to->detection, node)) {
        to->ends_alike |= to->part[node] > to->before;
    } else if (to->part[node] > to->before) {
        to->meets = true;
        return false;
    } else if (!lg__gather_append(&to->stack, node)) {
        to->detection->failed = true;
    }
    to->part[node] = to->number;
    return !to->detection->failed;
}

static void
walk_part(parts *to, uint32_t start)
{
    to->number++;
    to->stack.count = 0;
    to->meets = to->ends_alike = false;
    bool going = visit_part(to, start);
    while (going && to->stack.count > 0 && ++to->looked < NODES_LOOKED_AT)
        going = lg__each_next(to->detection, to->stack.items[--to->stack.count],
                              visit_part, to);
    if (to->meets)
        to->apart = 0;
    else if (to->ends_alike)
        to->apart++;
}

// Returns whether the tensor is the sum of several graphs of the same
// parameters.
static bool
is_total(parts *to, uint32_t tensor)
{
    const lg__detection *detection = to->detection;
    uint32_t at = sum_behind(detection, lg__grad_fn(detection, tensor));
    to->before = to->number;
    to->apart = 0;
    to->looked = 0;
    while (at != LG_NONE && to->apart + 1 < MANY &&
           to->looked < NODES_LOOKED_AT && !detection->failed) {
        inputs from = inputs_of(detection, at);
        uint32_t next = LG_NONE;
        to->part[at] = ++to->number;
        for (size_t i = 0; i < from.count; i++) {
            uint32_t sum =
                next == LG_NONE ? sum_behind(detection, from.node[i]) : LG_NONE;
            if (sum != LG_NONE)
                next = sum;
            else
                walk_part(to, from.node[i]);
        }
        at = next;
    }
    return to->apart + 1 >= MANY;
}

void
lg__look_for_running_totals(lg__detection *detection)
{
    const lg__gathered *tensors = lg__detection_all(detection, LG__TYPE_TENSOR);
    size_t nodes = detection->graph->columns.node_count;
    parts to = {
        .detection = detection,
        .part = calloc(nodes + 1, sizeof(uint32_t)),
    };
    detection->failed |= to.part == NULL;
    for (size_t i = 0; i < tensors->count && !detection->failed; i++) {
        uint32_t tensor = tensors->items[i];
        if (lg__is_scalar(detection, tensor) && !detection->is_kept[tensor] &&
            lg__has_graph(detection, tensor) && is_total(&to, tensor))
            lg__detection_note(detection, tensor, tensor);
    }
    free(to.part);
    free(to.stack.items);
}
