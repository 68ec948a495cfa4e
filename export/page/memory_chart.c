// Draws the memory of the process over its snapshots: areas that add up, and
// the resident set as a line. Snapshots stand at their steps. If there are
// samples, they stand at their times, and the line is that of the samples. A
// narrow screen shows a drawing of its own.

#include "page/page_private.h"

#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

// The drawing, in units of its view box.
enum {
    WIDTH = 1000,
    NARROW_WIDTH = 380,
    HEIGHT = 170,
    LEFT = 70,
    RIGHT = 10,
    TOP = 10,
    BOTTOM = 24
};
enum { TICK_WIDTH = 125, LINES = 4, MOST_POINTS = 500 };
enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

typedef struct chart {
    lg__page *page;
    const lg_growth *growth;
    lg_growth_areas areas;
    lg_table *rows; // of growth, which name the leaks
    size_t holder;  // their column
    uint64_t most;
    uint32_t snapshots;
    double *at; // [snapshots] the step or time of each
    int width;
    double from;
    double to;
    const lg_samples *samples; // or NULL
} chart;

static double
x_at(const chart *of, double at)
{
    double span = of->to > of->from ? of->to - of->from : 1;
    return LEFT + (at - of->from) / span * (of->width - LEFT - RIGHT);
}

static double
x_of(const chart *of, uint32_t snapshot)
{
    return x_at(of, of->at[snapshot]);
}

static double
y_of(const chart *of, uint64_t bytes)
{
    double part = (double)bytes / (double)of->most;
    return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
}

static void
add_point(const chart *of, double x, uint64_t bytes)
{
    lg_text *out = of->page->out;
    lg_text_add_fixed(out, x, 1);
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

// Writes `45 s`, `20 min`, `3 h 30 min`, `2 d 6 h`.
static void
add_duration(double seconds, lg_text *out)
{
    static const struct {
        int seconds;
        const char *unit;
        int less;
        const char *below;
    } units[] = {{DAY, "d", HOUR, "h"},
                 {HOUR, "h", MINUTE, "min"},
                 {MINUTE, "min", 1, "s"},
                 {1, "s", 0, ""}};
    long whole = (long)(seconds + 0.5);
    size_t i = 0;
    while (i < 3 && whole < units[i].seconds)
        i++;
    lg_text_addf(out, "%ld %s", whole / units[i].seconds, units[i].unit);
    long rest = whole % units[i].seconds;
    if (units[i].less > 0 && rest / units[i].less > 0)
        lg_text_addf(out, " %ld %s", rest / units[i].less, units[i].below);
}

// Writes `step 200`, or `snapshot 2`, and with samples when that was.
static void
add_when(const chart *of, uint32_t snapshot)
{
    const lg_growth *growth = of->growth;
    lg_text *out = of->page->out;
    if (of->snapshots == 1) {
        lg_text_add(out, "snapshot");
    } else {
        lg_text_add(out, growth->has_steps ? "step " : "snapshot ");
        lg_text_add_fixed(out, growth->steps[snapshot] + !growth->has_steps, 0);
    }
    if (of->samples != NULL) {
        lg_text_add(out, " after ");
        add_duration(of->at[snapshot] - of->from, out);
    }
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
        add_point(of, x_of(of, i), below(of, area + 1, i));
    for (uint32_t i = snapshots; i-- > 0;)
        add_point(of, x_of(of, i), below(of, area, i));
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

// Returns the distance of labels of time.
static double
time_step(const chart *of, double span)
{
    static const double steps[] = {1,          5,           15,      MINUTE,
                                   5 * MINUTE, 15 * MINUTE, HOUR,    3 * HOUR,
                                   6 * HOUR,   DAY,         7 * DAY, 30 * DAY};
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof *steps &&
           steps[i] * (of->width / TICK_WIDTH) < span)
        i++;
    return steps[i];
}

static void
begin_tick(const chart *of, double x, const char *anchor)
{
    lg_text_add(of->page->out, "<text x=\"");
    lg_text_add_fixed(of->page->out, x, 1);
    lg_text_addf(of->page->out, "\" y=\"%d\" text-anchor=\"%s\">", HEIGHT - 6,
                 anchor);
}

static void
add_times(const chart *of)
{
    double span = of->to - of->from;
    double step = time_step(of, span);
    for (double at = 0; at <= span; at += step) {
        begin_tick(of, x_at(of, of->from + at), at > 0 ? "middle" : "start");
        add_duration(at, of->page->out);
        lg_text_add(of->page->out, "</text>");
    }
    for (uint32_t i = 0; i < of->snapshots; i++)
        add_line(of, "taken", x_of(of, i), TOP, x_of(of, i), HEIGHT - BOTTOM);
}

static void
add_steps(const chart *of)
{
    uint32_t most = (uint32_t)(of->width / TICK_WIDTH);
    uint32_t every = (of->snapshots + most - 1) / most;
    for (uint32_t i = 0; i < of->snapshots; i++) {
        bool last = i + 1 == of->snapshots;
        if (!last && (i % every != 0 || i + every > of->snapshots))
            continue;
        begin_tick(of, x_of(of, i), last ? "end" : i == 0 ? "start" : "middle");
        add_when(of, i);
        lg_text_add(of->page->out, "</text>");
    }
}

static void
add_axes(const chart *of)
{
    lg_text *out = of->page->out;
    uint64_t step = step_of(of->most);
    for (uint64_t at = 0; at <= of->most; at += step) {
        add_line(of, "grid", LEFT, y_of(of, at), of->width - RIGHT,
                 y_of(of, at));
        lg_text_addf(out, "<text x=\"%d\" y=\"", LEFT - 6);
        lg_text_add_fixed(out, y_of(of, at) + 4, 1);
        lg_text_add(out, "\" text-anchor=\"end\">");
        lg_text_add_size(out, at);
        lg_text_add(out, "</text>");
    }
    if (of->samples != NULL)
        add_times(of);
    else
        add_steps(of);
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
    uint32_t last = of->snapshots - 1;
    for (uint32_t i = 0; i <= last; i++) {
        double from = i == 0 ? LEFT : (x_of(of, i - 1) + x_of(of, i)) / 2;
        double to =
            i == last ? of->width - RIGHT : (x_of(of, i) + x_of(of, i + 1)) / 2;
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
    if (of->areas.rss != NULL || of->samples != NULL)
        lg_text_add(out, "<li><svg class=\"swatch\" width=\"16\" "
                         "height=\"12\" aria-hidden=\"true\"><line "
                         "class=\"rss\" x1=\"0\" y1=\"6\" x2=\"16\" "
                         "y2=\"6\"/></svg>resident memory</li>");
    lg_text_add(out, "</ul>");
}

// Draws the resident memory; of many samples, each of MOST_POINTS stretches has
// its greatest one.
static void
add_resident(const chart *of)
{
    lg_text *out = of->page->out;
    const lg_samples *samples = of->samples;
    if (samples == NULL && of->areas.rss == NULL)
        return;
    lg_text_add(out, "<polyline class=\"rss\" fill=\"none\" points=\"");
    for (uint32_t i = 0; samples == NULL && i < of->snapshots; i++)
        add_point(of, x_of(of, i), (uint64_t)of->areas.rss[i]);
    size_t count = samples ? samples->count : 0;
    size_t every = count / MOST_POINTS + 1;
    for (size_t i = 0; i < count; i += every) {
        size_t most = i;
        for (size_t j = i; j < i + every && j < count; j++)
            most = samples->resident[j] > samples->resident[most] ? j : most;
        add_point(of, x_at(of, samples->time[most]), samples->resident[most]);
    }
    lg_text_add(out, "\"/>");
}

static void
draw(chart *of, const char *class, int width)
{
    lg_text *out = of->page->out;
    of->width = width;
    lg_text_addf(out,
                 "<div class=\"chart %s\" tabindex=\"0\">"
                 "<svg class=\"memory\" viewBox=\"0 0 %d %d\" role=\"group\" "
                 "aria-label=\"Memory of the process %s\">",
                 class, width, HEIGHT,
                 of->samples ? "over time" : "in each snapshot");
    add_axes(of);
    add_columns(of);
    for (size_t i = 0; i < of->areas.count; i++)
        add_area(of, i);
    add_resident(of);
    lg_text_add(out, "</svg></div>");
}

// Finds the areas and the names of leaks.
static lg_status
find_areas(chart *of, lg_error *err)
{
    const lg_ask ask = {.graph = of->page->graph};
    lg_status status = lg_growth_areas_find(of->growth, &of->areas, err);
    if (!status)
        status = lg_question_tabulate(lg_question_find("growth"), &ask,
                                      of->growth, &of->rows, err);
    if (status)
        return status;
    of->holder = lg_table_column_find(of->rows, "held_by");
    for (uint32_t i = 0; i < of->snapshots; i++) {
        uint64_t sum = below(of, of->areas.count, i);
        of->most = sum > of->most ? sum : of->most;
    }
    return LG_OK;
}

// Returns when a snapshot was taken, or else its step.
static double
position_of(const chart *of, uint32_t snapshot)
{
    const lg_page_options *options = of->page->options;
    if (of->samples == NULL)
        return of->growth->steps[snapshot];
    return of->snapshots == 1 ? lg_graph_time(of->page->graph)
                              : lg_summary_time(options->summaries[snapshot]);
}

static void
widen(chart *of, double at)
{
    of->from = at < of->from ? at : of->from;
    of->to = at > of->to ? at : of->to;
}

// Finds where the chart begins and ends. Snapshots and samples need not.
static lg_status
find_range(chart *of, lg_error *err)
{
    of->at = calloc(of->snapshots, sizeof *of->at);
    if (of->at == NULL)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    for (uint32_t i = 0; i < of->snapshots; i++) {
        of->at[i] = position_of(of, i);
        if (of->samples != NULL && of->at[i] < 0)
            return lg_error_set(err, LG_EINVAL,
                                "snapshot %u does not say when it was taken, "
                                "so samples cannot be drawn beside it",
                                i + 1);
    }
    of->from = of->to = of->at[0];
    for (uint32_t i = 0; i < of->snapshots; i++)
        widen(of, of->at[i]);
    for (size_t i = 0; of->samples != NULL && i < of->samples->count; i++) {
        widen(of, of->samples->time[i]);
        of->most = of->samples->resident[i] > of->most
                       ? of->samples->resident[i]
                       : of->most;
    }
    return LG_OK;
}

lg_status
lg__page_draw_memory(lg__page *page, lg_error *err)
{
    chart of = {.page = page,
                .growth = &page->growth,
                .samples = page->options->samples,
                .snapshots = page->grows ? page->growth.snapshots : 1,
                .most = 1};
    lg_status status = find_range(&of, err);
    if (!status && page->grows)
        status = find_areas(&of, err);
    if (!status) {
        draw(&of, "lying", WIDTH);
        draw(&of, "upright", NARROW_WIDTH);
        add_legend(&of);
    }
    free(of.at);
    lg_table_free(of.rows);
    lg_growth_areas_free(&of.areas);
    return status;
}
