// Renderers start before there is something to draw.

#include "open_files.h"
#include "test.h"

#include <leakgraph/render.h>
#include <leakgraph/internal/renderers.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOT "digraph pair { a -> b [label=x] }"

static char *real; // the renderer that was built

static void
be_real(void)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDERER", real, 1));
}

static void
no_other(void)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDERER", "/nowhere/leakgraph-render", 1));
}

static lg_status
draw_early(lg_renderer *early, const char *format, lg_error *error)
{
    lg_text image = {0};
    lg_status status =
        lg_renderer_draw(early, DOT, format, NULL, &image, error);
    CHECK(status ? !image.data : image.length > 100);
    lg_text_free(&image);
    return status;
}

// An early renderer draws one picture, the same as other renderers.
static void
test_started_early(void)
{
    be_real();
    size_t before = count_files();
    lg_text late = {0}, image = {0};
    REQUIRE(!lg_dot_render(DOT, "svg", NULL, &late, NULL));
    lg_renderer *early = lg_renderer_start("svg");
    REQUIRE(early);
    no_other(); // from now on
    REQUIRE(!lg_renderer_draw(early, DOT, "svg", NULL, &image, NULL));
    CHECK(image.length == late.length &&
          !memcmp(image.data, late.data, late.length));
    CHECK(draw_early(early, "svg", NULL) == LG_ERENDER); // it is spent
    be_real();
    CHECK(!draw_early(early, "svg", NULL));
    lg_renderer_end(early);
    early = lg_renderer_start("png");
    CHECK(!draw_early(early, "svg", NULL)); // another renderer draws
    lg_renderer_end(early);
    lg_text_free(&late);
    lg_text_free(&image);
    CHECK(count_files() == before);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void
test_started_early_in_vain(void)
{
    be_real();
    size_t before = count_files();
    lg_renderer_end(lg_renderer_start("svg"));
    lg_renderer_end(NULL);
    CHECK(!lg_renderer_start("dot") && !lg_renderer_start("gv"));
    CHECK(!lg_renderer_start("a format with a long name"));
    CHECK(count_files() == before);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    lg_error error = {0};
    lg_renderer *early = lg_renderer_start("nonsense");
    CHECK(draw_early(early, "nonsense", &error) == LG_EINVAL);
    CHECK(strstr(error.message, "svg"));
    lg_renderer_end(early);
    no_other();
    CHECK(!lg_renderer_start("svg"));
}

// Time before the picture does not count as time to draw.
static void
test_waits_without_a_limit(void)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDER_SECONDS", "1", 1));
    be_real();
    lg_renderer *early = lg_renderer_start("svg");
    usleep(1200000);
    CHECK(!draw_early(early, "svg", NULL));
    lg_renderer_end(early);
    REQUIRE(!unsetenv("LEAKGRAPH_RENDER_SECONDS"));
}

SUITE(renderer_early)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDER_KEPT_SECONDS", "0", 1));
    real = getenv("LEAKGRAPH_RENDERER");
    real = real ? strdup(real) : NULL;
    REQUIRE(real);
    RUN(test_started_early);
    RUN(test_started_early_in_vain);
    RUN(test_waits_without_a_limit);
    free(real);
    return test_result();
}
