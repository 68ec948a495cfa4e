// Summaries: what a file keeps, damaged files, and memory that runs out.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drawn.h"
#include "figure_heap.h"
#include "growth/summary_file.h"
#include "planned.h"
#include "scarce.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/report.h>

static char path[64];

static size_t
size_of(const char *name)
{
    struct stat known;
    REQUIRE(stat(name, &known) == 0);
    return (size_t)known.st_size;
}

static uint8_t *
read_file(size_t *length)
{
    *length = size_of(path);
    uint8_t *data = malloc(*length);
    FILE *file = fopen(path, "rb");
    REQUIRE(data != NULL && file != NULL);
    REQUIRE(fread(data, 1, *length, file) == *length);
    fclose(file);
    return data;
}

static void
write_file(const uint8_t *data, size_t length)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL && fwrite(data, 1, length, file) == length);
    fclose(file);
}

static lg_summary *
summary_of(const planned *from)
{
    uint32_t number[PLANNED_NODES];
    lg_summary *summary = NULL;
    planned_numbers(number, from->nodes, 0);
    planned_places made = planned_build(from, number);
    REQUIRE(lg_summary_new(made.analysis, NULL, &summary, NULL) == LG_OK);
    planned_forget(&made);
    return summary;
}

static void
check_types(const lg_summary *a, const lg_summary *b)
{
    const lg__type_sum *types = a->types.data;
    size_t each = a->places->each * sizeof(uint64_t);
    for (size_t i = 0; i < a->types.count; i++) {
        lg_string name = lg__places_text(a->places, types[i].name);
        uint32_t same = lg__places_seek(b->places, name);
        const lg__type_sum *other = b->types.data;
        for (size_t j = 0; j < b->types.count && other->name != same; j++)
            other++;
        REQUIRE(other < (lg__type_sum *)b->types.data + b->types.count);
        CHECK(other->count == types[i].count);
        CHECK(memcmp(lg__summary_bytes_at(a, types[i].bytes),
                     lg__summary_bytes_at(b, other->bytes), each) == 0);
    }
}

static void
check_same(const lg_summary *a, const lg_summary *b)
{
    const lg_places *left = lg_summary_places(a);
    const lg_places *right = lg_summary_places(b);
    CHECK(lg_places_count(left) == lg_places_count(right));
    for (uint32_t i = 0; i < lg_places_count(left); i++) {
        lg_place one = lg_places_at(left, i);
        lg_place other = lg_places_at(right, i);
        size_t size = (lg_places_device_count(left) + 1) * sizeof *one.own;
        CHECK(one.key == other.key && one.members == other.members);
        CHECK(one.references == other.references);
        CHECK(memcmp(one.own, other.own, size) == 0);
        CHECK(memcmp(one.retained, other.retained, size) == 0);
        CHECK(other.example == LG_NONE);
    }
    CHECK(a->objects == b->objects && a->large == b->large);
    CHECK(a->small == b->small);
    CHECK(a->rest == b->rest && a->mapped == b->mapped &&
          a->types.count == b->types.count);
    CHECK(a->infos.count == b->infos.count);
    REQUIRE(a->tallies.count == b->tallies.count);
    const lg__tally *tallies = a->tallies.data;
    const lg__tally *others = b->tallies.data;
    size_t each = a->places->each * sizeof(uint64_t);
    check_types(a, b);
    for (size_t i = 0; i < a->tallies.count; i++) {
        CHECK(tallies[i].key == others[i].key);
        CHECK(tallies[i].count == others[i].count);
        CHECK(memcmp(lg__summary_bytes_at(a, tallies[i].bytes),
                     lg__summary_bytes_at(b, others[i].bytes), each) == 0);
        CHECK(tallies[i].kept == others[i].kept);
    }
}

static void
files_keep_everything(void)
{
    for (uint64_t seed = 0; seed < 50 && test_failures == 0; seed++) {
        planned from = planned_graph(seed);
        lg_summary *summary = summary_of(&from);
        lg_summary *loaded = NULL;
        summary->mapped = 1000 + seed;
        REQUIRE(lg_summary_save(summary, path, NULL) == LG_OK);
        CHECK(lg_summary_is_file(path));
        REQUIRE(lg_summary_load(path, &loaded, NULL) == LG_OK);
        check_same(summary, loaded);
        lg_summary_free(loaded);
        lg_summary_free(summary);
    }
}

// The biggest stay, with what is above them, and no byte is lost.
static void
small_places_go_into_their_parents(void)
{
    for (uint64_t seed = 0; seed < 500 && test_failures == 0; seed++) {
        planned from = planned_graph(seed);
        lg_summary *summary = summary_of(&from);
        const lg_places *all = lg_summary_places(summary);
        lg_places *few = NULL;
        uint64_t before = 0;
        uint64_t after = 0;
        uint64_t least = 0;
        REQUIRE(lg__places_prune(all, 5, &few, &least));
        CHECK(lg_places_count(few) <= lg_places_count(all));
        for (uint32_t i = 0; i < lg_places_count(few); i++) {
            lg_place place = lg_places_at(few, i);
            uint32_t same = lg_places_find(all, place.key);
            REQUIRE(same != LG_NONE);
            CHECK(place.members == lg_places_at(all, same).members);
            CHECK(place.retained[0] == lg_places_at(all, same).retained[0]);
            after += place.own[0];
        }
        // A root that goes has no parent.
        for (uint32_t i = 0; i < lg_places_count(all); i++) {
            uint32_t top = i;
            while (lg_places_at(all, top).parent != LG_NONE)
                top = lg_places_at(all, top).parent;
            if (lg_places_find(few, lg_places_at(all, top).key) != LG_NONE)
                before += lg_places_at(all, i).own[0];
            if (lg_places_find(few, lg_places_at(all, i).key) == LG_NONE)
                CHECK(lg_places_at(all, i).retained[0] <= least);
        }
        CHECK(before == after);
        lg_places_free(few);
        lg_summary_free(summary);
    }
}

static void
check_refused(const char *sentence)
{
    lg_summary *summary = NULL;
    lg_error err;
    CHECK(lg_summary_load(path, &summary, &err) != LG_OK);
    CHECK(summary == NULL);
    if (strstr(err.message, sentence) == NULL)
        fprintf(stderr, "got %s, not %s\n", err.message, sentence);
    CHECK(strstr(err.message, sentence) != NULL);
}

static void
damaged_files_are_refused(void)
{
    planned from = planned_graph(3);
    lg_summary *summary = summary_of(&from);
    size_t length;
    REQUIRE(lg_summary_save(summary, path, NULL) == LG_OK);
    lg_summary_free(summary);
    uint8_t *data = read_file(&length);
    lg__summary_header header;
    memcpy(&header, data, sizeof header);
    write_file(data, 10);
    check_refused("too short for a leakgraph summary");
    write_file(data, length - 1);
    check_refused("damaged: copy it again");
    data[0] = 'x';
    write_file(data, length);
    CHECK(!lg_summary_is_file(path));
    check_refused("is not a leakgraph summary");
    memcpy(data, &header, sizeof header);
    data[offsetof(lg__summary_header, places)]++;
    write_file(data, length);
    check_refused("damaged header");
    header.major++;
    memcpy(data, &header, sizeof header);
    write_file(data, length);
    check_refused("open it with a newer leakgraph");
    free(data);
    unlink(path);
    CHECK(!lg_summary_is_file(path));
    check_refused("cannot open");
    REQUIRE(mkdir(path, 0700) == 0);
    check_refused("is not a leakgraph summary");
    rmdir(path);
}

static lg_status
do_everything(const lg_graph *graph)
{
    lg_analysis *analysis = NULL;
    lg_summary *summary[2] = {0};
    lg_growth growth = {0};
    lg_text text = {0};
    lg_status status = lg_analysis_new(graph, NULL, &analysis, NULL);
    if (status == LG_OK)
        status = lg_summary_new(analysis, NULL, &summary[0], NULL);
    if (status == LG_OK)
        status = lg_summary_save(summary[0], path, NULL);
    if (status == LG_OK)
        status = lg_summary_load(path, &summary[1], NULL);
    if (status == LG_OK)
        status = lg_growth_find((const lg_summary *const *)summary, 2, NULL,
                                NULL, NULL, &growth, NULL);
    if (status == LG_OK)
        status =
            lg_report_growth(&growth, NULL, 0, LG_FORMAT_JSON, &text, NULL);
    lg_text_free(&text);
    lg_growth_free(&growth);
    lg_summary_free(summary[0]);
    lg_summary_free(summary[1]);
    lg_analysis_free(analysis);
    return status;
}

static void
memory_may_run_out(void)
{
    planned from = planned_graph(11);
    uint32_t number[PLANNED_NODES];
    planned_numbers(number, from.nodes, 0);
    planned_places made = planned_build(&from, number);
    test_failures += sweep(made.graph, do_everything);
    planned_forget(&made);
}

static void
figures_are_counted(void)
{
    figure_heap built = figure_heap_make();
    lg_summary *summary = NULL;
    REQUIRE(lg_summary_new(built.analysis, NULL, &summary, NULL) == LG_OK);
    const lg__tally *tallies = summary->tallies.data;
    size_t counted = 0;
    for (size_t i = 0; i < summary->tallies.count; i++)
        if (tallies[i].kind == LG_TALLY_FIGURE) {
            counted++;
            CHECK(tallies[i].count == FIGURES);
            CHECK(*lg__summary_bytes_at(summary, tallies[i].bytes) >
                  (uint64_t)FIGURES * DATA + 4u * PIXELS);
        }
    CHECK(counted == 1);
    lg_summary_free(summary);
    figure_heap_free(&built);
}

// Roots of other kinds are no threads.
static void
threads_are_counted(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t held = story_add(&made, "list", NULL, 100);
    story_attribute(&made, module, "held", held);
    made.flags = LG_NODE_SYNTHETIC;
    uint32_t thread = story_add(&made, "thread", "MainThread", 0);
    lg_builder_add_root(made.builder, thread, LG_ROOT_THREAD, "MainThread", 10);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_summary *summary = NULL;
    REQUIRE(lg_summary_new(analysis, NULL, &summary, NULL) == LG_OK);
    const lg__tally *tallies = summary->tallies.data;
    size_t counted = 0;
    for (size_t i = 0; i < summary->tallies.count; i++)
        counted += tallies[i].kind == LG_TALLY_THREAD;
    CHECK(counted == 1);
    lg_summary_free(summary);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(summary)
{
    snprintf(path, sizeof path, "/tmp/leakgraph-summary-%d.lgsum",
             (int)getpid());
    RUN(files_keep_everything);
    RUN(small_places_go_into_their_parents);
    RUN(damaged_files_are_refused);
    RUN(figures_are_counted);
    RUN(threads_are_counted);
    RUN(memory_may_run_out);
    unlink(path);
    return test_result();
}
