/** Finds the layout of Pillow's images with a few that it makes for this. */
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/pillow.h"

#include <string.h>

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

bool
lg__pixels_read(lg__memory *memory, const lg__pixel_layout *layout,
                PyObject *core, lg__pixels *out)
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
lg__lender
lg__pixels_lender(lg__memory *memory, const lg__pixel_layout *layout,
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
is_understood(lg__memory *memory, const lg__pixel_layout *layout,
              const trial *made)
{
    lg__pixels read;
    if (!lg__pixels_read(memory, layout, made->core, &read))
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
find_target(lg__memory *memory, PyObject *module, lg__pixel_layout *layout)
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
        lg__pixels_read(memory, layout, core, &read) && read.blocks == 0 &&
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
find(lg__memory *memory, const trial *trials, lg__pixel_layout *out)
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
    *out = (lg__pixel_layout){
        .type = type,
        .size = at,
        .palette = (at + 8 + 7) / 8 * 8,
    };
    for (size_t i = 0; i < TRIED; i++)
        if (!is_understood(memory, out, &trials[i]))
            return "the pixels of an image are not at their known offset";
    return NULL;
}

const char *
lg__pillow_find(lg__memory *memory, PyObject *module, lg__pixel_layout *out)
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
