#include "capture/walk/heap_walk.h"
#include "capture/walk/ahead.h"
#include "capture/walk/key.h"
#include "capture/walk/names.h"

#include <time.h>

enum {
    FOR_THREAD = 1 << 17, /**< nodes that are worth a thread */
    NAP = 50000,          /**< nanoseconds to wait for the walk */
};

/* How far the follower stays behind, or the two would write to each other's
   cache lines, and how much it does before it gives the lock back. */
enum {
    NODES_BEHIND = 1 << 12,
    NODES_AT_ONCE = 1 << 8,
    EDGES_BEHIND = 1 << 14,
    EDGES_AT_ONCE = 1 << 11,
};

/** A node that gets a text. */
typedef struct texted {
    PyObject *object;
    const lg__type_info *info;
    uint32_t node;
} texted;

/** Finds the nodes that get texts, and prefetches their objects. Returns how
 *  many. The walk may just mark one of them as a key; whoever misses that gives
 *  the text in the end. */
static uint32_t
choose(const lg__heap_walk *walk, uint32_t node, uint32_t end,
       texted out[NODES_AT_ONCE])
{
    const lg_builder *builder = walk->builder;
    uint32_t count = 0;
    for (; node < end; node++) {
        const lg__type_info *info = lg__walk_info(walk, node);
        if (info == NULL ||
            !(info->is_part ||
              (lg_builder_flags(builder, node) & (LG_NODE_KEY | LG_NODE_NAME))))
            continue;
        PyObject *object =
            (PyObject *)(uintptr_t)lg_builder_address(builder, node);
        out[count++] = (texted){object, info, node};
        lg__ahead_object((const char *)object);
        if (info->is_part)
            lg__prefetch((const char *)object + 128);
    }
    return count;
}

static void
give(lg__heap_walk *walk, const texted *to)
{
    lg__name name;
    lg_string text;
    if (to->info->is_part) {
        lg__name_part(walk, to->object, to->info, &name);
        text = (lg_string){name.data, (uint32_t)name.length};
    } else if (!lg__text_of_key(walk, to->object, &text)) {
        return;
    }
    if (text.length > 0 &&
        !lg_additions_set_text(walk->follower.additions, to->node, text.data,
                               text.length))
        walk->follower.failed = true;
}

/** Gives texts to the nodes before `end`. */
static void
follow(lg__heap_walk *walk, uint32_t end)
{
    enum { AHEAD = 8 };
    texted chosen[NODES_AT_ONCE];
    uint32_t count = choose(walk, walk->follower.followed, end, chosen);
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            lg__ahead_name(chosen[i + AHEAD].object, chosen[i + AHEAD].info);
        give(walk, &chosen[i]);
    }
    walk->follower.followed = end;
}

/** A block that the walk fills: how many elements of how many. */
typedef struct filled {
    const void *block;
    size_t used, size, element;
} filled;

/** The newest chunk of the map, but none if the walk has just begun another. */
static filled
chunk_of(const lg__follower *follower)
{
    const lg__address_map_chunk *chunk = follower->map;
    const size_t used = (size_t)(follower->map_rest - (const char *)chunk);
    return used <= chunk->size ? (filled){chunk, used, chunk->size, 1}
                               : (filled){.block = NULL};
}

/** Populates the blocks that the walk fills. Returns whether it was time. */
static bool
populate(lg__heap_walk *walk, const lg_reached *reached)
{
    lg__follower *follower = &walk->follower;
    const lg_builder *builder = walk->builder;
    const size_t nodes = reached->nodes, most = builder->node_capacity;
    const size_t edges = reached->edges, most_edges = builder->edge_room;
    const filled blocks[LG__FILLED] = {
        {builder->address_low, nodes, most, sizeof *builder->address_low},
        {builder->address_high, nodes, most, sizeof *builder->address_high},
        {builder->type, nodes, most, sizeof *builder->type},
        {builder->wide_type, nodes, most, sizeof *builder->wide_type},
        {builder->size, nodes, most, sizeof *builder->size},
        {builder->refcount, nodes, most, sizeof *builder->refcount},
        {builder->node_flags, nodes, most, sizeof *builder->node_flags},
        {builder->first_above, nodes + nodes / LG_FIRST_EDGES_BLOCK,
         most + most / LG_FIRST_EDGES_BLOCK, sizeof *builder->first_above},
        {builder->edge_word, edges, most_edges, sizeof *builder->edge_word},
        {builder->edge_kind, edges, most_edges, sizeof *builder->edge_kind},
        [LG__FILLED_MAP] = chunk_of(follower),
    };
    bool any = false;
    for (size_t i = 0; i < LG__FILLED; i++)
        any |= lg__populate(&follower->filled[i], blocks[i].block,
                            blocks[i].used * blocks[i].element,
                            blocks[i].size * blocks[i].element,
                            i != LG__FILLED_MAP);
    return any;
}

/** How many of `left` to do at once, so that some stay behind the walk. */
static inline uint64_t
part_of(uint64_t left, uint64_t behind, uint64_t most)
{
    if (left <= behind)
        return 0;
    return left - behind < most ? left - behind : most;
}

/** Does a little of everything, as far as the walk is ahead. Returns whether
 *  there was anything to do. Reads the numbers in the opposite order to tell(),
 *  so that the targets and names of the edges that it counts are among the
 *  nodes and strings. */
static bool
take_turn(lg__heap_walk *walk)
{
    lg__follower *follower = &walk->follower;
    const bool ends = follower->ends;
    lg_reached reached;
    reached.edges = follower->edges; /* the last that the walk has set */
    reached.nodes = follower->nodes;
    reached.strings = follower->strings;
    const uint64_t nodes = part_of(follower->walked - follower->followed,
                                   ends ? 0 : NODES_BEHIND, NODES_AT_ONCE);
    const uint64_t edges =
        part_of(reached.edges - lg_additions_counted_edges(follower->additions),
                ends ? 0 : EDGES_BEHIND, EDGES_AT_ONCE);
    pthread_mutex_lock(&follower->lock);
    follow(walk, follower->followed + (uint32_t)nodes);
    bool coded = lg_builder_code_labels(walk->builder);
    bool packed = lg_builder_pack_some(walk->builder, follower->followed);
    bool counted =
        edges > 0 && lg_additions_count_edges(follower->additions,
                                              walk->builder, &reached, edges);
    bool populated = !ends && populate(walk, &reached);
    pthread_mutex_unlock(&follower->lock);
    return nodes > 0 || coded || packed || counted || populated;
}

static void
run(void *context)
{
    lg__heap_walk *walk = context;
    lg__follower *follower = &walk->follower;
    const struct timespec nap = {.tv_nsec = NAP};
    while (!follower->failed) {
        const bool ends = follower->ends;
        if (!follower->wanted && take_turn(walk))
            continue;
        if (ends)
            return;
        nanosleep(&nap, NULL);
    }
}

static void
hold(void *follower, bool begin)
{
    lg__follower_hold(follower, begin);
}

bool
lg__follower_open(lg__heap_walk *walk)
{
    lg__follower *follower = &walk->follower;
    if (walk->partial || LG__FREE_THREADED || walk->expected < FOR_THREAD)
        return false;
    follower->additions = lg_builder_additions(walk->builder);
    return follower->additions != NULL;
}

static void
tell(lg__heap_walk *walk, uint32_t walked)
{
    lg__follower *follower = &walk->follower;
    const lg_reached reached = lg_builder_reached(walk->builder);
    follower->map = walk->address_map.chunks;
    follower->map_rest = walk->address_map.free;
    follower->strings = reached.strings;
    follower->nodes = reached.nodes;
    follower->edges = reached.edges;
    follower->walked = walked;
}

/* Tells first: the follower relies on a chunk of the map, where the types
   lie. */
void
lg__follower_start(lg__heap_walk *walk)
{
    lg__follower *follower = &walk->follower;
    pthread_mutex_init(&follower->lock, NULL);
    tell(walk, walk->walked);
    follower->thread = lg_helper_start(run, walk);
    if (follower->thread != NULL)
        lg_builder_share(walk->builder, hold, follower);
}

void
lg__follower_tell(lg__heap_walk *walk, uint32_t walked)
{
    if (walk->follower.thread != NULL)
        tell(walk, walked);
}

void
lg__follower_end(lg__heap_walk *walk)
{
    lg__follower *follower = &walk->follower;
    if (follower->thread == NULL)
        return;
    tell(walk, walk->walked);
    follower->ends = true;
    lg_helper_end(follower->thread);
    follower->thread = NULL;
    lg_builder_share(walk->builder, NULL, NULL);
    if (follower->failed && walk->builder->status == LG_OK)
        walk->builder->status = LG_ENOMEM;
}
