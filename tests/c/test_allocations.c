// Which line allocated what, and who holds it.
#include "asked.h"
#include "test.h"
#include "wasted.h"

#include <leakgraph/internal/allocations.h>

#include <string.h>

#define MAKE "/srv/train.py:10"
#define FILL "/srv/train.py:20"
#define LIBRARY "/usr/lib/python3/json/decoder.py:7"

typedef struct asked {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_allocations all;
} asked;

static void
allocate(const heap *to, uint32_t node, const char *frames)
{
    lg_builder_add_fact(to->builder, node, "allocation", frames,
                        strlen(frames));
}

static asked
ask(heap *to, const lg_allocation_options *options)
{
    asked made = {.graph = wasted_graph(to)};
    made.analysis = analysed(made.graph);
    REQUIRE(lg_analysis_allocations(made.analysis, options, NULL, &made.all,
                                    NULL) == LG_OK);
    return made;
}

static void
end(asked *made)
{
    lg_allocations_free(&made->all);
    lg_analysis_free(made->analysis);
    lg_graph_free(made->graph);
}

static bool
says(const lg_allocation_row *row, const char *line, uint64_t count,
     uint64_t bytes, uint32_t depth)
{
    return row->line.length == strlen(line) &&
           memcmp(row->line.data, line, row->line.length) == 0 &&
           row->count == count && row->weight == bytes &&
           row->bytes[0] == bytes && row->depth == depth;
}

// A list that one line made, and items that another line, in a loop, made: two
// rows with the places of each.
static void
test_lines(void)
{
    heap to = wasted_begin();
    uint32_t list = wasted_list(&to, 10, 10, STR, 100);
    wasted_name(&to, "texts", list);
    allocate(&to, list, MAKE);
    for (uint32_t i = 1; i <= 10; i++)
        allocate(&to, list + i, LIBRARY " < " FILL " < " MAKE);
    asked got = ask(&to, NULL);
    CHECK(got.all.traced && got.all.count == 2 && got.all.total_rows == 2);
    CHECK(says(&got.all.rows[0], FILL, 10, 1000, 0));
    CHECK(says(&got.all.rows[1], MAKE, 1, WASTED_LIST + 80, 0));
    CHECK(got.all.rows[1].node == list);
    CHECK(got.all.bytes[0] == 1000 + WASTED_LIST + 80);
    end(&got);
}

static void
allocate_table(const heap *to, uint32_t node, const char *frames,
               const char *bytes)
{
    lg_builder_add_fact(to->builder, node, "table allocation", frames,
                        strlen(frames));
    lg_builder_add_fact(to->builder, node, "table bytes", bytes, strlen(bytes));
}

// The table of a list's items is of the line that let it grow, even if nobody
// knows where the list is from, and no part counts twice.
static void
test_table(void)
{
    static const struct {
        const char *list, *table, *bytes;
        uint64_t at_list, at_table;
    } cases[] = {
        {MAKE, FILL, "80", WASTED_LIST, 80},
        {NULL, FILL, "80", 0, 80},
        {MAKE, LIBRARY " < " MAKE, "80", WASTED_LIST + 80, 0},
        {NULL, FILL, "1000000", 0, WASTED_LIST + 80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        heap to = wasted_begin();
        uint32_t list = wasted_list(&to, 10, 10, STR, 100);
        wasted_name(&to, "texts", list);
        if (cases[i].list != NULL)
            allocate(&to, list, cases[i].list);
        allocate_table(&to, list, cases[i].table, cases[i].bytes);
        asked got = ask(&to, NULL);
        size_t rows = cases[i].at_list > 0 && cases[i].at_table > 0 ? 2 : 1;
        CHECK(got.all.traced && got.all.count == rows);
        CHECK(got.all.bytes[0] == cases[i].at_list + cases[i].at_table);
        for (size_t row = 0; row < got.all.count; row++) {
            bool table = got.all.rows[row].line.data[14] == '2';
            CHECK(says(&got.all.rows[row], table ? FILL : MAKE, 1,
                       table ? cases[i].at_table : cases[i].at_list, 0));
            CHECK(got.all.rows[row].node == list);
        }
        end(&got);
    }
}

// What one line has put into each other is held by what holds the first.
static void
test_one_line_for_all(void)
{
    heap to = wasted_begin();
    uint32_t list = wasted_list(&to, 10, 10, STR, 100);
    wasted_name(&to, "texts", list);
    for (uint32_t i = 0; i <= 10; i++)
        allocate(&to, list + i, MAKE);
    asked got = ask(&to, NULL);
    CHECK(got.all.count == 1 && got.all.rows[0].node == list);
    CHECK(says(&got.all.rows[0], MAKE, 11, 1000 + WASTED_LIST + 80, 0));
    end(&got);
}

// A library's line stands if no frame is of the program; code that a library
// made is no program's, and what was typed is.
static void
test_whose_line(void)
{
    static const struct {
        const char *frames;
        const char *line;
    } cases[] = {
        {LIBRARY " < " LIBRARY "9", LIBRARY},
        {"<attrs generated init>:3 < " LIBRARY " < " MAKE, MAKE},
        {LIBRARY " < <stdin>:1", "<stdin>:1"},
        {"<ipython-input-3-af>:2 < " MAKE, "<ipython-input-3-af>:2"},
        {"user_metadata 'step 3' < " LIBRARY " < " FILL, FILL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        heap to = wasted_begin();
        uint32_t text = wasted_str(&to, "text");
        wasted_name(&to, "text", text);
        allocate(&to, text, cases[i].frames);
        asked got = ask(&to, NULL);
        CHECK(got.all.count == 1);
        CHECK(says(&got.all.rows[0], cases[i].line, 1, 50, 0));
        end(&got);
    }
}

// A buffer without frames has those of the array that refers to it.
static void
test_buffer(void)
{
    heap to = wasted_begin();
    uint32_t array = wasted_add(&to, NDARRAY, 112);
    lg_span span = {.holder = array,
                    .address = 1 << 20,
                    .length = 8000,
                    .type = NDARRAY,
                    .label = wasted_intern(&to, "data"),
                    .flags = LG_SPAN_OWNER};
    lg_builder_add_span(to.builder, &span);
    wasted_name(&to, "array", array);
    allocate(&to, array, MAKE);
    asked got = ask(&to, NULL);
    CHECK(got.all.count == 1 && says(&got.all.rows[0], MAKE, 2, 8112, 0));
    end(&got);
}

// A line whose texts `holders` lists hold; the last list holds a big one.
static asked
ask_holders(uint32_t holders, uint64_t big, lg_allocation_order by)
{
    static const char *const names[] = {"a", "b", "c", "d", "e",
                                        "f", "g", "h", "i", "j"};
    lg_allocation_options options = LG_ALLOCATION_OPTIONS_INIT;
    heap to = wasted_begin();
    for (uint32_t i = 0; i < holders; i++) {
        uint64_t size = i + 1 == holders ? big : 100 + i;
        uint32_t list = wasted_list(&to, 1, 1, STR, size);
        wasted_name(&to, names[i], list);
        allocate(&to, list + 1, MAKE);
    }
    options.by = by;
    return ask(&to, &options);
}

static void
test_parts(void)
{
    asked got = ask_holders(3, 100 * 203, LG_ALLOCATIONS_BY_LINE);
    CHECK(got.all.count == 3 && got.all.total_rows == 1);
    CHECK(says(&got.all.rows[0], MAKE, 3, 20501, 0));
    CHECK(got.all.rows[0].node == LG_NONE && got.all.rows[0].others == 3);
    CHECK(says(&got.all.rows[1], MAKE, 1, 20300, 1));
    CHECK(says(&got.all.rows[2], MAKE, 2, 201, 1));
    CHECK(got.all.rows[2].node == LG_NONE && got.all.rows[2].others == 2);
    end(&got);
    // A single small part has its name.
    got = ask_holders(2, 100 * 203, LG_ALLOCATIONS_BY_LINE);
    CHECK(got.all.count == 3 && got.all.rows[2].node != LG_NONE);
    end(&got);
    // No more than eight parts have names.
    got = ask_holders(10, 100, LG_ALLOCATIONS_BY_LINE);
    CHECK(got.all.count == 10 && got.all.rows[9].others == 2);
    CHECK(got.all.rows[8].others == 0 && got.all.rows[8].depth == 1);
    end(&got);
    got = ask_holders(3, 500, LG_ALLOCATIONS_BY_HOLDER);
    CHECK(got.all.count == 3 && got.all.total_rows == 3);
    CHECK(says(&got.all.rows[0], MAKE, 1, 500, 0));
    end(&got);
}

static void
test_words(void)
{
    asked got = ask_holders(2, 600, LG_ALLOCATIONS_BY_LINE);
    lg_text text = {0};
    CHECK(question_report("allocations", got.graph, got.analysis, "limit=5",
                          LG_FORMAT_TEXT, &text) == LG_OK);
    CHECK(strstr(text.data, MAKE "          2 holders\n"));
    CHECK(strstr(text.data, "app.b[0]\n"));
    CHECK(strstr(text.data, "\nThe lines are known of 700 B.\n"));
    text.length = 0;
    CHECK(question_report("allocations", got.graph, got.analysis,
                          "by=holder limit=1", LG_FORMAT_TEXT, &text) == LG_OK);
    CHECK(strstr(text.data, "... and 1 more holder: 100 B\n"));
    lg_text_free(&text);
    end(&got);
}

// People see the first three rows, and those with a thousandth of all: one line
// adds up the others, unless somebody says how many rows to show.
static void
test_little_lines(void)
{
    for (uint64_t lack = 0; lack < 2; lack++) {
        heap to = wasted_begin();
        for (uint32_t i = 0; i < 4; i++) {
            char line[] = "/srv/train.py:1";
            uint64_t size = i == 0 ? 997000 : 1000 - (i == 3 ? 2 * lack : 0);
            uint32_t list = wasted_list(&to, 1, 1, STR, size);
            line[sizeof line - 2] = (char)('1' + i);
            wasted_name(&to, line + 11, list);
            allocate(&to, list + 1, line);
        }
        asked got = ask(&to, NULL);
        lg_text text = {0};
        CHECK(question_report("allocations", got.graph, got.analysis, NULL,
                              LG_FORMAT_TEXT, &text) == LG_OK);
        CHECK(!strstr(text.data, ".py:4") == (lack > 0));
        CHECK(!strstr(text.data, "... and 1 more line: 998 B\n") ==
              (lack == 0));
        text.length = 0;
        CHECK(question_report("allocations", got.graph, got.analysis, "limit=4",
                              LG_FORMAT_TEXT, &text) == LG_OK);
        CHECK(strstr(text.data, ".py:4") && !strstr(text.data, "more line"));
        lg_text_free(&text);
        end(&got);
    }
}

// Parts with less than a thousandth of all are one row, but for the first.
static void
test_little_parts(void)
{
    heap to = wasted_begin();
    static const char *const names[] = {"a", "b", "c", "d"};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t list = wasted_list(&to, 1, 1, STR, i == 0 ? 999900 : 100 - i);
        wasted_name(&to, names[i], list);
        allocate(&to, list + 1, i == 0 ? FILL : MAKE);
    }
    asked got = ask(&to, NULL);
    REQUIRE(got.all.count == 4);
    CHECK(says(&got.all.rows[1], MAKE, 3, 294, 0));
    CHECK(says(&got.all.rows[2], MAKE, 1, 99, 1));
    CHECK(says(&got.all.rows[3], MAKE, 2, 195, 1));
    CHECK(got.all.rows[3].others == 2);
    end(&got);
}

static void
test_no_lines(void)
{
    lg_text text = {0};
    heap to = wasted_begin();
    asked got = ask(&to, NULL);
    CHECK(!got.all.traced && got.all.count == 0);
    CHECK(!lg_graph_has_allocations(got.graph));
    CHECK(question_report("allocations", got.graph, got.analysis, NULL,
                          LG_FORMAT_TEXT, &text) == LG_OK);
    CHECK(strncmp(text.data, "The snapshot knows no lines: ", 29) == 0);
    lg_text_free(&text);
    end(&got);
}

static void
test_frames(void)
{
    lg_string frames = {"a.py:1 < b.py:2 <", 17};
    lg_string first = lg_allocation_frame(&frames);
    lg_string last = lg_allocation_frame(&frames);
    CHECK(first.length == 6 && memcmp(first.data, "a.py:1", 6) == 0);
    CHECK(last.length == 8 && memcmp(last.data, "b.py:2 <", 8) == 0);
    CHECK(frames.length == 0 && lg_allocation_frame(&frames).length == 0);
}

SUITE(allocations)
{
    RUN(test_lines);
    RUN(test_table);
    RUN(test_one_line_for_all);
    RUN(test_whose_line);
    RUN(test_buffer);
    RUN(test_parts);
    RUN(test_words);
    RUN(test_little_lines);
    RUN(test_little_parts);
    RUN(test_no_lines);
    RUN(test_frames);
    return test_result();
}
