/**
 * The layout in which Pillow's C library keeps pixels. The adapter finds the
 * layout with images that it makes for this. Private to this folder.
 */
#ifndef LEAKGRAPH_PILLOW_H
#define LEAKGRAPH_PILLOW_H

#include "bytes/common/target_memory.h"
#include "capture/adapters/adapter.h"

#include <stdint.h>

/** Offsets in the struct behind PIL._imaging.ImagingCore (Imaging.h, struct
 *  ImagingMemoryInstance). All versions have the same members from `palette`
 *  on. */
typedef struct lg_pixel_layout {
    PyTypeObject *type; /**< ImagingCore; NULL: the adapter has not tried yet */
    uint32_t size;      /**< width and height, two ints */
    uint32_t palette;   /**< a pointer to the palette */
    uint32_t target; /**< the object that owns borrowed memory; 0: not found */
    uintptr_t lent;  /**< the function that frees images with borrowed memory */
} lg_pixel_layout;

/** One image. */
typedef struct lg_pixels {
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
} lg_pixels;

/** Finds the layout. The first time, makes three images of a few pixels,
 *  which may run Python code. Returns NULL, or the reason why the layout is
 *  unknown. */
const char *lg_pillow_find(lg_memory *memory, PyObject *module,
                           lg_pixel_layout *out);

/** Reads an image; false if the memory cannot be one. */
bool lg_pixels_read(lg_memory *memory, const lg_pixel_layout *layout,
                    PyObject *core, lg_pixels *out);
/** The objects that lend pixels. */
typedef struct lg_lender {
    PyObject *target; /**< the object given to Pillow; NULL: unknown */
    PyObject *viewed; /**< the object that exports its memory; or NULL */
} lg_lender;

/** The object that lends an image its pixels. */
lg_lender lg_pixels_lender(lg_memory *memory, const lg_pixel_layout *layout,
                           const lg_pixels *pixels);

/** Charges borrowed pixels to the lender, if it is known. `low` is the first of
 *  `length` bytes. */
void lg_pixels_borrow(lg_adapter_pass *pass, uint32_t node, PyObject *target,
                      uintptr_t low, uint64_t length, uint32_t text);

#endif
