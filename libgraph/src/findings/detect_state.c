// Detects states that each step takes from the step before, with the graphs of
// all steps behind them: hidden states, caches of keys and values.
#include "findings/autograd.h"
#include "findings/detectors.h"
#include "findings/in_use.h"

#include <stdlib.h>

enum {
    // One forward pass uses the parameters of a recurrent network for each
    // element of a sequence, and tied parameters a few times.
    MANY_USES = 16,
    // The state may be one of a step that the running code is about to call
    // backward() on. Within a step, networks share the weights of 24 layers at
    // most, and a recurrent network uses half of its weights once.
    MANY_STEPS = 25,
    // In a program that trains, a step may be a sequence.
    LONG_SEQUENCE = 256,
    LEVELS = 4, // most containers around a state
    // Nodes looked at for all states of running code together.
    STEPS_LOOKED_AT = 1 << 20,
};

typedef struct counting {
    lg__detection *detection;
    uint32_t *uses; // [node] uses of a leaf by the current graph
    lg__gathered leaves;
    lg__gathered stack;
    uint32_t many;  // uses that count
    size_t often;   // number of leaves with so many uses
    size_t stepped; // nodes looked at for states of running code
} counting;

static bool
visit_next(void *context, uint32_t node)
{
    counting *to = context;
    lg__detection *detection = to->detection;
    bool enough = true;
    if (lg__is_leaf(detection, node)) {
        if (to->uses[node]++ == 0)
            enough = lg__gather_append(&to->leaves, node);
        to->often += to->uses[node] == to->many;
    } else if (detection->seen[node] != detection->searches) {
        detection->seen[node] = detection->searches;
        enough = lg__gather_append(&to->stack, node);
    }
    detection->failed |= !enough;
    return enough;
}

static void
begin(counting *to, uint32_t tensor, uint32_t many)
{
    to->detection->searches++;
    to->many = many;
    to->often = 0;
    to->stack.count = to->leaves.count = 0;
    visit_next(to, lg__grad_fn(to->detection, tensor));
}

static bool
go_on(counting *to)
{
    return to->stack.count > 0 &&
           lg__each_next(to->detection, to->stack.items[--to->stack.count],
                         visit_next, to);
}

static void
end(counting *to)
{
    for (size_t i = 0; i < to->leaves.count; i++)
        to->uses[to->leaves.items[i]] = 0;
}

// Returns whether the graph of a tensor uses one parameter many times.
static bool
uses_often(counting *to, uint32_t tensor)
{
    size_t looked = 0;
    begin(to, tensor, MANY_USES);
    while (to->often == 0 && ++looked < LG__GRAPH_COMPARISON_NODES && go_on(to))
        ;
    end(to);
    return to->often > 0;
}

static bool
has_gradient(const lg__detection *detection, uint32_t leaf)
{
    uint32_t variable = lg__detection_attribute(detection, leaf, "variable");
    return variable != LG_NONE &&
           lg__detection_attribute(detection, variable, "grad") != LG_NONE;
}

// Returns whether the program trains: it has an optimizer, or gradients of the
// parameters of the current graph.
static bool
trains(const counting *to)
{
    bool found = lg__has_optimizer(to->detection);
    for (size_t i = 0; i < to->leaves.count && !found; i++)
        found = has_gradient(to->detection, to->leaves.items[i]);
    return found;
}

// Returns whether the graph repeats most of a network that many times.
static bool
repeats(counting *to, uint32_t tensor, uint32_t times)
{
    begin(to, tensor, times);
    while (to->stepped < STEPS_LOOKED_AT && go_on(to))
        to->stepped++;
    end(to);
    return 2 * to->often > to->leaves.count;
}

static bool
repeats_steps(counting *to, uint32_t tensor)
{
    return repeats(to, tensor, MANY_STEPS) &&
           (!trains(to) || repeats(to, tensor, LONG_SEQUENCE));
}

// Returns the outermost of the containers that hold a tensor, or the tensor
// itself.
static uint32_t
container_of(const lg__detection *detection, uint32_t node)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (int level = 0; level < LEVELS; level++) {
        uint32_t outer = LG_NONE;
        for (uint64_t i = lg__first_in(reverse, node);
             i < lg__first_in(reverse, node + 1); i++) {
            uint32_t source = lg__in_source(reverse, i);
            if ((lg__type_bits_of(detection, source) & LG__TYPE_CONTAINER) &&
                lg__fold_owner(detection->walk.fold, source) == LG_NONE)
                outer = source;
        }
        if (outer == LG_NONE)
            break;
        node = outer;
    }
    return node;
}

// Returns whether a tensor in a container, or by itself, is the state of many
// steps. Running code may still call backward() on its locals, and on globals
// that it names, of this step.
static bool
is_carried(counting *to, uint32_t tensor, uint32_t holder)
{
    const lg__detection *detection = to->detection;
    if (!lg__detection_is_in_use(detection, holder) ||
        (holder != tensor && lg__detection_is_stored(detection, holder) &&
         lg__detection_is_variable(detection, holder)))
        return uses_often(to, tensor);
    return !lg__detection_is_local(detection, holder) &&
           repeats_steps(to, tensor);
}

static bool
is_candidate(const lg__detection *detection, uint32_t tensor)
{
    return !detection->is_kept[tensor] && !lg__is_scalar(detection, tensor) &&
           lg__has_graph(detection, tensor) &&
           lg__detection_is_stored(detection, tensor);
}

static void
look_for_carried_states(lg__detection *detection)
{
    const lg__gathered *tensors = lg__detection_all(detection, LG__TYPE_TENSOR);
    size_t nodes = (size_t)detection->graph->columns.node_count + 1;
    counting to = {.detection = detection,
                   .uses = lg__calloc(nodes, sizeof *to.uses)};
    detection->failed |= to.uses == NULL;
    for (size_t i = 0; i < tensors->count && !detection->failed; i++) {
        uint32_t tensor = tensors->items[i];
        if (!is_candidate(detection, tensor))
            continue;
        uint32_t holder = container_of(detection, tensor);
        if (is_carried(&to, tensor, holder) &&
            lg__read_graph(detection, tensor).saved)
            lg__detection_note(detection, holder, tensor);
    }
    lg__free(to.uses);
    lg__free(to.leaves.items);
    lg__free(to.stack.items);
}

const lg__detector lg__detect_carried_state = {
    .pattern = {.name = "carried-state",
                .cause = "Each step takes a state from the previous step, such "
                         "as a hidden state or a cache of keys and values, and "
                         "with it the autograd graph of all steps.",
                .fix = "Write state = state.detach() after each step, or run "
                       "the model under torch.no_grad()."},
    .least = LG__ANY,
    .look = look_for_carried_states,
    .effect = LG__FIX_GRAPHS,
};
