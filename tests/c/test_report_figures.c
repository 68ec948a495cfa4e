// The report on figures as text, JSON and HTML.
#include "asked.h"
#include "drawn.h"
#include "figure_heap.h"
#include "test.h"

#include <leakgraph/internal/writing.h>

static void
expect(const figure_heap *built, size_t limit, lg_format format,
       const char *expected)
{
    lg_text text = {0};
    REQUIRE(question_report("figures", built->graph, built->analysis,
                            limit == 1   ? "limit=1"
                            : limit == 2 ? "limit=2"
                                         : "limit=all",
                            format, &text) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

#define HEAD                                                                   \
    "    retained     canvas  number       size  axes  artists  state   held " \
    "by\n"
#define TAIL                                                                   \
    "\n"                                                                       \
    "8 figures: 2 open in pyplot, 4 closed, 1 not pyplot's, 1 garbage; "       \
    "together 12.7 MiB, of which 4.69 MiB is canvas\n"                         \
    "A figure that pyplot knows lives until plt.close(figure); "               \
    "matplotlib.figure.Figure() makes one that goes with its last "            \
    "reference.\n"
#define ROW_2                                                                  \
    "    2.17 MiB   1.17 MiB       2    640x480     2    1,234  open    "      \
    "pyplot's registry; train.keep\n"
#define ROW_4                                                                  \
    "    2.17 MiB   1.17 MiB       4    640x480     2    1,234  closed  "      \
    "animation train.movie._fig\n"

static void
report(void)
{
    figure_heap built = figure_heap_make();
    expect(&built, 0, LG_FORMAT_TEXT,
           HEAD ROW_2 ROW_4
           "    2.17 MiB   1.17 MiB       6    640x480     2    1,234  closed  "
           "nobody: garbage that the collector has yet to free\n"
           "    2.17 MiB   1.17 MiB            640x480     2    1,234          "
           "train.own\n"
           "    1.00 MiB  not drawn       1    640x480     2    1,234  open    "
           "pyplot's registry\n"
           "    1.00 MiB  not drawn       3    640x480     2    1,234  closed  "
           "train.lines[0]\n"
           "    1.00 MiB  not drawn       5    640x480     2    1,234  closed  "
           "callback train.hook.figure\n"
           "    1.00 MiB  not drawn       7    640x480     2    1,234  closed  "
           "native code: Figure 7 (2 references leakgraph cannot see)\n" TAIL);
    expect(&built, 2, LG_FORMAT_TEXT,
           HEAD ROW_2 ROW_4 "         ... and 6 more figures\n" TAIL);
    expect(&built, 1, LG_FORMAT_JSON,
           "{\"figures\": 8, \"open\": 2, \"closed\": 4, \"own\": 1, "
           "\"garbage\": 1, \"canvas\": 4915200, \"retained\": {\"host\": "
           "13306908}, \"findings\": [], \"rows\": [\n"
           "  {\"retained\": {\"host\": 2277776}, \"canvas\": 1228800, "
           "\"number\": 2, \"axes\": 2, \"artists\": 1234, \"node\": 14, "
           "\"type\": \"matplotlib.figure.Figure\", \"title\": \"Figure 2\", "
           "\"width\": 640, \"height\": 480, \"closed\": false, "
           "\"reachable\": true, \"held_by\": \"pyplot's registry; "
           "train.keep\", \"holders\": [{\"kind\": \"pyplot\", \"held_by\": "
           "null}, {\"kind\": \"variable\", \"held_by\": \"train.keep\"}], "
           "\"more_holders\": 0}\n"
           "]}\n");
    figure_heap_free(&built);
}

// Writes the text of the cells of an HTML table, with `|` before each cell.
static void
strip_tags(const lg_text *html, lg_text *out)
{
    bool text = true;
    for (size_t i = 0; i < html->length; i++) {
        if (html->data[i] == '<')
            lg_text_add(out, strncmp(html->data + i, "<td", 3) ? "" : "|");
        text = html->data[i] == '>' || (text && html->data[i] != '<');
        if (text && html->data[i] != '>')
            lg_text_add_bytes(out, html->data + i, 1);
    }
}

static void
html(void)
{
    static const char *const rows[] = {
        "|1|640x480|2|1,234|open|",   "|2|640x480|2|1,234|open|",
        "|3|640x480|2|1,234|closed|", "|4|640x480|2|1,234|closed|",
        "|5|640x480|2|1,234|closed|", "|6|640x480|2|1,234|closed|",
        "|7|640x480|2|1,234|closed|", "||640x480|2|1,234||train.own",
    };
    figure_heap built = figure_heap_make();
    lg_table *table;
    lg_text whole = {0};
    lg_text text = {0};
    REQUIRE(question_table("figures", built.graph, built.analysis, "limit=all",
                           &table, NULL) == LG_OK);
    REQUIRE(lg_table_html(table, 0, &whole, NULL) == LG_OK);
    strip_tags(&whole, &text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(text.data, rows[i]) == NULL)
            CHECK_TEXT(text, rows[i]);
    CHECK(strstr(text.data, "8 figures: 2 open in pyplot, 4 closed, ") != NULL);
    lg_text_free(&text);
    lg_text_free(&whole);
    lg_table_free(table);
    figure_heap_free(&built);
}

static void
none(void)
{
    figure_heap built;
    story made = story_begin();
    story_module(&made, "train");
    built.graph = story_end(&made);
    built.analysis = analysed(built.graph);
    expect(&built, 0, LG_FORMAT_TEXT, "There is no figure of matplotlib.\n");
    expect(&built, 0, LG_FORMAT_JSON,
           "{\"figures\": 0, \"open\": 0, \"closed\": 0, \"own\": 0, "
           "\"garbage\": 0, \"canvas\": 0, \"retained\": {\"host\": 0"
           "}, \"findings\": [], \"rows\": []}\n");
    figure_heap_free(&built);
}

SUITE(report_figures)
{
    RUN(report);
    RUN(html);
    RUN(none);
    return test_result();
}
