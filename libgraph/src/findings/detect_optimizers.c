// Detects optimizers that keep parameters which no module has any more, and
// several with state for the same parameters.
#include "findings/detectors.h"

#include <stdlib.h>

static const lg__search parameters_in_groups = {
    .depth = 4,
    .wanted = LG__TYPE_TENSOR,
    .through = LG__TYPE_CONTAINER,
};

static void
note_parameters(lg__detection *detection, uint32_t optimizer, const char *name,
                unsigned depth)
{
    lg__gathered found = {0};
    lg__search search = parameters_in_groups;
    search.depth = depth;
    uint32_t start = lg__detection_attribute(detection, optimizer, name);
    if (start != LG_NONE)
        lg__detection_search(detection, start, &search, &found);
    for (size_t i = 0; i < found.count; i++)
        lg__detection_suppose(detection, optimizer, found.items[i], LG_NONE);
    lg__free(found.items);
}

// Notes the state of each parameter, which goes with it.
static void
note_own_state(lg__detection *detection, uint32_t optimizer)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t state = lg__detection_attribute(detection, optimizer, "state");
    if (state == LG_NONE)
        return;
    const lg_edge_range edges = lg_columns_edges(columns, state);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t parameter = lg_columns_payload(columns, edge);
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE &&
            parameter != LG_NONE &&
            (lg__type_bits_of(detection, parameter) & LG__TYPE_TENSOR))
            lg__detection_suppose(detection, optimizer, parameter,
                                  lg_columns_target(columns, edge));
    }
}

// Looks for stale optimizers. The keys of `state` are parameters, and its
// values belong to them.
static void
look_for_stale_optimizers(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_OPTIMIZER);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        if (!lg_node_is_reachable(detection->analysis, all->items[i]))
            continue;
        note_parameters(detection, all->items[i], "param_groups", 4);
        note_parameters(detection, all->items[i], "state", 1);
        note_own_state(detection, all->items[i]);
        lg__detection_cut(detection, all->items[i]);
    }
}

const lg__detector lg__detect_stale_optimizer = {
    .pattern = {.name = "stale-optimizer",
                .cause = "An optimizer keeps parameters that no module has any "
                         "more, and its state for them.",
                .fix = "Make a new optimizer for the new parameters, or remove "
                       "the old ones from param_groups and state."},
    .least = LG__ANY,
    .look = look_for_stale_optimizers,
    .effect = LG__FIX_ALL,
};

typedef struct training {
    lg__detection *detection;
    uint8_t *in_module; // [node] whether it is a parameter of a torch.nn.Module
    uint32_t *best;     // [node] for a parameter: 1 + the optimizer that keeps
                        // the most, of those with state for it
} training;

typedef void state_visit(training *to, uint32_t optimizer, uint32_t parameter,
                         uint32_t state);

static void
each_state(training *to, uint32_t optimizer, state_visit *visit)
{
    const lg_columns *columns = &to->detection->graph->columns;
    uint32_t states =
        lg__detection_attribute(to->detection, optimizer, "state");
    if (states == LG_NONE)
        return;
    const lg_edge_range edges = lg_columns_edges(columns, states);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t parameter = lg_columns_payload(columns, edge);
        if (lg__edge_kind(to->detection->graph, edge) == LG_EDGE_VALUE &&
            parameter != LG_NONE && to->in_module[parameter])
            visit(to, optimizer, parameter, lg_columns_target(columns, edge));
    }
}

static void
find_best(training *to, uint32_t optimizer, uint32_t parameter, uint32_t state)
{
    uint32_t *best = &to->best[parameter];
    (void)state;
    if (*best == 0 || lg__freed_by(to->detection->analysis, optimizer) >
                          lg__freed_by(to->detection->analysis, *best - 1))
        *best = optimizer + 1;
}

static const lg__search tensors_in_state = {
    .depth = 2,
    .wanted = LG__TYPE_TENSOR,
    .through = LG__TYPE_CONTAINER,
};

static void
note_state(training *to, uint32_t optimizer, uint32_t parameter, uint32_t state)
{
    lg__gathered found = {0};
    if (to->best[parameter] == optimizer + 1)
        return;
    lg__detection_search(to->detection, state, &tensors_in_state, &found);
    for (size_t i = 0; i < found.count; i++)
        lg__detection_suppose(to->detection, optimizer, found.items[i],
                              LG_NONE);
    lg__free(found.items);
}

static void
mark_parameters(training *to)
{
    const lg_columns *columns = &to->detection->graph->columns;
    const lg__gathered *modules =
        lg__detection_all(to->detection, LG__TYPE_MODULE);
    for (size_t i = 0; i < modules->count; i++) {
        uint32_t names = lg__detection_attribute(
            to->detection, modules->items[i], "_parameters");
        uint64_t edge =
            names == LG_NONE ? 0 : lg_columns_first_edge(columns, names);
        uint64_t end =
            names == LG_NONE ? 0 : lg_columns_first_edge(columns, names + 1);
        for (; edge < end; edge++)
            to->in_module[lg_columns_target(columns, edge)] = 1;
    }
}

// Looks for several optimizers. All but the one that keeps the most can go:
// that one may be in use.
static void
look_for_several_optimizers(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_OPTIMIZER);
    size_t nodes = (size_t)detection->graph->columns.node_count + 1;
    if (all->count < 2)
        return;
    training to = {.detection = detection,
                   .in_module = lg__calloc(nodes, sizeof *to.in_module),
                   .best = lg__calloc(nodes, sizeof *to.best)};
    detection->failed |= to.in_module == NULL || to.best == NULL;
    if (!detection->failed) {
        mark_parameters(&to);
        for (size_t i = 0; i < all->count; i++)
            each_state(&to, all->items[i], find_best);
        for (size_t i = 0; i < all->count; i++)
            each_state(&to, all->items[i], note_state);
    }
    lg__free(to.in_module);
    lg__free(to.best);
}

const lg__detector lg__detect_several_optimizers = {
    .pattern =
        {.name = "several-optimizers",
         .cause = "Several optimizers have state for the same parameters, and "
                  "those that you no longer use keep theirs.",
         .fix =
             "Keep one optimizer, and delete the others and their schedulers, "
             "or call state.clear() on those that you use later."},
    .least = LG__MUCH,
    .look = look_for_several_optimizers,
    .effect = LG__FIX_ALL,
};
