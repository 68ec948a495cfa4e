// The texts of findings, and the nodes that they concern.
#include "asked.h"
#include "drawn.h"
#include "heaps.h"
#include "test.h"

// Only the allocator's frames identify memory that autocast keeps.
static void
autocast(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    lg_builder *builder = made.builder;
    static const char frames[] = "at::autocast::cached_cast < forward (a.py:1)";
    lg_segment segment = {.address = 4096, .size = 8192};
    lg_block block = {.address = 4096, .size = 2048, .requested = 2000};
    segment.device = lg_builder_add_device(builder, "cuda:0");
    block.segment = lg_builder_add_segment(builder, &segment);
    block.frames = lg_builder_intern(builder, frames, sizeof frames - 1);
    lg_builder_add_block(builder, &block);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    lg_text text = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 1);
    CHECK(strcmp(findings.items[0].pattern->name, "autocast-cache") == 0);
    CHECK(findings.items[0].holders->node == LG_NONE);
    CHECK(findings.items[0].count == 1);
    CHECK(findings.items[0].retained[1] == 2048);
    for (int i = 0; i < 2; i++)
        CHECK(lg_report_findings(analysis, &findings, (lg_format)i, &text,
                                 NULL) == LG_OK);
    CHECK(strstr(text.data, "C++, which no snapshot sees") != NULL);
    CHECK(strstr(text.data, "\"holder\": null") != NULL);
    lg_text_free(&text);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Findings about a node: the holder, a kept object, or one that goes with it.
static void
of_a_node(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t all = heap_list(&made, LG_NONE);
    uint32_t other = story_add(&made, "list", NULL, 56);
    story_attribute(&made, app, "losses", all);
    story_attribute(&made, app, "other", other);
    uint32_t first = heap_loss(&made);
    heap_append(&made, all, first);
    heap_append(&made, all, heap_loss(&made));
    heap_append(&made, all, heap_loss(&made));
    uint32_t node = first - 1; // its autograd node
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    const uint32_t concerned[] = {all, first, node};
    lg_findings findings = {0};
    for (size_t i = 0; i < 3; i++) {
        REQUIRE(lg_node_findings(analysis, concerned[i], NULL, &findings,
                                 NULL) == LG_OK);
        REQUIRE(findings.count == 1);
        CHECK(findings.items[0].holders->node == all &&
              findings.items[0].count == 3);
        CHECK(findings.items[0].retained[0] == 3 * (64 + 200));
        lg_findings_free(&findings);
        lg_text text = {0};
        for (int format = 0; format < 2; format++)
            CHECK(why_report(analysis, &concerned[i], 1, NULL,
                             (lg_format)format, &text) == LG_OK);
        CHECK(strstr(text.data, "A known mistake, loss-history: 792 B, 3 x "));
        CHECK(strstr(text.data, "{\"pattern\": \"loss-history\""));
        lg_text_free(&text);
    }
    REQUIRE(lg_node_findings(analysis, other, NULL, &findings, NULL) == LG_OK);
    CHECK(findings.count == 0);
    lg_findings_free(&findings);
    CHECK(lg_node_findings(analysis, 10000, NULL, &findings, NULL) ==
          LG_EINVAL);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// The shape of one tensor is told of all only if all have it.
static void
shapes_that_differ(void)
{
    for (int varied = 0; varied < 2; varied++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t all = heap_list(&made, LG_NONE);
        story_attribute(&made, app, "losses", all);
        for (int i = 0; i < 3; i++) {
            uint32_t tensor =
                story_add(&made, "torch.Tensor",
                          varied && i > 0 ? "float32[2]" : "float32[1]", 64);
            lg_builder_add_fact(made.builder, tensor, "bytes", "4", 1);
            story_attribute(
                &made, tensor, ".grad_fn",
                heap_grad_fn(&made, "MeanBackward0", LG_NONE, LG_NONE));
            heap_append(&made, all, tensor);
        }
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_text text = {0};
        CHECK(why_report(analysis, &all, 1, NULL, LG_FORMAT_TEXT, &text) ==
              LG_OK);
        CHECK(strstr(text.data,
                     varied ? ", 3 x Tensor\n" : ", 3 x Tensor float32[1]\n"));
        lg_text_free(&text);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

static uint32_t
add_storage(story *to, uint32_t tensor, uint32_t type)
{
    lg_span span = {.holder = tensor,
                    .address = (tensor + (uint64_t)1) * 4096,
                    .length = 4,
                    .type = type,
                    .flags = LG_SPAN_OWNER};
    lg_builder_add_span(to->builder, &span);
    return tensor;
}

static void
says(const lg_graph *graph, const lg_analysis *analysis, size_t limit,
     lg_format format, const char *what, bool expected)
{
    lg_text text = {0};
    REQUIRE(tensors_report(graph, analysis, LG_NONE, LG_TENSORS_EACH, limit,
                           format, &text) == LG_OK);
    if ((strstr(text.data, what) != NULL) != expected) {
        test_failures++;
        fprintf(stderr, "in %s: %s '%s' in\n%s", test_name,
                expected ? "no" : "a", what, text.data);
    }
    lg_text_free(&text);
}

// Findings below another report's rows: the biggest of those that concern the
// rows, each once.
static void
of_rows(void)
{
    static const char title[] = "\nKnown mistakes among these:\n\nloss-history";
    char name[] = "losses0";
    uint32_t app, losses[2] = {0, 0}, lists = 7;
    story made = heap_begin(&app);
    uint32_t type = lg_builder_add_type(made.builder, "torch.storage", 13,
                                        LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < lists; i++) {
        uint32_t all = heap_list(&made, LG_NONE);
        name[6] = (char)('0' + i);
        story_attribute(&made, app, name, all);
        for (int j = 0; j < 3; j++) {
            losses[0] = add_storage(&made, heap_loss(&made), type);
            heap_append(&made, all, losses[0]);
        }
        losses[1] = i == 0 ? losses[0] : losses[1];
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    const uint32_t twice[] = {losses[0], losses[1], losses[0]};
    REQUIRE(lg_nodes_findings(analysis, twice, 3, NULL, &findings, NULL) ==
            LG_OK);
    CHECK(findings.count == 2);
    lg_findings_free(&findings);
    CHECK(lg_nodes_findings(analysis, NULL, 0, NULL, &findings, NULL) == LG_OK);
    CHECK(findings.count == 0);
    says(graph, analysis, 0, LG_FORMAT_TEXT, title, true);
    says(graph, analysis, 0, LG_FORMAT_TEXT, "  held by  app.losses", true);
    says(graph, analysis, 0, LG_FORMAT_TEXT, "\n... and 2 more: find", true);
    says(graph, analysis, 1, LG_FORMAT_TEXT, title, true);
    says(graph, analysis, 1, LG_FORMAT_TEXT, "... and", false);
    says(graph, analysis, 1, LG_FORMAT_JSON, "\"held_by\": \"app.los", true);
    says(graph, NULL, 0, LG_FORMAT_TEXT, "mistakes", false);
    says(graph, NULL, 0, LG_FORMAT_JSON, "\"findings\": null", true);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Returns the text after that string, or nothing if it is not there.
static const char *
after(const char *text, const char *what)
{
    const char *at = strstr(text, what);
    if (at != NULL)
        return at + strlen(what);
    test_failures++;
    fprintf(stderr, "in %s: no '%s' in\n%s\n", test_name, what, text);
    return "";
}

// An epoch with losses of that name, in the list or as garbage.
static void
add_epoch(story *to, uint32_t epochs, const char *name, uint32_t count)
{
    uint32_t epoch = story_add(to, "app.Epoch", NULL, 48);
    uint32_t losses = heap_list(to, LG_NONE);
    if (epochs != LG_NONE)
        heap_append(to, epochs, epoch);
    story_attribute(to, epoch, name, losses);
    for (uint32_t i = 0; i < count; i++)
        heap_append(to, losses, heap_loss(to));
}

// Findings that differ only in numbers form one entry, which comes first if
// they are the biggest together. JSON has each of them.
static void
look_alikes(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t epochs = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "epochs", epochs);
    add_epoch(&made, epochs, "losses", 3);
    add_epoch(&made, epochs, "other2", 5);
    add_epoch(&made, epochs, "losses", 4);
    add_epoch(&made, LG_NONE, "losses", 3);
    add_epoch(&made, LG_NONE, "losses", 3);
    add_epoch(&made, epochs, "other3", 3);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    lg_text text = {0};
    lg_text json = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, &text,
                               NULL) == LG_OK);
    REQUIRE(lg_report_findings(analysis, &findings, LG_FORMAT_JSON, &json,
                               NULL) == LG_OK);
    CHECK(findings.count == 6 && findings.group_count == 4);
    uint64_t kept = 0;
    for (size_t i = 0; i < findings.group_count; i++) {
        const lg_finding_group *group = &findings.groups[i];
        CHECK(findings.items[group->first].alike == group->first);
        CHECK(group->total == group->retained[0] && !group->varied);
        kept += group->count;
    }
    CHECK(kept == 3 + 5 + 4 + 3 + 3 + 3);
    CHECK(findings.groups[0].findings == 2 && findings.groups[0].count == 7);
    for (size_t i = 0; i < findings.count; i++) {
        const lg_holder *holder = findings.items[i].holders;
        bool garbage = holder->path.start == LG_STARTS_NOWHERE;
        CHECK(findings.items[i].holder_count == 1);
        CHECK(garbage == !lg_node_is_reachable(analysis, holder->node));
        CHECK(garbage ||
              holder->path.hops[holder->path.count - 1].target == holder->node);
    }
    size_t named = 0;
    for (const char *at = json.data; (at = strstr(at, "\"count\": ")); at++)
        named++;
    CHECK(named == 2 * 6); // of each finding and of its holder
    const char *at = after(text.data, "6 findings, similar ones together\n\n"
                                      "loss-history: 1.80 KiB, 7 x Tensor\n"
                                      "  held by  app.epochs[22].losses  list "
                                      "of 4 #23\n"
                                      "           and 1 more like it\n"
                                      "  cause ");
    at = after(at, "\n\nloss-history: 1.55 KiB, 6 x Tensor\n"
                   "  held by  garbage: Epoch.losses  list of 3 #33\n"
                   "           and 1 more like it\n");
    at = after(at, "  held by  app.epochs[10].other2  list of 5 #11\n  cause ");
    at = after(at, "  held by  app.epochs[48].other3  list of 3 #49\n  cause ");
    CHECK(at[0] != '\0');
    lg_text_free(&text);
    lg_text_free(&json);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Checks what the report says of three objects in gc.garbage.
static void
saved(const char *const types[3], const char *const texts[3], uint64_t of_type,
      const char *expected)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t collector = story_module(&made, "gc");
    uint32_t garbage = heap_list(&made, LG_NONE);
    story_attribute(&made, collector, "garbage", garbage);
    for (size_t i = 0; i < 3; i++)
        heap_append(&made, garbage,
                    story_add(&made, types[i], texts[i], HEAP_BIG));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    lg_text text = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 1 && findings.group_count == 1);
    CHECK(findings.items[0].count == 3);
    CHECK(findings.items[0].of_type == of_type);
    CHECK(lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, &text,
                             NULL) == LG_OK);
    after(text.data, expected);
    lg_text_free(&text);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// The report names the commonest type, and what is the same of all its objects.
static void
several_types(void)
{
    static const char *const types[] = {"app.First", "app.Many", "app.Many"};
    static const char *const alike[] = {"Many", "Many", "Many"};
    static const char *const same[] = {"of 2", "of 2", "of 2"};
    static const char *const none[3] = {NULL};
    static const char *const last[] = {"of 2", "of 2", "of 3"};
    saved(types, none, 2, ", 3 objects, 2 of them Many\n");
    saved(alike, same, 3, ", 3 x Many of 2\n");
    saved(alike, last, 3, ", 3 x Many\n");
}

// Each pattern has its own name, one sentence and one line.
static void
table(void)
{
    size_t count = 0;
    for (; lg_pattern_at(count) != NULL; count++) {
        const lg_pattern *pattern = lg_pattern_at(count);
        lg_string name = {pattern->name, (uint32_t)strlen(pattern->name)};
        CHECK(lg_pattern_find(name) == pattern);
        for (size_t i = 0; i < count; i++)
            CHECK(strcmp(lg_pattern_at(i)->name, pattern->name) != 0);
        CHECK(pattern->cause[strlen(pattern->cause) - 1] == '.');
        CHECK(strchr(pattern->fix, '\n') == NULL);
    }
    CHECK(count == 37);
}

// A report gives the number of findings, even if it is 0.
static void
number(void)
{
    static const char *const expected[] = {
        "No known mistake was recognised.\n"
        "That does not rule out a leak: top shows who keeps the most, diff of "
        "snapshots what grows, waste what can go.\n",
        "1 finding\n",
        "2 findings\n",
    };
    static const char *const names[] = {"a", "b"};
    for (uint32_t count = 0; count < 3; count++) {
        uint32_t app;
        story made = heap_begin(&app);
        lg_text text = {0};
        lg_findings findings = {0};
        for (uint32_t i = 0; i < count; i++) {
            uint32_t all = heap_list(&made, LG_NONE);
            story_attribute(&made, app, names[i], all);
            for (int n = 0; n < 3; n++)
                heap_append(&made, all, heap_loss(&made));
        }
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
                LG_OK);
        REQUIRE(lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, &text,
                                   NULL) == LG_OK);
        REQUIRE(text.length >= strlen(expected[count]));
        text.data[strlen(expected[count])] = '\0';
        CHECK_TEXT(text, expected[count]);
        lg_text_free(&text);
        lg_findings_free(&findings);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

SUITE(findings)
{
    RUN(autocast);
    RUN(of_a_node);
    RUN(shapes_that_differ);
    RUN(of_rows);
    RUN(look_alikes);
    RUN(several_types);
    RUN(number);
    RUN(table);
    return test_result();
}
