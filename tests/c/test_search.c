// Names that have certain words, and what their objects retain.
#include "asked.h"
#include "sample.h"
#include "story.h"
#include "test.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/search.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

static lg_graph *graph;
static lg_analysis *analysis;

static lg_search
found(const char *words)
{
    lg_search search = {0};
    lg_error error = {0};
    const lg_search_options options = {.size = sizeof options, .words = words};
    CHECK(lg_analysis_search(analysis, &options, NULL, &search, &error) ==
          LG_OK);
    return search;
}

// Checks what a search finds, as `kind name count` a line.
static void
finds(const char *words, const char *expected)
{
    static const char *const kinds[] = {
        "object", "variable", "attribute", "key", "local", "type", "module"};
    lg_search search = found(words);
    lg_text text = {0};
    for (size_t i = 0; i < search.count; i++) {
        lg_text_addf(&text, "%s ", kinds[search.rows[i].kind]);
        lg_hit_name(graph, &search.rows[i], &text);
        lg_text_addf(&text, " %d\n", (int)search.rows[i].count);
    }
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    lg_search_free(&search);
}

static void
misses(const char *words, lg_status expected, const char *message)
{
    lg_search search;
    lg_error error = {0};
    const lg_search_options options = {.size = sizeof options, .words = words};
    CHECK(lg_analysis_search(analysis, &options, NULL, &search, &error) ==
          expected);
    CHECK(strstr(error.message, message) != NULL);
}

static void
begin(lg_graph *of)
{
    graph = of;
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
}

static void
end(void)
{
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
test_names(void)
{
    lg_graph *sample;
    REQUIRE(sample_new(NULL, &sample, NULL) == LG_OK);
    begin(sample);
    finds("LOSSES", "variable train.losses 1\n"
                    "local train() train.py:12 local all_losses 1\n");
    finds("model", "attribute train.Trainer.model 1\ntype train.Model 1\n");
    finds("train losses", "variable train.losses 1\n"
                          "local train() train.py:12 local all_losses 1\n");
    finds("n.loss", "variable train.losses 1\n");
    finds("it", "key dict['it\\'s'] 1\n");
    finds("#11", "object Trainer 1\n");
    finds("type:train.Trainer", "object Trainer 1\nobject Trainer 1\n");
    finds("gc", "module gc 1\n");
    misses("losses of nobody", LG_ENOTFOUND, "no name has 'losses of nobody'");
    misses("lossez", LG_ENOTFOUND, "; did you mean name:train.losses?");
    misses("type:train.Trainr", LG_ENOTFOUND, "did you mean type:");
    end();
}

static const lg_hit *
hit_of(const lg_search *search, lg_hit_kind kind)
{
    for (size_t i = 0; i < search->count; i++)
        if (search->rows[i].kind == kind)
            return &search->rows[i];
    return NULL;
}

// What the program holds comes first, although a library holds more. An item
// that another item of the same name owns counts once.
static void
test_order(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t library = story_module(&made, "json");
    uint32_t importer = story_module(&made, "json.decoder");
    story_type(&made, "app.Item", NULL);
    uint32_t head = story_add(&made, "app.Item", NULL, 100);
    uint32_t middle = story_add(&made, "app.Item", NULL, 40);
    uint32_t last = story_add(&made, "app.Item", NULL, 7);
    uint32_t big = story_add(&made, "json.Item", NULL, 5000);
    story_attribute(&made, app, "cache", head);
    story_attribute(&made, head, "next_cached", middle);
    story_attribute(&made, middle, "next_cached", last);
    story_attribute(&made, library, "cache", big);
    story_attribute(&made, importer, "cache", big);
    story_attribute(&made, app, "__cached__", last);
    begin(story_end(&made));
    finds("cache", "variable app.cache 1\n"
                   "attribute app.Item.next_cached 2\n"
                   "variable json.cache 1\n");
    finds("__cach", "variable app.__cached__ 1\n");
    finds("item", "type app.Item 3\ntype json.Item 1\n");
    finds("", "variable app.cache 1\n");
    lg_search search = found("cach");
    const lg_hit *next = hit_of(&search, LG_HIT_ATTRIBUTE);
    REQUIRE(next != NULL);
    // The last item has a holder of its own, so the middle one retains 40.
    CHECK(next->weight == 47 && next->retained[0] == 47 && next->mine);
    CHECK(next->node == middle && next->owner == head);
    lg_search_free(&search);
    search = found("item");
    const lg_hit *items = hit_of(&search, LG_HIT_TYPE);
    REQUIRE(items != NULL);
    CHECK(items->count == 3 && items->weight == 147 && items->node == head);
    lg_search_free(&search);
    end();
}

// A word that has a dot is sought in whole names, and must end in their last
// part.
static void
test_ends(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t model = story_add(&made, "app.Model", NULL, 100);
    story_attribute(&made, app, "one", model);
    story_attribute(&made, model, "model",
                    story_add(&made, "app.Part", NULL, 100));
    begin(story_end(&made));
    finds("app.model", "type app.Model 1\n");
    finds("model.model", "attribute app.Model.model 1\n");
    end();
}

// One option limits the rows, and the answer still counts all of them.
static void
test_limit(void)
{
    lg_search search = {0};
    const lg_search_options options = {
        .size = sizeof options, .words = "train", .limit = 1};
    lg_graph *sample;
    REQUIRE(sample_new(NULL, &sample, NULL) == LG_OK);
    begin(sample);
    REQUIRE(lg_analysis_search(analysis, &options, NULL, &search, NULL) ==
            LG_OK);
    CHECK(search.count == 1 && search.total_rows > 1);
    lg_search_free(&search);
    end();
}

SUITE(search)
{
    RUN(test_names);
    RUN(test_order);
    RUN(test_ends);
    RUN(test_limit);
    return test_result();
}
