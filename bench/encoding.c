// Measures how few bytes a saved graph needs, and what reading them costs:
//
//     encoding FILE size BLOCK [lines] [masks] [exceptions] [WINDOW]
//     encoding FILE speed BLOCK
//     encoding FILE codings BLOCK
//
// Prints JSON. `size` gives bytes by column, without what the words name, and
// with the nodes of so many in a row sorted by type. `speed` compares passes
// over the packed graph with the same passes over columns, in turn. `codings`
// gives what other codings of targets need. Before anything else, it compares
// every number of the packed graph with the columns.
#include "codings.h"
#include "packed.h"
#include "passes.h"

#include <leakgraph/file.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SEARCHED = 1000 };

static void
fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static bool
node_is_same(const lg_columns *columns, uint32_t node,
             const packed_nodes *nodes, uint32_t i)
{
    return lg_columns_address(columns, node) == nodes->address[i] &&
           lg_columns_type(columns, node) == nodes->type[i] &&
           lg_columns_size(columns, node) == nodes->size[i] &&
           lg_columns_refcount(columns, node) == nodes->refcount[i] &&
           lg_columns_found(columns, node) == nodes->found[i] &&
           lg_columns_flags(columns, node) == nodes->flags[i] &&
           lg_columns_first_edge(columns, node + 1) -
                   lg_columns_first_edge(columns, node) ==
               nodes->first[i + 1] - nodes->first[i];
}

static void
check(const packed *graph, const lg_columns *columns)
{
    packed_nodes nodes = {0};
    for (uint32_t first = 0; first < graph->nodes; first += graph->block) {
        packed_read(graph, first / graph->block,
                    PACKED_WITH_KINDS | PACKED_WITH_PAYLOADS |
                        PACKED_WITH_NODES,
                    &nodes);
        for (uint32_t i = 0; i < nodes.count; i++)
            if (!node_is_same(columns, first + i, &nodes, i))
                fail("a node differs");
        uint64_t edge = lg_columns_first_edge(columns, first);
        for (uint32_t i = 0; i < nodes.first[nodes.count]; i++)
            if (lg_columns_target(columns, edge + i) != nodes.target[i] ||
                lg_columns_kind(columns, edge + i) != nodes.kind[i] ||
                lg_columns_payload(columns, edge + i) != nodes.payload[i])
                fail("a reference differs");
    }
    packed_nodes_free(&nodes);
}

// Compares the references to each node, by their numbers. Searches for them
// where there are few.
static void
check_sources(const packed *graph, const lg_columns *columns)
{
    packed_list sources = {0};
    uint32_t *met = calloc(graph->nodes + 1, sizeof *met);
    for (uint32_t node = 0; met != NULL && node < graph->nodes; node++) {
        uint32_t count = packed_sources(graph, node, &sources);
        met[node] = count;
        for (uint32_t i = 0; i < count && count < MOST_SEARCHED; i++) {
            uint64_t edge = lg_columns_first_edge(columns, sources.items[i]);
            uint64_t end = lg_columns_first_edge(columns, sources.items[i] + 1);
            if (end - edge > MOST_SEARCHED)
                continue;
            while (edge < end && lg_columns_target(columns, edge) != node)
                edge++;
            if (edge == end)
                fail("a source does not refer to the node");
        }
    }
    for (uint64_t edge = 0; met != NULL && edge < columns->edge_count; edge++)
        met[lg_columns_target(columns, edge)]--;
    for (uint32_t node = 0; met != NULL && node < graph->nodes; node++)
        if (met[node] != 0)
            fail("a node has another number of references to it");
    free(met);
    free(sources.items);
}

static void
print_sizes(const packed *graph)
{
    const packed_sizes *sizes = &graph->sizes;
    double nodes = graph->nodes;
    const struct {
        const char *name;
        uint64_t bytes;
    } parts[] = {
        {"shapes", sizes->shapes}, {"targets", sizes->targets},
        {"items", sizes->items},   {"address", sizes->address},
        {"size", sizes->size},     {"counts", sizes->counts},
        {"tables", sizes->tables}, {"sources", sizes->sources},
        {"ranks", sizes->ranks},
    };
    printf("{\"nodes\": %u, \"edges\": %llu, \"kinds\": %u", graph->nodes,
           (unsigned long long)graph->edges, graph->shapes.count);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        printf(", \"%s\": %.4f", parts[i].name, (double)parts[i].bytes / nodes);
    printf("}\n");
}

static void
measure_sizes(const lg_columns *columns, uint32_t block, int argc, char **argv)
{
    column_choices choices = {0};
    uint32_t window = 0;
    for (int i = 0; i < argc; i++) {
        choices.no_lines |= strcmp(argv[i], "lines") == 0;
        choices.no_masks |= strcmp(argv[i], "masks") == 0;
        choices.no_exceptions |= strcmp(argv[i], "exceptions") == 0;
        window = (uint32_t)strtoul(argv[i], NULL, 10);
    }
    lg_columns sorted = window ? codings_sorted(columns, window) : *columns;
    packed graph = packed_new(&sorted, block, &choices);
    check(&graph, &sorted);
    packed_reverse(&graph, 1);
    check_sources(&graph, &sorted);
    print_sizes(&graph);
    packed_free(&graph);
    if (window)
        codings_free(&sorted);
}

int
main(int argc, char **argv)
{
    lg_graph *graph = NULL;
    lg_error err;
    if (argc < 4)
        fail("usage: encoding FILE size|speed|codings BLOCK");
    if (lg_graph_load(argv[1], 0, NULL, &graph, &err) != LG_OK)
        fail(err.message);
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t block = (uint32_t)strtoul(argv[3], NULL, 10);
    if (block != 64 && block != 128 && block != 256)
        fail("a block has 64, 128 or 256 nodes");
    if (strcmp(argv[2], "size") == 0)
        measure_sizes(columns, block, argc - 4, argv + 4);
    else if (strcmp(argv[2], "speed") == 0)
        passes_measure(columns, block);
    else
        codings_measure(columns, block);
    lg_graph_free(graph);
    return 0;
}
