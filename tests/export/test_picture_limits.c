// The limits of the pictures of answers: what lies at each limit, and what lies
// one beyond it.
#include "asked.h"
#include "heap.h"
#include "pictured.h"
#include "test.h"

#include <leakgraph/why.h>
#include <leakgraph/internal/answer_views.h>

static pictured
draw_dominators(test_heap *heap, double share, uint32_t most)
{
    pictured made = pictured_begin(heap);
    REQUIRE(!lg_view_dominators(made.analysis, &TREE(NULL, share), &BOXES(most),
                                NULL, &made.view, NULL));
    pictured_draw(&made);
    return made;
}

static pictured
draw_paths(test_heap *heap, const char *selector, uint32_t most)
{
    lg_nodes nodes = {0};
    pictured made = pictured_begin(heap);
    REQUIRE(!lg_graph_select(made.graph, selector, NULL, &nodes, NULL));
    REQUIRE(!lg_view_paths(made.analysis, nodes.items, nodes.count,
                           &BOXES(most), NULL, &made.view, NULL));
    pictured_draw(&made);
    lg_nodes_free(&nodes);
    return made;
}

// Adds a list of `count` objects of `size` bytes, in one place.
static uint32_t
add_list(test_heap *heap, uint32_t owner, const char *name, uint32_t count,
         uint64_t size)
{
    uint32_t list = heap_add(heap, "list", 0);
    heap_attribute(heap, owner, list, name);
    for (uint32_t i = 0; i < count; i++)
        heap_index(heap, list, heap_add(heap, "app.Data", size), i);
    return list;
}

// A hundred objects retain a million bytes. Two branches have the same few of
// them.
static pictured
draw_branches(uint32_t objects, uint64_t size)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t app = heap_add_module(&heap, "app");
    uint32_t most = add_list(&heap, app, "most", 99 - 2 * objects, 9000);
    heap_index(&heap, most,
               heap_add(&heap, "app.Data",
                        1000000 - 9000 * (99 - 2 * (uint64_t)objects) -
                            2 * objects * size),
               99);
    add_list(&heap, app, "one", objects, size);
    add_list(&heap, app, "other", objects, size);
    return draw_paths(&heap, "type:app.Data", 0);
}

// Merged paths leave out a branch with less than a thousandth of the bytes and
// less than a tenth of the objects.
static void
slight_branches(void)
{
    static const struct {
        uint32_t objects;
        uint64_t size;
        bool drawn;
    } rows[] = {
        {1, 1000, true}, {1, 999, false}, {10, 10, true}, {9, 10, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pictured made = draw_branches(rows[i].objects, rows[i].size);
        CHECK(pictured_says(&made.json, "\"label\": \".one\"", rows[i].drawn));
        CHECK(pictured_says(&made.json, "\"label\": \".most\"", 1));
        pictured_forget(&made);
    }
}

// Adds app.n00, app.n01 and so on, of a type each, with three parts each; and
// objects without parts.
static void
add_many(test_heap *heap, uint32_t without)
{
    enum { OWNERS = 60 };
    static char types[OWNERS][16]; // the heap keeps these names
    uint32_t app = heap_add_module(heap, "app");
    for (unsigned i = 0; i < OWNERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%02u", i);
        snprintf(types[i], sizeof types[i], "app.N%02u", i);
        uint32_t owner = heap_add(heap, types[i], 1000 + i);
        heap_attribute(heap, app, owner, name);
        pictured_add(heap, owner, "left", 700 + i);
        pictured_add(heap, owner, "middle", 700 + i);
        pictured_add(heap, owner, "right", 700 + i);
    }
    for (uint32_t i = 0; i < without; i++)
        pictured_add(heap, app, "single", 1 << 20);
}

typedef pictured draw_heap(test_heap *heap, uint32_t most);

static pictured
draw_all_paths(test_heap *heap, uint32_t most)
{
    return draw_paths(heap, "type:app.Thing", most);
}

static pictured
draw_all_owners(test_heap *heap, uint32_t most)
{
    return draw_dominators(heap, 0, most);
}

static size_t
boxes_of(draw_heap *draw, uint32_t without, uint32_t most)
{
    test_heap heap;
    heap_open(&heap);
    add_many(&heap, without);
    pictured made = draw(&heap, most);
    size_t boxes = lg_view_node_count(made.view);
    pictured_forget(&made);
    return boxes;
}

// A picture that nobody limits has as many boxes as one of its usual limit.
// One box more or less in the limit shows in one of two heaps.
static void
usual_boxes(void)
{
    static const struct {
        draw_heap *draw;
        uint32_t usual;
    } rows[] = {{draw_all_paths, 48}, {draw_all_owners, 60}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool fewer = false;
        bool more = false;
        for (uint32_t without = 0; without < 2; without++) {
            size_t boxes = boxes_of(rows[i].draw, without, rows[i].usual);
            CHECK(boxes_of(rows[i].draw, without, 0) == boxes);
            fewer |= boxes_of(rows[i].draw, without, rows[i].usual - 1) < boxes;
            more |= boxes_of(rows[i].draw, without, rows[i].usual + 1) > boxes;
        }
        CHECK(fewer && more);
    }
}

// A quarter of what a box needs is enough for the box of the rest.
static void
the_rest_of_an_owner(void)
{
    for (uint64_t less = 0; less < 2; less++) {
        test_heap heap;
        heap_open(&heap);
        uint32_t app = heap_add_module(&heap, "app");
        uint32_t owner = pictured_add(&heap, app, "owner", 100000 - 72 - 5250);
        pictured_add(&heap, owner, "part", 5000);
        pictured_add(&heap, owner, "one", 125);
        pictured_add(&heap, owner, "other", 125 - less);
        pictured_add(&heap, app, "rest", less);
        pictured made = draw_dominators(&heap, 0.01, 0);
        CHECK(pictured_says(&made.json, "\"title\": \"2 more\"", !less));
        pictured_forget(&made);
    }
}

// A share is written from a twentieth of a percent on.
static void
small_shares(void)
{
    for (uint64_t less = 0; less < 2; less++) {
        test_heap heap;
        heap_open(&heap);
        uint32_t app = heap_add_module(&heap, "app");
        pictured_add(&heap, app, "most", 1000000 - 72 - 500 + less);
        pictured_add(&heap, app, "part", 500 - less);
        pictured made = draw_dominators(&heap, 0, 0);
        CHECK(pictured_says(&made.dot, " · 0.1 %", !less));
        CHECK(pictured_says(&made.dot, " · 0.0 %", 0));
        pictured_forget(&made);
    }
}

// A picture draws eight of the paths to an object.
static void
paths_to_an_object(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e",
                                        "f", "g", "h", "i"};
    for (uint32_t paths = 8; paths <= 9; paths++) {
        test_heap heap;
        heap_open(&heap);
        uint32_t app = heap_add_module(&heap, "app");
        uint32_t object = heap_add(&heap, "app.Data", 1000);
        for (uint32_t i = 0; i < paths; i++)
            heap_attribute(&heap, pictured_add(&heap, app, names[i], 48),
                           object, names[i]);
        pictured made = pictured_begin(&heap);
        lg_why why;
        REQUIRE(!lg_node_why(made.analysis, object, NULL, &why, NULL));
        REQUIRE(!lg_view_why(&why, NULL, NULL, &made.view, NULL));
        pictured_draw(&made);
        lg_why_clear(&why);
        CHECK(pictured_says(&made.dot, ", of which 8 are drawn,", paths == 9));
        CHECK(pictured_says(&made.json, "\"title\": \"Thing\"", 8));
        pictured_forget(&made);
    }
}

// Objects of more types than a small table of siblings holds are still folded
// by type.
static void
many_types_of_siblings(void)
{
    enum { TYPES = 40, EACH = 8 };
    static char types[TYPES][16]; // the heap keeps these names
    test_heap heap;
    lg_view_options options = LG_VIEW_OPTIONS_INIT;
    options.direction = LG_REFS;
    heap_open(&heap);
    uint32_t owner = heap_add(&heap, "app.Owner", 48);
    heap_root(&heap, owner, LG_ROOT_GIVEN, "");
    for (uint32_t i = 0; i < TYPES * EACH; i++) {
        char *type = types[i % TYPES];
        snprintf(type, sizeof *types, "app.N%02u", i % TYPES);
        heap_index(&heap, owner, heap_add(&heap, type, 100), i);
    }
    pictured made = pictured_begin(&heap);
    REQUIRE(
        !lg_view_new(made.graph, &owner, 1, &options, NULL, &made.view, NULL));
    pictured_draw(&made);
    CHECK(pictured_says(&made.json, "\"title\": \"8 N", 19));
    CHECK(pictured_says(&made.json, "\"title\": \"168 more\"", 1));
    pictured_forget(&made);
}

SUITE(picture_limits)
{
    RUN(slight_branches);
    RUN(usual_boxes);
    RUN(the_rest_of_an_owner);
    RUN(small_shares);
    RUN(paths_to_an_object);
    RUN(many_types_of_siblings);
    return test_result();
}
