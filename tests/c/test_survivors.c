// What would live on after references are cut: which objects are listed, in
// which order, and what to cut next.
#include <leakgraph/internal/report.h>

#include "asked.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

typedef struct fixture {
    story to;
    uint32_t app;
    uint32_t list; // app.list, which refers to all that is shared
    uint32_t items;
} fixture;

static fixture
begin(void)
{
    fixture made = {.to = story_begin()};
    story_type(&made.to, "app.Thing", "object");
    made.app = story_module(&made.to, "app");
    uint32_t space = story_add(&made.to, "dict", NULL, 64);
    story_edge(&made.to, made.app, space, LG_EDGE_DICT, 0);
    made.list = story_add(&made.to, "list", NULL, 72);
    story_attribute(&made.to, made.app, "list", made.list);
    return made;
}

// An object that app.list has, and app.name too.
static uint32_t
share(fixture *made, const char *type, const char *name, uint64_t size)
{
    uint32_t node = story_add(&made->to, type, NULL, size);
    story_edge(&made->to, made->list, node, LG_EDGE_INDEX, made->items++);
    story_attribute(&made->to, made->app, name, node);
    return node;
}

typedef struct end {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_what_if answer;
} end;

static end
cut(fixture *made, const char *text)
{
    end got = {.graph = story_end(&made->to)};
    lg_edges edges = {0};
    got.analysis = analysed(got.graph);
    REQUIRE(lg_graph_references(got.graph, text, NULL, &edges, NULL) == LG_OK);
    REQUIRE(lg_analysis_what_if(got.analysis, edges.items, edges.count, NULL,
                                NULL, &got.answer, NULL) == LG_OK);
    lg_edges_free(&edges);
    return got;
}

static void
end_free(end *got)
{
    lg_what_if_free(&got->answer);
    lg_analysis_free(got->analysis);
    lg_graph_free(got->graph);
}

// Strs, functions, classes and objects of libraries say nothing.
static void
test_what_is_told(void)
{
    fixture made = begin();
    uint32_t thing = share(&made, "app.Thing", "thing", 100);
    share(&made, "str", "text", 1000);
    share(&made, "function", "step", 1000);
    share(&made, "type", "kind", 1000);
    share(&made, "logging.Logger", "log", 1000);
    end got = cut(&made, "app.list");
    CHECK(got.answer.kept_count == 1 && got.answer.kept_total == 1);
    CHECK(got.answer.kept_count > 0 && got.answer.kept[0].node == thing);
    end_free(&got);
}

// The target of a cut reference comes first, then the biggest.
static void
test_order(void)
{
    fixture made = begin();
    uint32_t small = share(&made, "app.Thing", "small", 100);
    uint32_t big = share(&made, "app.Thing", "big", 2000);
    uint32_t kept = story_add(&made.to, "app.Thing", NULL, 10);
    story_attribute(&made.to, made.app, "list_of", kept);
    story_attribute(&made.to, made.app, "other", kept);
    // The first reference of each is cut: app.list and app.list_of.
    lg_graph *graph = story_end(&made.to);
    lg_analysis *analysis = analysed(graph);
    lg_edges edges[2] = {0};
    uint64_t both[2];
    lg_what_if answer;
    REQUIRE(lg_graph_references(graph, "app.list", NULL, &edges[0], NULL) ==
            LG_OK);
    REQUIRE(lg_graph_references(graph, "app.list_of", NULL, &edges[1], NULL) ==
            LG_OK);
    for (size_t i = 0; i < 2; i++) {
        both[i] = edges[i].items[0];
        lg_edges_free(&edges[i]);
    }
    REQUIRE(lg_analysis_what_if(analysis, both, 2, NULL, NULL, &answer, NULL) ==
            LG_OK);
    REQUIRE(answer.kept_count == 3);
    CHECK(answer.kept[0].node == kept && answer.kept[0].is_target);
    CHECK(answer.kept[1].node == big && !answer.kept[1].is_target);
    CHECK(answer.kept[2].node == small);
    lg_what_if_free(&answer);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Those of one place are one row, whose sum decides where it stands; a target
// has a row of its own.
static void
test_alike(void)
{
    fixture made = begin();
    uint32_t one = share(&made, "app.Thing", "one", 1500);
    uint32_t others = story_add(&made.to, "list", NULL, 56);
    uint32_t first = LG_NONE;
    story_attribute(&made.to, made.app, "others", others);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t item = story_add(&made.to, "app.Thing", NULL, 400 + i);
        story_edge(&made.to, others, item, LG_EDGE_INDEX, i);
        story_edge(&made.to, made.list, item, LG_EDGE_INDEX, made.items++);
        first = item;
    }
    end got = cut(&made, "app.list");
    REQUIRE(got.answer.kept_count == 2 && got.answer.kept_total == 5);
    const lg_survivor *kept = got.answer.kept;
    CHECK(kept[0].node == first && kept[0].count == 4);
    CHECK(kept[0].total == 1606 && kept[0].retained[0] == 1606);
    CHECK(kept[1].node == one && kept[1].count == 1);
    end_free(&got);
}

// What another listed survivor retains is not listed.
static void
test_what_is_below(void)
{
    fixture made = begin();
    uint32_t outer = share(&made, "app.Thing", "outer", 100);
    uint32_t inner = story_add(&made.to, "app.Thing", NULL, 50);
    story_edge(&made.to, made.list, inner, LG_EDGE_INDEX, made.items++);
    story_attribute(&made.to, outer, "inner", inner);
    end got = cut(&made, "app.list");
    CHECK(got.answer.kept_count == 1 && got.answer.kept_total == 2);
    CHECK(got.answer.kept_count > 0 && got.answer.kept[0].node == outer &&
          got.answer.kept[0].retained[0] == 150);
    end_free(&got);
}

// None lives as long as the interpreter, whatever is cut.
static void
test_immortal(void)
{
    for (int immortal = 0; immortal < 2; immortal++) {
        fixture made = begin();
        made.to.flags |= immortal ? LG_NODE_IMMORTAL : 0;
        uint32_t none = story_add(&made.to, "app.Thing", NULL, 16);
        story_attribute(&made.to, made.app, "best", none);
        story_attribute(&made.to, made.list, "best", none);
        end got = cut(&made, "app.best");
        CHECK(got.answer.kept_count == (immortal ? 0 : 1));
        end_free(&got);
    }
}

// What to cut begins at the immediate dominator, and its path at a root.
static void
test_cut_next(void)
{
    enum { REFERENCES = 6, LISTED = 4 };
    fixture made = begin();
    uint32_t holder = story_add(&made.to, "app.Thing", NULL, 48);
    uint32_t deep = story_add(&made.to, "app.Thing", NULL, 48);
    uint32_t item = story_add(&made.to, "app.Thing", NULL, 1000);
    story_attribute(&made.to, made.app, "holder", holder);
    story_attribute(&made.to, holder, "deep", deep);
    story_edge(&made.to, made.list, item, LG_EDGE_INDEX, 0);
    for (uint32_t i = 0; i < REFERENCES; i++)
        story_attribute(&made.to, deep, (const char[]){(char)('a' + i), 0},
                        item);
    end got = cut(&made, "app.list");
    REQUIRE(got.answer.kept_count == 1 && got.answer.kept[0].node == item);
    const lg_cuts *cuts = &got.answer.kept[0].cuts;
    CHECK(cuts->total == REFERENCES && cuts->count == LISTED);
    for (size_t i = 0; i < cuts->count; i++) {
        const lg_cut *one = &cuts->items[i];
        CHECK(one->path.root.kind == LG_ROOT_MODULE && one->path.count == 3);
        CHECK(one->hop == 2 && one->path.hops[one->hop].target == item);
    }
    end_free(&got);
}

// The item of a tuple goes with the tuple, as `why` says.
static void
test_cut_next_of_an_item(void)
{
    fixture made = begin();
    uint32_t tuple = story_add(&made.to, "tuple", NULL, 48);
    uint32_t item = story_add(&made.to, "app.Thing", NULL, 1000);
    story_attribute(&made.to, made.app, "tuple", tuple);
    story_edge(&made.to, tuple, item, LG_EDGE_INDEX, 0);
    story_edge(&made.to, made.list, item, LG_EDGE_INDEX, 0);
    end got = cut(&made, "app.list");
    REQUIRE(got.answer.kept_count == 1 && got.answer.kept[0].node == item);
    const lg_cuts *cuts = &got.answer.kept[0].cuts;
    REQUIRE(cuts->count == 1 && !cuts->is_kept);
    CHECK(cuts->items->path.hops[cuts->items->hop].target == tuple);
    end_free(&got);
}

// A scope limits what is listed: json holds the second of two lists, and app
// what lives on.
static void
test_what_some_modules_hold(void)
{
    story to = story_begin();
    uint32_t app = story_module(&to, "app");
    uint32_t json = story_module(&to, "json");
    uint32_t ours = story_add(&to, "list", NULL, 100);
    uint32_t theirs = story_add(&to, "dict", NULL, 30);
    uint32_t best = story_add(&to, "list", NULL, 7);
    story_attribute(&to, app, "ours", ours);
    story_attribute(&to, json, "theirs", theirs);
    story_attribute(&to, app, "best", best);
    story_edge(&to, ours, best, LG_EDGE_INDEX, 0);
    lg_graph *graph = story_end(&to);
    lg_analysis *analysis = analysed(graph);
    const struct {
        bool mine;
        const char *module;
        uint64_t listed, size;
        size_t types, kept;
        const char *part;
    } cases[] = {
        {false, NULL, 2, 130, 2, 1, "2 objects would die: 130 B\n\n"},
        {false, "app", 1, 100, 1, 1, "modules hold 1 of them, 100 B.\n"},
        {false, "json", 1, 30, 1, 0, "modules hold 1 of them, 30 B.\n"},
        {true, "json", 0, 0, 0, 0, "modules hold none of them.\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_edges edges = {0};
        lg_scope *scope = scope_of(graph, cases[i].mine, cases[i].module);
        lg_what_if answer;
        lg_text text = {0};
        REQUIRE(!lg_graph_references(graph, "app.ours", NULL, &edges, NULL) &&
                !lg_graph_references(graph, "json.theirs", NULL, &edges, NULL));
        const lg_what_if_options options = {.size = sizeof options,
                                            .scope = scope};
        REQUIRE(lg_analysis_what_if(analysis, edges.items, edges.count,
                                    &options, NULL, &answer, NULL) == LG_OK);
        CHECK(answer.nodes.count == 2 && answer.size[0] == 130);
        CHECK(answer.listed == cases[i].listed &&
              answer.listed_size[0] == cases[i].size);
        CHECK(answer.type_count == cases[i].types &&
              answer.kept_count == cases[i].kept &&
              answer.kept_total == cases[i].kept);
        REQUIRE(
            !lg_report_what_if(graph, &answer, 0, LG_FORMAT_TEXT, &text, NULL));
        CHECK(strstr(text.data, cases[i].part) != NULL);
        lg_text_free(&text);
        lg_what_if_free(&answer);
        lg_scope_free(scope);
        lg_edges_free(&edges);
    }
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(survivors)
{
    RUN(test_what_is_told);
    RUN(test_order);
    RUN(test_alike);
    RUN(test_what_is_below);
    RUN(test_immortal);
    RUN(test_cut_next);
    RUN(test_cut_next_of_an_item);
    RUN(test_what_some_modules_hold);
    return test_result();
}
