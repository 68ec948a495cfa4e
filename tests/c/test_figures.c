// Figures: the parts of each, what each keeps alive, and who holds it.
#include "analysis/analysis_private.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

enum { FIGURES = 8, PIXELS = 640 * 480 * 4, DATA = 1 << 20 };

typedef struct heap {
    lg_graph *graph;
    lg_analysis *analysis;
    uint32_t figure[FIGURES];
    uint32_t artist[FIGURES];
    uint32_t canvas[FIGURES];
} heap;

static void
add_fact(story *to, uint32_t node, const char *key, const char *value)
{
    lg_builder_add_fact(to->builder, node, key, value, strlen(value));
}

static void
tie(story *to, uint32_t a, const char *forth, uint32_t b, const char *back)
{
    story_attribute(to, a, forth, b);
    story_attribute(to, b, back, a);
}

// A figure of an artist with 1 MiB of data. Number 0 does not belong to pyplot,
// and a figure with an even number is drawn. Returns the manager, or the figure
// if it has none.
static uint32_t
add_figure(story *to, heap *out, int number, bool closed)
{
    char text[4] = {(char)('0' + number)};
    uint32_t figure =
        story_add(to, "matplotlib.figure.Figure", number ? text : NULL, 100);
    uint32_t canvas = story_add(
        to, "matplotlib.backends.backend_agg.FigureCanvasAgg", NULL, 100);
    uint32_t artist = story_add(to, "matplotlib.artist.Artist", NULL, 100);
    uint32_t data = story_add(to, "list", NULL, DATA);
    tie(to, figure, "canvas", canvas, "figure");
    tie(to, figure, "patch", artist, "_parent_figure");
    story_attribute(to, artist, "data", data);
    add_fact(to, figure, "size", "640x480");
    add_fact(to, figure, "axes", "2");
    add_fact(to, figure, "artists", "1234");
    add_fact(to, figure, "closed", closed ? "yes" : "no");
    add_fact(to, figure, "canvas", number % 2 ? "0" : "1228800");
    if (number % 2 == 0) {
        uint32_t pixels = story_add(to, "matplotlib.canvas", NULL, PIXELS);
        story_attribute(to, canvas, "renderer", pixels);
    }
    out->figure[number] = figure;
    out->artist[number] = artist;
    out->canvas[number] = canvas;
    if (number == 0)
        return figure;
    add_fact(to, figure, "number", text);
    uint32_t manager =
        story_add(to, "matplotlib.backend_bases.FigureManagerBase", NULL, 100);
    tie(to, manager, "canvas", canvas, "manager");
    return manager;
}

// 1 and 2 are open; 2 is also a global. 3 is closed, but a list contains one of
// its artists. An animation holds 4, and a callback 5. 6 and a half of 1 are
// garbage. Native code holds 7. 0 never belonged to pyplot. 2 and 3 share data.
static heap
make_scene(void)
{
    heap scene = {0};
    story made = story_begin();
    uint32_t train = story_module(&made, "train");
    uint32_t helpers = story_module(&made, "matplotlib._pylab_helpers");
    uint32_t gcf = story_add(&made, "type", "matplotlib._pylab_helpers.Gcf", 0);
    uint32_t open = story_add(&made, "collections.OrderedDict", NULL, 0);
    uint32_t number = story_add(&made, "int", "1", 0);
    uint32_t lines = story_add(&made, "list", NULL, 0);
    uint32_t animation =
        story_add(&made, "matplotlib.animation.Animation", NULL, 0);
    uint32_t hook = story_add(&made, "function", "train.hook", 0);
    uint32_t shared = story_add(&made, "list", NULL, 4 << 20);
    story_attribute(&made, helpers, "Gcf", gcf);
    story_attribute(&made, gcf, "figs", open);
    for (int i = 1; i <= 2; i++)
        story_edge(&made, open, add_figure(&made, &scene, i, false),
                   LG_EDGE_VALUE, number);
    for (int i = 3; i < FIGURES; i++)
        add_figure(&made, &scene, i, true);
    add_figure(&made, &scene, 0, true);
    story_attribute(&made, train, "keep", scene.figure[2]);
    story_attribute(&made, train, "lines", lines);
    story_edge(&made, lines, scene.artist[3], LG_EDGE_INDEX, 0);
    story_attribute(&made, train, "movie", animation);
    story_attribute(&made, animation, "_fig", scene.figure[4]);
    story_attribute(&made, train, "hook", hook);
    story_attribute(&made, hook, "figure", scene.figure[5]);
    story_hold(&made, scene.figure[7], 2);
    story_attribute(&made, train, "own", scene.figure[0]);
    story_attribute(&made, scene.artist[2], "shared", shared);
    story_attribute(&made, scene.artist[3], "shared", shared);
    scene.graph = story_end(&made);
    scene.analysis = analysed(scene.graph);
    return scene;
}

static void
free_scene(heap *scene)
{
    lg_analysis_free(scene->analysis);
    lg_graph_free(scene->graph);
}

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
    heap scene = make_scene();
    lg_figures all;
    REQUIRE(lg_figures_find(scene.analysis, 0, &all, NULL) == LG_OK);
    REQUIRE(all.rows.count == FIGURES && all.total == FIGURES);
    for (int i = 0; i < FIGURES; i++) {
        const lg_figure_row *row = row_of(&all, scene.figure[i]);
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
    free_scene(&scene);
}

// The sums are those of all figures, however many rows there are. The nodes are
// those of the rows.
static void
sums(void)
{
    heap scene = make_scene();
    for (size_t limit = 0; limit < 3; limit++) {
        lg_figures all;
        size_t found = 0;
        REQUIRE(lg_figures_find(scene.analysis, limit, &all, NULL) == LG_OK);
        REQUIRE(all.rows.count == (limit > 0 ? limit : FIGURES));
        CHECK(all.total == FIGURES && all.open == 2 && all.closed == 4);
        CHECK(all.own == 1 && all.garbage == 1);
        CHECK(all.canvas == 4 * PIXELS && all.retained[0] == 13306908);
        for (size_t i = 1; i < all.nodes.count; i++)
            CHECK(all.nodes.items[i - 1] < all.nodes.items[i]);
        for (size_t i = 0; i < all.nodes.count; i++)
            for (int j = 0; j < FIGURES; j++)
                found += all.nodes.items[i] == scene.figure[j];
        CHECK(found == all.rows.count);
        lg_figures_free(&all);
    }
    free_scene(&scene);
}

static void
expect_holder(const heap *scene, const lg_figures *all, int figure,
              lg_holder_kind kind, const char *where)
{
    size_t row = (size_t)(row_of(all, scene->figure[figure]) - all->rows.items);
    const lg_holders *holders = &all->held_by[row];
    const lg_holder *last = &holders->items[holders->count - 1];
    lg_text text = {0};
    CHECK(last->kind == kind && holders->more == 0);
    if (kind != LG_HOLDER_NATIVE)
        lg_path_label(scene->graph, &last->path, &text);
    CHECK(last->node ==
          (kind == LG_HOLDER_NATIVE ? scene->figure[figure] : LG_NONE));
    CHECK_TEXT(text, where);
    lg_text_free(&text);
}

static void
holders(void)
{
    heap scene = make_scene();
    lg_figures all;
    REQUIRE(lg_figures_find(scene.analysis, 0, &all, NULL) == LG_OK);
    expect_holder(&scene, &all, 0, LG_HOLDER_VARIABLE, "train.own");
    expect_holder(&scene, &all, 2, LG_HOLDER_VARIABLE, "train.keep");
    expect_holder(&scene, &all, 3, LG_HOLDER_VARIABLE, "train.lines[0]");
    expect_holder(&scene, &all, 4, LG_HOLDER_ANIMATION, "train.movie._fig");
    expect_holder(&scene, &all, 5, LG_HOLDER_CALLBACK, "train.hook.figure");
    expect_holder(&scene, &all, 7, LG_HOLDER_NATIVE, "");
    for (int i = 0; i < FIGURES; i++) {
        size_t row = (size_t)(row_of(&all, scene.figure[i]) - all.rows.items);
        size_t count = i == 6 ? 0 : i == 2 ? 2 : 1;
        CHECK(all.held_by[row].count == count);
        if (i == 1 || i == 2)
            CHECK(all.held_by[row].items[0].kind == LG_HOLDER_PYPLOT);
    }
    lg_figures_free(&all);
    free_scene(&scene);
    CHECK(strcmp(lg_holder_kind_name(LG_HOLDER_NATIVE), "native") == 0);
    CHECK(strcmp(lg_holder_kind_name((lg_holder_kind)99), "unknown") == 0);
}

static void
expect(const heap *scene, size_t limit, lg_format format, const char *expected)
{
    lg_text text = {0};
    REQUIRE(lg_report_figures(scene->analysis, limit, format, &text, NULL) ==
            LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

#define HEAD                                                                   \
    "    retained     canvas  number       size  axes  artists  state   held " \
    "by\n"
#define TAIL                                                                   \
    "\n"                                                                       \
    "8 figures: 2 open in pyplot, 4 closed, 1 not pyplot's, 1 garbage; "       \
    "together 12.7 MiB, of which canvas 4.69 MiB\n"                            \
    "A figure that pyplot knows lives until plt.close(figure); "               \
    "matplotlib.figure.Figure() makes one that goes with its last "            \
    "reference.\n"
#define ROW_2                                                                  \
    "    2.17 MiB   1.17 MiB       2    640x480     2    1,234  open    "      \
    "pyplot's registry; train.keep\n"
#define ROW_4                                                                  \
    "    2.17 MiB   1.17 MiB       4    640x480     2    1,234  closed  "      \
    "animation train.movie._fig\n"

static void
report(void)
{
    heap scene = make_scene();
    expect(&scene, 0, LG_FORMAT_TEXT,
           HEAD ROW_2 ROW_4
           "    2.17 MiB   1.17 MiB       6    640x480     2    1,234  closed  "
           "nobody: garbage that the collector has yet to free\n"
           "    2.17 MiB   1.17 MiB            640x480     2    1,234          "
           "train.own\n"
           "    1.00 MiB  not drawn       1    640x480     2    1,234  open    "
           "pyplot's registry\n"
           "    1.00 MiB  not drawn       3    640x480     2    1,234  closed  "
           "train.lines[0]\n"
           "    1.00 MiB  not drawn       5    640x480     2    1,234  closed  "
           "callback train.hook.figure\n"
           "    1.00 MiB  not drawn       7    640x480     2    1,234  closed  "
           "native code: Figure 7 (2 references leakgraph cannot see)\n" TAIL);
    expect(&scene, 2, LG_FORMAT_TEXT,
           HEAD ROW_2 ROW_4 "         ... and 6 more\n" TAIL);
    expect(&scene, 1, LG_FORMAT_JSON,
           "{\"count\": 8, \"open\": 2, \"closed\": 4, \"own\": 1, "
           "\"garbage\": 1, \"canvas\": 4915200, \"retained\": {\"host\": "
           "13306908}, \"findings\": [], \"figures\": [\n"
           "  {\"node\": 14, \"type\": \"matplotlib.figure.Figure\", "
           "\"title\": \"Figure 2\", \"retained\": {\"host\": 2277776"
           "}, \"canvas\": 1228800, \"number\": 2, \"width\": "
           "640, \"height\": 480, \"axes\": 2, \"artists\": 1234, \"closed\": "
           "false, \"reachable\": true, \"held_by\": [{\"kind\": \"pyplot\", "
           "\"where\": \"\"}, {\"kind\": \"variable\", \"where\": "
           "\"train.keep\"}], \"more_holders\": 0}\n"
           "]}\n");
    free_scene(&scene);
}

// The text of the cells of an HTML table, with `|` before each cell.
static void
strip_tags(const lg_text *html, lg_text *out)
{
    bool text = true;
    for (size_t i = 0; i < html->length; i++) {
        if (html->data[i] == '<')
            lg_text_add(out, strncmp(html->data + i, "<td", 3) ? "" : "|");
        text = html->data[i] == '>' || (text && html->data[i] != '<');
        if (text && html->data[i] != '>')
            lg_text_add_bytes(out, html->data + i, 1);
    }
}

static void
html(void)
{
    static const char *const rows[] = {
        "|1|640x480|2|1,234|open|",   "|2|640x480|2|1,234|open|",
        "|3|640x480|2|1,234|closed|", "|4|640x480|2|1,234|closed|",
        "|5|640x480|2|1,234|closed|", "|6|640x480|2|1,234|closed|",
        "|7|640x480|2|1,234|closed|", "||640x480|2|1,234||train.own",
    };
    heap scene = make_scene();
    lg_table *table;
    lg_text whole = {0};
    lg_text text = {0};
    REQUIRE(lg_tabulate_figures(scene.analysis, 0, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html(table, 0, &whole, NULL) == LG_OK);
    strip_tags(&whole, &text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(text.data, rows[i]) == NULL)
            CHECK_TEXT(text, rows[i]);
    CHECK(strstr(text.data, "8 figures: 2 open in pyplot, 4 closed, ") != NULL);
    lg_text_free(&text);
    lg_text_free(&whole);
    lg_table_free(table);
    free_scene(&scene);
}

static void
none(void)
{
    heap scene;
    story made = story_begin();
    story_module(&made, "train");
    scene.graph = story_end(&made);
    scene.analysis = analysed(scene.graph);
    expect(&scene, 0, LG_FORMAT_TEXT, "There is no figure of matplotlib.\n");
    expect(&scene, 0, LG_FORMAT_JSON,
           "{\"count\": 0, \"open\": 0, \"closed\": 0, \"own\": 0, "
           "\"garbage\": 0, \"canvas\": 0, \"retained\": {\"host\": 0"
           "}, \"findings\": [], \"figures\": []}\n");
    free_scene(&scene);
}

// A part of a figure has its own artists. A loop between two figures belongs to
// neither. A renderer that a text remembers counts as pixels.
static void
parts(void)
{
    heap scene = {0};
    story made = story_begin();
    lg_figures all;
    uint32_t train = story_module(&made, "train");
    uint32_t part = story_add(&made, "matplotlib.figure.SubFigure", NULL, 10);
    uint32_t inner = story_add(&made, "matplotlib.artist.Artist", NULL, 1000);
    uint32_t saved = story_add(&made, "matplotlib.canvas", NULL, 5000);
    add_figure(&made, &scene, 1, true);
    add_figure(&made, &scene, 3, true);
    tie(&made, scene.figure[1], "part", part, "_parent_figure");
    story_attribute(&made, inner, "_parent_figure", part);
    story_attribute(&made, inner, "renderer", saved);
    story_attribute(&made, train, "inner", inner);
    story_attribute(&made, train, "other", scene.figure[3]);
    tie(&made, scene.figure[1], "twin", scene.figure[3], "twin");
    scene.graph = story_end(&made);
    scene.analysis = analysed(scene.graph);
    REQUIRE(lg_figures_find(scene.analysis, 0, &all, NULL) == LG_OK);
    REQUIRE(all.rows.count == 2);
    CHECK(row_of(&all, scene.figure[1])->retained[0] == DATA + 400 + 6010);
    CHECK(row_of(&all, scene.figure[1])->canvas == 5000);
    CHECK(row_of(&all, scene.figure[3])->retained[0] == DATA + 400);
    CHECK(row_of(&all, scene.figure[3])->canvas == 0);
    lg_figures_free(&all);
    free_scene(&scene);
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

// How many holders a figure has whose parts are in one collection.
static size_t
holders_in(const char *type, lg_edge_kind kind)
{
    story made = story_begin();
    heap scene = {0};
    lg_text text = {0};
    size_t count = 0;
    uint32_t train = story_module(&made, "train");
    uint32_t parts = story_add(&made, type, NULL, 200);
    add_figure(&made, &scene, 0, true);
    story_attribute(&made, train, "parts", parts);
    story_edge(&made, parts, scene.figure[0], kind, 0);
    story_edge(&made, parts, scene.canvas[0], kind, kind == LG_EDGE_INDEX);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(lg_report_figures(analysis, 0, LG_FORMAT_JSON, &text, NULL) ==
            LG_OK);
    for (const char *at = text.data; (at = strstr(at, "\"variable\"")) != NULL;
         at++)
        count++;
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return count;
}

// References of one object that nothing tells apart are one holder.
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
    RUN(report);
    RUN(html);
    RUN(none);
    RUN(parts);
    RUN(sets);
    RUN(each_holder_once);
    return test_result();
}
