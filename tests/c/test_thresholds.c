// How much a known mistake must keep before a report names it, and how deep in
// lists. Each mistake has a row: with one byte less, or one list more, there is
// no finding.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

// Makes the mistake keep one object, whose memory varies.
typedef void mistake(story *made, uint32_t app, uint32_t thing);

static void
keep_exception(story *made, uint32_t app, uint32_t thing)
{
    uint32_t error = story_add(made, "ValueError", NULL, 80);
    uint32_t traceback = story_add(made, "traceback", NULL, 64);
    uint32_t frame = story_add(made, "frame", NULL, 300);
    story_attribute(made, app, "failure", error);
    story_attribute(made, error, "__traceback__", traceback);
    story_attribute(made, traceback, "tb_frame", frame);
    story_local(made, frame, "part", thing);
}

static void
keep_cache(story *made, uint32_t app, uint32_t thing)
{
    uint32_t cache = story_add(made, "functools._lru_cache_wrapper", NULL, 100);
    uint32_t dict = story_add(made, "dict", NULL, 100);
    story_attribute(made, app, "load", cache);
    story_attribute(made, cache, "cache", dict);
    heap_item(made, dict, "a", thing);
    heap_item(made, dict, "b", story_add(made, "int", NULL, 28));
}

static void
keep_output(story *made, uint32_t app, uint32_t thing)
{
    uint32_t names = story_add(made, "dict", NULL, 200);
    uint32_t all = story_add(made, "dict", NULL, 200);
    story_edge(made, app, names, LG_EDGE_DICT, 0);
    heap_item(made, names, "Out", all);
    heap_item(made, names, "_oh", all);
    heap_item(made, all, "1", thing);
}

static void
keep_batch(story *made, uint32_t app, uint32_t thing)
{
    uint32_t loader = story_add(made, "Loader", NULL, 48);
    uint32_t tasks = story_add(made, "dict", NULL, 100);
    story_attribute(made, app, "batches", loader);
    story_attribute(made, loader, "_task_info", tasks);
    heap_item(made, tasks, "3", heap_list(made, thing));
}

static void
keep_compiled(story *made, uint32_t app, uint32_t thing)
{
    uint32_t names = story_add(made, "dict", NULL, 200);
    story_edge(made, app, names, LG_EDGE_DICT, 0);
    heap_item(made, names, "__compiled_fn_1", heap_function(made, thing));
    heap_item(made, names, "__compiled_fn_2", heap_function(made, LG_NONE));
}

static void
keep_view(story *made, uint32_t app, uint32_t thing)
{
    uint32_t view = heap_tensor(made, 400, LG_NONE);
    story_attribute(made, view, "._base", thing);
    story_attribute(made, app, "view", view);
}

static void
keep_callback(story *made, uint32_t app, uint32_t thing)
{
    uint32_t reference =
        story_add(made, "matplotlib.cbook._StrongRef", NULL, 48);
    story_attribute(made, app, "reference", reference);
    story_attribute(made, reference, "_obj",
                    heap_function(made, heap_list(made, thing)));
}

static void
keep_frames(story *made, uint32_t app, uint32_t thing)
{
    uint32_t animation = story_add(made, "FuncAnimation", NULL, 48);
    story_attribute(made, app, "animation", animation);
    story_attribute(made, animation, "_save_seq", heap_list(made, thing));
}

static void
keep_garbage(story *made, uint32_t app, uint32_t thing)
{
    (void)app;
    uint32_t node = story_add(made, "Node", NULL, 48);
    story_attribute(made, node, "me", node);
    story_attribute(made, node, "part", thing);
    lg_builder_set_info(made->builder, "gc.enabled", "no");
}

enum { ANY_DEPTH = 9 }; // a list keeps its contents alive

static const struct {
    const char *pattern;
    uint64_t least;
    uint32_t lists;
    mistake *make;
} thresholds[] = {
    {"exception-traceback", 65536, ANY_DEPTH, keep_exception},
    {"lru-cache", 65536, ANY_DEPTH, keep_cache},
    {"notebook-output", 65536, ANY_DEPTH, keep_output},
    {"prefetched-batches", 65536, 3, keep_batch},
    {"compiled-code", 65536, 5, keep_compiled},
    {"small-view", 262144, 0, keep_view},
    {"canvas-callback", 65536, 2, keep_callback},
    {"animation-frames", 65536, ANY_DEPTH, keep_frames},
    {"disabled-collector", 1048576, ANY_DEPTH, keep_garbage},
};

static story
made_with(mistake *make, uint64_t bytes, uint32_t lists)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t thing = heap_tensor(&made, bytes, LG_NONE);
    heap_memory_of(&made, thing, bytes);
    for (; lists > 0; lists--)
        thing = heap_list(&made, thing);
    make(&made, app, thing);
    return made;
}

static void
check_pattern(mistake *make, uint64_t bytes, const char *expected)
{
    story made = made_with(make, bytes, 0);
    lg_text found = {0};
    heap_findings(&made, &found);
    if (found.length > 0)
        found.data[found.length - 1] = '\0'; // the space after the name
    CHECK_TEXT(found, expected);
    lg_text_free(&found);
}

static void
least_bytes(void)
{
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        mistake *make = thresholds[i].make;
        story much = made_with(make, HEAP_BIG, 0);
        uint64_t besides = heap_finding_bytes(&much) - HEAP_BIG;
        CHECK(besides < 1000);
        uint64_t bytes = thresholds[i].least - besides;
        check_pattern(make, bytes, thresholds[i].pattern);
        check_pattern(make, bytes - 1, "");
    }
}

static void
deepest_list(void)
{
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        uint32_t lists = 0;
        for (; lists < ANY_DEPTH; lists++) {
            story made = made_with(thresholds[i].make, HEAP_BIG, lists + 1);
            if (heap_finding_bytes(&made) == 0)
                break;
        }
        if (lists != thresholds[i].lists)
            fprintf(stderr, "%s: found in %u lists\n", thresholds[i].pattern,
                    lists);
        CHECK(lists == thresholds[i].lists);
    }
}

// A tensor in lists is named, down to this depth. Deeper down, it is plain data
// of the list, and a cache has keys, too.
static void
deepest_tensor(void)
{
    static const struct {
        mistake *make;
        uint32_t lists;
        const char *deeper;
    } named[] = {{keep_exception, 2, "list"}, {keep_cache, 3, "str"}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        for (uint32_t more = 0; more < 2; more++) {
            story made =
                made_with(named[i].make, HEAP_BIG, named[i].lists + more);
            CHECK(heap_finding_shows(&made,
                                     more ? named[i].deeper : "torch.Tensor"));
        }
}

// A hook that refers back to its tensor. The collector sees the tensor's own
// hooks and frees them, but not those of a C++ object.
static void
hook_cycles(void)
{
    for (int cpp = 0; cpp < 2; cpp++) {
        uint32_t app;
        lg_text found = {0};
        story made = heap_begin(&app);
        uint32_t node = heap_grad_fn(&made, "ExpBackward0", LG_NONE, LG_NONE);
        uint32_t tensor = heap_tensor(&made, HEAP_BIG, cpp ? node : LG_NONE);
        uint32_t all = story_add(&made, "collections.OrderedDict", NULL, 100);
        if (cpp)
            story_attribute(&made, node, "pre_hooks", all);
        else
            story_attribute(&made, tensor, "_backward_hooks", all);
        heap_item(&made, all, "1", heap_function(&made, tensor));
        heap_findings(&made, &found);
        if (strcmp(found.data, cpp ? "hook-cycle " : "") != 0)
            fprintf(stderr, "%d: '%s'\n", cpp, found.data);
        CHECK(strcmp(found.data, cpp ? "hook-cycle " : "") == 0);
        lg_text_free(&found);
    }
}

// Findings that are alike matter together: each view keeps little, and all of
// them much. Smaller bases are not looked at.
static void
many_small_ones(void)
{
    static const struct {
        uint32_t count;
        uint32_t bytes;
        bool apart; // each in a list of its own
        const char *expected;
    } cases[] = {
        {16, 16 << 10, false, "small-view "},
        {15, 16 << 10, false, ""},
        {5, 64 << 10, false, "small-view "},
        {3, 64 << 10, false, ""},
        {40, (16 << 10) - 1, false, ""},
        {4, 64 << 10, true, "small-view small-view small-view small-view "},
        {3, 64 << 10, true, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t rows = heap_list(&made, LG_NONE);
        story_attribute(&made, app, "rows", rows);
        for (uint32_t row = 0; row < cases[i].count; row++) {
            uint32_t base = heap_tensor(&made, cases[i].bytes, LG_NONE);
            uint32_t view = heap_tensor(&made, 400, LG_NONE);
            heap_memory_of(&made, base, cases[i].bytes);
            story_attribute(&made, view, "._base", base);
            heap_append(&made, rows,
                        cases[i].apart ? heap_list(&made, view) : view);
        }
        CHECK(heap_finds(&made, cases[i].expected));
    }
}

SUITE(thresholds)
{
    RUN(many_small_ones);
    RUN(least_bytes);
    RUN(deepest_list);
    RUN(deepest_tensor);
    RUN(hook_cycles);
    return test_result();
}
