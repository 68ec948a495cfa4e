/**
 * matplotlib: the pixels that Agg keeps for a canvas, and the facts of each
 * figure. The adapter reads all of it from the instances' own storage.
 */
#include "capture/adapters/capture_adapters.h"
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/numpy.h"

#include <leakgraph/internal/capture_builder.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** A size in whole pixels; 0: none. */
typedef struct extent {
    uint32_t width;
    uint32_t height;
} extent;

/* Finds what Agg's rasterizer keeps for its next drawing: the cells of the
 *  largest path that it has drawn. */

/** The fields of agg::rasterizer_cells_aa, as matplotlib compiles it
 *  (extern/agg24-svn/include/agg_rasterizer_cells_aa.h, 3.11). Numbers that do
 *  not fit each other are those of another version. */
typedef struct cells_layout {
    uint32_t blocks;
    uint32_t most_blocks;
    uint32_t current_block;
    uint32_t cells;
    uint32_t limit; /**< of blocks */
    uint64_t *block;
    uint64_t current_cell;
    uint32_t sorted_size, sorted_room;
    uint64_t sorted;
    uint32_t rows_size, rows_room;
    uint64_t rows;
} cells_layout;

enum {
    CELLS = 4096,     /**< of a block */
    CELL = 16,        /**< bytes: four ints */
    ITEM = 8,         /**< bytes: a pointer, or two ints */
    LIMITS = 1 << 20, /**< more than any version of matplotlib allows */
    WORDS = 128,      /**< of RendererAgg, its rasterizer among them */
};

static bool
is_consistent(const cells_layout *at)
{
    return at->limit >= 256 && at->limit < LIMITS && at->limit % 256 == 0 &&
           at->blocks > 0 && at->blocks <= at->most_blocks &&
           at->blocks <= at->limit && at->current_block > 0 &&
           at->current_block <= at->blocks && at->cells / CELLS <= at->blocks &&
           at->sorted_room / CELLS <= at->blocks &&
           at->sorted_size <= at->sorted_room &&
           (at->sorted_room == 0) == (at->sorted == 0) &&
           at->rows_size <= at->rows_room &&
           (at->rows_room == 0) == (at->rows == 0);
}

/** Returns whether the current cell lies in the current block. */
static bool
is_in_block(const cells_layout *at)
{
    uint64_t first = 0;
    lg__memory_piece piece = {&at->block[at->current_block - 1], &first,
                              sizeof first, false};
    lg__pass_read(&piece, 1);
    return piece.read && at->current_cell - first <= CELLS * CELL;
}

static uint64_t
bytes_of(const cells_layout *at)
{
    uint64_t items =
        (uint64_t)at->most_blocks + at->sorted_room + at->rows_room;
    return (uint64_t)at->blocks * CELLS * CELL + items * ITEM;
}

/** The bytes that the rasterizer of a RendererAgg keeps, given the address of
 *  the C++ object; 0 if its memory does not look like one. */
static uint64_t
renderer_cells(const void *renderer)
{
    uint64_t words[WORDS] = {0};
    cells_layout at;
    lg__memory_piece piece = {renderer, words, sizeof words, false};
    if (renderer != NULL)
        lg__pass_read(&piece, 1);
    for (size_t i = 0; piece.read && i + sizeof at / sizeof *words <= WORDS;
         i++) {
        memcpy(&at, &words[i], sizeof at);
        if (is_consistent(&at) && is_in_block(&at))
            return bytes_of(&at);
    }
    return 0;
}

/* Finds the pixels that Agg keeps, from its C++ objects through safe reads. */

/** Rounds the size of a canvas to pixels; 0 x 0 if no canvas has such a
 *  size. */
static extent
extent_of(double width, double height)
{
    bool fits = width >= 1 && height >= 1 && width < 65536 && height < 65536;
    return fits ? (extent){(uint32_t)width, (uint32_t)height} : (extent){0};
}

/** Reads the number in the attribute with that name; 0 if there is none. */
static double
number_attribute(lg__adapter_pass *pass, PyObject *object, const char *name)
{
    PyObject *found = lg__pass_attribute(pass, object, name);
    int overflow;
    if (found != NULL && PyLong_CheckExact(found))
        return (double)PyLong_AsLongAndOverflow(found, &overflow);
    return found != NULL && PyFloat_Check(found) ? PyFloat_AS_DOUBLE(found) : 0;
}

/** The size with which one of Agg's renderers was made. */
static extent
renderer_extent(lg__adapter_pass *pass, PyObject *renderer)
{
    double width = number_attribute(pass, renderer, "width");
    double height = number_attribute(pass, renderer, "height");
    return extent_of(width, height);
}

/** The C++ object behind a wrapper of matplotlib or of pybind11. */
static const void *
behind(PyObject *wrapper)
{
    if (Py_TYPE(wrapper)->tp_basicsize <
        (Py_ssize_t)(sizeof(PyObject) + sizeof(void *)))
        return NULL;
    const void *inner;
    memcpy(&inner, (char *)wrapper + sizeof(PyObject), sizeof inner);
    return inner;
}

/** The address of the pixels. In src/_backend_agg.h, RendererAgg has width,
 *  height, dpi, the number of bytes, the pixels. NULL if memory does not look
 *  like that. */
static const void *
pixels_of(PyObject *wrapper, extent of)
{
    uint64_t words[16] = {0};
    lg__memory_piece piece = {behind(wrapper), words, sizeof words, false};
    if (piece.from != NULL)
        lg__pass_read(&piece, 1);
    for (size_t i = 0; piece.read && i + 3 < 16; i++)
        if (words[i] == (of.width | (uint64_t)of.height << 32) &&
            words[i + 2] == (uint64_t)of.width * of.height * 4)
            return (const void *)(uintptr_t)words[i + 3];
    return NULL;
}

/** Adds what the rasterizer keeps, whose many blocks have no common address. */
static void
add_cells(lg__adapter_pass *pass, uint32_t node, const void *renderer)
{
    const lg__shown_memory memory = {
        .length = renderer_cells(renderer),
        .type = lg__pass_type(pass, "matplotlib.memory", LG_NONE),
        .label = lg_builder_intern(lg__pass_builder(pass), "cells", 5),
        .flags = LG_SPAN_OWNER,
    };
    lg__shown_memory_add(pass, node, &memory);
}

/** Charge pixels to the C++ object behind a renderer, and to a copied region of
 *  a canvas. */
static void
renderer_scan(lg__adapter_pass *pass, const lg__instance *instance)
{
    extent of = renderer_extent(pass, instance->object);
    PyObject *inner = lg__pass_attribute(pass, instance->object, "_renderer");
    uint32_t node = inner != NULL ? lg__pass_known(pass, inner) : LG_NONE;
    if (node == LG_NONE || of.width == 0)
        return;
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRIu32 "x%" PRIu32, of.width,
                          of.height);
    const lg__shown_memory memory = {
        .address = pixels_of(inner, of),
        .length = (uint64_t)of.width * of.height * 4,
        .type = lg__pass_type(pass, "matplotlib.canvas", LG_NONE),
        .text = lg_builder_intern(lg__pass_builder(pass), text, (size_t)length),
        .flags = LG_SPAN_OWNER,
    };
    lg__shown_memory_add(pass, node, &memory);
    add_cells(pass, node, behind(inner));
}

/** A copy of a part of the canvas, as blitting keeps one. In
 *  src/_backend_agg.h, BufferRegion has the pixels, two corners, width, height
 *  and stride. */
static void
region_scan(lg__adapter_pass *pass, const lg__instance *instance)
{
    struct {
        const void *virtual_table;
        const void *pixels;
        int32_t corner[4];
        int32_t width, height, stride;
    } region;
    lg__memory_piece piece = {behind(instance->object), &region, sizeof region,
                              false};
    if (piece.from != NULL)
        lg__pass_read(&piece, 1);
    if (!piece.read || region.width <= 0 || region.height <= 0 ||
        region.stride != region.width * 4 ||
        region.corner[2] - region.corner[0] != region.width) {
        lg_builder_add_fact(lg__pass_builder(pass), instance->node,
                            "not inspected", "an unknown layout", 17);
        return;
    }
    const lg__shown_memory memory = {
        .address = region.pixels,
        .length = (uint64_t)region.stride * (uint64_t)region.height,
        .type = lg__pass_type(pass, "matplotlib.canvas", LG_NONE),
        .flags = LG_SPAN_OWNER,
    };
    lg__shown_memory_add(pass, instance->node, &memory);
}

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
    PyTypeObject *figures = lg__type_in("matplotlib.figure", "Figure");
    PyTypeObject *gcf = lg__type_in("matplotlib._pylab_helpers", "Gcf");
    if (figures == NULL)
        return false;
    matplotlib_state *state = lg__pass_keep(pass, sizeof *state);
    if (state == NULL)
        return false;
    state->figure = figures;
    state->part = lg__type_in("matplotlib.figure", "SubFigure");
    state->axes = lg__type_in("matplotlib.axes._base", "_AxesBase");
    state->artist = lg__type_in("matplotlib.artist", "Artist");
    state->renderer =
        lg__type_in("matplotlib.backends.backend_agg", "RendererAgg");
    state->region =
        lg__type_in("matplotlib.backends._backend_agg", "BufferRegion");
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
static extent
extent_to_be(lg__adapter_pass *pass, PyObject *object)
{
    PyObject *box = lg__pass_attribute(pass, object, "bbox_inches");
    PyObject *points =
        box != NULL ? lg__pass_attribute(pass, box, "_points") : NULL;
    double dots = number_attribute(pass, object, "_dpi");
    if (points == NULL ||
        !lg__known_is(lg__pass_types(pass), Py_TYPE(points), LG__KNOWN_NDARRAY))
        return (extent){0};
    const lg__numpy_array *array = (lg__numpy_array *)points;
    if (array->dimension_count != 2 || array->dimensions[0] != 2 ||
        array->dimensions[1] != 2 || array->strides[1] != sizeof(double))
        return (extent){0};
    double corner[2];
    memcpy(corner, array->data + array->strides[0], sizeof corner);
    return extent_of(corner[0] * dots, corner[1] * dots);
}

static void
add_extent(lg__adapter_pass *pass, uint32_t node, extent of)
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
    lg_builder *builder = lg__pass_builder(pass);
    PyObject *canvas = lg__pass_attribute(pass, it->object, "canvas");
    PyObject *renderer =
        canvas != NULL ? lg__pass_attribute(pass, canvas, "renderer") : NULL;
    extent drawn = {0};
    if (renderer != NULL && is_a(Py_TYPE(renderer), state->renderer))
        drawn = renderer_extent(pass, renderer);
    describe_number(pass, it->node, it->object, canvas);
    add_extent(pass, it->node,
               drawn.width ? drawn : extent_to_be(pass, it->object));
    lg_builder_add_fact_number(builder, it->node, "canvas",
                               (uint64_t)drawn.width * drawn.height * 4);
    lg_builder_add_fact_number(builder, it->node, "axes", it->axes);
    lg_builder_add_fact_number(builder, it->node, "artists", it->artists);
    lg_builder_add_fact(builder, it->node, "closed", closed ? "yes" : "no",
                        closed ? 3 : 2);
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
        renderer_scan(pass, instance);
        return false;
    case KIND_REGION:
        region_scan(pass, instance);
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
