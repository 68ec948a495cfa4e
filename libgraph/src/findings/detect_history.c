// Many losses in a container, each with its autograd graph.
#include "findings/context.h"

#include <stdlib.h>

enum {
    MANY = 3,   // this many of a kind make a history
    LEVELS = 5, // containers and records between a loss and its list
};

// A loss, and how far the search has climbed from it.
typedef struct climber {
    uint32_t at;
    uint32_t loss;
} climber;

typedef struct climb {
    lg__detection *detection;
    climber *now;
    size_t count;
    climber *next;
    size_t next_count;
    size_t capacity;  // of both
    uint32_t *losses; // [node] number of losses that climbed to it
} climb;

static bool
is_part(unsigned kind)
{
    return kind == LG_EDGE_VALUE || kind == LG_EDGE_INDEX ||
           kind == LG_EDGE_ELEMENT || kind == LG_EDGE_REFERENCE ||
           kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_DICT;
}

static bool
goes_up_to(const lg__detection *detection, uint32_t node)
{
    unsigned type_bits = lg__type_bits_of(detection, node);
    if (type_bits & (LG__TYPE_CONTAINER | LG__TYPE_ARRAY))
        return true;
    return type_bits == 0 &&
           lg__node_category(detection->graph, node) == LG_CATEGORY_OTHER &&
           !(detection->graph->columns.node_flags[node] & LG_NODE_SYNTHETIC);
}

// A list of losses is a history. A tuple cannot grow, and what a module or an
// object keeps under its own names is no collection.
static bool
is_history(const climb *to, uint32_t node)
{
    const lg__detection *detection = to->detection;
    return to->losses[node] >= MANY &&
           (lg__type_bits_of(detection, node) &
            (LG__TYPE_CONTAINER | LG__TYPE_ARRAY)) &&
           lg__node_role(detection->graph, node) != LG__ROLE_TUPLE &&
           detection->walk.fold[node].owner == LG_NONE;
}

static bool
push_climber(climb *to, uint32_t at, uint32_t loss)
{
    for (size_t i = to->next_count; i-- > 0 && to->next[i].loss == loss;)
        if (to->next[i].at == at)
            return true;
    if (to->next_count == to->capacity)
        return false; // for more, a sample is enough
    to->next[to->next_count++] = (climber){at, loss};
    to->losses[at]++;
    return true;
}

static void
climb_once(climb *to)
{
    lg__detection *detection = to->detection;
    const lg__reverse *reverse = &detection->walk.reverse;
    for (size_t i = 0; i < to->count; i++) {
        uint32_t at = to->now[i].at;
        for (uint64_t j = reverse->first[at]; j < reverse->first[at + 1]; j++) {
            lg__in_edge in = reverse->edge[j];
            uint64_t edge =
                detection->graph->columns.first_edge[in.source] + in.rank;
            if (is_part(lg__edge_kind(detection->graph, edge)) &&
                goes_up_to(detection, in.source) &&
                !push_climber(to, in.source, to->now[i].loss))
                return;
        }
    }
}

// Notes the losses that reached a history; the others climb on.
static void
settle(climb *to)
{
    to->count = 0;
    for (size_t i = 0; i < to->next_count; i++) {
        if (is_history(to, to->next[i].at))
            lg__detection_note(to->detection, to->next[i].at, to->next[i].loss);
        else
            to->now[to->count++] = to->next[i];
    }
    to->next_count = 0;
}

void
lg__look_for_loss_histories(lg__detection *detection)
{
    const lg__gathered *tensors = lg__detection_all(detection, LG__TYPE_TENSOR);
    climb to = {.detection = detection, .capacity = 2 * tensors->count + 16};
    size_t nodes = detection->graph->columns.node_count;
    to.now = malloc(to.capacity * sizeof *to.now);
    to.next = malloc(to.capacity * sizeof *to.next);
    to.losses = calloc(nodes + 1, sizeof *to.losses);
    detection->failed |= !to.now || !to.next || !to.losses;
    for (size_t i = 0; i < tensors->count && !detection->failed; i++) {
        uint32_t tensor = tensors->items[i];
        if (lg__is_scalar(detection, tensor) &&
            lg__has_graph(detection, tensor))
            to.now[to.count++] = (climber){tensor, tensor};
    }
    for (int level = 0; level < LEVELS && !detection->failed; level++) {
        climb_once(&to);
        settle(&to);
    }
    free(to.now);
    free(to.next);
    free(to.losses);
}
