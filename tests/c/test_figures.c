// Figures: the parts of each, what each keeps alive, and who holds it.
#include <leakgraph/internal/retained.h>

#include "asked.h"
#include "analysis/analysis_private.h"
#include "drawn.h"
#include "figure_heap.h"
#include "test.h"

static const lg_figure_row *
row_of(const lg_figures *figures, uint32_t node)
{
    const lg_figure_rows *rows = &figures->rows;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].node == node)
            return &rows->items[i];
    return NULL;
}

static void
rows(void)
{
    figure_heap built = figure_heap_make();
    lg_figures all;
    REQUIRE(lg_analysis_figures(built.analysis, NULL, 0, &all, NULL) == LG_OK);
    REQUIRE(all.rows.count == FIGURES && all.total == FIGURES);
    for (int i = 0; i < FIGURES; i++) {
        const lg_figure_row *row = row_of(&all, built.figure[i]);
        bool drawn = i % 2 == 0;
        uint64_t bytes = DATA + 300 + (i > 0 ? 100u : 0);
        REQUIRE(row != NULL);
        CHECK(row->number == (i > 0 ? i : -1));
        CHECK(row->width == 640 && row->height == 480);
        CHECK(row->axes == 2 && row->artists == 1234);
        CHECK(row->canvas == (drawn ? PIXELS : 0));
        CHECK(row->closed == (i != 1 && i != 2));
        CHECK(row->reachable == (i != 6));
        CHECK(row->retained[0] == bytes + (drawn ? PIXELS : 0));
        CHECK(row->total == row->retained[0]);
    }
    for (size_t i = 1; i < all.rows.count; i++)
        CHECK(all.rows.items[i - 1].total >= all.rows.items[i].total);
    lg_figures_free(&all);
    figure_heap_free(&built);
}

// The sums cover all figures, however many rows there are. The nodes belong to
// the rows.
static void
sums(void)
{
    figure_heap built = figure_heap_make();
    for (size_t limit = 0; limit < 3; limit++) {
        lg_figures all;
        size_t found = 0;
        REQUIRE(lg_analysis_figures(built.analysis, NULL, limit, &all, NULL) ==
                LG_OK);
        REQUIRE(all.rows.count == (limit > 0 ? limit : FIGURES));
        CHECK(all.total == FIGURES && all.open == 2 && all.closed == 4);
        CHECK(all.own == 1 && all.garbage == 1);
        CHECK(all.canvas == 4 * PIXELS && all.retained[0] == 13306908);
        for (size_t i = 1; i < all.nodes.count; i++)
            CHECK(all.nodes.items[i - 1] < all.nodes.items[i]);
        for (size_t i = 0; i < all.nodes.count; i++)
            for (int j = 0; j < FIGURES; j++)
                found += all.nodes.items[i] == built.figure[j];
        CHECK(found == all.rows.count);
        lg_figures_free(&all);
    }
    figure_heap_free(&built);
}

static void
expect_holder(const figure_heap *built, const lg_figures *all, int figure,
              lg_figure_holder_kind kind, const char *where)
{
    size_t row = (size_t)(row_of(all, built->figure[figure]) - all->rows.items);
    const lg_figure_holders *holders = &all->held_by[row];
    const lg_figure_holder *last = &holders->items[holders->count - 1];
    lg_text text = {0};
    CHECK(last->kind == kind && holders->more == 0);
    if (kind != LG_HOLDER_NATIVE)
        lg_path_label(built->graph, &last->path, &text);
    CHECK(last->node ==
          (kind == LG_HOLDER_NATIVE ? built->figure[figure] : LG_NONE));
    CHECK_TEXT(text, where);
    lg_text_free(&text);
}

static void
holders(void)
{
    figure_heap built = figure_heap_make();
    lg_figures all;
    REQUIRE(lg_analysis_figures(built.analysis, NULL, 0, &all, NULL) == LG_OK);
    expect_holder(&built, &all, 0, LG_HOLDER_VARIABLE, "train.own");
    expect_holder(&built, &all, 2, LG_HOLDER_VARIABLE, "train.keep");
    expect_holder(&built, &all, 3, LG_HOLDER_VARIABLE, "train.lines[0]");
    expect_holder(&built, &all, 4, LG_HOLDER_ANIMATION, "train.movie._fig");
    expect_holder(&built, &all, 5, LG_HOLDER_CALLBACK, "train.hook.figure");
    expect_holder(&built, &all, 7, LG_HOLDER_NATIVE, "");
    for (int i = 0; i < FIGURES; i++) {
        size_t row = (size_t)(row_of(&all, built.figure[i]) - all.rows.items);
        size_t count = i == 6 ? 0 : i == 2 ? 2 : 1;
        CHECK(all.held_by[row].count == count);
        if (i == 1 || i == 2)
            CHECK(all.held_by[row].items[0].kind == LG_HOLDER_PYPLOT);
    }
    lg_figures_free(&all);
    figure_heap_free(&built);
    CHECK(strcmp(lg_figure_holder_kind_name(LG_HOLDER_NATIVE), "native") == 0);
    CHECK(strcmp(lg_figure_holder_kind_name((lg_figure_holder_kind)99),
                 "unknown") == 0);
}

// A part of a figure has its own artists. A loop between two figures belongs to
// neither. A renderer that a text remembers counts as pixels.
static void
parts(void)
{
    figure_heap built = {0};
    story made = story_begin();
    lg_figures all;
    uint32_t train = story_module(&made, "train");
    uint32_t part = story_add(&made, "matplotlib.figure.SubFigure", NULL, 10);
    uint32_t inner = story_add(&made, "matplotlib.artist.Artist", NULL, 1000);
    uint32_t saved = story_add(&made, "matplotlib.canvas", NULL, 5000);
    figure_heap_add(&made, &built, 1, true);
    figure_heap_add(&made, &built, 3, true);
    figure_heap_tie(&made, built.figure[1], "part", part, "_parent_figure");
    story_attribute(&made, inner, "_parent_figure", part);
    story_attribute(&made, inner, "renderer", saved);
    story_attribute(&made, train, "inner", inner);
    story_attribute(&made, train, "other", built.figure[3]);
    figure_heap_tie(&made, built.figure[1], "twin", built.figure[3], "twin");
    built.graph = story_end(&made);
    built.analysis = analysed(built.graph);
    REQUIRE(lg_analysis_figures(built.analysis, NULL, 0, &all, NULL) == LG_OK);
    REQUIRE(all.rows.count == 2);
    CHECK(row_of(&all, built.figure[1])->retained[0] == DATA + 400 + 6010);
    CHECK(row_of(&all, built.figure[1])->canvas == 5000);
    CHECK(row_of(&all, built.figure[3])->retained[0] == DATA + 400);
    CHECK(row_of(&all, built.figure[3])->canvas == 0);
    lg_figures_free(&all);
    figure_heap_free(&built);
}

// A single set retains what lg_nodes_retained returns; several sets count no
// byte twice.
static void
sets(void)
{
    for (uint64_t seed = 1; seed < 200; seed++) {
        lg_graph *graph = draw_random(seed, 60);
        lg_analysis *analysis = analysed(graph);
        uint32_t nodes = lg_graph_columns(graph)->node_count;
        uint32_t *label = calloc(nodes, sizeof *label);
        uint32_t members[8];
        uint64_t state = seed;
        uint64_t one[2] = {0}, two[3] = {0}; // graphs without devices
        lg_bytes exact;
        size_t count = 0;
        for (int i = 0; i < 8; i++) {
            uint32_t node = test_random(&state) % nodes;
            if (label[node] != 0 || !lg_node_is_reachable(analysis, node))
                continue;
            label[node] = 1;
            members[count++] = node;
        }
        REQUIRE(lg_graph_device_count(graph) == 0);
        REQUIRE(lg__sets_retained(analysis, label, 1, NULL, one, NULL) ==
                LG_OK);
        REQUIRE(lg_nodes_retained(analysis, members, count, NULL, &exact,
                                  NULL) == LG_OK);
        if (count > 0)
            CHECK(one[1] == exact.host);
        memset(label, 0, nodes * sizeof *label);
        for (size_t i = 0; i < count; i++)
            label[members[i]] = 1 + i % 2;
        REQUIRE(lg__sets_retained(analysis, label, 2, NULL, two, NULL) ==
                LG_OK);
        CHECK(two[1] + two[2] <= one[1]);
        free(label);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// Returns how many holders a figure has whose parts are in one collection.
static size_t
holders_in(const char *type, lg_edge_kind kind)
{
    story made = story_begin();
    figure_heap built = {0};
    lg_text text = {0};
    size_t count = 0;
    uint32_t train = story_module(&made, "train");
    uint32_t parts = story_add(&made, type, NULL, 200);
    figure_heap_add(&made, &built, 0, true);
    story_attribute(&made, train, "parts", parts);
    story_edge(&made, parts, built.figure[0], kind, 0);
    story_edge(&made, parts, built.canvas[0], kind, kind == LG_EDGE_INDEX);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(question_report("figures", lg_analysis_graph(analysis), analysis,
                            "limit=all", LG_FORMAT_JSON, &text) == LG_OK);
    for (const char *at = text.data; (at = strstr(at, "\"variable\"")) != NULL;
         at++)
        count++;
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return count;
}

// References of one object that nothing distinguishes are one holder.
static void
each_holder_once(void)
{
    CHECK(holders_in("set", LG_EDGE_ELEMENT) == 1);
    CHECK(holders_in("list", LG_EDGE_INDEX) == 2);
}

SUITE(figures)
{
    RUN(rows);
    RUN(sums);
    RUN(holders);
    RUN(parts);
    RUN(sets);
    RUN(each_holder_once);
    return test_result();
}
