// Makes the graph: runs the steps, then hands over every block. Each step is
// linear in what it reads.
#include "build/build_private.h"
#include "base/base_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

// Turns the hashes of contents into groups of nodes, and drops the hashes,
// because short texts could be guessed from them.

// The sort keeps the order of equal numbers, so a pass for each half of the
// hashes sorts by both. Each pass swaps the halves, so after two they are where
// they were.
static bool
sort_contents(struct lg_builder_rest *rest)
{
    lg__content *items = rest->content.data;
    for (int pass = 0; pass < 2; pass++) {
        if (!lg__radix_sort(&rest->allocator, items, rest->content.count,
                            sizeof *items))
            return false;
        for (size_t i = 0; i < rest->content.count; i++)
            items[i] =
                (lg__content){items[i].other, items[i].number, items[i].node};
    }
    return true;
}

static bool
is_same(const lg__content *a, const lg__content *b)
{
    return a->number == b->number && a->other == b->other;
}

// Replaces the hashes by the members of all groups: a node to sort by, and its
// group. Returns the number of members.
static size_t
group(lg__content *items, size_t count, uint32_t *groups)
{
    size_t kept = 0;
    uint32_t known = 0;
    for (size_t begin = 0, end; begin < count; begin = end) {
        const lg__content first = items[begin];
        for (end = begin + 1; end < count && is_same(&first, &items[end]);)
            end++;
        if (end - begin == 1)
            continue;
        for (size_t i = begin; i < end; i++)
            items[kept++] =
                (lg__content){.number = items[i].node, .other = known};
        known++;
    }
    *groups = known;
    return kept;
}

// Numbers groups in order of their first nodes, so that nothing of the hashes
// is left, and writes the columns.
static bool
write_members(struct lg_builder_rest *rest, const lg__content *members,
              size_t count, uint32_t groups)
{
    const lg_allocator *allocator = &rest->allocator;
    size_t room = groups * sizeof(uint32_t);
    uint32_t *number = lg__allocate(allocator, room);
    uint32_t *nodes =
        lg__vector_extend(allocator, &rest->table[LG__EQUAL_NODE], count);
    uint32_t *ids =
        lg__vector_extend(allocator, &rest->table[LG__EQUAL_GROUP], count);
    bool enough = number != NULL && nodes != NULL && ids != NULL;
    uint32_t next = 0;
    for (uint32_t i = 0; i < groups && enough; i++)
        number[i] = LG_NONE;
    for (size_t i = 0; i < count && enough; i++) {
        uint32_t *known = &number[members[i].other];
        *known = *known == LG_NONE ? next++ : *known;
        nodes[i] = members[i].number;
        ids[i] = *known;
    }
    lg__deallocate(allocator, number, room);
    return enough;
}

static lg_status
finish_equal(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__content *items = rest->content.data;
    uint32_t groups = 0;
    if (rest->content.count == 0)
        return LG_OK;
    if (!sort_contents(rest))
        return lg__error_memory(err);
    size_t count = group(items, rest->content.count, &groups);
    if (count > 0 &&
        (!lg__radix_sort(&rest->allocator, items, count, sizeof *items) ||
         !write_members(rest, items, count, groups)))
        return lg__error_memory(err);
    lg__vector_free(&rest->allocator, &rest->content);
    return LG_OK;
}

// Lists the texts of the nodes. A node's last text counts: the builder's if the
// producer set one, otherwise that of the additions.

static void
list_marked(const lg__marked_block *blocks, size_t count, uint32_t *nodes)
{
    for (size_t i = 0; i < count; i++)
        for (uint64_t rest = blocks[i].has; rest != 0; rest &= rest - 1)
            *nodes++ = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(rest);
}

// The additions may have texts of nodes that the builder does not.
static void
mark_all(const lg_builder *builder, lg__marked_block *blocks)
{
    size_t count;
    const uint32_t *additions =
        lg_additions_texts(builder->rest->additions, &count);
    const lg__vector *own = &builder->rest->text;
    for (size_t i = 0; i < count; i++)
        if (additions[i] < builder->node_count)
            lg__mark_node(blocks, additions[i]);
    for (size_t i = 0; i < own->count; i++)
        lg__mark_node(blocks, ((const lg__node_text *)own->data)[i].node);
}

// Stores each string at the place of its node, in order of arrival.
static void
store_strings(const lg_builder *builder, const lg__marked_block *blocks,
              uint32_t first_added, uint32_t *strings)
{
    size_t count;
    const uint32_t *additions =
        lg_additions_texts(builder->rest->additions, &count);
    const lg__node_text *own = builder->rest->text.data;
    for (size_t i = 0; i < count; i++)
        if (additions[i] < builder->node_count)
            strings[lg__marked_place(blocks, additions[i])] =
                first_added + (uint32_t)i;
    for (size_t i = 0; i < builder->rest->text.count; i++)
        strings[lg__marked_place(blocks, own[i].node)] = own[i].string;
}

// Makes room for `count` elements before those that a vector has.
static void
shift(lg__vector *vector, size_t count)
{
    char *data = vector->data;
    if (vector->count > 0)
        memmove(data + count * vector->element, data,
                vector->count * vector->element);
    vector->count += count;
}

static void
swap(lg__vector *a, lg__vector *b)
{
    const lg__vector other = *a;
    *a = *b;
    *b = other;
}

static void
prepend_bytes(lg__vector *added, const lg__vector *own)
{
    shift(added, own->count);
    if (own->count > 0)
        memcpy(added->data, own->data, own->count);
}

// The first of the added offsets is 0, where the last of the others ends.
static void
prepend_offsets(lg__vector *added, const lg__vector *own)
{
    const size_t before = own->count - 1;
    const uint64_t begin = ((const uint64_t *)own->data)[before];
    shift(added, before);
    uint64_t *offsets = added->data;
    for (size_t i = before; i < added->count; i++)
        offsets[i] += begin;
    memcpy(offsets, own->data, before * sizeof *offsets);
}

// Appends the strings of the additions, if there are any, to those of the
// builder, and stores the id of the first one. Returns false when memory ran
// out. There are mostly far more texts than other strings, so the texts stay in
// their memory.
static bool
append_additions(lg_builder *builder, uint32_t *first)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__vector *offsets = &rest->table[LG__STRING_OFFSET];
    lg__vector *bytes = &rest->table[LG__STRING_BYTES];
    lg_additions *additions = rest->additions;
    if (additions == NULL)
        return true;
    const uint64_t before = offsets->count - 1;
    if (before + additions->node.count >= LG_NONE ||
        !lg__vector_reserve(&rest->allocator, &additions->bytes,
                            bytes->count + additions->bytes.count) ||
        !lg__vector_reserve(&rest->allocator, &additions->offset,
                            before + additions->offset.count))
        return false;
    prepend_bytes(&additions->bytes, bytes);
    prepend_offsets(&additions->offset, offsets);
    swap(&additions->bytes, bytes);
    swap(&additions->offset, offsets);
    *first = (uint32_t)before;
    return true;
}

// Lists the nodes of few texts. Of many, the graph has the marks.
static bool
list_nodes(lg_builder *builder, lg__marked_block *blocks, uint32_t count)
{
    struct lg_builder_rest *rest = builder->rest;
    const size_t size = lg__marked_blocks(builder->node_count);
    if (count * sizeof(uint32_t) >= size * sizeof *blocks) {
        rest->texts = blocks;
        return true;
    }
    uint32_t *nodes =
        lg__vector_extend(&rest->allocator, &rest->table[LG__TEXT_NODE], count);
    if (nodes != NULL)
        list_marked(blocks, size, nodes);
    return nodes != NULL;
}

static bool
list_blocks(lg_builder *builder, lg__marked_block *blocks)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t first_added = 0;
    mark_all(builder, blocks);
    uint32_t count =
        lg__count_marks(blocks, lg__marked_blocks(builder->node_count));
    uint32_t *strings = lg__vector_extend(&rest->allocator,
                                          &rest->table[LG__TEXT_STRING], count);
    if (strings == NULL || !append_additions(builder, &first_added))
        return false;
    store_strings(builder, blocks, first_added, strings);
    return list_nodes(builder, blocks, count);
}

static lg_status
finish_texts(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t count;
    lg_additions_texts(rest->additions, &count);
    bool listed = count + rest->text.count == 0;
    const size_t size =
        lg__marked_blocks(builder->node_count) * sizeof(lg__marked_block);
    lg__marked_block *blocks =
        listed ? NULL : lg__allocate(&rest->allocator, size);
    if (blocks != NULL) {
        memset(blocks, 0, size);
        listed = list_blocks(builder, blocks);
        if (rest->texts == NULL)
            lg__deallocate(&rest->allocator, blocks, size);
    }
    lg__vector_free(&rest->allocator, &rest->text);
    lg__additions_free(builder);
    return listed ? LG_OK : lg__error_memory(err);
}

// Sorts the facts of a builder.

// Sorts the few facts of a node by key. Facts with the same key stay in order
// of arrival.
static void
sort_keys(lg__fact *facts, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        lg__fact fact = facts[i];
        size_t at = i;
        for (; at > 0 && facts[at - 1].key > fact.key; at--)
            facts[at] = facts[at - 1];
        facts[at] = fact;
    }
}

// Keeps only the last fact of each key.
static bool
take_facts(struct lg_builder_rest *rest, const lg__fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((i + 1 == count || facts[i + 1].key != facts[i].key) &&
            (!lg__rest_push(rest, LG__FACT_NODE, facts[i].node) ||
             !lg__rest_push(rest, LG__FACT_KEY, facts[i].key) ||
             !lg__rest_push(rest, LG__FACT_VALUE, facts[i].value)))
            return false;
    return true;
}

static lg_status
finish_facts(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__fact *facts = rest->fact.data;
    size_t count = rest->fact.count;
    if (!lg__radix_sort(&rest->allocator, facts, count, sizeof *facts))
        return lg__error_memory(err);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && facts[end].node == facts[begin].node)
            end++;
        sort_keys(facts + begin, end - begin);
        if (!take_facts(rest, facts + begin, end - begin))
            return lg__error_memory(err);
    }
    lg__vector_free(&rest->allocator, &rest->fact);
    return LG_OK;
}

// Sorts the segments and blocks of devices' allocators.

static int
compare_segments(const void *left, const void *right)
{
    const lg__segment *a = left;
    const lg__segment *b = right;
    if (a->segment.device != b->segment.device)
        return a->segment.device < b->segment.device ? -1 : 1;
    if (a->segment.address != b->segment.address)
        return a->segment.address < b->segment.address ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Compares blocks. The segments are sorted already, so their order includes the
// device.
static int
compare_blocks(const void *left, const void *right)
{
    const lg_block *a = left;
    const lg_block *b = right;
    if (a->segment != b->segment)
        return a->segment < b->segment ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static lg_status
sort_segments(struct lg_builder_rest *rest, lg_error *err)
{
    size_t count = rest->segment.count;
    lg__segment *segments = rest->segment.data;
    if (count == 0)
        return LG_OK;
    lg__sort(segments, count, sizeof *segments, compare_segments);
    lg_segment *out =
        lg__vector_extend(&rest->allocator, &rest->table[LG__SEGMENT], count);
    if (out == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        out[i] = segments[i].segment;
    return LG_OK;
}

static lg_status
sort_blocks(struct lg_builder_rest *rest, const uint32_t *place, lg_error *err)
{
    size_t count = rest->block.count;
    lg_block *blocks = rest->block.data;
    if (count == 0)
        return LG_OK;
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].segment >= rest->segment.count)
            return lg_error_set(err, LG_EINVAL,
                                "block %zu lies in a segment that was not "
                                "added",
                                i);
        blocks[i].segment = place[blocks[i].segment];
    }
    lg__sort(blocks, count, sizeof *blocks, compare_blocks);
    lg_block *out =
        lg__vector_extend(&rest->allocator, &rest->table[LG__BLOCK], count);
    if (out == NULL)
        return lg__error_memory(err);
    memcpy(out, blocks, count * sizeof *out);
    return LG_OK;
}

static lg_status
finish_blocks(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t size = rest->segment.count * sizeof(uint32_t);
    lg_status status = sort_segments(rest, err);
    if (status != LG_OK)
        return status;
    uint32_t *place = lg__allocate(&rest->allocator, size);
    if (place == NULL)
        return lg__error_memory(err);
    const lg__segment *segments = rest->segment.data;
    for (size_t i = 0; i < rest->segment.count; i++)
        place[segments[i].index] = (uint32_t)i;
    status = sort_blocks(rest, place, err);
    lg__deallocate(&rest->allocator, place, size);
    return status;
}

static lg_status
add_missing_info(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t key = lg_builder_intern(builder, "partial", 7);
    const uint32_t *keys = rest->table[LG__INFO_KEY].data;
    for (size_t i = 0; i < rest->table[LG__INFO_KEY].count; i++)
        if (keys[i] == key)
            return LG_OK;
    lg_builder_set_info(builder, "partial", "no");
    return builder->status == LG_OK ? LG_OK : lg__error_memory(err);
}

static lg_status
out_of_order(lg_error *err, const char *what, uint64_t where)
{
    return lg_error_set(err, LG_EINVAL, "%s is out of range or order (at %llu)",
                        what, (unsigned long long)where);
}

// Closes the nodes after the last opened one, which have no edges.
static lg_status
finish_first_edges(lg_builder *builder, lg_error *err)
{
    if (builder->node_capacity == 0 && !lg_builder_grow_nodes(builder))
        return lg__error_memory(err);
    if (builder->edge_capacity == 0 && !lg_builder_grow_edges(builder))
        return lg__error_memory(err);
    lg_builder_put_first_edges(builder, builder->node_count,
                               (uint32_t)builder->edge_count);
    if (lg_builder_first_edge(builder, 0) != 0)
        return out_of_order(err, "an edge added before any node was opened", 0);
    return LG_OK;
}

// All nodes have their edges, but for the late ones.
static lg_status
finish_payloads(lg_builder *builder, lg_error *err)
{
    return lg__windows_end(builder) ? LG_OK : lg__error_memory(err);
}

static void
move_edges(lg_builder *builder, uint64_t from, uint64_t to, uint64_t count)
{
    memmove(builder->edge_word + to, builder->edge_word + from,
            count * sizeof *builder->edge_word);
    if (!lg_builder_packs_edges(builder))
        memmove(builder->edge_kind + to, builder->edge_kind + from, count);
}

// Merges late edges, from the last node to the first, so that edges move in
// place. A node's late edges go behind its own. All edges behind them move as a
// block. First edges change once all have moved.
static void
merge_late(lg_builder *builder, const lg__late_edge *late, size_t count)
{
    const size_t all = count;
    uint64_t own_end = builder->edge_count; // edges from here on have moved
    builder->edge_count += count;
    while (count > 0) {
        uint32_t source = late[count - 1].source;
        uint64_t own = lg_builder_first_edge(builder, source + 1);
        move_edges(builder, own, own + count, own_end - own);
        own_end = own;
        for (uint64_t end = own + count;
             count > 0 && late[count - 1].source == source;) {
            const lg__late_edge *edge = &late[--count];
            end--;
            lg_builder_write_edge(builder, end, edge->target, edge->kind);
        }
    }
    lg__first_edges_add(builder, late, all);
}

static lg_status
merge_all_late(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__vector *late = &rest->late;
    if (late->count == 0)
        return LG_OK;
    if (!lg__builder_reserve_edges(builder, builder->edge_count + late->count))
        return lg__builder_status(builder, err);
    lg__late_edge *edges = late->data;
    if (!lg__radix_sort(&rest->allocator, edges, late->count, sizeof *edges))
        return lg__error_memory(err);
    if (edges[late->count - 1].source >= builder->node_count)
        return out_of_order(err, "the source of a late edge",
                            edges[late->count - 1].source);
    merge_late(builder, edges, late->count);
    return LG_OK;
}

static lg_status
finish_late_edges(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg_status status = merge_all_late(builder, err);
    if (status != LG_OK)
        return status;
    if (!lg__windows_complete(builder, &rest->late, &rest->payloads))
        return lg__error_memory(err);
    lg__vector_free(&rest->allocator, &rest->late);
    return LG_OK;
}

// Compares by node, then by number.
static int
compare_in_order(const void *left, const void *right)
{
    const lg__node_number *a = left;
    const lg__node_number *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

// Lists the devices. A node's last device counts; device 0 is the host.
static lg_status
finish_devices(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__node_number *placed = rest->placed.data;
    const size_t count = rest->placed.count;
    if (count > 0)
        lg__sort(placed, count, sizeof *placed, compare_in_order);
    for (size_t i = 0; i < count; i++) {
        uint32_t last = (uint32_t)placed[i].number;
        if (i + 1 < count && placed[i + 1].node == placed[i].node)
            continue;
        if (last != 0 &&
            (!lg__rest_push(rest, LG__DEVICE_NODE, placed[i].node) ||
             !lg__rest_push(rest, LG__DEVICE_ID, last)))
            return lg__error_memory(err);
    }
    return LG_OK;
}

// Gives the columns of addresses, sizes and counts the form that they have in a
// graph.

// Lists the sizes that files have no 32 bits for.
static bool
list_big_sizes(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg__node_number *listed = rest->size.listed.data;
    for (size_t i = 0; i < rest->size.listed.count; i++) {
        const uint32_t node = listed[i].node;
        if (listed[i].number < UINT32_MAX ||
            lg_builder_size(builder, node) < UINT32_MAX)
            continue;
        uint64_t *size =
            lg__vector_extend(&rest->allocator, &rest->table[LG__BIG_SIZE], 1);
        if (size == NULL || !lg__rest_push(rest, LG__BIG_NODE, node))
            return false;
        *size = listed[i].number;
    }
    return true;
}

static void
free_column(lg_builder *builder, enum lg__open_column name)
{
    lg__vector column = lg__builder_take(builder, name, 0);
    lg__vector_free(&builder->rest->allocator, &column);
}

static bool
pack_addresses(lg_builder *builder)
{
    const lg_allocator *allocator = &builder->rest->allocator;
    lg__left_addresses *left = &builder->rest->left;
    const uint32_t nodes = builder->node_count;
    uint64_t complements[LG_PACKED_BLOCK];
    bool enough = lg__packing_move(allocator, &left->next, &left->read) &&
                  lg__vector_reserve(allocator, &left->read.block,
                                     (size_t)lg_packed_blocks(nodes));
    for (uint32_t node = left->prepared; node < nodes && enough;) {
        size_t count = 0;
        while (count < LG_PACKED_BLOCK && node < nodes)
            complements[count++] = ~lg_builder_address(builder, node++);
        enough = lg__packing_add(allocator, &left->read, complements, count);
    }
    return enough;
}

static bool
finish_addresses(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    if (builder->node_count == 0)
        return true;
    const bool enough = pack_addresses(builder);
    free_column(builder, LG__OPEN_ADDRESS_LOW);
    free_column(builder, LG__OPEN_ADDRESS_HIGH);
    if (!enough || !lg__packing_finish(&rest->allocator, &rest->left.read,
                                       builder->node_count,
                                       &rest->made[LG_NARROW_ADDRESS]))
        return false;
    return lg__packing_open(&rest->allocator, 0, &rest->left.read);
}

static bool
finish_open(lg_builder *builder, lg__numbers *numbers,
            enum lg__open_column column, lg_narrow_name name)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__vector elements =
        lg__builder_take(builder, column, builder->node_count);
    const bool enough = lg__numbers_finish(&rest->allocator, numbers, &elements,
                                           &rest->made[name]);
    lg__vector_free(&rest->allocator, &elements);
    return enough;
}

static lg_status
finish_numbers(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    const bool enough =
        list_big_sizes(builder) &&
        lg__numbers_finish(&rest->allocator, &rest->found, &rest->counts.low,
                           &rest->made[LG_NARROW_FOUND]) &&
        finish_open(builder, &rest->refcount, LG__OPEN_REFCOUNT,
                    LG_NARROW_REFCOUNT) &&
        finish_open(builder, &rest->size, LG__OPEN_SIZE, LG_NARROW_SIZE) &&
        finish_addresses(builder);
    return enough ? LG_OK : lg__error_memory(err);
}

// From this many nodes on, a second thread does a part of the work.
enum { FOR_HELPER = 1 << 17 };

// A builder with additions has an allocator that bears two threads. One
// without may be in a child of fork(), where no thread may start.
static bool
is_for_two(const lg_builder *builder)
{
    return builder->rest->additions != NULL &&
           builder->node_count >= FOR_HELPER;
}

typedef lg_status (*step)(lg_builder *builder, lg_error *err);

static lg_status
run_steps(lg_builder *builder, const step *steps, size_t count, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++)
        status = steps[i](builder, err);
    return status;
}

static lg_status
merge(void *builder, lg_error *err)
{
    return finish_late_edges(builder, err);
}

static lg_status
list_texts(void *builder, lg_error *err)
{
    return finish_texts(builder, err);
}

// The longest two steps share nothing.
static lg_status
run_both_steps(lg_builder *builder, lg_error *err)
{
    const lg__work merging = {merge, builder};
    const lg__work listing = {list_texts, builder};
    return lg__run_parallel(&merging, &listing, is_for_two(builder), err);
}

static lg_status
run_all_steps(lg_builder *builder, lg_error *err)
{
    static const step before[] = {
        add_missing_info, finish_equal,     lg__finish_spans,
        finish_blocks,    finish_facts,     finish_first_edges,
        finish_payloads,  lg__finish_found,
    };
    static const step after[] = {
        finish_devices,
        lg__finish_roots,
        finish_numbers,
    };
    lg_status status = lg__builder_status(builder, err);
    if (status == LG_OK)
        status =
            run_steps(builder, before, sizeof before / sizeof *before, err);
    if (status == LG_OK)
        status = run_both_steps(builder, err);
    if (status == LG_OK)
        status = run_steps(builder, after, sizeof after / sizeof *after, err);
    return status;
}

static void
take_column(lg_builder *builder, enum lg__open_column from, lg_graph *graph,
            enum lg__array_name name, uint64_t count)
{
    lg__vector column = lg__builder_take(builder, from, count);
    lg__vector_trim(&builder->rest->allocator, &column);
    graph->array[name] = lg__vector_take(&column);
}

static lg__first_edges_made
take_first_edges(lg_builder *builder)
{
    const uint64_t nodes = builder->node_count;
    const uint64_t far = builder->far_count;
    const uint64_t blocks = nodes / LG_FIRST_EDGES_BLOCK + 1;
    builder->far_count = 0;
    return (lg__first_edges_made){
        .above =
            lg__builder_take(builder, LG__OPEN_FIRST_ABOVE, nodes + blocks),
        .base = lg__builder_take(builder, LG__OPEN_FIRST_BASE, blocks),
        .far_block = lg__builder_take(builder, LG__OPEN_FAR_BLOCK, far),
        .far_number = lg__builder_take(builder, LG__OPEN_FAR_NUMBER,
                                       far * LG_FIRST_EDGES_BLOCK),
    };
}

// The graph gets its narrow columns when it is bound.
static void
take_columns(lg_builder *builder, lg_graph *graph)
{
    const uint64_t nodes = builder->node_count;
    const uint64_t edges = builder->edge_count;
    struct lg_builder_rest *rest = builder->rest;
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++) {
        lg__vector_trim(&rest->allocator, &rest->table[i]);
        graph->array[i] = lg__vector_take(&rest->table[i]);
    }
    take_column(builder, LG__OPEN_WIDE_TYPE, graph, LG__TYPE, nodes);
    take_column(builder, LG__OPEN_FLAGS, graph, LG__NODE_FLAGS, nodes);
    take_column(builder, LG__OPEN_WORD, graph, LG__EDGE_TARGET, edges);
    take_column(builder, LG__OPEN_KIND, graph, LG__EDGE_KIND, edges);
    for (int i = 0; i <= LG_NARROW_FOUND; i++)
        graph->array[lg__narrow_arrays[i]].count = nodes;
    graph->array[LG__EDGE_PAYLOAD].count = edges;
    graph->array[LG__TEXT_NODE].count = graph->array[LG__TEXT_STRING].count;
    graph->array[LG__FIRST_EDGE].count = nodes + 1;
}

// Gives a graph the marks of its texts, of which it has no nodes.
static void
give_texts(lg_graph *graph, lg__marked_block *marks)
{
    if (marks == NULL)
        return;
    graph->array[LG__TEXT_NODE].data = NULL;
    graph->text_node = NULL;
    graph->lazy->texts = marks;
    graph->lazy->has_texts = true;
}

// Frees what is left of a builder once the graph owns its blocks and its
// allocator.
static void
free_shell(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    rest->allocator.release = NULL;
    lg_builder_free(builder);
}

// Reports what the checks call damage as an argument that is not valid.
static lg_status
invalid_input(lg_status status, lg_error *err)
{
    if (status != LG_EFORMAT)
        return status;
    if (err != NULL)
        err->status = LG_EINVAL;
    return LG_EINVAL;
}

static lg_status
check(const lg_graph *graph, lg_error *err)
{
    const lg_status status = lg__check_tables(graph, err);
    return status == LG_OK ? lg__check_first_edges(&graph->columns, err)
                           : status;
}

lg_status
lg_builder_finish(lg_builder *builder, lg_graph **out, lg_error *err)
{
    lg_status status = run_all_steps(builder, err);
    if (status != LG_OK) {
        lg_builder_free(builder);
        return invalid_input(status, err);
    }
    lg_allocator allocator = builder->rest->allocator;
    lg_allocator unreleased = allocator;
    unreleased.release = NULL;
    lg_graph *graph = NULL;
    status = lg__graph_new(&unreleased, &graph, err);
    if (status != LG_OK) {
        lg_builder_free(builder);
        return status;
    }
    lg__vector types = lg__builder_take(builder, LG__OPEN_TYPE,
                                        (uint64_t)builder->node_count + 1);
    lg__first_edges_made first = take_first_edges(builder);
    const lg__payload_arrays payloads = builder->rest->payloads;
    const bool packed = lg_builder_packs_edges(builder);
    lg__made_column made[LG_NARROW_FOUND + 1];
    memcpy(made, builder->rest->made, sizeof made);
    lg__marked_block *texts = builder->rest->texts;
    builder->rest->texts = NULL;
    builder->rest->payloads = (lg__payload_arrays){.block = NULL};
    memset(builder->rest->made, 0, sizeof made);
    take_columns(builder, graph);
    free_shell(builder);
    graph->allocator.release = allocator.release;
    status = lg__graph_bind(graph, err);
    if (packed)
        lg__edges_are_packed(graph);
    lg__payloads_give(graph, &payloads);
    give_texts(graph, texts);
    lg__type_ids_give(graph, &types);
    if (!lg__first_edges_give(graph, &first) && status == LG_OK)
        status = lg__error_memory(err);
    for (int i = 0; i <= LG_NARROW_FOUND; i++)
        lg__column_give(graph, (lg_narrow_name)i, &made[i]);
    if (status == LG_OK)
        status = check(graph, err);
    if (status == LG_OK)
        status = lg__graph_settle(graph, err);
    if (status == LG_OK)
        *out = graph;
    else
        lg_graph_free(graph);
    return invalid_input(status, err);
}
