// What a comparison writes below its rows.
#include "growing.h"
#include "growth/growth_private.h"
#include "test.h"

#include <leakgraph/internal/report.h>

#include <inttypes.h>
#include <string.h>

static bool
has(const growing_series *made, lg_format format, const char *expected)
{
    lg_text text = {0};
    REQUIRE(lg_report_growth(&made->growth, NULL, 0, format, &text, NULL) ==
            LG_OK);
    bool found = strstr(text.data, expected) != NULL;
    lg_text_free(&text);
    return found;
}

static bool
says(const growing_series *made, const char *expected)
{
    return has(made, LG_FORMAT_TEXT, expected);
}

static bool
lists(const growing_series *made, const char *expected)
{
    return has(made, LG_FORMAT_JSON, expected);
}

static void
accounts_that_gained_are_named(void)
{
    growing_heap heaps[] = {{.malloc = 6000, .rss = 9000},
                            {.blob = 1000, .malloc = 6000, .rss = 8000}};
    growing_series made = growing_compare(heaps, 2, NULL);
    CHECK(says(&made, "in all: objects +1000 B · resident memory -1000 B\n"));
    growing_forget(&made);
    heaps[1] = heaps[0];
    made = growing_compare(heaps, 2, NULL);
    CHECK(says(&made, "Nothing grows."));
    CHECK(!says(&made, "in all"));
    CHECK(!says(&made, "growth that no object explains"));
    CHECK(!says(&made, "\n\n"));
    growing_forget(&made);
    for (uint32_t i = 0; i < 2; i++)
        heaps[i].pymalloc = 100000 + 2048 * i;
    made = growing_compare(heaps, 2, NULL);
    CHECK(says(&made, "growth that no object explains: +2.00 KiB (small blocks "
                      "of Python +2.00 KiB)\n"));
    growing_forget(&made);
    heaps[1].malloc += 1024;
    made = growing_compare(heaps, 2, NULL);
    CHECK(says(&made, "growth that no object explains: +3.00 KiB (malloc "
                      "+1.00 KiB, small blocks of Python +2.00 KiB)\n"));
    growing_forget(&made);
}

// The numbers of garbage that waits rise, so its row says why it has settled,
// and no type is said to become more.
static void
garbage_that_waits_is_told(void)
{
    growing_heap heaps[3] = {{0}};
    for (uint32_t i = 0; i < 3; i++) {
        heaps[i].garbage = 5 * (i + 1);
        heaps[i].dead = 20000;
        heaps[i].thresholds = "15, 10, 10";
    }
    growing_series made = growing_compare(heaps, 3, NULL);
    CHECK(says(&made, "Nothing goes on growing; 1 place grew and stopped"));
    CHECK(says(&made, "garbage Item: Item settled: garbage that goes when the "
                      "collector reaches its threshold\n"));
    CHECK(!says(&made, "which become more in each interval"));
    made.growth.objects_gained = INT64_MAX; // as a damaged file may say
    CHECK(!says(&made, "which become more in each interval"));
    growing_forget(&made);
}

static void
put_total(lg_summary *summary, const char *bytes)
{
    lg__info_text *infos = summary->infos.data;
    for (size_t i = 0; i < summary->infos.count; i++)
        if (lg__string_is(lg__places_text(summary->places, infos[i].key),
                          "places.host"))
            infos[i].value = lg__places_string(
                summary->places, (lg_string){bytes, (uint32_t)strlen(bytes)});
}

static void
totals_of_damaged_files_are_limited(void)
{
    const growing_heap heaps[2] = {{0}};
    growing_series made = growing_compare(heaps, 2, NULL);
    lg_growth_free(&made.growth);
    put_total(made.summary[0], "9223372036854775808");
    put_total(made.summary[1], "9223372036854775806");
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 2, NULL,
                           NULL, NULL, &made.growth, NULL) == LG_OK);
    CHECK(made.growth.objects_gained == -1);
    growing_forget(&made);
}

static void
count(lg_summary *summary, lg_tally_kind kind, uint32_t many,
      const uint64_t *bytes, uint32_t devices)
{
    lg__tally tally = {.kind = kind, .count = many, .key = kind};
    tally.name = lg__places_string(summary->places, (lg_string){"some", 4});
    tally.detail = lg__places_string(summary->places, (lg_string){"", 0});
    REQUIRE(lg__summary_count(summary, tally, bytes, devices));
}

static void
tallies_are_named_by_their_kind(void)
{
    const growing_heap heaps[] = {{.malloc = 6000}, {.malloc = 6000}};
    growing_series made = growing_compare(heaps, 2, NULL);
    lg_growth_free(&made.growth);
    for (uint32_t i = 0; i < 2; i++) {
        count(made.summary[i], LG_TALLY_TENSOR, 2 + i, NULL, 0);
        count(made.summary[i], LG_TALLY_THREAD, 5 + i, NULL, 0);
        count(made.summary[i], LG_TALLY_CYCLE, 7 + i, NULL, 0);
        lg__summary_join_tallies(made.summary[i]);
    }
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 2, NULL,
                           NULL, NULL, &made.growth, NULL) == LG_OK);
    CHECK(says(&made, "2 → 3           some tensors\n"));
    CHECK(says(&made, "5 → 6           threads some\n"));
    CHECK(says(&made, "7 → 8           cycle some\n"));
    growing_forget(&made);
}

// What grows on one device may shrink on another.
static void
bytes_are_those_of_each_device(void)
{
    const growing_heap heaps[] = {{.batches = 1}, {.batches = 3}};
    const uint64_t bytes[2][2] = {{7168, 1 << 20}, {4096, 5 << 20}};
    growing_series made = growing_compare(heaps, 2, NULL);
    lg_growth_free(&made.growth);
    for (uint32_t i = 0; i < 2; i++) {
        count(made.summary[i], LG_TALLY_TENSOR, 2 + i, bytes[i], 2);
        lg__summary_join_tallies(made.summary[i]);
    }
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 2, NULL,
                           NULL, NULL, &made.growth, NULL) == LG_OK);
    CHECK(says(&made, "4.00 MiB cuda:0  2 → 3           some tensors\n"));
    CHECK(says(&made, "2.00 MiB cuda:0  1 → 3           app.Item\n"));
    CHECK(lists(&made, "\"bytes\": [{\"host\": 7168, \"cuda:0\": 1048576}, "
                       "{\"host\": 4096, \"cuda:0\": 5242880}], "
                       "\"gained\": 4191232"));
    CHECK(lists(&made, "\"bytes\": [{\"host\": 0, \"cuda:0\": 1048576}, "
                       "{\"host\": 0, \"cuda:0\": 3145728}], "
                       "\"gained\": 2097152"));
    growing_forget(&made);
}

// As many figures of each kind as the text has room for.
static void
the_first_ten_tallies_are_told(void)
{
    enum { TALLIES = 11 };
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}, {.items = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth growth = made.growth;
    lg_growth_tally tallies[TALLIES];
    const uint64_t more[] = {1, 2, 3};
    lg_text text = {0};
    char names[TALLIES][16];
    for (uint32_t i = 0; i < TALLIES; i++) {
        snprintf(names[i], sizeof names[i], "worker-%u.", i);
        tallies[i] = (lg_growth_tally){.kind = LG_TALLY_THREAD,
                                       .counts = more,
                                       .bytes = more,
                                       .gained = 2,
                                       .row = LG_NONE};
        tallies[i].name = (lg_string){names[i], (uint32_t)strlen(names[i])};
    }
    growth.tallies = tallies;
    growth.tally_count = TALLIES;
    REQUIRE(lg_report_growth(&growth, NULL, 0, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    CHECK(strstr(text.data, "worker-9.") != NULL);
    CHECK(strstr(text.data, "worker-10.") == NULL);
    lg_text_free(&text);
    growing_forget(&made);
}

// From 4 KiB on, as many things with more bytes are news.
static void
a_few_bytes_in_as_many_things_are_none(void)
{
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}, {.items = 30}};
    const uint64_t same[] = {2, 2, 2};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth growth = made.growth;
    lg_growth_tally thread = {.kind = LG_TALLY_THREAD,
                              .name = {"worker", 6},
                              .counts = same,
                              .bytes = same,
                              .row = LG_NONE};
    growth.tallies = &thread;
    growth.tally_count = 1;
    for (int more = 0; more < 2; more++) {
        lg_text text = {0};
        thread.gained = 4095 + more;
        REQUIRE(lg_report_growth(&growth, NULL, 0, LG_FORMAT_TEXT, &text,
                                 NULL) == LG_OK);
        CHECK((strstr(text.data, "threads worker") != NULL) == (more > 0));
        lg_text_free(&text);
    }
    growing_forget(&made);
}

static void
the_first_five_types_are_told(void)
{
    enum { TYPES = 6 };
    static const char *const names[TYPES] = {"app.A", "app.B", "app.C",
                                             "app.D", "app.E", "app.F"};
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}, {.items = 30}};
    const uint64_t more[] = {1, 2, 3};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth growth = made.growth;
    lg_growth_type types[TYPES];
    lg_text text = {0};
    for (size_t i = 0; i < TYPES; i++)
        types[i] = (lg_growth_type){
            .name = {names[i], 5}, .counts = more, .bytes = more, .gained = 2};
    growth.types = types;
    growth.type_count = TYPES;
    REQUIRE(lg_report_growth(&growth, NULL, 0, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    CHECK(strstr(text.data, "app.E") != NULL);
    CHECK(strstr(text.data, "app.F") == NULL);
    lg_text_free(&text);
    growing_forget(&made);
}

static void
what_is_left_out_is_counted(void)
{
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}, {.items = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    CHECK(!says(&made, "left out"));
    made.growth.known = 1;
    CHECK(says(&made, "1 row that the baseline knows is left out\n"));
    made.growth.known = 2;
    CHECK(says(&made, "2 rows that the baseline knows are left out\n"));
    growing_forget(&made);
}

static void
accounts_say_what_they_gained(void)
{
    const growing_heap heaps[] = {{.malloc = 6000}, {.malloc = 6700}};
    growing_series made = growing_compare(heaps, 2, NULL);
    CHECK(lists(&made, "{\"name\": \"malloc\", \"bytes\": [6000, 6700], "
                       "\"gained\": 700}"));
    growing_forget(&made);
}

// Counts a finding that the list of items holds.
static void
count_finding(lg_summary *summary, const char *name, uint64_t bytes)
{
    lg_places *places = summary->places;
    lg__tally tally = {.kind = LG_TALLY_FINDING, .count = 1};
    for (uint32_t i = 0; i < lg_places_count(places); i++) {
        lg_text text = {0};
        lg_place_format(places, i, &text);
        if (strcmp(text.data, "app.items") == 0)
            tally.holder = lg_places_at(places, i).key;
        lg_text_free(&text);
    }
    tally.name =
        lg__places_string(places, (lg_string){name, (uint32_t)strlen(name)});
    tally.detail = lg__places_string(places, (lg_string){"", 0});
    REQUIRE(tally.holder != 0);
    REQUIRE(lg__summary_count(summary, tally, &bytes, 1));
}

// Of two findings about a row, the row names the one that gained more.
static void
the_biggest_finding_is_named(void)
{
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}, {.items = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth_free(&made.growth);
    for (uint32_t i = 0; i < 3; i++) {
        count_finding(made.summary[i], "small", 10 * i);
        count_finding(made.summary[i], "big", 1000 * i);
        lg__summary_join_tallies(made.summary[i]);
    }
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 3, NULL,
                           NULL, NULL, &made.growth, NULL) == LG_OK);
    REQUIRE(made.growth.count == 1 && made.growth.rows[0].finding != LG_NONE);
    CHECK(lg__string_is(made.growth.tallies[made.growth.rows[0].finding].name,
                        "big"));
    growing_forget(&made);
}

static void
cycles_say_why_they_stay(void)
{
    const growing_heap heaps[] = {{.garbage = 5}, {.garbage = 10}};
    growing_series made = growing_compare(heaps, 2, NULL);
    CHECK(says(&made, " (frozen)\n"));
    growing_forget(&made);
}

// The column of rates, and the rows of JSON, say what a step is.
static void
a_unit_is_told(void)
{
    const growing_heap heaps[] = {{.items = 5}, {.items = 10}, {.items = 15}};
    const double steps[] = {0, 10, 20};
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    growing_series made = growing_compare(heaps, 3, &options);
    CHECK(says(&made, "  per snapshot  "));
    growing_forget(&made);
    options.steps = steps;
    options.unit = LG_PER_CALL;
    made = growing_compare(heaps, 3, &options);
    CHECK(says(&made, "  per call  "));
    CHECK(lists(&made, "objects, +9.84 KiB in all, +504 B per call\""));
    growing_forget(&made);
}

// Snapshots know their times, so rates per second need no steps.
static void
seconds_are_those_between_the_snapshots(void)
{
    growing_heap heaps[] = {{.items = 5, .second = 10},
                            {.items = 10, .second = 15},
                            {.items = 15, .second = 20}};
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.unit = LG_PER_SECOND;
    growing_series made = growing_compare(heaps, 3, &options);
    CHECK(says(&made, "1 place grows: +9.84 KiB in 3 snapshots over 10.0 s."));
    CHECK(lists(&made, "+9.84 KiB in all, +1008 B per second\""));
    growing_forget(&made);
    heaps[1].second = 0;
    made = growing_compare(heaps, 3, &options);
    CHECK(says(&made, "  per snapshot  "));
    CHECK(!says(&made, " over "));
    growing_forget(&made);
}

// What helps is told once, below the first row that it is about.
static void
a_fix_is_told_once(void)
{
    const growing_heap heaps[] = {{.items = 10, .entries = 5},
                                  {.items = 20, .entries = 15},
                                  {.items = 30, .entries = 25}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 2);
    CHECK(!says(&made, "             fix  "));
    made.growth.rows[1].fix = "Close them.";
    CHECK(says(&made, "             fix  Close them.\n"));
    made.growth.rows[0].fix = made.growth.rows[1].fix;
    CHECK(says(&made, "             fix  Close them.\n"));
    CHECK(lists(&made, "\"fix\": \"Close them.\""));
    lg_text text = {0};
    REQUIRE(lg_report_growth(&made.growth, NULL, 0, LG_FORMAT_TEXT, &text,
                             NULL) == LG_OK);
    const char *first = strstr(text.data, "Close them.");
    CHECK(strstr(first + 1, "Close them.") == NULL);
    lg_text_free(&text);
    growing_forget(&made);
}

// A check fails when growth exceeds the limit, and lists the places.
static void
checks_pass_or_fail(void)
{
    const growing_heap heaps[] = {{.items = 10}, {.items = 20}, {.items = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    char row[80];
    snprintf(row, sizeof row, "\n    19.7 KiB  %016" PRIx64 "  app.items[*]\n",
             made.growth.rows[0].key);
    CHECK(!says(&made, "Check "));
    made.growth.is_checked = true;
    made.growth.max_growth = lg_growth_kept(&made.growth);
    CHECK(says(&made, "\nCheck passed: +19.7 KiB in all, and the limit is "
                      "+19.7 KiB.\n"));
    CHECK(!says(&made, "too much"));
    CHECK(lists(&made, "\"passed\": true, "));
    made.growth.max_growth--;
    CHECK(says(&made, "\nCheck failed: +19.7 KiB in all, and "));
    CHECK(says(&made, "\nThese places grew by 1 B too much:\n"));
    CHECK(says(&made, row));
    CHECK(lists(&made, "\"passed\": false, "));
    CHECK(lists(&made, "\"over\": 1, "));
    growing_forget(&made);
}

// What paused at the last snapshot may leak all the same.
static void
checks_count_what_is_idle(void)
{
    const growing_heap heaps[] = {
        {.items = 100}, {.items = 200}, {.items = 300}, {.items = 300}};
    growing_series made = growing_compare(heaps, 4, NULL);
    CHECK(made.growth.rows[0].degree == LG_GROWTH_IDLE);
    CHECK(!lg_growth_check(&made.growth, 1000));
    CHECK(says(&made, "\nCheck failed: +197 KiB in all, and "));
    CHECK(says(&made, "  app.items[*]\n"));
    CHECK(lg_growth_check(&made.growth, lg_growth_kept(&made.growth)));
    growing_forget(&made);
}

// Rows explain no more than all objects gained, of which some became smaller.
static void
rows_explain_no_more_than_there_is(void)
{
    const growing_heap heaps[] = {{.items = 100, .blob = 30000},
                                  {.items = 200, .blob = 20000},
                                  {.items = 300, .blob = 10000}};
    growing_series made = growing_compare(heaps, 3, NULL);
    CHECK(made.growth.rows[0].gained > made.growth.objects_gained);
    CHECK(says(&made, ": +197 KiB in 3 snapshots; rows explain all of the "
                      "177 KiB that objects gained.\n"));
    growing_forget(&made);
}

// What the first line says that rows gained is all that objects gained.
static void
one_number_is_enough_for_all(void)
{
    const growing_heap heaps[] = {
        {.items = 1000}, {.items = 2000}, {.items = 3000}};
    growing_series made = growing_compare(heaps, 3, NULL);
    CHECK(says(&made, "; rows explain all that objects gained.\n"));
    growing_forget(&made);
}

// Compares snapshots in which app.items grows once, and app.blob all the time.
static bool
tells_settled(uint32_t items, uint32_t blob, uint64_t min_bytes)
{
    const growing_heap heaps[] = {
        {.items = 10, .blob = 1},
        {.items = 10 + items, .blob = 1 + blob / 3},
        {.items = 10 + items, .blob = 1 + blob / 3 * 2},
        {.items = 10 + items, .blob = 1 + blob},
    };
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.min_bytes = min_bytes;
    growing_series made = growing_compare(heaps, 4, &options);
    CHECK(made.growth.settled == 1);
    CHECK(lists(&made, "\"settled\": 1"));
    bool told = says(&made, "1 place has settled or fills up to a limit");
    growing_forget(&made);
    return told;
}

// Every program has small places that settled.
static void
what_settled_is_told_from_some_size_on(void)
{
    CHECK(tells_settled(66, 0, 0));
    CHECK(!tells_settled(65, 0, 0));
    CHECK(tells_settled(65, 0, 1000));
    CHECK(tells_settled(66, 6533000, 0));
    CHECK(!tells_settled(66, 6600000, 0));
}

SUITE(report_growth)
{
    RUN(a_unit_is_told);
    RUN(what_settled_is_told_from_some_size_on);
    RUN(seconds_are_those_between_the_snapshots);
    RUN(a_fix_is_told_once);
    RUN(accounts_that_gained_are_named);
    RUN(garbage_that_waits_is_told);
    RUN(totals_of_damaged_files_are_limited);
    RUN(tallies_are_named_by_their_kind);
    RUN(bytes_are_those_of_each_device);
    RUN(the_first_ten_tallies_are_told);
    RUN(a_few_bytes_in_as_many_things_are_none);
    RUN(the_first_five_types_are_told);
    RUN(what_is_left_out_is_counted);
    RUN(accounts_say_what_they_gained);
    RUN(the_biggest_finding_is_named);
    RUN(cycles_say_why_they_stay);
    RUN(checks_pass_or_fail);
    RUN(checks_count_what_is_idle);
    RUN(rows_explain_no_more_than_there_is);
    RUN(one_number_is_enough_for_all);
    return test_result();
}
