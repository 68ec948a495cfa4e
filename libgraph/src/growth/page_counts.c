// Counts the pages on which objects of a forked process lie, by place.
#include "growth/growth_private.h"

#include <leakgraph/internal/page_counts.h>

#include <stdlib.h>

// The address of an object, and that of its type.
typedef struct resident {
    uint64_t address;
    uint64_t type;
    uint32_t node;
} resident;

// The objects of a place on a page.
typedef struct page_use {
    uint64_t page;
    uint32_t place;
} page_use;

typedef struct page_uses {
    page_use *items;
    size_t count;
} page_uses;

static uint64_t
type_address(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = lg_graph_columns(graph);
    lg_node type = lg_graph_type(graph, lg_columns_type(columns, node)).node;
    return type == LG_NONE ? 0 : lg_columns_address(columns, type);
}

static int
compare_residents(const void *left, const void *right)
{
    const resident *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->type > b->type) - (a->type < b->type);
}

static resident *
residents_of(const lg_graph *graph)
{
    const lg_columns *columns = lg_graph_columns(graph);
    resident *all = lg__alloc((columns->node_count + (size_t)1) * sizeof *all);
    if (all == NULL)
        return NULL;
    for (uint32_t i = 0; i < columns->node_count; i++)
        all[i] = (resident){lg_columns_address(columns, i),
                            type_address(graph, i), i};
    lg__sort(all, columns->node_count, sizeof *all, compare_residents);
    return all;
}

static bool
add_use(page_uses *uses, uint64_t page, uint32_t place)
{
    if (!lg__array_room(&uses->items, uses->count, sizeof *uses->items))
        return false;
    uses->items[uses->count++] = (page_use){page, place};
    return true;
}

// Returns whether the node has a page. What is in no process's memory, or on a
// device, has none.
static bool
has_page(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = lg_graph_columns(graph);
    return !(lg_columns_flags(columns, node) & LG_NODE_SYNTHETIC) &&
           lg_columns_address(columns, node) != 0 &&
           lg_node_device(graph, node) == 0;
}

static bool
add_node(const lg_graph *graph, uint32_t node, uint32_t place,
         uint64_t page_bytes, page_uses *uses)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint64_t address = lg_columns_address(columns, node), last = address;
    if (lg_columns_flags(columns, node) & LG_NODE_BUFFER) {
        uint64_t size = lg_node_size(graph, node);
        last += size > 0 && address + size > address ? size - 1 : 0;
    }
    for (uint64_t page = address / page_bytes; page <= last / page_bytes;
         page++)
        if (!add_use(uses, page, place))
            return false;
    return true;
}

static int
compare_uses(const void *left, const void *right)
{
    const page_use *a = left, *b = right;
    if (a->page != b->page)
        return a->page < b->page ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

// Returns the place of most objects from `at` up to `end`, which are sorted.
static uint32_t
most_frequent(const page_use *uses, size_t at, size_t end)
{
    uint32_t most = uses[at].place;
    size_t longest = 0;
    while (at < end) {
        size_t first = at;
        while (at < end && uses[at].place == uses[first].place)
            at++;
        if (at - first > longest) {
            longest = at - first;
            most = uses[first].place;
        }
    }
    return most;
}

static void
count_pages(const page_uses *uses, const lg_page_list *pages,
            lg_page_counts *out)
{
    size_t known = 0;
    for (size_t at = 0, end; at < uses->count; at = end) {
        uint64_t page = uses->items[at].page;
        for (end = at; end < uses->count && uses->items[end].page == page;)
            end++;
        while (known < pages->count && pages->entry[known] >> 1 < page)
            known++;
        if (known == pages->count || pages->entry[known] >> 1 != page)
            continue;
        uint32_t place = most_frequent(uses->items, at, end);
        uint64_t copied = pages->entry[known] & 1;
        out->shared[place]++;
        out->copied[place] += copied;
        out->all_shared++;
        out->all_copied += copied;
    }
}

// Lists the uses of pages. Returns false when memory ran out.
static bool
find_uses(const lg_graph *child, const lg_graph *parent, uint64_t page_bytes,
          const uint32_t *place_of, uint32_t places, page_uses *uses)
{
    uint32_t nodes = lg_graph_columns(child)->node_count;
    uint32_t others = lg_graph_columns(parent)->node_count;
    resident *older = residents_of(parent);
    bool found = older != NULL;
    for (uint32_t i = 0; found && i < nodes; i++) {
        const resident here = {lg_columns_address(lg_graph_columns(child), i),
                               type_address(child, i), i};
        const resident *same =
            bsearch(&here, older, others, sizeof here, compare_residents);
        if (same && place_of[same->node] < places && has_page(child, i))
            found = add_node(child, i, place_of[same->node], page_bytes, uses);
    }
    lg__free(older);
    return found;
}

lg_status
lg_page_counts_make(const lg_graph *child, const lg_graph *parent,
                    const lg_page_list *pages, const uint32_t *place_of,
                    uint32_t places, lg_page_counts *out, lg_error *err)
{
    page_uses uses = {0};
    lg_page_counts counts = {
        .shared = lg__calloc(places + (size_t)1, sizeof *counts.shared),
        .copied = lg__calloc(places + (size_t)1, sizeof *counts.copied),
    };
    bool made =
        counts.shared != NULL && counts.copied != NULL &&
        find_uses(child, parent, pages->page_bytes, place_of, places, &uses);
    if (made && uses.count > 0) {
        lg__sort(uses.items, uses.count, sizeof *uses.items, compare_uses);
        count_pages(&uses, pages, &counts);
    }
    lg__free(uses.items);
    if (made)
        *out = counts;
    else
        lg_page_counts_free(&counts);
    return made ? LG_OK : lg__error_memory(err);
}

// A place comes after the one above it, so this goes backward, and each has all
// that is below it before it adds to the one above.
void
lg_page_counts_fold(lg_page_counts *counts, const lg_places *places,
                    uint64_t least)
{
    for (uint32_t i = lg_places_count(places); i-- > 0;) {
        uint32_t parent = lg_places_at(places, i).parent;
        if (parent == LG_NONE || counts->copied[i] >= least)
            continue;
        counts->shared[parent] += counts->shared[i];
        counts->copied[parent] += counts->copied[i];
        counts->shared[i] = counts->copied[i] = 0;
    }
}

void
lg_page_counts_free(lg_page_counts *counts)
{
    lg__free(counts->shared);
    lg__free(counts->copied);
    *counts = (lg_page_counts){0};
}
