// Makes indexes when they are first used: in-edges, and nodes by address.
#include "graph/graph_private.h"

#include <string.h>

// Counts in-edges: afterwards the number behind a node's is the start of its
// in-edges. Listing moves it to their end, where those of the next node start.
static void
count_in_edges(const lg_columns *columns, uint32_t *first)
{
    memset(first, 0, ((size_t)columns->node_count + 1) * sizeof *first);
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        first[lg_columns_target(columns, edge) + 1]++;
    uint32_t sum = 0;
    for (uint64_t node = 0; node < columns->node_count; node++) {
        const uint32_t count = first[node + 1];
        first[node + 1] = sum;
        sum += count;
    }
}

// For every LG__REVERSE_STEP-th edge, lists its source. The source of any edge
// is then found by a search from the one listed before it.
static void
list_sources(const lg_columns *columns, uint32_t *source)
{
    const size_t count = lg__reverse_sources(columns);
    size_t listed = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        while (listed < count && listed * LG__REVERSE_STEP <
                                     lg_columns_first_edge(columns, node + 1))
            source[listed++] = node;
    while (listed < count)
        source[listed++] =
            columns->node_count > 0 ? columns->node_count - 1 : 0;
}

// Lists and packs the references to some of the nodes at a time, because a
// number that waits to be packed takes twice the bytes of a packed one. The
// parts have about as many references, and few references are one part.
enum { PARTS = 4, ONE_PART = 1 << 16 };

typedef struct parts {
    const lg_columns *columns;
    uint32_t *first;           // see count_in_edges
    uint32_t begin[PARTS + 1]; // the first node of each part
    uint32_t *edges;           // of one part, behind those of half a block
    size_t waiting;            // numbers of half a block
} parts;

// Returns where the references to a node begin that are not listed yet.
static uint64_t
place_of(const parts *all, uint32_t node)
{
    return node < all->columns->node_count ? all->first[node + 1]
                                           : all->columns->edge_count;
}

// Returns the most references of a part.
static uint64_t
divide(parts *all)
{
    const uint64_t edges = all->columns->edge_count;
    const uint64_t share = edges > ONE_PART ? edges / PARTS + 1 : edges;
    uint32_t node = 0;
    uint64_t most = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        const uint64_t begin = place_of(all, node);
        all->begin[part] = node;
        while (node < all->columns->node_count &&
               place_of(all, node) < (part + 1) * share)
            node++;
        const uint64_t count = place_of(all, node) - begin;
        most = count > most ? count : most;
    }
    all->begin[PARTS] = node;
    return most;
}

// Lists the edges in their order, so the in-edges of each node ascend. An edge
// belongs to the part if its target does, which one comparison of unsigned
// numbers tells.
static size_t
list_part(const parts *all, uint32_t from, uint32_t end)
{
    const lg_columns *columns = all->columns;
    const uint64_t begin = place_of(all, from);
    const size_t count = (size_t)(place_of(all, end) - begin);
    uint32_t *place = all->first + from + 1;
    uint32_t *edges = all->edges + all->waiting;
    for (uint64_t edge = 0; edge < columns->edge_count && count > 0; edge++) {
        const uint32_t node = lg_columns_target(columns, edge) - from;
        if (node < end - from)
            edges[place[node]++ - begin] = (uint32_t)edge;
    }
    return count;
}

// Packs the first numbers. Those that fill no block go on waiting, unless they
// are the last.
static bool
pack_part(parts *all, const lg_allocator *allocator, lg__packing *packing,
          size_t count, bool is_last)
{
    uint64_t numbers[LG_PACKED_BLOCK];
    const size_t whole = count - (is_last ? 0 : count % LG_PACKED_BLOCK);
    for (size_t at = 0; at < whole;) {
        size_t filled = 0;
        while (filled < LG_PACKED_BLOCK && at < whole)
            numbers[filled++] = ~(uint64_t)all->edges[at++];
        if (!lg__packing_add(allocator, packing, numbers, filled))
            return false;
    }
    all->waiting = count - whole;
    memmove(all->edges, all->edges + whole, all->waiting * sizeof *all->edges);
    return true;
}

static bool
pack_edges(const lg_columns *columns, uint32_t *first,
           const lg_allocator *allocator, lg__packing *packing)
{
    parts all = {.columns = columns, .first = first};
    count_in_edges(columns, first);
    const size_t room = (size_t)divide(&all) + LG_PACKED_BLOCK;
    all.edges = lg__alloc(room * sizeof *all.edges);
    bool enough = all.edges != NULL;
    for (unsigned i = 0; i < PARTS && enough; i++) {
        const size_t count =
            all.waiting + list_part(&all, all.begin[i], all.begin[i + 1]);
        enough = pack_part(&all, allocator, packing, count, i + 1 == PARTS);
    }
    lg__free(all.edges);
    return enough;
}

// A packed number takes no more than one of 32 bits.
static bool
open_packing(const lg_columns *columns, const lg_allocator *allocator,
             lg__packing *packing)
{
    const size_t blocks = (size_t)lg_packed_blocks(columns->edge_count);
    return lg__packing_open(allocator, columns->edge_count, packing) &&
           lg__vector_reserve(allocator, &packing->word,
                              blocks * (LG_PACKED_BLOCK / 2) + 1);
}

static size_t
source_bytes(const lg_columns *columns)
{
    return lg__reverse_sources(columns) * sizeof(uint32_t);
}

bool
lg__reverse_make(const lg_columns *columns, const lg_allocator *allocator,
                 lg__reverse *out)
{
    const size_t places = (size_t)columns->node_count + 1;
    lg__reverse made = {.columns = columns};
    uint32_t *first = lg__compact_open(allocator, places, &made.first);
    made.source = lg__allocate(allocator, source_bytes(columns));
    bool enough = first != NULL && made.source != NULL &&
                  open_packing(columns, allocator, &made.packing);
    if (enough && pack_edges(columns, first, allocator, &made.packing)) {
        lg__compact_close(allocator, &made.first, places);
        list_sources(columns, made.source);
        enough = lg__packing_end(allocator, &made.packing, &made.edge);
    } else {
        enough = false;
    }
    if (enough)
        *out = made;
    else
        lg__reverse_free(columns, allocator, &made);
    return enough;
}

void
lg__reverse_free(const lg_columns *columns, const lg_allocator *allocator,
                 lg__reverse *reverse)
{
    lg__packing_free(allocator, &reverse->packing);
    lg__compact_free(allocator, &reverse->first);
    lg__deallocate(allocator, reverse->source, source_bytes(columns));
}

bool
lg__graph_reverse(const lg_graph *graph, lg__reverse *out)
{
    lg__lazy *lazy = graph->lazy;
    if (graph->whole != NULL)
        return lg__graph_reverse(graph->whole, out);
    if (!lazy->has_reverse) {
        lg_lock_take(&lazy->lock);
        if (!lazy->has_reverse)
            lazy->has_reverse = lg__reverse_make(
                &graph->columns, &graph->allocator, &lazy->reverse);
        lg_lock_give(&lazy->lock);
    }
    if (!lazy->has_reverse)
        return false;
    *out = lazy->reverse;
    return true;
}

uint64_t
lg_node_referrers(const lg_graph *graph, lg_node node, lg_edge *edges,
                  uint64_t capacity)
{
    lg__reverse reverse;
    if (!lg__graph_reverse(graph, &reverse))
        return UINT64_MAX;
    const uint64_t begin = lg__first_in(&reverse, node);
    const uint64_t count = lg__count_in(&reverse, node);
    for (uint64_t i = 0; i < count && i < capacity; i++)
        edges[i] = lg__in_number(&reverse, begin + i);
    return count;
}

// Sorts by 8 bits at a time. The sort is stable, so of two nodes with one
// address the lower comes first. Skips passes in which all digits agree.
static void
sort_by_address(const lg_columns *columns, uint32_t *nodes, uint32_t *spare,
                uint32_t count)
{
    uint32_t *source = nodes;
    uint32_t *target = spare;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint32_t place[257] = {0};
        for (uint32_t i = 0; i < count; i++)
            place[(lg_columns_address(columns, source[i]) >> shift & 255) +
                  1]++;
        uint64_t sample = lg_columns_address(columns, source[0]) >> shift & 255;
        if (place[sample + 1] == count)
            continue;
        for (size_t digit = 1; digit < 257; digit++)
            place[digit] += place[digit - 1];
        for (uint32_t i = 0; i < count; i++)
            target[place[lg_columns_address(columns, source[i]) >> shift &
                         255]++] = source[i];
        uint32_t *swapped = source;
        source = target;
        target = swapped;
    }
    if (source != nodes)
        memcpy(nodes, source, count * sizeof *nodes);
}

static bool
make_by_address(const lg_graph *graph, lg__lazy *out)
{
    const lg_columns *columns = &graph->columns;
    size_t size = columns->node_count * sizeof(uint32_t);
    uint32_t *nodes = lg__allocate(&graph->allocator, size);
    uint32_t *spare = lg__allocate(&graph->allocator, size);
    if (nodes != NULL && spare != NULL) {
        uint32_t filled = 0;
        for (uint32_t node = 0; node < columns->node_count; node++)
            if (lg_columns_address(columns, node) != 0)
                nodes[filled++] = node;
        if (filled > 0)
            sort_by_address(columns, nodes, spare, filled);
        out->by_address = nodes;
        out->by_address_count = filled;
    } else {
        lg__deallocate(&graph->allocator, nodes, size);
        nodes = NULL;
    }
    lg__deallocate(&graph->allocator, spare, size);
    return nodes != NULL;
}

static uint32_t
scan_for_address(const lg_columns *columns, uint64_t address)
{
    const uint32_t nodes = columns->node_count;
    uint64_t node = 0;
    if (columns->address.wide == NULL)
        node = lg__packed_find(&columns->address.packed, nodes, address);
    else
        while (node < nodes && columns->address.wide[node] != address)
            node++;
    return node < nodes ? (uint32_t)node : LG_NONE;
}

static uint32_t
search_address(const lg_columns *columns, const uint32_t *nodes, uint32_t count,
               uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lg_columns_address(columns, nodes[middle]) < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && lg_columns_address(columns, nodes[low]) == address)
        return nodes[low];
    return LG_NONE;
}

lg_node
lg_graph_find(const lg_graph *graph, uint64_t address)
{
    lg__lazy *lazy = graph->lazy;
    if (address == 0)
        return LG_NONE;
    // Making the index takes as long as this many scans, and most callers ask
    // once.
    const uint32_t scans = 16;
    if (!lazy->has_by_address && lazy->asked++ >= scans) {
        lg_lock_take(&lazy->lock);
        if (!lazy->has_by_address)
            lazy->has_by_address = make_by_address(graph, lazy);
        lg_lock_give(&lazy->lock);
    }
    // Without memory for the index, every question costs a scan.
    if (!lazy->has_by_address)
        return scan_for_address(&graph->columns, address);
    return search_address(&graph->columns, lazy->by_address,
                          lazy->by_address_count, address);
}
