// What PyTorch's own objects keep: optimizers, loaders, caches.
#include "findings/context.h"

#include <stdlib.h>

// -------------------------------------------------------------- optimizers ---

static const lg__search parameters_in_groups = {
    .depth = 4,
    .wanted = LG__CAST_TENSOR,
    .through = LG__CAST_CONTAINER,
};

static void
note_parameters(lg__scene *scene, uint32_t optimizer, const char *name,
                unsigned depth)
{
    lg__gathered found = {0};
    lg__search search = parameters_in_groups;
    search.depth = depth;
    uint32_t start = lg__scene_attribute(scene, optimizer, name);
    if (start != LG_NONE)
        lg__scene_search(scene, start, &search, &found);
    for (size_t i = 0; i < found.count; i++)
        if (lg__scene_owns(scene, optimizer, found.items[i]))
            lg__scene_note(scene, optimizer, found.items[i]);
    free(found.items);
}

// The keys of `state` are parameters; its values are about them.
void
lg__look_for_stale_optimizers(lg__scene *scene)
{
    const lg__gathered *all = lg__scene_all(scene, LG__CAST_OPTIMIZER);
    for (size_t i = 0; i < all->count && !scene->failed; i++) {
        note_parameters(scene, all->items[i], "param_groups", 4);
        note_parameters(scene, all->items[i], "state", 1);
    }
}

// ----------------------------------------------------------------- loaders ---

static const lg__search data_in_batches = {
    .depth = 5,
    .wanted = LG__CAST_TENSOR | LG__CAST_ARRAY,
    .through = LG__CAST_CONTAINER,
    .instances = true,
};

static void
note_batches(lg__scene *scene, uint32_t loader, uint32_t start)
{
    lg__gathered found = {0};
    if (start != LG_NONE)
        lg__scene_search(scene, start, &data_in_batches, &found);
    for (size_t i = 0; i < found.count; i++)
        lg__scene_note(scene, loader, found.items[i]);
    free(found.items);
}

// Batches that came before their turn, and those that wait in pinned memory.
void
lg__look_for_prefetched_batches(lg__scene *scene)
{
    const lg__gathered *all = lg__scene_all(scene, LG__CAST_LOADER);
    for (size_t i = 0; i < all->count && !scene->failed; i++) {
        uint32_t loader = all->items[i];
        note_batches(scene, loader,
                     lg__scene_attribute(scene, loader, "_task_info"));
        uint32_t queue = lg__scene_attribute(scene, loader, "_data_queue");
        if (queue != LG_NONE)
            note_batches(scene, loader,
                         lg__scene_attribute(scene, queue, "queue"));
    }
}

// ---------------------------------------------------------------- compiled ---

static const lg__search data_in_compiled = {
    .depth = 6,
    .wanted = LG__CAST_TENSOR | LG__CAST_ARRAY,
    .through = LG__CAST_CONTAINER | LG__CAST_CALLABLE | LG__CAST_MODULE,
    .instances = true,
    .parameters = true,
};

// The globals that torch.compile adds to a module, one for each compilation,
// until the code object's cache gives it up.
static void
find_compiled(const lg__scene *scene, uint32_t module, lg__gathered *out,
              bool *enough)
{
    const lg_columns *columns = &scene->graph->columns;
    uint64_t end = columns->first_edge[module + 1];
    for (uint64_t edge = columns->first_edge[module]; edge < end; edge++) {
        uint32_t names = columns->edge_target[edge];
        if (lg__edge_kind(scene->graph, edge) != LG_EDGE_DICT)
            continue;
        for (uint64_t at = columns->first_edge[names];
             at < columns->first_edge[names + 1]; at++)
            if (lg__name_begins(lg__scene_name(scene, at), "__compiled_fn_") &&
                !lg__gather_append(out, columns->edge_target[at]))
                *enough = false;
    }
}

static void
note_compiled(lg__scene *scene, const lg__gathered *compiled)
{
    for (size_t i = 0; i < compiled->count; i++) {
        lg__gathered found = {0};
        lg__scene_search(scene, compiled->items[i], &data_in_compiled, &found);
        for (size_t j = 0; j < found.count; j++)
            if (lg__scene_owns(scene, compiled->items[i], found.items[j]))
                lg__scene_note(scene, compiled->items[0], found.items[j]);
        free(found.items);
    }
}

void
lg__look_for_compiled(lg__scene *scene)
{
    for (uint32_t i = 0; i < scene->graph->root_count; i++) {
        lg__gathered compiled = {0};
        bool enough = true;
        if (scene->graph->root_kind[i] == LG_ROOT_MODULE)
            find_compiled(scene, scene->graph->root_node[i], &compiled,
                          &enough);
        scene->failed |= !enough;
        if (compiled.count > 1)
            note_compiled(scene, &compiled);
        free(compiled.items);
    }
}

// ---------------------------------------------------------------- autocast ---

// Autocast's copies of weights are in a map of C++: only the allocator's record
// of where its blocks were asked for tells of them.
void
lg__look_for_autocast(lg__scene *scene)
{
    lg_accounts accounts = {0};
    lg_error error;
    size_t blocks;
    lg_graph_blocks(scene->graph, &blocks);
    if (blocks == 0)
        return;
    lg_status status = lg_graph_accounts(scene->graph, NULL, &accounts, &error);
    scene->failed |= status == LG_ENOMEM;
    if (status != LG_OK)
        return; // blocks that cannot be, from a file
    for (size_t i = 0; i < accounts.count; i++) {
        const lg_account *at = &accounts.items[i];
        if (at->evidence_blocks[LG_EVIDENCE_AUTOCAST] > 0)
            lg__scene_note_unseen(scene,
                                  at->evidence_blocks[LG_EVIDENCE_AUTOCAST],
                                  at->by_evidence[LG_EVIDENCE_AUTOCAST]);
    }
    lg_accounts_free(&accounts);
}
