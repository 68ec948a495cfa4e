// Random problems with rows of nodes, with and without shortening the rows.
#include "analysis/chains.h"
#include "test.h"

enum { PROBLEMS = 5000, NODES = 400, EDGES = 4 * NODES };

typedef struct drawing {
    uint32_t nodes;
    uint64_t edges;
    uint32_t source[EDGES];
    uint32_t target[EDGES];
    uint64_t state;
} drawing;

static uint32_t
below(drawing *made, uint32_t limit)
{
    return (uint32_t)(test_random(&made->state) % limit);
}

// Node 0 stands for what holds the component: nothing leads back to it.
static void
refer(drawing *made, uint32_t source, uint32_t target)
{
    REQUIRE(made->edges < EDGES);
    if (target == 0 || target == source)
        return;
    made->source[made->edges] = source;
    made->target[made->edges++] = target;
}

// A linked list from one node to another. Some elements have a namespace, some
// refer to something else, and some do not refer back.
static void
add_list(drawing *made, uint32_t from, uint32_t to, uint32_t length)
{
    uint32_t before = from; // the element
    uint32_t by = from;     // what refers to the next one
    for (uint32_t i = 0; i < length; i++) {
        uint32_t element = made->nodes++;
        uint32_t own = element;
        refer(made, by, element);
        if (below(made, 4) == 0) {
            own = made->nodes++;
            refer(made, element, own);
        }
        if (below(made, 16) > 0)
            refer(made, own, before);
        if (below(made, 32) == 0)
            refer(made, own, below(made, made->nodes));
        before = element;
        by = own;
    }
    if (length == 0 || below(made, 4) > 0)
        refer(made, by, to);
    if (below(made, 4) > 0)
        refer(made, to, before);
}

static void
draw(drawing *made, uint64_t seed)
{
    *made = (drawing){.nodes = 1, .state = seed};
    uint32_t hubs = 2 + below(made, 5);
    made->nodes += hubs;
    for (uint32_t hub = 1; hub <= hubs; hub++) {
        add_list(made, below(made, hub), hub, below(made, 3) * below(made, 8));
        refer(made, below(made, hub), hub);
    }
    for (uint32_t i = below(made, 6); i > 0; i--)
        add_list(made, 1 + below(made, hubs), 1 + below(made, hubs),
                 below(made, 9));
    for (uint32_t i = below(made, 4); i > 0; i--)
        refer(made, below(made, hubs + 1), 1 + below(made, hubs));
}

// Gives the nodes but the first one their numbers at random.
static void
shuffle(drawing *made)
{
    uint32_t number[NODES];
    for (uint32_t i = 0; i < made->nodes; i++) {
        uint32_t other = i > 1 ? 1 + below(made, i) : i;
        number[i] = number[other];
        number[other] = i;
    }
    for (uint64_t i = 0; i < made->edges; i++) {
        made->source[i] = number[made->source[i]];
        made->target[i] = number[made->target[i]];
    }
}

static void
random_problems(void)
{
    static drawing made;
    for (uint32_t seed = 0; seed < PROBLEMS && test_failures == 0; seed++) {
        uint32_t whole[NODES], shortened[NODES], iterated[NODES];
        draw(&made, seed);
        REQUIRE(made.nodes <= NODES);
        shuffle(&made);
        lg__problem problem = {.node_count = made.nodes,
                               .edge_count = made.edges,
                               .source = made.source,
                               .target = made.target};
        REQUIRE(lg__solver_ask(&problem, whole, NULL) == LG_OK);
        REQUIRE(lg__chains_solve(&problem, shortened, NULL) == LG_OK);
        REQUIRE(lg__solver_iterate(&problem, iterated));
        for (uint32_t node = 0; node < made.nodes; node++)
            CHECK(shortened[node] == whole[node] &&
                  iterated[node] == whole[node]);
        if (test_failures > 0)
            fprintf(stderr, "seed %u, %u nodes\n", seed, made.nodes);
    }
}

// Both ends are held: no element dominates another. Only what the ends refer to
// is asked of igraph, whatever the length.
static void
long_list(void)
{
    enum { LENGTH = 1000000 };
    uint32_t *source = malloc((2 * LENGTH + 2) * sizeof *source);
    uint32_t *target = malloc((2 * LENGTH + 2) * sizeof *target);
    uint32_t *dominator = malloc((LENGTH + 1) * sizeof *dominator);
    REQUIRE(source != NULL && target != NULL && dominator != NULL);
    uint64_t edges = 0;
    for (uint32_t node = 1; node < LENGTH; node++) {
        source[edges] = target[edges + 1] = node;
        target[edges] = source[edges + 1] = node + 1;
        edges += 2;
    }
    source[edges] = source[edges + 1] = 0;
    target[edges] = 1;
    target[edges + 1] = LENGTH;
    lg__problem problem = {.node_count = LENGTH + 1,
                           .edge_count = edges + 2,
                           .source = source,
                           .target = target};
    REQUIRE(lg__chains_solve(&problem, dominator, NULL) == LG_OK);
    uint32_t held = 0;
    for (uint32_t node = 1; node <= LENGTH; node++)
        held += dominator[node] == 0;
    CHECK(held == LENGTH);
    // Iteration would climb the list again and again.
    CHECK(!lg__solver_iterate(&problem, dominator));
    free(source);
    free(target);
    free(dominator);
}

SUITE(chains)
{
    RUN(random_problems);
    RUN(long_list);
    return test_result();
}
