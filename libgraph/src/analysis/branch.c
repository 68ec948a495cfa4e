// Ancestors in a tree that grows from its root: jump pointers.
//
// Skew-binary ones (Myers, "An applicative random-access stack"): with one jump
// a node, any ancestor is O(log depth) steps away. Nodes near the root have
// none, because all their ancestors are few steps away, and most nodes of a
// heap are that near. For the jumps below, a shallow node is a root.
#include "analysis/dominator_builder.h"

bool
lg__branches_open(size_t count, lg__branches *out)
{
    const lg_allocator allocator = lg_allocator_default();
    *out = (lg__branches){
        .depth = lg__calloc(count, sizeof *out->depth),
        .deep = lg__sparse_calloc(count, sizeof *out->deep),
    };
    out->parent = lg__compact_open(&allocator, count, &out->parents);
    return out->parent != NULL && out->depth != NULL && out->deep != NULL;
}

void
lg__branches_free(lg__branches *branches)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__compact_free(&allocator, &branches->parents);
    lg__free(branches->depth);
    lg__free(branches->deep);
    *branches = (lg__branches){0};
}

static inline bool
is_deep(const lg__branches *branches, uint32_t node)
{
    return branches->depth[node] == LG__BRANCH_DEEP;
}

static inline uint32_t
jump_of(const lg__branches *branches, uint32_t node)
{
    return is_deep(branches, node) ? branches->deep[node].jump : node;
}

void
lg__branch_settle(lg__branches *branches, uint32_t node)
{
    const uint32_t parent = branches->parent[node];
    const uint32_t depth = lg__branch_depth(branches, parent) + 1;
    branches->depth[node] =
        (uint8_t)(depth < LG__BRANCH_DEEP ? depth : LG__BRANCH_DEEP);
    if (depth < LG__BRANCH_DEEP)
        return;
    const uint32_t jump = jump_of(branches, parent);
    const uint32_t next = jump_of(branches, jump);
    const uint32_t middle = lg__branch_depth(branches, jump);
    const bool even =
        depth - 1 - middle == middle - lg__branch_depth(branches, next);
    branches->deep[node] = (lg__deep_branch){even ? next : parent, depth};
}

uint32_t
lg__branch_ancestor(const lg__branches *branches, uint32_t node, uint32_t depth)
{
    while (is_deep(branches, node) && branches->deep[node].depth > depth) {
        const uint32_t jump = branches->deep[node].jump;
        node = lg__branch_depth(branches, jump) >= depth
                   ? jump
                   : branches->parent[node];
    }
    while (branches->depth[node] > depth)
        node = branches->parent[node];
    return node;
}

// Nodes of the same depth have jumps of the same length.
uint32_t
lg__branch_meet(const lg__branches *branches, uint32_t a, uint32_t b)
{
    const uint32_t depth_a = lg__branch_depth(branches, a);
    const uint32_t depth_b = lg__branch_depth(branches, b);
    if (depth_a > depth_b)
        a = lg__branch_ancestor(branches, a, depth_b);
    else
        b = lg__branch_ancestor(branches, b, depth_a);
    while (a != b && is_deep(branches, a)) {
        const uint32_t jump_a = branches->deep[a].jump;
        const uint32_t jump_b = branches->deep[b].jump;
        const bool far = jump_a != jump_b;
        a = far ? jump_a : branches->parent[a];
        b = far ? jump_b : branches->parent[b];
    }
    while (a != b) {
        a = branches->parent[a];
        b = branches->parent[b];
    }
    return a;
}
