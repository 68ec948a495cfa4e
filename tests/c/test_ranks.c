// The processes of a job: where they differ, and what all of them have.
#include "growing.h"
#include "test.h"

#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/report.h>

#include <stdlib.h>

// One of four ranks holds more items, and one has a bigger blob; all have a
// table.
static const growing_heap usual = {.items = 20, .entries = 300, .blob = 1000};

static growing_series
compare(const growing_heap *heaps, uint32_t count, uint64_t min_bytes,
        lg_ranks *out)
{
    growing_series made = growing_compare(heaps, count, NULL);
    lg_ranks_options options = LG_RANKS_OPTIONS_INIT;
    options.min_bytes = min_bytes;
    REQUIRE(!lg_ranks_find((const lg_summary *const *)made.summary, count,
                           &options, out, NULL));
    return made;
}

static const lg_rank_row *
row_of(const lg_ranks *ranks, const lg_rank_row *rows, size_t count,
       const char *where)
{
    for (size_t i = 0; i < count; i++) {
        lg_text text = {0};
        lg_place_format(ranks->places, rows[i].place, &text);
        bool same = strcmp(text.data, where) == 0;
        lg_text_free(&text);
        if (same)
            return &rows[i];
    }
    return NULL;
}

static void
test_outliers(void)
{
    growing_heap heaps[4] = {usual, usual, usual, usual};
    lg_ranks ranks;
    heaps[1].items = 220;
    heaps[3].blob = 90000;
    growing_series made = compare(heaps, 4, 4096, &ranks);
    CHECK(ranks.count == 4 && ranks.devices == 0);
    CHECK(ranks.row_count == 2);
    const lg_rank_row *items =
        row_of(&ranks, ranks.rows, ranks.row_count, "app.items");
    const lg_rank_row *blob =
        row_of(&ranks, ranks.rows, ranks.row_count, "app.blob");
    REQUIRE(items && blob);
    CHECK(items->outlier == 1 && items->others == 0);
    CHECK(items->apart == (int64_t)(items->bytes[1] - items->bytes[0]));
    CHECK(items->usual == items->bytes[0] &&
          items->bytes[0] == items->bytes[2]);
    CHECK(blob->outlier == 3 && blob->apart == 89000);
    CHECK(llabs(ranks.rows[0].apart) >= llabs(ranks.rows[1].apart));
    CHECK(row_of(&ranks, ranks.repeated, ranks.repeated_count, "app.table"));
    CHECK(!row_of(&ranks, ranks.repeated, ranks.repeated_count, "app.items"));
    lg_ranks_free(&ranks);
    growing_forget(&made);
}

// Rank 2 has more of what a row below reports, which is not the module's.
static void
test_rest(void)
{
    growing_heap heaps[4] = {usual, usual, usual, usual};
    lg_ranks ranks;
    heaps[1].module = 50000;
    heaps[2].items = 220;
    growing_series made = compare(heaps, 4, 4096, &ranks);
    const lg_rank_row *app = row_of(&ranks, ranks.rows, ranks.row_count, "app");
    REQUIRE(ranks.row_count == 2 && app);
    CHECK(app->outlier == 1 && app->others == 0);
    CHECK(app->apart == 50000);
    lg_ranks_free(&ranks);
    growing_forget(&made);
}

// What only one rank lacks has a minus; the sums above it have none.
static void
test_less(void)
{
    growing_heap heaps[3] = {usual, usual, usual};
    lg_ranks ranks;
    heaps[0].entries = 0;
    growing_series made = compare(heaps, 3, 4096, &ranks);
    REQUIRE(ranks.row_count == 1);
    CHECK(ranks.rows[0].outlier == 0 && ranks.rows[0].apart < 0);
    CHECK(row_of(&ranks, ranks.rows, 1, "app.table") != NULL);
    lg_ranks_free(&ranks);
    growing_forget(&made);
}

static void
test_alike(void)
{
    const growing_heap heaps[3] = {usual, usual, usual};
    lg_ranks ranks;
    lg_text text = {0};
    growing_series made = compare(heaps, 3, 4096, &ranks);
    CHECK(ranks.row_count == 0 && ranks.repeated_count > 0);
    CHECK(ranks.native_outlier == LG_NONE && ranks.native_usual == -1);
    REQUIRE(!lg_report_ranks(&ranks, 20, LG_FORMAT_TEXT, &text, NULL));
    CHECK(strstr(text.data, "No place differs by 4.00 KiB or more.") != NULL);
    CHECK(row_of(&ranks, ranks.repeated, ranks.repeated_count, "app.table"));
    // Its entries are not told once more.
    CHECK(
        !row_of(&ranks, ranks.repeated, ranks.repeated_count, "app.table[*]"));
    CHECK(strstr(text.data, "app.table") != NULL);
    lg_text_free(&text);
    lg_ranks_free(&ranks);
    growing_forget(&made);
}

// Numbers of bytes that differ by a tenth of the biggest are alike.
static void
test_nearly_alike(void)
{
    for (uint32_t less = 0; less < 2; less++) {
        growing_heap heaps[3] = {usual, usual, usual};
        lg_ranks ranks;
        for (int i = 0; i < 3; i++)
            heaps[i].blob = 1000000;
        heaps[1].blob = 900000 - less;
        growing_series made = compare(heaps, 3, 200000, &ranks);
        const lg_rank_row *blob =
            row_of(&ranks, ranks.repeated, ranks.repeated_count, "app.blob");
        CHECK((blob != NULL) == !less);
        lg_ranks_free(&ranks);
        growing_forget(&made);
    }
}

// Of two ranks that differ, the row names the one that is further apart.
static void
test_the_furthest(void)
{
    growing_heap heaps[4] = {usual, usual, usual, usual};
    lg_ranks ranks;
    heaps[1].blob = 50000;
    heaps[3].blob = 90000;
    growing_series made = compare(heaps, 4, 4096, &ranks);
    REQUIRE(ranks.row_count == 1);
    CHECK(ranks.rows[0].outlier == 3 && ranks.rows[0].apart == 89000);
    CHECK(ranks.rows[0].others == 1);
    lg_ranks_free(&ranks);
    growing_forget(&made);
}

static void
test_native(void)
{
    growing_heap heaps[3] = {usual, usual, usual};
    lg_ranks ranks;
    lg_text text = {0};
    for (int i = 0; i < 3; i++)
        heaps[i].malloc = i == 2 ? 9000000 : 1000000;
    growing_series made = compare(heaps, 3, 4096, &ranks);
    CHECK(ranks.native_outlier == 2);
    REQUIRE(!lg_report_ranks(&ranks, 20, LG_FORMAT_TEXT, &text, NULL));
    CHECK(strstr(text.data, "Rank 2 has 7.63 MiB more malloc memory than "
                            "usual that no object explains.\n") != NULL);
    lg_text_free(&text);
    lg_ranks_free(&ranks);
    growing_forget(&made);
}

// No two names are equal: workers have the number of the rank that started
// them, processes on two machines can have the same number, and a rank can have
// the number that is another one's index.
static void
test_names(void)
{
    growing_heap heaps[7] = {
        {.rank = 1, .pid = 70},
        {.rank = 1, .pid = 71},
        {.rank = 2, .pid = 72},
        {.rank = 3, .pid = 73},
        {.rank = 3, .pid = 73},
        {.pid = 74},
        {.rank = 6},
    };
    static const char *const names[] = {"0 (pid 70)",
                                        "0 (pid 71)",
                                        "1",
                                        "2 (pid 73) (snapshot 3)",
                                        "2 (pid 73) (snapshot 4)",
                                        "5 (pid 74)",
                                        "5"};
    lg_ranks ranks;
    growing_series made = compare(heaps, 7, 4096, &ranks);
    for (uint32_t i = 0; i < 7; i++) {
        lg_string name = ranks.ranks[i].name;
        CHECK(name.length == strlen(names[i]) &&
              memcmp(name.data, names[i], name.length) == 0);
    }
    lg_ranks_free(&ranks);
    growing_forget(&made);
}

// Several ranks are apart; the usual is the lower one of two.
static void
test_two(void)
{
    growing_heap heaps[2] = {usual, usual};
    lg_ranks ranks;
    lg_error error;
    heaps[0].items = 500;
    growing_series made = compare(heaps, 2, 4096, &ranks);
    REQUIRE(ranks.row_count == 1);
    CHECK(ranks.rows[0].outlier == 0 && ranks.rows[0].apart > 0);
    lg_ranks_free(&ranks);
    CHECK(lg_ranks_find((const lg_summary *const *)made.summary, 1, NULL,
                        &ranks, &error) == LG_EINVAL);
    growing_forget(&made);
}

static void
test_environment(void)
{
    unsetenv("RANK");
    unsetenv("SLURM_PROCID");
    CHECK(lg_process_rank() == NULL);
    setenv("RANK", "7", 1);
    CHECK(lg_process_rank() == NULL);
    setenv("SLURM_PROCID", "3", 1);
    CHECK(strcmp(lg_process_rank(), "3") == 0);
    setenv("WORLD_SIZE", "8", 1);
    CHECK(strcmp(lg_process_rank(), "7") == 0);
    setenv("RANK", "first", 1);
    CHECK(strcmp(lg_process_rank(), "3") == 0);
    unsetenv("RANK");
    unsetenv("WORLD_SIZE");
    unsetenv("SLURM_PROCID");
}

SUITE(ranks)
{
    RUN(test_outliers);
    RUN(test_rest);
    RUN(test_less);
    RUN(test_alike);
    RUN(test_nearly_alike);
    RUN(test_native);
    RUN(test_two);
    RUN(test_names);
    RUN(test_environment);
    RUN(test_the_furthest);
    return test_result();
}
