// Open figures that a program keeps through one of their parts.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

#include <leakgraph/internal/findings.h>
#include <leakgraph/internal/report.h>

enum { OPEN = 6, DATA = 4096 };

typedef struct open_heap {
    story to;
    uint32_t app;
    uint32_t axes[OPEN];
} open_heap;

// Six open figures of 64 bytes, each with axes that have the data.
static open_heap
plot(void)
{
    open_heap made;
    made.to = heap_begin(&made.app);
    story *to = &made.to;
    story_type(to, "matplotlib.artist.Artist", "object");
    story_type(to, "matplotlib.axes.Axes", "matplotlib.artist.Artist");
    uint32_t helpers = story_module(to, "matplotlib._pylab_helpers");
    uint32_t registry = story_add(to, "type", "Gcf", 100);
    uint32_t all = story_add(to, "collections.OrderedDict", NULL, 100);
    story_attribute(to, helpers, "Gcf", registry);
    story_attribute(to, registry, "figs", all);
    for (int n = 0; n < OPEN; n++) {
        uint32_t manager = story_add(to, "Manager", NULL, 48);
        uint32_t canvas = story_add(to, "Canvas", NULL, 48);
        uint32_t figure = story_add(to, "matplotlib.figure.Figure", NULL, 64);
        uint32_t axes = story_add(to, "matplotlib.axes.Axes", NULL, 64);
        heap_item(to, all, "1", manager);
        story_attribute(to, manager, "canvas", canvas);
        story_attribute(to, canvas, "figure", figure);
        story_attribute(to, canvas, "manager", manager);
        story_attribute(to, figure, "canvas", canvas);
        story_attribute(to, figure, "axes", axes);
        story_attribute(to, axes, "_parent_figure", figure);
        story_attribute(to, axes, "data", story_add(to, "bytes", NULL, DATA));
        made.axes[n] = axes;
    }
    return made;
}

// Ends the story. The one finding has all bytes of six figures, frees those of
// `freed` alone, and names `others` as well as pyplot.
static void
check_finding(open_heap *made, uint64_t freed, const uint32_t *others,
              size_t count)
{
    const uint64_t each = 48 + 48 + 64 + 64 + DATA;
    lg_graph *graph = story_end(&made->to);
    lg_analysis *analysis = analysed(graph);
    lg_findings found = {0};
    REQUIRE(!lg_analysis_findings(analysis, NULL, NULL, &found, NULL));
    REQUIRE(found.count == 1);
    const lg_finding *finding = &found.items[0];
    CHECK(finding->count == OPEN && finding->total == OPEN * each);
    CHECK(finding->freed_total == freed * each);
    REQUIRE(finding->holder_count == 1 + count);
    for (size_t i = 0; i < count; i++)
        CHECK(finding->holders[1 + i].node == others[i]);
    lg_findings_free(&found);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
nobody_else_keeps_them(void)
{
    open_heap made = plot();
    check_finding(&made, OPEN, NULL, 0);
}

static void
a_variable_has_the_axes_of_one(void)
{
    open_heap made = plot();
    story_attribute(&made.to, made.app, "ax", made.axes[5]);
    check_finding(&made, OPEN - 1, &made.axes[5], 1);
}

static void
a_list_has_the_axes_of_all(void)
{
    open_heap made = plot();
    uint32_t list = heap_list(&made.to, LG_NONE);
    story_attribute(&made.to, made.app, "axes", list);
    for (int n = 0; n < OPEN; n++)
        heap_append(&made.to, list, made.axes[n]);
    check_finding(&made, 0, &list, 1);
}

// As plt.subplots() returns them.
static void
an_array_has_the_axes_of_all(void)
{
    open_heap made = plot();
    story_type(&made.to, "numpy.ndarray", "object");
    uint32_t array = story_add(&made.to, "numpy.ndarray", NULL, 112);
    story_attribute(&made.to, made.app, "axes", array);
    for (int n = 0; n < OPEN; n++)
        story_edge(&made.to, array, made.axes[n], LG_EDGE_INDEX, (uint32_t)n);
    check_finding(&made, 0, &array, 1);
}

SUITE(findings_figures)
{
    RUN(nobody_else_keeps_them);
    RUN(a_variable_has_the_axes_of_one);
    RUN(a_list_has_the_axes_of_all);
    RUN(an_array_has_the_axes_of_all);
    return test_result();
}
