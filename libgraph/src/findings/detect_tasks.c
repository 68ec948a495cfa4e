// Detects asyncio tasks that a container keeps: nobody awaits them, or they are
// done.
#include "findings/context.h"

#include <stdlib.h>

enum {
    MANY_TASKS = 16, // tasks in one container
    // A program gathers tasks if it awaits at least one for so many that are
    // done. It needs their results.
    GATHERED = 4,
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
    uint64_t end = graph->columns.first_edge[task + 1];
    for (uint64_t edge = graph->columns.first_edge[task]; edge < end; edge++)
        if (!(graph->columns.edge_kind[edge] & LG_EDGE_WEAK) &&
            lg__edge_kind(graph, edge) != LG_EDGE_TYPE &&
            lg__node_category(graph, graph->columns.edge_target[edge]) ==
                LG_CATEGORY_FUNCTION)
            return false;
    return true;
}

// Adds a task of a container. A task that a timer or a file will wake has
// another owner.
static void
add_task(lg__detection *detection, lg__detected_group *group, uint32_t task)
{
    uint32_t container = lg__detection_container(detection, task, true);
    if (container != LG_NONE)
        lg__detected_group_add(
            detection, group,
            (lg__one_of_many){container, detection->graph->columns.type[task],
                              task, task});
}

void
lg__look_for_tasks(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_TASK);
    lg__detected_group group = {0};
    for (size_t i = 0; i < all->count && !detection->failed; i++)
        if (!is_done(detection, all->items[i]) &&
            is_unawaited(detection, all->items[i]))
            add_task(detection, &group, all->items[i]);
    lg__detected_group_each(detection, &group, MANY_TASKS,
                            lg__detected_group_note);
    lg__free(group.items);
}

// Counts, for each container, the tasks that are done and those that somebody
// awaits.
static void
count_tasks(const lg__detection *detection, const lg__gathered *all,
            uint32_t *done, uint32_t *awaited)
{
    for (size_t i = 0; i < all->count; i++) {
        uint32_t container =
            lg__detection_container(detection, all->items[i], true);
        if (container == LG_NONE)
            continue;
        if (is_done(detection, all->items[i]))
            done[container]++;
        else if (!is_unawaited(detection, all->items[i]))
            awaited[container]++;
    }
}

void
lg__look_for_done_tasks(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_TASK);
    size_t nodes = (size_t)detection->graph->columns.node_count + 1;
    uint32_t *done = NULL, *awaited = NULL;
    lg__detected_group group = {0};
    if (all->count < MANY_TASKS)
        return;
    done = lg__calloc(nodes, sizeof *done);
    awaited = lg__calloc(nodes, sizeof *awaited);
    detection->failed |= done == NULL || awaited == NULL;
    if (!detection->failed)
        count_tasks(detection, all, done, awaited);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t container =
            lg__detection_container(detection, all->items[i], true);
        if (container != LG_NONE && is_done(detection, all->items[i]) &&
            awaited[container] * (uint64_t)GATHERED < done[container])
            add_task(detection, &group, all->items[i]);
    }
    lg__detected_group_each(detection, &group, MANY_TASKS,
                            lg__detected_group_note);
    lg__free(group.items);
    lg__free(done);
    lg__free(awaited);
}
