// Detects what endless threads keep, and what thread locals keep.
#include "findings/detectors.h"
#include "findings/registries.h"

#include <stdlib.h>

enum {
    MANY_THREADS = 16, // threads with the same work; pools of a program have
                       // fewer
    MANY_POOLS = 8,    // executors that are gone, with threads that still run
    MANY_LOCALS = 8,   // threads that have a value
};

// Returns the thread whose outermost frame this is, or LG_NONE.
static uint32_t
outermost_of(const lg__detection *detection, uint32_t frame)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    const lg_columns *columns = &detection->graph->columns;
    for (uint64_t i = lg__first_in(reverse, frame);
         i < lg__first_in(reverse, frame + 1); i++) {
        uint32_t source = lg__in_source(reverse, i);
        uint64_t edge = lg__in_number(reverse, i);
        if (lg__edge_kind(detection->graph, edge) != LG_EDGE_FRAME)
            continue;
        uint32_t outermost = LG_NONE;
        for (edge = lg_columns_first_edge(columns, source);
             edge < lg_columns_first_edge(columns, source + 1); edge++)
            if (lg__edge_kind(detection->graph, edge) == LG_EDGE_FRAME)
                outermost = lg_columns_target(columns, edge);
        return outermost == frame ? source : LG_NONE;
    }
    return LG_NONE;
}

// Returns the root of a running thread: its outermost frame, of
// Thread._bootstrap(), has the Thread as `self`. LG_NONE if the thread does not
// run.
static uint32_t
running_as(const lg__detection *detection, uint32_t thread)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    uint32_t root = LG_NONE;
    for (uint64_t i = lg__first_in(reverse, thread);
         i < lg__first_in(reverse, thread + 1) && root == LG_NONE; i++) {
        uint32_t frame = lg__in_source(reverse, i);
        uint64_t edge = lg__in_number(reverse, i);
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_LOCAL &&
            lg__string_is(lg__detection_name(detection, edge), "self"))
            root = outermost_of(detection, frame);
    }
    return root;
}

// Returns what the thread does: the code of its target, or its class. LG_NONE
// if it is the work of a library.
static uint32_t
work_of(const lg__detection *detection, uint32_t thread)
{
    const lg_graph *graph = detection->graph;
    uint32_t target = lg__detection_attribute(detection, thread, "_target");
    uint32_t function =
        target == LG_NONE ? LG_NONE : lg__detection_function(detection, target);
    if (function == LG_NONE) {
        uint32_t type = lg_columns_type(&graph->columns, thread);
        return lg__type_is_well_known(graph, type)
                   ? LG_NONE
                   : graph->columns.node_count + type;
    }
    return lg__node_origin(graph, function, NULL) == LG__ORIGIN_LIBRARY
               ? LG_NONE
               : lg__detection_attribute(detection, function, "__code__");
}

// Cuts the calls of a thread. The C code that started the thread refers to its
// bound method _bootstrap(), and the call of its target to that.
static void
cut_calls(lg__detection *detection, uint32_t thread)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    uint32_t target = lg__detection_attribute(detection, thread, "_target");
    if (target != LG_NONE)
        lg__detection_cut(detection, target);
    for (uint64_t i = lg__first_in(reverse, thread);
         i < lg__first_in(reverse, thread + 1); i++)
        if (lg__type_bits_of(detection, lg__in_source(reverse, i)) &
            LG__TYPE_METHOD)
            lg__detection_cut(detection, lg__in_source(reverse, i));
}

// Notes that the fix also removes the unseen references to the node.
static void
unroot(lg__detection *detection, uint32_t node)
{
    if (!lg__gather_append(&detection->unrooted, node))
        detection->failed = true;
}

// Unroots an object if only stacks refer to it unseen. Before CPython 3.11, the
// stacks of running frames are not seen. Each frame that has the object, except
// the innermost, calls a method of it, so the frame's stack has the object.
static void
unroot_called(lg__detection *detection, uint32_t object)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    int64_t frames = 0;
    for (uint64_t i = lg__first_in(reverse, object);
         i < lg__first_in(reverse, object + 1); i++) {
        uint32_t source = lg__in_source(reverse, i);
        uint64_t edge = lg__in_number(reverse, i);
        frames +=
            lg__edge_kind(detection->graph, edge) == LG_EDGE_LOCAL &&
            lg__node_category(detection->graph, source) == LG_CATEGORY_FRAME;
    }
    if (lg_node_unexplained(detection->graph, object) < frames)
        unroot(detection, object);
}

// Unroots the thread, and the object whose method it runs, where only stacks
// refer to them unseen.
static void
unroot_thread(lg__detection *detection, uint32_t thread)
{
    uint32_t target = lg__detection_attribute(detection, thread, "_target");
    uint32_t of = target == LG_NONE
                      ? LG_NONE
                      : lg__detection_attribute(detection, target, "__self__");
    unroot_called(detection, thread);
    if (of != LG_NONE)
        unroot_called(detection, of);
}

// Notes what the thread calls: its target, and the object of that method.
static void
suppose_called(lg__detection *detection, uint32_t holder, uint32_t thread)
{
    uint32_t target = lg__detection_attribute(detection, thread, "_target");
    uint32_t of = target == LG_NONE
                      ? LG_NONE
                      : lg__detection_attribute(detection, target, "__self__");
    if (target != LG_NONE)
        lg__detection_suppose_along(detection, holder, target);
    if (of != LG_NONE)
        lg__detection_suppose_along(detection, holder, of);
}

// Supposes threads to which only they themselves and the module threading
// refer.
static void
suppose_threads(lg__detection *detection, const lg__one_of_many *members,
                size_t count)
{
    uint32_t holder = members[0].subject;
    for (size_t i = 0; i < count; i++) {
        lg__detection_suppose(detection, holder, members[i].node,
                              members[i].subject);
        lg__detection_cut(detection, members[i].subject);
        suppose_called(detection, holder, members[i].node);
        cut_calls(detection, members[i].node);
        unroot_thread(detection, members[i].node);
    }
    uint32_t module = lg__detection_module(detection, "threading");
    uint32_t active =
        module == LG_NONE
            ? LG_NONE
            : lg__detection_attribute(detection, module, "_active");
    if (active != LG_NONE)
        lg__detection_cut(detection, active);
}

// Supposes threads of pools, if they belong to many executors: code makes one
// for each call.
static void
suppose_pools(lg__detection *detection, const lg__one_of_many *members,
              size_t count)
{
    lg__gathered queues = {0};
    size_t pools = 0;
    for (size_t i = 0; i < count; i++)
        detection->failed |= !lg__gather_append(
            &queues, lg__pool_queue(detection, members[i].node));
    if (!detection->failed)
        qsort(queues.items, count, sizeof *queues.items, lg__ascending32);
    for (size_t i = 0; i < queues.count; i++)
        pools += i == 0 || queues.items[i] != queues.items[i - 1];
    if (pools >= MANY_POOLS)
        suppose_threads(detection, members, count);
    lg__free(queues.items);
}

// Looks for threads of executors that the program does not have any more.
static void
look_for_pools(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_THREAD);
    lg__detected_group group = {0};
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t root = running_as(detection, all->items[i]);
        if (root != LG_NONE && lg__pool_is_gone(detection, all->items[i], root))
            lg__detected_group_add(
                detection, &group,
                (lg__one_of_many){0, 0, root, all->items[i]});
    }
    lg__detected_group_each(detection, &group, MANY_THREADS, suppose_pools);
    lg__free(group.items);
}

static void
look_for_threads(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_THREAD);
    lg__detected_group group = {0};
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t root = running_as(detection, all->items[i]);
        uint32_t work = work_of(detection, all->items[i]);
        if (root != LG_NONE && work != LG_NONE)
            lg__detected_group_add(
                detection, &group,
                (lg__one_of_many){0, work, root, all->items[i]});
    }
    lg__detected_group_each(detection, &group, MANY_THREADS, suppose_threads);
    lg__free(group.items);
    look_for_pools(detection);
}

const lg__detector lg__detect_endless_threads = {
    .pattern = {.name = "endless-threads",
                .cause = "Many threads do the same work, and the program keeps "
                         "no reference to them, so nothing can end them.",
                .fix = "Let each thread return when its work is done: call "
                       "close(), stop() or the like of what started it. Or "
                       "give the work to a ThreadPoolExecutor."},
    .least = LG__ANY,
    .look = look_for_threads,
    .effect = LG__FIX_ALL,
};

static bool
has_value(const lg__detection *detection, uint32_t dict)
{
    const lg_columns *columns = &detection->graph->columns;
    return (lg__type_bits_of(detection, dict) & LG__TYPE_CONTAINER) &&
           lg_columns_first_edge(columns, dict) <
               lg_columns_first_edge(columns, dict + 1);
}

// Appends the dicts of all threads: values of a dict to which the local refers.
static void
gather_values(lg__detection *detection, uint32_t local, lg__gathered *out)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, local);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t all = lg_columns_target(columns, edge);
        unsigned kind = lg__edge_kind(detection->graph, edge);
        // A word of its struct, named if the capture knows it.
        if ((kind != LG_EDGE_FIELD && kind != LG_EDGE_NATIVE) ||
            !(lg__type_bits_of(detection, all) & LG__TYPE_CONTAINER))
            continue;
        const lg_edge_range range = lg_columns_edges(columns, all);
        for (uint64_t each = range.begin; each < range.end; each++)
            if (lg__edge_kind(detection->graph, each) == LG_EDGE_VALUE &&
                has_value(detection, lg_columns_target(columns, each)))
                detection->failed |=
                    !lg__gather_append(out, lg_columns_target(columns, each));
    }
}

static void
look_for_thread_locals(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_LOCAL);
    lg__gathered found = {0};
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        found.count = 0;
        gather_values(detection, all->items[i], &found);
        for (size_t j = 0; j < found.count && found.count >= MANY_LOCALS; j++)
            lg__detection_note(detection, all->items[i], found.items[j]);
    }
    lg__free(found.items);
}

const lg__detector lg__detect_thread_locals = {
    .pattern =
        {.name = "thread-locals",
         .cause = "A threading.local keeps a value for each of many threads "
                  "until the thread ends.",
         .fix =
             "Delete the attribute when a task is done, or run fewer threads."},
    .least = LG__WORTH_A_COPY,
    .look = look_for_thread_locals,
    .effect = LG__FIX_ALL,
};
