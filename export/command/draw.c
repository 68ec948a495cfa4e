// Draws pictures into files. The renderer starts while the snapshot is read.
#include "command/command.h"

#include <leakgraph/internal/renderers.h>

#include <stdio.h>
#include <string.h>

// NULL until there is something to draw.
static lg_renderer *early;

void
lg__draw_begin(const char *format)
{
    early = lg_renderer_start(format);
}

void
lg__draw_end(void)
{
    lg_renderer_end(early);
    early = NULL;
}

// Prints the tree of a picture that cannot be drawn, but never to where the
// picture should go.
static void
show_instead(const lg__arguments *arguments, const lg_view *view)
{
    lg_text text = {0};
    if (lg_view_text(view, &text, NULL))
        lg_text_free(&text);
    else if (!strcmp(arguments->output, "-"))
        fputs(text.data, stderr);
    else
        lg__print(&text);
    lg_text_free(&text);
}

int
lg__draw(const lg__arguments *arguments, const lg_view *view)
{
    lg_text dot = {0};
    lg_error error = {0};
    lg_dot_options options = {.size = sizeof options,
                              .title = arguments->title,
                              .legend = arguments->legend};
    lg_status status = lg_view_dot(view, &options, &dot, &error);
    if (!status)
        status =
            lg_renderer_draw_file(early, dot.data, arguments->format,
                                  arguments->output, lg__monitor(), &error);
    lg_text_free(&dot);
    lg__progress_end();
    if (!status)
        return LG__EXIT_FINE;
    int code = lg__fail(&error);
    if (status == LG_ERENDER)
        show_instead(arguments, view);
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
}
