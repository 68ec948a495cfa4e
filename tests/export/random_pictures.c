// Draws random heaps: export_tests random_pictures COUNT [SEED] draws COUNT
// pictures with the renderer that LEAKGRAPH_RENDERER names, in all modes and
// formats, and prints how many succeeded.

#include "heap.h"
#include "shapes.h"
#include "test.h"

#include <leakgraph/render.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/answer_views.h>

enum { MOST_NODES = 80, LONG_NAME = 100000 };

typedef struct chance {
    uint64_t state;
} chance;

static uint32_t
below(chance *luck, uint32_t end)
{
    return test_random(&luck->state) % end;
}

// Unusual names: each has once ended or confused a program.
static const char *
odd_name(chance *luck)
{
    static char noise[24], endless[LONG_NAME + 1];
    static const char *const names[] = {
        "x",
        "losses",
        " ",
        "]",
        "]]>",
        "a\\",
        "\\",
        "\\N",
        "\\\\l",
        "\"",
        "<B>",
        "</TABLE>",
        "&",
        "&amp;",
        "&#0;",
        "<!--",
        "",
        "\t",
        "a\nb",
        "\x1b[31m",
        "\x7f",
        "\u200b",
        "\u200d",
        "\ufeff",
        "\u202eabc",
        "\u05d0\u05d1\u05d2",
        "\u0627\u0644\u0639",
        "\u0301\u0301",
        "\xff\xfe",
        "\xed\xa0\x80",
        "%s%n",
        "日本語",
        "👩‍👩‍👧",
        "(null)",
        "  two  ",
        "app.Order",
    };
    uint32_t which = below(luck, 2 + sizeof names / sizeof *names);
    if (which > 1)
        return names[which - 2];
    if (which == 1 && below(luck, 8) == 0) {
        memset(endless, below(luck, 2) ? 'w' : '\\', LONG_NAME);
        return endless;
    }
    for (size_t i = 0; i + 1 < sizeof noise; i++)
        noise[i] = (char)(1 + below(luck, 255));
    return noise;
}

static uint32_t
add_object(test_heap *heap, chance *luck)
{
    static const char *const types[] = {
        "dict",         "list",       "tuple",
        "function",     "type",       "module",
        "frame",        "cell",       "str",
        "int",          "weakref",    "set",
        "torch.Tensor", "a.b.Figure", "app.Order",
        "bytes",        " ",          "]",
        "a\\",          "x.\\",       "\u05d0.y",
        "method",       "code",       "numpy.ndarray",
    };
    uint64_t sizes[] = {0, 16, 4096, 10 << 20, UINT64_C(5) << 30};
    const char *type = types[below(luck, sizeof types / sizeof *types)];
    uint32_t node = heap_add(heap, type, sizes[below(luck, 5)]);
    if (below(luck, 2))
        heap_set_text(heap, node, odd_name(luck));
    if (below(luck, 8) == 0)
        heap_hold(heap, node, 1 + below(luck, 3));
    if (below(luck, 2))
        heap_track(heap, node);
    return node;
}

static void
add_reference(test_heap *heap, chance *luck, uint32_t from, uint32_t to)
{
    switch (below(luck, 8)) {
    case 0:
        heap_attribute(heap, from, to, odd_name(luck));
        break;
    case 1:
        heap_local(heap, from, to, odd_name(luck));
        break;
    case 2:
        heap_value(heap, from, to, odd_name(luck));
        break;
    case 3:
        heap_edge(heap, from, to, LG_EDGE_DICT, 0);
        break;
    case 4:
        heap_attribute(heap, from, to, "__closure__");
        break;
    case 5:
        heap_edge(heap, from, to, LG_EDGE_REFERENCE | LG_EDGE_WEAK, 0);
        break;
    case 6:
        heap_edge(heap, from, to, LG_EDGE_VALUE, to);
        break;
    default:
        heap_index(heap, from, to, below(luck, 5000));
    }
}

// Wide (one object holds all), deep (a chain), flat (few edges) or cyclic,
// with self-loops and many edges between two objects.
static lg_graph *
make_heap(chance *luck)
{
    test_heap heap;
    uint32_t nodes[MOST_NODES];
    uint32_t count = 1 + below(luck, MOST_NODES), shape = below(luck, 4);
    uint32_t edges = count * (1 + below(luck, 4));
    heap_open(&heap);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = add_object(&heap, luck);
    for (uint32_t i = 1; i < count && shape < 2; i++)
        add_reference(&heap, luck, nodes[shape ? i - 1 : 0], nodes[i]);
    for (uint32_t i = 0; i < edges && shape; i++)
        add_reference(&heap, luck, nodes[below(luck, count)],
                      nodes[below(luck, count)]);
    for (uint32_t i = below(luck, 4); i > 0; i--)
        heap_root(
            &heap, nodes[below(luck, count)],
            (lg_root_kind)(below(luck, 2) ? LG_ROOT_MODULE : LG_ROOT_THREAD),
            odd_name(luck));
    return heap_close(&heap);
}

static lg_status
view_cycle(chance *luck, const lg_analysis *analysis, lg_view **out)
{
    lg_cycles cycles = {0};
    lg_cycle_options options = {.size = sizeof options, .min_bytes = 0};
    lg_status status =
        lg_analysis_cycles(analysis, &options, NULL, &cycles, NULL);
    if (!status && !cycles.count)
        status = LG_ENOTFOUND;
    if (!status)
        status = lg_view_cycle(
            analysis, &cycles.items[below(luck, (uint32_t)cycles.count)], out,
            NULL);
    lg_cycles_free(&cycles);
    return status;
}

// LG_ENOTFOUND if the heap has no such object.
static lg_status
make_view(chance *luck, const lg_graph *graph, const lg_analysis *analysis,
          lg_view **out)
{
    uint32_t most[] = {0, 3, 12, 60, 600};
    uint32_t node = below(luck, lg_graph_columns(graph)->node_count);
    lg_view_options options = {
        .size = sizeof options,
        .direction = (lg_direction)below(luck, 3),
        .max_depth = below(luck, 6),
        .max_nodes = most[below(luck, 5)],
        .max_siblings = below(luck, 6),
        .weak = below(luck, 2),
        .types = below(luck, 2),
        .analysis = below(luck, 2) ? analysis : NULL,
    };
    const lg_dominator_options tree = {.size = sizeof tree, .node = &node};
    switch (below(luck, 7)) {
    case 0:
        return view_why(analysis, node, &options, out);
    case 1:
        return lg_view_paths(analysis, &node, 1, &options, NULL, out, NULL);
    case 2:
        return lg_view_dominators(analysis, below(luck, 2) ? &tree : NULL,
                                  &options, NULL, out, NULL);
    case 3:
        return view_cycle(luck, analysis, out);
    default:
        return lg_view_new(graph, &node, 1, &options, NULL, out, NULL);
    }
}

static bool
draw(chance *luck, const lg_view *view, uint64_t number)
{
    static const char *const formats[] = {"svg", "png", "pdf", "dot"};
    const char *format = formats[number % 4];
    lg_dot_options look = {.size = sizeof look,
                           .title = below(luck, 2) ? odd_name(luck) : NULL,
                           .legend = below(luck, 2)};
    lg_text dot = {0}, text = {0}, json = {0};
    lg_error error = {0};
    lg_text image = {0};
    REQUIRE(!lg_view_dot(view, &look, &dot, NULL));
    REQUIRE(!lg_view_text(view, &text, NULL));
    REQUIRE(!lg_view_json(view, &json, NULL));
    CHECK(!strstr(dot.data, "(null)\""));
    lg_status status = lg_dot_render(dot.data, format, NULL, &image, &error);
    if (status) {
        fprintf(stderr, "picture %llu, %s: %s\n", (unsigned long long)number,
                format, error.message);
        FILE *file = getenv("KEEP_DOT") ? fopen(getenv("KEEP_DOT"), "w") : NULL;
        if (file) {
            fputs(dot.data, file);
            fclose(file);
        }
    }
    lg_text_free(&image);
    lg_text_free(&dot);
    lg_text_free(&text);
    lg_text_free(&json);
    return !status;
}

SUITE(random_pictures)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t drawn = 0, none = 0, failed = 0;
    for (uint64_t i = seed; i < seed + count; i++) {
        chance luck = {i * 2654435761u + 1};
        lg_view *view = NULL;
        lg_analysis *analysis = NULL;
        lg_graph *graph = make_heap(&luck);
        test_name = "random_pictures";
        REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
        lg_status status = make_view(&luck, graph, analysis, &view);
        CHECK(!status || status == LG_ENOTFOUND || status == LG_EINVAL);
        if (status)
            none++;
        else if (draw(&luck, view, i))
            drawn++;
        else
            failed++;
        lg_view_free(view);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
    printf("%llu pictures drawn, %llu failed, %llu heaps had nothing to draw\n",
           (unsigned long long)drawn, (unsigned long long)failed,
           (unsigned long long)none);
    return failed || test_result();
}
