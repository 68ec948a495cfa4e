// Finds what is below a row of the biggest: the parts that have a good share of
// all bytes, place by place.
//
// A piece is an object, or many small objects of one place. What a piece
// dominates falls into pieces again. An object that passes most of its bytes on
// to one piece is replaced by what it falls into, so that a part is where bytes
// gather, as a row is. Pieces of one row are disjoint at each depth.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

// A part has at least this share of the total, and lies at most so deep.
enum { PART_PERCENT = 1, DEEPEST = 2 };
// A row or part has no more parts: those that follow say little.
enum { MOST_BELOW = 8 };
// A piece passes its bytes on if one piece below has this share of them. Of
// many objects, that piece is the same thing again: the storages of tensors.
enum { PIECE_PASSES_PERCENT = 80 };
// So many objects in a row pass their bytes on to the next: a chain may be as
// long as the heap.
enum { MOST_STEPS = 16 };
// Each of many small objects of one place has less than this share of their
// bytes: four of one size have a part each, five share one.
enum { SMALL_PIECE_PERCENT = 25 };

// Titles of more objects than these count as varied, because comparing millions
// takes long.
enum { MOST_COMPARED = 1 << 17 };

typedef struct piece {
    uint32_t *nodes; // the biggest is the first; owned
    uint32_t count;
    uint32_t steps; // objects that it replaces, one after the other
    uint64_t bytes;
    lg_text held_by; // owned
    size_t lead;     // as in lg_top_part
} piece;

typedef struct pieces {
    piece items[MOST_BELOW];
    size_t count;
} pieces;

typedef struct parts_search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__finder *finder;
    uint32_t device;
    uint64_t least;
    lg__hop_walk walk;
    lg__gathered below;       // scratch
    lg__top_places where;     // the places of what is in `below`
    lg__top_candidates found; // scratch
    size_t capacity;
    lg_top_row *row;
} parts_search;

static void
piece_free(piece *one)
{
    lg__free(one->nodes);
    lg_text_free(&one->held_by);
    *one = (piece){0};
}

static void
pieces_free(pieces *all)
{
    for (size_t i = 0; i < all->count; i++)
        piece_free(&all->items[i]);
    all->count = 0;
}

// Keeps a piece among the biggest, in order, and takes it over.
static void
offer(pieces *to, piece one)
{
    size_t at = to->count;
    while (at > 0 && to->items[at - 1].bytes < one.bytes)
        at--;
    if (at == MOST_BELOW) {
        piece_free(&one);
        return;
    }
    if (to->count == MOST_BELOW)
        piece_free(&to->items[--to->count]);
    memmove(&to->items[at + 1], &to->items[at],
            (to->count - at) * sizeof to->items[0]);
    to->items[at] = one;
    to->count++;
}

static bool
find_below(parts_search *search, uint32_t node)
{
    search->below.count = 0;
    if (!lg__gather_dominated(search->analysis, search->walk.fold, node, 1,
                              &search->below) ||
        !lg__top_places_find(&search->where, &search->walk, node, 0,
                             &search->below))
        return false;
    bool enough = true;
    for (size_t i = 0; enough && i < search->below.count; i++)
        enough = lg__top_candidates_add(&search->found, search->where.items[i],
                                        search->below.items[i]);
    return enough;
}

// Returns the index of the first hop of a path that lies below a node.
static size_t
hop_behind(const lg_path *path, uint32_t node)
{
    size_t at = path->count;
    while (at > 0 && path->hops[at - 1].target != node)
        at--;
    return at;
}

// Writes what leads from a node to one that it dominates: the end of its path,
// which passes that node. No path leads to what only an immortal object holds
// that nothing refers to: then the reference between them, if there is one.
static lg_status
say_way(parts_search *search, uint32_t owner, const piece *to, lg_text *out,
        lg_error *err)
{
    lg_path path = {0};
    const uint32_t node = to->nodes[0];
    lg_status status =
        lg__finder_path(search->finder, node, search->monitor, &path, err);
    if (status == LG_ENOTFOUND) {
        const lg_hop hop = lg__hop_between(&search->walk, owner, node);
        if (hop.edge_count > 0)
            lg__format_label(search->graph, &hop, out);
        return LG_OK;
    }
    if (status != LG_OK)
        return status;
    lg__format_path_end(search->graph, &path, hop_behind(&path, owner),
                        to->count > 1, out);
    lg_path_free(&path);
    return LG_OK;
}

// Writes how a piece is held: what leads to it from the object that dominates
// its first node, behind how that one is held.
static lg_status
say_held_by(parts_search *search, const piece *above, piece *one, lg_error *err)
{
    const uint32_t owner = lg__seen_node(
        search->walk.fold, lg_node_dominator(search->analysis, one->nodes[0]));
    lg_text_add_bytes(&one->held_by, above->held_by.data,
                      above->held_by.length);
    one->lead = above->steps > 0 ? above->lead : above->held_by.length;
    lg_status status = say_way(search, owner, one, &one->held_by, err);
    return status == LG_OK && one->held_by.failed ? lg__error_memory(err)
                                                  : status;
}

static lg_status
add_piece(parts_search *search, const piece *above,
          const lg__top_candidate *run, size_t count, uint64_t bytes,
          pieces *out, lg_error *err)
{
    piece one = {.count = (uint32_t)count, .bytes = bytes};
    if (bytes < search->least)
        return LG_OK;
    one.nodes = lg__alloc(count * sizeof *one.nodes);
    if (one.nodes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        one.nodes[i] = run[i].node;
    lg_status status = say_held_by(search, above, &one, err);
    if (status == LG_OK)
        offer(out, one);
    else
        piece_free(&one);
    return status;
}

// Adds the candidates of one place. The big ones among them are pieces of their
// own.
static lg_status
add_run(parts_search *search, const piece *above, lg__top_candidate *run,
        size_t count, pieces *out, lg_error *err)
{
    lg_status status = LG_OK;
    uint64_t bytes =
        lg__top_candidates_weigh(search->analysis, search->device, run, count);
    while (count > 0 && status == LG_OK && bytes >= search->least) {
        uint64_t first = lg__top_candidates_lead(search->analysis,
                                                 search->device, run, count);
        bool small = first < bytes / 100 * SMALL_PIECE_PERCENT;
        size_t taken = small ? count : 1;
        uint64_t of_them = small ? bytes : first;
        status = add_piece(search, above, run, taken, of_them, out, err);
        run += taken;
        count -= taken;
        bytes -= of_them;
    }
    return status;
}

// Finds the biggest pieces into which a piece falls.
static lg_status
split(parts_search *search, const piece *above, pieces *out, lg_error *err)
{
    lg_status status = LG_OK;
    lg__top_candidates_clear(&search->found);
    for (uint32_t i = 0; i < above->count; i++)
        if (!find_below(search, above->nodes[i]))
            return lg__error_memory(err);
    const size_t count = search->found.item.count;
    lg__top_candidate *all = lg__top_candidates_group(&search->found);
    for (size_t at = 0, end; at < count && status == LG_OK; at = end) {
        for (end = at + 1; end < count && all[end].place == all[at].place;)
            end++;
        status = add_run(search, above, all + at, end - at, out, err);
    }
    return status;
}

static bool
passes_on(const piece *one, const pieces *below)
{
    return below->count > 0 &&
           below->items[0].bytes / PIECE_PASSES_PERCENT >= one->bytes / 100;
}

// Returns whether the biggest piece below is the same again: the storages of
// many tensors, or the next link of a list.
static bool
repeats(const parts_search *search, const piece *one, const pieces *below)
{
    const lg_columns *columns = &search->graph->columns;
    return passes_on(one, below) &&
           (one->count > 1 ||
            lg_columns_type(columns, one->nodes[0]) ==
                lg_columns_type(columns, below->items[0].nodes[0]));
}

static void
drop_first(pieces *all)
{
    piece_free(&all->items[0]);
    all->count--;
    memmove(&all->items[0], &all->items[1], all->count * sizeof all->items[0]);
}

// Splits a piece, and replaces each object that passes its bytes on by what it
// falls into. What replaces a piece has one step more, and a piece with the
// most steps is not split, so this ends.
static lg_status
settle(parts_search *search, const piece *above, pieces *out, lg_error *err)
{
    lg_status status = split(search, above, out, err);
    if (repeats(search, above, out))
        drop_first(out);
    for (size_t i = 0; i < out->count && status == LG_OK;) {
        piece one = out->items[i];
        pieces below = {0};
        if (one.count == 1 && one.steps < MOST_STEPS) {
            out->items[i].steps++;
            status = split(search, &out->items[i], &below, err);
            out->items[i].steps--;
        }
        if (!passes_on(&one, &below) || repeats(search, &one, &below)) {
            pieces_free(&below);
            i++;
            continue;
        }
        memmove(&out->items[i], &out->items[i + 1],
                (out->count - i - 1) * sizeof one);
        out->count--;
        for (size_t at = 0; at < below.count; at++) {
            below.items[at].steps = one.steps + 1;
            offer(out, below.items[at]);
        }
        piece_free(&one);
    }
    return status;
}

bool
lg__top_nodes_vary(const lg_graph *graph, const uint32_t *nodes, uint32_t count)
{
    if (count > MOST_COMPARED)
        return true;
    for (uint32_t i = 1; i < count; i++)
        if (!lg__nodes_alike(graph, nodes[0], nodes[i]))
            return true;
    return false;
}

static bool
add_part(parts_search *search, piece *one, uint32_t depth)
{
    lg_top_row *row = search->row;
    size_t devices = (size_t)search->graph->device_count + 1;
    uint64_t *retained = lg__calloc(devices, sizeof *retained);
    if (retained == NULL ||
        !lg__array_room(&row->parts, row->part_count, sizeof *row->parts)) {
        lg__free(retained);
        return false;
    }
    for (uint32_t i = 0; i < one->count; i++)
        for (uint32_t on = 0; on < devices; on++)
            retained[on] +=
                lg_node_retained_on(search->analysis, one->nodes[i], on);
    row->parts[row->part_count++] = (lg_top_part){
        .node = one->nodes[0],
        .count = one->count,
        .varied = lg__top_nodes_vary(search->graph, one->nodes, one->count),
        .depth = depth,
        .retained = retained,
        .weight = one->bytes,
        .held_by = one->held_by,
        .lead = one->lead,
    };
    one->held_by = (lg_text){0};
    return true;
}

// Adds what is below a piece, and below that, down to the deepest. Walks depth
// first without recursion: each depth has its pieces, and where to go on among
// them.
static lg_status
add_below(parts_search *search, const piece *top, lg_error *err)
{
    pieces levels[DEEPEST] = {{.count = 0}};
    size_t next[DEEPEST] = {0};
    uint32_t depth = 0;
    lg_status status = settle(search, top, &levels[0], err);
    while (status == LG_OK) {
        if (next[depth] == levels[depth].count) {
            pieces_free(&levels[depth]);
            if (depth-- == 0)
                break;
            continue;
        }
        piece *one = &levels[depth].items[next[depth]++];
        piece above = *one;
        above.steps = 0;
        if (depth + 1 < DEEPEST) {
            next[depth + 1] = 0;
            status = settle(search, &above, &levels[depth + 1], err);
        }
        if (status == LG_OK && !add_part(search, one, depth + 1))
            status = lg__error_memory(err);
        depth += depth + 1 < DEEPEST;
    }
    for (size_t i = 0; i < DEEPEST; i++)
        pieces_free(&levels[i]);
    return status;
}

static lg_status
find(parts_search *search, const lg__top_item *item, lg_error *err)
{
    piece top = {.count = item->count, .bytes = item->bytes};
    const lg_where *where = &search->row->where;
    search->walk.fold = lg__graph_folds(search->graph);
    if (search->walk.fold == NULL || !lg__graph_texts(search->graph) ||
        !lg__graph_reverse(search->graph, &search->walk.reverse))
        return lg__error_memory(err);
    top.nodes = lg__alloc(item->count * sizeof *top.nodes);
    if (top.nodes == NULL)
        return lg__error_memory(err);
    memcpy(top.nodes, item->nodes, item->count * sizeof *top.nodes);
    if (item->count > 1)
        lg__where_write_alike(search->graph, where, &top.held_by);
    else
        lg_path_label(search->graph, &where->path, &top.held_by);
    lg_status status = top.held_by.failed ? lg__error_memory(err)
                                          : add_below(search, &top, err);
    piece_free(&top);
    return status;
}

lg_status
lg__top_parts_find(const lg_analysis *analysis, const lg_top *top,
                   const lg__top_item *item, lg__finder *finder,
                   const lg_monitor *monitor, lg_top_row *row, lg_error *err)
{
    parts_search search = {
        .analysis = analysis,
        .graph = analysis->graph,
        .monitor = monitor,
        .finder = finder,
        .device = top->device,
        .least = top->total / 100 * PART_PERCENT,
        .walk = {.graph = analysis->graph, .everything = true},
        .found = lg__top_candidates_open(),
        .row = row,
    };
    if (row->where.kind != LG_WHERE_PATH || item->bytes < search.least)
        return LG_OK;
    search.least += search.least == 0;
    lg_status status = find(&search, item, err);
    lg__free(search.below.items);
    lg__top_places_free(&search.where);
    lg__top_candidates_free(&search.found);
    return status;
}

void
lg__top_parts_free(lg_top_row *row)
{
    for (size_t i = 0; i < row->part_count; i++) {
        lg__free((void *)row->parts[i].retained);
        lg_text_free(&row->parts[i].held_by);
    }
    lg__free(row->parts);
    row->parts = NULL;
    row->part_count = 0;
}
