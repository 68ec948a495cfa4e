// Detects many losses or outputs in a container, each with its autograd graph.
#include "findings/autograd.h"
#include "findings/detectors.h"
#include "findings/in_use.h"

#include <ctype.h>
#include <stdlib.h>

enum {
    MANY = 3, // this many forward passes make a history
    // A step has several outputs of one network: of two views of an image, of
    // an anchor and its examples. This many belong to several steps. So do this
    // many losses in numbered attributes of an object.
    MANY_OUTPUTS = 8,
    // A dict with a name for each loss is a record of one step, unless it is
    // this large.
    MANY_NAMES = 16,
    // A method may gather this many losses in an attribute before backward().
    LONG_EPISODE = 256,
    LEVELS = 5, // most containers and records between a loss and its list
};

// A loss, and how far the search has climbed from it.
typedef struct climber {
    uint32_t at;
    uint32_t loss;
    bool named; // whether it is in a dict or object under a name
} climber;

typedef struct climb {
    lg__detection *detection;
    climber *now;
    size_t count;
    climber *next;
    size_t next_count;
    size_t capacity;  // of both arrays
    uint32_t many;    // number of passes that make a history
    uint32_t *passes; // [node] number of forward passes of the losses that
                      // climbed to it
    lg__graph_comparison graphs;
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
           !(lg_columns_flags(&detection->graph->columns, node) &
             LG_NODE_SYNTHETIC);
}

// Returns whether a dict or an object has the value under a name such as
// 'train'. A number, or a text with one, is no name: 3, 'epoch 3', .out3.
static bool
is_by_name(const lg__detection *detection, uint64_t edge)
{
    const lg_graph *graph = detection->graph;
    uint32_t key = lg_columns_payload(&graph->columns, edge);
    unsigned kind = lg__edge_kind(graph, edge);
    if (kind != LG_EDGE_ATTRIBUTE &&
        (kind != LG_EDGE_VALUE || key == LG_NONE ||
         lg__node_role(graph, key) != LG__ROLE_STR))
        return false;
    lg_string name = kind == LG_EDGE_VALUE ? lg_node_text(graph, key)
                                           : lg_graph_string(graph, key);
    for (uint32_t i = 0; i < name.length; i++)
        if (isdigit((unsigned char)name.data[i]))
            return false;
    return true;
}

static bool
push_climber(climb *to, climber next)
{
    if (to->next_count == to->capacity)
        return false; // for more losses, a sample is enough
    to->next[to->next_count++] = next;
    return true;
}

static void
climb_once(climb *to)
{
    lg__detection *detection = to->detection;
    const lg__reverse *reverse = &detection->walk.reverse;
    for (size_t i = 0; i < to->count; i++) {
        uint32_t at = to->now[i].at;
        for (uint64_t j = lg__first_in(reverse, at);
             j < lg__first_in(reverse, at + 1); j++) {
            lg__in_edge in = lg__in_at(reverse, j);
            uint64_t edge = in.edge;
            uint32_t up = lg__seen_node(detection->walk.fold, in.source);
            climber next = {up, to->now[i].loss, is_by_name(detection, edge)};
            if (is_part(lg__edge_kind(detection->graph, edge)) &&
                goes_up_to(detection, next.at) && !push_climber(to, next))
                return;
        }
    }
}

static int
by_place(const void *left, const void *right)
{
    const climber *a = left;
    const climber *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->loss != b->loss)
        return a->loss < b->loss ? -1 : 1;
    return a->named - b->named;
}

// Sorts losses by place. Each counts once at a place.
static void
sort(climb *to)
{
    size_t kept = 0;
    qsort(to->next, to->next_count, sizeof *to->next, by_place);
    for (size_t i = 0; i < to->next_count; i++)
        if (kept == 0 || to->next[i].at != to->next[kept - 1].at ||
            to->next[i].loss != to->next[kept - 1].loss)
            to->next[kept++] = to->next[i];
    to->next_count = kept;
}

static bool
is_collection(const lg__detection *detection, uint32_t node)
{
    return lg__type_bits_of(detection, node) &
           (LG__TYPE_CONTAINER | LG__TYPE_ARRAY);
}

// Returns how many forward passes make the node a history, as a list of losses
// is one. An object is one if it numbers its attributes, and has many of them.
// A tuple cannot grow.
static uint32_t
many_of(const climb *to, uint32_t node)
{
    const lg__detection *detection = to->detection;
    if (lg__node_role(detection->graph, node) == LG__ROLE_TUPLE)
        return UINT32_MAX;
    return is_collection(detection, node) ? to->many : MANY_OUTPUTS;
}

// Returns whether the loss counts. A running function may still call backward()
// on what it collects.
static bool
is_over(const climb *to, uint32_t loss, bool gathers)
{
    if (!gathers)
        return true;
    lg__graph_reading of = lg__read_graph(to->detection, loss);
    return !of.saved || of.modified;
}

// Returns whether the program may gather the losses or outputs for one backward
// pass: running code in its own variables, or, if the program trains, losses in
// an attribute that a running method names, or where a function has them that
// calls backward(). Outputs there are mostly kept for a metric.
static bool
may_gather(const climb *to, uint32_t holder, size_t count)
{
    lg__detection *detection = to->detection;
    if (!lg__detection_is_stored(detection, holder))
        return lg__detection_is_variable(detection, holder);
    return to->many == MANY && count <= LONG_EPISODE &&
           lg__has_optimizer(detection) &&
           (lg__detection_is_for_backward(detection, holder) ||
            (!lg__detection_is_variable(detection, holder) &&
             lg__detection_is_in_use(detection, holder)));
}

// Returns the number of forward passes behind the losses, `many` at most.
static uint32_t
count_passes(climb *to, const climber *group, size_t count, uint32_t many)
{
    lg__detection *detection = to->detection;
    bool names = count >= MANY_NAMES && is_collection(detection, group->at);
    bool gathers = may_gather(to, group->at, count);
    uint32_t passes = 0;
    lg__graph_comparison_begin(&to->graphs);
    for (size_t i = 0; i < count && passes < many; i++) {
        if ((group[i].named && !names) || !is_over(to, group[i].loss, gathers))
            continue;
        to->graphs.looked = 0;
        lg__graph_comparison_walk(&to->graphs,
                                  lg__grad_fn(detection, group[i].loss));
        // Outputs of one network end at the same parameters.
        if (!to->graphs.meets &&
            (passes == 0 || to->many == MANY || to->graphs.ends_alike))
            passes++;
    }
    return passes;
}

static bool
is_history(climb *to, const climber *group, size_t count)
{
    uint32_t at = group->at;
    uint32_t many = many_of(to, at);
    if (many == UINT32_MAX)
        return false;
    to->passes[at] += count_passes(to, group, count, many);
    return to->passes[at] >= many;
}

// Notes the losses that reached a history. The others climb on.
static void
settle(climb *to)
{
    size_t end = 0;
    to->count = 0;
    sort(to);
    for (size_t i = 0; i < to->next_count; i = end) {
        for (end = i + 1;
             end < to->next_count && to->next[end].at == to->next[i].at; end++)
            ;
        bool found = is_history(to, &to->next[i], end - i);
        for (size_t j = i; j < end; j++)
            if (found)
                lg__detection_note(to->detection, to->next[j].at,
                                   to->next[j].loss);
            else
                to->now[to->count++] = to->next[j];
    }
    to->next_count = 0;
}

static void
look(lg__detection *detection, bool outputs)
{
    const lg__gathered *tensors = lg__detection_all(detection, LG__TYPE_TENSOR);
    climb to = {.detection = detection,
                .capacity = 2 * tensors->count + 16,
                .many = outputs ? MANY_OUTPUTS : MANY};
    size_t nodes = detection->graph->columns.node_count;
    to.now = lg__alloc(to.capacity * sizeof *to.now);
    to.next = lg__alloc(to.capacity * sizeof *to.next);
    to.passes = lg__calloc(nodes + 1, sizeof *to.passes);
    lg__graph_comparison_open(detection, &to.graphs);
    detection->failed |= !to.now || !to.next || !to.passes;
    for (size_t i = 0; i < tensors->count && !detection->failed; i++) {
        uint32_t tensor = tensors->items[i];
        if (lg__is_scalar(detection, tensor) != outputs &&
            !detection->is_kept[tensor] && lg__has_graph(detection, tensor))
            to.now[to.count++] = (climber){tensor, tensor, false};
    }
    for (int level = 0; level < LEVELS && !detection->failed; level++) {
        climb_once(&to);
        settle(&to);
    }
    lg__free(to.now);
    lg__free(to.next);
    lg__free(to.passes);
    lg__graph_comparison_close(&to.graphs);
}

static void
look_for_loss_histories(lg__detection *detection)
{
    look(detection, false);
}

const lg__detector lg__detect_loss_history = {
    .pattern =
        {.name = "loss-history",
         .cause = "A container keeps losses with their autograd graphs: the "
                  "nodes, and everything that no backward pass freed.",
         .fix =
             "Append loss.item(), or loss.detach() if it must stay a tensor."},
    .least = LG__ANY,
    .look = look_for_loss_histories,
    .effect = LG__FIX_DROPS,
};

static void
look_for_output_histories(lg__detection *detection)
{
    look(detection, true);
}

const lg__detector lg__detect_output_history = {
    .pattern = {.name = "output-history",
                .cause =
                    "A container keeps outputs of many forward passes, each "
                    "with its autograd graph and the activations in it.",
                .fix = "Append output.detach(), which keeps the values and "
                       "frees their graphs, or only the numbers that you need, "
                       "or run the model under torch.no_grad()."},
    .least = LG__ANY,
    .look = look_for_output_histories,
    .effect = LG__FIX_GRAPHS,
};
