#include "binding/pictures/drawing.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"
#include "binding/objects/binding_objects.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/renderers.h>
#include <leakgraph/render.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

bool
lg__drawing_file(lg__core_state *state, PyObject *filename,
                 const lg__drawing_style *style, char suffix[16],
                 PyObject **path)
{
    *path = NULL;
    if (filename == NULL || filename == Py_None)
        return true;
    *path = lg__pathname_filled(filename);
    if (*path == NULL)
        return false;
    if (style->format != NULL)
        return true;
    lg_error error;
    lg_status status =
        lg_render_format_of(PyBytes_AS_STRING(*path), suffix, &error);
    if (status == LG_OK)
        return true;
    lg__error_raise(state, status, &error);
    Py_CLEAR(*path);
    return false;
}

PyObject *
lg__picture_of(lg__snapshot_object *snapshot, lg__picture_maker *make,
               const void *of)
{
    const lg_analysis *analysis = lg__analysis_acquire(snapshot, NULL);
    if (analysis == NULL)
        return NULL;
    const lg__drawing_style style = {.legend = true};
    lg_view *view = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = make(analysis, of, &view, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status != LG_OK)
        return lg__error_raise(lg__object_state(snapshot), status, &error);
    return lg__drawing_new(lg__object_state(snapshot), view, &style);
}

PyObject *
lg__picture_ask(PyObject *drawing, const char *method, PyObject *const *args,
                Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *bound = drawing ? lg__attribute_get(drawing, method) : NULL;
    PyObject *result =
        bound ? PyObject_Vectorcall(bound, args, (size_t)nargs, kwnames) : NULL;
    Py_XDECREF(bound);
    Py_XDECREF(drawing);
    return result;
}

const char lg__core_render_doc[] =
    "_render($module, dot, format, /)\n--\n\n"
    "DOT as a picture: bytes in the format, such as 'svg'.\n\n"
    "PictureError if Graphviz cannot draw it.";

typedef struct image {
    const char *format;
    lg_text drawn; /* without data: Graphviz cannot draw it */
} image;

PyObject *
lg__core_render(PyObject *module, PyObject *args)
{
    const char *dot;
    const char *format;
    lg__progress watch;
    if (!PyArg_ParseTuple(args, "ss:_render", &dot, &format) ||
        !lg__progress_begin(&watch, NULL))
        return NULL;
    lg_text file = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_dot_render(dot, format, &watch.monitor, &file, &error);
    Py_END_ALLOW_THREADS
    PyObject *picture = NULL;
    if (status == LG_OK)
        picture = PyBytes_FromStringAndSize(file.data, (Py_ssize_t)file.length);
    else
        lg__error_raise(lg__module_state(module), status, &error);
    lg_text_free(&file);
    if (!lg__progress_finish(&watch, status))
        Py_CLEAR(picture);
    return picture;
}

typedef struct drawing_object {
    PyObject_HEAD
    lg_view *view;
    char *title;
    char *format;
    bool legend;
    _Atomic(image *) kept; /* the last for a notebook, if no call uses it */
} drawing_object;

static char *
copy_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

PyObject *
lg__drawing_new(lg__core_state *state, lg_view *view,
                const lg__drawing_style *style)
{
    drawing_object *self = lg__object_new(state, LG__TYPE_DRAWING);
    if (self == NULL) {
        lg_view_free(view);
        return NULL;
    }
    self->view = view;
    self->title = copy_text(style->title);
    self->format = copy_text(style->format);
    self->legend = style->legend;
    return (PyObject *)self;
}

static void
image_free(image *picture)
{
    if (picture != NULL)
        lg_text_free(&picture->drawn);
    free(picture);
}

static void
drawing_dealloc(drawing_object *self)
{
    image_free(atomic_exchange(&self->kept, NULL));
    lg_view_free(self->view);
    free(self->title);
    free(self->format);
    lg__object_free(self);
}

static lg_status
make_dot(drawing_object *self, lg_text *dot, lg_error *error)
{
    lg_dot_options options = {
        .size = sizeof options, .title = self->title, .legend = self->legend};
    return lg_view_dot(self->view, &options, dot, error);
}

static PyObject *
finish_text(drawing_object *self, lg_status status, lg_text *text,
            const lg_error *error)
{
    if (status == LG_OK)
        return lg__text_object(text);
    lg_text_free(text);
    return lg__error_raise(lg__object_state(self), status, error);
}

static PyObject *
get_dot(drawing_object *self, void *Py_UNUSED(closure))
{
    lg_text text = {0};
    lg_error error;
    lg_status status = make_dot(self, &text, &error);
    return finish_text(self, status, &text, &error);
}

static PyObject *
get_text(drawing_object *self, void *Py_UNUSED(closure))
{
    lg_text text = {0};
    lg_error error;
    lg_status status = lg_view_text(self->view, &text, &error);
    return finish_text(self, status, &text, &error);
}

static PyObject *
get_json(drawing_object *self, void *Py_UNUSED(closure))
{
    lg_text text = {0};
    lg_error error;
    lg_status status = lg_view_json(self->view, &text, &error);
    return finish_text(self, status, &text, &error);
}

static PyObject *
get_nodes(drawing_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSize_t(lg_view_node_count(self->view));
}

static PyObject *
drawing_repr(drawing_object *self)
{
    size_t nodes = lg_view_node_count(self->view);
    return PyUnicode_FromFormat("<leakgraph.Drawing: %zu node%s>", nodes,
                                nodes == 1 ? "" : "s");
}

static PyObject *
drawing_str(drawing_object *self)
{
    return get_text(self, NULL);
}

/* IPython shows a drawing as its tree, as a notebook shows its picture. */
static PyObject *
drawing_repr_pretty(drawing_object *self, PyObject *args)
{
    PyObject *printer;
    int cycle;
    if (!PyArg_ParseTuple(args, "Op:_repr_pretty_", &printer, &cycle))
        return NULL;
    PyObject *text = get_text(self, NULL);
    PyObject *done = text ? lg__method_call(printer, "text", text) : NULL;
    Py_XDECREF(text);
    return done;
}

static PyGetSetDef drawing_getset[] = {
    {"dot", (getter)get_dot, NULL, "The picture as Graphviz DOT.", NULL},
    {"text", (getter)get_text, NULL, "The picture as an indented tree.", NULL},
    {"json", (getter)get_json, NULL, "The drawing as JSON.", NULL},
    {"nodes", (getter)get_nodes, NULL, "How many nodes are drawn.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Needs no GIL. */
static lg_status
render(drawing_object *self, const lg_monitor *monitor, image *out,
       lg_error *error)
{
    lg_text dot = {0};
    lg_status status = make_dot(self, &dot, error);
    if (status == LG_OK)
        status =
            lg_dot_render(dot.data, out->format, monitor, &out->drawn, error);
    lg_text_free(&dot);
    return status;
}

/* Raises the error, with the picture as a text tree. */
static void
raise_failure(drawing_object *self, lg_status status, const lg_error *error)
{
    if (status == LG_ERENDER && !PyErr_Occurred())
        lg__error_raise_picture(lg__object_state(self), error,
                                get_text(self, NULL));
    else
        lg__error_raise(lg__object_state(self), status, error);
}

/* Draws what a notebook shows. A picture that Graphviz cannot draw has no data,
   and a sentence says why; NULL with an exception for any other error. */
static image *
notebook_image(drawing_object *self, const char *format, lg_error *error)
{
    lg__progress watch;
    image *made = calloc(1, sizeof *made);
    if (made == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    made->format = format;
    lg_status status;
    lg__progress_begin(&watch, Py_False);
    Py_BEGIN_ALLOW_THREADS
    status = render(self, &watch.monitor, made, error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK && (status != LG_ERENDER || PyErr_Occurred())) {
        lg__error_raise(lg__object_state(self), status, error);
        image_free(made);
        return NULL;
    }
    return made;
}

/* The format that a notebook shows: its own, unless the drawing has another. */
static const char *
notebook_format(const drawing_object *self)
{
    static const char *const formats[] = {"svg", "png"};
    for (size_t i = 0; i < 2; i++)
        if (self->format == NULL || strcmp(self->format, formats[i]) == 0)
            return formats[i];
    return NULL;
}

/* Takes the kept image, or draws one. `failed`: one that Graphviz could not
   draw is enough. The caller owns it. */
static image *
obtain_image(drawing_object *self, const char *format, bool failed,
             lg_error *error)
{
    image *kept = atomic_exchange(&self->kept, NULL);
    if (kept != NULL && strcmp(kept->format, format) == 0 &&
        (kept->drawn.data != NULL || failed))
        return kept;
    image_free(kept);
    return notebook_image(self, format, error);
}

/* Keeps an image for the next call, so that a picture is drawn once. */
static void
keep_image(drawing_object *self, image *made)
{
    image_free(atomic_exchange(&self->kept, made));
}

/* The image as bytes; None for another format, or if there is no picture: then
   the HTML says so. */
static PyObject *
take_image(drawing_object *self, const char *format)
{
    if (self->format != NULL && strcmp(self->format, format) != 0)
        Py_RETURN_NONE;
    lg_error error;
    image *made = obtain_image(self, format, true, &error);
    if (made == NULL)
        return NULL;
    if (made->drawn.data == NULL) {
        image_free(made);
        Py_RETURN_NONE;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(made->drawn.data,
                                                (Py_ssize_t)made->drawn.length);
    keep_image(self, made);
    return bytes;
}

static PyObject *
drawing_repr_svg(drawing_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *bytes = take_image(self, "svg");
    if (bytes == NULL || bytes == Py_None)
        return bytes;
    lg_text svg = {0};
    lg_svg_add(&svg, PyBytes_AS_STRING(bytes), true);
    Py_DECREF(bytes);
    return lg__text_object(&svg);
}

/* Asks the package for HTML of the tree and of one text more: the picture, or
   the reason why there is none. Takes the reference to that text. */
static PyObject *
make_html(drawing_object *self, const char *function, PyObject *more)
{
    PyObject *tree = more != NULL ? get_text(self, NULL) : NULL;
    PyObject *said = tree != NULL ? PyTuple_Pack(2, tree, more) : NULL;
    PyObject *html = said != NULL
                         ? lg__python_call(lg__object_state(self),
                                           "leakgraph.notebook", function, said)
                         : NULL;
    Py_XDECREF(said);
    Py_XDECREF(tree);
    Py_XDECREF(more);
    return html;
}

/* Returns HTML for a notebook, which asks for it first: the picture, because a
   notebook makes an image of SVG, which does not shrink to the cell's width,
   and shows none to a reader who does not trust it. None for another format:
   the notebook asks for that next. */
static PyObject *
drawing_repr_html(drawing_object *self, PyObject *Py_UNUSED(unused))
{
    const char *format = notebook_format(self);
    lg_error error;
    if (format == NULL)
        Py_RETURN_NONE;
    image *made = obtain_image(self, format, false, &error);
    if (made == NULL)
        return NULL;
    bool drawn = made->drawn.data != NULL;
    keep_image(self, made);
    if (!drawn)
        return make_html(self, "undrawn_html",
                         PyUnicode_FromString(error.message));
    PyObject *svg = drawing_repr_svg(self, NULL);
    return svg == Py_None ? svg : make_html(self, "drawn_html", svg);
}

static PyObject *
drawing_repr_png(drawing_object *self, PyObject *Py_UNUSED(unused))
{
    return take_image(self, "png");
}

static lg_status
write_file(drawing_object *self, const char *path, const char *format,
           lg_renderer *renderer, const lg_monitor *monitor, lg_error *error)
{
    lg_text dot = {0};
    lg_status status = make_dot(self, &dot, error);
    if (status == LG_OK)
        status = lg_renderer_draw_file(renderer, dot.data, format, path,
                                       monitor, error);
    lg_text_free(&dot);
    return status;
}

bool
lg__drawing_write(PyObject *drawing, const char *path, const char *format,
                  lg_renderer *renderer, const lg_monitor *monitor)
{
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = write_file((drawing_object *)drawing, path, format, renderer,
                        monitor, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        raise_failure((drawing_object *)drawing, status, &error);
    return status == LG_OK;
}

static PyObject *
drawing_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static const char *const names[] = {"path", "format", NULL};
    static const lg__arg_list list = {"save", names, 1, 1};
    PyObject *values[2] = {NULL};
    const char *format;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_text("format", values[1], &format))
        return NULL;
    PyObject *path = lg__pathname_filled(values[0]);
    if (path == NULL)
        return NULL;
    PyObject *result = NULL;
    lg__progress watch;
    lg__progress_begin(&watch, NULL);
    if (lg__drawing_write(self, PyBytes_AS_STRING(path), format, NULL,
                          &watch.monitor))
        result = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
    result = lg__progress_end(&watch, result);
    Py_DECREF(path);
    return result;
}

static PyMethodDef drawing_methods[] = {
    {"save", LG__FASTCALL(drawing_save), METH_FASTCALL | METH_KEYWORDS,
     "save($self, /, path, *, format=None)\n"
     "--\n\n"
     "Write the picture and return its path.\n\n"
     "The suffix chooses the format, or format does: svg, png, pdf, dot, or "
     "any other\n"
     "that Graphviz writes. Raises PictureError if Graphviz cannot draw it."},
    {"_repr_pretty_", (PyCFunction)drawing_repr_pretty, METH_VARARGS,
     "_repr_pretty_($self, printer, cycle, /)\n--\n\n"},
    {"_repr_html_", (PyCFunction)drawing_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {"_repr_svg_", (PyCFunction)drawing_repr_svg, METH_NOARGS,
     "_repr_svg_($self, /)\n--\n\n"},
    {"_repr_png_", (PyCFunction)drawing_repr_png, METH_NOARGS,
     "_repr_png_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot drawing_slots[] = {
    LG__SLOT(Py_tp_dealloc, drawing_dealloc),
    LG__SLOT(Py_tp_repr, drawing_repr),
    LG__SLOT(Py_tp_str, drawing_str),
    {Py_tp_getset, drawing_getset},
    {Py_tp_methods, drawing_methods},
    {Py_tp_doc, "A picture of a few dozen objects.\n\nA notebook shows it "
                "inline, a terminal as a text tree; save() writes a file."},
    {0, NULL},
};

PyType_Spec lg__drawing_spec = {
    .name = "leakgraph.Drawing",
    .basicsize = sizeof(drawing_object),
    .flags = LG__FINAL_TYPE,
    .slots = drawing_slots,
};
