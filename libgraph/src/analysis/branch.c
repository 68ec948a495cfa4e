// Ancestors in a tree that grows from its root: jump pointers.
#include "analysis/dominator_builder.h"

// Skew-binary jump pointers (Myers, "An applicative random-access stack"): with
// one jump a node, any ancestor is O(log depth) steps away.
void
lg__branch_settle(lg__branch *branch, uint32_t node)
{
    uint32_t parent = branch[node].parent;
    uint32_t jump = branch[parent].jump;
    branch[node].depth = branch[parent].depth + 1;
    bool even = branch[parent].depth - branch[jump].depth ==
                branch[jump].depth - branch[branch[jump].jump].depth;
    branch[node].jump = even ? branch[jump].jump : parent;
}

uint32_t
lg__branch_ancestor(const lg__branch *branch, uint32_t node, uint32_t depth)
{
    while (branch[node].depth > depth) {
        uint32_t jump = branch[node].jump;
        node = branch[jump].depth >= depth ? jump : branch[node].parent;
    }
    return node;
}

uint32_t
lg__branch_meet(const lg__branch *branch, uint32_t a, uint32_t b)
{
    if (branch[a].depth > branch[b].depth)
        a = lg__branch_ancestor(branch, a, branch[b].depth);
    else
        b = lg__branch_ancestor(branch, b, branch[a].depth);
    // Nodes of the same depth have jumps of the same length.
    while (a != b) {
        bool far = branch[a].jump != branch[b].jump;
        a = far ? branch[a].jump : branch[a].parent;
        b = far ? branch[b].jump : branch[b].parent;
    }
    return a;
}
