// What a file says about itself without reading its references.
#include "lgs.h"
#include "sample.h"
#include "test.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/report.h>

#include <stdio.h>
#include <stdlib.h>

static lg_graph *graph;
static lg_text whole;

static lg_status
of_file(unsigned flags, lg_text *out)
{
    return lg_report_info_file(path_of("graph"), flags, LG_FORMAT_JSON, NULL,
                               out, NULL);
}

static void
same_as_loaded(void)
{
    for (int level = 0; level < 2; level++)
        for (unsigned flags = 0; flags <= LG_LOAD_MAPPED; flags++) {
            lg_text text = {0};
            bytes file = saved(graph, level);
            CHECK(of_file(flags, &text) == LG_OK);
            CHECK_TEXT(text, whole.data);
            CHECK(lg_report_info_objects(path_of("graph"), flags) ==
                  lg_graph_node_count(graph));
            CHECK(lg_report_info_objects(path_of("none"), flags) == 0);
            lg_text_free(&text);
            free(file.data);
        }
}

static void
store(bytes file)
{
    FILE *stream = fopen(path_of("graph"), "wb");
    REQUIRE(stream != NULL);
    REQUIRE(fwrite(file.data, 1, file.length, stream) == file.length);
    REQUIRE(fclose(stream) == 0);
}

// Addresses, counts and references are 1, 4, 5 and 7 to 10: see
// docs/file-format.md.
static bool
is_left_out(uint32_t id)
{
    return id == 1 || id == 4 || id == 5 || (id >= 7 && id <= 10);
}

static void
damage_each_section(void)
{
    bytes file = saved(graph, 0);
    for (uint32_t i = 0; i < section_count(file); i++) {
        section about = section_at(file, i);
        lg_text text = {0};
        if (about.raw == 0)
            continue;
        file.data[about.offset] ^= 1;
        store(file);
        lg_status status = of_file(0, &text);
        CHECK(status == (is_left_out(about.id) ? LG_OK : LG_EFORMAT));
        if (status == LG_OK)
            CHECK_TEXT(text, whole.data);
        lg_text_free(&text);
        file.data[about.offset] ^= 1;
    }
    free(file.data);
}

// The lengths of columns that are left out must agree, too.
static void
shorten_references(void)
{
    bytes file = saved(graph, 0);
    for (uint32_t i = 0; i < section_count(file); i++) {
        section about = section_at(file, i);
        lg_text text = {0};
        if (about.id != 10)
            continue;
        about.raw = about.stored = about.raw - 1;
        put_section(file, i, about);
        store(file);
        CHECK(of_file(0, &text) == LG_EFORMAT);
        lg_text_free(&text);
    }
    free(file.data);
}

SUITE(info_file)
{
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_report_info(graph, LG_FORMAT_JSON, &whole, NULL) == LG_OK);
    folder_make();
    RUN(same_as_loaded);
    RUN(damage_each_section);
    RUN(shorten_references);
    folder_remove();
    lg_text_free(&whole);
    lg_graph_free(graph);
    return test_result();
}
