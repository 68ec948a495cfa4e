#include "figure_heap.h"
#include "drawn.h"

#include <string.h>

static void
add_fact(story *to, uint32_t node, const char *key, const char *value)
{
    lg_builder_add_fact(to->builder, node, key, value, strlen(value));
}

void
figure_heap_tie(story *to, uint32_t a, const char *forth, uint32_t b,
                const char *back)
{
    story_attribute(to, a, forth, b);
    story_attribute(to, b, back, a);
}

uint32_t
figure_heap_add(story *to, figure_heap *out, int number, bool closed)
{
    char text[4] = {(char)('0' + number)};
    uint32_t figure =
        story_add(to, "matplotlib.figure.Figure", number ? text : NULL, 100);
    uint32_t canvas = story_add(
        to, "matplotlib.backends.backend_agg.FigureCanvasAgg", NULL, 100);
    uint32_t artist = story_add(to, "matplotlib.artist.Artist", NULL, 100);
    uint32_t data = story_add(to, "list", NULL, DATA);
    figure_heap_tie(to, figure, "canvas", canvas, "figure");
    figure_heap_tie(to, figure, "patch", artist, "_parent_figure");
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
    figure_heap_tie(to, manager, "canvas", canvas, "manager");
    return manager;
}

figure_heap
figure_heap_make(void)
{
    figure_heap built = {0};
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
        story_edge(&made, open, figure_heap_add(&made, &built, i, false),
                   LG_EDGE_VALUE, number);
    for (int i = 3; i < FIGURES; i++)
        figure_heap_add(&made, &built, i, true);
    figure_heap_add(&made, &built, 0, true);
    story_attribute(&made, train, "keep", built.figure[2]);
    story_attribute(&made, train, "lines", lines);
    story_edge(&made, lines, built.artist[3], LG_EDGE_INDEX, 0);
    story_attribute(&made, train, "movie", animation);
    story_attribute(&made, animation, "_fig", built.figure[4]);
    story_attribute(&made, train, "hook", hook);
    story_attribute(&made, hook, "figure", built.figure[5]);
    story_hold(&made, built.figure[7], 2);
    story_attribute(&made, train, "own", built.figure[0]);
    story_attribute(&made, built.artist[2], "shared", shared);
    story_attribute(&made, built.artist[3], "shared", shared);
    built.graph = story_end(&made);
    built.analysis = analysed(built.graph);
    return built;
}

void
figure_heap_free(figure_heap *built)
{
    lg_analysis_free(built->analysis);
    lg_graph_free(built->graph);
}
