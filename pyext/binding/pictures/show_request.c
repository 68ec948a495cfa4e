#include "binding/pictures/show_request.h"
#include "binding/support/args.h"
#include "binding/support/errors.h"

void
request_clear(show_request *self)
{
    Py_CLEAR(self->also);
    Py_CLEAR(self->path);
    lg_renderer_end(self->renderer);
    self->renderer = NULL;
}

/* Starts the renderer of a picture file early, because it needs as long to
   start as the capture and the choice of nodes take. */
static bool
start_renderer(show_request *self)
{
    const char *format =
        self->style.format ? self->style.format : self->suffix_format;
    if (self->path == NULL)
        return true;
    Py_BEGIN_ALLOW_THREADS
    self->renderer = lg_renderer_start(format);
    Py_END_ALLOW_THREADS
    return true;
}

static bool
parse_retained(show_request *self, PyObject *value)
{
    self->chosen = value != NULL && value != Py_None;
    return !self->chosen || arg_flag(value, &self->retained);
}

static bool
parse_view(show_request *self, PyObject *const *values)
{
    uint64_t depth = 3, nodes = 120;
    if (!arg_limit("max_depth", values[ARG_MAX_DEPTH], UINT32_MAX, &depth) ||
        !arg_limit("max_nodes", values[ARG_MAX_NODES], UINT32_MAX, &nodes) ||
        !arg_flag(values[ARG_WEAK], &self->view.weak) ||
        !arg_flag(values[ARG_TYPES], &self->view.types))
        return false;
    self->view.max_depth = (uint32_t)depth;
    self->view.max_nodes = (uint32_t)nodes;
    return true;
}

/* Refuses an unknown format before the work begins. */
static bool
parse_format(show_request *self, core_state *state, PyObject *format)
{
    if (!arg_text("format", format, &self->style.format))
        return false;
    if (self->style.format == NULL)
        return true;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_render_format_check(self->style.format, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        error_raise(state, status, &error);
    return status == LG_OK;
}

bool
request_parse(show_request *self, core_state *state, lg_direction direction,
              PyObject *const *values)
{
    *self = (show_request){.target = values[ARG_TARGET],
                           .view = LG_VIEW_OPTIONS_INIT,
                           .style = {.legend = true}};
    self->view.direction = direction;
    return parse_view(self, values) &&
           arg_text("title", values[ARG_TITLE], &self->style.title) &&
           arg_flag(values[ARG_LEGEND], &self->style.legend) &&
           parse_retained(self, values[ARG_RETAINED]) &&
           parse_format(self, state, values[ARG_FORMAT]) &&
           progress_start(&self->progress, values[ARG_PROGRESS]) &&
           arg_objects("also", values[ARG_ALSO], &self->also) &&
           drawing_file(state, values[ARG_PATH], &self->style,
                        self->suffix_format, &self->path) &&
           start_renderer(self);
}
