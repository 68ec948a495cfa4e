// The names that complete the beginning of a selector.
#include "sample.h"
#include "test.h"

#include <leakgraph/path.h>
#include <leakgraph/internal/hops.h>

static lg_graph *graph;

static void
completes(const char *text, size_t limit, const char *expected)
{
    lg_text lines = {0};
    REQUIRE(lg_graph_complete(graph, text, limit, &lines, NULL) == LG_OK);
    CHECK_TEXT(lines, expected);
    lg_text_free(&lines);
}

static void
completions(void)
{
    completes("", 9, "");
    completes("#1", 9, "");
    completes("0x7", 9, "");
    completes("type:no such type", 9, "");
    completes("nobody.knows", 9, "");
    completes("mo", 9, "train.trainer.model\ntype:module\ntype:train.Model\n");
    completes("losse", 9, "train.losses\n");
    completes("AIN", 2, "train.trainer\nmodule:train\n");
    completes("type:d", 3, "type:dict\ntype:thread\ntype:module\n");
    completes("train.", 3, "train.losses\ntrain.trainer\ntype:train.Base\n");
    completes("name:train.T", 9, "train.trainer\ntype:train.Trainer\n");
    completes("module:RA", 2, "module:train\n");
}

SUITE(complete)
{
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    RUN(completions);
    lg_graph_free(graph);
    return test_result();
}
