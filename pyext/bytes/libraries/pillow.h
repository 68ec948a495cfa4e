/**
 * Images of Pillow: the layout in which its C library keeps pixels, found on
 * images that the adapter makes for this. Private to this folder.
 */
#ifndef LEAKGRAPH_PILLOW_H
#define LEAKGRAPH_PILLOW_H

#include "bytes/common/target_memory.h"
#include "capture/adapters/adapter.h"

#include <stdint.h>

/** Offsets in what PIL._imaging.ImagingCore points to (Imaging.h, struct
 *  ImagingMemoryInstance); from `palette` on they follow each other in all
 *  versions. */
typedef struct lg_pixel_layout {
    PyTypeObject *type; /**< ImagingCore; NULL: not tried yet */
    uint32_t size;      /**< width and height, two ints */
    uint32_t palette;   /**< a pointer */
    uint32_t target; /**< of memory that is lent: the object that has it; 0: not
                          found */
    uintptr_t lent;  /**< what frees an image whose memory is lent */
} lg_pixel_layout;

/** One image. */
typedef struct lg_pixels {
    uintptr_t self;     /**< the structure */
    uint32_t width;     /**< in pixels */
    uint32_t height;    /**< in pixels */
    uint32_t pixel;     /**< bytes of one */
    uint32_t line;      /**< bytes of a line */
    uintptr_t palette;  /**< or 0 */
    uintptr_t narrow;   /**< the lines of one byte a pixel, or 0 */
    uintptr_t wide;     /**< the lines of four bytes a pixel, or 0 */
    uintptr_t lines;    /**< pointers to each line */
    uintptr_t block;    /**< all pixels, if they are in one piece; or 0 */
    uintptr_t blocks;   /**< pieces of lines: pointer and int, ended by NULL;
                             or 0 */
    uintptr_t freed_by; /**< the function */
} lg_pixels;

/** Finds the layout, by making three images of a few pixels the first time. May
 *  run Python code. NULL, or why it is not known. */
const char *lg_pillow_find(lg_memory *memory, PyObject *module,
                           lg_pixel_layout *out);

/** Reads an image; false if it cannot be one. */
bool lg_pixels_read(lg_memory *memory, const lg_pixel_layout *layout,
                    PyObject *core, lg_pixels *out);
/** What an image whose pixels are lent refers to. */
typedef struct lg_lender {
    PyObject *target; /**< the object that was given; NULL: not known */
    PyObject *viewed; /**< the object that exports its memory; or NULL */
} lg_lender;

/** Who lends an image its pixels. */
lg_lender lg_pixels_lender(lg_memory *memory, const lg_pixel_layout *layout,
                           const lg_pixels *pixels);

/** Charges pixels that somebody lends, to the lender if it is known. `low` is
 *  the first of `length` bytes. */
void lg_pixels_borrow(lg_adapter_pass *pass, uint32_t node, PyObject *target,
                      uintptr_t low, uint64_t length, uint32_t text);

#endif
