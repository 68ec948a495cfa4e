// What is worth doing first: what is wrong comes before what is big, and
// nothing comes twice.
#include "drawn.h"
#include "growing.h"
#include "heaps.h"
#include "test.h"

typedef struct asked {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_findings findings;
    lg_cycles cycles;
    lg_top top;
    lg_advice advice;
    lg_table *table;
} asked;

static lg_answers
answers_of(const asked *all)
{
    return (lg_answers){.analysis = all->analysis,
                        .findings = &all->findings,
                        .cycles = &all->cycles,
                        .top = &all->top};
}

static asked
ask(story *made, size_t limit)
{
    asked all = {.graph = story_end(made)};
    lg_top_options top = LG_TOP_OPTIONS_INIT;
    all.analysis = analysed(all.graph);
    REQUIRE(lg_analysis_findings(all.analysis, NULL, NULL, &all.findings,
                                 NULL) == LG_OK);
    REQUIRE(lg_analysis_cycles(all.analysis, NULL, NULL, &all.cycles, NULL) ==
            LG_OK);
    REQUIRE(lg_analysis_top(all.analysis, &top, NULL, &all.top, NULL) == LG_OK);
    lg_answers answers = answers_of(&all);
    all.advice = lg_advice_choose(&answers, limit);
    REQUIRE(lg_tabulate_advice(&answers, &all.advice, &all.table, NULL) ==
            LG_OK);
    return all;
}

static void
forget(asked *all)
{
    lg_table_free(all->table);
    lg_top_free(&all->top);
    lg_cycles_free(&all->cycles);
    lg_findings_free(&all->findings);
    lg_analysis_free(all->analysis);
    lg_graph_free(all->graph);
}

// A history of losses in app.losses, a large list in app.big, a small one in
// app.few, and a cycle of garbage.
static story
tell(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t losses = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "losses", losses);
    for (int i = 0; i < 3; i++)
        heap_append(&made, losses, heap_loss(&made));
    story_attribute(&made, app, "big",
                    story_add(&made, "bytearray", NULL, 500000));
    story_attribute(&made, app, "few", story_add(&made, "bytearray", NULL, 99));
    uint32_t one = story_add(&made, "app.Node", NULL, 100000);
    story_attribute(&made, one, "me", one);
    return made;
}

static void
wrong_before_big(void)
{
    story made = tell();
    asked all = ask(&made, 3);
    REQUIRE(all.advice.count == 3);
    CHECK(all.advice.items[0].kind == LG_ADVICE_CYCLE);
    CHECK(all.advice.items[0].bytes == 100000);
    CHECK(all.advice.items[1].kind == LG_ADVICE_FINDING);
    CHECK(all.advice.items[1].grows == SIZE_MAX);
    CHECK(all.advice.items[2].kind == LG_ADVICE_HOLDER);
    CHECK(all.advice.items[2].bytes == 500000);
    forget(&all);
}

// The list of losses belongs to the finding, and the garbage to the cycle. What
// is small is not mentioned.
static void
nothing_twice(void)
{
    story made = tell();
    asked all = ask(&made, 100);
    CHECK(all.advice.count == 3);
    forget(&all);
}

// In a small process, what retains nearly everything may still be little.
static void
nothing_little(void)
{
    static const uint64_t sizes[] = {65535, 65536};
    for (size_t i = 0; i < 2; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        story_attribute(&made, app, "all",
                        story_add(&made, "bytearray", NULL, sizes[i]));
        asked all = ask(&made, 3);
        CHECK(all.advice.count == i);
        forget(&all);
    }
}

// A holder needs a hundredth of the program's bytes. Libraries keep the rest.
static void
a_hundredth(void)
{
    static const uint64_t sizes[] = {99999, 100000};
    for (size_t i = 0; i < 2; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        story_attribute(&made, app, "part",
                        story_add(&made, "bytearray", NULL, sizes[i]));
        asked all = ask(&made, 3);
        const uint64_t libraries[] = {5000000};
        lg_answers answers = answers_of(&all);
        all.top.total = 15000000;
        all.top.libraries = libraries;
        CHECK(lg_advice_choose(&answers, 3).count == i);
        forget(&all);
    }
}

static void
few(void)
{
    story made = tell();
    asked all = ask(&made, 1);
    REQUIRE(all.advice.count == 1);
    CHECK(all.advice.items[0].kind == LG_ADVICE_CYCLE);
    forget(&all);
}

// The parts of a closed figure refer to each other. The collector frees them,
// so there is nothing to do.
static void
closed_figures(void)
{
    for (int closed = 0; closed < 2; closed++) {
        uint32_t app;
        story made = heap_begin(&app);
        story_type(&made, "matplotlib.figure.Figure", "object");
        for (int i = 0; i < 3; i++) {
            const char *type = closed ? "matplotlib.axes.Axes" : "app.Plot";
            uint32_t figure =
                story_add(&made, "matplotlib.figure.Figure", NULL, 200000);
            uint32_t part = story_add(&made, type, NULL, 1000);
            story_attribute(&made, figure, "part", part);
            story_attribute(&made, part, "figure", figure);
        }
        asked all = ask(&made, 3);
        CHECK(all.cycles.of_kind[LG_CYCLE_COLLECTABLE] == 3);
        CHECK(all.cycles.leaks == (closed ? 0 : 3));
        CHECK(all.advice.count == (closed ? 0 : 1));
        forget(&all);
    }
}

// The collector frees less than 64 KiB by itself at some time. What it cannot
// free stays for ever.
static void
expect_of_garbage(uint32_t size, unsigned edge_flags, lg_cycle_kind kind,
                  size_t items)
{
    uint32_t app;
    story made = heap_begin(&app);
    made.edge_flags = edge_flags;
    uint32_t one = story_add(&made, "app.Node", NULL, size);
    story_attribute(&made, one, "me", one);
    asked all = ask(&made, 3);
    REQUIRE(all.cycles.count == 1);
    CHECK(all.cycles.items->kind == kind);
    CHECK(all.advice.count == items);
    forget(&all);
}

static void
little_garbage(void)
{
    const unsigned traversed = LG_EDGE_TRAVERSED;
    expect_of_garbage(65535, traversed, LG_CYCLE_COLLECTABLE, 0);
    expect_of_garbage(65536, traversed, LG_CYCLE_COLLECTABLE, 1);
    expect_of_garbage(65535, 0, LG_CYCLE_UNCOLLECTABLE, 1);
}

static void
nothing(void)
{
    const lg_answers none = {0};
    CHECK(lg_advice_choose(&none, 3).count == 0);
    CHECK(strcmp(lg_advice_kind_name((lg_advice_kind)99), "") == 0);
}

static void
words(void)
{
    story made = tell();
    asked all = ask(&made, 3);
    lg_text text = {0};
    REQUIRE(lg_table_json(all.table, &text, NULL) == LG_OK);
    CHECK(strstr(text.data,
                 "{\"kind\": \"cycle\", \"bytes\": 100000, "
                 "\"rate\": null, \"what\": \"1 collectable cycle\""));
    CHECK(strstr(text.data, "\"held_by\": \"Node.me"));
    CHECK(strstr(text.data, "\"fix\": \"Cut Node.me"));
    CHECK(strstr(text.data, "\"what\": \"loss-history: 3 x Tensor\""));
    CHECK(strstr(text.data, "\"fix\": \"Append loss.item()"));
    CHECK(strstr(text.data, "\"what\": \"bytearray\", \"held_by\": "
                            "\"app.big\""));
    lg_text_free(&text);
    forget(&all);
}

// Several objects that two lists have are held by any of their positions.
static void
held_by_positions(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t items = heap_list(&made, LG_NONE);
    uint32_t seen = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "items", items);
    story_attribute(&made, app, "recently_seen", seen);
    for (int i = 0; i < 200; i++) {
        uint32_t item = story_add(&made, "bytearray", NULL, 5000);
        heap_append(&made, items, item);
        heap_append(&made, seen, item);
    }
    asked all = ask(&made, 3);
    lg_text text = {0};
    REQUIRE(all.top.rows[0].count == 200);
    REQUIRE(lg_table_json(all.table, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "\"what\": \"200 bytearray\", \"held_by\": "
                            "\"app.items[*]\""));
    lg_text_free(&text);
    forget(&all);
}

// Of several objects whose titles differ, the advice names only the type.
static void
objects_that_differ(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t items = heap_list(&made, LG_NONE);
    uint32_t seen = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "items", items);
    story_attribute(&made, app, "recently_seen", seen);
    for (int i = 0; i < 20; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        uint32_t item = story_add(&made, "str", name, 5000);
        heap_append(&made, items, item);
        heap_append(&made, seen, item);
    }
    asked all = ask(&made, 3);
    lg_text text = {0};
    REQUIRE(lg_table_json(all.table, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "\"what\": \"20 str\", \"held_by\": "));
    lg_text_free(&text);
    forget(&all);
}

// Where nothing of a cycle can be cut, the advice names no cut.
static void
nothing_to_cut(void)
{
    story made = tell();
    asked all = ask(&made, 1);
    lg_answers answers = answers_of(&all);
    lg_table *table;
    lg_text text = {0};
    all.cycles.items[all.cycles.groups[0].first].cut_count = 0;
    REQUIRE(lg_tabulate_advice(&answers, &all.advice, &table, NULL) == LG_OK);
    REQUIRE(lg_table_json(table, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "\"fix\": \"Nothing: ") != NULL);
    CHECK(strstr(text.data, "\"fix\": \"Cut ") == NULL);
    lg_text_free(&text);
    lg_table_free(table);
    forget(&all);
}

// Growth without a finding is an item; garbage is one only without cycles.
static void
native_holder(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    story_hold(&made, story_add(&made, "list", NULL, 100000), 1);
    asked all = ask(&made, 1);
    lg_text text = {0};
    REQUIRE(lg_table_json(all.table, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "\"held_by\": \"native code"));
    CHECK(strstr(text.data, "only native code keeps it"));
    CHECK(strstr(text.data, "what to cut") == NULL);
    lg_text_free(&text);
    forget(&all);
}

// What grows, without a finding, is an item; garbage only without cycles.
static void
growth(void)
{
    const growing_heap heaps[] = {{.items = 100, .garbage = 10},
                                  {.items = 200, .garbage = 20},
                                  {.items = 300, .garbage = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_cycles cycles;
    lg_answers answers = {.analysis = made.analysis[2], .growth = &made.growth};
    lg_advice advice = lg_advice_choose(&answers, 8);
    REQUIRE(advice.count == made.growth.count && advice.count == 2);
    CHECK(advice.items[0].kind == LG_ADVICE_GROWTH);
    CHECK(advice.items[0].bytes >= advice.items[1].bytes);
    REQUIRE(lg_analysis_cycles(made.analysis[2], NULL, NULL, &cycles, NULL) ==
            LG_OK);
    answers.cycles = &cycles;
    advice = lg_advice_choose(&answers, 8);
    REQUIRE(advice.count == 2);
    CHECK((advice.items[0].kind == LG_ADVICE_CYCLE) !=
          (advice.items[1].kind == LG_ADVICE_CYCLE));
    lg_table *table;
    lg_text text = {0};
    REQUIRE(lg_tabulate_advice(&answers, &advice, &table, NULL) == LG_OK);
    REQUIRE(lg_table_json(table, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "\"held_by\": \"app.items[*]\""));
    CHECK(strstr(text.data, " in 3 snapshots."));
    CHECK(strstr(text.data, " per snapshot\", \"what\": \"300 Item\""));
    CHECK(strstr(text.data, "\"fix\": \"Remove items from app.items when"));
    CHECK(strstr(text.data, "\"holders\": [{\"held_by\": \"app.items\""));
    lg_text_free(&text);
    lg_table_free(table);
    lg_cycles_free(&cycles);
    growing_forget(&made);
}

// What another row leads is a part of the same leak.
static void
rows_that_another_one_leads(void)
{
    lg_growth_row rows[] = {{.gained = 100}, {.gained = 90, .lead = 0}};
    const lg_growth growth = {.rows = rows, .count = 2};
    const lg_answers answers = {.growth = &growth};
    lg_advice advice = lg_advice_choose(&answers, 8);
    REQUIRE(advice.count == 1);
    CHECK(advice.items[0].index == 0);
    rows[1].lead = 1;
    CHECK(lg_advice_choose(&answers, 8).count == 2);
}

// A finding tells of growth unless its fix would free less than half of it.
static void
growth_of_a_finding(void)
{
    lg_pattern pattern = {.name = "output-history"};
    const lg_holder holder = {.node = LG_NONE};
    lg_finding item = {
        .pattern = &pattern, .holders = &holder, .holder_count = 1};
    lg_finding_group group = {.first = 0};
    lg_findings findings = {
        .items = &item, .count = 1, .groups = &group, .group_count = 1};
    lg_growth_tally tally = {.name = {"output-history", 14}};
    lg_growth_row row = {.gained = 100};
    lg_growth growth = {
        .rows = &row, .count = 1, .tallies = &tally, .tally_count = 1};
    const lg_answers answers = {.findings = &findings, .growth = &growth};
    group.total = 50;
    CHECK(lg_advice_choose(&answers, 8).count == 1);
    group.total = 49;
    lg_advice advice = lg_advice_choose(&answers, 8);
    REQUIRE(advice.count == 2);
    CHECK(advice.items[0].kind == LG_ADVICE_GROWTH);
    CHECK(advice.items[1].kind == LG_ADVICE_FINDING);
    CHECK(advice.items[1].grows == SIZE_MAX);
}

// A card lists the holders of the finding, unless those of the leak free more:
// what all free together is of the holders that it lists.
static void
holders_that_free_it_all(void)
{
    const growing_heap heaps[] = {{.items = 9}, {.items = 19}, {.items = 29}};
    growing_series made = growing_compare(heaps, 3, NULL);
    const lg_growth_row *row = &made.growth.rows[0];
    REQUIRE(row->holder_count == 1);
    const lg_pattern pattern = {"output-history", "", ""};
    const uint64_t freed[] = {0};
    const lg_holder holders[] = {
        {.pattern = &pattern, .node = row->holders[0].node, .retained = freed},
        {.pattern = &pattern, .node = row->node, .retained = freed}};
    lg_finding item = {
        .pattern = &pattern, .holders = holders, .holder_count = 2};
    lg_finding_group group = {
        .first = 0, .findings = 1, .retained = freed, .freed = freed};
    lg_findings findings = {
        .items = &item, .count = 1, .groups = &group, .group_count = 1};
    const lg_answers answers = {.analysis = made.analysis[2],
                                .findings = &findings,
                                .growth = &made.growth};
    for (uint64_t lack = 0; lack < 2; lack++) {
        lg_table *table;
        lg_text text = {0};
        group.total = row->freed_total - lack;
        lg_advice advice = lg_advice_choose(&answers, 1);
        REQUIRE(advice.count == 1 && advice.items[0].grows == 0);
        REQUIRE(lg_tabulate_advice(&answers, &advice, &table, NULL) == LG_OK);
        REQUIRE(lg_table_json(table, &text, NULL) == LG_OK);
        const char *list = strstr(text.data, "\"holders\": [");
        REQUIRE(list != NULL);
        CHECK(!strstr(list, "}, {\"held_by\"") == (lack > 0));
        lg_text_free(&text);
        lg_table_free(table);
    }
    growing_forget(&made);
}

// What gains less than a two-hundredth of what the biggest gains is none.
static void
little_growth(void)
{
    for (int64_t lack = 0; lack < 2; lack++) {
        lg_growth_row rows[] = {{.gained = 20000},
                                {.gained = 100 - lack, .lead = 1}};
        const lg_growth grown = {.rows = rows, .count = 2};
        const lg_answers answers = {.growth = &grown};
        CHECK(lg_advice_choose(&answers, 8).count == (lack ? 1 : 2));
    }
}

// Returns what owns a node so many steps up.
static lg_node
above(const lg_analysis *analysis, lg_node node, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        node = lg_node_dominator(analysis, node);
    return node;
}

// What lies deep in a leak goes with it. What lies beside it is an item of its
// own.
static void
a_finding_inside_a_leak(void)
{
    const growing_heap heaps[] = {{.deep = 100}, {.deep = 200}, {.deep = 300}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth_row *row = &made.growth.rows[0];
    REQUIRE(row->holder_count == 1);
    lg_pattern pattern = {.name = "small-view"};
    lg_holder holder = {.node = row->node};
    lg_finding item = {
        .pattern = &pattern, .holders = &holder, .holder_count = 1};
    lg_finding_group group = {.first = 0, .total = 50};
    lg_findings findings = {
        .items = &item, .count = 1, .groups = &group, .group_count = 1};
    const lg_answers answers = {.analysis = made.analysis[2],
                                .findings = &findings,
                                .growth = &made.growth};
    lg_node list = row->holders[0].node;
    row->holders[0].node = above(made.analysis[2], list, 5);
    lg_advice advice = lg_advice_choose(&answers, 8);
    CHECK(advice.count == 1 && advice.items[0].kind == LG_ADVICE_GROWTH);
    holder.node = above(made.analysis[2], list, 15);
    CHECK(lg_advice_choose(&answers, 8).count == 2);
    row->holders[0].node = list;
    growing_forget(&made);
}

// Unattributed blocks count from a certain size on.
static void
unattributed(void)
{
    story made = tell();
    asked all = ask(&made, 1);
    lg_answers answers = {.analysis = all.analysis};
    lg_account account = {.name = {"cuda:0", 6}, .allocated = 100 << 20};
    lg_accounts accounts = {.items = &account, .count = 1};
    lg_table *table;
    lg_text text = {0};
    answers.accounts = &accounts;
    account.unattributed = 4 << 20;
    CHECK(lg_advice_choose(&answers, 3).count == 0);
    account.unattributed = 6 << 20;
    lg_advice advice = lg_advice_choose(&answers, 3);
    REQUIRE(advice.count == 1);
    CHECK(advice.items[0].kind == LG_ADVICE_UNATTRIBUTED);
    REQUIRE(lg_tabulate_advice(&answers, &advice, &table, NULL) == LG_OK);
    REQUIRE(lg_table_json(table, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "blocks of no known object on cuda:0"));
    lg_text_free(&text);
    lg_table_free(table);
    // Workspaces, pools and what the allocator does not list are no surprise.
    account.by_evidence[LG_EVIDENCE_CUBLAS_SIZE] = 1 << 20;
    account.by_evidence[LG_EVIDENCE_GRAPH_POOL] = 1 << 20;
    CHECK(lg_advice_choose(&answers, 3).count == 0);
    forget(&all);
}

// In a damaged file, a component may have no cycle to show.
static void
no_cycle_to_show(void)
{
    story made = tell();
    asked all = ask(&made, 3);
    lg_answers answers = answers_of(&all);
    REQUIRE(all.cycles.count == 1 && all.cycles.items->shortest.count == 1);
    CHECK(all.cycles.items->node == all.cycles.items->shortest.items->source);
    lg_hops shown = all.cycles.items->shortest;
    all.cycles.items->shortest = (lg_hops){0};
    lg_advice advice = lg_advice_choose(&answers, 3);
    CHECK(advice.count == 3 && advice.items[0].kind == LG_ADVICE_CYCLE);
    all.cycles.items->shortest = shown;
    forget(&all);
}

SUITE(advice)
{
    RUN(no_cycle_to_show);
    RUN(wrong_before_big);
    RUN(nothing_twice);
    RUN(nothing_little);
    RUN(a_hundredth);
    RUN(few);
    RUN(closed_figures);
    RUN(little_garbage);
    RUN(nothing);
    RUN(words);
    RUN(held_by_positions);
    RUN(objects_that_differ);
    RUN(nothing_to_cut);
    RUN(native_holder);
    RUN(growth);
    RUN(little_growth);
    RUN(rows_that_another_one_leads);
    RUN(growth_of_a_finding);
    RUN(holders_that_free_it_all);
    RUN(a_finding_inside_a_leak);
    RUN(unattributed);
    return test_result();
}
