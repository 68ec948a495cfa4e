/**
 * The program and its libraries, as they lie in memory: where their variables
 * end, and the names of what they contain.
 */
#ifndef LEAKGRAPH_IMAGE_SYMBOLS_H
#define LEAKGRAPH_IMAGE_SYMBOLS_H

#include "heap/areas.h"

#include <leakgraph/internal/native.h>

/** An ELF file that is mapped. */
typedef struct lg__image {
    uintptr_t start; /**< of its first mapping */
    uintptr_t bias;  /**< what to add to the addresses in the file */
    uintptr_t end;   /**< of its variables, with those that no file has */
    uint64_t inode;
    const char *path;
    const char *file; /**< its bytes, for symbols; NULL: not opened yet */
    size_t size;
    bool tried;
} lg__image;

enum { LG__IMAGES_MOST = 2048 };

typedef struct lg__image_list {
    lg__image items[LG__IMAGES_MOST];
    size_t count;
} lg__image_list;

/** Finds the files among the areas. O(areas). */
void lg__image_list_read(lg__image_list *out, const lg__areas *areas);
/** The image that an area is of, or NULL. */
lg__image *lg__image_of_area(lg__image_list *images, const lg__area *area);
/** Finds the symbol that contains an address of an image; false if the file has
 *  none. O(symbols). The name is valid until the next call. */
bool lg__image_symbol(lg__image *image, uintptr_t address,
                      lg_native_symbol *out);

#endif
