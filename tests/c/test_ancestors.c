// Ancestors in a tree that grows: what jumps find is what climbing finds.
#include "analysis/dominator_builder.h"

#include "test.h"

enum { NODES = 3000, ASKED = 20000 };

static uint64_t seed;

static uint32_t
below(uint32_t limit)
{
    return (uint32_t)(test_random(&seed) % limit);
}

// Settles a tree in which each node hangs from one of the `near` before it, so
// that fewer make it deeper. Node 0 is the root.
static void
grow(lg__branches *branches, uint32_t near)
{
    REQUIRE(lg__branches_open(NODES, branches));
    for (uint32_t node = 1; node < NODES; node++) {
        const uint32_t reach = node < near ? node : near;
        branches->parent[node] = node - 1 - below(reach);
        lg__branch_settle(branches, node);
    }
}

static uint32_t
depth_by_climbing(const lg__branches *branches, uint32_t node)
{
    uint32_t depth = 0;
    for (; node != 0; node = branches->parent[node])
        depth++;
    return depth;
}

static uint32_t
climb(const lg__branches *branches, uint32_t node, uint32_t steps)
{
    while (steps-- > 0)
        node = branches->parent[node];
    return node;
}

static uint32_t
meet_by_climbing(const lg__branches *branches, uint32_t a, uint32_t b)
{
    const uint32_t of_a = depth_by_climbing(branches, a);
    const uint32_t of_b = depth_by_climbing(branches, b);
    a = climb(branches, a, of_a > of_b ? of_a - of_b : 0);
    b = climb(branches, b, of_b > of_a ? of_b - of_a : 0);
    for (; a != b; b = branches->parent[b])
        a = branches->parent[a];
    return a;
}

// Trees whose nodes are all shallow, all deep but for the first, or both.
static void
as_by_climbing(void)
{
    static const uint32_t nears[] = {1, 2, 10, 100, NODES};
    for (size_t i = 0; i < sizeof nears / sizeof *nears; i++) {
        lg__branches branches;
        seed = i + 1;
        grow(&branches, nears[i]);
        for (unsigned asked = 0; asked < ASKED / nears[i] + 100; asked++) {
            const uint32_t a = below(NODES);
            const uint32_t b = below(NODES);
            const uint32_t depth = depth_by_climbing(&branches, a);
            const uint32_t above = below(depth + 1);
            CHECK(lg__branch_depth(&branches, a) == depth);
            CHECK(lg__branch_ancestor(&branches, a, above) ==
                  climb(&branches, a, depth - above));
            CHECK(lg__branch_meet(&branches, a, b) ==
                  meet_by_climbing(&branches, a, b));
        }
        lg__branches_free(&branches);
    }
}

// A row of nodes has a jump that is longer than any step, unless it is short.
static void
deep_nodes_jump(void)
{
    lg__branches branches;
    uint32_t longest = 0;
    grow(&branches, 1);
    for (uint32_t node = LG__BRANCH_DEEP; node < NODES; node++) {
        const uint32_t jumped = node - branches.deep[node].jump;
        longest = jumped > longest ? jumped : longest;
    }
    CHECK(longest > NODES / 4);
    lg__branches_free(&branches);
}

SUITE(ancestors)
{
    RUN(as_by_climbing);
    RUN(deep_nodes_jump);
    return test_result();
}
