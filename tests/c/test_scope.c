// What modules hold.
#include "asked.h"
#include "story.h"
#include "test.h"

#include <leakgraph/graph.h>
#include <leakgraph/internal/scope.h>

enum { MINE = 1 };

typedef struct heap {
    lg_graph *graph;
    uint32_t kept, tool, garbage, foreign, figure, loose;
} heap;

static heap
make(void)
{
    heap made;
    story to = story_begin();
    uint32_t train = story_module(&to, "train");
    uint32_t json = story_module(&to, "json");
    story_module(&to, "matplotlib.tri._triangulation");
    story_module(&to, "triton");
    uint32_t pyplot = story_module(&to, "matplotlib");
    made.kept = story_add(&to, "list", NULL, 80);
    made.tool = story_add(&to, "train.Tool", NULL, 80);
    made.garbage = story_add(&to, "train.Tool", NULL, 80);
    made.foreign = story_add(&to, "json.Decoder", NULL, 80);
    made.figure = story_add(&to, "matplotlib.figure.Figure", NULL, 80);
    made.loose = story_add(&to, "list", NULL, 80);
    story_attribute(&to, train, "kept", made.kept);
    story_attribute(&to, json, "tool", made.tool);
    story_attribute(&to, pyplot, "figure", made.figure);
    made.graph = story_end(&to);
    return made;
}

static void
check_scope(const heap *of, bool mine, const char *module, const char *expected)
{
    const uint32_t nodes[] = {of->kept,    of->tool,   of->garbage,
                              of->foreign, of->figure, of->loose};
    lg_scope *scope = scope_of(of->graph, mine, module);
    for (size_t i = 0; i < 6; i++)
        CHECK(lg_scope_has(scope, nodes[i]) == (expected[i] == '1'));
    lg_scope_free(scope);
}

static void
one_rule(void)
{
    heap made = make();
    check_scope(&made, false, NULL, "111111");
    check_scope(&made, MINE, NULL, "101010");
    check_scope(&made, false, "train", "101000");
    check_scope(&made, false, "js*", "010100");
    check_scope(&made, false, "matplotlib*", "000010");
    check_scope(&made, MINE, "js*", "000000");
    lg_graph_free(made.graph);
}

static void
names_that_are_not_there(void)
{
    heap made = make();
    lg_scope *scope = NULL;
    lg_error error = {0};
    CHECK(lg_scope_new(made.graph, false, "trian", NULL, &scope, &error) ==
          LG_ENOTFOUND);
    CHECK(strcmp(error.message,
                 "no module matches 'trian'; did you mean 'train'?") == 0);
    CHECK(lg_scope_new(made.graph, false, "jsno", NULL, &scope, &error) ==
          LG_ENOTFOUND);
    CHECK(strcmp(error.message,
                 "no module matches 'jsno'; did you mean 'json'?") == 0);
    CHECK(lg_scope_new(made.graph, MINE, "zzzzzzzz", NULL, &scope, &error) ==
          LG_ENOTFOUND);
    CHECK(strcmp(error.message, "no module matches 'zzzzzzzz'") == 0);
    CHECK(scope == NULL && lg_scope_has(scope, made.kept));
    lg_scope_free(NULL);
    lg_graph_free(made.graph);
}

SUITE(scope)
{
    RUN(one_rule);
    RUN(names_that_are_not_there);
    return test_result();
}
