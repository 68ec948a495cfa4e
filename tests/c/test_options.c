// Options of programs that are older or newer than the library.
#include "sample.h"
#include "test.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/cycles.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/heap_map.h>
#include <leakgraph/internal/merged_paths.h>
#include <leakgraph/internal/options.h>
#include <leakgraph/internal/report.h>

typedef struct pair {
    size_t size;
    int first;
    int second;
} pair;

typedef struct triple {
    pair known;
    uint64_t third;
} triple;

static const pair usual = {.size = sizeof(pair), .first = 1, .second = 2};

static void
no_options(void)
{
    pair read = usual;
    CHECK(lg_options_read(&read, NULL, "pair", NULL) == LG_OK);
    CHECK(read.size == sizeof read && read.first == 1 && read.second == 2);
}

static void
options_of_this_version(void)
{
    pair read = usual;
    pair given = {.size = sizeof given, .first = 0, .second = 7};
    CHECK(lg_options_read(&read, &given, "pair", NULL) == LG_OK);
    CHECK(read.size == sizeof read && read.first == 0 && read.second == 7);
}

// A program that was compiled before `second` existed.
static void
older(void)
{
    pair read = usual;
    pair given = {.size = offsetof(pair, second), .first = 5, .second = 7};
    CHECK(lg_options_read(&read, &given, "pair", NULL) == LG_OK);
    CHECK(read.size == sizeof read && read.first == 5 && read.second == 2);
}

static void
newer(void)
{
    pair read = usual;
    triple given = {.known = {.size = sizeof given, .first = 5, .second = 7}};
    CHECK(lg_options_read(&read, &given, "pair", NULL) == LG_OK);
    CHECK(read.size == sizeof read && read.first == 5 && read.second == 7);

    read = usual;
    given.third = 1ull << 63;
    lg_error err;
    CHECK(lg_options_read(&read, &given, "pair", &err) == LG_EINVAL);
    CHECK(strstr(err.message, "pair of 24 bytes sets options that leakgraph"));
    CHECK(read.first == 1 && read.second == 2);
}

static void
no_size(void)
{
    pair read = usual;
    pair given = {.first = 5};
    lg_error err;
    CHECK(lg_options_read(&read, &given, "pair", &err) == LG_EINVAL);
    CHECK(strstr(err.message, "pair.size is 0"));
    CHECK(read.first == 1 && read.second == 2);
}

// Every version of the library accepts options that contain only the size.
static void
only_a_size(const lg_analysis *analysis)
{
    const lg_cycle_options all = LG_CYCLE_OPTIONS_INIT;
    const lg_cycle_options none = {.size = sizeof none.size, .limit = 1};
    lg_cycles asked, plain;
    REQUIRE(lg_analysis_cycles(analysis, &all, NULL, &asked, NULL) == LG_OK);
    REQUIRE(lg_analysis_cycles(analysis, &none, NULL, &plain, NULL) == LG_OK);
    CHECK(asked.total == plain.total && asked.count == plain.count);
    lg_cycles_free(&asked);
    lg_cycles_free(&plain);
}

static void
whoever_takes_tensor_options_checks_them(const lg_graph *graph)
{
    const lg_tensor_options options = {.limit = 3};
    lg_error err;
    lg_tensors tensors;
    CHECK(lg_graph_tensors(graph, NULL, &options, &tensors, &err) == LG_EINVAL);
    CHECK(strstr(err.message, "lg_tensor_options.size is 0"));
}

static void
whoever_takes_options_checks_them(const lg_analysis *analysis)
{
    lg_error err;
    const lg_save_options save = {.compress = 3};
    CHECK(lg_graph_save(lg_analysis_graph(analysis), "never.lgs", &save, NULL,
                        &err) == LG_EINVAL);
    CHECK(strstr(err.message, "lg_save_options.size is 0"));

    const lg_cycle_options cycles = {.limit = 3};
    lg_cycles found;
    CHECK(lg_analysis_cycles(analysis, &cycles, NULL, &found, &err) ==
          LG_EINVAL);
    CHECK(strstr(err.message, "lg_cycle_options.size is 0"));

    const lg_heap_map_options mapping = {.limit = 3};
    lg_heap_map map;
    CHECK(lg_heap_map_find(analysis, NULL, &mapping, NULL, &map, &err) ==
          LG_EINVAL);
    CHECK(strstr(err.message, "lg_heap_map_options.size is 0"));

    const lg_merged_options merging = {.limit = 3};
    const lg_node node = 0;
    lg_merged_paths merged;
    CHECK(lg_analysis_merged_paths(analysis, &node, 1, &merging, NULL, &merged,
                                   &err) == LG_EINVAL);
    CHECK(strstr(err.message, "lg_merged_options.size is 0"));

    const lg_dominator_options dominators = {.limit = 3};
    lg_dominator_tree tree;
    CHECK(lg_analysis_dominator_tree(analysis, &dominators, NULL, &tree,
                                     &err) == LG_EINVAL);
    CHECK(strstr(err.message, "lg_dominator_options.size is 0"));
    lg_text text = {0};
    CHECK(lg_report_dominators(analysis, &dominators, LG_FORMAT_TEXT, &text,
                               &err) == LG_EINVAL);

    const lg_what_if_options cuts = {.limit = 3};
    const lg_edge edge = 0;
    lg_what_if answer;
    CHECK(lg_analysis_what_if(analysis, &edge, 1, &cuts, NULL, &answer, &err) ==
          LG_EINVAL);
    CHECK(strstr(err.message, "lg_what_if_options.size is 0"));
    whoever_takes_tensor_options_checks_them(lg_analysis_graph(analysis));
}

SUITE(options)
{
    (void)argc;
    (void)argv;
    RUN(no_options);
    RUN(options_of_this_version);
    RUN(older);
    RUN(newer);
    RUN(no_size);
    lg_graph *graph;
    lg_analysis *analysis;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
    only_a_size(analysis);
    whoever_takes_options_checks_them(analysis);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return test_result();
}
