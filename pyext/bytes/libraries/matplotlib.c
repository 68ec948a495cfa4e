/**
 * matplotlib: the pixels that Agg keeps for a canvas, and the facts of each
 * figure. The adapter reads all of it from the instances' own storage.
 */
#include "bytes/libraries/matplotlib.h"
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/numpy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    KIND_FIGURE = 1,
    KIND_AXES,
    KIND_ARTIST,
    KIND_RENDERER,
    KIND_REGION,
};
enum { BUCKETS = 1024 };

/** The counts of a figure while the passes meet its artists. */
typedef struct figure {
    PyObject *object;
    uint32_t node; /**< LG_NONE: not met yet */
    uint32_t axes;
    uint32_t artists;
    bool registered;     /**< pyplot knows it */
    struct figure *next; /**< the next one in its bucket */
} figure;

typedef struct matplotlib_state {
    PyTypeObject *figure, *part, *axes, *artist; /**< `part` is SubFigure */
    PyTypeObject *renderer;                      /**< NULL: Agg is not loaded */
    PyTypeObject *region;
    PyObject *registry; /**< pyplot's figures: number to manager, or NULL */
    figure *figures[BUCKETS];
} matplotlib_state;

static PyTypeObject *
type_in(const char *module, const char *name)
{
    PyObject *found = lg__pass_module(module);
    found = found != NULL ? lg__pass_member(found, name) : NULL;
    return found != NULL && PyType_Check(found) ? (PyTypeObject *)found : NULL;
}

/** matplotlib computes __version__ on access. */
static const char *
version(void)
{
    PyObject *module = lg__pass_module("matplotlib._version");
    PyObject *text = module != NULL ? lg__pass_member(module, "version") : NULL;
    return text != NULL && PyUnicode_Check(text) &&
                   PyUnicode_IS_COMPACT_ASCII(text)
               ? (const char *)PyUnicode_1BYTE_DATA(text)
               : "of an unknown version";
}

static bool
prepare(lg__adapter_pass *pass, void **out)
{
    PyTypeObject *figures = type_in("matplotlib.figure", "Figure");
    PyTypeObject *gcf = type_in("matplotlib._pylab_helpers", "Gcf");
    if (figures == NULL)
        return false;
    matplotlib_state *state = lg__pass_keep(pass, sizeof *state);
    if (state == NULL)
        return false;
    state->figure = figures;
    state->part = type_in("matplotlib.figure", "SubFigure");
    state->axes = type_in("matplotlib.axes._base", "_AxesBase");
    state->artist = type_in("matplotlib.artist", "Artist");
    state->renderer = type_in("matplotlib.backends.backend_agg", "RendererAgg");
    state->region = type_in("matplotlib.backends._backend_agg", "BufferRegion");
    if (gcf != NULL && gcf->tp_dict != NULL)
        state->registry = lg__pass_item(gcf->tp_dict, "figs");
    if (state->registry != NULL && !PyDict_Check(state->registry))
        state->registry = NULL;
    lg__pass_note(pass, "inspected: %s", version());
    *out = state;
    return true;
}

static bool
is_a(PyTypeObject *type, PyTypeObject *base)
{
    return base != NULL && PyType_IsSubtype(type, base);
}

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    const matplotlib_state *state = context;
    return is_a(type, state->figure)     ? KIND_FIGURE
           : is_a(type, state->axes)     ? KIND_AXES
           : is_a(type, state->artist)   ? KIND_ARTIST
           : is_a(type, state->renderer) ? KIND_RENDERER
           : is_a(type, state->region)   ? KIND_REGION
                                         : 0;
}

static void
finish(void *state)
{
    (void)state;
}

static figure *
entry_of(lg__adapter_pass *pass, matplotlib_state *state, PyObject *object)
{
    figure **bucket = &state->figures[(uintptr_t)object / 16 % BUCKETS];
    for (figure *entry = *bucket; entry != NULL; entry = entry->next)
        if (entry->object == object)
            return entry;
    figure *entry = lg__pass_keep(pass, sizeof *entry);
    if (entry == NULL)
        return NULL;
    *entry = (figure){.object = object, .node = LG_NONE, .next = *bucket};
    return *bucket = entry;
}

/** The figure of an artist, or of the subfigure that the artist is in. Up to
 *  3.9 the attribute is `figure`. */
static PyObject *
figure_around(lg__adapter_pass *pass, const matplotlib_state *state,
              PyObject *at)
{
    static const char *const names[] = {"_root_figure", "_parent_figure",
                                        "figure"};
    for (int step = 0; step < 2 && at != NULL; step++) {
        PyObject *found = NULL;
        bool is_part = is_a(Py_TYPE(at), state->part);
        for (size_t i = is_part ? 0 : 1; i < 3 && found == NULL; i++)
            found = lg__pass_attribute(pass, at, names[i]);
        at = found;
        if (at != NULL && is_a(Py_TYPE(at), state->figure))
            return at;
    }
    return NULL;
}

static void
count_artist(lg__adapter_pass *pass, matplotlib_state *state,
             const lg__instance *instance)
{
    PyObject *around = figure_around(pass, state, instance->object);
    figure *entry = around != NULL ? entry_of(pass, state, around) : NULL;
    if (entry == NULL)
        return;
    entry->artists++;
    entry->axes += instance->kind == KIND_AXES;
}

/** Marks the figures that pyplot knows: those of its managers' canvases. */
static void
mark_registered(lg__adapter_pass *pass, matplotlib_state *state)
{
    Py_ssize_t position = 0;
    PyObject *number, *manager;
    while (state->registry != NULL &&
           PyDict_Next(state->registry, &position, &number, &manager)) {
        PyObject *canvas = lg__pass_attribute(pass, manager, "canvas");
        PyObject *shown =
            canvas != NULL ? lg__pass_attribute(pass, canvas, "figure") : NULL;
        figure *entry = shown != NULL ? entry_of(pass, state, shown) : NULL;
        if (entry != NULL)
            entry->registered = true;
    }
}

/** The size of a canvas that was never drawn: inches times dots per inch. */
static lg__extent
extent_to_be(lg__adapter_pass *pass, PyObject *object)
{
    PyObject *box = lg__pass_attribute(pass, object, "bbox_inches");
    PyObject *points =
        box != NULL ? lg__pass_attribute(pass, box, "_points") : NULL;
    double dots = lg__number_attribute(pass, object, "_dpi");
    if (points == NULL ||
        !lg__known_is(lg__pass_types(pass), Py_TYPE(points), LG__KNOWN_NDARRAY))
        return (lg__extent){0};
    const lg__numpy_array *array = (lg__numpy_array *)points;
    if (array->dimension_count != 2 || array->dimensions[0] != 2 ||
        array->dimensions[1] != 2 || array->strides[1] != sizeof(double))
        return (lg__extent){0};
    double corner[2];
    memcpy(corner, array->data + array->strides[0], sizeof corner);
    return lg__extent_of(corner[0] * dots, corner[1] * dots);
}

static void
add_number(lg__adapter_pass *pass, uint32_t node, const char *key,
           uint64_t number)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRIu64, number);
    lg_builder_add_fact(lg__pass_builder(pass), node, key, text,
                        (size_t)length);
}

static void
add_extent(lg__adapter_pass *pass, uint32_t node, lg__extent of)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRIu32 "x%" PRIu32, of.width,
                          of.height);
    if (of.width > 0)
        lg_builder_add_fact(lg__pass_builder(pass), node, "size", text,
                            (size_t)length);
}

/** The number of the figure in pyplot, now or before: that of its manager, or
 *  the one that pyplot noted on the figure, under a name that changed with
 *  3.10. It becomes the figure's text, too. */
static void
describe_number(lg__adapter_pass *pass, uint32_t node, PyObject *object,
                PyObject *canvas)
{
    PyObject *manager =
        canvas != NULL ? lg__pass_attribute(pass, canvas, "manager") : NULL;
    PyObject *number =
        manager != NULL ? lg__pass_attribute(pass, manager, "num") : NULL;
    if (number == NULL)
        number = lg__pass_attribute(pass, object, "_number");
    if (number == NULL)
        number = lg__pass_attribute(pass, object, "number");
    if (number == NULL || !PyLong_CheckExact(number))
        return;
    char text[24];
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    int length = snprintf(text, sizeof text, "%lld", value);
    lg_builder_set_text(lg__pass_builder(pass), node, text, (size_t)length);
    lg_builder_add_fact(lg__pass_builder(pass), node, "number", text,
                        (size_t)length);
}

static void
describe(lg__adapter_pass *pass, const matplotlib_state *state,
         const figure *it)
{
    bool closed = !it->registered;
    PyObject *canvas = lg__pass_attribute(pass, it->object, "canvas");
    PyObject *renderer =
        canvas != NULL ? lg__pass_attribute(pass, canvas, "renderer") : NULL;
    lg__extent drawn = {0};
    if (renderer != NULL && is_a(Py_TYPE(renderer), state->renderer))
        drawn = lg__renderer_extent(pass, renderer);
    describe_number(pass, it->node, it->object, canvas);
    add_extent(pass, it->node,
               drawn.width ? drawn : extent_to_be(pass, it->object));
    add_number(pass, it->node, "canvas",
               (uint64_t)drawn.width * drawn.height * 4);
    add_number(pass, it->node, "axes", it->axes);
    add_number(pass, it->node, "artists", it->artists);
    lg_builder_add_fact(lg__pass_builder(pass), it->node, "closed",
                        closed ? "yes" : "no", closed ? 3 : 2);
}

static bool
scan_instance(lg__adapter_pass *pass, matplotlib_state *state,
              const lg__instance *instance)
{
    figure *entry;
    switch (instance->kind) {
    case KIND_FIGURE:
        entry = entry_of(pass, state, instance->object);
        if (entry != NULL)
            entry->node = instance->node;
        return true;
    case KIND_RENDERER:
        lg__renderer_scan(pass, instance);
        return false;
    case KIND_REGION:
        lg__region_scan(pass, instance);
        return false;
    default:
        count_artist(pass, state, instance);
        return true;
    }
}

static void
scan_all(lg__adapter_pass *pass, void *context)
{
    matplotlib_state *state = context;
    lg__instance instance;
    bool changed = false;
    while (lg__pass_next(pass, &instance))
        changed |= scan_instance(pass, state, &instance);
    if (changed)
        mark_registered(pass, state);
    for (size_t i = 0; changed && i < BUCKETS; i++)
        for (const figure *it = state->figures[i]; it != NULL; it = it->next)
            if (it->node != LG_NONE)
                describe(pass, state, it);
}

const lg__adapter lg__matplotlib_adapter = {
    .name = "matplotlib",
    .prepare = prepare,
    .kind = kind_of,
    .pass = scan_all,
    .finish = finish,
};
