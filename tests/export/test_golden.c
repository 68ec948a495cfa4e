// Compares DOT and text of the shapes with reviewed files: test_golden FOLDER.
// With `write` after the folder, it writes these files anew.

#include "golden.h"
#include "shapes.h"
#include "test.h"

static void
check_shape(const test_shape *shape)
{
    uint32_t subject;
    lg_error error = {0};
    lg_view *view = NULL;
    lg_text dot = {0}, text = {0}, json = {0};
    lg_graph *graph = shape->make(&subject);
    lg_view_options options = {.size = sizeof options,
                               .direction = (lg_direction)shape->direction,
                               .weak = true,
                               .max_nodes = 30};
    lg_dot_options look = {
        .size = sizeof look, .title = shape->name, .legend = true};
    REQUIRE(!lg_view_new(graph, &subject, 1, &options, NULL, &view, &error));
    lg_graph_free(graph); // a view outlives its graph
    REQUIRE(!lg_view_dot(view, &look, &dot, &error));
    REQUIRE(!lg_view_text(view, &text, &error));
    REQUIRE(!lg_view_json(view, &json, &error));
    CHECK(golden_matches(shape->name, "dot", &dot));
    CHECK(golden_matches(shape->name, "txt", &text));
    CHECK(golden_matches(shape->name, "json", &json));
    lg_text_free(&dot);
    lg_text_free(&text);
    lg_text_free(&json);
    lg_view_free(view);
}

SUITE(golden)
{
    if (!golden_begin(argc, argv))
        return 2;
    static const char *const names[] = {"losses", "who",    "why",  "loop",
                                        "names",  "single", "held", "training"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        test_name = names[i];
        check_shape(shape_find(names[i]));
    }
    return test_result();
}
