// What analyses do with a graph: passes in order, and walks that jump.
#include "passes.h"

#include "packed_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 3 };

static const uint32_t LEAVE = UINT32_C(1) << 31;

// The columns, the packed graph, and memory for a pass.
typedef struct both {
    const lg_columns *columns;
    packed graph;
    packed_nodes nodes;
    packed_list list;
    uint32_t *degree; // [nodes]
    uint32_t *queue;  // [nodes]
    uint8_t *met;     // [nodes]
    uint64_t *first;  // [nodes + 1] of the copy
    uint32_t *target; // [edges] of the copy
    bytes waiting;    // of a walk
} both;

// Returns a number that depends on all that the pass has read.
typedef uint64_t pass(both *of);

double
passes_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint32_t
blocks_of(const both *of)
{
    return (of->graph.nodes + of->graph.block - 1) / of->graph.block;
}

static uint64_t
sum_of(const uint32_t *numbers, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum = sum * 31 + numbers[i];
    return sum;
}

static uint64_t
degrees_of_columns(both *of)
{
    const lg_columns *columns = of->columns;
    memset(of->degree, 0, columns->node_count * sizeof *of->degree);
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        of->degree[lg_columns_target(columns, edge)]++;
    return sum_of(of->degree, columns->node_count);
}

static uint64_t
degrees_of_packed(both *of)
{
    memset(of->degree, 0, of->graph.nodes * sizeof *of->degree);
    for (uint32_t block = 0; block < blocks_of(of); block++) {
        packed_read(&of->graph, block, 0, &of->nodes);
        for (uint32_t i = 0; i < of->nodes.first[of->nodes.count]; i++)
            of->degree[of->nodes.target[i]]++;
    }
    return sum_of(of->degree, of->graph.nodes);
}

static uint64_t
rows_of_columns(both *of)
{
    const lg_columns *columns = of->columns;
    uint64_t sum = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        sum = sum * 31 + lg_columns_size(columns, node) +
              lg_columns_type(columns, node) +
              lg_columns_address(columns, node) +
              lg_columns_flags(columns, node) +
              lg_columns_refcount(columns, node) +
              lg_columns_found(columns, node);
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        sum = sum * 31 + lg_columns_target(columns, edge) +
              lg_columns_payload(columns, edge) +
              lg_columns_kind(columns, edge);
    return sum;
}

static uint64_t
rows_of_packed(both *of)
{
    const packed_nodes *nodes = &of->nodes;
    uint64_t sum = 0;
    for (uint32_t block = 0; block < blocks_of(of); block++) {
        packed_read(&of->graph, block, PACKED_WITH_NODES, &of->nodes);
        for (uint32_t i = 0; i < nodes->count; i++)
            sum = sum * 31 + nodes->size[i] + nodes->type[i] +
                  nodes->address[i] + nodes->flags[i] + nodes->refcount[i] +
                  nodes->found[i];
    }
    for (uint32_t block = 0; block < blocks_of(of); block++) {
        packed_read(&of->graph, block, PACKED_WITH_KINDS | PACKED_WITH_PAYLOADS,
                    &of->nodes);
        for (uint32_t i = 0; i < nodes->first[nodes->count]; i++)
            sum = sum * 31 + nodes->target[i] + nodes->payload[i] +
                  nodes->kind[i];
    }
    return sum;
}

// Lists the targets of a node, without those of weak references.
typedef uint32_t lister(both *of, uint32_t node);

static uint32_t
list_columns(both *of, uint32_t node)
{
    const lg_columns *columns = of->columns;
    uint64_t end = lg_columns_first_edge(columns, node + 1);
    uint64_t begin = lg_columns_first_edge(columns, node);
    uint32_t count = 0;
    packed_list_fit(&of->list, end - begin);
    for (uint64_t edge = begin; edge < end; edge++)
        if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
            of->list.items[count++] = lg_columns_target(columns, edge);
    return count;
}

static uint32_t
list_packed(both *of, uint32_t node)
{
    return packed_targets(&of->graph, node, &of->list);
}

// Visits all nodes breadth first, from each that was not met before.
static inline uint64_t
visit_wide(both *of, lister *list)
{
    uint32_t nodes = of->graph.nodes;
    uint32_t met = 0;
    uint32_t at = 0;
    memset(of->met, 0, nodes);
    for (uint32_t start = 0; start < nodes; start++) {
        if (of->met[start])
            continue;
        of->met[start] = 1;
        for (of->queue[met++] = start; at < met; at++) {
            uint32_t count = list(of, of->queue[at]);
            for (uint32_t i = 0; i < count; i++) {
                uint32_t target = of->list.items[i];
                if (of->met[target])
                    continue;
                of->met[target] = 1;
                of->queue[met++] = target;
            }
        }
    }
    return sum_of(of->queue, nodes);
}

static uint64_t
wide_of_columns(both *of)
{
    return visit_wide(of, list_columns);
}

static uint64_t
wide_of_packed(both *of)
{
    return visit_wide(of, list_packed);
}

// A node on the path of a walk, and the edge to follow next.
typedef struct step {
    uint64_t edge;
    uint32_t node;
} step;

// Walks depth first over plain references, as the search for components does.
static uint64_t
walk_plain(both *of, const uint64_t *first, const lg_edge_targets *target,
           const lg_edge_kinds *kind)
{
    uint32_t nodes = of->graph.nodes;
    uint32_t left = 0;
    memset(of->met, 0, nodes);
    of->waiting.count = 0;
    bytes_extend(&of->waiting, (nodes + 1) * sizeof(step));
    step *path = (step *)(void *)of->waiting.data;
    for (uint32_t start = 0; start < nodes; start++) {
        uint32_t height = 0;
        if (of->met[start])
            continue;
        of->met[start] = 1;
        path[height++] = (step){first[start], start};
        while (height > 0) {
            step *at = &path[height - 1];
            if (at->edge == first[at->node + 1]) {
                of->queue[left++] = path[--height].node;
                continue;
            }
            const uint64_t edge = at->edge++;
            const uint32_t next = lg_edge_targets_at(target, edge);
            if (of->met[next] ||
                (kind != NULL && lg_edge_kinds_at(kind, edge) & LG_EDGE_WEAK))
                continue;
            of->met[next] = 1;
            path[height++] = (step){first[next], next};
        }
    }
    return sum_of(of->queue, nodes);
}

static uint64_t
deep_of_columns(both *of)
{
    const lg_columns *columns = of->columns;
    lg_columns_write(columns, LG_NARROW_FIRST_EDGE, 0,
                     (size_t)columns->node_count + 1, of->first);
    return walk_plain(of, of->first, &columns->target, &columns->kind);
}

// Walks depth first. A node's targets wait on a stack, the last one first, and
// below them the node itself, marked as one to be left. Targets that the walk
// has met meanwhile are passed over.
static uint64_t
deep_of_packed(both *of)
{
    uint32_t nodes = of->graph.nodes;
    uint32_t left = 0;
    memset(of->met, 0, nodes);
    of->waiting.count = 0;
    for (uint32_t start = 0; start < nodes; start++) {
        uint32_t *top =
            (uint32_t *)(void *)bytes_extend(&of->waiting, sizeof *top);
        *top = start;
        while (of->waiting.count > 0) {
            of->waiting.count -= sizeof *top;
            uint32_t node;
            memcpy(&node, of->waiting.data + of->waiting.count, sizeof node);
            if (node & LEAVE)
                of->queue[left++] = node & ~LEAVE;
            if ((node & LEAVE) || of->met[node])
                continue;
            of->met[node] = 1;
            uint32_t count = packed_targets(&of->graph, node, &of->list);
            top = (uint32_t *)(void *)bytes_extend(
                &of->waiting, (count + (size_t)1) * sizeof *top);
            *top++ = node | LEAVE;
            for (uint32_t i = count; i-- > 0;)
                if (!of->met[of->list.items[i]])
                    *top++ = of->list.items[i];
            of->waiting.count = (size_t)((uint8_t *)top - of->waiting.data);
        }
    }
    return sum_of(of->queue, left);
}

// Copies the targets that are not weak into plain columns, and walks these.
static uint64_t
deep_of_copy(both *of)
{
    uint64_t edges = 0;
    for (uint32_t block = 0; block < blocks_of(of); block++) {
        const packed_nodes *nodes = &of->nodes;
        packed_read(&of->graph, block, PACKED_WITH_KINDS, &of->nodes);
        for (uint32_t i = 0; i < nodes->count; i++) {
            of->first[block * of->graph.block + i] = edges;
            for (uint32_t edge = nodes->first[i]; edge < nodes->first[i + 1];
                 edge++) {
                of->target[edges] = nodes->target[edge];
                edges += !(nodes->kind[edge] & LG_EDGE_WEAK);
            }
        }
    }
    of->first[of->graph.nodes] = edges;
    const lg_edge_targets targets = {of->target, UINT32_MAX};
    return walk_plain(of, of->first, &targets, NULL);
}

static uint32_t
any_node(const both *of, uint32_t *chance)
{
    *chance = *chance * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*chance * of->graph.nodes >> 32);
}

static uint64_t
jump(both *of, lister *list)
{
    uint32_t chance = 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < of->graph.nodes; i++) {
        uint32_t count = list(of, any_node(of, &chance));
        for (uint32_t j = 0; j < count; j++)
            sum += of->list.items[j];
    }
    return sum;
}

static uint64_t
jumps_in_columns(both *of)
{
    return jump(of, list_columns);
}

static uint64_t
jumps_in_packed(both *of)
{
    return jump(of, list_packed);
}

static uint64_t
pack(both *of)
{
    packed again = packed_new(of->columns, of->graph.block, &of->graph.choices);
    uint64_t same = again.blocks.count == of->graph.blocks.count;
    packed_free(&again);
    return same;
}

static uint64_t
pack_reverse(both *of)
{
    free(of->graph.in_blocks.data);
    free(of->graph.in_begin);
    of->graph.in_blocks = (bytes){0};
    packed_reverse(&of->graph, 1);
    return 1;
}

static uint64_t
sources_of_packed(both *of)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < of->graph.nodes; node++)
        sum += packed_sources(&of->graph, node, &of->list);
    return sum;
}

static const struct {
    const char *name;
    pass *run;
    bool same; // as the one before it
} passes[] = {
    {"degrees", degrees_of_columns, false},
    {"degrees, packed", degrees_of_packed, true},
    {"rows", rows_of_columns, false},
    {"rows, packed", rows_of_packed, true},
    {"breadth first", wide_of_columns, false},
    {"breadth first, packed", wide_of_packed, true},
    {"depth first", deep_of_columns, false},
    {"depth first, copied", deep_of_copy, true},
    {"depth first, packed", deep_of_packed, true},
    {"any nodes", jumps_in_columns, false},
    {"any nodes, packed", jumps_in_packed, true},
    {"pack", pack, false},
    {"pack the reverse", pack_reverse, false},
    {"all sources, packed", sources_of_packed, false},
};

enum { PASSES = sizeof passes / sizeof *passes };

static int
compare(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void
run_all(both *of)
{
    double seconds[PASSES][ROUNDS];
    uint64_t answers[PASSES];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PASSES; i++) {
            double start = passes_now();
            answers[i] = passes[i].run(of);
            seconds[i][round] = passes_now() - start;
            if (passes[i].same && answers[i] != answers[i - 1]) {
                fprintf(stderr, "%s: another answer\n", passes[i].name);
                exit(1);
            }
        }
    printf("{\"nodes\": %u", of->graph.nodes);
    for (int i = 0; i < PASSES; i++) {
        qsort(seconds[i], ROUNDS, sizeof(double), compare);
        printf(", \"%s\": %.2f", passes[i].name,
               1e9 * seconds[i][ROUNDS / 2] / of->graph.nodes);
    }
    printf("}\n");
}

void
passes_measure(const lg_columns *columns, uint32_t block)
{
    const column_choices all = {0};
    both of = {.columns = columns, .graph = packed_new(columns, block, &all)};
    of.degree = packed_allocate(of.graph.nodes, sizeof *of.degree);
    of.queue = packed_allocate(of.graph.nodes, sizeof *of.queue);
    of.met = packed_allocate(of.graph.nodes, 1);
    of.first = packed_allocate(of.graph.nodes + 1, sizeof *of.first);
    of.target = packed_allocate(of.graph.edges + 1, sizeof *of.target);
    packed_reverse(&of.graph, 1);
    run_all(&of);
    packed_nodes_free(&of.nodes);
    packed_free(&of.graph);
    free(of.list.items);
    free(of.degree);
    free(of.queue);
    free(of.met);
    free(of.first);
    free(of.target);
    free(of.waiting.data);
}
