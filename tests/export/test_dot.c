// Escaping: with any name the DOT is valid, and no name changes another one.

#include "shapes.h"
#include "test.h"

#include <leakgraph/render.h>
#include <leakgraph/internal/why_facts.h>

static lg_text
dot_with_name(const char *name, const char *title)
{
    test_heap heap;
    lg_view *view = NULL;
    lg_text dot = {0};
    lg_dot_options look = {
        .size = sizeof look, .title = title, .legend = false};
    lg_view_options options = {.size = sizeof options, .direction = LG_REFS};
    heap_open(&heap);
    uint32_t top = heap_add(&heap, "app.Top", 48);
    uint32_t other = heap_add(&heap, "function", 136);
    heap_set_text(&heap, other, name);
    heap_attribute(&heap, top, other, name);
    lg_graph *graph = heap_close(&heap);
    REQUIRE(!lg_view_new(graph, &top, 1, &options, NULL, &view, NULL));
    REQUIRE(!lg_view_dot(view, &look, &dot, NULL));
    lg_view_free(view);
    lg_graph_free(graph);
    return dot;
}

static bool
renders(const lg_text *dot)
{
    lg_text image = {0};
    lg_error error = {0};
    lg_status status = lg_dot_render(dot->data, "svg", NULL, &image, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    lg_text_free(&image);
    return !status;
}

// A name for each single byte, and for pairs with a special meaning.
static void
test_any_bytes_render(void)
{
    static const char *const pairs[] = {
        "\\N",  "\\\"",         "&lt;",         "]]>",  "<!--", "\\", "\"",
        "\xc3", "\xed\xa0\x80", "\xef\xbf\xbf", "%s%n", " ",    "'"};
    for (int byte = 1; byte < 256; byte++) {
        char name[4] = {'a', (char)byte, 'b', '\0'};
        lg_text dot = dot_with_name(name, name);
        CHECK(renders(&dot));
        lg_text_free(&dot);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        lg_text dot = dot_with_name(pairs[i], pairs[i]);
        CHECK(renders(&dot));
        lg_text_free(&dot);
    }
}

// A backslash stays a backslash, at the end of a name and before a letter with
// a meaning.
static void
test_backslashes_stay(void)
{
    static const char *const names[] = {"a\\", "a\\Nb", "a\\\\b", "a\\lb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lg_text image = {0};
        lg_text dot = dot_with_name(names[i], NULL);
        REQUIRE(!lg_dot_render(dot.data, "svg", NULL, &image, NULL));
        char shown[20];
        snprintf(shown, sizeof shown, "%s</text>", names[i]);
        CHECK(memmem(image.data, image.length, shown, strlen(shown)));
        lg_text_free(&image);
        lg_text_free(&dot);
    }
}

// A title that is blank or begins with a blank line has no bold part.
static void
test_blank_names_render(void)
{
    static const char *const names[] = {" ", "]", " x", "", "\\"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        test_heap heap;
        lg_view *view = NULL;
        lg_text dot = {0};
        heap_open(&heap);
        uint32_t top = heap_add(&heap, names[i], 48);
        heap_attribute(&heap, top, heap_add(&heap, names[i], 16), names[i]);
        lg_graph *graph = heap_close(&heap);
        REQUIRE(!lg_view_new(graph, &top, 1, NULL, NULL, &view, NULL));
        REQUIRE(!lg_view_dot(view, NULL, &dot, NULL));
        CHECK(renders(&dot));
        CHECK(!strstr(dot.data, "<B></B>"));
        lg_text_free(&dot);
        lg_view_free(view);
        lg_graph_free(graph);
    }
}

// Graphviz 2.42 frees a rank twice if labels of its own edges are in the rank.
static void
test_edges_without_a_rank_keep_no_room(void)
{
    test_heap heap;
    lg_view *view = NULL;
    lg_text dot = {0};
    lg_view_options options = {.size = sizeof options,
                               .direction = LG_BACKREFS};
    heap_open(&heap);
    uint32_t held = heap_add(&heap, "app.Held", 48);
    uint32_t holder = heap_add(&heap, "app.Holder", 48);
    heap_attribute(&heap, holder, held, "held");
    heap_attribute(&heap, held, holder, "back");
    lg_graph *graph = heap_close(&heap);
    REQUIRE(!lg_view_new(graph, &held, 1, &options, NULL, &view, NULL));
    REQUIRE(!lg_view_dot(view, NULL, &dot, NULL));
    const char *back = strstr(dot.data, "n0 -> n1");
    REQUIRE(back);
    CHECK(strstr(back, ", xlabel=<") && strstr(back, "constraint=false"));
    CHECK(!strstr(back, ", label=<"));
    lg_text_free(&dot);
    lg_view_free(view);
    lg_graph_free(graph);
}

static void
test_names_stay_names(void)
{
    lg_text dot = dot_with_name("<b>&amp;\"x\"", NULL);
    CHECK(strstr(dot.data, "&lt;b&gt;&amp;amp;&quot;x&quot;"));
    CHECK(!strstr(dot.data, "<b>"));
    lg_text_free(&dot);
}

static void
test_direction_marks_are_escaped(void)
{
    lg_text dot = dot_with_name("a\u202eb\u2066c\u200fd", "t\u202eu");
    CHECK(!strstr(dot.data, "\u202e"));
    CHECK(!strstr(dot.data, "\u2066"));
    CHECK(!strstr(dot.data, "\u200f"));
    CHECK(strstr(dot.data, "a\\\\u202eb\\\\u2066c\\\\u200fd"));
    lg_text_free(&dot);
}

static void
test_long_names_lose_their_middle(void)
{
    char name[3001];
    for (int i = 0; i < 3000; i += 3)
        memcpy(name + i, "€", 3);
    name[3000] = '\0';
    memcpy(name, "abc", 3);
    memcpy(name + 2997, "xyz", 3);
    lg_text dot = dot_with_name(name, NULL);
    CHECK(dot.length < 8000);
    CHECK(strstr(dot.data, ".abc€"));
    CHECK(strstr(dot.data, "€…€"));
    CHECK(strstr(dot.data, "€xyz"));
    CHECK(renders(&dot));
    lg_text_free(&dot);
}

static void
test_long_sentences_take_several_lines(void)
{
    char title[301];
    for (size_t i = 0; i < 300; i++)
        title[i] = "0123456789 "[i % 11];
    title[300] = '\0';
    lg_text dot = dot_with_name("f", title);
    CHECK(!strstr(dot.data, "…"));
    CHECK(strstr(dot.data, "0123456789</B></FONT></TD></TR><TR>"));
    CHECK(renders(&dot));
    lg_text_free(&dot);
}

static void
test_title_and_caption(void)
{
    lg_text dot = dot_with_name("f", "why <this>?");
    CHECK(strstr(dot.data, "why &lt;this&gt;?"));
    CHECK(strstr(dot.data, "pid 4127&#160;"));
    CHECK(strstr(dot.data, "2 objects in the snapshot&#160;"));
    lg_text_free(&dot);
}

// An upright picture runs down the page, below one fact a line.
static void
test_upright_pictures_are_narrow(void)
{
    uint32_t subject;
    lg_view *view = NULL;
    lg_text dot = {0};
    lg_dot_options look = LG_DOT_OPTIONS_INIT;
    lg_graph *graph = shapes[0].make(&subject);
    REQUIRE(!lg_view_new(graph, &subject, 1, NULL, NULL, &view, NULL));
    look.title = "what keeps it alive, and what to cut";
    REQUIRE(!lg_view_dot(view, &look, &dot, NULL));
    CHECK(strstr(dot.data, "rankdir=LR"));
    CHECK(strstr(dot.data, look.title));
    lg_text_free(&dot);
    look.upright = true;
    REQUIRE(!lg_view_dot(view, &look, &dot, NULL));
    CHECK(strstr(dot.data, "rankdir=TB"));
    CHECK(strstr(dot.data, "alive, and what</B>"));
    CHECK(!strstr(dot.data, "4127 ·"));
    CHECK(renders(&dot));
    lg_text_free(&dot);
    lg_view_free(view);
    lg_graph_free(graph);
}

// A box links to its object if a page has one, and has no other link.
static void
test_boxes_lead_to_objects(void)
{
    uint32_t subject;
    lg_view *view = NULL;
    lg_text dot = {0};
    lg_dot_options look = LG_DOT_OPTIONS_INIT;
    lg_graph *graph = shapes[0].make(&subject);
    REQUIRE(!lg_view_new(graph, &subject, 1, NULL, NULL, &view, NULL));
    REQUIRE(!lg_view_dot(view, &look, &dot, NULL));
    CHECK(!strstr(dot.data, "URL="));
    lg_text_free(&dot);
    char link[64];
    snprintf(link, sizeof link, "URL=\"object?node=%u\"", subject);
    look.links = "object?node=";
    REQUIRE(!lg_view_dot(view, &look, &dot, NULL));
    CHECK(strstr(dot.data, link));
    lg_text_free(&dot);
    look.links = "\"\\<&>";
    REQUIRE(!lg_view_dot(view, &look, &dot, NULL));
    CHECK(renders(&dot));
    lg_text_free(&dot);
    lg_view_free(view);
    lg_graph_free(graph);
}

// A caller that does not set the size of its options.
static void
test_options_without_a_size_are_refused(void)
{
    const lg_view_options no_size = {.max_nodes = 20};
    const lg_dot_options no_dot_size = {.legend = true};
    uint32_t subject;
    lg_graph *graph = shapes[0].make(&subject);
    lg_analysis *analysis;
    lg_view *view = NULL;
    lg_text text = {0};
    lg_why why;
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    REQUIRE(!lg_node_why(analysis, subject, NULL, &why, NULL));
    CHECK(lg_view_why(&why, &no_size, NULL, &view, NULL) == LG_EINVAL);
    CHECK(lg_view_new(graph, &subject, 1, &no_size, NULL, &view, NULL) ==
          LG_EINVAL);
    REQUIRE(!lg_view_why(&why, NULL, NULL, &view, NULL));
    CHECK(lg_view_dot(view, &no_dot_size, &text, NULL) == LG_EINVAL);
    CHECK(!text.data);
    lg_view_free(view);
    lg_why_clear(&why);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(dot)
{
    RUN(test_any_bytes_render);
    RUN(test_backslashes_stay);
    RUN(test_upright_pictures_are_narrow);
    RUN(test_boxes_lead_to_objects);
    RUN(test_blank_names_render);
    RUN(test_edges_without_a_rank_keep_no_room);
    RUN(test_names_stay_names);
    RUN(test_direction_marks_are_escaped);
    RUN(test_long_names_lose_their_middle);
    RUN(test_long_sentences_take_several_lines);
    RUN(test_options_without_a_size_are_refused);
    RUN(test_title_and_caption);
    return test_result();
}
