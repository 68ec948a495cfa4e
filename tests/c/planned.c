// Makes the graphs.
#include "planned.h"

#include "growth/growth_private.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>

static const char *const type_names[PLANNED_TYPES] = {"module",
                                                      "dict",
                                                      "list",
                                                      "app.A",
                                                      "app.B",
                                                      "str",
                                                      "thread",
                                                      "frame",
                                                      "generator",
                                                      "_asyncio.Task",
                                                      "TaskStepMethWrapper"};
static uint32_t type_ids[PLANNED_TYPES];
static uint64_t state;

static uint32_t
below(uint32_t limit)
{
    return test_random(&state) % limit;
}

static const char *const names[] = {"left", "right", "next", "items"};

static void
plan_reference(planned *to, uint32_t source, uint32_t target, unsigned kind,
               uint32_t name)
{
    to->reference[to->references++] =
        (planned_reference){source, target, kind, name};
}

// Gives each dict at most one owner, because it would depend on numbers into
// which of several it is folded.
static void
plan_owner(planned *to, uint32_t node)
{
    bool owned = false;
    for (uint32_t i = 0; i < to->references; i++)
        owned |= to->reference[i].kind == LG_EDGE_DICT &&
                 to->reference[i].target == node;
    uint32_t owner = below(to->nodes);
    if (!owned && to->type[owner] != PLANNED_DICT && owner != node)
        plan_reference(to, owner, node, LG_EDGE_DICT, 0);
}

planned
planned_graph(uint64_t seed)
{
    static const unsigned kinds[] = {LG_EDGE_ATTRIBUTE, LG_EDGE_INDEX,
                                     LG_EDGE_VALUE, LG_EDGE_ATTRIBUTE,
                                     LG_EDGE_KEY};
    planned to = {0};
    state = seed * 7919 + 1;
    to.nodes = 2 + below(PLANNED_NODES - 2);
    for (uint32_t i = 0; i < to.nodes; i++) {
        to.type[i] = below(PLANNED_PLAIN);
        to.size[i] = 1 + below(1000);
        to.device[i] = below(6) == 0;
    }
    to.roots = 1 + below(3);
    for (uint32_t i = 0; i < to.roots; i++)
        to.root[i] = below(to.nodes);
    for (uint32_t i = 0; i < to.nodes; i++)
        if (to.type[i] == PLANNED_DICT && below(2))
            plan_owner(&to, i);
    uint32_t density = 1 + below(3);
    for (uint32_t i = 0; i < to.nodes; i++)
        for (uint32_t left = below(2 * density); left > 0; left--) {
            uint32_t target =
                below(3) ? (i + 1 + below(4)) % to.nodes : below(to.nodes);
            unsigned kind = kinds[below(5)];
            plan_reference(&to, i, target, kind,
                           kind == LG_EDGE_VALUE ? below(to.nodes) : below(4));
        }
    return to;
}

static uint32_t
plan_node(planned *to, uint32_t type)
{
    uint32_t node = to->nodes++;
    to->type[node] = type;
    to->size[node] = 1 + below(1000);
    to->device[node] = below(6) == 0;
    return node;
}

void
planned_run(planned *to)
{
    enum { FRAMES = 3, OBJECTS = 6 };
    uint32_t first = to->nodes;
    uint32_t threads = 1 + below(2);
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t thread = plan_node(to, PLANNED_THREAD);
        to->root[to->roots++] = thread;
        for (uint32_t frames = 1 + below(FRAMES); frames > 0; frames--)
            plan_reference(to, thread, plan_node(to, PLANNED_FRAME),
                           LG_EDGE_FRAME, 0);
    }
    for (uint32_t objects = below(OBJECTS); objects > 0; objects--)
        plan_node(to, PLANNED_A);
    for (uint32_t i = first; i < to->nodes; i++)
        for (uint32_t left = below(4); left > 0; left--)
            plan_reference(to, i, below(to->nodes),
                           to->type[i] == PLANNED_FRAME ? LG_EDGE_LOCAL
                                                        : LG_EDGE_ATTRIBUTE,
                           below(4));
    if (below(4) == 0)
        plan_reference(to, below(first), first + below(to->nodes - first),
                       LG_EDGE_ATTRIBUTE, 0);
}

void
planned_wait(planned *to)
{
    enum { TASKS = 3, GENERATORS = 2, HIDDEN = 4 };
    uint32_t first = to->nodes;
    for (uint32_t tasks = below(TASKS + 1); tasks > 0; tasks--) {
        uint32_t task = plan_node(to, PLANNED_TASK);
        for (uint32_t steps = below(3); steps > 0; steps--) {
            uint32_t step = plan_node(to, PLANNED_STEP);
            plan_reference(to, step, task, LG_EDGE_ATTRIBUTE, 0);
            plan_reference(to, below(to->nodes), step, LG_EDGE_ATTRIBUTE, 1);
        }
    }
    for (uint32_t left = below(GENERATORS + 1); left > 0; left--)
        plan_reference(to, to->root[to->roots - 1],
                       plan_node(to, PLANNED_GENERATOR), LG_EDGE_FRAME, 0);
    for (uint32_t i = first; i < to->nodes; i++)
        for (uint32_t left = below(4); left > 0; left--)
            plan_reference(to, i, below(to->nodes), LG_EDGE_LOCAL, below(4));
    for (uint32_t left = to->nodes > first ? below(5) : 0; left > 0; left--)
        plan_reference(to, below(first), first + below(to->nodes - first),
                       LG_EDGE_ATTRIBUTE, below(4));
    for (uint32_t left = below(HIDDEN + 1); left > 0; left--)
        to->hidden[to->hidden_roots++] = below(to->nodes);
}

// Adds the plan's nodes from `first` on, with number[i] for node i.
void
planned_nodes(lg_builder *builder, const planned *from, const uint32_t *number,
              uint32_t first)
{
    uint32_t node_of[PLANNED_ROOM];
    for (uint32_t i = 0; i < from->nodes; i++)
        node_of[number[i]] = i;
    for (uint32_t at = 0; at < from->nodes; at++) {
        uint32_t i = node_of[at];
        uint32_t node = lg_builder_add_node(builder, 64 * (uint64_t)(at + 1));
        REQUIRE(node == first + at);
        lg_builder_put_type(builder, node, type_ids[from->type[i]]);
        lg_builder_set_size(builder, node, from->size[i]);
        lg_builder_set_device(builder, node, from->device[i]);
        if (from->type[i] == PLANNED_STR)
            lg_builder_set_text(builder, node, names[i % 4],
                                strlen(names[i % 4]));
        if (from->type[i] == PLANNED_MODULE)
            lg_builder_set_text(builder, node, "app", 3);
    }
}

void
planned_references(lg_builder *builder, const planned *from,
                   const uint32_t *number, uint32_t first)
{
    for (uint32_t at = 0; at < from->nodes; at++) {
        lg_builder_open(builder, first + at);
        for (uint32_t i = 0; i < from->references; i++) {
            const planned_reference *of = &from->reference[i];
            if (number[of->source] != at)
                continue;
            uint32_t payload = 0;
            if (of->kind == LG_EDGE_ATTRIBUTE || of->kind == LG_EDGE_LOCAL)
                payload = lg_builder_intern(builder, names[of->name],
                                            strlen(names[of->name]));
            if (of->kind == LG_EDGE_VALUE)
                payload = first + number[of->name];
            lg_builder_add_edge(builder, first + number[of->target], of->kind,
                                payload);
        }
    }
    for (uint32_t i = 0; i < from->roots; i++)
        lg_builder_add_root(
            builder, first + number[from->root[i]],
            from->type[from->root[i]] == PLANNED_THREAD ? LG_ROOT_THREAD
            : from->type[from->root[i]] == PLANNED_TASK ? LG_ROOT_INTERPRETER
                                                        : LG_ROOT_MODULE,
            "app", 3);
    for (uint32_t i = 0; i < from->hidden_roots; i++)
        lg_builder_add_root(builder, first + number[from->hidden[i]],
                            LG_ROOT_NATIVE, "", 0);
}

lg_builder *
planned_begin(void)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_device(builder, "cuda:0");
    for (uint32_t i = 0; i < PLANNED_TYPES; i++)
        type_ids[i] = lg_builder_add_type(
            builder, type_names[i], strlen(type_names[i]), LG_NONE, NULL, 0);
    return builder;
}

planned_places
planned_analyse(lg_builder *builder)
{
    planned_places made = {0};
    REQUIRE(lg_builder_finish(builder, &made.graph, NULL) == LG_OK);
    REQUIRE(lg_analysis_new(made.graph, NULL, &made.analysis, NULL) == LG_OK);
    REQUIRE(lg_places_walk(made.analysis, NULL, &made.places, &made.place_of,
                           NULL) == LG_OK);
    return made;
}

void
planned_forget(planned_places *made)
{
    free(made->place_of);
    lg_places_free(made->places);
    lg_analysis_free(made->analysis);
    lg_graph_free(made->graph);
}

void
planned_numbers(uint32_t *number, uint32_t count, uint64_t seed)
{
    state = seed;
    for (uint32_t i = 0; i < count; i++)
        number[i] = i;
    for (uint32_t i = seed != 0 ? count : 0; i > 1; i--) {
        uint32_t other = below(i);
        uint32_t kept = number[i - 1];
        number[i - 1] = number[other];
        number[other] = kept;
    }
}

uint32_t
planned_type(uint32_t type)
{
    return type_ids[type];
}

planned_places
planned_build(const planned *from, const uint32_t *number)
{
    lg_builder *builder = planned_begin();
    planned_nodes(builder, from, number, 0);
    planned_references(builder, from, number, 0);
    return planned_analyse(builder);
}
