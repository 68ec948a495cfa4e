// Findings of several holders that share what they keep.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

// Three steps, each with two losses over one autograd node of 1000 bytes.
static void
add_steps(story *to, uint32_t first, uint32_t second)
{
    for (int i = 0; i < 3; i++) {
        uint32_t shared =
            story_add(to, "torch.autograd.ReluBackward0", NULL, 1000);
        uint32_t lists[] = {first, second};
        for (int j = 0; j < 2; j++) {
            uint32_t head = heap_grad_fn(to, "torch.autograd.MeanBackward0",
                                         shared, LG_NONE);
            heap_append(to, lists[j], heap_tensor(to, 4, head));
        }
    }
}

// Two lists of losses over one graph are one finding, because neither frees
// much alone.
static void
sharing(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t errors = heap_list(&made, LG_NONE);
    uint32_t penalties = heap_list(&made, LG_NONE);
    uint32_t other = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "errors", errors);
    story_attribute(&made, app, "penalties", penalties);
    story_attribute(&made, app, "other", other);
    add_steps(&made, errors, penalties);
    for (int n = 0; n < 4; n++)
        heap_append(&made, other, heap_loss(&made));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 2 && findings.holder_count == 3);
    const lg_finding *joint = &findings.items[0];
    REQUIRE(joint->holder_count == 2);
    CHECK(joint->count == 6 && joint->total == 3 * 1000 + 6 * (64 + 200));
    CHECK(joint->retained[0] == joint->total);
    CHECK(joint->holders[0].node == errors && joint->holders[0].count == 3);
    CHECK(joint->holders[1].node == penalties);
    for (int i = 0; i < 2; i++)
        CHECK(joint->holders[i].total == 3 * (64 + 200));
    CHECK(findings.items[1].holder_count == 1);
    CHECK(findings.items[1].holders->total == findings.items[1].total);
    lg_text text = {0};
    lg_text json = {0};
    CHECK(lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, &text,
                             NULL) == LG_OK);
    CHECK(lg_report_findings(analysis, &findings, LG_FORMAT_JSON, &json,
                             NULL) == LG_OK);
    CHECK(strstr(text.data, "loss-history: 4.48 KiB, 6 x Tensor\n"
                            "  held by  app.errors  list of 3 #1, which frees "
                            "792 B alone\n"
                            "           and by app.penalties  list of 3 #2, "
                            "which frees 792 B alone\n"
                            "  cause "));
    CHECK(strstr(json.data, "\"alone\": {\"host\": 792}"));
    CHECK(strstr(json.data, "\"held_by\": \"app.penalties  list of 3 #2\""));
    lg_text_free(&text);
    lg_text_free(&json);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// What two lists share joins them from an eighth of what one frees alone.
static void
sharing_enough(void)
{
    enum { ALONE = 3 * (64 + 200) };
    for (uint32_t lack = 0; lack < 2; lack++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t lists[2];
        uint32_t common = story_add(&made, "app.Text", NULL, ALONE / 8 - lack);
        for (int i = 0; i < 2; i++) {
            lists[i] = heap_list(&made, LG_NONE);
            story_attribute(&made, app, i == 0 ? "first" : "second", lists[i]);
            for (int n = 0; n < 3; n++) {
                uint32_t loss = heap_loss(&made);
                heap_append(&made, lists[i], loss);
                if (n == 0)
                    story_attribute(&made, loss, "note", common);
            }
        }
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_findings findings = {0};
        REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
                LG_OK);
        CHECK(findings.count == 1 + lack);
        CHECK(findings.items[0].total ==
              (lack ? ALONE : 2 * ALONE + ALONE / 8));
        lg_findings_free(&findings);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// A sum of three losses of a history is a total; a sum of two may be one
// step's.
static void
total_of_history(void)
{
    for (int added = 2; added < 4; added++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t all = heap_list(&made, LG_NONE);
        story_attribute(&made, app, "losses", all);
        uint32_t sum = LG_NONE;
        for (int n = 0; n < 4; n++) {
            uint32_t loss = heap_loss(&made);
            heap_append(&made, all, loss);
            if (n < added)
                sum = n == 0
                          ? loss - 1
                          : heap_grad_fn(&made, "torch.autograd.AddBackward0",
                                         sum, loss - 1);
        }
        story_attribute(&made, app, "total", heap_tensor(&made, 4, sum));
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_findings findings = {0};
        REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
                LG_OK);
        REQUIRE(findings.count == 1);
        CHECK(findings.items[0].holder_count == (added == 3 ? 2 : 1));
        lg_findings_free(&findings);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// There are more lists than the search tells apart. All are named, and the sum
// is right.
static void
many_sharing(void)
{
    enum { LISTS = 70 };
    uint32_t app;
    char name[] = "losses00";
    story made = heap_begin(&app);
    uint32_t shared[3];
    for (int i = 0; i < 3; i++)
        shared[i] =
            story_add(&made, "torch.autograd.ReluBackward0", NULL, 10000);
    for (int n = 0; n < LISTS; n++) {
        uint32_t all = heap_list(&made, LG_NONE);
        name[6] = (char)('0' + n / 10);
        name[7] = (char)('0' + n % 10);
        story_attribute(&made, app, name, all);
        for (int i = 0; i < 3; i++) {
            uint32_t head = heap_grad_fn(&made, "torch.autograd.MeanBackward0",
                                         shared[i], LG_NONE);
            heap_append(&made, all, heap_tensor(&made, 4, head));
        }
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    lg_text text = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 1);
    CHECK(findings.items[0].holder_count == LISTS);
    CHECK(findings.items[0].count == 3 * LISTS);
    CHECK(findings.items[0].total == 3 * 10000 + 3 * LISTS * (64 + 200));
    CHECK(findings.items[0].holders[0].total == 3 * (64 + 200));
    CHECK(findings.items[0].holders[LISTS - 1].total == 0);
    CHECK(lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, &text,
                             NULL) == LG_OK);
    CHECK(strstr(text.data, "\n           and by 62 more\n  cause "));
    lg_text_free(&text);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A list of losses that a cached object keeps: each fix frees them, so each is
// a finding of the whole.
static void
one_in_another(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t cache =
        story_add(&made, "functools._lru_cache_wrapper", NULL, 100);
    uint32_t entries = story_add(&made, "dict", NULL, 100);
    story_attribute(&made, app, "get", cache);
    story_attribute(&made, cache, "cache", entries);
    uint32_t outer = heap_tensor(&made, HEAP_BIG, LG_NONE);
    heap_memory(&made, outer);
    heap_item(&made, entries, "a", outer);
    heap_item(&made, entries, "b", heap_tensor(&made, 4, LG_NONE));
    uint32_t losses = heap_list(&made, LG_NONE);
    story_attribute(&made, outer, "losses", losses);
    for (int i = 0; i < 3; i++)
        heap_append(&made, losses, heap_loss(&made));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 2);
    CHECK(strcmp(findings.items[0].pattern->name, "lru-cache") == 0);
    CHECK(findings.items[0].holder_count == 1);
    CHECK(findings.items[0].total > HEAP_BIG + 3 * (64 + 200));
    CHECK(findings.items[1].holders->node == losses);
    CHECK(findings.items[1].total == 3 * (64 + 200));
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Adds a list of `count` losses of 264 bytes, and returns the first loss.
static uint32_t
add_history(story *to, uint32_t app, uint32_t count, uint32_t *list)
{
    uint32_t first = LG_NONE;
    *list = heap_list(to, LG_NONE);
    story_attribute(to, app, "losses", *list);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t loss = heap_loss(to);
        heap_append(to, *list, loss);
        first = i == 0 ? loss : first;
    }
    return first;
}

// What no mistake keeps is named if it keeps a twentieth: alone, the fix frees
// the rest. If it keeps less, the finding is only of the rest.
static void
held_by_another(void)
{
    for (uint32_t count = 20; count <= 21; count++) {
        uint32_t app;
        uint32_t losses;
        story made = heap_begin(&app);
        uint32_t first = add_history(&made, app, count, &losses);
        story_attribute(&made, app, "first", first);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_findings findings = {0};
        lg_text text = {0};
        REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
                LG_OK);
        REQUIRE(findings.count == 1);
        const lg_finding *found = &findings.items[0];
        bool named = count == 20;
        CHECK(found->holder_count == 1 + (size_t)named);
        CHECK(found->others == (size_t)named);
        CHECK(found->freed_total == (count - 1) * (64 + 200));
        CHECK(found->freed[0] == found->freed_total);
        CHECK(found->total == (count - !named) * (64 + 200));
        CHECK(found->holders[0].node == losses);
        CHECK(found->holders[0].total == found->freed_total);
        CHECK(!named || (found->holders[1].node == first &&
                         found->holders[1].total == 0 &&
                         found->holders[1].path.count > 0));
        CHECK(lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, &text,
                                 NULL) == LG_OK);
        CHECK(!named == !strstr(text.data, "; the fix alone frees 4.90 KiB\n"));
        CHECK(!named == !strstr(text.data, "and by app.first  Tensor"));
        lg_text_free(&text);
        lg_findings_free(&findings);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// All others count, but only the first ones are listed.
static void
held_by_many(void)
{
    enum { NAMES = LG_OTHERS_LISTED + 4 };
    uint32_t app;
    uint32_t losses;
    char name[] = "loss00";
    story made = heap_begin(&app);
    uint32_t first = add_history(&made, app, NAMES, &losses);
    for (uint32_t i = 0; i < NAMES; i++) {
        name[4] = (char)('0' + i / 10);
        name[5] = (char)('0' + i % 10);
        story_attribute(&made, app, name, first + 2 * i);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    lg_text text = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 1);
    CHECK(findings.items[0].others == NAMES);
    CHECK(findings.items[0].holder_count == 1 + LG_OTHERS_LISTED);
    CHECK(findings.items[0].freed_total == 0);
    CHECK(lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, &text,
                             NULL) == LG_OK);
    CHECK(strstr(text.data, "\n           and by 13 more\n  cause "));
    lg_text_free(&text);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Functions that keep the losses, too, count as the list that has them. Garbage
// that keeps them does not count.
static void
held_by_functions(void)
{
    uint32_t app;
    uint32_t losses;
    story made = heap_begin(&app);
    uint32_t first = add_history(&made, app, 6, &losses);
    uint32_t calls = heap_list(&made, LG_NONE);
    uint32_t lost = story_add(&made, "function", NULL, 10);
    story_attribute(&made, app, "calls", calls);
    story_attribute(&made, lost, "loss", first);
    uint32_t loss = first;
    for (int i = 0; i < 6; i++) {
        uint32_t call = story_add(&made, "function", NULL, 10);
        heap_append(&made, calls, call);
        story_attribute(&made, call, "loss", loss);
        loss += 2;
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 1);
    const lg_finding *found = &findings.items[0];
    REQUIRE(found->holder_count == 2);
    CHECK(found->holders[1].node == calls && found->holders[1].count == 6);
    CHECK(strcmp(found->holders[1].pattern->name, "other-holder") == 0);
    CHECK(found->freed_total == 0 && found->total == 6 * (64 + 200));
    lg_text text = {0};
    CHECK(why_report(analysis, &losses, 1, NULL, LG_FORMAT_TEXT, &text) ==
          LG_OK);
    CHECK(strstr(text.data, "\n  cause    loss-history: "));
    CHECK(strstr(text.data, "\n           other-holder: "));
    CHECK(strstr(text.data, "\n  fix      loss-history: "));
    CHECK(strstr(text.data, "\nother-holder") == NULL);
    lg_text_free(&text);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A list of outputs keeps their graphs with whoever else has the same tensors.
static void
outputs_held_by_another(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t outputs = heap_list(&made, LG_NONE);
    uint32_t others = heap_list(&made, LG_NONE);
    uint32_t leaf = story_add(&made, "torch.autograd.AccumulateGrad", NULL, 40);
    story_attribute(&made, app, "outputs", outputs);
    story_attribute(&made, app, "others", others);
    for (int i = 0; i < 10; i++) {
        uint32_t head =
            heap_grad_fn(&made, "torch.autograd.AddmmBackward0", leaf, LG_NONE);
        uint32_t output = heap_tensor(&made, 100, head);
        heap_append(&made, outputs, output);
        if (i < 5)
            heap_append(&made, others, output);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 1);
    const lg_finding *found = &findings.items[0];
    CHECK(strcmp(found->pattern->name, "output-history") == 0);
    REQUIRE(found->holder_count == 2);
    CHECK(found->holders[1].node == others);
    CHECK(found->freed_total == 5 * 200 &&
          found->total == 10 * (64 + 200) + 40);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(findings_joint)
{
    RUN(held_by_another);
    RUN(held_by_functions);
    RUN(held_by_many);
    RUN(outputs_held_by_another);
    RUN(sharing);
    RUN(sharing_enough);
    RUN(total_of_history);
    RUN(many_sharing);
    RUN(one_in_another);
    return test_result();
}
