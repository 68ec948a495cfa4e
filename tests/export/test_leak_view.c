// The picture of a leak: everything that its headline counts is orange.
#include "growing.h"
#include "pictured.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/view.h>

#include <string.h>

enum { SNAPSHOTS = 3, BIG = 4096 };

// What each of so many workers, app.workers[*], keeps.
typedef struct workers {
    uint32_t count;
    uint32_t idle;    // of them, workers that keep nothing
    const char *type; // of .kept, a container; NULL: .kept is a chain of links
    unsigned edge;    // from it to its elements; 0: it grows in place
    bool twice;       // what they keep is in containers of their own, too
} workers;

static void
keep(story *to, const workers *of, uint32_t container, uint32_t element,
     uint32_t number)
{
    uint32_t payload =
        of->edge == LG_EDGE_VALUE ? story_add(to, "str", NULL, 0) : number;
    story_edge(to, container, element, of->edge, payload);
}

static void
add_chain(story *to, uint32_t worker, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = story_add(to, "app.Link", NULL, BIG);
        story_attribute(to, worker, i == 0 ? "kept" : "next", link);
        worker = link;
    }
}

static void
add_worker(story *to, const workers *of, uint32_t worker, uint32_t count)
{
    if (of->type == NULL) {
        add_chain(to, worker, count);
        return;
    }
    uint32_t kept =
        story_add(to, of->type, NULL, of->edge ? 64 : 64 + BIG * count);
    uint32_t other = of->twice ? story_add(to, of->type, NULL, 64) : LG_NONE;
    story_attribute(to, worker, "kept", kept);
    if (of->twice)
        story_attribute(to, worker, "other", other);
    for (uint32_t i = 0; i < count && of->edge; i++) {
        uint32_t session = story_add(to, "app.Session", NULL, BIG);
        keep(to, of, kept, session, i);
        if (of->twice)
            keep(to, of, other, session, i);
    }
}

static lg_graph *
make(const workers *of, uint32_t count)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t all = story_add(&made, "list", NULL, 64);
    story_attribute(&made, app, "workers", all);
    for (uint32_t i = 0; i < of->count; i++) {
        uint32_t worker = story_add(&made, "app.Worker", NULL, 48);
        story_edge(&made, all, worker, LG_EDGE_INDEX, i);
        add_worker(&made, of, worker, i < of->idle ? 0 : count);
    }
    return story_end(&made);
}

static growing_series
compare(const workers *of)
{
    lg_graph *graphs[SNAPSHOTS];
    for (uint32_t i = 0; i < SNAPSHOTS; i++)
        graphs[i] = make(of, 10 * (i + 1));
    growing_series made = growing_of_graphs(graphs, SNAPSHOTS);
    REQUIRE(made.growth.count > 0 && made.growth.rows[0].holder_count > 0);
    return made;
}

// Draws the first row. Its picture has that headline, and so many orange arrows
// and boxes, one of which has what accumulates.
static lg_text
draw(const growing_series *made, const char *headline, size_t arrows,
     size_t boxes)
{
    size_t first = 0;
    lg_view *view = NULL;
    lg_text dot = {0}, text = {0};
    REQUIRE(lg_view_leaks(&made->growth, &first, 1, NULL,
                          made->analysis[SNAPSHOTS - 1], &view, NULL) == LG_OK);
    REQUIRE(lg_view_dot(view, NULL, &dot, NULL) == LG_OK);
    REQUIRE(lg_view_text(view, &text, NULL) == LG_OK);
    CHECK(pictured_says(&dot, headline, 1));
    CHECK(pictured_says(&dot, "color=\"#BC4C00\", fontcolor=\"#BC4C00\"",
                        arrows));
    CHECK(pictured_says(&dot, "BGCOLOR=\"#FFF1E5\"", boxes));
    lg_text_free(&dot);
    lg_view_free(view);
    return text;
}

static void
expect(const workers *of, const char *headline, size_t arrows, size_t boxes,
       const char *tree)
{
    growing_series made = compare(of);
    lg_text text = draw(&made, headline, arrows, boxes);
    if (strstr(text.data, tree) == NULL)
        CHECK_TEXT(text, tree);
    lg_text_free(&text);
    growing_forget(&made);
}

static void
up_to_three_containers_have_a_path_each(void)
{
    expect(&(workers){.count = 1, .type = "list", .edge = LG_EDGE_INDEX},
           "Cut the orange reference to free 120 KiB", 1, 1,
           ".kept  list of 30  120 KiB\n");
    expect(&(workers){.count = 2, .type = "set", .edge = LG_EDGE_ELEMENT},
           "Cut both orange references to free 240 KiB", 2, 1,
           "   └─ [1]  Worker · app.Worker  120 KiB\n"
           "      └─ .kept  set of 30  120 KiB\n"
           "         └─ element  60 Session");
    expect(&(workers){.count = 3, .type = "dict", .edge = LG_EDGE_VALUE},
           "Cut all 3 orange references to free 360 KiB", 3, 1,
           "   └─ [2]  Worker · app.Worker  120 KiB\n"
           "      └─ .kept  dict of 30  120 KiB\n"
           "         └─ [*]  90 Session");
}

static void
more_are_one_box(void)
{
    expect(&(workers){.count = 5, .type = "list", .edge = LG_EDGE_INDEX},
           "Cut all 5 orange references to free 600 KiB", 1, 1,
           "└─ .workers  list of 5  601 KiB\n"
           "   └─ [*]  5 Worker  601 KiB\n"
           "      └─ .kept  5 list  600 KiB\n"
           "         └─ [*]  150 Session");
    expect(&(workers){.count = 8,
                      .idle = 3,
                      .type = "dict",
                      .edge = LG_EDGE_VALUE,
                      .twice = true},
           "Cut all 10 orange references to free 601 KiB", 2, 1,
           "   └─ [*]  8 Worker  601 KiB\n"
           "      ├─ .other  8 dict · 5 of them hold it  512 B\n");
}

static void
references_of_many_objects_are_one_arrow(void)
{
    expect(&(workers){.count = 1}, "Cut the orange reference to free 120 KiB",
           1, 1,
           "   └─ [0]  Worker · app.Worker  120 KiB\n"
           "      └─ .kept  29 Link");
    expect(&(workers){.count = 2}, "Cut both orange references to free 240 KiB",
           1, 1,
           "   └─ [*]  2 Worker  240 KiB\n"
           "      └─ .kept  58 Link");
}

static void
what_grows_in_place_is_orange_itself(void)
{
    expect(&(workers){.count = 1, .type = "list"},
           "Empty the orange object to free 120 KiB", 0, 1,
           ".kept  list of 0  120 KiB\n");
    expect(&(workers){.count = 2, .type = "list"},
           "Empty both orange objects to free 240 KiB", 0, 2,
           "   └─ [1]  Worker · app.Worker  120 KiB\n"
           "      └─ .kept  list of 0  120 KiB\n");
    expect(&(workers){.count = 5, .type = "list"},
           "Empty all 5 orange objects to free 600 KiB", 0, 1,
           "      └─ .kept  5 list  600 KiB\n");
}

// Draws a leak that has the holders of the first as often as given, with a
// change.
static void
expect_holders(const workers *of, lg_growth_verdict verdict, size_t times,
               lg_path_start start, const char *headline, size_t arrows,
               size_t boxes)
{
    growing_series made = compare(of);
    lg_growth_row *row = &made.growth.rows[0];
    const lg_growth_row before = *row;
    lg_growth_holder holders[16];
    for (size_t i = 0; i < times; i++) {
        holders[i] = before.holders[i % before.holder_count];
        holders[i].path.start = start;
    }
    row->holders = holders;
    row->holder_count = times;
    row->verdict = verdict;
    lg_text text = draw(&made, headline, arrows, boxes);
    CHECK((strstr(text.data, "more holder") != NULL) ==
          (times > 6 || (start == LG_STARTS_NOWHERE && of->type == NULL)));
    lg_text_free(&text);
    *row = before;
    growing_forget(&made);
}

static void
holders_without_a_box_share_one(void)
{
    const workers lists = {
        .count = 3, .type = "list", .edge = LG_EDGE_INDEX, .twice = true};
    const workers chain = {.count = 1};
    expect_holders(&lists, LG_GROWTH_ACCUMULATES, 6, LG_STARTS_AT_ROOT,
                   "Cut all 6 orange references", 6, 1);
    expect_holders(&lists, LG_GROWTH_ACCUMULATES, 8, LG_STARTS_AT_ROOT,
                   "Cut all 8 orange references", 7, 1);
    expect_holders(&lists, LG_GROWTH_IN_PLACE, 8, LG_STARTS_AT_ROOT,
                   "Empty all 8 orange objects", 0, 7);
    expect_holders(&chain, LG_GROWTH_ACCUMULATES, 1, LG_STARTS_NOWHERE,
                   "Cut the orange reference", 1, 1);
}

static void
a_holder_that_no_root_reaches_is_drawn(void)
{
    const workers lists = {.count = 1, .type = "list", .edge = LG_EDGE_INDEX};
    expect_holders(&lists, LG_GROWTH_ACCUMULATES, 1, LG_STARTS_NOWHERE,
                   "Cut the orange reference", 1, 1);
}

// A row that grows in place leads one that a reference holds.
static void
what_grows_in_place_and_references_are_told_both(void)
{
    const workers chain = {.count = 1};
    expect_holders(&chain, LG_GROWTH_IN_PLACE, 1, LG_STARTS_AT_ROOT,
                   "Cut the orange reference to free", 1, 0);
}

// The box has the rate of the leak: of all rows that go with the first one.
static void
the_rate_is_that_of_the_leak(void)
{
    const workers lists = {.count = 1, .type = "list", .edge = LG_EDGE_INDEX};
    growing_series made = compare(&lists);
    lg_growth_row *before = made.growth.rows;
    lg_growth_row rows[2] = {before[0], before[0]};
    REQUIRE(made.growth.count == 1);
    for (size_t count = 1; count <= 2; count++) {
        made.growth.rows = rows;
        made.growth.count = count;
        lg_text text = draw(&made, "Cut the orange reference to", 1, 1);
        CHECK((strstr(text.data, "+40.0 KiB per snapshot") != NULL) ==
              (count == 1));
        CHECK((strstr(text.data, "+80.0 KiB per snapshot") != NULL) ==
              (count == 2));
        lg_text_free(&text);
    }
    made.growth.rows = before;
    made.growth.count = 1;
    growing_forget(&made);
}

// Nothing leads to the members of such a row, so they have no box.
static void
a_row_without_holders_is_left_out(void)
{
    const workers lists = {.count = 1, .type = "list", .edge = LG_EDGE_INDEX};
    growing_series made = compare(&lists);
    lg_growth_row *before = made.growth.rows;
    lg_growth_row rows[2] = {before[0], before[0]};
    const size_t both[2] = {0, 1};
    lg_view *view;
    lg_text dot = {0};
    rows[1].holder_count = 0;
    made.growth.rows = rows;
    made.growth.count = 2;
    REQUIRE(lg_view_leaks(&made.growth, both, 2, NULL,
                          made.analysis[made.count - 1], &view, NULL) == LG_OK);
    REQUIRE(lg_view_dot(view, NULL, &dot, NULL) == LG_OK);
    CHECK(pictured_says(&dot, "BGCOLOR=\"#FFF1E5\"", 1));
    lg_text_free(&dot);
    lg_view_free(view);
    made.growth.rows = before;
    made.growth.count = 1;
    growing_forget(&made);
}

SUITE(leak_view)
{
    RUN(a_row_without_holders_is_left_out);
    RUN(the_rate_is_that_of_the_leak);
    RUN(up_to_three_containers_have_a_path_each);
    RUN(more_are_one_box);
    RUN(references_of_many_objects_are_one_arrow);
    RUN(what_grows_in_place_is_orange_itself);
    RUN(holders_without_a_box_share_one);
    RUN(a_holder_that_no_root_reaches_is_drawn);
    RUN(what_grows_in_place_and_references_are_told_both);
    return test_result();
}
