// What a comparison writes below its rows.
#include "growing.h"
#include "growth/growth_private.h"
#include "test.h"

#include <leakgraph/report.h>

#include <string.h>

static bool
says(const growing_series *made, const char *expected)
{
    lg_text text = {0};
    REQUIRE(lg_report_growth(&made->growth, NULL, 0, LG_FORMAT_TEXT, &text,
                             NULL) == LG_OK);
    bool found = strstr(text.data, expected) != NULL;
    lg_text_free(&text);
    return found;
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
    CHECK(says(&made, "growth that no object explains: +0 B\n"));
    growing_forget(&made);
    for (uint32_t i = 0; i < 2; i++)
        heaps[i].pymalloc = 100000 + 2048 * i;
    made = growing_compare(heaps, 2, NULL);
    CHECK(says(&made, "growth that no object explains: +2.00 KiB (malloc +0 B, "
                      "small blocks of Python +2.00 KiB)\n"));
    growing_forget(&made);
}

static void
count(lg_summary *summary, lg_tally_kind kind, uint32_t many)
{
    lg__tally tally = {.kind = kind, .count = many, .key = kind};
    tally.name = lg__places_string(summary->places, (lg_string){"some", 4});
    tally.detail = lg__places_string(summary->places, (lg_string){"", 0});
    REQUIRE(lg__summary_count(summary, tally));
}

static void
tallies_are_named_by_their_kind(void)
{
    const growing_heap heaps[] = {{.malloc = 6000}, {.malloc = 6000}};
    growing_series made = growing_compare(heaps, 2, NULL);
    lg_growth_free(&made.growth);
    for (uint32_t i = 0; i < 2; i++) {
        count(made.summary[i], LG_TALLY_TENSOR, 2 + i);
        count(made.summary[i], LG_TALLY_THREAD, 5 + i);
        count(made.summary[i], LG_TALLY_CYCLE, 7 + i);
        lg__tallies_join(&made.summary[i]->tallies);
    }
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 2, NULL,
                           NULL, NULL, &made.growth, NULL) == LG_OK);
    CHECK(says(&made, "2 → 3           some tensors\n"));
    CHECK(says(&made, "5 → 6           threads some\n"));
    CHECK(says(&made, "7 → 8           cycle some\n"));
    growing_forget(&made);
}

SUITE(report_growth)
{
    RUN(accounts_that_gained_are_named);
    RUN(tallies_are_named_by_their_kind);
    return test_result();
}
