// Lifetimes of elements, as graphs and damaged summaries state them.
#include "growing.h"
#include "growth/growth_private.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>

// A list with so many elements, in a module, whose elements leave after so many
// milliseconds.
static lg_graph *
make(uint32_t elements, const char *lifetime)
{
    lg_builder *builder;
    lg_graph *graph;
    char time[24];
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t module =
        lg_builder_add_type(builder, "module", 6, LG_NONE, NULL, 0);
    uint32_t list = lg_builder_add_type(builder, "list", 4, LG_NONE, NULL, 0);
    uint32_t item =
        lg_builder_add_type(builder, "app.Item", 8, LG_NONE, NULL, 0);
    for (uint32_t node = 0; node < elements + 2; node++) {
        lg_builder_add_node(builder, 64 * ((uint64_t)node + 1));
        lg_builder_put_type(builder, node,
                            node == 0   ? module
                            : node == 1 ? list
                                        : item);
        lg_builder_set_size(builder, node, 1 << 20);
    }
    lg_builder_set_text(builder, 0, "app", 3);
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_ATTRIBUTE,
                        lg_builder_intern(builder, "kept", 4));
    lg_builder_open(builder, 1);
    for (uint32_t i = 0; i < elements; i++)
        lg_builder_add_edge(builder, 2 + i, LG_EDGE_INDEX, i);
    lg_builder_add_root(builder, 0, LG_ROOT_MODULE, "app", 3);
    lg_builder_add_fact(builder, 1, "lifetime", lifetime, strlen(lifetime));
    snprintf(time, sizeof time, "2026-01-01T00:00:%02uZ", elements);
    lg_builder_set_info(builder, "time", time);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static growing_series
grow(const char *lifetime)
{
    lg_graph *graphs[] = {make(10, lifetime), make(20, lifetime),
                          make(30, lifetime)};
    return growing_of_graphs(graphs, 3);
}

static void
a_time_is_a_limit(void)
{
    growing_series made = grow("60000");
    REQUIRE(made.growth.count > 0);
    CHECK(made.growth.rows[0].degree == LG_GROWTH_FILLING);
    CHECK(made.growth.rows[0].lifetime == 60);
    CHECK(made.growth.rows[0].limit == 30 + 1 + 40);
    growing_forget(&made);
}

static void
no_time_and_ages_are_no_limit(void)
{
    static const char *const lifetimes[] = {"0", "1073741824",
                                            "18446744073709551615"};
    for (size_t i = 0; i < sizeof lifetimes / sizeof *lifetimes; i++) {
        growing_series made = grow(lifetimes[i]);
        REQUIRE(made.growth.count > 0);
        CHECK(made.growth.rows[0].limit == 0);
        CHECK(made.growth.rows[0].degree != LG_GROWTH_FILLING);
        growing_forget(&made);
    }
}

// Makes a summary say the longest time that its file can.
static void
overstate(lg_summary *summary, uint64_t elements)
{
    lg__tally *tallies = summary->tallies.data;
    for (size_t i = 0; i < summary->tallies.count; i++)
        if (tallies[i].kind == LG__TALLY_LIMIT) {
            tallies[i].kept = elements;
            *(uint64_t *)lg__summary_bytes_at(summary, tallies[i].bytes) =
                UINT64_MAX;
        }
}

static void
limits_of_damaged_summaries_end(void)
{
    growing_series made = grow("60000");
    lg_growth growth;
    for (uint32_t i = 0; i < 3; i++)
        overstate(made.summary[i], i < 2 ? 1 : UINT64_MAX / 2);
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 3, NULL,
                           NULL, NULL, &growth, NULL) == LG_OK);
    REQUIRE(growth.count > 0);
    CHECK(growth.rows[0].limit == UINT64_MAX);
    lg_growth_free(&growth);
    growing_forget(&made);
}

SUITE(growth_limits)
{
    RUN(a_time_is_a_limit);
    RUN(no_time_and_ages_are_no_limit);
    RUN(limits_of_damaged_summaries_end);
    return test_result();
}
