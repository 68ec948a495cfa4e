// The memory of a walk into places: one block, so that its arrays share huge
// pages.
#include "growth/place_walk.h"

typedef struct room {
    char *begin; // NULL: only its size is asked for
    size_t used;
} room;

// Each array begins at a line of the cache.
static void *
take(room *from, size_t count, size_t element)
{
    enum { LINE = 64 };
    char *begin = from->begin != NULL ? from->begin + from->used : NULL;
    from->used += (count * element + LINE - 1) & ~(size_t)(LINE - 1);
    return begin;
}

// What may stay untouched comes last. Returns the size of all.
static size_t
lay_out(const lg_graph *graph, char *begin, lg__place_walk_room *out)
{
    size_t nodes = graph->columns.node_count;
    size_t strings = graph->string_count;
    room from = {.begin = begin};
    out->place = take(&from, nodes + 1, sizeof *out->place);
    out->reference = take(&from, nodes + 1, sizeof *out->reference);
    out->early = take(&from, nodes / 64 + 1, sizeof *out->early);
    out->types = take(&from, graph->type_count, sizeof *out->types);
    out->dotted = take(&from, strings, sizeof *out->dotted);
    out->plain = take(&from, strings, sizeof *out->plain);
    out->locals = take(&from, nodes / 64 + 1, sizeof *out->locals);
    out->visited = take(&from, nodes, sizeof *out->visited);
    return from.used;
}

bool
lg__place_walk_room_begin(const lg_graph *graph, lg__place_walk_room *out)
{
    char *block = lg__huge_calloc(lay_out(graph, NULL, out));
    if (block != NULL)
        lay_out(graph, block, out);
    return block != NULL;
}

void
lg__places_of_free(uint32_t *place_of, const lg_analysis *analysis)
{
    lg__place_walk_room arrays;
    lg__huge_free(place_of, lay_out(analysis->graph, NULL, &arrays));
}
