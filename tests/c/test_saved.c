// Analyses in files, devices in files, and files with false data about either.
#include <xxhash.h>

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/retained.h>

#include "drawn.h"
#include "lgs.h"
#include "sample.h"
#include "test.h"

enum {
    DOMINATOR = 64,
    COMPONENT_FIRST,
    COMPONENT_NODE,
    COMPONENT_HOST,
    COMPONENT_DEVICE,
    ANALYSIS
};

static bool
is_text(lg_string string, const char *expected)
{
    return string.length == strlen(expected) &&
           memcmp(string.data, expected, string.length) == 0;
}

static void
check_devices(const lg_graph *graph)
{
    static const uint32_t expected[] = {0, 0, 0, 2, 2, 1};
    CHECK(lg_graph_device_count(graph) == 2);
    CHECK(is_text(lg_graph_device_name(graph, 0), "host"));
    CHECK(is_text(lg_graph_device_name(graph, 1), "cuda:0"));
    CHECK(is_text(lg_graph_device_name(graph, 2), "cuda:1"));
    CHECK(lg_graph_device_name(graph, 3).length == 0);
    for (uint32_t node = 0; node < 6; node++)
        CHECK(lg_node_device(graph, node) == expected[node]);
}

static void
check_analysis(const lg_analysis *analysis)
{
    const uint64_t huge = (uint64_t)8 << 30;
    CHECK(lg_node_retained(analysis, 0).host == 7);
    CHECK(lg_node_retained(analysis, 0).devices == huge + 32);
    CHECK(lg_node_retained_on(analysis, 0, 1) == 32);
    CHECK(lg_node_retained_on(analysis, 0, 2) == huge);
    CHECK(lg_analysis_garbage_bytes(analysis).devices == 16);
    CHECK(lg_analysis_garbage_bytes(analysis).host == 0);
    CHECK(lg_analysis_component_count(analysis) == 2);
    lg_component component = lg_analysis_component(analysis, 0);
    CHECK(component.count == 2 && component.nodes[0] == 1 &&
          component.reachable);
    CHECK(component.retained.host == 6 &&
          component.retained.devices == huge + 32);
    CHECK(lg_component_retained_on(analysis, 0, 2) == huge);
    CHECK(!lg_analysis_component(analysis, 1).reachable);
    CHECK(lg_node_component(analysis, 4) == 1 &&
          lg_node_component(analysis, 3) == LG_NONE);
    CHECK(lg_node_dominator(analysis, 5) == 2);
}

static bytes
saved_with(const lg_graph *graph, const lg_analysis *analysis, int level)
{
    lg_save_options options = {
        .size = sizeof options, .compress = level, .analysis = analysis};
    REQUIRE(lg_graph_save(graph, path_of("graph"), &options, NULL, NULL) ==
            LG_OK);
    return file_bytes();
}

static lg_graph *
loaded(bytes file)
{
    lg_graph *graph = NULL;
    REQUIRE(lg_graph_load_memory(file.data, file.length, &graph, NULL) ==
            LG_OK);
    return graph;
}

static void
devices(void)
{
    lg_graph *graph = drawn_with_devices();
    check_devices(graph);
    bytes file = saved_with(graph, NULL, 3);
    lg_graph *again = loaded(file);
    lg_graph *stripped;
    check_devices(again);
    CHECK(sample_equal(graph, again));
    REQUIRE(lg_graph_strip(again, &stripped, NULL) == LG_OK);
    check_devices(stripped);
    lg_graph_free(stripped);
    lg_graph_free(again);
    lg_graph_free(graph);
    free(file.data);
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    lg_builder_set_device(builder, 0, 1);
    CHECK(lg_builder_finish(builder, &graph, NULL) == LG_EINVAL);
}

static void
round_trip(void)
{
    lg_graph *graph = drawn_with_devices();
    lg_analysis *analysis = analysed(graph);
    lg_error err;
    check_analysis(analysis);
    for (int level = 0; level < 4; level += 3) {
        bytes file = saved_with(graph, analysis, level);
        lg_graph *again = loaded(file);
        lg_analysis *kept = NULL;
        check_devices(again);
        REQUIRE(lg_analysis_load(again, &kept, NULL) == LG_OK);
        check_analysis(kept);
        CHECK(lg_analysis_graph(kept) == again);
        // Again, with the loaded analysis.
        bytes second = saved_with(again, kept, level);
        CHECK(second.length == file.length &&
              memcmp(second.data, file.data, file.length) == 0);
        CHECK(lg_graph_save(graph, path_of("graph"),
                            &(lg_save_options){.size = sizeof(lg_save_options),
                                               .compress = 0,
                                               .analysis = kept},
                            NULL, &err) == LG_EINVAL);
        lg_analysis_free(kept);
        lg_graph_free(again);
        free(file.data);
        free(second.data);
    }
    bytes bare = saved_with(graph, NULL, 0);
    lg_graph *again = loaded(bare);
    lg_analysis *kept = NULL;
    CHECK(lg_analysis_load(again, &kept, &err) == LG_ENOTFOUND);
    CHECK(lg_analysis_load(graph, &kept, &err) == LG_ENOTFOUND);
    CHECK(kept == NULL);
    lg_graph_free(again);
    free(bare.data);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A bigger graph, node by node.
static void
round_trip_of_many(void)
{
    lg_graph *graph = draw_random(5, 20000);
    lg_analysis *analysis = analysed(graph);
    bytes file = saved_with(graph, analysis, 0);
    lg_graph *again = loaded(file);
    lg_analysis *kept = NULL;
    REQUIRE(lg_analysis_load(again, &kept, NULL) == LG_OK);
    for (uint32_t node = 0; node < 20000; node++) {
        CHECK(lg_node_dominator(kept, node) ==
              lg_node_dominator(analysis, node));
        CHECK(lg_node_retained(kept, node).host ==
              lg_node_retained(analysis, node).host);
        CHECK(lg_node_is_reachable(kept, node) ==
              lg_node_is_reachable(analysis, node));
        CHECK(lg_node_component(kept, node) ==
              lg_node_component(analysis, node));
    }
    lg_analysis_free(kept);
    lg_graph_free(again);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    free(file.data);
}

static uint32_t
index_of(bytes file, uint32_t id)
{
    uint32_t index = 0;
    while (section_at(file, index).id != id)
        index++;
    return index;
}

// Writes bytes into a section of a copy of the file, corrects all checksums,
// and returns the result of loading the analysis.
static lg_status
altered(bytes file, uint32_t id, uint64_t at, const void *value, size_t size)
{
    bytes copy = aligned(file.length);
    memcpy(copy.data, file.data, file.length);
    uint32_t index = index_of(copy, id);
    section about = section_at(copy, index);
    REQUIRE(at + size <= about.raw && about.encoding == 0);
    memcpy(copy.data + about.offset + at, value, size);
    about.checksum = XXH3_64bits(copy.data + about.offset, about.raw);
    put_section(copy, index, about);
    lg_graph *graph = loaded(copy);
    lg_analysis *analysis = NULL;
    lg_error err = {0};
    lg_status status = lg_analysis_load(graph, &analysis, &err);
    CHECK((status == LG_OK) == (analysis != NULL));
    CHECK(status == LG_OK || strlen(err.message) > 20);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    free(copy.data);
    return status;
}

static lg_status
altered_word(bytes file, uint32_t id, uint64_t index, uint32_t value)
{
    return altered(file, id, index * 4, &value, sizeof value);
}

static void
hostile(void)
{
    lg_graph *graph = drawn_with_devices();
    lg_analysis *analysis = analysed(graph);
    bytes file = saved_with(graph, analysis, 0);
    uint64_t other = 5;
    CHECK(altered_word(file, DOMINATOR, 5, 3) == LG_OK);
    CHECK(altered_word(file, DOMINATOR, 0, 8) == LG_EFORMAT);
    CHECK(altered_word(file, DOMINATOR, 0, LG_NONE) == LG_EFORMAT);
    CHECK(altered_word(file, DOMINATOR, 0, 0) == LG_EFORMAT);
    CHECK(altered_word(file, DOMINATOR, 1, 3) == LG_EFORMAT); // a loop
    CHECK(altered_word(file, COMPONENT_FIRST, 0, 1) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_FIRST, 1, 0) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_FIRST, 1, LG_NONE) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_FIRST, 2, 2) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_NODE, 0, 6) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_NODE, 0, 2) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_NODE, 2, 1) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_DEVICE, 0, 0) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_DEVICE, 0, 3) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_DEVICE, 1, 9) == LG_EFORMAT);
    CHECK(altered_word(file, COMPONENT_DEVICE, 9, 0) == LG_EFORMAT);
    CHECK(altered(file, ANALYSIS, 0, &other, 8) == LG_EFORMAT);
    CHECK(altered(file, ANALYSIS, 8, &other, 8) == LG_ENOTFOUND);
    // The same analysis with another graph.
    CHECK(altered_word(file, 3, 0, 77) == LG_EFORMAT);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    free(file.data);
}

SUITE(saved)
{
    folder_make();
    RUN(devices);
    RUN(round_trip);
    RUN(round_trip_of_many);
    RUN(hostile);
    folder_remove();
    return test_result();
}
