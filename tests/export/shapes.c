// Common shapes: a list of losses, a class, a loop, odd names.

#include "shapes.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/why_facts.h>

#include "stored.h"

#include <stdio.h>
#include <string.h>

// A trainer that keeps every loss with its graph.
static lg_graph *
make_losses(uint32_t *subject, bool tensor)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t train = heap_add_module(&heap, "train");
    uint32_t names = heap_add(&heap, "dict", 232);
    uint32_t trainer = heap_add(&heap, "train.Trainer", 48);
    uint32_t losses = heap_add(&heap, "list", 8056);
    uint32_t model = heap_add(&heap, "train.Net", 48);
    heap_edge(&heap, train, names, LG_EDGE_DICT, 0);
    heap_value(&heap, names, trainer, "trainer");
    heap_attribute(&heap, trainer, losses, "losses");
    heap_attribute(&heap, trainer, model, "model");
    heap_attribute(&heap, trainer, heap_add(&heap, "float", 24), "lr");
    heap_attribute(&heap, trainer, heap_add(&heap, "int", 28), "epoch");
    heap_attribute(&heap, trainer, heap_add(&heap, "NoneType", 16), "seed");
    uint32_t first = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t loss = heap_add(&heap, "torch.Tensor", 2u << 20);
        uint32_t node = heap_add(&heap, "MulBackward0", 160);
        heap_index(&heap, losses, loss, i);
        heap_attribute(&heap, loss, node, "grad_fn");
        if (!i)
            first = loss;
        if (!i)
            heap_hold(&heap, loss, 1);
    }
    *subject = tensor ? first : trainer;
    return heap_close(&heap);
}

static lg_graph *
make_losses_refs(uint32_t *subject)
{
    return make_losses(subject, false);
}

static lg_graph *
make_losses_why(uint32_t *subject)
{
    return make_losses(subject, true);
}

// A list of a million small numbers and a few other objects.
static lg_graph *
make_wide(uint32_t *subject)
{
    static const char *const types[] = {"int", "app.Order", "app.User", "dict",
                                        "numpy.ndarray"};
    test_heap heap;
    heap_open(&heap);
    uint32_t list = heap_add(&heap, "list", 800056);
    for (uint32_t i = 0; i < 100000; i++) {
        unsigned kind = i % 1000 == 999 ? 1 + i / 1000 % 4 : 0;
        heap_index(&heap, list, heap_add(&heap, types[kind], 28 + 20 * kind),
                   i);
    }
    heap_root(&heap, list, LG_ROOT_GIVEN, "");
    *subject = list;
    return heap_close(&heap);
}

static lg_graph *
make_chain(uint32_t *subject)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, "app.queue");
    uint32_t node = heap_add(&heap, "app.queue.Node", 48);
    heap_attribute(&heap, module, node, "head");
    for (unsigned i = 0; i < 2000; i++) {
        uint32_t next = heap_add(&heap, "app.queue.Node", 48);
        heap_attribute(&heap, node, next, "next");
        node = next;
    }
    *subject = node;
    return heap_close(&heap);
}

// A parent and its children, which refer to each other.
static lg_graph *
make_loop(uint32_t *subject)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t parent = heap_add(&heap, "app.Widget", 48);
    uint32_t children = heap_add(&heap, "list", 88);
    heap_attribute(&heap, parent, children, "children");
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t child = heap_add(&heap, "app.Button", 48);
        uint32_t handler = heap_add(&heap, "method", 64);
        heap_set_text(&heap, handler, "app.Widget.on_click");
        heap_index(&heap, children, child, i);
        heap_attribute(&heap, child, parent, "parent");
        heap_attribute(&heap, child, handler, "on_click");
        heap_attribute(&heap, handler, parent, "__self__");
        uint32_t ref = heap_add(&heap, "weakref", 72);
        heap_attribute(&heap, child, ref, "owner");
        heap_edge(&heap, ref, parent, LG_EDGE_REFERENT | LG_EDGE_WEAK, 0);
    }
    heap_index(&heap, children, children, 3);
    *subject = parent;
    return heap_close(&heap);
}

static lg_graph *
make_class(uint32_t *subject)
{
    static const char *const noise[] = {"__doc__", "__module__", "__qualname__",
                                        "__dict__"};
    test_heap heap;
    heap_open(&heap);
    uint32_t class = heap_add(&heap, "type", 1064);
    heap_set_text(&heap, class, "app.models.Account");
    for (unsigned i = 0; i < 4; i++)
        heap_attribute(&heap, class, heap_add_name(&heap, "text"), noise[i]);
    for (unsigned i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "method_%u", i);
        uint32_t method = heap_add(&heap, "function", 136);
        heap_set_text(&heap, method, "app.models.Account.method");
        heap_attribute(&heap, class, method, i ? name : "__init__");
    }
    heap_attribute(&heap, class, heap_add(&heap, "property", 72), "balance");
    heap_attribute(&heap, class, heap_add(&heap, "dict", 64), "registry");
    uint32_t base = heap_add(&heap, "type", 1064);
    heap_set_text(&heap, base, "app.models.Model");
    heap_edge(&heap, class, base, LG_EDGE_INDEX, 0);
    *subject = class;
    return heap_close(&heap);
}

static lg_graph *
make_dicts(uint32_t *subject)
{
    static const char *const outer[] = {"optimizer", "scheduler", "model"};
    static const char *const inner[] = {"state", "param_groups", "defaults",
                                        "hooks"};
    test_heap heap;
    heap_open(&heap);
    uint32_t top = heap_add(&heap, "dict", 232);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t middle = heap_add(&heap, "dict", 232);
        heap_value(&heap, top, middle, outer[i]);
        for (unsigned k = 0; k < 4; k++) {
            uint32_t leaf = heap_add(&heap, k ? "dict" : "list", 64);
            heap_value(&heap, middle, leaf, inner[k]);
            heap_value(&heap, leaf, heap_add(&heap, "torch.Tensor", 80u << 20),
                       "exp_avg");
            heap_value(&heap, leaf, heap_add(&heap, "int", 28), "step");
        }
    }
    *subject = top;
    return heap_close(&heap);
}

// Names that try to break out of their box.
static lg_graph *
make_names(uint32_t *subject)
{
    static const char *const names[] = {
        "a & b <i>c</i> \"d\" 'e' \\N \\\"",
        "line\nbreak\ttab\x01"
        "control",
        "Größe·数据·данные·🙂",
        "\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd",
        "a_very_long_name_that_goes_on_and_on_and_on_and_on_and_on_until_it_"
        "is_much_wider_than_any_picture_should_ever_be_drawn_in_the_end",
        "]>;}\n digraph evil {",
        "bad \xff\xfe bytes",
    };
    test_heap heap;
    heap_open(&heap);
    uint32_t top = heap_add(&heap, "evil\"<b>&.Größe", 48);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t node = heap_add(&heap, "function", 136);
        heap_set_text(&heap, node, names[i]);
        heap_attribute(&heap, top, node, names[i]);
    }
    *subject = top;
    return heap_close(&heap);
}

static lg_graph *
make_single(uint32_t *subject)
{
    test_heap heap;
    heap_open(&heap);
    *subject = heap_add(&heap, "int", 28);
    return heap_close(&heap);
}

// One object with a reference of every kind.
static lg_graph *
make_held(uint32_t *subject)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t target = heap_add(&heap, "numpy.ndarray", 80000112);
    uint32_t module = heap_add_module(&heap, "report");
    uint32_t thread = heap_add(&heap, "thread", 0);
    uint32_t frame = heap_add(&heap, "frame", 400);
    uint32_t cache = heap_add(&heap, "dict", 4696);
    uint32_t error = heap_add(&heap, "ValueError", 88);
    heap.builder->node_flags[thread] |= LG_NODE_SYNTHETIC;
    heap_set_text(&heap, thread, "MainThread");
    heap_set_text(&heap, frame, "report.build");
    heap_root(&heap, thread, LG_ROOT_THREAD, "MainThread");
    heap_attribute(&heap, module, target, "TABLE");
    heap_attribute(&heap, module, cache, "_cache");
    heap_value(&heap, cache, target, "2024-05");
    heap_edge(&heap, thread, frame, LG_EDGE_FRAME, 0);
    heap_local(&heap, frame, target, "table");
    heap_local(&heap, frame, error, "error");
    heap_attribute(&heap, error, target, "data");
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t view = heap_add(&heap, "numpy.ndarray", 112);
        heap_attribute(&heap, view, target, "base");
        uint32_t page = heap_add(&heap, "report.Page", 48);
        heap_attribute(&heap, page, view, "rows");
        heap_index(&heap, cache, page, i);
    }
    heap_hold(&heap, target, 2);
    *subject = target;
    return heap_close(&heap);
}

// A parent and its children, which refer to each other and hold some data.
static uint32_t
add_family(test_heap *heap, uint32_t count, uint64_t load)
{
    uint32_t parent = heap_add(heap, "app.Parent", 48);
    uint32_t children = heap_add(heap, "list", 88);
    heap_track(heap, parent);
    heap_track(heap, children);
    heap_attribute(heap, parent, children, "children");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = heap_add(heap, "app.Child", 48);
        heap_track(heap, child);
        heap_index(heap, children, child, i);
        heap_attribute(heap, child, parent, "parent");
        heap_attribute(heap, child, heap_add(heap, "bytearray", load), "data");
    }
    return parent;
}

// Three families: a module holds the first, nothing holds the second, and
// native code holds the third.
static lg_graph *
make_family(uint32_t *subject)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, "app");
    uint32_t held = add_family(&heap, 3, 3u << 20);
    heap_attribute(&heap, module, held, "families");
    add_family(&heap, 2, 2u << 20);
    heap_hold(&heap, add_family(&heap, 1, 1u << 20), 1);
    *subject = held;
    return heap_close(&heap);
}

// One buffer with three disjoint paths from one service.
static lg_graph *
make_disjoint(uint32_t *subject)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, "app");
    uint32_t service = heap_add(&heap, "app.Service", 48);
    uint32_t cache = heap_add(&heap, "dict", 232);
    uint32_t queue = heap_add(&heap, "collections.deque", 624);
    uint32_t buffer = heap_add(&heap, "bytearray", 64u << 20);
    heap_attribute(&heap, module, service, "service");
    heap_attribute(&heap, service, cache, "cache");
    heap_attribute(&heap, service, queue, "queue");
    heap_attribute(&heap, service, buffer, "last");
    heap_value(&heap, cache, buffer, "user-17");
    heap_index(&heap, queue, buffer, 0);
    *subject = buffer;
    return heap_close(&heap);
}

// A part of a heap.
static lg_graph *
make_partial(uint32_t *subject)
{
    test_heap heap;
    heap_open(&heap);
    lg_builder_set_info(heap.builder, "partial", "roots were given");
    *subject = heap_add(&heap, "list", 56);
    heap_root(&heap, *subject, LG_ROOT_GIVEN, "");
    return heap_close(&heap);
}

// Tensors, arrays and the state of a GPU's allocator.
static lg_graph *
make_training(uint32_t *subject)
{
    lg_graph *graph = NULL;
    *subject = STORED_TRAIN;
    stored_new(NULL, &graph, NULL);
    return graph;
}

// plot.figure: the program drew it and closed it.
static lg_graph *
make_figure(uint32_t *subject)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, "plot");
    uint32_t figure = heap_add(&heap, "matplotlib.figure.Figure", 56);
    uint32_t canvas =
        heap_add(&heap, "matplotlib.backends.backend_agg.FigureCanvasAgg", 56);
    uint32_t pixels = heap_add(&heap, "matplotlib.canvas", 1228800);
    heap_set_text(&heap, figure, "3");
    heap_attribute(&heap, module, figure, "figure");
    heap_attribute(&heap, figure, canvas, "canvas");
    heap_attribute(&heap, canvas, figure, "figure");
    heap_attribute(&heap, canvas, pixels, "renderer");
    lg_builder_add_fact(heap.builder, figure, "number", "3", 1);
    lg_builder_add_fact(heap.builder, figure, "size", "640x480", 7);
    lg_builder_add_fact(heap.builder, figure, "canvas", "1228800", 7);
    lg_builder_add_fact(heap.builder, figure, "closed", "yes", 3);
    *subject = figure;
    return heap_close(&heap);
}

const test_shape shapes[] = {
    {"losses", make_losses_refs, LG_REFS},
    {"why", make_losses_why, LG_PATH},
    {"who", make_losses_why, LG_BACKREFS},
    {"wide", make_wide, LG_REFS},
    {"chain", make_chain, LG_PATH},
    {"chain-back", make_chain, LG_BACKREFS},
    {"loop", make_loop, LG_REFS},
    {"class", make_class, LG_REFS},
    {"dicts", make_dicts, LG_REFS},
    {"names", make_names, LG_REFS},
    {"single", make_single, LG_REFS},
    {"held", make_held, LG_BACKREFS},
    {"held-path", make_held, LG_PATH},
    {"family", make_family, LG_REFS},
    {"disjoint", make_disjoint, LG_BACKREFS},
    {"partial", make_partial, LG_REFS},
    {"training", make_training, LG_REFS},
    {"figure", make_figure, LG_REFS},
};

const size_t shape_count = sizeof shapes / sizeof *shapes;

const test_shape *
shape_find(const char *name)
{
    for (size_t i = 0; i < shape_count; i++) {
        if (!strcmp(shapes[i].name, name))
            return &shapes[i];
    }
    return NULL;
}

lg_status
view_why(const lg_analysis *analysis, uint32_t node,
         const lg_view_options *options, lg_view **out)
{
    lg_why why;
    lg_status status = lg_node_why(analysis, node, NULL, &why, NULL);
    if (status)
        return status;
    status = lg_view_why(&why, options, NULL, out, NULL);
    lg_why_clear(&why);
    return status;
}
