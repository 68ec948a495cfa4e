// Detects autograd graphs that stay after their backward pass.
#include "findings/autograd.h"
#include "findings/detectors.h"
#include "findings/in_use.h"

static bool
is_retained(lg__detection *detection, uint32_t tensor)
{
    lg__graph_reading of = lg__read_graph(detection, tensor);
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
