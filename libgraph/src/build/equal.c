// Turns the hashes of contents into groups of nodes, and drops the hashes,
// because short texts could be guessed from them.
#include "build/build_private.h"

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

lg_status
lg__finish_equal(lg_builder *builder, lg_error *err)
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
