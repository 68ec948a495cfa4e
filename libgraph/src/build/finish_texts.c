// Lists the texts of the nodes. A node's last text counts: the builder's if the
// producer set one, otherwise that of the side.
#include "base/base_private.h"
#include "build/build_private.h"

#include <string.h>

enum { WORD = 64 };

// Which nodes have a text: a bit for each node, and how many bits are set in
// the words before each word. That gives a node its place in the list.
typedef struct marks {
    uint64_t *bits;
    uint32_t *before;
    size_t words;
} marks;

static size_t
mark_bytes(const marks *set)
{
    return set->words * (sizeof *set->bits + sizeof *set->before);
}

static bool
open_marks(const lg_builder *builder, marks *out)
{
    out->words = builder->node_count / WORD + 1;
    out->bits = lg__allocate(&builder->rest->allocator, mark_bytes(out));
    if (out->bits == NULL)
        return false;
    memset(out->bits, 0, out->words * sizeof *out->bits);
    out->before = (uint32_t *)(out->bits + out->words);
    return true;
}

static void
mark(marks *set, uint32_t node)
{
    set->bits[node / WORD] |= UINT64_C(1) << node % WORD;
}

// How many bits of a word are set.
static uint32_t
count_bits(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) +
           (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static uint32_t
place_of(const marks *set, uint32_t node)
{
    uint64_t below = (UINT64_C(1) << node % WORD) - 1;
    return set->before[node / WORD] +
           count_bits(set->bits[node / WORD] & below);
}

// Returns how many nodes are marked.
static uint32_t
count_marks(marks *set)
{
    uint32_t count = 0;
    for (size_t i = 0; i < set->words; i++) {
        set->before[i] = count;
        count += count_bits(set->bits[i]);
    }
    return count;
}

static void
list_marked(const marks *set, uint32_t *nodes)
{
    for (size_t i = 0; i < set->words; i++)
        for (uint64_t rest = set->bits[i]; rest != 0; rest &= rest - 1)
            *nodes++ = (uint32_t)(i * WORD) + (uint32_t)__builtin_ctzll(rest);
}

// The side may have texts of nodes that the builder does not.
static void
mark_all(const lg_builder *builder, marks *set)
{
    size_t count;
    const uint32_t *side = lg_side_texts(builder->rest->side, &count);
    const lg__vector *own = &builder->rest->text;
    for (size_t i = 0; i < count; i++)
        if (side[i] < builder->node_count)
            mark(set, side[i]);
    for (size_t i = 0; i < own->count; i++)
        mark(set, ((const lg__node_text *)own->data)[i].node);
}

// Stores each string at the place of its node, in order of arrival.
static void
store_strings(const lg_builder *builder, const marks *set,
              uint32_t first_of_side, uint32_t *strings)
{
    size_t count;
    const uint32_t *side = lg_side_texts(builder->rest->side, &count);
    const lg__node_text *own = builder->rest->text.data;
    for (size_t i = 0; i < count; i++)
        if (side[i] < builder->node_count)
            strings[place_of(set, side[i])] = first_of_side + (uint32_t)i;
    for (size_t i = 0; i < builder->rest->text.count; i++)
        strings[place_of(set, own[i].node)] = own[i].string;
}

static bool
list_texts(lg_builder *builder, marks *set)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t first_of_side = 0;
    mark_all(builder, set);
    uint32_t count = count_marks(set);
    uint32_t *nodes =
        lg__vector_extend(&rest->allocator, &rest->table[LG__TEXT_NODE], count);
    uint32_t *strings = lg__vector_extend(&rest->allocator,
                                          &rest->table[LG__TEXT_STRING], count);
    if (nodes == NULL || strings == NULL ||
        !lg__side_append(builder, &first_of_side))
        return false;
    list_marked(set, nodes);
    store_strings(builder, set, first_of_side, strings);
    return true;
}

lg_status
lg__finish_texts(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t count;
    lg_side_texts(rest->side, &count);
    marks set;
    bool listed = count + rest->text.count == 0;
    if (!listed && open_marks(builder, &set)) {
        listed = list_texts(builder, &set);
        lg__deallocate(&rest->allocator, set.bits, mark_bytes(&set));
    }
    lg__vector_free(&rest->allocator, &rest->text);
    lg__side_free(builder);
    return listed ? LG_OK : lg__error_memory(err);
}
