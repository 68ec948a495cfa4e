// Copies a graph without the user's text, or without some of its references.
// Strings keep their ids: those with only the user's text become empty, so no
// other array changes.
#include "build/build_private.h"

#include <leakgraph/file.h>

#include <string.h>

// Returns whether a node's text is the user's. It is, unless it names
// something.
static bool
is_user_text(const lg_graph *graph, uint32_t node)
{
    unsigned flags = lg_columns_flags(&graph->columns, node);
    return !(flags & LG_NODE_NAME) &&
           ((flags & LG_NODE_KEY) ||
            lg__node_category(graph, node) == LG_CATEGORY_ATOM);
}

static uint32_t
text_node(const lg_graph *graph, uint32_t text)
{
    uint32_t node;
    lg__text_nodes_write(graph, text, 1, &node);
    return node;
}

static bool
is_user_fact(const lg_graph *graph, uint32_t fact)
{
    return lg__fact_is_users(lg_graph_string(graph, graph->fact_key[fact]));
}

static void
keep_all(bool *kept, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kept[ids[i]] = true;
}

static void
keep_names(const lg_graph *graph, uint32_t node, bool *kept)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        unsigned kind = lg__edge_kind(graph, edge);
        if (kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_LOCAL ||
            kind == LG_EDGE_GLOBALS || kind == LG_EDGE_NATIVE)
            kept[lg_columns_payload_from(columns, node, edge)] = true;
    }
}

// Marks the strings that something other than the user's texts refers to.
static void
mark_kept(const lg_graph *graph, bool *kept)
{
    const lg_columns *columns = &graph->columns;
    keep_all(kept, graph->type_name, graph->type_count);
    keep_all(kept, graph->root_name, graph->root_count);
    keep_all(kept, graph->info_key, graph->info_count);
    keep_all(kept, graph->info_value, graph->info_count);
    keep_all(kept, graph->device_name, graph->device_count);
    for (uint32_t i = 0; i < graph->fact_count; i++)
        if (!is_user_fact(graph, i))
            kept[graph->fact_key[i]] = kept[graph->fact_value[i]] = true;
    for (uint32_t i = 0; i < graph->segment_count; i++)
        kept[graph->segment[i].kind] = kept[graph->segment[i].pool] = true;
    for (uint32_t i = 0; i < graph->block_count; i++)
        kept[graph->block[i].frames] = true;
    for (uint32_t i = 0; i < graph->text_count; i++)
        if (!is_user_text(graph, text_node(graph, i)))
            kept[graph->text_string[i]] = true;
    for (uint32_t node = 0; node < columns->node_count; node++)
        keep_names(graph, node, kept);
}

static bool
copy_array(const lg_graph *from, lg_graph *to, enum lg__array_name name)
{
    const lg__array *source = &from->array[name];
    size_t size = (size_t)source->count * lg__element_in_memory(name);
    void *block = lg__allocate(&to->allocator, size);
    if (block == NULL)
        return false;
    lg__array_copy_all(from, name, block);
    to->array[name] = (lg__array){block, source->count, block, size};
    return true;
}

// Copies the kept strings, and appends "no".
static bool
copy_strings(const lg_graph *from, lg_graph *to, const bool *kept)
{
    const lg_allocator *allocator = &to->allocator;
    uint32_t count = from->string_count;
    lg__vector offset = {.element = sizeof(uint64_t)};
    lg__vector bytes = {.element = 1};
    uint64_t total = 2;
    for (uint32_t id = 0; id < count; id++)
        if (kept[id])
            total += lg_graph_string(from, id).length;
    uint64_t *ends = lg__vector_extend(allocator, &offset, (size_t)count + 2);
    char *at = lg__vector_extend(allocator, &bytes, (size_t)total);
    if (ends == NULL || at == NULL) {
        lg__vector_free(allocator, &offset);
        lg__vector_free(allocator, &bytes);
        return false;
    }
    ends[0] = 0;
    for (uint32_t id = 0; id < count; id++) {
        lg_string string = lg_graph_string(from, kept[id] ? id : LG_NONE);
        memcpy(at + ends[id], string.data, string.length);
        ends[id + 1] = ends[id] + string.length;
    }
    memcpy(at + ends[count], "no", 2);
    ends[count + 1] = total;
    to->array[LG__STRING_OFFSET] = lg__vector_take(&offset);
    to->array[LG__STRING_BYTES] = lg__vector_take(&bytes);
    return true;
}

static bool
copy_texts(const lg_graph *from, lg_graph *to)
{
    const lg_allocator *allocator = &to->allocator;
    lg__vector nodes = {.element = sizeof(uint32_t)};
    lg__vector ids = {.element = sizeof(uint32_t)};
    bool enough = true;
    for (uint32_t i = 0; i < from->text_count && enough; i++) {
        const uint32_t named = text_node(from, i);
        if (is_user_text(from, named))
            continue;
        uint32_t *node = lg__vector_extend(allocator, &nodes, 1);
        uint32_t *id = lg__vector_extend(allocator, &ids, 1);
        enough = node != NULL && id != NULL;
        if (enough) {
            *node = named;
            *id = from->text_string[i];
        }
    }
    to->array[LG__TEXT_NODE] = lg__vector_take(&nodes);
    to->array[LG__TEXT_STRING] = lg__vector_take(&ids);
    return enough;
}

static bool
copy_facts(const lg_graph *from, lg_graph *to)
{
    static const enum lg__array_name columns[] = {LG__FACT_NODE, LG__FACT_KEY,
                                                  LG__FACT_VALUE};
    bool enough = true;
    for (size_t column = 0; column < 3 && enough; column++) {
        const uint32_t *source = from->array[columns[column]].data;
        lg__vector kept = {.element = sizeof(uint32_t)};
        for (uint32_t i = 0; i < from->fact_count && enough; i++) {
            if (is_user_fact(from, i))
                continue;
            uint32_t *place = lg__vector_extend(&to->allocator, &kept, 1);
            enough = place != NULL;
            if (enough)
                *place = source[i];
        }
        to->array[columns[column]] = lg__vector_take(&kept);
    }
    return enough;
}

// Writes the info of the copy: it has no keys and no previews, and its contents
// were not compared, because the equality of texts is the user's data, too.
static void
note_in_info(const lg_graph *from, lg_graph *to)
{
    uint32_t *values = to->array[LG__INFO_VALUE].owned;
    for (uint32_t i = 0; i < from->info_count; i++) {
        lg_string key = lg_graph_string(from, from->info_key[i]);
        if (lg__string_is(key, "keys") || lg__string_is(key, "previews") ||
            lg__string_is(key, "contents") ||
            lg__string_is(key, "contents.left_out"))
            values[i] = from->string_count;
    }
}

static bool
is_rewritten(enum lg__array_name name)
{
    return name == LG__STRING_OFFSET || name == LG__STRING_BYTES ||
           name == LG__TEXT_NODE || name == LG__TEXT_STRING ||
           name == LG__FACT_NODE || name == LG__FACT_KEY ||
           name == LG__FACT_VALUE || name == LG__EQUAL_NODE ||
           name == LG__EQUAL_GROUP;
}

static bool
copy_all(const lg_graph *from, lg_graph *to)
{
    size_t size = from->string_count * sizeof(bool);
    bool *kept = lg__allocate(&to->allocator, size);
    if (kept == NULL)
        return false;
    memset(kept, 0, size);
    mark_kept(from, kept);
    bool enough = copy_strings(from, to, kept) && copy_texts(from, to) &&
                  copy_facts(from, to);
    lg__deallocate(&to->allocator, kept, size);
    for (int i = 0; i < LG__ARRAY_ANALYSIS && enough; i++)
        if (!is_rewritten((enum lg__array_name)i))
            enough = copy_array(from, to, (enum lg__array_name)i);
    if (enough)
        note_in_info(from, to);
    return enough;
}

lg_status
lg_graph_strip(const lg_graph *graph, lg_graph **out, lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    lg_graph *copy = NULL;
    lg_status status = lg__graph_new(&allocator, &copy, err);
    if (status != LG_OK)
        return status;
    if (!copy_all(graph, copy))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = lg__graph_bind(copy, err);
    if (status == LG_OK)
        status = lg__graph_settle(copy, err);
    if (status == LG_OK)
        *out = copy;
    else
        lg_graph_free(copy);
    return status;
}

static void
own_array(lg_graph *copy, enum lg__array_name name, void *data, size_t size)
{
    lg__array *array = &copy->array[name];
    array->data = array->owned = data;
    array->owned_size = size;
}

// Shares the arrays of the graph, except two, which the copy owns.
static void
borrow(const lg_graph *graph, lg_graph *copy, uint8_t *kinds, lg__trait *traits)
{
    lg_allocator allocator = copy->allocator;
    lg__lazy *lazy = copy->lazy;
    *copy = *graph;
    copy->allocator = allocator;
    copy->lazy = lazy;
    copy->whole = graph;
    copy->map = NULL;
    copy->checksum = 0;
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++)
        copy->array[i].owned = NULL;
    memset(copy->beside, 0, sizeof copy->beside);
    own_array(copy, LG__EDGE_KIND, kinds,
              (size_t)graph->columns.edge_count + 1);
    copy->columns.kind = (lg_edge_kinds){kinds, 0};
    copy->type_trait = traits;
}

lg_status
lg__graph_without(const lg_graph *graph, const uint64_t *edges, size_t count,
                  lg_graph **out, lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    lg_graph *copy;
    lg_status status = lg__graph_new(&allocator, &copy, err);
    if (status != LG_OK)
        return status;
    size_t size = (size_t)graph->columns.edge_count;
    size_t types = graph->type_count * sizeof(lg__trait);
    uint8_t *kinds = lg__allocate(&copy->allocator, size + 1);
    lg__trait *traits = lg__allocate(&copy->allocator, types);
    if (kinds == NULL || traits == NULL) {
        lg__deallocate(&copy->allocator, kinds, size + 1);
        lg__deallocate(&copy->allocator, traits, types);
        lg_graph_free(copy);
        return lg__error_memory(err);
    }
    lg_columns_write(&graph->columns, LG_NARROW_KIND, 0, size, kinds);
    memcpy(traits, graph->type_trait, types);
    for (size_t i = 0; i < count; i++)
        kinds[edges[i]] |= LG_EDGE_WEAK;
    borrow(graph, copy, kinds, traits);
    *out = copy;
    return LG_OK;
}

bool
lg__graph_take_roots(lg_graph *copy, const lg__plain_root *roots,
                     uint32_t count)
{
    size_t size = ((size_t)count + 1) * sizeof(uint32_t);
    uint32_t *nodes = lg__allocate(&copy->allocator, size);
    uint32_t *names = lg__allocate(&copy->allocator, size);
    uint8_t *kinds = lg__allocate(&copy->allocator, (size_t)count + 1);
    if (nodes == NULL || names == NULL || kinds == NULL) {
        lg__deallocate(&copy->allocator, nodes, size);
        lg__deallocate(&copy->allocator, names, size);
        lg__deallocate(&copy->allocator, kinds, (size_t)count + 1);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = roots[i].node;
        kinds[i] = roots[i].kind;
        names[i] = 0;
    }
    own_array(copy, LG__ROOT_NODE, nodes, size);
    own_array(copy, LG__ROOT_NAME, names, size);
    own_array(copy, LG__ROOT_KIND, kinds, (size_t)count + 1);
    copy->root_node = nodes;
    copy->root_name = names;
    copy->root_kind = kinds;
    copy->root_count = count;
    return true;
}
