/**
 * Images of Pillow. The adapter reads Pillow's C structures through safe reads.
 * An opened file has no pixels until the program needs them.
 */
#include "bytes/common/bytes_common.h"
#include "capture/adapters/capture_adapters.h"

#include <leakgraph/internal/capture_builder.h>
#include <stdint.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** Offsets in the struct behind PIL._imaging.ImagingCore (Imaging.h, struct
 *  ImagingMemoryInstance). All versions have the same members from `palette`
 *  on. */
typedef struct pixel_layout {
    PyTypeObject *type; /**< ImagingCore; NULL: the adapter has not tried yet */
    uint32_t size;      /**< width and height, two ints */
    uint32_t palette;   /**< a pointer to the palette */
    uint32_t target; /**< the object that owns borrowed memory; 0: not found */
    uintptr_t lent;  /**< the function that frees images with borrowed memory */
} pixel_layout;

/** One image. */
typedef struct lg__pixels {
    uintptr_t self;    /**< the structure */
    uint32_t width;    /**< in pixels */
    uint32_t height;   /**< in pixels */
    uint32_t pixel;    /**< bytes per pixel */
    uint32_t line;     /**< bytes per line */
    uintptr_t palette; /**< or 0 */
    uintptr_t narrow;  /**< the lines of one byte per pixel, or 0 */
    uintptr_t wide;    /**< the lines of four bytes per pixel, or 0 */
    uintptr_t lines;   /**< pointers to each line */
    uintptr_t block;   /**< all pixels, if they are in one piece; or 0 */
    uintptr_t blocks;  /**< pieces of lines, each a pointer and an int, ended by
                          NULL; or 0 */
    uintptr_t freed_by; /**< the function that frees the image */
} lg__pixels;

/** The objects that lend pixels. */
typedef struct lg__lender {
    PyObject *target; /**< the object given to Pillow; NULL: unknown */
    PyObject *viewed; /**< the object that exports its memory; or NULL */
} lg__lender;

/* Finds the layout of Pillow's images with a few that it makes for this. */

enum { HEAD = 64, TRIED = 3, LENT_WIDTH = 37, LENT_HEIGHT = 53 };

static uint32_t
number_at(lg__memory *memory, uintptr_t address)
{
    uint32_t number;
    return lg__memory_copy(memory, address, &number, sizeof number) ? number
                                                                    : 0;
}

static uintptr_t
structure_of(lg__memory *memory, PyObject *core)
{
    return lg__memory_word(memory, (uintptr_t)core + sizeof(PyObject));
}

/** Reads an image; false if the memory cannot be one. */
static bool
pixels_read(lg__memory *memory, const pixel_layout *layout, PyObject *core,
            lg__pixels *out)
{
    struct {
        uintptr_t palette, narrow, wide, lines, block, blocks;
        int32_t pixel, line;
        uintptr_t freed_by;
    } tail;
    int32_t size[2];
    uintptr_t self = structure_of(memory, core);
    if (!lg__is_address(self) ||
        !lg__memory_copy(memory, self + layout->size, size, sizeof size) ||
        !lg__memory_copy(memory, self + layout->palette, &tail, sizeof tail) ||
        size[0] < 0 || size[1] < 0 || tail.pixel < 1 || tail.pixel > 4 ||
        tail.line < size[0] || tail.line > (int64_t)size[0] * 4 + 3)
        return false;
    *out = (lg__pixels){
        .self = self,
        .width = (uint32_t)size[0],
        .height = (uint32_t)size[1],
        .pixel = (uint32_t)tail.pixel,
        .line = (uint32_t)tail.line,
        .palette = tail.palette,
        .narrow = tail.narrow,
        .wide = tail.wide,
        .lines = tail.lines,
        .block = tail.block,
        .blocks = tail.blocks,
        .freed_by = tail.freed_by,
    };
    return lg__is_address(tail.lines) &&
           (tail.narrow == 0 || tail.narrow == tail.lines) &&
           (tail.wide == 0 || tail.wide == tail.lines);
}

/** map.c, ImagingBufferInstance: after the image follow the target and a
 *  Py_buffer of it. */
static lg__lender
pixels_lender(lg__memory *memory, const pixel_layout *layout,
              const lg__pixels *pixels)
{
    uintptr_t words[3];
    if (layout->target == 0 || pixels->freed_by != layout->lent ||
        !lg__memory_copy(memory, pixels->self + layout->target, words,
                         sizeof words))
        return (lg__lender){0};
    return (lg__lender){(PyObject *)words[0], (PyObject *)words[2]};
}

/** An image made to find the layout. */
typedef struct trial {
    const char *mode;
    int width, height;
    uint32_t pixel;
    PyObject *core;
} trial;

static bool
has_size(lg__memory *memory, const trial *trials, uint32_t offset)
{
    for (size_t i = 0; i < TRIED; i++) {
        uintptr_t self = structure_of(memory, trials[i].core);
        if (number_at(memory, self + offset) != (uint32_t)trials[i].width ||
            number_at(memory, self + offset + 4) != (uint32_t)trials[i].height)
            return false;
    }
    return true;
}

/** Returns whether each field of an image has a possible value: its first line
 *  lies in its first piece. */
static bool
is_understood(lg__memory *memory, const pixel_layout *layout, const trial *made)
{
    lg__pixels read;
    if (!pixels_read(memory, layout, made->core, &read))
        return false;
    uintptr_t first = lg__memory_word(memory, read.lines);
    uintptr_t piece = lg__memory_word(memory, read.blocks);
    uint32_t bytes = number_at(memory, read.blocks + sizeof(uintptr_t));
    return read.pixel == made->pixel &&
           read.line == (uint32_t)made->width * made->pixel &&
           (made->pixel == 4 ? read.wide : read.narrow) == read.lines &&
           (made->pixel == 4 ? read.narrow : read.wide) == 0 &&
           read.block == 0 && (made->mode[0] == 'P') == (read.palette != 0) &&
           first >= piece && first + read.line <= piece + bytes &&
           bytes >= read.line * (uint32_t)made->height &&
           lg__memory_word(memory, read.blocks + 2 * sizeof(uintptr_t)) == 0;
}

/** Finds where an image keeps the object that lends it pixels, and the function
 *  that frees such an image. Without them, borrowed pixels have no lender. */
static void
find_target(lg__memory *memory, PyObject *module, pixel_layout *layout)
{
    PyObject *data =
        PyBytes_FromStringAndSize(NULL, LENT_WIDTH * LENT_HEIGHT + 1);
    PyObject *map = lg__ask_attribute(module, "map_buffer");
    PyObject *core =
        data != NULL
            ? lg__ask_callf(map, "(O(ii)sn(sii))", data, LENT_WIDTH,
                            LENT_HEIGHT, "raw", (Py_ssize_t)0, "L", 0, 1)
            : NULL;
    lg__pixels read;
    lg__memory_forget(memory);
    if (core != NULL && Py_TYPE(core) == layout->type &&
        pixels_read(memory, layout, core, &read) && read.blocks == 0 &&
        read.block == 0)
        for (uint32_t at = layout->palette + HEAD; at < layout->palette + 256;
             at += sizeof(uintptr_t))
            if (layout->target == 0 &&
                lg__memory_word(memory, read.self + at) == (uintptr_t)data) {
                layout->target = at;
                layout->lent = read.freed_by;
            }
    Py_XDECREF(core);
    Py_XDECREF(map);
    Py_XDECREF(data);
}

static const char *
find(lg__memory *memory, const trial *trials, pixel_layout *out)
{
    PyTypeObject *type = Py_TYPE(trials[0].core);
    uint32_t found = 0, at = 0;
    if (type->tp_basicsize < (Py_ssize_t)(sizeof(PyObject) + sizeof(void *)))
        return "its images have an unknown layout";
    for (uint32_t offset = 0; offset < HEAD; offset += 4)
        if (has_size(memory, trials, offset)) {
            at = offset;
            found++;
        }
    if (found != 1)
        return "the size of an image is not at its known offset";
    *out = (pixel_layout){
        .type = type,
        .size = at,
        .palette = (at + 8 + 7) / 8 * 8,
    };
    for (size_t i = 0; i < TRIED; i++)
        if (!is_understood(memory, out, &trials[i]))
            return "the pixels of an image are not at their known offset";
    return NULL;
}

/** Finds the layout. The first time, makes three images of a few pixels,
 *  which may run Python code. Returns NULL, or the reason why the layout is
 *  unknown. */
static const char *
pillow_find(lg__memory *memory, PyObject *module, pixel_layout *out)
{
    trial trials[TRIED] = {{"L", 37, 53, 1, NULL},
                           {"RGB", 41, 29, 4, NULL},
                           {"P", 31, 7, 1, NULL}};
    PyObject *make = lg__ask_attribute(module, "new");
    const char *why = NULL;
    for (size_t i = 0; i < TRIED; i++) {
        trials[i].core = lg__ask_callf(make, "(s(ii))", trials[i].mode,
                                       trials[i].width, trials[i].height);
        if (trials[i].core == NULL ||
            strstr(Py_TYPE(trials[i].core)->tp_name, "ImagingCore") == NULL)
            why = "its function for new images has changed";
    }
    lg__memory_forget(memory);
    if (why == NULL)
        why = find(memory, trials, out);
    if (why == NULL)
        find_target(memory, module, out);
    for (size_t i = 0; i < TRIED; i++)
        Py_XDECREF(trials[i].core);
    Py_XDECREF(make);
    return why;
}

/* Pixels that lie in another object's memory: in a mapped file, or in the
 * bytes given to Image.frombuffer(). */

/** Charges borrowed pixels to the lender, if it is known. `low` is the first of
 *  `length` bytes. */
static void
pixels_borrow(lg__adapter_pass *pass, uint32_t node, PyObject *target,
              uintptr_t low, uint64_t length, uint32_t text)
{
    const lg__shown_memory memory = {
        .address = (const void *)low,
        .length = length,
        .type = lg__pass_type(pass, "PIL.memory", LG_NONE),
        .text = text,
    };
    lg__exporter_add(pass, target, node, &memory);
}

enum { KIND_PIXELS = 1, KIND_IMAGE };

typedef struct pillow_state {
    pixel_layout layout;
    PyTypeObject *image; /**< PIL.Image.Image */
    lg__memory *memory;
} pillow_state;

static bool
prepare(lg__adapter_pass *pass, void **out)
{
    static pixel_layout known;
    PyObject *module = lg__pass_module("PIL._imaging");
    PyObject *images = lg__pass_module("PIL.Image");
    PyObject *image = images ? lg__pass_member(images, "Image") : NULL;
    if (module == NULL || image == NULL || !PyType_Check(image))
        return false;
    pillow_state *state = lg__pass_keep(pass, sizeof *state);
    lg__memory *memory = lg__memory_open(pass);
    if (state == NULL || memory == NULL)
        return false;
    const char *why = NULL;
    if (known.type == NULL)
        why = pillow_find(memory, module, &known);
    if (why != NULL) {
        known.type = NULL;
        lg__pass_note(pass, "not inspected: Pillow %s: %s",
                      lg__ask_version("PIL"), why);
        return false;
    }
    lg__memory_forget(memory);
    *state = (pillow_state){known, (PyTypeObject *)image, memory};
    lg__pass_note(pass, "inspected: %s", lg__ask_version("PIL"));
    *out = state;
    return true;
}

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    const pillow_state *state = context;
    return type == state->layout.type             ? KIND_PIXELS
           : PyType_IsSubtype(type, state->image) ? KIND_IMAGE
                                                  : 0;
}

static void
visit(lg__adapter_pass *pass, void *context, PyObject *object, unsigned kind)
{
    const pillow_state *state = context;
    lg__pixels pixels;
    if (kind != KIND_PIXELS ||
        !pixels_read(state->memory, &state->layout, object, &pixels))
        return;
    lg__lender lender = pixels_lender(state->memory, &state->layout, &pixels);
    lg__pass_name_edge(pass, lender.target, LG_EDGE_ATTRIBUTE, "target");
    lg__pass_name_edge(pass, lender.viewed, LG_EDGE_ATTRIBUTE, "view");
}

/** The image that the pass is reading. */
typedef struct looking {
    lg__adapter_pass *pass;
    lg__memory *memory;
    const lg__instance *instance;
    lg__pixels pixels;
    uint32_t text; /**< string id */
} looking;

static void
fail(const looking *at, const char *why)
{
    lg_builder_add_fact(lg__pass_builder(at->pass), at->instance->node,
                        "not inspected", why, strlen(why));
}

/** The bytes that malloc uses for a piece beyond the requested ones. */
static uint64_t
rest_of(const looking *at, uintptr_t address, uint64_t length)
{
    uint64_t block = lg__memory_block(at->memory, address);
    return block > length ? block - length : 0;
}

static void
add_piece(looking *at, uintptr_t address, uint64_t length)
{
    lg_builder *builder = lg__pass_builder(at->pass);
    const lg_span span = {
        .holder = at->instance->node,
        .address = address,
        .length = length,
        .extra = rest_of(at, address, length),
        .type = lg__pass_type(at->pass, "PIL.memory", LG_NONE),
        .text = at->text,
        .label = lg_builder_intern(builder, "pixels", 6),
        .flags = LG_SPAN_OWNER,
    };
    if (at->instance->frontier)
        lg__pass_add_size(at->pass, at->instance->node, (int64_t)length);
    else
        lg_builder_add_span(builder, &span);
}

/** Adds the pieces of an image. An image of more than some megabytes has
 *  several pieces of whole lines. */
static void
add_pieces(looking *at)
{
    struct {
        uintptr_t address;
        int32_t length;
    } piece;
    uintptr_t next = at->pixels.blocks;
    for (uint32_t i = 0; i <= at->pixels.height; i++, next += sizeof piece) {
        if (!lg__memory_copy(at->memory, next, &piece, sizeof piece)) {
            fail(at, "its pixels are not readable");
            return;
        }
        if (piece.address == 0)
            return;
        if (piece.length > 0)
            add_piece(at, piece.address, (uint64_t)piece.length);
    }
    fail(at, "it has more pieces than lines");
}

/** Adds an image whose lines may be upside down, with gaps. */
static void
add_lent(looking *at, PyObject *target)
{
    const lg__pixels *pixels = &at->pixels;
    uintptr_t first = lg__memory_word(at->memory, pixels->lines);
    uintptr_t last = lg__memory_word(
        at->memory,
        pixels->lines + (pixels->height - (uintptr_t)1) * sizeof first);
    uintptr_t low = first < last ? first : last;
    uintptr_t high = first < last ? last : first;
    if (low == 0)
        fail(at, "its pixels are not readable");
    else if (!at->instance->frontier)
        pixels_borrow(at->pass, at->instance->node, target, low,
                      high - low + pixels->line, at->text);
}

/** Adds the structures around the pixels, which are malloc's, too. */
static void
add_structures(looking *at)
{
    const lg__pixels *pixels = &at->pixels;
    const uintptr_t parts[] = {pixels->self, pixels->lines, pixels->blocks,
                               pixels->palette};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] != 0)
            bytes += lg__memory_block(at->memory, parts[i]);
    lg__pass_add_size(at->pass, at->instance->node, (int64_t)bytes);
}

static void
scan_pixels(lg__adapter_pass *pass, pillow_state *state,
            const lg__instance *instance)
{
    looking at = {.pass = pass, .memory = state->memory, .instance = instance};
    lg_builder *builder = lg__pass_builder(pass);
    char text[48];
    if (!pixels_read(state->memory, &state->layout, instance->object,
                     &at.pixels)) {
        fail(&at, "an unknown layout");
        return;
    }
    const lg__pixels *pixels = &at.pixels;
    int length = snprintf(text, sizeof text, "%" PRIu32 "x%" PRIu32,
                          pixels->width, pixels->height);
    at.text = lg_builder_intern(builder, text, (size_t)length);
    lg_builder_set_text_id(builder, instance->node, at.text);
    add_structures(&at);
    if (pixels->line == 0 || pixels->height == 0)
        return;
    if (pixels->blocks != 0)
        add_pieces(&at);
    else if (pixels->block != 0)
        add_piece(&at, pixels->block, (uint64_t)pixels->line * pixels->height);
    else
        add_lent(&at,
                 pixels_lender(state->memory, &state->layout, pixels).target);
}

/** Reads an attribute that Pillow has renamed: by its name since 11, or else up
 *  to 9. */
static PyObject *
attribute(lg__adapter_pass *pass, PyObject *image, const char *name,
          const char *former)
{
    PyObject *found = lg__pass_attribute(pass, image, name);
    return found != NULL ? found : lg__pass_attribute(pass, image, former);
}

/** Writes `RGB 640x480`, and whether the file is open but not loaded. */
static void
describe(lg__adapter_pass *pass, const lg__instance *instance)
{
    PyObject *image = instance->object;
    PyObject *mode = attribute(pass, image, "_mode", "mode");
    PyObject *size = lg__pass_attribute(pass, image, "_size");
    PyObject *core = attribute(pass, image, "_im", "im");
    lg_builder *builder = lg__pass_builder(pass);
    char text[96];
    if (mode == NULL || !PyUnicode_Check(mode) ||
        !PyUnicode_IS_COMPACT_ASCII(mode) || size == NULL ||
        !PyTuple_CheckExact(size) || PyTuple_GET_SIZE(size) != 2 ||
        !PyLong_CheckExact(PyTuple_GET_ITEM(size, 0)) ||
        !PyLong_CheckExact(PyTuple_GET_ITEM(size, 1)))
        return;
    int overflow;
    int length = snprintf(
        text, sizeof text, "%ldx%ld",
        PyLong_AsLongAndOverflow(PyTuple_GET_ITEM(size, 0), &overflow),
        PyLong_AsLongAndOverflow(PyTuple_GET_ITEM(size, 1), &overflow));
    lg_builder_add_fact(builder, instance->node, "size", text, (size_t)length);
    const char *name = (const char *)PyUnicode_1BYTE_DATA(mode);
    lg_builder_add_fact(builder, instance->node, "mode", name, strlen(name));
    char title[160];
    length = snprintf(title, sizeof title, "%.16s %s%s", name, text,
                      core == NULL || core == Py_None ? ", not loaded" : "");
    lg_builder_set_text(builder, instance->node, title, (size_t)length);
}

static void
scan_all(lg__adapter_pass *pass, void *context)
{
    pillow_state *state = context;
    lg__instance instance;
    while (lg__pass_next(pass, &instance))
        if (instance.kind == KIND_PIXELS)
            scan_pixels(pass, state, &instance);
        else
            describe(pass, &instance);
}

static void
finish(void *state)
{
    (void)state;
}

const lg__adapter lg__pillow_adapter = {
    .name = "pillow",
    .prepare = prepare,
    .kind = kind_of,
    .visit = visit,
    .pass = scan_all,
    .finish = finish,
};
