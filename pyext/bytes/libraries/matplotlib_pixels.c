/** Finds the pixels that Agg keeps, from its C++ objects through safe reads. */
#include "bytes/libraries/matplotlib.h"
#include "bytes/common/bytes_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

lg__extent
lg__extent_of(double width, double height)
{
    bool fits = width >= 1 && height >= 1 && width < 65536 && height < 65536;
    return fits ? (lg__extent){(uint32_t)width, (uint32_t)height}
                : (lg__extent){0};
}

double
lg__number_attribute(lg__adapter_pass *pass, PyObject *object, const char *name)
{
    PyObject *found = lg__pass_attribute(pass, object, name);
    int overflow;
    if (found != NULL && PyLong_CheckExact(found))
        return (double)PyLong_AsLongAndOverflow(found, &overflow);
    return found != NULL && PyFloat_Check(found) ? PyFloat_AS_DOUBLE(found) : 0;
}

lg__extent
lg__renderer_extent(lg__adapter_pass *pass, PyObject *renderer)
{
    double width = lg__number_attribute(pass, renderer, "width");
    double height = lg__number_attribute(pass, renderer, "height");
    return lg__extent_of(width, height);
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
pixels_of(PyObject *wrapper, lg__extent of)
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
        .length = lg__renderer_cells(renderer),
        .type = lg__pass_type(pass, "matplotlib.memory", LG_NONE),
        .label = lg_builder_intern(lg__pass_builder(pass), "cells", 5),
        .flags = LG_SPAN_OWNER,
    };
    lg__shown_memory_add(pass, node, &memory);
}

void
lg__renderer_scan(lg__adapter_pass *pass, const lg__instance *instance)
{
    lg__extent of = lg__renderer_extent(pass, instance->object);
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
void
lg__region_scan(lg__adapter_pass *pass, const lg__instance *instance)
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
