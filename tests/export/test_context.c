// How a picture uses its room: for data rather than the program around it, for
// keys that are objects, and for holders that reach the subject through what it
// holds.

#include "heap.h"
#include "test.h"

#include <leakgraph/view.h>
#include <leakgraph/internal/columns.h>

#include <stdlib.h>

static void
print_view(const lg_graph *graph, uint32_t subject, lg_direction direction,
           lg_text *out)
{
    lg_view_options options = {.size = sizeof options, .direction = direction};
    lg_view *view = NULL;
    REQUIRE(!lg_view_new(graph, &subject, 1, &options, NULL, &view, NULL));
    REQUIRE(!lg_view_text(view, out, NULL));
    lg_view_free(view);
}

static void
check_text(const lg_text *text, const char *wanted)
{
    if (!strstr(text->data, wanted))
        fprintf(stderr, "no '%s' in\n%s", wanted, text->data);
    CHECK(strstr(text->data, wanted));
}

static void
test_functions_show_their_data_only(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t owner = heap_add(&heap, "app.Button", 48);
    uint32_t method = heap_add(&heap, "method", 64);
    uint32_t bound = heap_add(&heap, "app.Window", 96);
    uint32_t plain = heap_add(&heap, "function", 152);
    uint32_t code = heap_add(&heap, "code", 500);
    uint32_t globals = heap_add(&heap, "dict", 4000);
    uint32_t value = heap_add(&heap, "app.Global", 80);
    heap_attribute(&heap, owner, method, "on_click");
    heap_attribute(&heap, method, bound, "__self__");
    heap_attribute(&heap, method, plain, "__func__");
    heap_attribute(&heap, owner, plain, "on_close");
    heap_attribute(&heap, plain, code, "__code__");
    heap_edge(&heap, plain, globals, LG_EDGE_GLOBALS, 0);
    heap_value(&heap, globals, value, "x");
    lg_graph *graph = heap_close(&heap);
    lg_text text = {0};
    print_view(graph, owner, LG_REFS, &text);
    check_text(&text, ".__self__  Window");
    check_text(&text, ".on_close  function");
    CHECK(!strstr(text.data, "__code__"));
    CHECK(!strstr(text.data, "Global"));
    lg_text_free(&text);
    print_view(graph, plain, LG_REFS, &text);
    check_text(&text, ".__code__");
    lg_text_free(&text);
    lg_graph_free(graph);
}

static void
test_noise_of_libraries(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t owner = heap_add(&heap, "app.Data", 48);
    uint32_t array = heap_add(&heap, "numpy.ndarray", 128);
    uint32_t dtype = heap_add(&heap, "app.Float64DType", 120);
    uint32_t weak = heap_add(&heap, "weakref.ReferenceType", 80);
    uint32_t counter = heap_add(&heap, "app.Counter", 56);
    uint32_t number = heap_add(&heap, "int", 28);
    heap_attribute(&heap, owner, array, "points");
    heap_attribute(&heap, array, dtype, "dtype");
    heap_attribute(&heap, owner, weak, "parent");
    heap_attribute(&heap, owner, counter, "ids");
    uint32_t form = heap_add(&heap, "app.Form", 64);
    heap_attribute(&heap, owner, form, "dtype");
    heap_edge(&heap, counter, number, LG_EDGE_FIELD, 0x20);
    lg_graph *graph = heap_close(&heap);
    lg_text text = {0};
    print_view(graph, owner, LG_REFS, &text);
    check_text(&text, ".points  ndarray");
    CHECK(!strstr(text.data, "DType"));
    check_text(&text, ".dtype  Form");
    CHECK(!strstr(text.data, "field"));
    check_text(&text, ".parent  ReferenceType");
    lg_text_free(&text);
    lg_graph_free(graph);
}

static void
test_keys_that_are_objects(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t owner = heap_add(&heap, "dict", 232);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t key = heap_add(&heap, "torch.nn.Parameter", 80);
        uint32_t value = heap_add(&heap, "app.State", 184);
        heap_edge(&heap, owner, key, LG_EDGE_KEY, i);
        heap_edge(&heap, owner, value, LG_EDGE_VALUE, key);
        if (!i)
            heap_attribute(&heap, value, key, "of");
    }
    lg_graph *graph = heap_close(&heap);
    lg_text text = {0};
    print_view(graph, owner, LG_REFS, &text);
    char label[64];
    unsigned long long address = (unsigned long long)lg_columns_address(
        lg_graph_columns(graph), owner + 1);
    snprintf(label, sizeof label, "[Parameter …%04llx]  State",
             address & 0xffff);
    check_text(&text, label);
    check_text(&text, "keys  3 Parameter");
    // The drawn key says that it is the key.
    snprintf(label, sizeof label, "torch.nn.Parameter …%04llx",
             address & 0xffff);
    check_text(&text, label);
    lg_text_free(&text);
    lg_graph_free(graph);
}

// A picture writes a key as all other texts do.
static void
test_keys_that_are_tuples(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t owner = heap_add(&heap, "dict", 232);
    uint32_t key = heap_add(&heap, "tuple", 56);
    uint32_t value = heap_add(&heap, "app.State", 184);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t element = heap_add(&heap, "int", 28);
        heap_edge(&heap, key, element, LG_EDGE_INDEX, i);
    }
    heap_edge(&heap, owner, key, LG_EDGE_KEY, 0);
    heap_edge(&heap, owner, value, LG_EDGE_VALUE, key);
    heap_attribute(&heap, value, key, "of");
    lg_graph *graph = heap_close(&heap);
    lg_text text = {0};
    print_view(graph, owner, LG_REFS, &text);
    check_text(&text, "[(int, int)]  State");
    CHECK(strstr(text.data, "tuple …") == NULL);
    lg_text_free(&text);
    lg_graph_free(graph);
}

// A figure to which its canvas and `count` children refer back.
static uint32_t
add_figure(test_heap *heap, uint32_t *canvas)
{
    uint32_t figure = heap_add(heap, "app.Figure", 56);
    *canvas = heap_add(heap, "app.Canvas", 304);
    heap_attribute(heap, figure, *canvas, "canvas");
    heap_attribute(heap, *canvas, figure, "figure");
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t child = heap_add(heap, "app.Line", 56);
        heap_index(heap, figure, child, i);
        heap_attribute(heap, child, figure, "parent");
    }
    return figure;
}

static void
test_holders_through_what_is_held(void)
{
    test_heap heap;
    uint32_t canvas;
    heap_open(&heap);
    uint32_t figure = add_figure(&heap, &canvas);
    uint32_t registry = heap_add(&heap, "app.Registry", 400);
    heap_root(&heap, registry, LG_ROOT_MODULE, "app");
    heap_index(&heap, registry, canvas, 0);
    lg_graph *graph = heap_close(&heap);
    lg_text text = {0};
    print_view(graph, figure, LG_BACKREFS, &text);
    check_text(&text, "Canvas");
    check_text(&text, "Registry");
    check_text(&text, "10 objects · that it holds itself");
    CHECK(!strstr(text.data, "Line"));
    lg_text_free(&text);
    lg_graph_free(graph);
}

// Each of 12 modules holds a part of the figure, and holds the figure through
// that part. A picture has room for the nearest 8 modules.
static void
test_so_many_holders_through_what_is_held(void)
{
    static const struct {
        uint32_t held;
        uint32_t shown;
    } cases[] = {{1, 1}, {2, 2}, {8, 8}, {12, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_heap heap;
        heap_open(&heap);
        uint32_t figure = heap_add(&heap, "app.Figure", 56);
        for (uint32_t part = 0; part < 14; part++) {
            static char type[14][32], name[14][32]; // the heap keeps them
            snprintf(type[part], sizeof type[part], "app.Part%uOf", part);
            snprintf(name[part], sizeof name[part], "lib%u", part);
            uint32_t node = heap_add(&heap, type[part], 48);
            heap_index(&heap, figure, node, part);
            heap_attribute(&heap, node, figure, "figure");
            if (part < cases[i].held)
                heap_attribute(&heap, heap_add_module(&heap, name[part]), node,
                               "part");
        }
        lg_graph *graph = heap_close(&heap);
        lg_text text = {0};
        uint32_t shown = 0;
        print_view(graph, figure, LG_BACKREFS, &text);
        for (const char *at = text.data; (at = strstr(at, " Part")); at++)
            shown++;
        if (shown != cases[i].shown)
            fprintf(stderr, "%u of %u\n%s", shown, cases[i].held, text.data);
        CHECK(shown == cases[i].shown);
        lg_text_free(&text);
        lg_graph_free(graph);
    }
}

// The picture recognises each root, in any order of the roots.
static void
test_roots_in_any_order(void)
{
    test_heap heap;
    uint32_t root[3];
    heap_open(&heap);
    uint32_t data = heap_add(&heap, "app.Data", 48);
    for (uint32_t i = 0; i < 3; i++) {
        root[i] = heap_add(&heap, "app.Root", 48);
        heap_attribute(&heap, root[i], data, "x");
    }
    heap_root(&heap, root[1], LG_ROOT_INTERPRETER, "first");
    heap_root(&heap, root[2], LG_ROOT_MODULE, "second");
    heap_root(&heap, root[0], LG_ROOT_MODULE, "third");
    lg_graph *graph = heap_close(&heap);
    lg_text text = {0};
    print_view(graph, data, LG_BACKREFS, &text);
    check_text(&text, "root: the interpreter");
    const char *module = strstr(text.data, "root: an imported module");
    REQUIRE(module);
    CHECK(strstr(module + 1, "root: an imported module"));
    lg_text_free(&text);
    lg_graph_free(graph);
}

// The canvas stands to the left of the figure, although the figure also holds
// it.
static void
test_holders_stand_on_one_side(void)
{
    test_heap heap;
    uint32_t canvas;
    heap_open(&heap);
    uint32_t figure = add_figure(&heap, &canvas);
    lg_graph *graph = heap_close(&heap);
    lg_view_options options = {.size = sizeof options,
                               .direction = LG_BACKREFS};
    lg_view *view = NULL;
    lg_text dot = {0};
    REQUIRE(!lg_view_new(graph, &figure, 1, &options, NULL, &view, NULL));
    REQUIRE(!lg_view_dot(view, NULL, &dot, NULL));
    const char *held = strstr(dot.data, "  n0 -> n1 ");
    REQUIRE(held);
    const char *unbound = strstr(held, ", constraint=false];");
    CHECK(unbound && unbound < strchr(held, '\n'));
    const char *holds = strstr(dot.data, "  n1 -> n0 ");
    REQUIRE(holds);
    unbound = strstr(holds, ", constraint=false];");
    CHECK(!unbound || unbound > strchr(holds, '\n'));
    lg_text_free(&dot);
    lg_view_free(view);
    lg_graph_free(graph);
}

static void
test_garbage_shows_its_cycle(void)
{
    test_heap heap;
    uint32_t canvas;
    heap_open(&heap);
    uint32_t figure = add_figure(&heap, &canvas);
    lg_graph *graph = heap_close(&heap);
    lg_text text = {0};
    print_view(graph, figure, LG_BACKREFS, &text);
    check_text(&text, "Canvas");
    check_text(&text, "Line");
    CHECK(!strstr(text.data, "holds itself"));
    lg_text_free(&text);
    lg_graph_free(graph);
}

// Thirty neighbours with referents, one of them large: the picture opens that
// one, and the others say that there is more.
static void
test_room_goes_where_the_bytes_are(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t owner = heap_add(&heap, "app.Owner", 48);
    for (uint32_t i = 0; i < 30; i++) {
        static char outer[30][32], inner[30][32]; // the heap keeps these names
        snprintf(outer[i], sizeof outer[i], "app.Part%u", i);
        snprintf(inner[i], sizeof inner[i], "app.Inner%u", i);
        uint32_t part = heap_add(&heap, outer[i], 48);
        uint32_t last = heap_add(&heap, inner[i], i == 17 ? 1u << 20 : 48);
        heap_index(&heap, owner, part, i);
        heap_index(&heap, part, last, 0);
    }
    lg_graph *graph = heap_close(&heap);
    lg_view_options options = {
        .size = sizeof options, .direction = LG_REFS, .max_nodes = 300};
    lg_text text = {0};
    lg_view *view = NULL;
    REQUIRE(!lg_view_new(graph, &owner, 1, &options, NULL, &view, NULL));
    REQUIRE(!lg_view_text(view, &text, NULL));
    check_text(&text, "Inner17");
    CHECK(!strstr(text.data, "Inner16"));
    check_text(&text, "+1 not shown");
    lg_text_free(&text);
    lg_view_free(view);
    lg_graph_free(graph);
}

SUITE(context)
{
    RUN(test_functions_show_their_data_only);
    RUN(test_noise_of_libraries);
    RUN(test_keys_that_are_objects);
    RUN(test_keys_that_are_tuples);
    RUN(test_holders_through_what_is_held);
    RUN(test_so_many_holders_through_what_is_held);
    RUN(test_roots_in_any_order);
    RUN(test_holders_stand_on_one_side);
    RUN(test_garbage_shows_its_cycle);
    RUN(test_room_goes_where_the_bytes_are);
    return test_result();
}
