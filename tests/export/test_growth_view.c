// The picture of growth: how many rows it draws, and what a row says.
#include "growing.h"
#include "test.h"

#include <leakgraph/view.h>
#include <leakgraph/internal/answer_views.h>

#include <string.h>

enum { ROWS = 13, SNAPSHOTS = 17 };

typedef struct drawn {
    lg_text text;
    lg_text dot;
    size_t boxes;
} drawn;

// Rows of native memory that gains 100 bytes a snapshot.
static drawn
draw(uint32_t snapshots, size_t rows, size_t settled, bool counted)
{
    const growing_heap heaps[] = {{.blob = 1}, {.blob = 1}};
    growing_series made = growing_compare(heaps, 2, NULL);
    lg_growth growth = made.growth;
    uint64_t counts[SNAPSHOTS] = {0};
    uint64_t bytes[SNAPSHOTS];
    lg_growth_row all[ROWS] = {0};
    drawn out = {0};
    lg_view *view = NULL;
    for (uint32_t i = 0; i < snapshots; i++) {
        bytes[i] = 100 * i;
        counts[i] = counted ? 7 + i : 7;
    }
    for (size_t i = 0; i < rows; i++)
        all[i] = (lg_growth_row){
            .verdict =
                i + settled < rows ? LG_GROWTH_NATIVE : LG_GROWTH_SETTLED,
            .degree = i + settled < rows ? LG_GROWTH_STEADY : LG_GROWTH_STOPPED,
            .place = LG_NONE,
            .finding = LG_NONE,
            .counts = counts,
            .bytes = bytes,
            .gained = 100,
            .per_interval = -99.6,
            .per_step = 99.4,
        };
    growth.snapshots = snapshots;
    growth.rows = all;
    growth.count = rows;
    REQUIRE(lg_view_growth(&growth, &view, NULL) == LG_OK);
    REQUIRE(lg_view_text(view, &out.text, NULL) == LG_OK);
    REQUIRE(lg_view_dot(view, NULL, &out.dot, NULL) == LG_OK);
    out.boxes = lg_view_node_count(view);
    lg_view_free(view);
    growing_forget(&made);
    return out;
}

static void
expect(drawn is, size_t boxes, const char *text, const char *headline)
{
    CHECK(is.boxes == boxes);
    CHECK(strstr(is.text.data, text) != NULL);
    CHECK(strstr(is.dot.data, headline) != NULL);
    CHECK(strstr(is.dot.data, "BGCOLOR=\"#BC4C00\"></TD>") != NULL);
    lg_text_free(&is.text);
    lg_text_free(&is.dot);
}

static void
the_first_rows_are_drawn(void)
{
    expect(draw(3, ROWS, 0, false), 12, "▁▄█ 0 B → 200 B · -100 B per snapshot",
           "13 places grow: +1.27 KiB in 3 snapshots");
    expect(draw(3, 1, 0, true), 1, "▆▇█ 7 → 9 · -100 B per snapshot",
           "1 place grows: +100 B in 3 snapshots");
}

// The series leaves out the oldest.
static void
a_chart_has_so_many_bars(void)
{
    expect(draw(SNAPSHOTS, 1, 0, false), 1, "· ▁▁▂▂▃▃▄▄▄▅▅▆▆▇▇█ 0 B → 1.56 KiB",
           "in 17 snapshots");
}

static void
what_has_settled_does_not_grow(void)
{
    expect(draw(3, 3, 2, false), 3, "per snapshot", "1 place grows: +100 B");
    expect(draw(3, 3, 3, false), 3, "per snapshot", "Nothing grows");
}

static void
two_snapshots_say_so(void)
{
    expect(draw(2, 1, 0, false), 1, "▁█ 0 B → 100 B",
           "two snapshots cannot tell");
    drawn three = draw(3, 1, 0, false);
    CHECK(strstr(three.dot.data, "two snapshots") == NULL);
    lg_text_free(&three.text);
    lg_text_free(&three.dot);
}

// The drawn way to a deep place begins below the root.
static void
long_ways_are_cut(void)
{
    const growing_heap heaps[] = {{.deep = 10}, {.deep = 20}, {.deep = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_view *view = NULL;
    REQUIRE(made.growth.count == 1);
    REQUIRE(lg_view_growth(&made.growth, &view, NULL) == LG_OK);
    CHECK(lg_view_node_count(view) == 24);
    lg_view_free(view);
    growing_forget(&made);
}

// Each device stands beside the host, as in reports.
static void
bytes_of_devices_are_told(void)
{
    const growing_heap heaps[] = {
        {.batches = 1}, {.batches = 2}, {.batches = 3}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_view *view = NULL;
    lg_text text = {0};
    REQUIRE(lg_view_growth(&made.growth, &view, NULL) == LG_OK);
    REQUIRE(lg_view_text(view, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "3.00 MiB cuda:0 · ") != NULL);
    lg_text_free(&text);
    lg_view_free(view);
    growing_forget(&made);
}

// The newest snapshot does not know a device that only older ones have.
static void
a_device_may_be_gone(void)
{
    const growing_heap heaps[] = {
        {.items = 5, .batches = 1}, {.items = 10}, {.items = 15}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_view *view = NULL;
    lg_text text = {0};
    REQUIRE(made.growth.devices == 1 &&
            lg_places_device_count(made.growth.places) == 0);
    REQUIRE(lg_view_growth(&made.growth, &view, NULL) == LG_OK);
    REQUIRE(lg_view_text(view, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "15 Item") != NULL);
    CHECK(strstr(text.data, "cuda:0") == NULL);
    lg_text_free(&text);
    lg_view_free(view);
    growing_forget(&made);
}

SUITE(growth_view)
{
    RUN(a_device_may_be_gone);
    RUN(bytes_of_devices_are_told);
    RUN(long_ways_are_cut);
    RUN(the_first_rows_are_drawn);
    RUN(a_chart_has_so_many_bars);
    RUN(what_has_settled_does_not_grow);
    RUN(two_snapshots_say_so);
    return test_result();
}
