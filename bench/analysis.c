// Times one method to find components and dominators on a saved snapshot:
//
//     analysis FILE leakgraph|semi-nca|igraph
//     analysis FILE compare|count
//
// Prints the seconds that the thread computes, because other work of the
// machine affects these least, and the peak of the method's memory beyond the
// graph. `compare` prints how many dominators differ between leakgraph and
// semi-NCA; `count` prints the number of nodes, and of nodes in components.
#include <igraph.h>

#include <leakgraph/analysis.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "plain.h"

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Reads Linux's /proc/self/status, in KiB. Writing 5 to clear_refs resets the
// peak.
static long
memory_kib(const char *key)
{
    char line[200];
    long found = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            found = atol(line + strlen(key));
    if (file != NULL)
        fclose(file);
    return found;
}

static void
forget_peak(void)
{
    malloc_trim(0);
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file != NULL) {
        fputs("5", file);
        fclose(file);
    }
}

static lg_analysis *
analyse(const lg_graph *graph)
{
    lg_analysis *analysis = NULL;
    lg_error err;
    if (lg_analysis_new(graph, NULL, &analysis, &err) != LG_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return analysis;
}

static void
by_leakgraph(const lg_graph *graph, const plain *whole)
{
    (void)whole;
    lg_analysis_free(analyse(graph));
}

static void
by_semi_nca(const lg_graph *graph, const plain *whole)
{
    (void)graph;
    plain_components(whole);
    free(plain_dominators(whole));
}

static void
by_igraph(const lg_graph *graph, const plain *whole)
{
    (void)graph;
    igraph_t made;
    igraph_vector_int_t edges;
    igraph_vector_int_t result;
    igraph_vector_int_init(&edges, 2 * (long)whole->edges);
    for (long i = 0; i < whole->edges; i++) {
        VECTOR(edges)[2 * i] = whole->source[i];
        VECTOR(edges)[2 * i + 1] = whole->target[i];
    }
    igraph_create(&made, &edges, whole->nodes, IGRAPH_DIRECTED);
    igraph_vector_int_destroy(&edges);
    igraph_vector_int_init(&result, 0);
    igraph_connected_components(&made, &result, NULL, NULL, IGRAPH_STRONG);
    igraph_dominator_tree(&made, whole->nodes - 1, &result, NULL, NULL,
                          IGRAPH_OUT);
    igraph_vector_int_destroy(&result);
    igraph_destroy(&made);
}

static void
compare(const lg_analysis *analysis, const plain *whole)
{
    uint32_t *dominator = plain_dominators(whole);
    uint32_t different = 0;
    uint32_t root = whole->nodes - 1;
    for (uint32_t node = 0; node < root; node++) {
        uint32_t ours = lg_node_dominator(analysis, node);
        uint32_t theirs = dominator[node] == root ? LG_NONE : dominator[node];
        different += lg_node_is_reachable(analysis, node)
                         ? ours != theirs
                         : dominator[node] != LG_NONE;
    }
    printf("%u\n", different);
    free(dominator);
}

static void
count(const lg_analysis *analysis)
{
    uint64_t members = 0;
    for (uint32_t i = 0; i < lg_analysis_component_count(analysis); i++)
        members += lg_analysis_component(analysis, i).count;
    printf("%u %llu\n",
           lg_graph_columns(lg_analysis_graph(analysis))->node_count,
           (unsigned long long)members);
}

typedef void method(const lg_graph *graph, const plain *whole);

static void
measure(method *run, const lg_graph *graph, const plain *whole)
{
    forget_peak();
    long before = memory_kib("VmRSS:");
    double start = now();
    run(graph, whole);
    double seconds = now() - start;
    printf("%.4f %ld\n", seconds, 1024 * (memory_kib("VmHWM:") - before));
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        method *run;
    } methods[] = {{"leakgraph", by_leakgraph},
                   {"semi-nca", by_semi_nca},
                   {"igraph", by_igraph}};
    lg_graph *graph;
    lg_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: analysis FILE METHOD\n");
        return 2;
    }
    if (lg_graph_load(argv[1], 0, NULL, &graph, &err) != LG_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    lg_analysis *analysis = analyse(graph);
    plain whole = plain_new(analysis);
    if (strcmp(argv[2], "compare") == 0)
        compare(analysis, &whole);
    else if (strcmp(argv[2], "count") == 0)
        count(analysis);
    lg_analysis_free(analysis);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(argv[2], methods[i].name) == 0)
            measure(methods[i].run, graph, &whole);
    plain_free(&whole);
    lg_graph_free(graph);
    return 0;
}
