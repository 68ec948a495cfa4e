// Places of random graphs with running frames, tasks and hidden stacks against
// graphs that are built without the references that do not count.
#include "growth/growth_private.h"
#include "planned.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/retained.h>

enum { GRAPHS = 4000 };

// Which references a graph has.
typedef enum built {
    WHOLE,
    AT_REST, // none from a higher level to a lower one
    STOPPED, // none to running frames
} built;

// Levels of nodes, and of references that do not last.
enum { LASTS, BY_LOOP, BY_TASK, BY_FRAME, BY_STACK, UNREACHED };

typedef struct running {
    planned from;
    bool frame[PLANNED_ROOM]; // its thread dominates it
    bool loop[PLANNED_ROOM];  // it waits for a task
    uint32_t level[PLANNED_ROOM];
    planned_places whole;
} running;

// Returns from which level on a reference counts.
static uint32_t
level_of(const running *of, const planned_reference *reference)
{
    uint32_t source = of->from.type[reference->source];
    uint32_t target = of->from.type[reference->target];
    if ((source == PLANNED_STEP || source == PLANNED_THREAD) &&
        target == PLANNED_TASK)
        return BY_TASK;
    uint32_t runs = of->loop[reference->target] ? BY_LOOP : BY_FRAME;
    if (reference->kind == LG_EDGE_FRAME)
        return target == PLANNED_GENERATOR ? BY_STACK : runs;
    return of->frame[reference->target] ? runs : LASTS;
}

static bool
wakes(const running *of, const planned_reference *reference)
{
    return level_of(of, reference) == BY_TASK;
}

static uint32_t
larger(uint32_t one, uint32_t other)
{
    return one > other ? one : other;
}

static bool
is_counted(const running *of, const planned_reference *reference, built as)
{
    uint32_t level =
        larger(of->level[reference->source], level_of(of, reference));
    if (as == AT_REST)
        return of->level[reference->source] == UNREACHED ||
               (!wakes(of, reference) && level == of->level[reference->target]);
    return as == WHOLE ||
           !(reference->kind == LG_EDGE_FRAME || of->frame[reference->target]);
}

// Makes tasks roots that nothing else keeps, and leaves out the roots of what
// is kept without them.
static void
change_roots(const running *of, planned *to)
{
    to->hidden_roots = 0;
    for (uint32_t i = 0; i < of->from.hidden_roots; i++)
        if (of->level[of->from.hidden[i]] == BY_STACK)
            to->hidden[to->hidden_roots++] = of->from.hidden[i];
    for (uint32_t node = 0; node < of->from.nodes; node++) {
        bool woken = false;
        for (uint32_t i = 0; i < of->from.references; i++)
            woken |= of->from.reference[i].target == node &&
                     wakes(of, &of->from.reference[i]);
        if (woken && of->level[node] == BY_TASK)
            to->root[to->roots++] = node;
    }
}

static planned_places
build(const running *of, built as)
{
    uint32_t number[PLANNED_ROOM];
    planned to = of->from;
    planned_numbers(number, to.nodes, 0);
    to.references = 0;
    for (uint32_t i = 0; i < of->from.references; i++) {
        planned_reference reference = of->from.reference[i];
        if (!is_counted(of, &reference, as))
            continue;
        if (as == AT_REST && reference.kind == LG_EDGE_FRAME)
            reference.kind = LG_EDGE_INDEX;
        to.reference[to.references++] = reference;
    }
    if (as == AT_REST)
        change_roots(of, &to);
    return planned_build(&to, number);
}

static void
find_frames(running *of)
{
    for (uint32_t i = 0; i < of->from.references; i++) {
        const planned_reference *reference = &of->from.reference[i];
        if (reference->kind == LG_EDGE_FRAME &&
            of->from.type[reference->target] == PLANNED_FRAME)
            of->frame[reference->target] =
                lg_node_dominator(of->whole.analysis, reference->target) ==
                reference->source;
    }
}

static bool
has_task(const planned *from, uint32_t frame)
{
    for (uint32_t i = 0; i < from->references; i++)
        if (from->reference[i].source == frame &&
            from->type[from->reference[i].target] == PLANNED_TASK)
            return true;
    return false;
}

// From outermost to innermost, the frames of a thread wait for a task from the
// first on that has one, up to one that has none, or that something else has.
static void
find_loop(running *of, uint32_t thread)
{
    bool waits = false;
    for (uint32_t i = of->from.references; i-- > 0;) {
        const planned_reference *reference = &of->from.reference[i];
        uint32_t frame = reference->target;
        if (reference->source != thread || reference->kind != LG_EDGE_FRAME)
            continue;
        bool has =
            of->from.type[frame] == PLANNED_FRAME && has_task(&of->from, frame);
        if (of->from.type[frame] == PLANNED_GENERATOR || (waits && !has))
            return;
        waits = has;
        of->loop[frame] = has;
    }
}

// Lowers the level of the target to that of the path over the reference.
static bool
lower(running *of, const planned_reference *reference)
{
    uint32_t *known = &of->level[reference->target];
    bool live = lg_node_is_reachable(of->whole.analysis, reference->source);
    uint32_t level = wakes(of, reference) ? (live ? BY_TASK : UNREACHED)
                                          : larger(of->level[reference->source],
                                                   level_of(of, reference));
    bool lowers = level < *known;
    *known = lowers ? level : *known;
    return lowers;
}

static void
find_levels(running *of)
{
    for (uint32_t node = 0; node < of->from.nodes; node++)
        of->level[node] = UNREACHED;
    for (uint32_t i = 0; i < of->from.hidden_roots; i++)
        of->level[of->from.hidden[i]] = BY_STACK;
    for (uint32_t i = 0; i < of->from.roots; i++)
        of->level[of->from.root[i]] = LASTS;
    for (bool lowered = true; lowered;) {
        lowered = false;
        for (uint32_t i = 0; i < of->from.references; i++)
            lowered |= lower(of, &of->from.reference[i]);
    }
}

static running
begin(uint64_t seed, bool wait)
{
    running of = {.from = planned_graph(seed)};
    planned_run(&of.from);
    if (wait)
        planned_wait(&of.from);
    if (seed % 4 < 2) // then an analysis can say what differs alone
        memset(of.from.device, 0, sizeof of.from.device);
    of.whole = build(&of, WHOLE);
    find_frames(&of);
    for (uint32_t node = 0; node < of.from.nodes; node++)
        find_loop(&of, node);
    find_levels(&of);
    return of;
}

static void
check_same_tree(const lg_analysis *one, const lg_analysis *other)
{
    const lg_graph *graph = lg_analysis_graph(one);
    for (uint32_t node = 0; node < lg_graph_columns(graph)->node_count;
         node++) {
        CHECK(lg_node_dominator(one, node) == lg_node_dominator(other, node));
        CHECK(lg_node_is_reachable(one, node) ==
              lg_node_is_reachable(other, node));
        for (uint32_t on = 0; on < 2; on++)
            CHECK(lg__dominated_on(one, node, on) ==
                  lg__dominated_on(other, node, on));
    }
}

// What lasts has the dominators that it has without what does not, tasks and
// frames keep what they have alone, and every node retains the sum of all.
static void
dominators_are_those_of_a_graph(void)
{
    uint32_t moved = 0;
    for (uint64_t seed = 0; seed < GRAPHS && test_failures == 0; seed++) {
        running of = begin(seed, seed % 2 == 0);
        planned_places rest = build(&of, AT_REST);
        const lg_analysis *at_rest = NULL;
        REQUIRE(lg__analysis_at_rest(of.whole.analysis, NULL, &at_rest, NULL) ==
                LG_OK);
        check_same_tree(at_rest, rest.analysis);
        for (uint32_t node = 0; node < of.from.nodes; node++)
            moved += lg_node_dominator(at_rest, node) !=
                     lg_node_dominator(of.whole.analysis, node);
        planned_forget(&rest);
        planned_forget(&of.whole);
        if (test_failures > 0)
            fprintf(stderr, "seed %u\n", (unsigned)seed);
    }
    CHECK(moved > GRAPHS / 4);
}

// A module's list and a list that only a frame has, with the same objects. One
// object more is in the second list alone. At rest, what frames have alone
// refers to that one only.
static planned_places
build_shared(uint32_t objects, built as)
{
    enum { MODULE, THREAD, FRAME, SHARED, OWN, FIRST };
    static const uint32_t types[FIRST] = {PLANNED_MODULE, PLANNED_THREAD,
                                          PLANNED_FRAME, PLANNED_LIST,
                                          PLANNED_LIST};
    lg_builder *builder = planned_begin();
    for (uint32_t node = 0; node < FIRST + objects + 1; node++) {
        lg_builder_add_node(builder, 64 * (uint64_t)(node + 1));
        lg_builder_put_type(
            builder, node,
            planned_type(node < FIRST ? types[node] : (uint32_t)PLANNED_A));
        lg_builder_set_size(builder, node, 1 + node % 100);
    }
    lg_builder_open(builder, MODULE);
    lg_builder_add_edge(builder, SHARED, LG_EDGE_INDEX, 0);
    lg_builder_open(builder, THREAD);
    lg_builder_add_edge(builder, FRAME,
                        as == WHOLE ? LG_EDGE_FRAME : LG_EDGE_INDEX, 0);
    lg_builder_open(builder, FRAME);
    lg_builder_add_edge(builder, OWN, LG_EDGE_INDEX, 0);
    lg_builder_open(builder, SHARED);
    for (uint32_t i = 0; i < objects; i++)
        lg_builder_add_edge(builder, FIRST + i, LG_EDGE_INDEX, i);
    lg_builder_open(builder, OWN);
    for (uint32_t i = as == WHOLE ? 0 : objects; i <= objects; i++)
        lg_builder_add_edge(builder, FIRST + i, LG_EDGE_INDEX, i);
    lg_builder_add_root(builder, MODULE, LG_ROOT_MODULE, "app", 3);
    lg_builder_add_root(builder, THREAD, LG_ROOT_THREAD, "1", 1);
    return planned_analyse(builder);
}

// Where much changes, the rest is analysed anew, with the same results.
static void
much_may_change(void)
{
    static const uint32_t counts[] = {2, 100, 5000, 60000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        planned_places whole = build_shared(counts[i], WHOLE);
        planned_places rest = build_shared(counts[i], AT_REST);
        const lg_analysis *at_rest = NULL;
        REQUIRE(lg__analysis_at_rest(whole.analysis, NULL, &at_rest, NULL) ==
                LG_OK);
        check_same_tree(at_rest, rest.analysis);
        CHECK(lg_analysis_graph(at_rest) == whole.graph);
        planned_forget(&rest);
        planned_forget(&whole);
    }
}

// The usual analysis serves if frames have nothing but what is theirs alone.
static void
what_frames_have_alone_changes_nothing(void)
{
    const lg_analysis *at_rest = NULL;
    planned_places alone = build_shared(0, WHOLE);
    REQUIRE(lg__analysis_at_rest(alone.analysis, NULL, &at_rest, NULL) ==
            LG_OK);
    CHECK(at_rest == alone.analysis);
    planned_forget(&alone);
}

// It also serves if a hidden stack refers to what others keep between them.
static void
what_nothing_keeps_alone_stays(void)
{
    enum { ONE, OTHER, SHARED, OWN, CHAIN, NODES = CHAIN + 10 };
    for (unsigned hidden = SHARED; hidden <= OWN; hidden++) {
        const lg_analysis *at_rest = NULL;
        lg_builder *builder = planned_begin();
        for (uint32_t node = 0; node < NODES; node++) {
            lg_builder_add_node(builder, 64 * (uint64_t)(node + 1));
            lg_builder_put_type(
                builder, node,
                planned_type(node <= OTHER ? PLANNED_MODULE : PLANNED_LIST));
            lg_builder_set_size(builder, node, 1);
        }
        lg_builder_open(builder, ONE);
        lg_builder_add_edge(builder, CHAIN, LG_EDGE_INDEX, 0);
        lg_builder_add_edge(builder, OWN, LG_EDGE_INDEX, 1);
        lg_builder_open(builder, OTHER);
        lg_builder_add_edge(builder, SHARED, LG_EDGE_INDEX, 0);
        for (uint32_t node = CHAIN; node < NODES; node++) {
            lg_builder_open(builder, node);
            lg_builder_add_edge(builder, node + 1 < NODES ? node + 1 : SHARED,
                                LG_EDGE_INDEX, 0);
        }
        lg_builder_add_root(builder, ONE, LG_ROOT_MODULE, "one", 3);
        lg_builder_add_root(builder, OTHER, LG_ROOT_MODULE, "other", 5);
        lg_builder_add_root(builder, hidden, LG_ROOT_NATIVE, "", 0);
        planned_places whole = planned_analyse(builder);
        REQUIRE(lg__analysis_at_rest(whole.analysis, NULL, &at_rest, NULL) ==
                LG_OK);
        CHECK((at_rest == whole.analysis) == (hidden == SHARED));
        CHECK(lg_node_dominator(at_rest, OWN) == ONE);
        CHECK(lg__retained_by(at_rest, ONE) == NODES - 2);
        CHECK(lg__retained_by(whole.analysis, ONE) ==
              NODES - 2u - (hidden == OWN));
        planned_forget(&whole);
    }
}

static lg_place
place_of(const planned_places *of, uint32_t node)
{
    return lg_places_at(of->places, of->place_of[node]);
}

// Returns whether a thread still dominates a frame of its own that is above the
// node, or the node itself: it is called a frame then, whatever else leads
// to it.
static bool
has_thread_above(const running *of, const planned_places *stopped,
                 uint32_t node)
{
    bool found = false;
    for (; node != LG_NONE; node = lg_node_dominator(stopped->analysis, node))
        for (uint32_t i = 0; i < of->from.references; i++)
            found |= of->from.reference[i].kind == LG_EDGE_FRAME &&
                     of->from.reference[i].target == node &&
                     of->from.reference[i].source ==
                         lg_node_dominator(stopped->analysis, node);
    return found;
}

static void
places_are_those_without_frames(void)
{
    for (uint64_t seed = 0; seed < GRAPHS && test_failures == 0; seed++) {
        running of = begin(seed, false);
        planned_places stopped = build(&of, STOPPED);
        for (uint32_t node = 0; node < of.from.nodes; node++)
            if (lg_node_is_reachable(stopped.analysis, node) &&
                !has_thread_above(&of, &stopped, node))
                CHECK(place_of(&of.whole, node).key ==
                      place_of(&stopped, node).key);
        planned_forget(&stopped);
        planned_forget(&of.whole);
        if (test_failures > 0)
            fprintf(stderr, "seed %u\n", (unsigned)seed);
    }
}

// Adds what the children of each place retain to what it has itself in `sum`,
// and what the places at the top retain to `total`.
static void
add_children(const lg_places *places, uint64_t (*sum)[2], uint64_t total[2])
{
    for (uint32_t i = 0; i < lg_places_count(places); i++) {
        lg_place place = lg_places_at(places, i);
        uint64_t *to = place.parent == LG_NONE ? total : sum[place.parent];
        for (uint32_t on = 0; on < 2; on++) {
            sum[i][on] += place.own[on];
            to[on] += place.retained[on];
        }
    }
}

// Returns whether a step leads back to a place above: then what is below it is
// in two places, each of which retains it.
static bool
leads_back(const planned_places *of)
{
    const lg_analysis *at_rest = NULL;
    bool back = false;
    REQUIRE(lg__analysis_at_rest(of->analysis, NULL, &at_rest, NULL) == LG_OK);
    for (uint32_t i = 0; i < lg_graph_columns(of->graph)->node_count; i++) {
        uint32_t above = lg_node_dominator(at_rest, i);
        back |= above != LG_NONE &&
                lg_node_folded_into(of->graph, i) != above &&
                place_of(of, i).parent != of->place_of[above];
    }
    return back;
}

static void
places_add_up(void)
{
    uint32_t exact = 0;
    for (uint64_t seed = 0; seed < GRAPHS && test_failures == 0; seed++) {
        uint64_t sum[PLANNED_ROOM][2] = {{0}};
        uint64_t total[2] = {0};
        running of = begin(seed, true);
        add_children(of.whole.places, sum, total);
        for (uint32_t node = 0; node < of.from.nodes; node++)
            total[of.from.device[node]] -= of.from.size[node];
        CHECK(total[0] == 0 && total[1] == 0);
        bool back = leads_back(&of.whole);
        for (uint32_t i = 0; i < lg_places_count(of.whole.places) && !back; i++)
            for (uint32_t on = 0; on < 2; on++)
                CHECK(sum[i][on] ==
                      lg_places_at(of.whole.places, i).retained[on]);
        exact += !back;
        planned_forget(&of.whole);
        if (test_failures > 0)
            fprintf(stderr, "seed %u\n", (unsigned)seed);
    }
    CHECK(exact > GRAPHS / 4);
}

// A damaged file lists a thread and its frames many times.
static void
each_frame_runs_once(void)
{
    enum { TIMES = 300 };
    const lg_allocator allocator = lg_allocator_default();
    lg__vector listed = {.element = sizeof(lg__running)};
    lg_builder *builder = planned_begin();
    lg_graph *graph;
    for (uint32_t node = 0; node < 3; node++) {
        lg_builder_add_node(builder, 64 * (uint64_t)(node + 1));
        lg_builder_put_type(builder, node,
                            planned_type(node == 0 ? (uint32_t)PLANNED_THREAD
                                                   : (uint32_t)PLANNED_FRAME));
    }
    lg_builder_open(builder, 0);
    for (uint32_t i = 0; i < TIMES; i++) {
        lg_builder_add_edge(builder, 1 + i % 2, LG_EDGE_FRAME, 0);
        lg_builder_add_root(builder, 0, LG_ROOT_THREAD, "1", 1);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg__running_list(graph, &listed));
    const lg__running *items = listed.data;
    CHECK(listed.count == 2);
    CHECK(items[0].frame == 1 && items[1].frame == 2);
    lg__vector_free(&allocator, &listed);
    lg_graph_free(graph);
}

static void
refer_to(lg_builder *builder, uint32_t source, uint32_t first, uint32_t end)
{
    lg_builder_open(builder, source);
    for (uint32_t target = first; target < end; target++)
        lg_builder_add_edge(builder, target, LG_EDGE_INDEX, target - first);
}

// Each of many tasks is in two lists that many objects have, and a few are in
// the table of those that run. To look at all objects for each task would take
// minutes.
static void
tasks_are_in_the_same_containers(void)
{
    enum { MANY = 60000, RUNNING = 3, TABLE = 2, FIRST = 3 };
    enum { TASK = FIRST + MANY, END = TASK + MANY };
    const lg_allocator allocator = lg_allocator_default();
    lg__vector listed = {.element = sizeof(lg__momentary)};
    lg_builder *builder = planned_begin();
    lg_graph *graph;
    for (uint32_t node = 0; node < END; node++) {
        lg_builder_add_node(builder, 64 * (uint64_t)(node + 1));
        lg_builder_put_type(builder, node,
                            planned_type(node < FIRST ? (uint32_t)PLANNED_LIST
                                         : node < TASK
                                             ? (uint32_t)PLANNED_A
                                             : (uint32_t)PLANNED_TASK));
    }
    for (uint32_t list = 0; list < TABLE; list++)
        refer_to(builder, list, TASK, END);
    refer_to(builder, TABLE, TASK, TASK + RUNNING);
    for (uint32_t object = FIRST; object < TASK; object++)
        refer_to(builder, object, 0, TABLE);
    lg_builder_add_edge(builder, TABLE, LG_EDGE_ATTRIBUTE,
                        lg_builder_intern(builder, "_current_tasks", 14));
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    REQUIRE(lg__momentary_list(graph, &listed));
    const lg__momentary *items = listed.data;
    CHECK(listed.count == RUNNING);
    for (uint32_t i = 0; i < listed.count; i++)
        CHECK(items[i].source == TABLE && items[i].moment == LG__MOMENT_TASK);
    lg__vector_free(&allocator, &listed);
    lg_graph_free(graph);
}

// Since CPython 3.14, a future refers to the task that waits for it, or to a
// set of them. Other references of a future, and other sets, are no reason for
// a task to be where it is only for a while.
static void
futures_have_the_tasks_that_wait(void)
{
    enum { ONE, MANY, SET, OTHER_SET, TASK, OTHER_TASK, END };
    static const uint32_t types[END] = {PLANNED_A,    PLANNED_A,
                                        PLANNED_LIST, PLANNED_LIST,
                                        PLANNED_TASK, PLANNED_TASK};
    static const char awaited_by[] = "_Future__asyncio_awaited_by";
    const lg_allocator allocator = lg_allocator_default();
    lg__vector listed = {.element = sizeof(lg__momentary)};
    lg_builder *builder = planned_begin();
    lg_graph *graph;
    for (uint32_t node = 0; node < END; node++) {
        lg_builder_add_node(builder, 64 * (uint64_t)(node + 1));
        lg_builder_put_type(builder, node, planned_type(types[node]));
    }
    lg_builder_open(builder, ONE);
    lg_builder_add_edge(builder, TASK, LG_EDGE_NATIVE,
                        lg_builder_intern(builder, "awaited_by", 10));
    lg_builder_add_edge(builder, OTHER_TASK, LG_EDGE_ATTRIBUTE,
                        lg_builder_intern(builder, "_result", 7));
    lg_builder_open(builder, MANY);
    lg_builder_add_edge(
        builder, SET, LG_EDGE_ATTRIBUTE,
        lg_builder_intern(builder, awaited_by, sizeof awaited_by - 1));
    lg_builder_add_edge(builder, OTHER_SET, LG_EDGE_ATTRIBUTE,
                        lg_builder_intern(builder, "_result", 7));
    refer_to(builder, SET, TASK, END);
    refer_to(builder, OTHER_SET, TASK, END);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    REQUIRE(lg__momentary_list(graph, &listed));
    const lg__momentary *items = listed.data;
    REQUIRE(listed.count == 3);
    CHECK(items[0].source == ONE && items[1].source == SET &&
          items[2].source == SET);
    for (uint32_t i = 0; i < listed.count; i++)
        CHECK(items[i].moment == LG__MOMENT_TASK);
    lg__vector_free(&allocator, &listed);
    lg_graph_free(graph);
}

SUITE(place_running)
{
    RUN(futures_have_the_tasks_that_wait);
    RUN(tasks_are_in_the_same_containers);
    RUN(each_frame_runs_once);
    RUN(dominators_are_those_of_a_graph);
    RUN(much_may_change);
    RUN(what_frames_have_alone_changes_nothing);
    RUN(what_nothing_keeps_alone_stays);
    RUN(places_are_those_without_frames);
    RUN(places_add_up);
    return test_result();
}
