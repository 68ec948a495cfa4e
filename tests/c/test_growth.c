// What a few hand-made snapshots report about growth.
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/cells.h>

#include "growing.h"
#include "growth/growth_private.h"
#include "story.h"
#include "test.h"

#include <string.h>

// The holder of a row as reports write it.
static void
check_holder(const growing_series *made, size_t row, const char *expected)
{
    lg_table *table = NULL;
    const lg_ask ask = {.graph = made->graph[made->count - 1]};
    REQUIRE(lg_question_tabulate(lg_question_find("growth"), &ask,
                                 &made->growth, &table, NULL) == LG_OK);
    lg_string holder = lg_table_cell(table, row, 0).text;
    CHECK(lg__string_is(holder, expected));
    lg_table_free(table);
}

static void
a_list_accumulates(void)
{
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}, {.items = 30}};
    const double steps[] = {100, 200, 300};
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.steps = steps;
    growing_series made = growing_compare(heaps, 3, &options);
    REQUIRE(made.growth.count == 1);
    const lg_growth_row *row = &made.growth.rows[0];
    CHECK(row->verdict == LG_GROWTH_ACCUMULATES);
    CHECK(lg__string_is(row->type, "app.Item"));
    CHECK(row->counts[0] == 10 && row->counts[1] == 20 && row->counts[2] == 30);
    // Each item has 1,000 bytes, and 8 in the list.
    CHECK(row->gained == 20 * 1008);
    CHECK(row->per_interval > 10079 && row->per_interval < 10081);
    CHECK(row->per_step > 100.79 && row->per_step < 100.81);
    check_holder(&made, 0, "app.items[*]");
    growing_forget(&made);
}

static void
what_came_with_the_last_snapshot(void)
{
    static const struct {
        uint32_t snapshots;
        uint64_t numbers[3];
        bool came_last;
    } cases[] = {
        {3, {0, 0, 10}, true},  {3, {0, 1, 11}, true}, {3, {5, 6, 15}, false},
        {3, {0, 5, 10}, false}, {2, {0, 10}, false},
    };
    static const uint64_t same[] = {1, 1, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lg_growth growth = {.snapshots = cases[i].snapshots};
        const lg_growth_row counted = {.counts = cases[i].numbers};
        const lg_growth_row in_place = {.counts = same,
                                        .bytes = cases[i].numbers};
        CHECK(lg_growth_came_last(&growth, &counted) == cases[i].came_last);
        CHECK(lg_growth_came_last(&growth, &in_place) == cases[i].came_last);
    }
}

static void
what_leakgraph_holds_is_not_told(void)
{
    const growing_heap heaps[] = {{.items = 10, .own_list = 10},
                                  {.items = 20, .own_list = 20},
                                  {.items = 30, .own_list = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    check_holder(&made, 0, "app.items[*]");
    lg_growth without = {0};
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 3, NULL,
                           NULL, NULL, &without, NULL) == LG_OK);
    CHECK(without.count == 1);
    lg_growth_free(&without);
    growing_forget(&made);
}

// Returns how many rows there are of snapshots with so many items in one list,
// and so many in another.
static size_t
count_moving(const uint32_t (*items)[2], uint32_t count, growing_series *out)
{
    growing_heap heaps[GROWING_MOST] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        heaps[i] = (growing_heap){.items = items[i][0], .deep = items[i][1]};
    *out = growing_compare(heaps, count, NULL);
    return out->growth.count;
}

static void
what_moves_is_told_once(void)
{
    const uint32_t moving[][2] = {{20, 0}, {40, 0}, {6, 54}, {26, 54}, {8, 92}};
    growing_series made;
    REQUIRE(count_moving(moving, 5, &made) == 1);
    const lg_growth_row *row = &made.growth.rows[0];
    CHECK(row->verdict == LG_GROWTH_ACCUMULATES);
    CHECK(row->degree == LG_GROWTH_STEADY && row->types == 1);
    CHECK(lg__string_is(row->type, "app.Item"));
    CHECK(row->counts[0] == 20 && row->counts[2] == 60 &&
          row->counts[4] == 100);
    CHECK(row->gained == 80 * 1000);
    growing_forget(&made);
}

// Checks that no row has the items of both lists.
static void
check_none_moves(const uint32_t (*items)[2], uint32_t count)
{
    growing_series made;
    (void)count_moving(items, count, &made);
    for (size_t i = 0; i < made.growth.count; i++)
        CHECK(made.growth.rows[i].counts[0] != items[0][0]);
    growing_forget(&made);
}

static void
what_moves_without_gain_is_not_told(void)
{
    const uint32_t to_and_fro[][2] = {
        {20, 0}, {40, 0}, {6, 34}, {26, 34}, {8, 52}};
    const uint32_t few[][2] = {{40, 0}, {80, 0}, {6, 114}};
    const uint32_t slow[][2] = {
        {20, 0}, {120, 0}, {2, 120}, {80, 122}, {18, 262}};
    const uint32_t small[][2] = {{10, 0}, {20, 0}, {3, 27}, {13, 27}, {4, 46}};
    check_none_moves(to_and_fro, 5);
    check_none_moves(few, 3);
    check_none_moves(slow, 5);
    check_none_moves(small, 5);
}

static void
numbers_that_rise_do_so_in_each_interval(void)
{
    static const struct {
        uint32_t count;
        uint64_t numbers[4];
        bool rises;
    } cases[] = {
        {4, {1, 2, 3, 4}, true},
        {3, {1, 2, 3}, true},
        {2, {1, 2}, false},
        {4, {1, 2, 2, 9}, false},
        {4, {9, 1, 2, 3}, false},
        {4, {0, 100, 1500, 3000}, true},
        {4, {0, 95, 1500, 3000}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(lg_growth_rises(cases[i].numbers, cases[i].count) ==
              cases[i].rises);
}

static void
keys_and_values_are_one_row(void)
{
    const growing_heap heaps[] = {
        {.entries = 10}, {.entries = 20}, {.entries = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    CHECK(lg__string_is(made.growth.rows[0].type, "bytes"));
    CHECK(made.growth.rows[0].counts[2] == 30);
    CHECK(made.growth.rows[0].gained == 20 * (500 + 50 + 16));
    check_holder(&made, 0, "app.table[*]");
    growing_forget(&made);
}

static void
the_same_objects_grow_in_place(void)
{
    const growing_heap heaps[] = {{.blob = 1000, .numbers = 50},
                                  {.blob = 2000, .numbers = 150},
                                  {.blob = 3000, .numbers = 250}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 2);
    CHECK(made.growth.rows[0].verdict == LG_GROWTH_IN_PLACE);
    check_holder(&made, 0, "app.counts");
    CHECK(made.growth.rows[0].gained == 5000);
    check_holder(&made, 1, "app.blob");
    CHECK(made.growth.rows[1].gained == 2000);
    growing_forget(&made);
}

// Four in each interval are more than a few.
static void
references_grow_in_place(void)
{
    const growing_heap heaps[] = {
        {.numbers = 99}, {.numbers = 103}, {.numbers = 107}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    check_holder(&made, 0, "app.counts");
    growing_forget(&made);
}

// A table whose references come and go grows by steps, and does not leak.
static void
tables_of_what_comes_and_goes_are_no_growth(void)
{
    growing_heap heaps[] = {{.numbers = 50},
                            {.numbers = 60, .padding = 1000},
                            {.numbers = 40, .padding = 2000},
                            {.numbers = 55, .padding = 3000}};
    growing_series made = growing_compare(heaps, 4, NULL);
    CHECK(made.growth.count == 0);
    CHECK(made.growth.settled == 1);
    growing_forget(&made);
    for (uint32_t i = 0; i < 4; i++)
        heaps[i].numbers = 50;
    made = growing_compare(heaps, 4, NULL);
    REQUIRE(made.growth.count == 1);
    check_holder(&made, 0, "app.counts");
    growing_forget(&made);
}

// A namespace gains a few names in any program.
static void
a_few_references_are_no_growth(void)
{
    const growing_heap heaps[] = {
        {.numbers = 99}, {.numbers = 102}, {.numbers = 105}};
    growing_series made = growing_compare(heaps, 3, NULL);
    CHECK(made.growth.count == 0);
    CHECK(made.growth.settled == 1);
    growing_forget(&made);
}

// Garbage is no growth while the collector leaves more alone, unless as much as
// it does has 16 MiB: young objects up to its first threshold, and old ones up
// to a full collection, unless the program raised the thresholds.
static void
garbage_waits_for_the_collector(void)
{
    static const struct {
        uint32_t each;  // that many in each interval
        uint32_t bytes; // of each of them
        const char *thresholds;
        lg_growth_reason reason;
    } cases[] = {
        {5, 300, "15, 10, 10", LG_GROWTH_WAITS},
        {5, 300, "15, 11, 10", LG_GROWTH_WAITS},
        {5, 300, "14, 10, 10", LG_GROWTH_WAITS},
        {5, 300, "14, 0, 0", LG_GROWTH_NOT_RUN},
        {5, 300, "14, 1, 1", LG_GROWTH_NOT_RUN},
        {5, 300, "5, 3, 1", LG_GROWTH_WAITS},
        {5, 300, "5, 1, 3", LG_GROWTH_WAITS},
        {5, 300, "14, 11, 10", LG_GROWTH_NOT_RUN},
        {5, 300, "14, 10, 11", LG_GROWTH_NOT_RUN},
        {5, 300, "55924, 10, 10", LG_GROWTH_WAITS},
        {5, 300, "55925, 10, 10", LG_GROWTH_NOT_RUN},
        {5, 300, "0, 10, 10", LG_GROWTH_NO_THRESHOLD},
        {5, 1118481, "14, 10, 10", LG_GROWTH_WAITS},
        {5, 1118482, "14, 10, 10", LG_GROWTH_NOT_RUN},
        {670, 300, "2000, 1, 1", LG_GROWTH_NOT_RUN},
        {670, 300, "2000, 2, 1", LG_GROWTH_WAITS},
        {670, 300, "2001, 2, 1", LG_GROWTH_NOT_RUN},
    };
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.settled = true;
    options.min_bytes = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        growing_heap heaps[3] = {{0}};
        for (uint32_t at = 0; at < 3; at++) {
            heaps[at].garbage = cases[i].each * (at + 1);
            heaps[at].dead = cases[i].bytes;
            heaps[at].thresholds = cases[i].thresholds;
        }
        growing_series made = growing_compare(heaps, 3, &options);
        REQUIRE(made.growth.count == 1);
        CHECK(made.growth.rows[0].reason == cases[i].reason);
        CHECK((made.growth.rows[0].verdict == LG_GROWTH_SETTLED) ==
              (cases[i].reason == LG_GROWTH_WAITS));
        growing_forget(&made);
    }
}

// A quarter as many as there are other objects.
static void
old_garbage_waits_in_a_large_heap(void)
{
    static const struct {
        uint32_t items;
        bool waits;
    } cases[] = {{0, false}, {100, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        growing_heap heaps[3] = {{0}};
        for (uint32_t at = 0; at < 3; at++) {
            heaps[at].items = cases[i].items;
            heaps[at].garbage = 5 * (at + 1);
            heaps[at].thresholds = "5, 1, 1";
        }
        growing_series made = growing_compare(heaps, 3, NULL);
        CHECK((made.growth.count == 0) == cases[i].waits);
        growing_forget(&made);
    }
}

static void
garbage_piles_up(void)
{
    const growing_heap heaps[] = {
        {.garbage = 5}, {.garbage = 10}, {.garbage = 15}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    CHECK(made.growth.rows[0].verdict == LG_GROWTH_GARBAGE);
    CHECK(made.growth.rows[0].gained == 3000);
    check_holder(&made, 0, "garbage Item");
    growing_forget(&made);
}

static void
all_holders_are_named(void)
{
    const growing_heap heaps[] = {
        {.shared = 5}, {.shared = 10}, {.shared = 15}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    REQUIRE(made.growth.rows[0].other_count == 1);
    check_holder(&made, 0, "app.left[*]");
    lg_text text = {0};
    REQUIRE(lg_report_growth(&made.growth, made.graph[2], 0, LG_FORMAT_TEXT,
                             &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "app.left[*]") != NULL);
    CHECK(strstr(text.data, "and app.right[*]") != NULL);
    lg_text_free(&text);
    growing_forget(&made);
}

// What each request has is not reported besides the requests.
static void
members_of_what_accumulates_are_not_told(void)
{
    const growing_heap heaps[] = {
        {.requests = 5}, {.requests = 10}, {.requests = 15}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    CHECK(lg__string_is(made.growth.rows[0].type, "app.Request"));
    CHECK(made.growth.rows[0].gained == 10 * 100);
    growing_forget(&made);
}

// Nor is what more and more of them have, if none has more than one.
static void
a_part_of_each_member_is_not_told(void)
{
    const growing_heap heaps[] = {{.requests = 5, .without = 4},
                                  {.requests = 10, .without = 6},
                                  {.requests = 15, .without = 3}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    CHECK(lg__string_is(made.growth.rows[0].type, "app.Request"));
    growing_forget(&made);
}

// But if each has one twentieth more, and more than one, these accumulate.
static void
more_parts_of_each_member_are_told(void)
{
    const growing_heap fuller[] = {{.requests = 100, .parts = 200},
                                   {.requests = 110, .parts = 226},
                                   {.requests = 120, .parts = 253}};
    const growing_heap alike[] = {{.requests = 100, .parts = 200},
                                  {.requests = 110, .parts = 225},
                                  {.requests = 120, .parts = 251}};
    growing_series made = growing_compare(fuller, 3, NULL);
    REQUIRE(made.growth.count == 2);
    CHECK(lg__string_is(made.growth.rows[1].type, "app.Item"));
    growing_forget(&made);
    made = growing_compare(alike, 3, NULL);
    CHECK(made.growth.count == 1);
    growing_forget(&made);
}

// Whether parts of a request are told that the last three snapshots, or two,
// have: the program has no request before.
static bool
tells_parts_of_a_new_request(uint32_t parts, bool three)
{
    const growing_heap heaps[] = {{.requests = 0},
                                  {.requests = three, .parts = three},
                                  {.requests = 1, .parts = 2},
                                  {.requests = 1, .parts = parts}};
    growing_series made = growing_compare(heaps, 4, NULL);
    bool told = made.growth.count > 0 &&
                lg__string_is(made.growth.rows[0].type, "app.Item");
    growing_forget(&made);
    return told;
}

// Two moments of a call that makes a request say nothing about the next, unless
// they tell much.
static void
few_parts_of_what_is_new_are_not_told(void)
{
    CHECK(!tells_parts_of_a_new_request(7, false));
    CHECK(tells_parts_of_a_new_request(8, false));
    CHECK(tells_parts_of_a_new_request(4, true));
}

static void
weak_references_to_members_are_not_told(void)
{
    const growing_heap with[] = {{.items = 10, .weak = 12},
                                 {.items = 20, .weak = 22},
                                 {.items = 30, .weak = 32}};
    const growing_heap old[] = {{.items = 10, .weak = 12, .old = true},
                                {.items = 20, .weak = 22, .old = true},
                                {.items = 30, .weak = 32, .old = true}};
    const growing_heap more[] = {{.items = 10, .weak = 10},
                                 {.items = 20, .weak = 21},
                                 {.items = 30, .weak = 32}};
    growing_series made = growing_compare(with, 3, NULL);
    CHECK(made.growth.count == 1 && made.growth.rows[0].companions == 0);
    check_holder(&made, 0, "app.items[*]");
    growing_forget(&made);
    made = growing_compare(old, 3, NULL);
    CHECK(made.growth.count == 1 && made.growth.rows[0].companions == 0);
    growing_forget(&made);
    made = growing_compare(more, 3, NULL);
    CHECK(made.growth.count == 2);
    check_holder(&made, 1, "app.weak[*]");
    growing_forget(&made);
}

static void
cycles_are_counted(void)
{
    const growing_heap heaps[] = {
        {.garbage = 5}, {.garbage = 10}, {.garbage = 15}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    CHECK(made.growth.rows[0].reason == LG_GROWTH_FROZEN);
    REQUIRE(made.growth.tally_count == 1);
    const lg_growth_tally *tally = &made.growth.tallies[0];
    CHECK(tally->kind == LG_TALLY_CYCLE && tally->counts[2] == 15);
    CHECK(lg__string_is(tally->detail, "frozen"));
    CHECK(tally->is_growing && !tally->is_new && tally->gained == 3000);
    CHECK(made.growth.rows[0].finding == LG_NONE && tally->row == LG_NONE);
    growing_forget(&made);
}

static void
what_stops_is_told_when_asked(void)
{
    const growing_heap heaps[] = {{.items = 10, .entries = 9},
                                  {.items = 30, .entries = 5},
                                  {.items = 30, .entries = 9}};
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    growing_series made = growing_compare(heaps, 3, NULL);
    CHECK(made.growth.count == 0 && made.growth.settled == 1);
    growing_forget(&made);
    options.settled = true;
    made = growing_compare(heaps, 3, &options);
    REQUIRE(made.growth.count == 1);
    CHECK(made.growth.rows[0].verdict == LG_GROWTH_SETTLED);
    check_holder(&made, 0, "app.items[*]");
    growing_forget(&made);
}

static void
small_rows_are_left_out(void)
{
    const growing_heap heaps[] = {{.items = 1}, {.items = 2}};
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.min_bytes = 1008;
    growing_series made = growing_compare(heaps, 2, &options);
    CHECK(made.growth.count == 1);
    growing_forget(&made);
    options.min_bytes = 1009;
    made = growing_compare(heaps, 2, &options);
    CHECK(made.growth.count == 0);
    growing_forget(&made);
}

// Rows with less than half a percent of the first one's bytes.
// Compares three snapshots in which all objects gain about 3 MB, once, and of
// names, or of items, there are more at the end; returns whether these are
// told.
static bool
tells_beside_a_blob(uint32_t names, uint32_t items)
{
    enum { BLOB = 3000000 };
    const growing_heap heaps[] = {
        {.names = 1, .items = 1},
        {.names = 1 + names / 2, .items = 1 + items / 2, .blob = BLOB},
        {.names = 1 + names, .items = 1 + items, .blob = BLOB}};
    growing_series made = growing_compare(heaps, 3, NULL);
    size_t count = made.growth.count;
    growing_forget(&made);
    return count == 1;
}

// One name more in each interval says nothing beside a thousand times its
// bytes.
static void
a_name_is_not_told(void)
{
    CHECK(!tells_beside_a_blob(2, 0));
    CHECK(tells_beside_a_blob(4, 0));
    CHECK(tells_beside_a_blob(0, 2));
}

static void
minor_rows_are_marked(void)
{
    const growing_heap two[] = {{.items = 1, .deep = 1, .batches = 1},
                                {.items = 3, .deep = 3, .batches = 2},
                                {.items = 5, .deep = 5, .batches = 3}};
    const growing_heap one[] = {{.items = 1, .batches = 1},
                                {.items = 3, .batches = 2},
                                {.items = 5, .batches = 3}};
    growing_series made = growing_compare(two, 3, NULL);
    REQUIRE(made.growth.count == 3);
    CHECK(!made.growth.rows[0].minor);
    CHECK(made.growth.rows[1].minor && made.growth.rows[2].minor);
    growing_forget(&made);
    made = growing_compare(one, 3, NULL);
    REQUIRE(made.growth.count == 2);
    CHECK(!made.growth.rows[0].minor && made.growth.rows[1].minor);
    growing_forget(&made);
}

// Returns whether items are marked beside 2 MiB that the batches gain.
static bool
marks_items(uint32_t each)
{
    const growing_heap heaps[] = {{.items = 1, .batches = 1},
                                  {.items = 1 + each, .batches = 2},
                                  {.items = 1 + 2 * each, .batches = 3}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 2);
    const bool minor = made.growth.rows[1].minor;
    growing_forget(&made);
    return minor;
}

static void
half_a_percent_is_minor(void)
{
    CHECK(marks_items(5));
    CHECK(!marks_items(6));
}

static void
summaries_alone_can_be_compared(void)
{
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}, {.items = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth growth;
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 3, NULL,
                           NULL, NULL, &growth, NULL) == LG_OK);
    REQUIRE(growth.count == 1);
    CHECK(growth.rows[0].node == LG_NONE);
    CHECK(growth.rows[0].key == made.growth.rows[0].key);
    lg_text text = {0};
    REQUIRE(lg_report_growth(&growth, NULL, 0, LG_FORMAT_JSON, &text, NULL) ==
            LG_OK);
    CHECK(strstr(text.data, "\"held_by\": \"app.items[*]\"") != NULL);
    lg_text_free(&text);
    lg_growth_free(&growth);
    growing_forget(&made);
}

// Of the five lists that hold an object, the row's path shows one, and the row
// names three others.
static void
three_other_holders_are_named(void)
{
    const growing_heap heaps[] = {{.shared = 5, .sharers = 3},
                                  {.shared = 10, .sharers = 3},
                                  {.shared = 15, .sharers = 3}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    CHECK(made.growth.rows[0].other_count == 3);
    growing_forget(&made);
}

static void
senseless_questions_are_refused(void)
{
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}};
    const double steps[] = {2, 1};
    growing_series made = growing_compare(heaps, 2, NULL);
    const lg_summary *const *summaries =
        (const lg_summary *const *)made.summary;
    lg_growth growth;
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    lg_error err;
    CHECK(lg_growth_find(summaries, 1, NULL, NULL, NULL, &growth, &err) ==
          LG_EINVAL);
    CHECK(strstr(err.message, "needs two snapshots") != NULL);
    options.steps = steps;
    CHECK(lg_growth_find(summaries, 2, NULL, &options, NULL, &growth, &err) ==
          LG_EINVAL);
    CHECK(strstr(err.message, "must ascend") != NULL);
    options.size = 1;
    CHECK(lg_growth_find(summaries, 2, NULL, &options, NULL, &growth, &err) ==
          LG_EINVAL);
    growing_forget(&made);
}

static void
names(void)
{
    CHECK(strcmp(lg_growth_verdict_name(LG_GROWTH_IN_PLACE),
                 "grows in place") == 0);
    CHECK(strcmp(lg_growth_verdict_name(LG_GROWTH_VERDICT_COUNT), "unknown") ==
          0);
    CHECK(strcmp(lg_growth_account_name(LG_ACCOUNT_RSS), "rss") == 0);
    CHECK(strcmp(lg_growth_account_name(LG_ACCOUNT_COUNT), "unknown") == 0);
    CHECK(strcmp(lg_tally_kind_name(LG_TALLY_CYCLE), "cycles") == 0);
    CHECK(strcmp(lg_tally_kind_name(LG_TALLY_COUNT), "unknown") == 0);
    CHECK(strcmp(lg_growth_reason_text(LG_GROWTH_DISABLED),
                 "the collector is disabled") == 0);
    CHECK(strcmp(lg_native_kind_text(LG_NATIVE_STACKS), "stacks of threads") ==
          0);
    CHECK(strcmp(lg_native_kind_text(LG_NATIVE_COUNT), "unknown") == 0);
    CHECK(strcmp(lg_growth_reason_text(LG_GROWTH_REASON_COUNT), "") == 0);
}

static void
add_info(lg_summary *summary, const char *key, const char *value)
{
    lg_allocator allocator = lg_allocator_default();
    lg__info_text *text = lg__vector_extend(&allocator, &summary->infos, 1);
    REQUIRE(text != NULL);
    text->key = lg__places_string(summary->places,
                                  (lg_string){key, (uint32_t)strlen(key)});
    text->value = lg__places_string(
        summary->places, (lg_string){value, (uint32_t)strlen(value)});
}

// Finds the order of snapshots with these infos, one for each, or NULL.
static lg_status
order_of(size_t count, const char *const *pids, const char *const *times,
         const char *const *programs, bool other, lg_text *said, lg_error *err)
{
    const growing_heap heaps[] = {{.items = 1}, {.items = 2}, {.items = 3}};
    growing_series made = growing_compare(heaps, (uint32_t)count, NULL);
    lg_growth_order order;
    for (size_t i = 0; i < count; i++) {
        add_info(made.summary[i], "pid", pids[i]);
        if (times[i])
            add_info(made.summary[i], "time", times[i]);
        if (programs[i])
            add_info(made.summary[i], "program", programs[i]);
    }
    lg_status status = lg_growth_order_find(
        (const lg_summary *const *)made.summary, count, other, &order, err);
    if (status == LG_OK) {
        for (size_t i = 0; i < count; i++)
            lg_text_add_count(said, order.index[i]);
        lg_text_add(said, " ");
        lg_text_add_bytes(said, order.said.data, order.said.length);
        lg_growth_order_free(&order);
    }
    growing_forget(&made);
    return status;
}

#define DIFFERENT "the snapshots are of different processes\n"
#define SORTED                                                                 \
    "the snapshots were not in the order of their times, and are sorted: "
#define LAST_FIRST "number 3 is the oldest, and number 1 the newest\n"

static void
processes_are_told_apart(void)
{
    const char *const pids[] = {"7", "8", "7"};
    const char *const same[] = {"7", "7", "7"};
    const char *const down[] = {"3", "2", "1"};
    const char *const some[] = {"3", NULL, "1"};
    const char *const programs[] = {"a/train.py", NULL, "-m pkg.train"};
    lg_text said = {0};
    CHECK(order_of(3, pids, down, programs, false, &said, NULL) == LG_OK);
    CHECK_TEXT(said, "210 " DIFFERENT SORTED LAST_FIRST);
    said.length = 0;
    CHECK(order_of(3, pids, some, programs, false, &said, NULL) == LG_OK);
    CHECK_TEXT(said, "012 " DIFFERENT);
    said.length = 0;
    CHECK(order_of(3, same, some, programs, false, &said, NULL) == LG_OK);
    CHECK_TEXT(said, "012 ");
    lg_text_free(&said);
}

static void
programs_are_not_compared(void)
{
    const char *const pids[] = {"1", "1", "1"};
    const char *const times[] = {"1", "2", "3"};
    const char *const programs[] = {NULL, "a/train.py", "-m pkg.serve"};
    lg_text said = {0};
    lg_error err;
    CHECK(order_of(3, pids, times, programs, false, &said, &err) == LG_EINVAL);
    CHECK(strcmp(err.message,
                 "snapshot 2 is of train.py, and snapshot 3 is of pkg.serve: "
                 "compare snapshots of one program, or set other_programs "
                 "(--other-programs)") == 0);
    CHECK(order_of(3, pids, times, programs, true, &said, &err) == LG_OK);
    CHECK_TEXT(said, "012 snapshot 2 is of train.py, and snapshot 3 is of "
                     "pkg.serve: what only one of them has seems to have "
                     "grown, or to have gone\n");
    lg_text_free(&said);
}

// Sorts three snapshots with these times, and checks the order.
static void
check_order(const char *const *times, const char *const *libraries,
            const size_t *expected, size_t count, const char *said)
{
    const growing_heap heaps[] = {{.items = 1}, {.items = 2}, {.items = 3}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth_order order;
    for (size_t i = 0; i < 3; i++) {
        add_info(made.summary[i], "pid", "7");
        add_info(made.summary[i], "time", times[i]);
        add_info(made.summary[i], "adapter.torch", libraries[i]);
    }
    REQUIRE(lg_growth_order_find((const lg_summary *const *)made.summary, 3,
                                 false, &order, NULL) == LG_OK);
    CHECK(order.count == count);
    for (size_t i = 0; i < count; i++)
        CHECK(order.index[i] == expected[i]);
    CHECK_TEXT(order.said, said);
    lg_growth_order_free(&order);
    growing_forget(&made);
}

static void
snapshots_are_sorted_or_left_out(void)
{
    const char *const up[] = {"1", "2", "3"};
    const char *const down[] = {"3", "2", "1"};
    const char *const fine[] = {"inspected: 2", "inspected: 2", "inspected: 2"};
    const char *const one[] = {"inspected: 2", "not inspected: why",
                               "inspected: 2"};
    const char *const two[] = {"not inspected: a", "not inspected: b",
                               "inspected: 2"};
    const char *const none[] = {"not inspected: a", "not inspected: a",
                                "not inspected: a"};
    check_order(up, fine, (size_t[]){0, 1, 2}, 3, "");
    check_order(down, fine, (size_t[]){2, 1, 0}, 3, SORTED LAST_FIRST);
    check_order(up, one, (size_t[]){0, 2}, 2,
                "snapshot 2 of 3 is left out: torch was not inspected: why\n");
    check_order(up, two, (size_t[]){0, 1, 2}, 3, "");
    check_order(up, none, (size_t[]){0, 1, 2}, 3,
                "the rows lack memory: torch was not inspected: a\n");
}

// What torch.compile keeps for so many functions: guards in so many boxes,
// which become more in jumps of their own.
static lg_graph *
compiled_functions(uint32_t functions, uint32_t boxes)
{
    enum { BOX = 100, GUARD = 1000, FUNCTION = 48 };
    story made = story_begin();
    uint32_t shop = story_module(&made, "shop");
    uint32_t guards = story_module(&made, "torch._dynamo.guards");
    uint32_t all = story_add(&made, "list", NULL, BOX);
    uint32_t box[60];
    story_attribute(&made, guards, "all", all);
    for (uint32_t i = 0; i < boxes; i++) {
        box[i] = story_add(&made, "list", NULL, BOX);
        story_edge(&made, all, box[i], LG_EDGE_INDEX, i);
    }
    for (uint32_t i = 0; i < functions; i++) {
        char name[] = "__compiled_fn_00";
        name[sizeof name - 3] = (char)('0' + i / 10);
        name[sizeof name - 2] = (char)('0' + i % 10);
        uint32_t guard = story_add(&made, "guards.Guard", NULL, GUARD);
        story_edge(&made, box[i % boxes], guard, LG_EDGE_INDEX, i / boxes);
        story_attribute(&made, shop, name,
                        story_add(&made, "function", "forward", FUNCTION));
    }
    return story_end(&made);
}

// The guards lie in the boxes: their bytes are the boxes' already.
static void
companions_in_companions_count_once(void)
{
    lg_graph *const graphs[3] = {compiled_functions(20, 10),
                                 compiled_functions(40, 12),
                                 compiled_functions(60, 14)};
    growing_series made = growing_of_graphs(graphs, 3);
    REQUIRE(made.growth.count == 1);
    const lg_growth_row *row = &made.growth.rows[0];
    CHECK(lg__string_is(row->type, "function"));
    CHECK(row->companions == 2);
    CHECK(row->gained == 40 * (48 + 1000) + 4 * 100);
    growing_forget(&made);
}

SUITE(growth)
{
    RUN(snapshots_are_sorted_or_left_out);
    RUN(processes_are_told_apart);
    RUN(programs_are_not_compared);
    RUN(a_list_accumulates);
    RUN(what_came_with_the_last_snapshot);
    RUN(what_leakgraph_holds_is_not_told);
    RUN(what_moves_is_told_once);
    RUN(what_moves_without_gain_is_not_told);
    RUN(numbers_that_rise_do_so_in_each_interval);
    RUN(keys_and_values_are_one_row);
    RUN(the_same_objects_grow_in_place);
    RUN(references_grow_in_place);
    RUN(tables_of_what_comes_and_goes_are_no_growth);
    RUN(a_few_references_are_no_growth);
    RUN(garbage_piles_up);
    RUN(garbage_waits_for_the_collector);
    RUN(old_garbage_waits_in_a_large_heap);
    RUN(all_holders_are_named);
    RUN(members_of_what_accumulates_are_not_told);
    RUN(a_part_of_each_member_is_not_told);
    RUN(more_parts_of_each_member_are_told);
    RUN(few_parts_of_what_is_new_are_not_told);
    RUN(weak_references_to_members_are_not_told);
    RUN(companions_in_companions_count_once);
    RUN(cycles_are_counted);
    RUN(what_stops_is_told_when_asked);
    RUN(small_rows_are_left_out);
    RUN(a_name_is_not_told);
    RUN(minor_rows_are_marked);
    RUN(half_a_percent_is_minor);
    RUN(summaries_alone_can_be_compared);
    RUN(three_other_holders_are_named);
    RUN(senseless_questions_are_refused);
    RUN(names);
    return test_result();
}
