#include "binding/pictures/show_request.h"
#include "binding/support/binding_support.h"

void
lg__request_clear(lg__show_request *self)
{
    Py_CLEAR(self->also);
    Py_CLEAR(self->path);
    lg_renderer_end(self->renderer);
    self->renderer = NULL;
}

/* Starts the renderer of a picture file early, because it needs as long to
   start as the capture and the choice of nodes take. */
static bool
start_renderer(lg__show_request *self)
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
parse_retained(lg__show_request *self, PyObject *value)
{
    self->chosen = value != NULL && value != Py_None;
    return !self->chosen || lg__arg_flag(value, &self->retained);
}

static bool
parse_view(lg__show_request *self, PyObject *const *values)
{
    uint64_t depth = 3, nodes = 120;
    if (!lg__arg_limit("max_depth", values[LG__ARG_MAX_DEPTH], UINT32_MAX,
                       &depth) ||
        !lg__arg_limit("max_nodes", values[LG__ARG_MAX_NODES], UINT32_MAX,
                       &nodes) ||
        !lg__arg_flag(values[LG__ARG_WEAK], &self->view.weak) ||
        !lg__arg_flag(values[LG__ARG_TYPES], &self->view.types))
        return false;
    self->view.max_depth = (uint32_t)depth;
    self->view.max_nodes = (uint32_t)nodes;
    return true;
}

/* Refuses an unknown format before the work begins. */
static bool
parse_format(lg__show_request *self, lg__core_state *state, PyObject *format)
{
    if (!lg__arg_text("format", format, &self->style.format))
        return false;
    if (self->style.format == NULL)
        return true;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_render_format_check(self->style.format, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

bool
lg__request_parse(lg__show_request *self, lg__core_state *state,
                  lg_direction direction, PyObject *const *values)
{
    *self = (lg__show_request){.target = values[LG__ARG_TARGET],
                               .view = LG_VIEW_OPTIONS_INIT,
                               .style = {.legend = true}};
    self->view.direction = direction;
    return parse_view(self, values) &&
           lg__arg_text("title", values[LG__ARG_TITLE], &self->style.title) &&
           lg__arg_flag(values[LG__ARG_LEGEND], &self->style.legend) &&
           parse_retained(self, values[LG__ARG_RETAINED]) &&
           parse_format(self, state, values[LG__ARG_FORMAT]) &&
           lg__progress_begin(&self->progress, values[LG__ARG_PROGRESS]) &&
           lg__arg_objects("also", values[LG__ARG_ALSO], &self->also) &&
           lg__drawing_file(state, values[LG__ARG_PATH], &self->style,
                            self->suffix_format, &self->path) &&
           start_renderer(self);
}
