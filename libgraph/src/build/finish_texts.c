// Lists the texts of the nodes. A node's last text counts: the builder's if the
// producer set one, otherwise that of the side.
#include "base/base_private.h"
#include "build/build_private.h"

#include <string.h>

// How many blocks of 64 nodes tell which nodes have a text.
static size_t
count_blocks(const lg_builder *builder)
{
    return builder->node_count / 64 + 1;
}

static void
mark(lg__text_block *blocks, uint32_t node)
{
    blocks[node / 64].has |= UINT64_C(1) << node % 64;
}

// Returns how many nodes are marked.
static uint32_t
count_marks(lg__text_block *blocks, size_t count)
{
    uint32_t marked = 0;
    for (size_t i = 0; i < count; i++) {
        blocks[i].first = marked;
        marked += lg__count_bits(blocks[i].has);
    }
    return marked;
}

static void
list_marked(const lg__text_block *blocks, size_t count, uint32_t *nodes)
{
    for (size_t i = 0; i < count; i++)
        for (uint64_t rest = blocks[i].has; rest != 0; rest &= rest - 1)
            *nodes++ = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(rest);
}

// The side may have texts of nodes that the builder does not.
static void
mark_all(const lg_builder *builder, lg__text_block *blocks)
{
    size_t count;
    const uint32_t *side = lg_side_texts(builder->rest->side, &count);
    const lg__vector *own = &builder->rest->text;
    for (size_t i = 0; i < count; i++)
        if (side[i] < builder->node_count)
            mark(blocks, side[i]);
    for (size_t i = 0; i < own->count; i++)
        mark(blocks, ((const lg__node_text *)own->data)[i].node);
}

// Stores each string at the place of its node, in order of arrival.
static void
store_strings(const lg_builder *builder, const lg__text_block *blocks,
              uint32_t first_of_side, uint32_t *strings)
{
    size_t count;
    const uint32_t *side = lg_side_texts(builder->rest->side, &count);
    const lg__node_text *own = builder->rest->text.data;
    for (size_t i = 0; i < count; i++)
        if (side[i] < builder->node_count)
            strings[lg__text_place(blocks, side[i])] =
                first_of_side + (uint32_t)i;
    for (size_t i = 0; i < builder->rest->text.count; i++)
        strings[lg__text_place(blocks, own[i].node)] = own[i].string;
}

static bool
list_texts(lg_builder *builder, lg__text_block *blocks)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t first_of_side = 0;
    mark_all(builder, blocks);
    uint32_t count = count_marks(blocks, count_blocks(builder));
    uint32_t *nodes =
        lg__vector_extend(&rest->allocator, &rest->table[LG__TEXT_NODE], count);
    uint32_t *strings = lg__vector_extend(&rest->allocator,
                                          &rest->table[LG__TEXT_STRING], count);
    if (nodes == NULL || strings == NULL ||
        !lg__side_append(builder, &first_of_side))
        return false;
    list_marked(blocks, count_blocks(builder), nodes);
    store_strings(builder, blocks, first_of_side, strings);
    return true;
}

lg_status
lg__finish_texts(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t count;
    lg_side_texts(rest->side, &count);
    bool listed = count + rest->text.count == 0;
    const size_t size = count_blocks(builder) * sizeof(lg__text_block);
    lg__text_block *blocks =
        listed ? NULL : lg__allocate(&rest->allocator, size);
    if (blocks != NULL) {
        memset(blocks, 0, size);
        listed = list_texts(builder, blocks);
        lg__deallocate(&rest->allocator, blocks, size);
    }
    lg__vector_free(&rest->allocator, &rest->text);
    lg__side_free(builder);
    return listed ? LG_OK : lg__error_memory(err);
}
