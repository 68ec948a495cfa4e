// Detects what PyTorch's own objects keep: loaders, caches.
#include "findings/detectors.h"

#include <leakgraph/internal/bytes.h>

#include <stdlib.h>

static const lg__search data_in_batches = {
    .depth = 5,
    .wanted = LG__TYPE_TENSOR | LG__TYPE_ARRAY,
    .through = LG__TYPE_CONTAINER,
    .instances = true,
};

static void
note_batches(lg__detection *detection, uint32_t loader, uint32_t start)
{
    lg__gathered found = {0};
    if (start != LG_NONE)
        lg__detection_search(detection, start, &data_in_batches, &found);
    for (size_t i = 0; i < found.count; i++)
        lg__detection_note(detection, loader, found.items[i]);
    if (found.count > 0)
        lg__detection_note_along(detection, loader, loader);
    lg__free(found.items);
}

// Looks for batches that arrived early, and for those that wait in pinned
// memory.
static void
look_for_prefetched_batches(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_LOADER);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t loader = all->items[i];
        note_batches(detection, loader,
                     lg__detection_attribute(detection, loader, "_task_info"));
        uint32_t queue =
            lg__detection_attribute(detection, loader, "_data_queue");
        if (queue != LG_NONE)
            note_batches(detection, loader,
                         lg__detection_attribute(detection, queue, "queue"));
    }
}

const lg__detector lg__detect_prefetched_batches = {
    .pattern = {.name = "prefetched-batches",
                .cause = "A DataLoader's iterator keeps batches that it "
                         "fetched ahead and nothing has used yet.",
                .fix = "Delete the iterator, or lower prefetch_factor."},
    .least = LG__MUCH,
    .look = look_for_prefetched_batches,
    .effect = LG__FIX_DROPS,
};

static const lg__search data_in_compiled = {
    .depth = 6,
    .wanted = LG__TYPE_TENSOR | LG__TYPE_ARRAY,
    .through = LG__TYPE_CONTAINER | LG__TYPE_CALLABLE | LG__TYPE_MODULE,
    .instances = true,
    .parameters = true,
};

// Finds the globals that torch.compile adds to a module, one for each
// compilation. It removes them when the cache of the code object drops the
// compilation.
static void
find_compiled(const lg__detection *detection, uint32_t module,
              lg__gathered *out, bool *enough)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, module);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t names = lg_columns_target(columns, edge);
        if (lg__edge_kind(detection->graph, edge) != LG_EDGE_DICT)
            continue;
        const lg_edge_range range = lg_columns_edges(columns, names);
        for (uint64_t at = range.begin; at < range.end; at++)
            if (lg__string_begins(lg__detection_name(detection, at),
                                  LG__COMPILED) &&
                !lg__gather_append(out, lg_columns_target(columns, at)))
                *enough = false;
    }
}

// A program compiles some functions, each for a few kinds of arguments. With so
// many functions in one module, it compiles them again and again, and what
// these keep counts even if it is no data.
enum { MANY_COMPILED = 32 };

static void
note_compiled(lg__detection *detection, const lg__gathered *compiled)
{
    bool many = compiled->count >= MANY_COMPILED;
    for (size_t i = 0; i < compiled->count; i++) {
        lg__gathered found = {0};
        lg__detection_search(detection, compiled->items[i], &data_in_compiled,
                             &found);
        for (size_t j = 0; j < found.count; j++)
            lg__detection_suppose(detection, compiled->items[0], found.items[j],
                                  LG_NONE);
        if (found.count > 0)
            lg__detection_note_along(detection, compiled->items[0],
                                     compiled->items[i]);
        else if (many)
            lg__detection_note(detection, compiled->items[0],
                               compiled->items[i]);
        lg__detection_cut(detection, compiled->items[i]);
        lg__free(found.items);
    }
}

static void
look_for_compiled(lg__detection *detection)
{
    for (uint32_t i = 0; i < detection->graph->root_count; i++) {
        lg__gathered compiled = {0};
        bool enough = true;
        if (detection->graph->root_kind[i] == LG_ROOT_MODULE)
            find_compiled(detection, detection->graph->root_node[i], &compiled,
                          &enough);
        detection->failed |= !enough;
        if (compiled.count > 1)
            note_compiled(detection, &compiled);
        lg__free(compiled.items);
    }
}

const lg__detector lg__detect_compiled_code = {
    .pattern = {.name = "compiled-code",
                .cause =
                    "torch.compile keeps each compilation of a function on its "
                    "code object, together with the backend's data for it.",
                .fix = "Call torch._dynamo.reset(), or compile less often with "
                       "dynamic=True or mark_dynamic()."},
    .least = LG__MUCH,
    .look = look_for_compiled,
    .effect = LG__FIX_ALL,
};

// Looks for the copies of weights that autocast makes. A map in C++ holds them,
// so only the frames that the allocator recorded for its blocks show them.
static void
look_for_autocast(lg__detection *detection)
{
    lg_accounts accounts = {0};
    lg_error error;
    size_t blocks;
    lg_graph_blocks(detection->graph, &blocks);
    if (blocks == 0)
        return;
    lg_status status =
        lg_graph_accounts(detection->graph, NULL, &accounts, &error);
    detection->failed |= status == LG_ENOMEM;
    if (status != LG_OK)
        return; // the file has impossible blocks
    for (size_t i = 0; i < accounts.count; i++) {
        const lg_account *at = &accounts.items[i];
        if (at->evidence_blocks[LG_EVIDENCE_AUTOCAST] > 0)
            lg__detection_note_unseen(detection, at->device,
                                      at->evidence_blocks[LG_EVIDENCE_AUTOCAST],
                                      at->by_evidence[LG_EVIDENCE_AUTOCAST]);
    }
    lg_accounts_free(&accounts);
}

const lg__detector lg__detect_autocast_cache = {
    .pattern = {.name = "autocast-cache",
                .cause = "Autocast keeps its casts of weights until the "
                         "outermost autocast block ends.",
                .fix = "Leave the block, call torch.clear_autocast_cache(), or "
                       "set cache_enabled=False."},
    .least = LG__ANY,
    .look = look_for_autocast,
    .effect = LG__FIX_ALL,
};
