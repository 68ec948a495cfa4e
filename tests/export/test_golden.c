// DOT and text of the shapes against reviewed files: test_golden FOLDER, and
// with `write` behind it the files are made anew.

#include "shapes.h"
#include "test.h"

#include <leakgraph/export.h>

static const char *folder;
static bool writing;

static char *
read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *data = calloc(1, 1 << 20);
    REQUIRE(data);
    if (file) {
        size_t length = fread(data, 1, (1 << 20) - 1, file);
        data[length] = '\0';
        fclose(file);
    }
    return data;
}

static void
compare(const char *name, const char *suffix, const lg_text *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, suffix);
    if (writing) {
        FILE *file = fopen(path, "wb");
        REQUIRE(file);
        REQUIRE(fwrite(text->data, 1, text->length, file) == text->length);
        REQUIRE(!fclose(file));
        return;
    }
    char *golden = read_file(path);
    bool same = !strcmp(golden, text->data);
    if (!same)
        fprintf(stderr, "%s differs; this was made:\n%s\n", path, text->data);
    CHECK(same);
    free(golden);
}

static void
check_shape(const test_shape *shape)
{
    uint32_t subject;
    lg_error error = {0};
    lg_view *view = NULL;
    lg_text dot = {0}, text = {0}, json = {0};
    lg_graph *graph = shape->make(&subject);
    lg_view_options options = {.direction = (lg_direction)shape->direction,
                               .weak = true,
                               .max_nodes = 30};
    lg_dot_options look = {shape->name, true};
    REQUIRE(!lg_view_new(graph, &subject, 1, &options, NULL, &view, &error));
    lg_graph_free(graph); // a view outlives its graph
    REQUIRE(!lg_view_dot(view, &look, &dot, &error));
    REQUIRE(!lg_view_text(view, &text, &error));
    REQUIRE(!lg_view_json(view, &json, &error));
    compare(shape->name, "dot", &dot);
    compare(shape->name, "txt", &text);
    compare(shape->name, "json", &json);
    lg_text_free(&dot);
    lg_text_free(&text);
    lg_text_free(&json);
    lg_view_free(view);
}

int
main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    folder = argv[1];
    writing = argc > 2 && !strcmp(argv[2], "write");
    static const char *const names[] = {"losses", "who",    "why", "loop",
                                        "names",  "single", "held"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        test_name = names[i];
        check_shape(shape_find(names[i]));
    }
    return test_result();
}
