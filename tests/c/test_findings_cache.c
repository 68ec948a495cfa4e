// What makes a cached function a mistake: how much plain data it keeps, and how
// often calls find their results.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { PLAIN_DATA = 256 * 1024, WRAPPER = 100, DICT = 100 };

typedef struct cached {
    story made;
    uint32_t wrapper;
    uint32_t dict;
    bool limited;
} cached;

static cached
cache_begin(const char *limit)
{
    uint32_t app;
    cached to = {.made = heap_begin(&app), .limited = limit != NULL};
    to.wrapper =
        story_add(&to.made, "functools._lru_cache_wrapper", NULL, WRAPPER);
    to.dict = story_add(&to.made, "dict", NULL, DICT);
    story_attribute(&to.made, app, "load", to.wrapper);
    story_attribute(&to.made, to.wrapper, "cache", to.dict);
    if (limit != NULL)
        lg_builder_add_fact(to.made.builder, to.wrapper, "maxsize", limit,
                            strlen(limit));
    return to;
}

static void
cache_calls(cached *to, const char *hits, const char *misses)
{
    lg_builder *builder = to->made.builder;
    lg_builder_add_fact(builder, to->wrapper, "hits", hits, strlen(hits));
    lg_builder_add_fact(builder, to->wrapper, "misses", misses, strlen(misses));
}

// Adds an entry. With a limit, the dict has links, and the wrapper refers to
// the links, the keys and the results.
static void
cache_add(cached *to, uint32_t argument, uint32_t result)
{
    uint32_t key = story_add(&to->made, "tuple", NULL, 0);
    heap_append(&to->made, key, argument);
    uint32_t owner = to->limited ? to->wrapper : to->dict;
    story_edge(&to->made, owner, key, LG_EDGE_KEY, 0);
    story_edge(&to->made, owner, result, LG_EDGE_VALUE, key);
    if (!to->limited)
        return;
    uint32_t link = story_add(&to->made, "functools._lru_list_elem", NULL, 0);
    story_edge(&to->made, to->dict, link, LG_EDGE_VALUE, key);
    story_edge(&to->made, to->wrapper, link, LG_EDGE_INDEX, 0);
}

static uint32_t
cache_thing(cached *to, const char *type, uint64_t size)
{
    return story_add(&to->made, type, NULL, size);
}

static void
least_plain_data(void)
{
    static const char *const limits[] = {NULL, "128"};
    for (uint32_t i = 0; i < 4; i++) {
        cached to = cache_begin(limits[i / 2]);
        uint64_t size = PLAIN_DATA - WRAPPER - DICT - i % 2;
        cache_add(&to, cache_thing(&to, "int", 0),
                  cache_thing(&to, "bytes", size));
        cache_add(&to, cache_thing(&to, "int", 0),
                  cache_thing(&to, "NoneType", 0));
        CHECK(heap_finds(&to.made, i % 2 ? "" : "lru-cache "));
    }
}

// The keys, links and results of a cache go together.
static void
all_of_it_goes(void)
{
    cached to = cache_begin("128");
    for (int n = 0; n < 2; n++)
        cache_add(&to, cache_thing(&to, "int", 0),
                  cache_thing(&to, "bytes", HEAP_BIG));
    CHECK(heap_finding_bytes(&to.made) == 2 * HEAP_BIG + DICT);
}

static const struct {
    const char *argument;
    const char *result;
    const char *hits; // of calls with 100 misses
    const char *limit;
    bool found;
} calls[] = {
    {"int", "bytes", "0", NULL, true},
    {"int", "bytes", "49", NULL, true},
    {"int", "bytes", "50", NULL, false},
    {"int", "bytes", "50", "128", false},
    {"int", "numpy.ndarray", "49", NULL, true},
    {"int", "numpy.ndarray", "50", NULL, false},
    {"app.User", "bytes", "50", NULL, true},
    {"app.User", "bytes", "50", "128", false},
    {"app.User", "numpy.ndarray", "50", "128", true},
    {"object", "bytes", "50", NULL, false},
};

static void
hits(void)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cached to = cache_begin(calls[i].limit);
        cache_calls(&to, calls[i].hits, "100");
        for (int n = 0; n < 2; n++)
            cache_add(&to, cache_thing(&to, calls[i].argument, 48),
                      cache_thing(&to, calls[i].result, HEAP_BIG));
        bool as_told = heap_finds(&to.made, calls[i].found ? "lru-cache " : "");
        if (!as_told)
            fprintf(stderr, "row %zu\n", i);
        CHECK(as_told);
    }
}

SUITE(findings_cache)
{
    RUN(least_plain_data);
    RUN(all_of_it_goes);
    RUN(hits);
    return test_result();
}
