// What snapshots report about memory of the process that belongs to no object.
#include "growing.h"
#include "growth/growth_private.h"
#include "native/native_private.h"
#include "report/report_growth_facts.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/baseline.h>

#include <stdio.h>
#include <string.h>

static void
native_growth_has_a_number(void)
{
    const growing_heap heaps[] = {{.blob = 1000, .malloc = 6000},
                                  {.blob = 2000, .malloc = 17000}};
    growing_series made = growing_compare(heaps, 2, NULL);
    CHECK(made.growth.unexplained_known);
    // malloc rounds 2,000 bytes up to 2,016, and 1,000 to 1,008.
    CHECK(made.growth.unexplained == 11000 - 1008);
    CHECK(made.growth.accounts[LG_ACCOUNT_MALLOC][1] == 17000);
    CHECK(made.growth.accounts[LG_ACCOUNT_RSS][1] == -1);
    REQUIRE(made.growth.type_count == 1);
    CHECK(lg__string_is(made.growth.types[0].name, "bytearray"));
    CHECK(made.growth.types[0].gained == 1000);
    growing_forget(&made);
}

// malloc maps large blocks as pages, with a header of 16 bytes.
static void
large_blocks_are_pages(void)
{
    enum { PAGES = 33 * 4096 };
    const growing_heap heaps[] = {{.blob = PAGES - 16}, {.blob = PAGES - 15}};
    growing_series made = growing_compare(heaps, 2, NULL);
    uint64_t first = made.summary[0]->large;
    CHECK(made.summary[1]->large == first + 4096);
    growing_forget(&made);
}

// Snapshots that wait to be compared are no growth of the program.
static void
own_memory_is_left_out(void)
{
    const growing_heap heaps[] = {{.malloc = 6000, .rss = 7000},
                                  {.malloc = 9000, .rss = 12000, .own = 2500},
                                  {.malloc = 1000, .rss = 2000, .own = 2500}};
    growing_series made = growing_compare(heaps, 3, NULL);
    CHECK(made.growth.accounts[LG_ACCOUNT_MALLOC][0] == 6000);
    CHECK(made.growth.accounts[LG_ACCOUNT_MALLOC][1] == 6500);
    CHECK(made.growth.accounts[LG_ACCOUNT_RSS][1] == 9500);
    CHECK(made.growth.accounts[LG_ACCOUNT_MALLOC][2] == 0);
    growing_forget(&made);
    const growing_heap traced[] = {
        {.malloc = 6000, .rss = 7000},
        {.malloc = 9000, .rss = 12000, .own = 1000, .traced = 750},
        {.malloc = 9000, .rss = 12000, .traced = 4501}};
    made = growing_compare(traced, 3, NULL);
    CHECK(made.growth.accounts[LG_ACCOUNT_MALLOC][1] == 6500);
    CHECK(made.growth.accounts[LG_ACCOUNT_RSS][1] == 9500);
    CHECK(made.growth.accounts[LG_ACCOUNT_MALLOC][2] == 0);
    growing_forget(&made);
}

// Compares three snapshots in which an object of a library has that many bytes
// more each time, and references that increase; returns how many rows there
// are.
static size_t
count_in_place(bool native, uint32_t bytes, uint32_t blocks, uint32_t more)
{
    growing_heap heaps[3];
    for (uint32_t i = 0; i < 3; i++)
        heaps[i] = (growing_heap){.native = native,
                                  .handle = (4 << 20) + i * bytes,
                                  .blocks = blocks + i * more};
    growing_series made = growing_compare(heaps, 3, NULL);
    size_t count = made.growth.count;
    growing_forget(&made);
    return count;
}

// How many bytes C code asked for is not known: malloc rounds them up, and
// blocks of their own mappings to pages. Up to a page for each block, and to a
// part of 32 of all bytes, that is no growth, unless there are more blocks.
static void
what_malloc_rounds_up_is_no_growth(void)
{
    enum { BLOCKS = 40, FEW = 16, MORE = 4, PART = 64 << 10, LARGE = 68 << 10 };
    CHECK(count_in_place(true, PART, BLOCKS, 0) == 0);
    CHECK(count_in_place(true, LARGE, BLOCKS, 0) == 1);
    CHECK(count_in_place(true, PART, FEW, 0) == 1);
    CHECK(count_in_place(true, PART, BLOCKS, MORE) == 1);
    CHECK(count_in_place(false, PART, BLOCKS, 0) == 1);
}

// A stale word of C code leads to a few blocks of others for a while. What has
// more references in each interval grows, by a page at least.
static void
chance_words_are_no_growth(void)
{
    enum { LEAST = 2 << 10, SURE = 32 << 10, FEW = 3, MORE = 4 };
    CHECK(count_in_place(true, SURE, 0, FEW) == 1);
    CHECK(count_in_place(true, SURE - 1, 0, FEW) == 0);
    CHECK(count_in_place(true, SURE - 1, 0, MORE) == 1);
    CHECK(count_in_place(true, LEAST, 0, MORE) == 1);
    CHECK(count_in_place(true, LEAST - 1, 0, MORE) == 0);
    CHECK(count_in_place(false, LEAST - 1, 0, FEW) == 1);
}

// Checks whether native memory of that kind has a row that gained this many
// bytes.
static void
check_native(const growing_heap *heaps, lg_native_kind kind, int64_t gained)
{
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_growth_row *found = NULL;
    for (size_t i = 0; i < made.growth.count; i++)
        if (made.growth.rows[i].verdict == LG_GROWTH_NATIVE &&
            made.growth.rows[i].native == kind)
            found = &made.growth.rows[i];
    CHECK((found != NULL) == (gained > 0));
    CHECK(found == NULL || found->gained == gained);
    growing_forget(&made);
}

// Objects of libraries have memory that no pointer shows. While they are
// garbage that waits for the collector, a quarter of what they gained in each
// interval is theirs.
static void
memory_goes_with_garbage_that_waits(void)
{
    enum { BASE = 1000000, MANY = 5, DEAD = 30008, EACH = DEAD + 8 };
    enum { QUARTER = MANY * DEAD / 4 };
    static const struct {
        const char *thresholds;
        uint32_t first;
        uint32_t then;
        int64_t gained;
    } cases[] = {
        {"15, 10, 10", QUARTER, QUARTER, 0},
        {"15, 10, 10", QUARTER, QUARTER + 1, 2 * QUARTER + 1},
        {"15, 10, 10", QUARTER + 1, QUARTER, 2 * QUARTER + 1},
        {"14, 11, 10", QUARTER, QUARTER, 2 * QUARTER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        growing_heap heaps[3] = {{0}};
        for (uint32_t at = 0; at < 3; at++)
            heaps[at] = (growing_heap){.garbage = MANY * (at + 1),
                                       .dead = DEAD,
                                       .thresholds = cases[i].thresholds,
                                       .malloc = BASE + EACH * MANY * at};
        heaps[1].malloc += cases[i].first;
        heaps[2].malloc += cases[i].first + cases[i].then;
        check_native(heaps, LG_NATIVE_MALLOC, cases[i].gained);
    }
}

static void
native_growth_has_rows(void)
{
    enum { KIB = 1024, BASE = 100000, BLOB = 2000000 };
    growing_heap heaps[3] = {{.malloc = BASE}, {.malloc = BASE + 32 * KIB}};
    heaps[2].malloc = BASE + 64 * KIB;
    check_native(heaps, LG_NATIVE_MALLOC, 64 * KIB);
    heaps[2].malloc--;
    check_native(heaps, LG_NATIVE_MALLOC, 0);
    // Besides growing objects, growth counts from a twentieth of theirs. Large
    // blocks are pages.
    for (uint32_t i = 0; i < 3; i++) {
        heaps[i].blob = 4096 * (100 + 500 * i) - 16;
        heaps[i].malloc = BASE + 4096 * (100 + 525 * i);
    }
    check_native(heaps, LG_NATIVE_MALLOC, 4096 * 50);
    heaps[2].malloc--;
    check_native(heaps, LG_NATIVE_MALLOC, 0);
}

// Compares three snapshots between which 1,000 pages of objects come and go;
// beside them, memory of C code gains 20 pages, and then as many as are left.
static void
check_native_beside_objects(uint32_t gained, bool is_told)
{
    enum { PAGE = 4096, BASE = 100000, FEW = 100, MANY = 1100, SOME = 20 };
    const growing_heap heaps[] = {
        {.blob = PAGE * FEW - 16, .malloc = BASE + PAGE * FEW},
        {.blob = PAGE * MANY - 16, .malloc = BASE + PAGE * (MANY + SOME)},
        {.blob = PAGE * FEW - 16, .malloc = BASE + PAGE * (FEW + gained)}};
    check_native(heaps, LG_NATIVE_MALLOC, is_told ? PAGE * gained : 0);
}

// What is vague about objects comes and goes with them, so it may be what has
// risen at the end.
static void
native_growth_is_more_than_what_comes_and_goes(void)
{
    check_native_beside_objects(49, false);
    check_native_beside_objects(50, true);
}

static void
code_has_a_row(void)
{
    enum { KIB = 1024 };
    growing_heap heaps[3] = {{.code = KIB}, {.code = 33 * KIB}};
    heaps[2].code = 65 * KIB;
    check_native(heaps, LG_NATIVE_CODE, 64 * KIB);
    heaps[2].code--;
    check_native(heaps, LG_NATIVE_CODE, 0);
}

// What malloc keeps is growth if the process grows by half of it, and by no
// more than four times of it, and objects by less.
static void
fragmentation_has_a_row(void)
{
    enum { MIB = 1 << 20, RSS = 200 * MIB };
    growing_heap heaps[3];
    for (uint32_t i = 0; i < 3; i++)
        heaps[i] = (growing_heap){.freed = (1 + 4 * i) * MIB,
                                  .rss = RSS + 2 * i * MIB};
    check_native(heaps, LG_NATIVE_FREE, 8 * MIB);
    heaps[2].rss--;
    check_native(heaps, LG_NATIVE_FREE, 0);
    heaps[2].rss = RSS + 32 * MIB;
    check_native(heaps, LG_NATIVE_FREE, 8 * MIB);
    heaps[2].rss++;
    check_native(heaps, LG_NATIVE_FREE, 0);
    heaps[2].rss = RSS + 8 * MIB;
    heaps[2].freed--;
    check_native(heaps, LG_NATIVE_FREE, 0);
    heaps[2].freed++;
    for (uint32_t i = 0; i < 3; i++)
        heaps[i].blob = 5 * MIB * i;
    check_native(heaps, LG_NATIVE_FREE, 0);
}

static void
check_holder(const growing_series *made, const lg_growth_row *row,
             const char *expected)
{
    lg_text text = {0};
    lg__format_growth_holder(&made->growth, NULL, row, &text);
    CHECK(strcmp(text.data, expected) == 0);
    lg_text_free(&text);
}

// Five new objects in each interval, of 1,008 bytes in malloc, and native
// memory beside them.
static uint64_t
bytes_in_step(uint32_t first, uint32_t second)
{
    enum { BASE = 100000, OBJECTS = 5 * 1008 };
    const growing_heap heaps[] = {
        {.items = 5, .malloc = BASE},
        {.items = 10, .malloc = BASE + OBJECTS + first},
        {.items = 15, .malloc = BASE + 2 * OBJECTS + first + second}};
    growing_series made = growing_compare(heaps, 3, NULL);
    uint64_t each = UINT64_MAX;
    for (size_t i = 0; i < made.growth.count; i++) {
        const lg_growth_row *row = &made.growth.rows[i];
        if (row->verdict != LG_GROWTH_NATIVE)
            continue;
        each = row->each_in_step;
        CHECK(lg__string_is(row->in_step, each > 0 ? "app.Item" : ""));
        CHECK((row->place == made.growth.rows[1].place) == (each > 0));
        CHECK((strstr(row->fix, "close them") != NULL) == (each > 0));
        check_holder(&made, row,
                     each > 0 ? "app.items[*]"
                              : lg_native_kind_text(LG_NATIVE_MALLOC));
    }
    growing_forget(&made);
    return each;
}

// Native memory that gains as much for each new object probably belongs to it.
static void
native_growth_in_step(void)
{
    CHECK(bytes_in_step(50000, 50000) == 10000);
    CHECK(bytes_in_step(62000, 38000) == 10000);
    CHECK(bytes_in_step(63000, 37000) == 0);
}

// Where several things grow alike, chance decides which of them is named.
static void
native_growth_in_step_with_several(void)
{
    enum { BASE = 100000 };
    growing_heap heaps[3];
    lg_text text = {0};
    for (uint32_t i = 0; i < 3; i++)
        heaps[i] = (growing_heap){.items = 90 * (i + 1),
                                  .requests = 90 * (i + 1),
                                  .malloc = BASE + i * 400000};
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_growth_row *row = &made.growth.rows[0];
    REQUIRE(made.growth.count == 3 && row->verdict == LG_GROWTH_NATIVE);
    CHECK(row->rivals == 1);
    lg_growth_row_format(&made.growth, NULL, row, &text);
    CHECK(strstr(text.data, ", as 1 other type is: perhaps ") != NULL);
    lg_text_free(&text);
    growing_forget(&made);
    for (uint32_t i = 0; i < 3; i++)
        heaps[i].malloc = BASE + i * 180000;
    made = growing_compare(heaps, 3, NULL);
    CHECK(made.growth.count == 3); // no row takes it over
    growing_forget(&made);
}

// What gained less than the objects it is in step with is a part of their row.
static void
native_growth_joins_its_objects(void)
{
    enum { BASE = 100000, OBJECTS = 90 * (1008 + 8) };
    growing_heap heaps[3];
    for (uint32_t i = 0; i < 3; i++)
        heaps[i] = (growing_heap){.items = 90 * (i + 1),
                                  .malloc = BASE + i * (OBJECTS + 54000)};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_text text = {0};
    REQUIRE(made.growth.count == 1);
    CHECK(made.growth.rows[0].each_in_step == 600);
    CHECK(made.growth.rows[0].gained == made.growth.objects_gained + 108000);
    CHECK(made.growth.told_gained == made.growth.objects_gained);
    // The list itself has less than 100 bytes.
    CHECK(made.growth.rows[0].bytes[0] <
          (uint64_t)made.growth.objects_gained / 2 + 100);
    lg_growth_row_format(&made.growth, NULL, &made.growth.rows[0], &text);
    CHECK(strstr(text.data, "Item accumulates, each probably with 600 B of "
                            "native memory, 90 → "));
    lg_text_free(&text);
    growing_forget(&made);
    for (uint32_t i = 0; i < 3; i++)
        heaps[i].malloc = BASE + i * (OBJECTS + 91000);
    made = growing_compare(heaps, 3, NULL);
    CHECK(made.growth.count == 2 && !made.growth.rows[1].minor);
    CHECK(made.growth.rows[1].fix == NULL);
    growing_forget(&made);
    for (uint32_t i = 0; i < 3; i++)
        heaps[i].malloc = BASE + i * (OBJECTS + 20000000);
    made = growing_compare(heaps, 3, NULL);
    CHECK(made.growth.count == 2 && made.growth.rows[1].minor);
    growing_forget(&made);
}

static void
count_tensors(lg_summary *summary, uint32_t tensors)
{
    lg__tally tally = {.kind = LG_TALLY_TENSOR, .count = tensors};
    tally.name = lg__places_string(summary->places, (lg_string){"kept", 4});
    tally.detail = lg__places_string(summary->places, (lg_string){"", 0});
    REQUIRE(lg__summary_count(summary, tally, NULL, 0));
    lg__summary_join_tallies(summary);
}

static void
count_arrows(lg_summary *summary, uint32_t arrows)
{
    static const char array[] = "pyarrow.lib.StringArray";
    static const char buffer[] = "pyarrow.memory";
    uint32_t bytes = lg__summary_add_bytes(summary, NULL, 0);
    lg__type_sum sums[] = {
        {lg__places_string(summary->places,
                           (lg_string){array, sizeof array - 1}),
         bytes, arrows / 2},
        {lg__places_string(summary->places,
                           (lg_string){buffer, sizeof buffer - 1}),
         bytes, arrows - arrows / 2},
    };
    lg_allocator allocator = lg_allocator_default();
    lg__type_sum *to = lg__vector_extend(&allocator, &summary->types, 2);
    REQUIRE(to != NULL);
    memcpy(to, sums, sizeof sums);
    lg__summary_join_types(summary);
}

// Returns whether there is a row of native memory in snapshots with this many
// of what is counted.
static bool
is_native_beside(const growing_heap *heaps,
                 void (*add)(lg_summary *summary, uint32_t count),
                 const uint32_t *counts)
{
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth_free(&made.growth);
    for (uint32_t i = 0; i < 3; i++)
        add(made.summary[i], counts[i]);
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 3, NULL,
                           NULL, NULL, &made.growth, NULL) == LG_OK);
    bool found = false;
    for (size_t i = 0; i < made.growth.count; i++)
        found |= made.growth.rows[i].verdict == LG_GROWTH_NATIVE;
    growing_forget(&made);
    return found;
}

// What an allocator keeps besides tensors in a row is no growth of its own.
static void
tensors_explain_what_is_kept_beside_them(void)
{
    enum { BASE = 100000, EACH = 512 };
    const uint32_t more[] = {10, 510, 1010};
    const uint32_t fewer[] = {2000, 510, 1010};
    growing_heap heaps[3] = {{.malloc = BASE},
                             {.malloc = BASE + 500 * EACH},
                             {.malloc = BASE + 1000 * EACH}};
    CHECK(is_native_beside(heaps, count_tensors, more));
    heaps[2].malloc--;
    CHECK(!is_native_beside(heaps, count_tensors, more));
    CHECK(is_native_beside(heaps, count_tensors, fewer));
    const uint32_t many[] = {0, 8 << 10, 16 << 10};
    growing_heap mapped[3] = {{.rss = 8 << 20}, {.rss = 12 << 20}};
    mapped[2].rss = 16 << 20;
    CHECK(is_native_beside(mapped, count_tensors, many));
    mapped[2].rss--;
    CHECK(!is_native_beside(mapped, count_tensors, many));
}

static void
arrays_of_pyarrow_explain_what_is_kept_in_cpp(void)
{
    enum { BASE = 100000, EACH = 640 };
    const uint32_t more[] = {10, 510, 1010};
    growing_heap heaps[3] = {{.malloc = BASE},
                             {.malloc = BASE + 500 * EACH},
                             {.malloc = BASE + 1000 * EACH}};
    CHECK(is_native_beside(heaps, count_arrows, more));
    heaps[2].malloc--;
    CHECK(!is_native_beside(heaps, count_arrows, more));
}

// A library that takes its buffers once is no leak, even if it does so in the
// last interval, and pages are touched before and after.
static void
a_jump_is_no_native_growth(void)
{
    enum { MIB = 1 << 20 };
    const uint32_t late[] = {8, 9, 10, 11, 91}, leak[] = {8, 28, 49, 71, 91};
    growing_heap heaps[5] = {{0}};
    for (int leaks = 0; leaks < 2; leaks++) {
        for (int i = 0; i < 5; i++)
            heaps[i].rss = MIB * (leaks ? leak[i] : late[i]);
        growing_series made = growing_compare(heaps, 5, NULL);
        CHECK(made.growth.count == (size_t)leaks);
        growing_forget(&made);
    }
}

static void
stacks_and_mappings_have_rows(void)
{
    enum { KIB = 1024, MIB = 1024 * KIB };
    growing_heap heaps[3] = {{.stacks = 8 * KIB}, {.stacks = 40 * KIB}};
    heaps[2].stacks = 72 * KIB;
    check_native(heaps, LG_NATIVE_STACKS, 64 * KIB);
    heaps[2].stacks--;
    check_native(heaps, LG_NATIVE_STACKS, 0);
    growing_heap mapped[3] = {{.rss = 8 * MIB}, {.rss = 10 * MIB}};
    mapped[2].rss = 12 * MIB;
    check_native(mapped, LG_NATIVE_MAPPED, 4 * MIB);
    mapped[2].rss--;
    check_native(mapped, LG_NATIVE_MAPPED, 0);
    mapped[2].rss = 16 * MIB;
    check_native(mapped, LG_NATIVE_MAPPED, 8 * MIB);
    // Python tells nobody of its arenas while tracemalloc traces.
    mapped[2].traced = 1;
    check_native(mapped, LG_NATIVE_MAPPED, 0);
}

// Baselines contain it, so it never changes.
#define MALLOC_KEY UINT64_C(0x28acde8ceeed5915)

// A baseline knows a kind of native memory, however much there is of it.
static void
kinds_of_native_memory_have_keys(void)
{
    enum { KIB = 1024, BASE = 100000 };
    growing_heap heaps[3] = {{.malloc = BASE, .stacks = 8 * KIB},
                             {.malloc = BASE + 32 * KIB, .stacks = 40 * KIB},
                             {.malloc = BASE + 64 * KIB, .stacks = 72 * KIB}};
    lg_baseline *known = NULL;
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth *growth = &made.growth;
    REQUIRE(lg_baseline_load("/none/there", true, &known, NULL) == LG_OK);
    CHECK(growth->count == 2);
    CHECK(lg_baseline_add(known, LG_BASELINE_GROWTH, MALLOC_KEY,
                          (lg_string){"", 0}, NULL) == LG_OK);
    lg_growth_leave_out(growth, known);
    CHECK(growth->known == 1 && growth->count == 1);
    CHECK(growth->rows[0].native == LG_NATIVE_STACKS);
    CHECK(lg_growth_note(growth, known, NULL) == LG_OK);
    CHECK(lg_baseline_count(known) == 2);
    lg_growth_leave_out(growth, known);
    CHECK(growth->known == 2 && growth->count == 0);
    CHECK(lg_growth_kept(growth) == 0);
    lg_baseline_free(known);
    growing_forget(&made);
}

// What pymalloc has in use beyond small objects is a number of its own, and a
// row if it is much besides these.
static void
small_blocks_have_a_number(void)
{
    enum { KIB = 1024, BASE = 100000 };
    growing_heap heaps[3] = {{.pymalloc = BASE},
                             {.pymalloc = BASE + 32 * KIB},
                             {.pymalloc = BASE + 64 * KIB}};
    growing_series made = growing_compare(heaps, 3, NULL);
    CHECK(!made.growth.unexplained_known);
    CHECK(made.growth.unexplained_small_known);
    CHECK(made.growth.unexplained_small == 64 * KIB);
    CHECK(made.growth.unexplained == 64 * KIB);
    growing_forget(&made);
    check_native(heaps, LG_NATIVE_SMALL, 64 * KIB);
    heaps[2].pymalloc--;
    check_native(heaps, LG_NATIVE_SMALL, 0);
    // Besides small objects, growth counts from a fifth of theirs. A key of 50
    // bytes takes 64, and a value of 500 takes 512.
    for (uint32_t i = 0; i < 3; i++) {
        heaps[i].entries = 500 * i;
        heaps[i].pymalloc = BASE + 500 * i * (64 + 512) * 6 / 5;
        // malloc has the table, of 16 bytes for each entry.
        heaps[i].malloc = BASE + 500 * i * 17;
    }
    check_native(heaps, LG_NATIVE_SMALL, 1000 * (64 + 512) / 5);
    heaps[2].pymalloc--;
    check_native(heaps, LG_NATIVE_SMALL, 0);
}

// What one allocator has more and the other less is a part of objects that
// counts with the wrong one.
static void
a_fall_of_one_allocator_counts_with_the_other(void)
{
    enum { KIB = 1024, BASE = 1000000 };
    growing_heap heaps[3] = {{.malloc = BASE, .pymalloc = BASE},
                             {.malloc = BASE + 64 * KIB, .pymalloc = BASE},
                             {.malloc = BASE + 128 * KIB, .pymalloc = BASE}};
    check_native(heaps, LG_NATIVE_MALLOC, 128 * KIB);
    heaps[2].pymalloc = BASE - 64 * KIB;
    check_native(heaps, LG_NATIVE_MALLOC, 128 * KIB);
    heaps[2].pymalloc--;
    check_native(heaps, LG_NATIVE_MALLOC, 0);
    for (uint32_t i = 0; i < 3; i++) {
        heaps[i].malloc = BASE - 16 * KIB * i;
        heaps[i].pymalloc = BASE + 48 * KIB * i;
    }
    check_native(heaps, LG_NATIVE_SMALL, 96 * KIB);
    heaps[2].malloc--;
    check_native(heaps, LG_NATIVE_SMALL, 0);
}

// Objects that have items in blocks of their own may have both large and small.
static void
blocks_of_objects(void)
{
    static const struct {
        const char *type;
        uint64_t bytes, small, large;
    } cases[] = {
        {"app.Small", 33, 48, 0},
        {"app.Large", 513, 0, 513},
        {"app.Large", 512, 512, 0},
        {"list", 56, 64, 0},
        {"list", 56 + 512, 64 + 512, 0},
        {"list", 56 + 520, 64, 520},
        {"dict", 64 + 100, 64 + 112, 0},
        {"set", 216 + 600, 224, 600},
        {"frozenset", 217, 224 + 16, 0},
        {"frozendict", 72 + 600, 80, 600},
        {"collections.deque", 624, 96, 528},
        {"collections.deque", 760, 240, 528},
        {"numpy.ndarray", 96 + 16, 96, 16},
        {"numpy.ndarray", 96, 96, 0},
        {"torch.Tensor", 80 + 224, 80, 224},
        {"torch.nn.parameter.Parameter", 80 + 400, 80, 400},
        {"_thread.lock", 56 + 32, 64, 32},
        {"_thread.RLock", 64 + 32, 64, 32},
        {"_thread.RLock", 56, 64, 0},
        {"_queue.SimpleQueue", 72 + 32, 96, 16},
        {"_queue.SimpleQueue", 88, 96, 0},
        {"greenlet.greenlet", 56 + 4000, 64, 4000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_string type = {cases[i].type, (uint32_t)strlen(cases[i].type)};
        lg__blocks blocks = lg__blocks_of(cases[i].bytes, lg__parts_of(type));
        CHECK(lg__blocks_small(blocks) == cases[i].small);
        CHECK(lg__blocks_large(blocks) == cases[i].large);
    }
}

typedef struct held_blocks {
    uint32_t bytes;   // of each block
    uint32_t holders; // of each block
    bool in_use;      // malloc has more in use for each
    bool object;      // an object of Python holds the holders
    bool hidden;      // each is a hidden object of Python
} held_blocks;

// Adds stacks that point to ten blocks, twenty, thirty ...
static lg_graph *
blocks_of_stacks(const held_blocks *of, uint32_t snapshot)
{
    story made = story_begin();
    uint32_t holder[2];
    char text[24];
    const uint32_t blocks = 10 * (snapshot + 1);
    for (uint32_t i = 0; i < of->holders; i++) {
        holder[i] =
            story_add(&made, of->object ? "list" : "thread stacks", NULL, 64);
        lg_builder_add_root(made.builder, holder[i], LG_ROOT_NATIVE, "", 0);
    }
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t block = story_add(
            &made, of->hidden ? "hidden str" : "48-byte block of libx", NULL,
            of->bytes);
        for (uint32_t at = 0; at < of->holders; at++)
            story_edge(&made, holder[at], block, LG_EDGE_NATIVE, 0);
    }
    snprintf(text, sizeof text, "%u",
             (1u << 24) + (of->in_use ? blocks * of->bytes : 0));
    lg_builder_set_info(made.builder, "memory.malloc", text);
    return story_end(&made);
}

// Compares three graphs. Returns how many rows there are.
static size_t
rows_of(lg_graph *const graphs[3])
{
    growing_series made = growing_of_graphs(graphs, 3);
    size_t rows = made.growth.count;
    growing_forget(&made);
    return rows;
}

// Twenty blocks more of 4,096 bytes are 80 KiB, of 2,048 bytes 40 KiB.
static void
blocks_to_which_pointers_are_found_do_not_grow(void)
{
    static const struct {
        held_blocks of;
        size_t rows;
    } cases[] = {
        {{4096, 1, true, false, false}, 1}, {{4096, 1, false, false, false}, 0},
        {{4096, 2, true, false, false}, 1}, {{4096, 2, false, false, false}, 0},
        {{2048, 1, true, false, false}, 0}, {{2048, 2, true, false, false}, 0},
        {{4096, 1, false, true, false}, 1}, {{4096, 2, true, false, true}, 1},
        {{48, 1, true, false, true}, 0},    {{48, 2, true, false, true}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_graph *graphs[3];
        for (uint32_t at = 0; at < 3; at++)
            graphs[at] = blocks_of_stacks(&cases[i].of, at);
        CHECK(rows_of(graphs) == cases[i].rows);
    }
}

// Adds as many lost blocks as a snapshot finds, to which words of that worth
// lead.
static lg_graph *
lost_blocks(uint64_t blocks, const char *worth)
{
    enum { BYTES = 608 };
    story made = story_begin();
    char text[24];
    uint32_t lost = story_add(&made, "lost native memory", NULL, 0);
    uint32_t group = story_add(&made, "608-byte block", NULL, blocks * BYTES);
    lg_builder_add_root(made.builder, lost, LG_ROOT_NATIVE, "", 0);
    story_edge(&made, lost, group, LG_EDGE_NATIVE,
               lg_builder_intern(made.builder, worth, (uint32_t)strlen(worth)));
    snprintf(text, sizeof text, "%u", (uint32_t)(blocks * BYTES));
    lg_builder_set_info(made.builder, "memory.malloc", text);
    return story_end(&made);
}

// In each snapshot a word may be left over that leads to one of the blocks.
static void
lost_blocks_grow_whatever_words_are_left_over(void)
{
    static const char *const worth[][3] = {
        {"no pointer", "no pointer", "no pointer"},
        {"no pointer", "a lone word", "no pointer"},
        {"a lone word", "no pointer", "a lone word"},
    };
    for (size_t i = 0; i < sizeof worth / sizeof *worth; i++) {
        lg_graph *graphs[3];
        for (uint32_t at = 0; at < 3; at++)
            graphs[at] = lost_blocks(4000 * (at + 1), worth[i][at]);
        growing_series made = growing_of_graphs(graphs, 3);
        CHECK(made.growth.count == 1);
        CHECK(made.growth.rows[0].gained == 2 * 4000 * 608);
        growing_forget(&made);
    }
}

// Loses one more block of each of so many sizes, which begin with that.
static lg_graph *
lost_copies(uint32_t sizes, uint64_t smallest, uint32_t at)
{
    story made = story_begin();
    char name[STORY_TYPES][24];
    char blocks[24];
    made.flags = LG_NODE_SYNTHETIC | LG_NODE_NATIVE;
    uint32_t lost = story_add(&made, "lost native memory", NULL, 0);
    lg_builder_add_root(made.builder, lost, LG_ROOT_NATIVE, "", 0);
    snprintf(blocks, sizeof blocks, "%u", at + 1);
    for (uint32_t i = 0; i < sizes; i++) {
        uint64_t size = smallest - 16 * (uint64_t)i;
        snprintf(name[i], sizeof name[i], "%u-byte block", (uint32_t)size);
        uint32_t group = story_add(&made, name[i], NULL, (at + 1) * size);
        lg_builder_add_fact(made.builder, group, LG__FACT_BLOCKS, blocks,
                            strlen(blocks));
        story_edge(&made, lost, group, LG_EDGE_NATIVE,
                   lg_builder_intern(made.builder, "no pointer", 10));
    }
    return story_end(&made);
}

// What C code loses may have so many sizes that none of them is much.
static void
lost_blocks_of_many_sizes_are_one_row(void)
{
    enum { LEAST = 64 << 10, MOST_SIZES = 30 };
    static const struct {
        uint32_t sizes;
        uint32_t bytes; // of the largest
        size_t rows;
    } cases[] = {
        {2, LEAST, 2},
        {MOST_SIZES, 3000, 1},
        {MOST_SIZES, 1000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_graph *graphs[3];
        int64_t gained = 0;
        for (uint32_t at = 0; at < 3; at++)
            graphs[at] = lost_copies(cases[i].sizes, cases[i].bytes, at);
        for (uint32_t size = 0; size < cases[i].sizes; size++)
            gained += 2 * (int64_t)(cases[i].bytes - 16 * size);
        growing_series made = growing_of_graphs(graphs, 3);
        REQUIRE(made.growth.count == cases[i].rows);
        if (cases[i].rows == 1) {
            const lg_growth_row *row = made.growth.rows;
            CHECK(row->gained == gained);
            CHECK(row->types == MOST_SIZES);
            CHECK(row->counts[0] == MOST_SIZES);
            CHECK(row->counts[2] == 3 * MOST_SIZES);
            CHECK(lg__string_is(row->type, "3000-byte block"));
        }
        growing_forget(&made);
    }
}

// A process with some threads, and with as much in use of malloc.
static lg_graph *
calls_of_threads(uint32_t threads, uint32_t in_use, bool listed)
{
    story made = story_begin();
    char text[24];
    for (uint32_t i = 0; i < threads; i++)
        lg_builder_add_root(made.builder,
                            story_add(&made, "thread", "worker", 0),
                            LG_ROOT_THREAD, "worker", 6);
    snprintf(text, sizeof text, "%u", in_use);
    lg_builder_set_info(made.builder, "memory.malloc", text);
    if (listed)
        lg_builder_set_info(made.builder, LG__INFO_NATIVE, LG__INFO_INSPECTED);
    return story_end(&made);
}

// A call may have 64 KiB for a moment, once snapshots list the memory that
// somebody holds.
static void
calls_in_progress_have_memory(void)
{
    enum { BASE = 1 << 24, KIB = 1 << 10 };
    static const struct {
        uint32_t threads;
        uint32_t gained; // KiB, in each of two intervals
        bool listed;
        size_t rows;
    } cases[] = {
        {1, 32, true, 1},  {1, 31, true, 0},  {4, 127, true, 0},
        {4, 128, true, 1}, {4, 32, false, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_graph *graphs[3];
        for (uint32_t at = 0; at < 3; at++)
            graphs[at] = calls_of_threads(cases[i].threads,
                                          BASE + at * cases[i].gained * KIB,
                                          cases[i].listed);
        CHECK(rows_of(graphs) == cases[i].rows);
    }
}

SUITE(growth_native)
{
    RUN(blocks_to_which_pointers_are_found_do_not_grow);
    RUN(lost_blocks_grow_whatever_words_are_left_over);
    RUN(lost_blocks_of_many_sizes_are_one_row);
    RUN(calls_in_progress_have_memory);
    RUN(small_blocks_have_a_number);
    RUN(a_fall_of_one_allocator_counts_with_the_other);
    RUN(blocks_of_objects);
    RUN(native_growth_has_a_number);
    RUN(large_blocks_are_pages);
    RUN(what_malloc_rounds_up_is_no_growth);
    RUN(chance_words_are_no_growth);
    RUN(own_memory_is_left_out);
    RUN(memory_goes_with_garbage_that_waits);
    RUN(native_growth_has_rows);
    RUN(native_growth_is_more_than_what_comes_and_goes);
    RUN(code_has_a_row);
    RUN(native_growth_in_step);
    RUN(native_growth_in_step_with_several);
    RUN(native_growth_joins_its_objects);
    RUN(fragmentation_has_a_row);
    RUN(kinds_of_native_memory_have_keys);
    RUN(tensors_explain_what_is_kept_beside_them);
    RUN(arrays_of_pyarrow_explain_what_is_kept_in_cpp);
    RUN(a_jump_is_no_native_growth);
    RUN(stacks_and_mappings_have_rows);
    return test_result();
}
