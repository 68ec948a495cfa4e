// Strings of a builder: shared, appended, escaped and cut.
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/graph.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>

static lg_builder *builder;
static lg_graph *graph;

static void
begin(void)
{
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
}

static void
end(void)
{
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
}

static bool
is(uint32_t id, const char *expected)
{
    lg_string got = lg_graph_string(graph, id);
    return got.length == strlen(expected) &&
           memcmp(got.data, expected, got.length) == 0;
}

static void
shared(void)
{
    begin();
    uint32_t ids[3000];
    char name[16];
    for (int i = 0; i < 3000; i++) {
        int length = snprintf(name, sizeof name, "n%d", i);
        ids[i] = lg_builder_intern(builder, name, (size_t)length);
    }
    for (int i = 0; i < 3000; i++) {
        int length = snprintf(name, sizeof name, "n%d", i);
        CHECK(lg_builder_intern(builder, name, (size_t)length) == ids[i]);
    }
    CHECK(lg_builder_intern(builder, "", 0) == 0);
    end();
    CHECK(is(ids[2999], "n2999") && is(ids[0], "n0"));
    CHECK(lg_graph_string(graph, LG_NONE).length == 0);
    lg_graph_free(graph);
}

static void
escaped(void)
{
    begin();
    uint32_t tab = lg_builder_intern(builder, "a\tb", 3);
    uint32_t same = lg_builder_intern(builder, "a\\x09b", 6);
    uint32_t zero = lg_builder_intern(builder, "a\0b", 3);
    uint32_t surrogate = lg_builder_intern(builder, "\xed\xa0\x80", 3);
    uint32_t good = lg_builder_intern(builder, "\xe2\x82\xac", 3);
    end();
    CHECK(is(tab, "a\\x09b") && same == tab);
    CHECK(is(zero, "a\\x00b"));
    CHECK(is(surrogate, "\\xed\\xa0\\x80"));
    CHECK(is(good, "\xe2\x82\xac"));
    lg_graph_free(graph);
}

// 4095 bytes and a character of three bytes: the character does not fit.
static void
cut(void)
{
    static char longest[20000];
    begin();
    memset(longest, 'x', sizeof longest);
    uint32_t plain = lg_builder_intern(builder, longest, sizeof longest);
    memcpy(longest + 4095, "\xe2\x82\xac", 3);
    uint32_t wide = lg_builder_intern(builder, longest, sizeof longest);
    end();
    CHECK(lg_graph_string(graph, plain).length == 4096);
    CHECK(lg_graph_string(graph, wide).length == 4095);
    lg_graph_free(graph);
}

SUITE(intern)
{
    RUN(shared);
    RUN(escaped);
    RUN(cut);
    return test_result();
}
