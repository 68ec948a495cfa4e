// The areas of a map: packages, what has no area, and older snapshots.
#include "drawn.h"
#include "growing.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/heap_map.h>
#include <leakgraph/internal/writing.h>

#include <stdio.h>
#include <string.h>

typedef struct mapped {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_places *places;
    lg_heap_map map;
} mapped;

static lg_heap_map
find(const mapped *of, size_t limit)
{
    const lg_heap_map_options options = {.size = sizeof options,
                                         .limit = limit};
    lg_heap_map map;
    REQUIRE(lg_heap_map_find(of->analysis, of->places, &options, NULL, &map,
                             NULL) == LG_OK);
    return map;
}

// The first modules, a thread, a builtin class, garbage.
static mapped
make_of(size_t count)
{
    static const char *const modules[] = {
        "json", "json.decoder", "json.tool.deep.deeper", "app", "json-lines"};
    story made = story_begin();
    for (size_t i = 0; i < count; i++) {
        uint32_t module = story_module(&made, modules[i]);
        uint32_t list = story_add(&made, "list", NULL, 1000 * (i + 1));
        story_attribute(&made, module, "kept", list);
        for (uint32_t item = 0; item < 3; item++)
            story_edge(&made, list, story_add(&made, "bytes", NULL, 100),
                       LG_EDGE_INDEX, item);
    }
    uint32_t thread = story_add(&made, "thread", "MainThread", 60);
    lg_builder_add_root(made.builder, thread, LG_ROOT_THREAD, "MainThread", 10);
    uint32_t ring = story_add(&made, "app.Ring", NULL, 500);
    story_attribute(&made, ring, "me", ring);
    mapped out = {.graph = story_end(&made)};
    out.analysis = analysed(out.graph);
    REQUIRE(lg_places_new(out.analysis, NULL, &out.places, NULL) == LG_OK);
    out.map = find(&out, 0);
    return out;
}

static mapped
make(void)
{
    return make_of(4);
}

static void
forget(mapped *made)
{
    lg_heap_map_free(&made->map);
    lg_places_free(made->places);
    lg_analysis_free(made->analysis);
    lg_graph_free(made->graph);
}

// Adds `json.decoder in json`, or `kept in app`.
static void
name(const mapped *of, uint32_t index, lg_text *out)
{
    const lg_area *area = &of->map.areas[index];
    lg_string label = area->package;
    if (area->place != LG_NONE)
        label = lg_places_at(of->places, area->place).label;
    lg_text_add_bytes(out, label.data, label.length);
    if (area->parent != LG_NONE) {
        lg_text_add(out, " in ");
        name(of, area->parent, out);
    }
}

static bool
has(const mapped *of, const char *expected)
{
    bool found = false;
    for (uint32_t i = 0; i < of->map.count && !found; i++) {
        lg_text text = {0};
        name(of, i, &text);
        found = strcmp(text.data, expected) == 0;
        lg_text_free(&text);
    }
    return found;
}

static void
roots_are_in_packages(void)
{
    mapped made = make();
    CHECK(has(&made, "json") && has(&made, "json.decoder in json"));
    CHECK(has(&made, "json.tool.deep in json.tool in json"));
    CHECK(has(&made, "json.tool.deep.deeper in json.tool.deep in json.tool in "
                     "json"));
    CHECK(has(&made, ".kept in json.tool.deep.deeper in json.tool.deep in "
                     "json.tool in json"));
    CHECK(has(&made, ".kept in json.decoder in json.decoder in json"));
    CHECK(has(&made, ".kept in app in app"));
    CHECK(has(&made, "MainThread in threads and tasks"));
    CHECK(has(&made, " in garbage"));
    for (uint32_t i = 0; i < made.map.count; i++) {
        const lg_area *area = &made.map.areas[i];
        bool outer = area->place == LG_NONE && area->parent == LG_NONE;
        CHECK(area->mine == (outer && area->package.data[0] != 'j'));
        CHECK(area->left_out == 0);
        CHECK(area->parent == LG_NONE || area->parent < i);
    }
    forget(&made);
}

// A name that only begins like a package comes between no two of its modules.
static void
a_package_is_one_area(void)
{
    mapped made = make_of(5);
    unsigned packages = 0;
    for (uint32_t i = 0; i < made.map.count; i++) {
        lg_string package = made.map.areas[i].package;
        if (package.length == 4 && memcmp(package.data, "json", 4) == 0)
            packages++;
    }
    CHECK(packages == 1);
    CHECK(has(&made, ".kept in json-lines in json-lines"));
    forget(&made);
}

// Bytes of an area are its own, those of the areas in it, and the rest.
static void
check_sums(const mapped *of, const lg_heap_map *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const lg_area *area = &map->areas[i];
        uint64_t sum = area->rest[0];
        if (area->place != LG_NONE)
            sum += lg_places_at(of->places, area->place).own[0];
        for (uint32_t inner = i + 1; inner < map->count; inner++)
            if (map->areas[inner].parent == i)
                sum += map->areas[inner].within[0];
        CHECK(sum == area->within[0]);
        CHECK((area->left_out > 0) == (area->rest[0] > 0));
    }
}

// Outer packages always have an area; others have one if they are big enough.
static void
what_has_no_area_is_added_up(void)
{
    mapped made = make();
    size_t outer = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < made.map.count; i++) {
        bool is_outer = made.map.areas[i].parent == LG_NONE;
        outer += is_outer;
        bytes += is_outer ? made.map.areas[i].within[0] : 0;
    }
    for (size_t limit = 1; limit <= made.map.count; limit++) {
        lg_heap_map map = find(&made, limit);
        uint64_t shown = 0;
        CHECK(map.count >= outer && map.count >= limit &&
              map.count <= limit + outer);
        check_sums(&made, &map);
        for (uint32_t i = 0; i < map.count; i++)
            shown +=
                map.areas[i].parent == LG_NONE ? map.areas[i].within[0] : 0;
        CHECK(shown == bytes);
        lg_heap_map_free(&map);
    }
    forget(&made);
}

// Of the lists, only that of app is among the four biggest.
static void
the_biggest_have_areas(void)
{
    mapped made = make();
    lg_heap_map_free(&made.map);
    made.map = find(&made, 4);
    CHECK(has(&made, ".kept in app in app"));
    CHECK(!has(&made, ".kept in json in json"));
    forget(&made);
}

// Places go by key, and devices by name.
static void
older_snapshots_are_added_up(void)
{
    const growing_heap heaps[] = {{.items = 5, .batches = 1},
                                  {.items = 10, .batches = 2},
                                  {.items = 15, .batches = 3}};
    growing_series made = growing_compare(heaps, 3, NULL);
    for (size_t limit = 0; limit < 2; limit++) {
        const lg_places *places = lg_summary_places(made.summary[2]);
        const lg_heap_map_options options = {
            .size = sizeof options,
            .limit = limit,
            .older = (const lg_summary *const *)made.summary,
            .older_count = 2};
        lg_heap_map map;
        uint64_t before[2][2] = {{0, 0}, {0, 0}};
        REQUIRE(lg_heap_map_find(made.analysis[2], places, &options, NULL, &map,
                                 NULL) == LG_OK);
        REQUIRE(map.older == 2 && map.devices == 1);
        for (size_t i = 0; i < map.count; i++)
            for (size_t at = 0; at < 4; at++)
                before[at / 2][at % 2] +=
                    map.areas[i].own_before[at] + map.areas[i].rest_before[at];
        for (size_t at = 0; at < 4; at++)
            CHECK(before[at / 2][at % 2] == map.totals_before[at]);
        CHECK(map.totals_before[1] == 1 << 20);
        CHECK(map.totals_before[3] == 2 << 20);
        CHECK(map.totals_before[2] - map.totals_before[0] >= 5000);
        lg_heap_map_free(&map);
    }
    growing_forget(&made);
}

// The graph knows what a type derives from. Its places know only its name.
static void
bases_are_known_with_the_graph(void)
{
    story made = story_begin();
    story_type(&made, "app.Table", "dict");
    uint32_t app = story_module(&made, "app");
    story_attribute(&made, app, "table",
                    story_add(&made, "app.Table", NULL, 500));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_places *places = NULL;
    REQUIRE(lg_places_new(analysis, NULL, &places, NULL) == LG_OK);
    uint32_t last = lg_places_count(places) - 1;
    CHECK(lg_place_category(places, last, graph) == LG_CATEGORY_CONTAINER);
    CHECK(lg_place_category(places, last, NULL) == LG_CATEGORY_OTHER);
    CHECK(lg_place_category(places, lg_places_at(places, last).parent, NULL) ==
          LG_CATEGORY_MODULE);
    lg_places_free(places);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Returns whether the only place of its type is of memory of C code.
static bool
is_native(const mapped *of, const char *type)
{
    const lg_area *found = NULL;
    for (size_t i = 0; i < of->map.count; i++) {
        const lg_area *area = &of->map.areas[i];
        if (area->place == LG_NONE)
            continue;
        lg_string name = lg_places_at(of->places, area->place).type;
        if (name.length == strlen(type) &&
            memcmp(name.data, type, name.length) == 0)
            found = area;
    }
    REQUIRE(found != NULL);
    return found->native;
}

// Two objects of 100 bytes have each so many blocks of 60 bytes.
static mapped
make_native(uint32_t blocks)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t list = story_add(&made, "list", NULL, 50);
    uint32_t object[2], library = story_add(&made, "lib.Table", NULL, 100);
    story_attribute(&made, app, "kept", list);
    story_attribute(&made, app, "table", library);
    for (uint32_t i = 0; i < 2; i++) {
        object[i] = story_add(&made, "lib.Stream", NULL, 100);
        story_edge(&made, list, object[i], LG_EDGE_INDEX, i);
    }
    made.flags = LG_NODE_SYNTHETIC | LG_NODE_NATIVE;
    for (uint32_t i = 0; i < 2 * blocks; i++)
        story_edge(&made, object[i % 2], story_add(&made, "block", NULL, 60),
                   LG_EDGE_NATIVE,
                   lg_builder_intern(made.builder, "member", 6));
    uint32_t top = story_add(&made, "library variables", NULL, 10);
    lg_builder_add_root(made.builder, top, LG_ROOT_NATIVE, "", 0);
    mapped out = {.graph = story_end(&made)};
    out.analysis = analysed(out.graph);
    REQUIRE(lg_places_new(out.analysis, NULL, &out.places, NULL) == LG_OK);
    out.map = find(&out, 0);
    return out;
}

static void
memory_of_c_code_is_a_kind(void)
{
    mapped few = make_native(1);
    mapped most = make_native(2);
    CHECK(is_native(&few, "library variables"));
    CHECK(!is_native(&few, "lib.Table") && !is_native(&few, "lib.Stream"));
    CHECK(!is_native(&most, "lib.Table") && is_native(&most, "lib.Stream"));
    CHECK(!is_native(&most, "list"));
    forget(&few);
    forget(&most);
}

SUITE(heap_map)
{
    RUN(memory_of_c_code_is_a_kind);
    RUN(bases_are_known_with_the_graph);
    RUN(roots_are_in_packages);
    RUN(a_package_is_one_area);
    RUN(what_has_no_area_is_added_up);
    RUN(the_biggest_have_areas);
    RUN(older_snapshots_are_added_up);
    return test_result();
}
