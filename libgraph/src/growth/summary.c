// Makes summaries: what a comparison needs of a snapshot.
#include "growth/growth_private.h"

#include <leakgraph/internal/facts.h>
#include "native/native_private.h"

#include <stdlib.h>

lg_summary *
lg__summary_begin(lg_places *places)
{
    lg_summary *summary = lg__calloc(1, sizeof *summary);
    if (summary == NULL) {
        lg_places_free(places);
        return NULL;
    }
    summary->places = places;
    summary->types.element = sizeof(lg__type_sum);
    summary->infos.element = sizeof(lg__info_text);
    summary->tallies.element = sizeof(lg__tally);
    summary->rows.element = sizeof(lg__row_sum);
    summary->bytes.element = sizeof(uint64_t);
    return summary;
}

void
lg_summary_free(lg_summary *summary)
{
    if (summary == NULL)
        return;
    lg_allocator allocator = lg_allocator_default();
    lg__vector_free(&allocator, &summary->types);
    lg__vector_free(&allocator, &summary->infos);
    lg__vector_free(&allocator, &summary->tallies);
    lg__vector_free(&allocator, &summary->bytes);
    lg__vector_free(&allocator, &summary->rows);
    lg_places_free(summary->places);
    lg__free(summary);
}

const lg_places *
lg_summary_places(const lg_summary *summary)
{
    return summary->places;
}

bool
lg_summary_info(const lg_summary *summary, uint32_t index, lg_string *key,
                lg_string *value)
{
    const lg__info_text *infos = summary->infos.data;
    if (index >= summary->infos.count)
        return false;
    *key = lg__places_text(summary->places, infos[index].key);
    *value = lg__places_text(summary->places, infos[index].value);
    return true;
}

lg_string
lg__summary_text(const lg_summary *summary, const char *key)
{
    lg_string known;
    lg_string value;
    for (uint32_t i = 0; lg_summary_info(summary, i, &known, &value); i++)
        if (lg__string_is(known, key))
            return value;
    return (lg_string){"", 0};
}

int64_t
lg__summary_bytes(const lg_summary *summary, const char *key)
{
    uint64_t bytes;
    lg_string text = lg__summary_text(summary, key);
    return lg__decimal_read(text, &bytes) && bytes <= INT64_MAX ? (int64_t)bytes
                                                                : -1;
}

bool
lg__summary_has_native(const lg_summary *summary)
{
    return lg__string_is(lg__summary_text(summary, LG__INFO_NATIVE),
                         LG__INFO_INSPECTED);
}

static bool
add_info(lg_summary *summary, lg_string key, lg_string value)
{
    lg_allocator allocator = lg_allocator_default();
    lg__info_text text = {lg__places_string(summary->places, key),
                          lg__places_string(summary->places, value)};
    lg__info_text *place = lg__vector_extend(&allocator, &summary->infos, 1);
    if (place == NULL || text.key == LG_NONE || text.value == LG_NONE)
        return false;
    *place = text;
    return true;
}

// Adds up all places, because a file leaves small ones out.
static bool
add_totals(lg_summary *summary)
{
    const lg_places *places = summary->places;
    bool added = true;
    for (uint32_t device = 0; added && device < places->each; device++) {
        uint64_t sum = 0;
        lg_text key = {0};
        lg_text value = {0};
        for (uint32_t i = 0; i < lg_places_count(places); i++)
            sum += lg__place_own(places, i)[device];
        lg_string name = lg_places_device_name(places, device);
        lg_text_addf(&key, "places.%.*s", (int)name.length, name.data);
        lg_text_addf(&value, "%llu", (unsigned long long)sum);
        added = !key.failed && !value.failed &&
                add_info(summary, (lg_string){key.data, (uint32_t)key.length},
                         (lg_string){value.data, (uint32_t)value.length});
        lg_text_free(&key);
        lg_text_free(&value);
    }
    return added;
}

static bool
add_infos(lg_summary *summary, const lg_graph *graph)
{
    for (uint32_t i = 0; i < graph->info_count; i++) {
        lg_string key;
        lg_string value;
        lg_graph_info(graph, i, &key, &value);
        if (!add_info(summary, key, value))
            return false;
    }
    return add_totals(summary);
}

uint32_t
lg__summary_add_bytes(lg_summary *summary, const uint64_t *bytes,
                      uint32_t count)
{
    lg_allocator allocator = lg_allocator_default();
    uint32_t each = summary->places->each;
    size_t index = summary->bytes.count;
    uint64_t *place = index < LG_NONE - each
                          ? lg__vector_extend(&allocator, &summary->bytes, each)
                          : NULL;
    if (place == NULL)
        return LG_NONE;
    for (uint32_t i = 0; i < each; i++)
        place[i] = i < count ? bytes[i] : 0;
    return (uint32_t)index;
}

void
lg__summary_sum_bytes(lg_summary *summary, uint32_t to, uint32_t from)
{
    uint64_t *bytes = summary->bytes.data;
    for (uint32_t i = 0; i < summary->places->each; i++)
        bytes[to + i] += bytes[from + i];
}

static int
compare_types(const void *left, const void *right)
{
    const lg__type_sum *a = left;
    const lg__type_sum *b = right;
    return a->name < b->name ? -1 : a->name > b->name;
}

void
lg__summary_join_types(lg_summary *summary)
{
    lg__vector *types = &summary->types;
    lg__type_sum *sums = types->data;
    size_t kept = 0;
    if (types->count > 0)
        lg__sort(sums, types->count, sizeof *sums, compare_types);
    for (size_t i = 0; i < types->count; i++) {
        if (sums[i].count == 0)
            continue;
        if (kept > 0 && sums[kept - 1].name == sums[i].name) {
            sums[kept - 1].count += sums[i].count;
            lg__summary_sum_bytes(summary, sums[kept - 1].bytes, sums[i].bytes);
        } else {
            sums[kept++] = sums[i];
        }
    }
    types->count = kept;
}

// Moves the bytes of nodes on devices, which were counted on the host.
static void
move_to_devices(lg_summary *summary, const lg_graph *graph)
{
    const lg__type_sum *sums = summary->types.data;
    for (uint32_t i = 0; i < graph->placed_count; i++) {
        uint32_t node = graph->device_node[i];
        uint64_t size = lg_node_size(graph, node);
        uint64_t *bytes = lg__summary_bytes_at(
            summary, sums[lg_columns_type(&graph->columns, node)].bytes);
        bytes[0] -= size;
        bytes[lg_node_device(graph, node)] += size;
    }
}

static bool
add_types(lg_summary *summary, const lg_graph *graph)
{
    lg_allocator allocator = lg_allocator_default();
    lg__type_sum *sums =
        lg__vector_extend(&allocator, &summary->types, graph->type_count);
    if (sums == NULL && graph->type_count > 0)
        return false;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        uint32_t name =
            lg__places_string(summary->places, lg_graph_type(graph, type).name);
        uint32_t bytes = lg__summary_add_bytes(summary, NULL, 0);
        if (name == LG_NONE || bytes == LG_NONE)
            return false;
        sums[type] = (lg__type_sum){.name = name, .bytes = bytes};
    }
    uint32_t native = lg__first_native(graph);
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        lg__type_sum *sum = &sums[lg_columns_type(&graph->columns, node)];
        sum->count += node < native ? 1 : lg_node_blocks(graph, node);
        lg__summary_bytes_at(summary, sum->bytes)[0] +=
            lg_node_size(graph, node);
    }
    move_to_devices(summary, graph);
    lg__summary_join_types(summary);
    return true;
}

// glibc rounds up, after a header of 8 bytes, or of 16 if it maps the block.
enum { HEADER = 8, GRAIN = 16 };

static uint64_t
in_malloc(uint64_t bytes)
{
    bool mapped = bytes >= LG_MALLOC_MAPPED;
    uint64_t grain = mapped ? LG_MALLOC_PAGE : GRAIN;
    uint64_t header = mapped ? 2 * HEADER : HEADER;
    return (bytes + header + grain - 1) / grain * grain;
}

// Returns whether the buffer is CPython's own, so that CPython's allocators
// have it.
static bool
is_of_python(const lg_graph *graph, uint32_t node)
{
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    return lg__string_is(type, "bytearray.memory") ||
           lg__string_is(type, "array.memory");
}

static void
add_object(lg_summary *summary, uint64_t bytes, lg__block_parts parts)
{
    lg__blocks blocks = lg__blocks_of(bytes, parts);
    uint64_t large = lg__blocks_large(blocks);
    summary->small += lg__blocks_small(blocks);
    summary->large += large > 0 ? in_malloc(large) : 0;
}

static void
add_bytes(lg_summary *summary, const lg_graph *graph, uint32_t node,
          const lg__block_parts *parts)
{
    uint64_t bytes = lg_node_size(graph, node);
    unsigned flags = lg_columns_flags(&graph->columns, node);
    summary->objects += bytes;
    if ((flags & LG_NODE_BUFFER) &&
        lg__string_is(lg_node_fact_text(graph, node, "memory"), "mapped"))
        summary->mapped += bytes;
    else if ((flags & LG_NODE_BUFFER) && is_of_python(graph, node))
        add_object(summary, bytes, (lg__block_parts){0});
    else if (flags & (LG_NODE_BUFFER | LG_NODE_CPP))
        summary->large += in_malloc(bytes);
    else if (!(flags & LG_NODE_SYNTHETIC))
        add_object(summary, bytes,
                   parts[lg_columns_type(&graph->columns, node)]);
}

// A snapshot with native memory knows malloc's blocks to the byte: those of
// objects, and those that native nodes stand for.
static void
add_native(lg_summary *summary, const lg_graph *graph)
{
    uint64_t bytes = 0;
    if (!lg__string_is(lg_graph_info_find(graph, LG__INFO_NATIVE),
                       LG__INFO_INSPECTED))
        return;
    for (uint32_t node = lg__first_native(graph);
         node < graph->columns.node_count; node++)
        bytes += lg_node_size(graph, node);
    uint64_t small = lg__info_number(graph, LG__INFO_SMALL);
    summary->small += small;
    summary->large = lg__info_number(graph, LG__INFO_OBJECTS) + bytes - small;
}

static bool
add_accounts(lg_summary *summary, const lg_graph *graph)
{
    uint32_t placed = 0;
    lg__block_parts *parts =
        lg__alloc((graph->type_count + (size_t)1) * sizeof *parts);
    if (parts == NULL)
        return false;
    for (uint32_t type = 0; type < graph->type_count; type++)
        parts[type] = lg__parts_of(lg_graph_type(graph, type).name);
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        if (placed < graph->placed_count && graph->device_node[placed] == node)
            placed++;
        else
            add_bytes(summary, graph, node, parts);
    }
    lg__free(parts);
    add_native(summary, graph);
    return true;
}

lg_status
lg__summary_make(const lg_analysis *analysis, const lg_monitor *monitor,
                 lg_summary **out, uint32_t **place_of, lg_error *err)
{
    lg_places *places = NULL;
    uint32_t *place = NULL;
    lg_status status = lg__places_walk(analysis, monitor, &places, &place, err);
    if (status != LG_OK)
        return status;
    lg_summary *summary = lg__summary_begin(places);
    if (summary == NULL || !add_infos(summary, analysis->graph) ||
        !add_types(summary, analysis->graph) ||
        !add_accounts(summary, analysis->graph)) {
        lg_summary_free(summary);
        lg__places_of_free(place, analysis);
        return lg__error_memory(err);
    }
    *out = summary;
    *place_of = place;
    return LG_OK;
}
