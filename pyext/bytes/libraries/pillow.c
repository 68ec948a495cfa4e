/**
 * Images of Pillow. The adapter reads Pillow's C structures through safe reads.
 * An opened file has no pixels until the program needs them.
 */
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/pillow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KIND_PIXELS = 1, KIND_IMAGE };

typedef struct pillow_state {
    lg__pixel_layout layout;
    PyTypeObject *image; /**< PIL.Image.Image */
    lg__memory *memory;
} pillow_state;

static bool
prepare(lg__adapter_pass *pass, void **out)
{
    static lg__pixel_layout known;
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
        why = lg__pillow_find(memory, module, &known);
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
        !lg__pixels_read(state->memory, &state->layout, object, &pixels))
        return;
    lg__lender lender =
        lg__pixels_lender(state->memory, &state->layout, &pixels);
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
        lg__pixels_borrow(at->pass, at->instance->node, target, low,
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
    if (!lg__pixels_read(state->memory, &state->layout, instance->object,
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
        add_lent(
            &at,
            lg__pixels_lender(state->memory, &state->layout, pixels).target);
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
