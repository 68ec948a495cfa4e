#include "heap/image_list.h"

#include <elf.h>

enum { MOST_HEADERS = 64 };

/** Reads the program headers of a file that is mapped from here on. False: it
 *  is not an ELF file. */
static bool
read_headers(uintptr_t start, Elf64_Phdr *out, size_t *count)
{
    Elf64_Ehdr head;
    if (!lg__peek(&head, (const void *)start, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof *out || head.e_phnum > MOST_HEADERS ||
        head.e_phoff > LG__PAGE)
        return false;
    *count = head.e_phnum;
    return lg__peek(out, (const void *)(start + head.e_phoff),
                    head.e_phnum * sizeof *out);
}

static uintptr_t
page_up(uintptr_t address)
{
    return (address + LG__PAGE - 1) & ~(uintptr_t)(LG__PAGE - 1);
}

/** Fills in the image that begins with an area. */
static bool
read_image(const lg__area *area, lg__image *out)
{
    Elf64_Phdr headers[MOST_HEADERS];
    size_t count = 0, i = 0;
    if (area->kind != LG__AREA_FILE || area->offset != 0 ||
        !read_headers(area->start, headers, &count))
        return false;
    while (i < count && headers[i].p_type != PT_LOAD)
        i++;
    if (i == count)
        return false;
    *out = (lg__image){.start = area->start,
                       .bias = area->start -
                               (headers[i].p_vaddr & ~(uint64_t)(LG__PAGE - 1)),
                       .inode = area->inode,
                       .path = area->path};
    for (; i < count; i++)
        if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_W) {
            uintptr_t end =
                page_up(out->bias + headers[i].p_vaddr + headers[i].p_memsz);
            if (end > out->end)
                out->end = end;
        }
    return true;
}

void
lg__image_list_read(lg__image_list *out, const lg__areas *areas)
{
    out->count = 0;
    for (size_t i = 0; i < areas->count && out->count < LG__IMAGES_MOST; i++)
        out->count += read_image(&areas->items[i], &out->items[out->count]);
}

lg__image *
lg__image_of_area(lg__image_list *images, const lg__area *area)
{
    size_t low = 0, high = images->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (images->items[middle].start <= area->start)
            low = middle + 1;
        else
            high = middle;
    }
    lg__image *image = low > 0 ? &images->items[low - 1] : NULL;
    bool same =
        image != NULL && (image->inode == area->inode ||
                          (area->inode == 0 && area->start < image->end));
    return same ? image : NULL;
}
