// How things changed since the first snapshot, for rows of tables.
#include <leakgraph/internal/changes.h>
#include <leakgraph/internal/columns.h>

#include "growing.h"
#include "growth/growth_private.h"
#include "test.h"

#include <string.h>

static const growing_heap heaps[] = {
    {.items = 10, .entries = 4}, {.items = 30, .entries = 4}, {.items = 40}};

static const lg_changes *
changes_of(const growing_series *made, const double *steps)
{
    const lg_changes *changes = NULL;
    REQUIRE(lg_changes_new((const lg_summary *const *)made->summary,
                           made->count, steps, made->analysis[made->count - 1],
                           NULL, &changes, NULL) == LG_OK);
    return changes;
}

// Finds an object of the newest snapshot: the first of its type.
static lg_node
first_of(const growing_series *made, const char *type)
{
    const lg_graph *graph = made->graph[made->count - 1];
    const lg_columns *columns = lg_graph_columns(graph);
    for (lg_node node = 0; node < columns->node_count; node++) {
        lg_string name =
            lg_graph_type(graph, lg_columns_type(columns, node)).name;
        if (name.length == strlen(type) &&
            memcmp(name.data, type, name.length) == 0)
            return node;
    }
    return LG_NONE;
}

static void
a_place_changes_as_a_whole(void)
{
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_changes *changes = changes_of(&made, NULL);
    lg_change change;
    lg_thing items = {.node = first_of(&made, "app.Item"), .bytes = 40 * 1000};
    REQUIRE(items.node != LG_NONE);
    REQUIRE(changes->find(changes, &items, &change));
    CHECK(change.objects == 30 && change.bytes == 30 * 1000);
    // The slopes are 20, 10 and 15 objects for each snapshot.
    CHECK(change.each == 15 * 1000);
    CHECK(strcmp(changes->each, "per snapshot") == 0);
    items.bytes = 1000;
    CHECK(!changes->find(changes, &items, &change));
    items.node = LG_NONE;
    CHECK(!changes->find(changes, &items, &change));
    lg_changes_free(changes);
    growing_forget(&made);
}

static void
a_container_changes_with_what_it_retains(void)
{
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_changes *changes = changes_of(&made, NULL);
    const uint64_t own = 56 + 8 * 40;
    lg_change change;
    lg_thing list = {.node = first_of(&made, "list"), .bytes = own + 40000};
    REQUIRE(changes->find(changes, &list, &change));
    CHECK(change.objects == 0 && change.bytes == 30 * 1008);
    list.bytes = own;
    REQUIRE(changes->find(changes, &list, &change));
    CHECK(change.bytes == 30 * 8);
    lg_changes_free(changes);
    growing_forget(&made);
}

static void
a_type_changes_over_steps(void)
{
    static const double steps[] = {100, 200, 300};
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_changes *changes = changes_of(&made, steps);
    lg_change change;
    lg_thing type = {.kind = LG_THING_TYPE,
                     .node = LG_NONE,
                     .name = {"app.Item", 8},
                     .count = 40,
                     .bytes = 40 * 1000};
    REQUIRE(changes->find(changes, &type, &change));
    CHECK(change.objects == 30 && change.each == 150);
    CHECK(strcmp(changes->each, "per step") == 0);
    type.count = 39;
    CHECK(!changes->find(changes, &type, &change));
    lg_changes_free(changes);
    growing_forget(&made);
}

static void
what_nobody_has_does_not_change(void)
{
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_changes *changes = changes_of(&made, NULL);
    lg_change change;
    const lg_thing threads = {.kind = LG_THING_TALLY,
                              .node = LG_NONE,
                              .tally = LG_TALLY_THREAD,
                              .whole = true};
    REQUIRE(changes->find(changes, &threads, &change));
    CHECK(change.objects == 0 && change.bytes == 0);
    lg_changes_free(changes);
    growing_forget(&made);
}

static const lg_thing row = {.kind = LG_THING_ROW,
                             .node = LG_NONE,
                             .name = {"view", 4},
                             .detail = {"waste", 5},
                             .count = 3,
                             .bytes = 300};

// Counts rows in a snapshot of the series: so many of these, one after another.
static void
count_rows(const growing_series *made, size_t at, const lg_thing *rows,
           size_t count)
{
    lg_row_counting *counting;
    REQUIRE(lg_row_counting_begin(made->summary[at], made->analysis[at], NULL,
                                  &counting, NULL) == LG_OK);
    for (size_t i = 0; i < count; i++)
        CHECK(lg_row_counting_add(counting, &rows[i], NULL) == LG_OK);
    lg_row_counting_end(counting);
}

static void
rows_change_if_every_snapshot_counts_them(void)
{
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_changes *changes = changes_of(&made, NULL);
    lg_change change;
    lg_thing fewer = row;
    fewer.count = 1;
    fewer.bytes = 100;
    count_rows(&made, 0, NULL, 0);
    count_rows(&made, 1, &fewer, 1);
    CHECK(!changes->find(changes, &row, &change));
    count_rows(&made, 2, &row, 1);
    REQUIRE(changes->find(changes, &row, &change));
    CHECK(change.objects == 3 && change.bytes == 300 && change.each == 150);
    lg_thing other = row;
    other.number = 7;
    CHECK(!changes->find(changes, &other, &change));
    other = row;
    other.detail = (lg_string){"native", 6};
    CHECK(!changes->find(changes, &other, &change));
    lg_thing partly = row;
    partly.partly = true;
    CHECK(!changes->find(changes, &partly, &change));
    CHECK(!changes->find(changes, &fewer, &change));
    fewer.whole = true;
    CHECK(changes->find(changes, &fewer, &change) && change.bytes == 300);
    lg_changes_free(changes);
    growing_forget(&made);
}

static void
rows_do_not_change_since_a_snapshot_without_a_count(void)
{
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_changes *changes = changes_of(&made, NULL);
    lg_change change;
    count_rows(&made, 1, &row, 1);
    count_rows(&made, 2, &row, 1);
    CHECK(!changes->find(changes, &row, &change));
    lg_changes_free(changes);
    growing_forget(&made);
}

static void
rows_of_one_key_change_together(void)
{
    growing_series made = growing_compare(heaps, 2, NULL);
    const lg_changes *changes = changes_of(&made, NULL);
    const lg_thing twice[] = {row, row};
    lg_change change;
    count_rows(&made, 0, &row, 1);
    count_rows(&made, 1, twice, 2);
    CHECK(!changes->find(changes, &row, &change));
    lg_thing both = row;
    both.count = 6;
    both.bytes = 600;
    REQUIRE(changes->find(changes, &both, &change));
    CHECK(change.objects == 3 && change.bytes == 300);
    lg_changes_free(changes);
    growing_forget(&made);
}

// Counts a mistake in a snapshot of the series.
static void
count_mistake(const growing_series *made, size_t at, uint64_t bytes)
{
    lg_summary *summary = made->summary[at];
    lg__tally tally = {.kind = LG_TALLY_FINDING, .count = 1};
    tally.name = lg__places_string(summary->places, (lg_string){"big", 3});
    tally.detail = lg__places_string(summary->places, (lg_string){"", 0});
    REQUIRE(lg__summary_count(summary, tally, &bytes, 1));
    lg__summary_join_tallies(summary);
}

// What was there before was too little to be a mistake, but not nothing.
static void
a_mistake_has_its_rate_since_it_is_one(void)
{
    static const double steps[] = {100, 200, 300};
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_changes *changes = changes_of(&made, steps);
    lg_change change;
    lg_thing mistake = {.kind = LG_THING_TALLY,
                        .tally = LG_TALLY_FINDING,
                        .node = LG_NONE,
                        .name = {"big", 3},
                        .detail = {"", 0},
                        .whole = true};
    count_mistake(&made, 2, 3000);
    REQUIRE(changes->find(changes, &mistake, &change));
    CHECK(change.bytes == 3000 && change.each == 15);
    count_mistake(&made, 1, 2000);
    REQUIRE(changes->find(changes, &mistake, &change));
    CHECK(change.bytes == 3000 && change.each == 10);
    count_mistake(&made, 0, 1000);
    REQUIRE(changes->find(changes, &mistake, &change));
    CHECK(change.bytes == 2000 && change.each == 10);
    lg_changes_free(changes);
    growing_forget(&made);
}

SUITE(changes)
{
    RUN(a_place_changes_as_a_whole);
    RUN(a_container_changes_with_what_it_retains);
    RUN(a_type_changes_over_steps);
    RUN(what_nobody_has_does_not_change);
    RUN(rows_change_if_every_snapshot_counts_them);
    RUN(rows_do_not_change_since_a_snapshot_without_a_count);
    RUN(rows_of_one_key_change_together);
    RUN(a_mistake_has_its_rate_since_it_is_one);
    return test_result();
}
