// Pictures have the signatures of their formats, complete files, and helpful
// errors.

#include "shapes.h"
#include "test.h"

#include <leakgraph/render.h>
#include <leakgraph/internal/renderers.h>

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static lg_view *
view_of(const test_shape *shape)
{
    uint32_t subject;
    lg_view *view = NULL;
    lg_graph *graph = shape->make(&subject);
    lg_view_options options = {.size = sizeof options,
                               .direction = (lg_direction)shape->direction,
                               .weak = true};
    REQUIRE(!lg_view_new(graph, &subject, 1, &options, NULL, &view, NULL));
    lg_graph_free(graph);
    return view;
}

static lg_text
dot_of(const test_shape *shape)
{
    lg_text dot = {0};
    lg_view *view = view_of(shape);
    REQUIRE(!lg_view_dot(view, NULL, &dot, NULL));
    lg_view_free(view);
    return dot;
}

static bool
holds(const char *path, const char *text)
{
    char data[40000];
    FILE *file = fopen(path, "r");
    REQUIRE(file);
    size_t length = fread(data, 1, sizeof data, file);
    fclose(file);
    return memmem(data, length, text, strlen(text)) != NULL;
}

static void
test_every_shape_renders(void)
{
    for (size_t i = 0; i < shape_count; i++) {
        lg_text image = {0};
        lg_error error = {0};
        lg_text dot = dot_of(&shapes[i]);
        lg_status status = lg_dot_render(dot.data, "svg", NULL, &image, &error);
        if (status)
            fprintf(stderr, "%s: %s\n", shapes[i].name, error.message);
        REQUIRE(!status);
        CHECK(image.length > 500 && !memcmp(image.data, "<?xml", 5));
        lg_text_free(&image);
        lg_text_free(&dot);
    }
}

static void
test_signatures(void)
{
    static const struct {
        const char *format;
        const char *start;
    } formats[] = {
        {"png", "\x89PNG\r\n"}, {"pdf", "%PDF-"},
        {"svg", "<?xml"},       {"ps", "%!PS"},
        {"json", "{"},          {"gif", "GIF8"},
        {"dot", "digraph"},     {"gv", "digraph leakgraph"},
    };
    lg_text dot = dot_of(shape_find("losses"));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        lg_text image = {0};
        lg_error error = {0};
        lg_status status =
            lg_dot_render(dot.data, formats[i].format, NULL, &image, &error);
        if (status)
            fprintf(stderr, "%s\n", error.message);
        REQUIRE(!status);
        size_t wanted = strlen(formats[i].start);
        CHECK(image.length > wanted &&
              !memcmp(image.data, formats[i].start, wanted));
        lg_text_free(&image);
    }
    lg_text_free(&dot);
}

static void
test_unknown_format(void)
{
    static const char *const unknown[] = {"docx", "x11", "", "png:cairo:xx"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        lg_text image = {0};
        lg_error error = {0};
        CHECK(lg_dot_render("digraph{}", unknown[i], NULL, &image, &error) ==
              LG_EINVAL);
        CHECK(!image.data);
        CHECK(strstr(error.message, "pdf, "));
        CHECK(strstr(error.message, "svg"));
        CHECK(lg_render_format_check(unknown[i], &error) == LG_EINVAL);
        CHECK(strstr(error.message, "svg"));
    }
    CHECK(!lg_render_format_check("svg", NULL));
    CHECK(!lg_render_format_check("gif", NULL));
}

static void
test_damaged_dot(void)
{
    lg_text image = {0};
    lg_error error = {0};
    CHECK(lg_dot_render("digraph {{{", "svg", NULL, &image, &error) ==
          LG_ERENDER);
    CHECK(strstr(error.message, "syntax error"));
    CHECK(!image.data);
}

static void
test_format_of(void)
{
    char format[16] = "untouched";
    lg_error error = {0};
    CHECK(!lg_render_format_of("a.b/why.SVG", format, &error));
    CHECK(!strcmp(format, "svg"));
    static const char *const bare[] = {"why", "a.b/why", ".svg", "why.",
                                       "why.averyveryverylongsuffix"};
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        CHECK(lg_render_format_of(bare[i], format, &error) == LG_EINVAL);
    CHECK(!strcmp(format, "svg"));
}

static void
test_file_is_whole_or_not_there(void)
{
    struct stat known;
    char folder[] = "/tmp/leakgraph-render-XXXXXX";
    char path[64], other[64];
    lg_error error = {0};
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/why.svg", folder);
    snprintf(other, sizeof other, "%s/none/why.svg", folder);
    CHECK(!lg_renderer_draw_file(NULL, "digraph{a}", NULL, path, NULL, &error));
    CHECK(!stat(path, &known) && known.st_size > 100);
    off_t before = known.st_size;
    CHECK(lg_renderer_draw_file(NULL, "digraph{a", NULL, path, NULL, &error) ==
          LG_ERENDER);
    CHECK(!stat(path, &known) && known.st_size == before);
    CHECK(lg_renderer_draw_file(NULL, "digraph{a}", NULL, other, NULL,
                                &error) == LG_EIO);
    CHECK(strstr(error.message, other));
    CHECK(!unlink(path));
    CHECK(!rmdir(folder)); // this fails if a temporary file is left
}

static void
test_link_and_device(void)
{
    struct stat known;
    char folder[] = "/tmp/leakgraph-render-XXXXXX";
    char path[64], link[64];
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/real.dot", folder);
    snprintf(link, sizeof link, "%s/link.dot", folder);
    CHECK(!lg_renderer_draw_file(NULL, "digraph{a}", NULL, path, NULL, NULL));
    REQUIRE(!symlink(path, link));
    CHECK(!lg_renderer_draw_file(NULL, "digraph{abc}", NULL, link, NULL, NULL));
    CHECK(!lstat(link, &known) && S_ISLNK(known.st_mode));
    CHECK(!stat(path, &known) && known.st_size == 12);
    CHECK(!lg_renderer_draw_file(NULL, "digraph{a}", "dot", "/dev/null", NULL,
                                 NULL));
    CHECK(!stat("/dev/null", &known) && S_ISCHR(known.st_mode));
    CHECK(!unlink(link) && !unlink(path) && !rmdir(folder));
}

// One call saves a view as a picture; the suffix, or a name, says as what.
static void
test_view_saved(void)
{
    char folder[] = "/tmp/leakgraph-render-XXXXXX";
    char path[64];
    lg_view *view = view_of(shape_find("losses"));
    lg_dot_options options = LG_DOT_OPTIONS_INIT;
    lg_error error = {0};
    options.title = "kept losses";
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/why.svg", folder);
    CHECK(!lg_view_save(view, &options, NULL, path, NULL, &error));
    CHECK(holds(path, "kept losses"));
    CHECK(!lg_view_save(view, NULL, "dot", path, NULL, &error));
    CHECK(holds(path, "digraph leakgraph"));
    CHECK(lg_view_save(view, NULL, NULL, "-", NULL, &error) == LG_EINVAL);
    CHECK(!unlink(path) && !rmdir(folder));
    lg_view_free(view);
}

static void *
render_often(void *context)
{
    lg_text *dot = context;
    for (int i = 0; i < 5; i++) {
        lg_text image = {0};
        if (lg_dot_render(dot->data, "svg", NULL, &image, NULL))
            return dot;
        lg_text_free(&image);
    }
    return NULL;
}

static void
test_threads_take_turns(void)
{
    pthread_t threads[4];
    lg_text dot = dot_of(shape_find("losses"));
    for (size_t i = 0; i < 4; i++)
        REQUIRE(!pthread_create(&threads[i], NULL, render_often, &dot));
    for (size_t i = 0; i < 4; i++) {
        void *failed;
        REQUIRE(!pthread_join(threads[i], &failed));
        CHECK(!failed);
    }
    lg_text_free(&dot);
}

SUITE(render)
{
    RUN(test_every_shape_renders);
    RUN(test_signatures);
    RUN(test_unknown_format);
    RUN(test_view_saved);
    RUN(test_damaged_dot);
    RUN(test_format_of);
    RUN(test_file_is_whole_or_not_there);
    RUN(test_link_and_device);
    RUN(test_threads_take_turns);
    return test_result();
}
