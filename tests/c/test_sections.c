// A large file, whose sections two threads may read.
#include "file/file_private.h"

#include <leakgraph/file.h>

#include "lgs.h"
#include "sample.h"
#include "test.h"

enum { NODES = 600000 };

static bool
goes_on(void *context, const char *step, double part)
{
    int *left = context;
    CHECK(strcmp(step, "loading") != 0 || (part >= 0 && part <= 1));
    return (*left)-- > 0;
}

// Damages a section whose entry has the id, so that its checksum is wrong.
static void
damage(bytes file, uint32_t id)
{
    for (uint32_t i = 0; i < section_count(file); i++) {
        section about = section_at(file, i);
        if (about.id != id)
            continue;
        about.checksum++;
        put_section(file, i, about);
    }
}

// Whatever thread fails first, the message is about the same section.
static void
failures(bytes file)
{
    enum { ADDRESS = 1, TARGET = 8 };
    lg_graph *graph = NULL;
    lg_error error;
    damage(file, ADDRESS);
    for (int i = 0; i < 4; i++) {
        CHECK(lg_graph_load_memory(file.data, file.length, &graph, &error) ==
              LG_EFORMAT);
        CHECK(strstr(error.message, "address") != NULL);
    }
    damage(file, TARGET);
    for (int i = 0; i < 4; i++) {
        CHECK(lg_graph_load_memory(file.data, file.length, &graph, &error) ==
              LG_EFORMAT);
        CHECK(strstr(error.message, "target") != NULL);
        CHECK(lg_graph_load_memory(file.data, file.length, &graph, NULL) ==
              LG_EFORMAT);
    }
    CHECK(graph == NULL);
}

static void
cancelled(void)
{
    lg_graph *graph = NULL;
    for (int calls = 0; graph == NULL; calls++) {
        int left = calls;
        lg_monitor monitor = {goes_on, &left};
        lg_status status =
            lg_graph_load(path_of("graph"), 0, &monitor, &graph, NULL);
        CHECK(status == (graph == NULL ? LG_ECANCELLED : LG_OK));
        REQUIRE(calls < 100);
    }
    lg_graph_free(graph);
}

static void
large(void)
{
    lg_graph *graph = sample_chain(NODES);
    for (int level = 0; level < 2; level++) {
        bytes file = saved(graph, level);
        lg_graph *again = NULL;
        CHECK(lg_graph_load(path_of("graph"), 0, NULL, &again, NULL) == LG_OK);
        CHECK(again != NULL && sample_equal(graph, again));
        lg_graph_free(again);
        cancelled();
        failures(file);
        free(file.data);
    }
    lg_graph_free(graph);
}

SUITE(sections)
{
    folder_make();
    RUN(large);
    folder_remove();
    return test_result();
}
