// Times a comparison against the analysis that it needs.
//
//   growth SNAP      prints nodes, places, seconds and bytes, as JSON
#include <leakgraph/file.h>
#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/hops.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void
require(lg_status status, const lg_error *error)
{
    if (status == LG_OK)
        return;
    fprintf(stderr, "growth: %s\n", error->message);
    exit(1);
}

static double
seconds_since(double *start)
{
    double end = now();
    double seconds = end - *start;
    *start = end;
    return seconds;
}

static long
size_of(const char *path)
{
    struct stat known;
    return stat(path, &known) == 0 ? (long)known.st_size : -1;
}

int
main(int argc, char **argv)
{
    lg_graph *graph = NULL;
    lg_analysis *analysis = NULL;
    lg_places *places = NULL;
    lg_summary *summary[3] = {0};
    lg_growth growth = {0};
    lg_error error = {0};
    char path[4096];
    if (argc != 2)
        return 2;
    require(lg_graph_load(argv[1], 0, NULL, &graph, &error), &error);
    // Makes the graph's index, which every report needs.
    lg_node_folded_into(graph, 0);
    double start = now();
    require(lg_analysis_new(graph, NULL, &analysis, &error), &error);
    double analysing = seconds_since(&start);
    require(lg_places_new(analysis, NULL, &places, &error), &error);
    double placing = seconds_since(&start);
    for (int i = 0; i < 3; i++)
        require(lg_summary_new(analysis, NULL, &summary[i], &error), &error);
    double summing = seconds_since(&start) / 3;
    require(lg_growth_find((const lg_summary *const *)summary, 3, NULL, NULL,
                           NULL, &growth, &error),
            &error);
    double comparing = seconds_since(&start);
    snprintf(path, sizeof path, "%s.lgsum", argv[1]);
    require(lg_summary_save(summary[0], path, &error), &error);
    double saving = seconds_since(&start);
    printf("{\"nodes\": %u, \"places\": %u, \"analysis\": %.4f, "
           "\"placing\": %.4f, \"summing\": %.4f, \"comparing\": %.4f, "
           "\"saving\": %.4f, "
           "\"summary\": %ld}\n",
           lg_graph_columns(graph)->node_count, lg_places_count(places),
           analysing, placing, summing, comparing, saving, size_of(path));
    remove(path);
    lg_growth_free(&growth);
    for (int i = 0; i < 3; i++)
        lg_summary_free(summary[i]);
    lg_places_free(places);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return 0;
}
