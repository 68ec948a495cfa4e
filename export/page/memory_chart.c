// Draws the memory of the process over its snapshots: areas that add up, and
// the resident set as a line.

#include "page/page_private.h"

#include <string.h>

// The drawing, in units of its view box.
enum {
    WIDTH = 1000,
    HEIGHT = 170,
    LEFT = 70,
    RIGHT = 10,
    TOP = 10,
    BOTTOM = 24
};
enum { MOST_TICKS = 8, LINES = 4 };

typedef struct chart {
    lg__page *page;
    const lg_growth *growth;
    lg_growth_areas areas;
    lg_table *rows; // of growth, which name the leaks
    size_t holder;  // their column
    uint64_t most;
} chart;

static double
x_of(const chart *of, uint32_t snapshot)
{
    const double *steps = of->growth->steps;
    double span = steps[of->growth->snapshots - 1] - steps[0];
    return LEFT + (steps[snapshot] - steps[0]) / span * (WIDTH - LEFT - RIGHT);
}

static double
y_of(const chart *of, uint64_t bytes)
{
    double part = (double)bytes / (double)of->most;
    return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
}

static void
add_point(const chart *of, uint32_t snapshot, uint64_t bytes)
{
    lg_text *out = of->page->out;
    lg_text_add_fixed(out, x_of(of, snapshot), 1);
    lg_text_add(out, ",");
    lg_text_add_fixed(out, y_of(of, bytes), 1);
    lg_text_add(out, " ");
}

// Returns what the areas below one have.
static uint64_t
below(const chart *of, size_t area, uint32_t snapshot)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < area; i++)
        sum += of->areas.items[i].bytes[snapshot];
    return sum;
}

static void
add_name(const chart *of, size_t area)
{
    const lg_growth_area *item = &of->areas.items[area];
    if (item->kind == LG_AREA_OBJECTS)
        lg_text_add(of->page->out,
                    of->areas.count > 1 &&
                            of->areas.items[1].kind == LG_AREA_LEAK
                        ? "other objects"
                        : "objects");
    else if (item->kind == LG_AREA_UNEXPLAINED)
        lg_text_add(of->page->out, "no object explains it");
    else {
        lg_string name = lg_table_cell(of->rows, item->row, of->holder).text;
        lg_text_add_html(of->page->out, name.data, name.length);
    }
}

// Writes `step 200`, or `snapshot 2`.
static void
add_when(const chart *of, uint32_t snapshot)
{
    const lg_growth *growth = of->growth;
    lg_text_add(of->page->out, growth->has_steps ? "step " : "snapshot ");
    lg_text_add_fixed(of->page->out,
                      growth->steps[snapshot] + !growth->has_steps, 0);
}

static void
add_class(const chart *of, size_t area)
{
    static const char *const names[] = {
        [LG_AREA_OBJECTS] = "quiet", [LG_AREA_UNEXPLAINED] = "unexplained"};
    const lg_growth_area *item = &of->areas.items[area];
    if (item->kind == LG_AREA_LEAK)
        lg_text_addf(of->page->out, "c%zu", area - 1);
    else
        lg_text_add(of->page->out, names[item->kind]);
}

// Writes what a reader sees at the pointer over a leak: its bytes in each
// snapshot.
static void
add_area_values(const chart *of, size_t area)
{
    lg_text *out = of->page->out;
    lg_text_add(out, "<title>");
    add_name(of, area);
    for (uint32_t i = 0; i < of->growth->snapshots; i++) {
        lg_text_add(out, "\n");
        add_when(of, i);
        lg_text_add(out, ": ");
        lg_text_add_size(out, of->areas.items[area].bytes[i]);
    }
    lg_text_add(out, "</title>");
}

static void
add_area(const chart *of, size_t area)
{
    lg_text *out = of->page->out;
    uint32_t snapshots = of->growth->snapshots;
    const lg_growth_area *item = &of->areas.items[area];
    bool leak = item->kind == LG_AREA_LEAK;
    if (leak)
        lg_text_add(out, "<a href=\"#growth\">");
    lg_text_add(out, "<polygon class=\"");
    add_class(of, area);
    lg_text_add(out, "\" points=\"");
    for (uint32_t i = 0; i < snapshots; i++)
        add_point(of, i, below(of, area + 1, i));
    for (uint32_t i = snapshots; i-- > 0;)
        add_point(of, i, below(of, area, i));
    lg_text_add(out, "\">");
    if (leak)
        add_area_values(of, area);
    lg_text_add(out, leak ? "</polygon></a>" : "</polygon>");
}

static void
add_line(const chart *of, const char *class, double x, double y, double to_x,
         double to_y)
{
    const double at[] = {x, y, to_x, to_y};
    static const char *const names[] = {"x1", "y1", "x2", "y2"};
    lg_text *out = of->page->out;
    lg_text_addf(out, "<line class=\"%s\"", class);
    for (size_t i = 0; i < 4; i++) {
        lg_text_addf(out, " %s=\"", names[i]);
        lg_text_add_fixed(out, at[i], 1);
        lg_text_add(out, "\"");
    }
    lg_text_add(out, "/>");
}

// Rounds up to 1, 2, 2.5 or 5 times a power of two of bytes, so that lines have
// round numbers.
static uint64_t
step_of(uint64_t most)
{
    uint64_t step = 1;
    while (step * LINES < most)
        step *= 2;
    return step;
}

static void
add_axes(const chart *of)
{
    lg_text *out = of->page->out;
    const lg_growth *growth = of->growth;
    uint64_t step = step_of(of->most);
    for (uint64_t at = 0; at <= of->most; at += step) {
        add_line(of, "grid", LEFT, y_of(of, at), WIDTH - RIGHT, y_of(of, at));
        lg_text_addf(out, "<text x=\"%d\" y=\"", LEFT - 6);
        lg_text_add_fixed(out, y_of(of, at) + 4, 1);
        lg_text_add(out, "\" text-anchor=\"end\">");
        lg_text_add_size(out, at);
        lg_text_add(out, "</text>");
    }
    uint32_t every = (growth->snapshots + MOST_TICKS - 1) / MOST_TICKS;
    for (uint32_t i = 0; i < growth->snapshots; i++) {
        bool last = i + 1 == growth->snapshots;
        if (!last && (i % every != 0 || i + every > growth->snapshots))
            continue;
        lg_text_add(out, "<text x=\"");
        lg_text_add_fixed(out, x_of(of, i), 1);
        lg_text_addf(out, "\" y=\"%d\" text-anchor=\"%s\">", HEIGHT - 6,
                     last     ? "end"
                     : i == 0 ? "start"
                              : "middle");
        add_when(of, i);
        lg_text_add(out, "</text>");
    }
}

// Writes what a reader sees at the pointer.
static void
add_values(const chart *of, uint32_t snapshot)
{
    lg_text *out = of->page->out;
    lg_text_add(out, "<title>");
    add_when(of, snapshot);
    for (size_t i = of->areas.count; i-- > 0;) {
        lg_text_add(out, "\n");
        lg_text_add_size(out, of->areas.items[i].bytes[snapshot]);
        lg_text_add(out, "  ");
        add_name(of, i);
    }
    if (of->areas.rss != NULL) {
        lg_text_add(out, "\n");
        lg_text_add_size(out, (uint64_t)of->areas.rss[snapshot]);
        lg_text_add(out, "  resident memory");
    }
    lg_text_add(out, "</title>");
}

// Fills the chart with a column for each snapshot, from half way to the one
// before it to half way to the next.
static void
add_columns(const chart *of)
{
    lg_text *out = of->page->out;
    uint32_t last = of->growth->snapshots - 1;
    for (uint32_t i = 0; i <= last; i++) {
        double from = i == 0 ? LEFT : (x_of(of, i - 1) + x_of(of, i)) / 2;
        double to =
            i == last ? WIDTH - RIGHT : (x_of(of, i) + x_of(of, i + 1)) / 2;
        lg_text_add(out, "<g class=\"at\"><rect x=\"");
        lg_text_add_fixed(out, from, 1);
        lg_text_addf(out, "\" y=\"%d\" height=\"%d\" width=\"", TOP,
                     HEIGHT - BOTTOM - TOP);
        lg_text_add_fixed(out, to - from, 1);
        lg_text_add(out, "\">");
        add_values(of, i);
        lg_text_add(out, "</rect>");
        add_line(of, "mark", x_of(of, i), TOP, x_of(of, i), HEIGHT - BOTTOM);
        lg_text_add(out, "</g>");
    }
}

static void
add_legend(const chart *of)
{
    lg_text *out = of->page->out;
    lg_text_add(out, "<ul class=\"legend\">");
    for (size_t i = of->areas.count; i-- > 0;) {
        bool leak = of->areas.items[i].kind == LG_AREA_LEAK;
        lg_text_add(out, "<li><svg class=\"swatch\" width=\"12\" "
                         "height=\"12\" aria-hidden=\"true\"><rect class=\"");
        add_class(of, i);
        lg_text_add(out, "\" width=\"12\" height=\"12\"/></svg>");
        lg_text_add(out, leak ? "<a href=\"#growth\">" : "");
        add_name(of, i);
        lg_text_add(out, leak ? "</a> " : " ");
        lg_text_add_size(out,
                         of->areas.items[i].bytes[of->growth->snapshots - 1]);
        lg_text_add(out, "</li>");
    }
    if (of->areas.rss != NULL)
        lg_text_add(out, "<li><svg class=\"swatch\" width=\"16\" "
                         "height=\"12\" aria-hidden=\"true\"><line "
                         "class=\"rss\" x1=\"0\" y1=\"6\" x2=\"16\" "
                         "y2=\"6\"/></svg>resident memory</li>");
    lg_text_add(out, "</ul>");
}

static void
draw(const chart *of)
{
    lg_text *out = of->page->out;
    lg_text_addf(out,
                 "<svg class=\"memory\" viewBox=\"0 0 %d %d\" role=\"group\" "
                 "aria-label=\"Memory of the process in each snapshot\">",
                 WIDTH, HEIGHT);
    add_axes(of);
    add_columns(of);
    for (size_t i = 0; i < of->areas.count; i++)
        add_area(of, i);
    if (of->areas.rss != NULL) {
        lg_text_add(out, "<polyline class=\"rss\" fill=\"none\" points=\"");
        for (uint32_t i = 0; i < of->growth->snapshots; i++)
            add_point(of, i, (uint64_t)of->areas.rss[i]);
        lg_text_add(out, "\"/>");
    }
    lg_text_add(out, "</svg>");
    add_legend(of);
}

// Finds what draw() shows: the areas and the names of leaks.
static lg_status
find(chart *of, lg_error *err)
{
    lg_status status = lg_growth_areas_find(of->growth, &of->areas, err);
    if (!status)
        status =
            lg_tabulate_growth(of->growth, of->page->graph, 0, &of->rows, err);
    if (status)
        return status;
    while (strcmp(lg_table_column(of->rows, of->holder).name.data, "holder"))
        of->holder++;
    for (uint32_t i = 0; i < of->growth->snapshots; i++) {
        uint64_t sum = below(of, of->areas.count, i);
        of->most = sum > of->most ? sum : of->most;
    }
    return LG_OK;
}

lg_status
lg__page_draw_memory(lg__page *page, lg_error *err)
{
    chart of = {.page = page, .growth = &page->growth, .most = 1};
    lg_status status = find(&of, err);
    if (!status)
        draw(&of);
    lg_table_free(of.rows);
    lg_growth_areas_free(&of.areas);
    return status;
}
