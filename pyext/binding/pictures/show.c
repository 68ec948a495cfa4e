/** Draws pictures of live objects and of snapshots. */
#include "binding/pictures/binding_pictures.h"
#include "binding/support/binding_support.h"
#include "binding/pictures/drawing.h"
#include "binding/objects/binding_objects.h"
#include "capture/run/capture_run.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/answer_views.h>
#include <stdlib.h>

typedef struct show_request {
    PyObject *target;      /* borrowed */
    PyObject *also;        /* fast sequence, or NULL */
    PyObject *path;        /* bytes, or NULL: no file */
    lg_renderer *renderer; /* starts during the capture; or NULL */
    lg_view_options view;
    bool chosen; /* whether the caller chose to show or hide retained bytes */
    bool retained;
    lg__drawing_style style;
    char suffix_format[16];
    lg__progress progress;
} show_request;

enum show_argument {
    ARG_TARGET,
    ARG_PATH,
    ARG_ALSO,
    ARG_MAX_DEPTH,
    ARG_MAX_NODES,
    ARG_FORMAT,
    ARG_WEAK,
    ARG_TYPES,
    ARG_TITLE,
    ARG_LEGEND,
    ARG_RETAINED,
    ARG_PROGRESS,
    ARG_COUNT,
};

#define SHOW_NAMES(first)                                                      \
    {                                                                          \
        first, "path", "also", "max_depth", "max_nodes", "format", "weak",     \
            "types", "title", "legend", "retained", "progress", NULL           \
    }

#define SHOW_SIGNATURE(first)                                                  \
    first ", path=None, *, also=(), max_depth=3,\n"                            \
          "          max_nodes=120, format=None, weak=False, types=False,\n"   \
          "          title=None, legend=True, retained=None, "                 \
          "progress=None)\n--\n\n"

#define SHOW_OPTIONS                                                           \
    "\n\n"                                                                     \
    "path      write the picture there; the suffix chooses the format; {pid} " \
    "and {n}\n"                                                                \
    "          stand for the process id and the next free number\n"            \
    "also      more objects to start from\n"                                   \
    "max_depth follow at most this many hops\n"                                \
    "max_nodes draw at most this many boxes; similar siblings share one\n"     \
    "format    overrides the suffix; without a file, the format for a "        \
    "notebook\n"                                                               \
    "weak      follow weak references, too\n"                                  \
    "types     draw the references from objects to their types\n"              \
    "title     a line above the picture\n"                                     \
    "legend    explain the colours below the picture\n"                        \
    "retained  True shows retained sizes, which need a snapshot of the whole " \
    "heap\n"                                                                   \
    "          and its analysis; False shows the objects' own sizes; None "    \
    "shows\n"                                                                  \
    "          retained sizes if that is quick: with up to 300,000 objects "   \
    "in the\n"                                                                 \
    "          collector, or 2,000,000 in a snapshot\n"                        \
    "progress  as in snapshot()"

static void
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
    return !self->chosen || lg__arg_flag(value, &self->retained);
}

static bool
parse_view(show_request *self, PyObject *const *values)
{
    uint64_t depth = 3, nodes = 120;
    if (!lg__arg_limit("max_depth", values[ARG_MAX_DEPTH], UINT32_MAX,
                       &depth) ||
        !lg__arg_limit("max_nodes", values[ARG_MAX_NODES], UINT32_MAX,
                       &nodes) ||
        !lg__arg_flag(values[ARG_WEAK], &self->view.weak) ||
        !lg__arg_flag(values[ARG_TYPES], &self->view.types))
        return false;
    self->view.max_depth = (uint32_t)depth;
    self->view.max_nodes = (uint32_t)nodes;
    return true;
}

/* Refuses an unknown format before the work begins. */
static bool
parse_format(show_request *self, lg__core_state *state, PyObject *format)
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

/** Parses; false with an exception. Call request_clear in any case. */
static bool
request_parse(show_request *self, lg__core_state *state, lg_direction direction,
              PyObject *const *values)
{
    *self = (show_request){.target = values[ARG_TARGET],
                           .view = LG_VIEW_OPTIONS_INIT,
                           .style = {.legend = true}};
    self->view.direction = direction;
    return parse_view(self, values) &&
           lg__arg_text("title", values[ARG_TITLE], &self->style.title) &&
           lg__arg_flag(values[ARG_LEGEND], &self->style.legend) &&
           parse_retained(self, values[ARG_RETAINED]) &&
           parse_format(self, state, values[ARG_FORMAT]) &&
           lg__progress_begin(&self->progress, values[ARG_PROGRESS]) &&
           lg__arg_objects("also", values[ARG_ALSO], &self->also) &&
           lg__drawing_file(state, values[ARG_PATH], &self->style,
                            self->suffix_format, &self->path) &&
           start_renderer(self);
}

/* How many nodes a partial capture around a live object has at most: some
   milliseconds' work. */
#define NEAR_NODES 200000

/* If the collector tracks at most this many objects, a picture of a live object
   takes a snapshot of the whole heap unasked, which takes at most a second. */
#define SMALL_HEAP 300000

/* One hop of a picture takes up to three references: from a function to its
   closure, to a cell, to a value. */
#define EDGES_PER_HOP 3

static const char *const live_names[] = SHOW_NAMES("obj");
static const char *const saved_names[] = SHOW_NAMES("target");

/* Draws `nodes`, and writes the drawing to its file if there is one. */
static PyObject *
request_draw(show_request *self, lg__core_state *state, const lg_graph *graph,
             const lg_nodes *nodes)
{
    lg_view *view = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_view_new(graph, nodes->items, nodes->count, &self->view,
                         &self->progress.monitor, &view, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        return lg__error_raise(state, status, &error);
    PyObject *drawing = lg__drawing_new(state, view, &self->style);
    if (drawing != NULL && self->path != NULL &&
        !lg__drawing_write(drawing, PyBytes_AS_STRING(self->path),
                           self->style.format, self->renderer,
                           &self->progress.monitor))
        Py_CLEAR(drawing);
    return drawing;
}

/* Returns `drawing` (or NULL) after it has cleared the progress line. */
static PyObject *
request_finish(show_request *self, PyObject *drawing)
{
    return lg__progress_end(&self->progress, drawing);
}

/* Lists the objects that the picture starts from, borrowed; free() the array.
 */
static PyObject **
request_objects(const show_request *self, size_t *count)
{
    Py_ssize_t more = self->also ? PySequence_Fast_GET_SIZE(self->also) : 0;
    PyObject **objects = malloc((size_t)(more + 1) * sizeof *objects);
    if (objects == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    objects[0] = self->target;
    for (Py_ssize_t i = 0; i < more; i++)
        objects[i + 1] = PySequence_Fast_GET_ITEM(self->also, i);
    *count = (size_t)more + 1;
    return objects;
}

static uint32_t
near_depth(uint32_t hops)
{
    return hops < UINT32_MAX / EDGES_PER_HOP - 1 ? (hops + 1) * EDGES_PER_HOP
                                                 : 0;
}

/* Hides a list that exists only for `also=`, which the caller's stack and
   self->also hold. Untracked, it is out of the capture's sight and does not
   show as a holder. True if it was hidden. */
static bool
hide_also(const show_request *self)
{
    PyObject *also = self->also;
    if (also == NULL || Py_REFCNT(also) != 2 || !PyObject_GC_IsTracked(also))
        return false;
    PyObject_GC_UnTrack(also);
    return true;
}

/* Shows retained bytes if the caller chose them, or chose nothing and they are
   quick. */
static void
choose_sizes(show_request *self)
{
    if (!self->chosen)
        self->retained = lg__capture_is_small(SMALL_HEAP);
}

/* Whether the picture of a live object needs the whole heap. Backward, a holder
   may be anywhere, and what an object retains depends on all others. Otherwise
   a capture of nearby objects suffices. */
static bool
needs_heap(const show_request *self)
{
    return self->retained || self->view.direction != LG_REFS;
}

/* Captures what leads to the objects alone, the whole heap, or what is near
   them. What leads to an object may not be known: then *out is NULL without an
   exception. */
static bool
capture_for(show_request *self, lg__core_state *state, PyObject **objects,
            size_t count, bool leading, lg_graph **out)
{
    lg_monitor watch = lg__progress_walking(&self->progress);
    lg__capture_options options = {.watch = &watch};
    if (!leading && !needs_heap(self)) {
        options.roots = objects;
        options.root_count = count;
        options.max_depth = near_depth(self->view.max_depth);
        options.max_nodes = NEAR_NODES;
    }
    bool hidden = hide_also(self);
    options.held = objects;
    options.held_count = hidden ? count : 1;
    options.hidden = hidden ? self->also : NULL;
    lg_error error;
    lg_status status = leading ? lg__capture_leading(&options, out, &error)
                               : lg__capture(&options, out, &error);
    if (hidden)
        PyObject_GC_Track(self->also);
    if (leading && status == LG_ENOTFOUND)
        return true;
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

/* Adds the analysis to the view's options if one is wanted; the caller frees
   it. */
static bool
analyse(show_request *self, lg__core_state *state, const lg_graph *graph,
        lg_analysis **out)
{
    lg_error error;
    lg_status status = LG_OK;
    if (!self->retained)
        return true;
    Py_BEGIN_ALLOW_THREADS
    status = lg_analysis_new(graph, &self->progress.monitor, out, &error);
    Py_END_ALLOW_THREADS
    self->view.analysis = *out;
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

static PyObject *
draw_captured(show_request *self, lg__core_state *state, lg_graph *graph,
              PyObject **objects, size_t count)
{
    PyObject *drawing = NULL;
    lg_nodes nodes = {0};
    lg_analysis *analysis = NULL;
    if (graph != NULL &&
        lg__target_locate(state, graph, objects, count, &nodes) &&
        analyse(self, state, graph, &analysis))
        drawing = request_draw(self, state, graph, &nodes);
    lg_nodes_free(&nodes);
    Py_BEGIN_ALLOW_THREADS
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    Py_END_ALLOW_THREADS
    return drawing;
}

/* Returns whether the graph proves to have the path that the whole heap has. */
static bool
has_path(lg_graph *graph, lg__core_state *state, PyObject *const *object)
{
    lg_nodes nodes = {0};
    lg_path path = {0};
    lg_error unsure;
    bool has =
        lg__target_locate(state, graph, object, 1, &nodes) &&
        lg_path_from_root(graph, nodes.items[0], NULL, &path, &unsure) == LG_OK;
    lg_path_free(&path);
    lg_nodes_free(&nodes);
    return has;
}

/* Captures what leads to the object into *out, if that has the path. */
static bool
capture_path(show_request *self, lg__core_state *state, PyObject **object,
             lg_graph **out)
{
    bool done = capture_for(self, state, object, 1, true, out);
    if (*out != NULL && !has_path(*out, state, object)) {
        lg_graph_free(*out);
        *out = NULL;
    }
    return done && !PyErr_Occurred();
}

static PyObject *
show_objects(show_request *self, lg__core_state *state)
{
    size_t count;
    PyObject *drawing = NULL;
    lg_graph *graph = NULL;
    PyObject **objects = request_objects(self, &count);
    if (objects == NULL)
        return NULL;
    choose_sizes(self);
    bool early = self->view.direction == LG_PATH && count == 1;
    if ((!early || self->retained ||
         capture_path(self, state, objects, &graph)) &&
        (graph != NULL ||
         capture_for(self, state, objects, count, false, &graph)))
        drawing = draw_captured(self, state, graph, objects, count);
    free(objects);
    return drawing;
}

static PyObject *
draw_live(show_request *self, PyObject *module)
{
    return show_objects(self, lg__module_state(module));
}

const char lg__core_show_refs_doc[] = "show_refs($module, /, " SHOW_SIGNATURE(
    "obj") "Draw what an object refers to.\n\n"
           "obj is one object of any type: show_refs() draws a list as a "
           "list. "
           "With\n"
           "retained=False, it visits only what is near the object, "
           "however "
           "big the heap is." SHOW_OPTIONS;

const char lg__core_show_backrefs_doc[] =
    "show_backrefs($module, /, " SHOW_SIGNATURE(
        "obj") "Draw what refers to an object.\n\n"
               "Takes a snapshot of the whole heap. To ask several questions, "
               "take one\n"
               "snapshot and call Snapshot.show_backrefs()." SHOW_OPTIONS;

const char lg__core_show_path_doc[] = "show_path($module, /, " SHOW_SIGNATURE(
    "obj") "Draw a shortest path of strong references from a GC root to an "
           "object.\n\n"
           "Says so if no root reaches it. Without retained sizes, looks at "
           "what leads to\n"
           "the object first, and takes a snapshot of the whole heap only if "
           "that leaves\n"
           "a doubt." SHOW_OPTIONS;

static bool
resolve_all(show_request *self, lg__snapshot_object *snapshot, lg_nodes *nodes)
{
    if (!lg__target_resolve(snapshot, self->target, nodes))
        return false;
    Py_ssize_t more = self->also ? PySequence_Fast_GET_SIZE(self->also) : 0;
    for (Py_ssize_t i = 0; i < more; i++)
        if (!lg__target_resolve(snapshot,
                                PySequence_Fast_GET_ITEM(self->also, i), nodes))
            return false;
    return true;
}

/* The graph of a snapshot. Adds its analysis to the view's options if one is
   asked for, exists, or is quick to make. */
static lg_graph *
acquire(show_request *self, lg__snapshot_object *snapshot)
{
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    if (!self->chosen)
        self->retained = snapshot->analysis != NULL || lg_view_is_quick(graph);
    if (!self->retained)
        return graph;
    self->view.analysis =
        lg__analysis_acquire(snapshot, &self->progress.monitor);
    lg__snapshot_release(snapshot);
    return self->view.analysis != NULL ? graph : NULL;
}

static PyObject *
show_nodes(show_request *self, lg__snapshot_object *snapshot)
{
    lg_graph *graph = acquire(self, snapshot);
    if (graph == NULL)
        return NULL;
    PyObject *drawing = NULL;
    lg_nodes nodes = {0};
    if (resolve_all(self, snapshot, &nodes))
        drawing = request_draw(self, lg__object_state(snapshot), graph, &nodes);
    lg_nodes_free(&nodes);
    lg__snapshot_release(snapshot);
    return drawing;
}

static PyObject *
draw_saved(show_request *self, PyObject *snapshot)
{
    return show_nodes(self, (lg__snapshot_object *)snapshot);
}

#define TARGET_KINDS                                                           \
    "\n\ntarget is a selector (a str), a Node, or a live object."

const char lg__snapshot_show_refs_doc[] = "show_refs($self, /, " SHOW_SIGNATURE(
    "target") "Draw what an object refers to." TARGET_KINDS SHOW_OPTIONS;

const char lg__snapshot_show_backrefs_doc[] =
    "show_backrefs($self, /, " SHOW_SIGNATURE(
        "target") "Draw what refers to an object." TARGET_KINDS SHOW_OPTIONS;

const char lg__snapshot_show_path_doc[] = "show_path($self, /, " SHOW_SIGNATURE(
    "target") "Draw a shortest path of strong references from a GC root to "
              "an "
              "object." TARGET_KINDS SHOW_OPTIONS;

static PyObject *
show(PyObject *asked, lg__core_state *state, lg_direction direction,
     PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const char *const functions[] = {
        [LG_REFS] = "show_refs",
        [LG_BACKREFS] = "show_backrefs",
        [LG_PATH] = "show_path",
    };
    bool live = PyModule_Check(asked);
    const lg__arg_list list = {functions[direction],
                               live ? live_names : saved_names, 2, 1};
    PyObject *values[ARG_COUNT] = {NULL};
    show_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        (live &&
         !lg__target_is_object(state, list.function, values[ARG_TARGET])))
        return NULL;
    PyObject *drawing = NULL;
    if (request_parse(&request, state, direction, values))
        drawing = request_finish(&request, live ? draw_live(&request, asked)
                                                : draw_saved(&request, asked));
    request_clear(&request);
    return drawing;
}

PyObject *
lg__core_show_refs(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    return show(module, lg__module_state(module), LG_REFS, args, nargs,
                kwnames);
}

PyObject *
lg__core_show_backrefs(PyObject *module, PyObject *const *args,
                       Py_ssize_t nargs, PyObject *kwnames)
{
    return show(module, lg__module_state(module), LG_BACKREFS, args, nargs,
                kwnames);
}

PyObject *
lg__core_show_path(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    return show(module, lg__module_state(module), LG_PATH, args, nargs,
                kwnames);
}

PyObject *
lg__snapshot_show_refs(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    return show(self, lg__object_state(self), LG_REFS, args, nargs, kwnames);
}

PyObject *
lg__snapshot_show_backrefs(PyObject *self, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames)
{
    return show(self, lg__object_state(self), LG_BACKREFS, args, nargs,
                kwnames);
}

PyObject *
lg__snapshot_show_path(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    return show(self, lg__object_state(self), LG_PATH, args, nargs, kwnames);
}
