// The pictures of cycles: what they say, and what they draw besides the round.

#include "shapes.h"
#include "test.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/view.h>
#include <leakgraph/internal/answer_views.h>

#include <string.h>

typedef struct subject {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_cycles cycles;
} subject;

static subject
find_cycles(lg_graph *graph)
{
    subject made = {.graph = graph};
    REQUIRE(!lg_analysis_new(graph, NULL, &made.analysis, NULL));
    REQUIRE(!lg_analysis_cycles(made.analysis, NULL, NULL, &made.cycles, NULL));
    return made;
}

static void
forget(subject *made)
{
    lg_cycles_free(&made->cycles);
    lg_analysis_free(made->analysis);
    lg_graph_free(made->graph);
}

// Writes a picture as DOT or as text.
static lg_text
draw(const subject *made, size_t index, bool dot)
{
    lg_view *view = NULL;
    lg_text out = {0};
    REQUIRE(!lg_view_cycle(made->analysis, &made->cycles.items[index], &view,
                           NULL));
    REQUIRE(!(dot ? lg_view_dot(view, NULL, &out, NULL)
                  : lg_view_text(view, &out, NULL)));
    lg_view_free(view);
    return out;
}

static void
what_keeps_it_is_said_and_drawn(void)
{
    static const char *const sentences[] = {
        "held by app.families", "the next gc.collect() frees it",
        "gc.collect() cannot free it: native code holds "};
    uint32_t node;
    subject family = find_cycles(shape_find("family")->make(&node));
    REQUIRE(family.cycles.count == sizeof sentences / sizeof *sentences);
    for (size_t i = 0; i < family.cycles.count; i++) {
        lg_text dot = draw(&family, i, true);
        CHECK(strstr(dot.data, sentences[i]));
        CHECK(strstr(dot.data, "✂ cut here"));
        CHECK(!strstr(dot.data, "module") == (i > 0));
        CHECK(!strstr(dot.data, "this keeps the collector") == (i < 2));
        lg_text_free(&dot);
    }
    forget(&family);
}

// The picture repeats the report word for word.
static void
the_report_says_the_same(void)
{
    uint32_t node;
    subject family = find_cycles(shape_find("family")->make(&node));
    lg_text report = {0};
    REQUIRE(!lg_report_cycles(family.analysis, &family.cycles, LG_FORMAT_TEXT,
                              &report, NULL));
    for (size_t i = 0; i < family.cycles.count; i++) {
        const lg_cycle *cycle = &family.cycles.items[i];
        lg_text said = {0};
        lg_text dot = draw(&family, i, true);
        lg_cycle_headline(family.graph, cycle, &said);
        lg_text_add(&said, "\n");
        lg_cycle_explanation(family.graph, cycle, &said);
        for (char *line = strtok(said.data, "\n"); line;
             line = strtok(NULL, "\n"))
            CHECK(strstr(report.data, line) && strstr(dot.data, line));
        lg_text_free(&said);
        lg_text_free(&dot);
    }
    lg_text_free(&report);
    forget(&family);
}

// Two members of garbage share a buffer: it goes with the cycle as a whole.
static void
garbage_owns_what_its_members_share(void)
{
    test_heap heap;
    uint32_t ring[3];
    heap_open(&heap);
    for (size_t i = 0; i < 3; i++) {
        ring[i] = heap_add(&heap, "app.Ring", 48);
        heap_track(&heap, ring[i]);
    }
    uint32_t shared = heap_add(&heap, "bytearray", 2u << 20);
    heap_attribute(&heap, ring[0], ring[0], "me");
    heap_attribute(&heap, ring[0], ring[1], "next");
    heap_attribute(&heap, ring[1], ring[0], "back");
    heap_attribute(&heap, ring[1], ring[2], "next");
    heap_attribute(&heap, ring[2], ring[1], "back");
    heap_attribute(&heap, ring[0], shared, "shared");
    heap_attribute(&heap, ring[1], shared, "shared");
    subject made = find_cycles(heap_close(&heap));
    REQUIRE(made.cycles.count == 1);
    lg_text text = draw(&made, 0, false);
    const char *drawn = strstr(text.data, "bytearray  2.00 MiB");
    CHECK(drawn && !strstr(drawn + 1, "bytearray"));
    lg_text_free(&text);
    forget(&made);
}

SUITE(cycle_words)
{
    RUN(what_keeps_it_is_said_and_drawn);
    RUN(the_report_says_the_same);
    RUN(garbage_owns_what_its_members_share);
    return test_result();
}
