// Text in the columns of a terminal: prose wraps below its beginning, long
// words lose their middle, tables become narrower, and nothing is wider than
// asked.
#include "asked.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/layout.h>

#include "table/table_private.h"

#include <string.h>

static void
expect(const char *text, unsigned columns, const char *expected)
{
    lg_text out = {0};
    lg_layout_fit(text, strlen(text), columns, &out);
    CHECK_TEXT(out, expected);
    lg_text_free(&out);
}

static void
prose(void)
{
    expect("short\n\nlines stay  as they are\n", 30,
           "short\n\nlines stay  as they are\n");
    expect("A line without a column wraps to where it began.\n", 30,
           "A line without a column wraps\nto where it began.\n");
    expect("  cause  A container keeps losses with their graphs.\n", 40,
           "  cause  A container keeps losses with\n"
           "         their graphs.\n");
    expect("  cause  A container keeps losses.\n", 33,
           "  cause  A container keeps\n"
           "         losses.\n");
    expect("  cause  A container keeps losses.\n", 32,
           "  cause  A container keeps\n"
           "    losses.\n");
    expect("  An indented line goes on a little further.\n", 30,
           "  An indented line goes on a\n    little further.\n");
    // A column that leaves less than 24 columns is no place to wrap to.
    expect("  a long first column  and a second one that wraps\n", 40,
           "  a long first column  and a second one\n    that wraps\n");
}

static void
words(void)
{
    expect("  held by  __main__.trainer.metrics.history[*].grad_fn.saved\n", 40,
           "  held by  __main__.train….grad_fn.saved\n");
    expect("see __main__.trainer.metrics.history[*].grad_fn.saved\n", 40,
           "see __main__.trainer.…y[*].grad_fn.saved\n");
    // A size and its unit are one word, and so are a name and its key.
    expect("so many words that it retains +1.5 MiB in all\n", 36,
           "so many words that it retains\n+1.5 MiB in all\n");
    expect("held by the cache app.users['a key'] of requests\n", 32,
           "held by the cache\napp.users['a key'] of requests\n");
    expect("held by the cache app.users['a of requests\n", 32,
           "held by the cache app.users['a\nof requests\n");
    // The first line is full when the long word comes.
    expect("this first line is full of words "
           "__main__.trainer.metrics.history[*].grad_fn\n",
           32,
           "this first line is full of words\n"
           "__main__.traine…story[*].grad_fn\n");
    expect("see 訓練訓練訓練訓練訓練訓練訓練訓練訓練訓練\n", 30,
           "see 訓練訓練訓練…訓練訓練訓練\n");
}

// A line of a tree goes on beside the branches that lead downward.
static void
branches(void)
{
    expect("├─ .model  Sequential of several layers\n"
           "│  └─ [0]  Linear\n",
           36,
           "├─ .model  Sequential of several\n"
           "│          layers\n"
           "│  └─ [0]  Linear\n");
    expect("│  └─ .model Sequential of several layers\n", 36,
           "│  └─ .model Sequential of several\n"
           "│       layers\n");
    // Where so many branches leave no room, the text begins at the left.
    expect("│                            └─ .model Sequential\n", 40,
           ".model Sequential\n");
}

// What underlines a part of a line wraps with it.
static void
underlines(void)
{
    expect("a.b -> a.trainer.losses -> a.trainer.model -> a.b\n"
           "                           ~~~~~~~~~~~~~~~\n",
           30,
           "a.b -> a.trainer.losses ->\n"
           "a.trainer.model -> a.b\n"
           "~~~~~~~~~~~~~~~\n");
}

static void
tables(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "application.services.訓練");
    uint32_t holder = story_add(&made, "app.Holder", NULL, 100);
    story_attribute(&made, module, "a_rather_long_name_of_an_attribute",
                    holder);
    for (uint32_t i = 0; i < 3; i++)
        story_attribute(
            &made, holder, i ? "another_long_attribute" : "short",
            story_add(&made, "app.ATypeWhoseNameIsLong", NULL, 4000));
    uint32_t json = story_module(&made, "json");
    story_attribute(&made, json, "table", story_add(&made, "dict", NULL, 9000));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    static const char *const expected[] = {
        "    retained    share  object             held by\n"
        "    11.8 KiB   57.0 %  Holder #1          applicat…attribute\n"
        "    3.91 KiB   18.8 %    ATypeWh…meIsLong   .short\n"
        "                         #2\n"
        "    3.91 KiB   18.8 %    ATypeWh…meIsLong   .anothe…ttribute\n"
        "                         #3\n"
        "    3.91 KiB   18.8 %    ATypeWh…meIsLong   .anothe…ttribute\n"
        "                         #4\n"
        "    8.79 KiB   42.4 %  what libraries keep for themselves:\n"
        "                       json\n"
        "       144 B    0.7 %  everything else\n"
        "\n"
        "each byte counted once; total 20.7 KiB\n",
        "    retained    share  object                             held by\n"
        "    11.8 KiB   57.0 %  Holder #1                          "
        "application.services.訓練.a_rather_long_name_of_an_attribute\n"
        "    3.91 KiB   18.8 %    ATypeWhoseNameIsLong #2            .short\n"
        "    3.91 KiB   18.8 %    ATypeWhoseNameIsLong #3            "
        ".another_long_attribute\n"
        "    3.91 KiB   18.8 %    ATypeWhoseNameIsLong #4            "
        ".another_long_attribute\n"
        "    8.79 KiB   42.4 %  what libraries keep for themselves: json\n"
        "       144 B    0.7 %  everything else\n"
        "\n"
        "each byte counted once; total 20.7 KiB\n"};
    for (unsigned i = 0; i < 2; i++) {
        lg_text text = {0};
        lg_layout_set_columns(i ? 120 : 60);
        REQUIRE(question_report("top", graph, analysis, NULL, LG_FORMAT_TEXT,
                                &text) == LG_OK);
        lg_layout_set_columns(0);
        CHECK_TEXT(text, expected[i]);
        lg_text_free(&text);
    }
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static lg_text
columns_of(const char *const headings[], size_t columns,
           const char *const texts[], size_t rows, unsigned width)
{
    lg_string cells[8];
    lg_text text = {0};
    lg_table *table = NULL;
    for (size_t i = 0; i < columns * rows; i++)
        cells[i] = (lg_string){texts[i], (uint32_t)strlen(texts[i])};
    const lg_table_texts of = {headings, cells, columns, rows, 0};
    REQUIRE(lg_table_of_texts(&of, &table, NULL) == LG_OK);
    lg_layout_set_columns(width);
    REQUIRE(lg_table_text(table, 0, &text, NULL) == LG_OK);
    lg_layout_set_columns(0);
    lg_table_free(table);
    return text;
}

static lg_text
two_columns(const char *const texts[], size_t rows, unsigned width)
{
    static const char *const headings[] = {"what grows", "who holds it"};
    return columns_of(headings, 2, texts, rows, width);
}

// Each cell wraps within its column, and no word breaks but a long name.
static void
cells(void)
{
    static const char *const texts[] = {
        "Session accumulates with int, such as #13720",
        "app.sessions[*]",
        "short",
        "app.a_rather_long_name_of_a_registry_of_sessions[*]",
        "訓練 訓練訓練訓練 訓練訓練訓練訓練",
        "two words",
    };
    lg_text text = two_columns(texts, 3, 40);
    CHECK_TEXT(text, "what grows           who holds it\n"
                     "Session accumulates  app.sessions[*]\n"
                     "with int, such as\n"
                     "#13720\n"
                     "short                app.a_rat…ssions[*]\n"
                     "訓練 訓練訓練訓練    two words\n"
                     "訓練訓練訓練訓練\n");
    lg_text_free(&text);
}

// The last text stands below its row where it has too few columns beside the
// others, and enough below.
static void
last_texts_below(void)
{
    static const char *const headings[] = {"name", "what", "held by"};
    static const char *const texts[] = {
        "a name of more than twenty",
        "what it is in so many words",
        ("train.trainer.optimizer.groups[0].of_parameters[*]"
         ".state.average"),
    };
    lg_text below = columns_of(headings, 3, texts, 1, 60);
    lg_text beside = columns_of(headings, 3, texts, 1, 56);
    lg_text roomy = columns_of(headings + 1, 2, texts + 1, 1, 70);
    CHECK_TEXT(below,
               "name                        what\n"
               "a name of more than twenty  what it is in so many words\n"
               "  held by  train.trainer.optimizer.groups[0].of_parameters\n"
               "           [*].state.average\n");
    CHECK(strstr(beside.data, "what               held by\n") != NULL);
    CHECK(strstr(roomy.data, "what                         held by\n") != NULL);
    lg_text_free(&below);
    lg_text_free(&beside);
    lg_text_free(&roomy);
}

// A path breaks between its steps, but neither within a key nor into many
// lines.
static void
paths_in_cells(void)
{
    static const char *const texts[] = {
        "short",
        "train.trainer.optimizer.state[0]['a.b.c']",
        "four",
        "train.trainer.optimizer_of_it.one.steps_of_it.two",
        "five",
        "train.trainer_of.optimizer_of.first_of_all.second_one_of.third_one",
        "two words",
        "1.5",
    };
    lg_text text = two_columns(texts, 4, 30);
    CHECK_TEXT(text, "what grows  who holds it\n"
                     "short       train.trainer\n"
                     "            .optimizer.state\n"
                     "            [0]['a.b.c']\n"
                     "four        train.trainer\n"
                     "            .optimizer_of_it\n"
                     "            .one.steps_of_it\n"
                     "            .two\n"
                     "five        train.tr…third_one\n"
                     "two words   1.5\n");
    lg_text_free(&text);
}

// Numbers keep their distance, however long they are, and what stands below a
// row moves to the left where that gives it room.
static void
numbers_and_below(void)
{
    static const lg_string host = {"host", 4};
    static const lg__column columns[] = {
        {"bytes", .type = LG_COLUMN_COUNT},
        {"objects", .type = LG_COLUMN_COUNT, .least = 9},
        {"what", .gap = 2},
        {"held by", .type = LG_COLUMN_PATH, .below = "       in  "},
    };
    static const char *const expected[] = {
        "                bytes        objects  what\n"
        "1,234,567,890,123,456  7,654,321,098  Session\n"
        "                                             in  app.sessions\n",
        "                bytes        objects  what\n"
        "1,234,567,890,123,456  7,654,321,098  Session\n"
        "                    in  app.sessions\n"};
    for (unsigned i = 0; i < 2; i++) {
        lg_table *table = lg__table_new_on(&host, 1, (lg__layout){0}, columns,
                                           sizeof columns / sizeof *columns);
        lg_text text = {0};
        lg__table_row(table);
        lg__put_count(table, 0, 1234567890123456);
        lg__put_count(table, 1, 7654321098);
        lg__put_literal(table, 2, "Session");
        lg__put_literal(table, 3, "app.sessions");
        lg_layout_set_columns(i ? 80 : 0);
        REQUIRE(lg__table_report(table, LG_FORMAT_TEXT, &text, NULL) == LG_OK);
        lg_layout_set_columns(0);
        CHECK_TEXT(text, expected[i]);
        lg_text_free(&text);
    }
}

static void
colours_of_shapes(void)
{
    const char *text = "float32[] float32[256, 3] [*] cache['a'] x.y[0]\n";
    lg_text out = {0};
    lg_layout_paint(text, strlen(text), &out);
    CHECK_TEXT(out, "float32[] float32[256, 3] \033[36m[*]\033[0m "
                    "\033[36mcache['a']\033[0m \033[36mx.y[0]\033[0m\n");
    lg_text_free(&out);
}

static void
colours_of_calls(void)
{
    const char *text = "call plt.close(fig), (see a.b)\n";
    lg_text out = {0};
    lg_layout_paint(text, strlen(text), &out);
    CHECK_TEXT(out, "call \033[36mplt.close(fig)\033[0m, "
                    "(see \033[36ma.b\033[0m)\n");
    lg_text_free(&out);
}

static void
colours(void)
{
    const char *text = "1.5 MiB  train.losses[0] keeps 3 B, see a. b\n"
                       "         ~~~~~~\n";
    lg_text out = {0};
    lg_layout_paint(text, strlen(text), &out);
    CHECK_TEXT(out, "\033[1m1.5 MiB\033[0m  \033[36mtrain.losses[0]\033[0m "
                    "keeps \033[1m3 B\033[0m, see a. b\n"
                    "         \033[33m~~~~~~\033[0m\n");
    lg_text_free(&out);
}

SUITE(fit)
{
    RUN(prose);
    RUN(words);
    RUN(branches);
    RUN(underlines);
    RUN(tables);
    RUN(cells);
    RUN(last_texts_below);
    RUN(paths_in_cells);
    RUN(numbers_and_below);
    RUN(colours);
    RUN(colours_of_calls);
    RUN(colours_of_shapes);
    return test_result();
}
