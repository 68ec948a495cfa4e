// Baselines: what is read, kept and added, and files that are no baselines.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

#include <leakgraph/internal/baseline.h>

#include <unistd.h>

static char path[] = "/tmp/leakgraph-baseline-XXXXXX";

static void
write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL && fputs(text, file) >= 0);
    fclose(file);
}

static void
check_file(const char *expected)
{
    char text[512] = "";
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    CHECK(strcmp(text, expected) == 0);
}

static lg_baseline *
load(void)
{
    lg_baseline *baseline = NULL;
    REQUIRE(lg_baseline_load(path, false, &baseline, NULL) == LG_OK);
    return baseline;
}

static void
check_refused(const char *text, const char *part)
{
    lg_baseline *none = NULL;
    lg_error error = {0};
    write_file(text);
    CHECK(lg_baseline_load(path, true, &none, &error) == LG_EFORMAT);
    CHECK(none == NULL && strstr(error.message, part) != NULL);
}

#define FIRST "leakgraph baseline 1\n"
#define KNOWN                                                                  \
    FIRST "# why\n\ngrowth 00000000000000ab a.b[*]\ncycle 1234567890abcdef"

static void
test_lines_are_kept_and_added(void)
{
    write_file(KNOWN);
    lg_baseline *baseline = load();
    lg_baseline_kind kind;
    CHECK(lg_baseline_count(baseline) == 2);
    CHECK(lg_baseline_key(baseline, 1, &kind) == 0x1234567890abcdef);
    CHECK(kind == LG_BASELINE_CYCLE);
    CHECK(lg_baseline_knows(baseline, LG_BASELINE_GROWTH, 0xab));
    CHECK(!lg_baseline_knows(baseline, LG_BASELINE_CYCLE, 0xab));
    CHECK(lg_baseline_knows(baseline, LG_BASELINE_CYCLE, 0x1234567890abcdef));
    const lg_string note = {"two\nlines", 9};
    CHECK(lg_baseline_add(baseline, LG_BASELINE_GROWTH, 0xab, note, NULL) ==
          LG_OK);
    CHECK(lg_baseline_add(baseline, LG_BASELINE_CYCLE, 7, note, NULL) == LG_OK);
    CHECK(lg_baseline_knows(baseline, LG_BASELINE_CYCLE, 7));
    CHECK(lg_baseline_save(baseline, path, NULL) == LG_OK);
    check_file(KNOWN "\ncycle 0000000000000007 two lines\n");
    lg_baseline_free(baseline);
    baseline = load();
    CHECK(lg_baseline_count(baseline) == 3);
    lg_baseline_free(baseline);
    lg_baseline_free(NULL);
}

static void
test_a_missing_file(void)
{
    lg_baseline *baseline = NULL;
    lg_error error = {0};
    unlink(path);
    CHECK(lg_baseline_load(path, false, &baseline, &error) == LG_EIO);
    CHECK(strstr(error.message, "cannot open the baseline") != NULL);
    REQUIRE(lg_baseline_load(path, true, &baseline, NULL) == LG_OK);
    CHECK(lg_baseline_count(baseline) == 0);
    CHECK(lg_baseline_save(baseline, path, NULL) == LG_OK);
    check_file(FIRST);
    CHECK(lg_baseline_save(baseline, "/nowhere/x", &error) == LG_EIO);
    lg_baseline_free(baseline);
}

static void
test_what_is_no_baseline(void)
{
    check_refused("", "first line");
    check_refused("{}\n", "first line");
    check_refused("leakgraph baseline \n", "first line");
    check_refused("leakgraph baseline 2\n", "another version");
    check_refused("leakgraph baseline 11\n", "another version");
    check_refused(FIRST "growth\n", "line 2");
    check_refused(FIRST "\nleak 00000000000000ab\n", "line 3");
    check_refused(FIRST "growth 00000000000000a\n", "line 2");
    check_refused(FIRST "growth 00000000000000ag\n", "line 2");
    check_refused(FIRST "growth 00000000000000abc\n", "line 2");
}

// A baseline notes each group, and then knows all findings.
static void
test_all_findings_are_noted(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    static const char *const names[] = {"losses", "penalties"};
    for (int i = 0; i < 2; i++) {
        uint32_t all = heap_list(&made, LG_NONE);
        story_attribute(&made, app, names[i], all);
        for (int n = 0; n < 3 + i; n++)
            heap_append(&made, all, heap_loss(&made));
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    lg_baseline *baseline = NULL;
    REQUIRE(lg_baseline_load("/no/baseline", true, &baseline, NULL) == LG_OK);
    REQUIRE(lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) ==
            LG_OK);
    REQUIRE(findings.count == 2 && findings.group_count == 2);
    CHECK(lg_findings_note(graph, &findings, baseline, NULL) == LG_OK);
    CHECK(lg_baseline_count(baseline) == 2);
    CHECK(lg_findings_leave_out(&findings, baseline, NULL) == LG_OK);
    CHECK(findings.count == 0 && findings.group_count == 0);
    CHECK(findings.known == 2);
    lg_findings_free(&findings);
    lg_baseline_free(baseline);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(baseline)
{
    int file = mkstemp(path);
    REQUIRE(file >= 0);
    close(file);
    RUN(test_lines_are_kept_and_added);
    RUN(test_a_missing_file);
    RUN(test_what_is_no_baseline);
    RUN(test_all_findings_are_noted);
    unlink(path);
    return test_result();
}
