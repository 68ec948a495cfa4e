#include "capture/memory/images.h"

#include <link.h>

static void
mark(lg__images *images, uintptr_t start, uintptr_t end)
{
    uintptr_t first = start >> LG__IMAGES_BIT_SHIFT;
    uintptr_t last = (end - 1) >> LG__IMAGES_BIT_SHIFT;
    for (uintptr_t i = first; i <= last && i - first < LG__IMAGES_BITS; i++)
        images->near[i % LG__IMAGES_BITS / 64] |= (uint64_t)1 << i % 64;
}

/** Keeps the order. Counts the segments for which there is no room, too. */
static void
insert(lg__images *images, uintptr_t start, uintptr_t end)
{
    size_t place = images->count++;
    if (place >= images->capacity)
        return;
    for (; place > 0 && images->items[place - 1].start > start; place--)
        images->items[place] = images->items[place - 1];
    images->items[place] = (lg__range){start, end};
    mark(images, start, end);
}

/** The range of a segment; an empty one if it is not writable. */
static lg__range
writable(const struct dl_phdr_info *info, size_t i)
{
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t start = (uintptr_t)(info->dlpi_addr + segment->p_vaddr);
    bool is = segment->p_type == PT_LOAD && segment->p_flags & PF_W;
    return (lg__range){start, start + (is ? segment->p_memsz : 0)};
}

static int
visit(struct dl_phdr_info *info, size_t size, void *images)
{
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        lg__range range = writable(info, i);
        if (range.start < range.end)
            insert(images, range.start, range.end);
    }
    return 0;
}

bool
lg__images_read(lg__images *images)
{
    images->count = 0;
    dl_iterate_phdr(visit, images);
    return images->count <= images->capacity;
}

typedef struct wanted {
    uintptr_t variable;
    lg__range found;
} wanted;

static int
match(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    wanted *want = context;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        lg__range range = writable(info, i);
        if (range.start <= want->variable && want->variable < range.end)
            want->found = range;
    }
    return want->found.start != 0;
}

lg__range
lg__image_of(const void *variable)
{
    wanted want = {(uintptr_t)variable, {0, 0}};
    dl_iterate_phdr(match, &want);
    return want.found;
}
