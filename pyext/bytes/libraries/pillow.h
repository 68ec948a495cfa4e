/**
 * The layout in which Pillow's C library keeps pixels. The adapter finds the
 * layout with images that it makes for this.
 */
#ifndef LEAKGRAPH_PILLOW_H
#define LEAKGRAPH_PILLOW_H

#include "bytes/common/bytes_common.h"
#include "capture/adapters/capture_adapters.h"

#include <stdint.h>

/** Offsets in the struct behind PIL._imaging.ImagingCore (Imaging.h, struct
 *  ImagingMemoryInstance). All versions have the same members from `palette`
 *  on. */
typedef struct lg__pixel_layout {
    PyTypeObject *type; /**< ImagingCore; NULL: the adapter has not tried yet */
    uint32_t size;      /**< width and height, two ints */
    uint32_t palette;   /**< a pointer to the palette */
    uint32_t target; /**< the object that owns borrowed memory; 0: not found */
    uintptr_t lent;  /**< the function that frees images with borrowed memory */
} lg__pixel_layout;

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

/** Finds the layout. The first time, makes three images of a few pixels,
 *  which may run Python code. Returns NULL, or the reason why the layout is
 *  unknown. */
const char *lg__pillow_find(lg__memory *memory, PyObject *module,
                            lg__pixel_layout *out);

/** Reads an image; false if the memory cannot be one. */
bool lg__pixels_read(lg__memory *memory, const lg__pixel_layout *layout,
                     PyObject *core, lg__pixels *out);
/** The objects that lend pixels. */
typedef struct lg__lender {
    PyObject *target; /**< the object given to Pillow; NULL: unknown */
    PyObject *viewed; /**< the object that exports its memory; or NULL */
} lg__lender;

/** The object that lends an image its pixels. */
lg__lender lg__pixels_lender(lg__memory *memory, const lg__pixel_layout *layout,
                             const lg__pixels *pixels);

/** Charges borrowed pixels to the lender, if it is known. `low` is the first of
 *  `length` bytes. */
void lg__pixels_borrow(lg__adapter_pass *pass, uint32_t node, PyObject *target,
                       uintptr_t low, uint64_t length, uint32_t text);

#endif
