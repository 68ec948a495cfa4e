// What an object owns, and what refers to it, by place.
#include "story.h"
#include "test.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/branches.h>
#include <leakgraph/internal/hops.h>

#include <string.h>

static lg_graph *graph;
static lg_analysis *analysis;
static uint32_t holder, items, other, item[3];

// app.holder = Holder(); holder.items = [Item, Item, Item]; each Item has a
// part. The second item is app.other, too.
static void
begin(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    holder = story_add(&made, "app.Holder", NULL, 100);
    items = story_add(&made, "list", NULL, 80);
    other = story_add(&made, "str", NULL, 50);
    story_attribute(&made, app, "holder", holder);
    story_attribute(&made, holder, "items", items);
    story_attribute(&made, holder, "name", other);
    for (uint32_t i = 0; i < 3; i++) {
        item[i] = story_add(&made, "app.Item", NULL, 10 + i);
        uint32_t part = story_add(&made, "app.Part", NULL, 1000 * i);
        story_edge(&made, items, item[i], LG_EDGE_INDEX, i);
        story_attribute(&made, item[i], "part", part);
        story_attribute(&made, item[i], "of", holder);
    }
    story_attribute(&made, app, "other", item[1]);
    graph = story_end(&made);
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
}

static void
end(void)
{
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static lg_branches
branches(uint32_t node, lg_branch_way way, uint32_t like)
{
    lg_branches found = {0};
    REQUIRE(lg_node_branches(analysis, node, way, like, &found, NULL) == LG_OK);
    return found;
}

static void
is_branch(const lg_branch *one, const char *label, uint64_t count,
          uint64_t retained)
{
    lg_text text = {0};
    lg_branch_label(graph, one, &text);
    CHECK_TEXT(text, label);
    CHECK(one->count == count && one->retained == retained);
    lg_text_free(&text);
}

static void
test_owned(void)
{
    begin();
    lg_branches found = branches(holder, LG_BRANCH_OWNED, LG_NONE);
    REQUIRE(found.count == 2);
    is_branch(&found.items[0], ".items", 1, 80 + 10 + 12 + 2000);
    is_branch(&found.items[1], ".name", 1, 50);
    CHECK(found.items[0].opens && !found.items[1].opens);
    CHECK(found.items[0].own == 80);
    lg_branches_free(&found);
    // The list does not own the item that the module has, too.
    found = branches(items, LG_BRANCH_OWNED, LG_NONE);
    REQUIRE(found.count == 1);
    is_branch(&found.items[0], "[*]", 2, 10 + 12 + 2000);
    CHECK(found.items[0].node == item[2] && found.items[0].opens);
    CHECK(found.items[0].own == 22);
    lg_branches_free(&found);
    found = branches(items, LG_BRANCH_OWNED, item[0]);
    REQUIRE(found.count == 2);
    is_branch(&found.items[0], "[2]", 1, 12 + 2000);
    is_branch(&found.items[1], "[0]", 1, 10);
    lg_branches_free(&found);
    end();
}

static void
test_referrers(void)
{
    begin();
    lg_branches found = branches(holder, LG_BRANCH_REFERRERS, LG_NONE);
    REQUIRE(found.count == 2);
    CHECK(found.items[0].node != item[1] || found.items[1].node != item[1]);
    for (size_t i = 0; i < 2; i++)
        if (found.items[i].count == 3)
            is_branch(&found.items[i], ".of", 3, 12 + 2000);
        else
            is_branch(&found.items[i], ".holder", 1, found.items[i].retained);
    lg_branches_free(&found);
    found = branches(other, LG_BRANCH_OWNED, LG_NONE);
    CHECK(found.count == 0);
    lg_branches_free(&found);
    lg_error error = {0};
    CHECK(lg_node_branches(analysis, 1u << 20, LG_BRANCH_OWNED, LG_NONE, &found,
                           &error) == LG_EINVAL);
    end();
}

// A place has a branch for each type. What refers several times counts once.
static void
test_types(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t list = story_add(&made, "list", NULL, 80);
    uint32_t twice = story_add(&made, "app.Item", NULL, 40);
    story_attribute(&made, app, "list", list);
    story_edge(&made, list, twice, LG_EDGE_INDEX, 0);
    story_edge(&made, list, story_add(&made, "app.Part", NULL, 30),
               LG_EDGE_INDEX, 1);
    story_edge(&made, list, twice, LG_EDGE_INDEX, 2);
    graph = story_end(&made);
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
    lg_branches found = branches(list, LG_BRANCH_OWNED, LG_NONE);
    REQUIRE(found.count == 2);
    CHECK(found.items[0].node == twice && found.items[0].count == 1);
    CHECK(found.items[1].retained == 30 && found.items[1].count == 1);
    lg_branches_free(&found);
    found = branches(twice, LG_BRANCH_REFERRERS, LG_NONE);
    REQUIRE(found.count == 1);
    CHECK(found.items[0].node == list && found.items[0].count == 1);
    lg_branches_free(&found);
    end();
}

// A session with a name, an age, no other value, and a list of ages.
static lg_graph *
session(const char *previews, uint32_t *out, uint32_t *ages, uint32_t *class)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    *out = story_add(&made, "app.Session", NULL, 100);
    *ages = story_add(&made, "list", NULL, 80);
    *class = story_add(&made, "type", "app.Session", 80);
    uint32_t name = story_add(&made, "str", "it's", 50);
    uint32_t age = story_add(&made, "int", "41", 28);
    story_attribute(&made, app, "session", *out);
    story_attribute(&made, *out, "name", name);
    story_attribute(&made, *out, "ages", *ages);
    story_attribute(&made, *out, "age", age);
    story_attribute(&made, *class, "limit", age);
    for (uint32_t i = 0; i < 4; i++)
        story_edge(&made, *ages, age, LG_EDGE_INDEX, i);
    if (previews != NULL)
        lg_builder_set_info(made.builder, "previews", previews);
    return story_end(&made);
}

static void
has_values(uint32_t node, const char *expected)
{
    lg_text text = {0};
    lg_node_values(graph, node, 3, &text);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
test_values(void)
{
    uint32_t one, ages, class;
    graph = session("yes", &one, &ages, &class);
    has_values(one, ".name = 'it\\'s', .age = 41");
    has_values(ages, "[0] = 41, [1] = 41, [2] = 41, …");
    has_values(class, "");
    lg_graph_free(graph);
    for (int i = 0; i < 2; i++) {
        graph = session(i == 0 ? "no" : NULL, &one, &ages, &class);
        has_values(one, "");
        has_values(ages, "");
        lg_graph_free(graph);
    }
}

SUITE(branches)
{
    RUN(test_owned);
    RUN(test_referrers);
    RUN(test_types);
    RUN(test_values);
    return test_result();
}
