// The limits of the picture of a cycle: how much of a long cycle, of what leads
// to it and of what it keeps is drawn.
#include "heap.h"
#include "pictured.h"
#include "test.h"

#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/answer_views.h>

// Draws the only cycle of the heap.
static pictured
draw_cycle(test_heap *heap)
{
    lg_cycles cycles;
    pictured made = pictured_begin(heap);
    const lg_cycle_options all = {.size = sizeof all, .min_bytes = 0};
    REQUIRE(!lg_analysis_cycles(made.analysis, &all, NULL, &cycles, NULL));
    REQUIRE(cycles.count == 1);
    REQUIRE(!lg_view_cycle(made.analysis, cycles.items, &made.view, NULL));
    pictured_draw(&made);
    lg_cycles_free(&cycles);
    return made;
}

// Adds a ring of `count` links below app, with `between` objects between them.
static void
add_ring(test_heap *heap, uint32_t between, uint32_t count)
{
    uint32_t at = heap_add_module(heap, "app");
    for (uint32_t i = 0; i < between; i++)
        at = pictured_add(heap, at, "below", 48);
    uint32_t first = heap_add(heap, "app.Link", 48);
    heap_attribute(heap, at, first, "ring");
    uint32_t last = first;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t next = heap_add(heap, "app.Link", 48);
        heap_attribute(heap, last, next, "next");
        last = next;
    }
    heap_attribute(heap, last, first, "first");
}

// A picture shows all of a cycle of 20 objects.
static void
the_longest_cycle(void)
{
    for (uint32_t count = 20; count <= 21; count++) {
        test_heap heap;
        heap_open(&heap);
        add_ring(&heap, 0, count);
        pictured made = draw_cycle(&heap);
        CHECK(pictured_says(&made.json, " more objects", count == 21));
        pictured_forget(&made);
    }
}

// A path of six objects to the cycle has no gap.
static void
the_longest_path_to_a_cycle(void)
{
    for (uint32_t between = 4; between <= 5; between++) {
        test_heap heap;
        heap_open(&heap);
        add_ring(&heap, between, 2);
        pictured made = draw_cycle(&heap);
        CHECK(pictured_says(&made.json, " more objects", between == 5));
        pictured_forget(&made);
    }
}

// A cycle of one object, of 100,000 bytes with what is below it.
static pictured
draw_burdens(const uint64_t *sizes, size_t count)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    test_heap heap;
    uint64_t rest = 100000;
    heap_open(&heap);
    uint32_t app = heap_add_module(&heap, "app");
    for (size_t i = 0; i < count; i++)
        rest -= sizes[i];
    uint32_t one = heap_add(&heap, "app.Loop", rest);
    heap_attribute(&heap, app, one, "one");
    heap_attribute(&heap, one, one, "me");
    for (size_t i = 0; i < count; i++)
        pictured_add(&heap, one, names[i], sizes[i]);
    return draw_cycle(&heap);
}

// What hangs from a cycle is drawn from a twentieth of its bytes on.
static void
burdens_from_a_twentieth_on(void)
{
    for (uint64_t less = 0; less < 2; less++) {
        pictured made = draw_burdens((const uint64_t[]){5000 - less}, 1);
        CHECK(pictured_says(&made.json, "\"label\": \".a\"", !less));
        pictured_forget(&made);
    }
}

// Of five, the picture draws the four biggest.
static void
burdens_are_four(void)
{
    pictured made =
        draw_burdens((const uint64_t[]){9000, 6000, 8000, 7000, 5000}, 5);
    CHECK(pictured_says(&made.json, "\"label\": \".b\"", 1));
    CHECK(pictured_says(&made.json, "\"label\": \".e\"", 0));
    pictured_forget(&made);
}

// Below a kibibyte it is not worth a box, even in a small cycle.
static void
burdens_from_a_kibibyte_on(void)
{
    for (uint64_t less = 0; less < 2; less++) {
        test_heap heap;
        heap_open(&heap);
        uint32_t app = heap_add_module(&heap, "app");
        uint32_t one = heap_add(&heap, "app.Loop", 48);
        heap_attribute(&heap, app, one, "one");
        heap_attribute(&heap, one, one, "me");
        pictured_add(&heap, one, "part", 1024 - less);
        pictured made = draw_cycle(&heap);
        CHECK(pictured_says(&made.json, "\"label\": \".part\"", !less));
        pictured_forget(&made);
    }
}

// Adds objects that refer to the hub and back.
static uint32_t
add_spokes(test_heap *heap, uint32_t hub, const char *type, uint32_t count)
{
    uint32_t spoke = LG_NONE;
    for (uint32_t i = 0; i < count; i++) {
        spoke = heap_add(heap, type, 48);
        heap_attribute(heap, hub, spoke, "spoke");
        heap_attribute(heap, spoke, hub, "hub");
    }
    return spoke;
}

static uint32_t
add_hub(test_heap *heap)
{
    uint32_t app = heap_add_module(heap, "app");
    uint32_t hub = heap_add(heap, "app.Hub", 48);
    heap_attribute(heap, app, hub, "hub");
    return hub;
}

// The box for the rest of a component names the three most common types.
static void
types_of_a_component(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t hub = add_hub(&heap);
    add_spokes(&heap, hub, "app.Few", 2);
    add_spokes(&heap, hub, "app.Some", 4);
    add_spokes(&heap, hub, "app.Most", 8);
    add_spokes(&heap, hub, "app.More", 6);
    pictured made = draw_cycle(&heap);
    CHECK(pictured_says(&made.json, " Most · ", 1));
    CHECK(pictured_says(&made.json, " More · ", 1));
    CHECK(pictured_says(&made.json, " Some\"", 1));
    pictured_forget(&made);
}

// In a component of 4,096 objects, the picture looks below each of them.
static void
burdens_of_a_small_component(void)
{
    for (uint32_t spokes = 4095; spokes <= 4096; spokes++) {
        test_heap heap;
        heap_open(&heap);
        uint32_t hub = add_hub(&heap);
        uint32_t last = add_spokes(&heap, hub, "app.Spoke", spokes);
        pictured_add(&heap, last, "burden", 1 << 20);
        pictured made = draw_cycle(&heap);
        CHECK(
            pictured_says(&made.json, "\"title\": \"Thing\"", spokes == 4095));
        pictured_forget(&made);
    }
}

// In a damaged file, a component may have no cycle to show: the picture begins
// at a member.
static void
no_cycle_to_show(void)
{
    test_heap heap;
    lg_cycles cycles;
    heap_open(&heap);
    add_ring(&heap, 0, 3);
    pictured made = pictured_begin(&heap);
    const lg_cycle_options all = {.size = sizeof all, .min_bytes = 0};
    REQUIRE(!lg_analysis_cycles(made.analysis, &all, NULL, &cycles, NULL));
    lg_cycle alone = *cycles.items;
    alone.shortest = (lg_hops){0};
    alone.cut_count = 0;
    REQUIRE(!lg_view_cycle(made.analysis, &alone, &made.view, NULL));
    pictured_draw(&made);
    CHECK(pictured_says(&made.json, "2 more in this component", 1));
    pictured_forget(&made);
    lg_cycles_free(&cycles);
}

SUITE(cycle_view)
{
    RUN(no_cycle_to_show);
    RUN(the_longest_cycle);
    RUN(the_longest_path_to_a_cycle);
    RUN(burdens_from_a_twentieth_on);
    RUN(burdens_are_four);
    RUN(burdens_from_a_kibibyte_on);
    RUN(types_of_a_component);
    RUN(burdens_of_a_small_component);
    return test_result();
}
