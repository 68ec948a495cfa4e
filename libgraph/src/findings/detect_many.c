// Detects many things of a kind in one container: log handlers, log records,
// generators, and asyncio tasks that nobody awaits or that are done. Futures of
// executors may be done, too.
#include "findings/detectors.h"

#include <stdlib.h>

enum {
    MANY_THINGS = 16,      // things of one kind in one container
    MANY_LOG_HANDLERS = 8, // handlers of one logger; each writes every message
                           // again
    MANY_TASKS = 16,       // tasks in one container
    // A program gathers tasks if it awaits at least one for so many that are
    // done. It needs their results.
    GATHERED = 4,
};

// Adds the node, by its type, to each container that has it.
static void
add_shared(lg__detection *detection, lg__detected_group *group, uint32_t node,
           bool instances)
{
    uint32_t containers[LG__SHARING];
    size_t count =
        lg__detection_containers(detection, node, instances, containers);
    for (size_t i = 0; i < count; i++)
        lg__detected_group_add(
            detection, group,
            (lg__one_of_many){containers[i],
                              lg_columns_type(&detection->graph->columns, node),
                              node, node});
}

typedef bool choice(const lg__detection *detection, uint32_t node);

static void
look_for_many(lg__detection *detection, unsigned type_bits, size_t many,
              bool instances, choice *is_chosen)
{
    const lg__gathered *all = lg__detection_all(detection, type_bits);
    lg__detected_group group = {0};
    for (size_t i = 0; i < all->count && !detection->failed; i++)
        if (is_chosen == NULL || is_chosen(detection, all->items[i]))
            add_shared(detection, &group, all->items[i], instances);
    lg__detected_group_each(detection, &group, many, lg__detected_group_note);
    lg__free(group.items);
}

static void
look_for_log_handlers(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_LOG_HANDLER, MANY_LOG_HANDLERS, false,
                  NULL);
}

const lg__detector lg__detect_log_handlers = {
    .pattern = {.name = "log-handlers",
                .cause = "A logger has many handlers of one class, because "
                         "code adds another one each time it runs. Each "
                         "handler writes every message.",
                .fix = "Call addHandler() once, when the program starts, or "
                       "removeHandler() and handler.close() afterwards."},
    .least = LG__ANY,
    .look = look_for_log_handlers,
    .effect = LG__FIX_ALL,
};

static void
look_for_log_records(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_LOG_RECORD, MANY_THINGS, true, NULL);
}

const lg__detector lg__detect_log_records = {
    .pattern =
        {.name = "log-records",
         .cause = "A container keeps log records, with the arguments and "
                  "exceptions in them.",
         .fix = "Call flush() or clear() on the container, lower the capacity "
                "of a MemoryHandler, or keep handler.format(record)."},
    .least = LG__MUCH,
    .look = look_for_log_records,
    .effect = LG__FIX_DROPS,
};

static void
look_for_generators(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_SUSPENDED, MANY_THINGS, false, NULL);
}

const lg__detector lg__detect_unfinished_generators = {
    .pattern =
        {.name = "unfinished-generators",
         .cause = "A container keeps generators or coroutines that have not "
                  "finished, with their local variables.",
         .fix =
             "Call close() on each, or drop it, when you no longer need it."},
    .least = LG__MUCH,
    .look = look_for_generators,
    .effect = LG__FIX_ALL,
};

// Returns whether the task has ended: with a result, with an exception, or
// because it was cancelled, so that its coroutine has no variables any more.
static bool
is_done(const lg__detection *detection, uint32_t task)
{
    uint32_t coroutine = lg__detection_attribute(detection, task, "_coro");
    return lg__detection_attribute(detection, task, "_result") != LG_NONE ||
           lg__detection_attribute(detection, task, "_exception") != LG_NONE ||
           (coroutine != LG_NONE &&
            lg__node_role(detection->graph, coroutine) == LG__ROLE_SUSPENDED &&
            lg__detection_attribute(detection, coroutine, "gi_code") !=
                LG_NONE &&
            lg__detection_attribute(detection, coroutine, "f_code") ==
                LG_NONE &&
            lg__detection_attribute(detection, coroutine, "gi_frame") ==
                LG_NONE);
}

// Returns whether nobody awaits a task: it has no callback.
static bool
is_unawaited(const lg__detection *detection, uint32_t task)
{
    const lg_graph *graph = detection->graph;
    const lg_edge_range edges = lg_columns_edges(&graph->columns, task);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (!(lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK) &&
            lg__edge_kind(graph, edge) != LG_EDGE_TYPE &&
            lg__node_category(graph,
                              lg_columns_target(&graph->columns, edge)) ==
                LG_CATEGORY_FUNCTION)
            return false;
    return true;
}

static bool
is_left_alone(const lg__detection *detection, uint32_t task)
{
    return !is_done(detection, task) && is_unawaited(detection, task);
}

static void
look_for_tasks(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_TASK, MANY_TASKS, true, is_left_alone);
}

const lg__detector lg__detect_unawaited_tasks = {
    .pattern = {.name = "unawaited-tasks",
                .cause = "A container keeps asyncio tasks that wait, and that "
                         "nobody awaits, with their frames.",
                .fix = "Await the tasks, use asyncio.TaskGroup, or call "
                       "task.add_done_callback(tasks.discard)."},
    .least = LG__MUCH,
    .look = look_for_tasks,
    .effect = LG__FIX_ALL,
};

// The number of tasks in each container.
typedef struct task_counts {
    uint32_t *done;    // [node]
    uint32_t *awaited; // [node] those that somebody awaits
    uint32_t finished; // the state of each future that is done, or LG_NONE
} task_counts;

static bool
is_job(const lg__detection *detection, uint32_t node)
{
    return (lg__type_bits_of(detection, node) & LG__TYPE_JOB) != 0;
}

// Returns whether a task, or a future of an executor, is done.
static bool
is_over(const lg__detection *detection, uint32_t node,
        const task_counts *counts)
{
    if (!is_job(detection, node))
        return is_done(detection, node);
    return counts->finished != LG_NONE &&
           lg__detection_attribute(detection, node, "_state") ==
               counts->finished;
}

static bool
count_awaited(void *context, const lg_hop *hop)
{
    task_counts *counts = context;
    if (!hop->weak)
        counts->awaited[hop->source]++;
    return true;
}

// Counts a task that somebody awaits in all that refers to it: what awaits it
// does, too.
static void
count_in_sources(const lg__detection *detection, uint32_t task,
                 task_counts *counts)
{
    uint32_t owner = lg__detection_container(detection, task, true);
    lg__hop_walk walk = detection->walk;
    walk.visit = count_awaited;
    walk.context = counts;
    if (owner != LG_NONE)
        counts->awaited[owner]++;
    else
        lg__hops_in_walk(&walk, task);
}

static void
count_tasks(const lg__detection *detection, const lg__gathered *all,
            task_counts *counts)
{
    uint32_t containers[LG__SHARING];
    for (size_t i = 0; i < all->count; i++) {
        uint32_t task = all->items[i];
        bool done = is_over(detection, task, counts);
        size_t count =
            done ? lg__detection_containers(detection, task, true, containers)
                 : 0;
        for (size_t j = 0; j < count; j++)
            counts->done[containers[j]]++;
        if (!done &&
            (is_job(detection, task) || !is_unawaited(detection, task)))
            count_in_sources(detection, task, counts);
    }
}

// Returns whether the program awaits few of the tasks that a container has
// beside this one.
static bool
is_left(const lg__detection *detection, uint32_t task,
        const task_counts *counts)
{
    uint32_t containers[LG__SHARING];
    size_t count = lg__detection_containers(detection, task, true, containers);
    bool left = count > 0;
    for (size_t i = 0; i < count; i++)
        left = left && counts->awaited[containers[i]] * (uint64_t)GATHERED <
                           counts->done[containers[i]];
    return left;
}

static bool
gather_tasks(const lg__detection *detection, lg__gathered *out)
{
    return lg__gather_all(out, lg__detection_all(detection, LG__TYPE_TASK)) &&
           lg__gather_all(out, lg__detection_all(detection, LG__TYPE_JOB));
}

// Begins without a task in any container. Returns false when memory ran out.
static bool
begin_counts(const lg__detection *detection, task_counts *out)
{
    size_t nodes = (size_t)detection->graph->columns.node_count + 1;
    uint32_t module =
        lg__detection_module(detection, "concurrent.futures._base");
    out->done = lg__calloc(nodes, sizeof *out->done);
    out->awaited = lg__calloc(nodes, sizeof *out->awaited);
    out->finished =
        module == LG_NONE
            ? LG_NONE
            : lg__detection_attribute(detection, module, "FINISHED");
    return out->done != NULL && out->awaited != NULL;
}

static void
look_for_done_tasks(lg__detection *detection)
{
    task_counts counts = {0};
    lg__gathered all = {0};
    lg__detected_group group = {0};
    detection->failed |= !gather_tasks(detection, &all);
    if (!detection->failed && all.count >= MANY_TASKS) {
        detection->failed |= !begin_counts(detection, &counts);
        if (!detection->failed)
            count_tasks(detection, &all, &counts);
        for (size_t i = 0; i < all.count && !detection->failed; i++)
            if (is_over(detection, all.items[i], &counts) &&
                is_left(detection, all.items[i], &counts))
                add_shared(detection, &group, all.items[i], true);
        lg__detected_group_each(detection, &group, MANY_TASKS,
                                lg__detected_group_note);
    }
    lg__free(all.items);
    lg__free(group.items);
    lg__free(counts.done);
    lg__free(counts.awaited);
}

const lg__detector lg__detect_done_tasks = {
    .pattern = {.name = "done-tasks",
                .cause =
                    "A container keeps asyncio tasks, or futures of executors, "
                    "that are done, with their results or exceptions.",
                .fix = "Drop each task when it is done, as "
                       "task.add_done_callback(tasks.discard) does, or keep "
                       "only task.result()."},
    .least = LG__MUCH,
    .look = look_for_done_tasks,
    .effect = LG__FIX_DROPS,
};
