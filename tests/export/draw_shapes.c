// Draws every shape into a folder for inspection: draw_shapes FOLDER [SUFFIX]

#include "shapes.h"
#include "suite.h"

#include <leakgraph/internal/renderers.h>
#include <leakgraph/render.h>

#include <stdio.h>

static int
draw(const test_shape *shape, const char *folder, const char *suffix)
{
    char path[512];
    uint32_t subject;
    lg_error error = {0};
    lg_view *view = NULL;
    lg_text dot = {0}, text = {0};
    lg_view_options options = {.size = sizeof options,
                               .direction = (lg_direction)shape->direction,
                               .weak = true};
    lg_dot_options look = {
        .size = sizeof look, .title = shape->name, .legend = true};
    lg_graph *graph = shape->make(&subject);
    snprintf(path, sizeof path, "%s/%s.%s", folder, shape->name, suffix);
    if (lg_view_new(graph, &subject, 1, &options, NULL, &view, &error) ||
        lg_view_dot(view, &look, &dot, &error) ||
        lg_view_text(view, &text, &error) ||
        lg_renderer_draw_file(NULL, dot.data, NULL, path, NULL, &error))
        fprintf(stderr, "%s: %s\n", shape->name, error.message);
    else
        printf("== %s\n%s\n", shape->name, text.data);
    lg_text_free(&dot);
    lg_text_free(&text);
    lg_view_free(view);
    lg_graph_free(graph);
    return error.status != LG_OK;
}

SUITE(draw_shapes)
{
    int failed = 0;
    if (argc < 2)
        return 2;
    for (size_t i = 0; i < shape_count; i++)
        failed |= draw(&shapes[i], argv[1], argc > 2 ? argv[2] : "png");
    return failed;
}
