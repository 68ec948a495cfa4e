// Detects totals that add up tensors with an autograd graph.
#include "findings/autograd.h"
#include "findings/detectors.h"

#include <stdlib.h>

enum {
    // A step also adds up losses: three for a GAN's critic, six for a CycleGAN.
    // This many forward passes of the same parameters belong to several steps.
    MANY = 7,
    // This many losses of a history belong to several steps.
    MANY_KEPT = 3,
    SCALED = 4, // most times that a part is scaled or copied
};

static bool
is_sum(const lg__detection *detection, uint32_t node)
{
    return lg__is_operation(detection, node, "AddBackward0") ||
           lg__is_operation(detection, node, "SubBackward0") ||
           lg__is_operation(detection, node, "LerpBackward0");
}

// Returns whether an autograd node scales or copies one number.
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

// Returns the sum that a node is or scales, or LG_NONE.
static uint32_t
sum_behind(const lg__detection *detection, uint32_t node)
{
    for (int i = 0; i < SCALED && !is_sum(detection, node); i++) {
        inputs from = inputs_of(detection, node);
        if (!is_passing(detection, node) || from.count != 1)
            return LG_NONE;
        node = from.node[0];
    }
    return is_sum(detection, node) ? node : LG_NONE;
}

// Adds the graph of a part. The parts of a total are alike, but have no common
// step: they meet only at parameters.
static uint32_t
add_pass(lg__graph_comparison *to, uint32_t start, uint32_t passes)
{
    lg__graph_comparison_walk(to, start);
    return to->meets ? 1 : passes + to->ends_alike;
}

// Returns whether a node is, or scales, what a history keeps. `kept` is [node]:
// 1 for the autograd nodes of kept losses.
static bool
is_of_history(const lg__detection *detection, const uint8_t *kept,
              uint32_t node)
{
    for (int i = 0; i < SCALED && !kept[node]; i++) {
        inputs from = inputs_of(detection, node);
        if (!is_passing(detection, node) || from.count != 1)
            return false;
        node = from.node[0];
    }
    return kept[node];
}

// Returns whether the tensor is the sum of several graphs of the same
// parameters.
static bool
is_total(lg__graph_comparison *to, uint32_t tensor, const uint8_t *kept)
{
    const lg__detection *detection = to->detection;
    uint32_t at = sum_behind(detection, lg__grad_fn(detection, tensor));
    uint32_t passes = 1;
    uint32_t of_history = 0;
    lg__graph_comparison_begin(to);
    while (at != LG_NONE && passes < MANY && of_history < MANY_KEPT &&
           to->looked < LG__GRAPH_COMPARISON_NODES && !detection->failed) {
        inputs from = inputs_of(detection, at);
        uint32_t next = LG_NONE;
        to->part[at] = ++to->number;
        for (size_t i = 0; i < from.count; i++) {
            uint32_t sum =
                next == LG_NONE ? sum_behind(detection, from.node[i]) : LG_NONE;
            of_history += is_of_history(detection, kept, from.node[i]);
            if (sum != LG_NONE)
                next = sum;
            else
                passes = add_pass(to, from.node[i], passes);
        }
        at = next;
    }
    return passes >= MANY || of_history >= MANY_KEPT;
}

static uint8_t *
list_kept(lg__detection *detection, const lg__gathered *tensors)
{
    uint8_t *kept = lg__calloc((size_t)detection->graph->columns.node_count + 1,
                               sizeof *kept);
    detection->failed |= kept == NULL;
    for (size_t i = 0; i < tensors->count && kept != NULL; i++)
        if (detection->is_kept[tensors->items[i]] &&
            lg__has_graph(detection, tensors->items[i]))
            kept[lg__grad_fn(detection, tensors->items[i])] = 1;
    return kept;
}

static void
look_for_running_totals(lg__detection *detection)
{
    const lg__gathered *tensors = lg__detection_all(detection, LG__TYPE_TENSOR);
    uint8_t *kept = list_kept(detection, tensors);
    lg__graph_comparison to;
    lg__graph_comparison_open(detection, &to);
    for (size_t i = 0; i < tensors->count && !detection->failed; i++) {
        uint32_t tensor = tensors->items[i];
        if (lg__is_scalar(detection, tensor) && !detection->is_kept[tensor] &&
            lg__has_graph(detection, tensor) && is_total(&to, tensor, kept))
            lg__detection_note(detection, tensor, tensor);
    }
    lg__graph_comparison_close(&to);
    lg__free(kept);
}

const lg__detector lg__detect_running_total = {
    .pattern = {.name = "running-total",
                .cause = "A total adds up losses that carry their autograd "
                         "graphs, so the graph of every step stays alive.",
                .fix = "Write total += loss.item()."},
    .least = LG__ANY,
    .look = look_for_running_totals,
    .effect = LG__FIX_ALL,
};
