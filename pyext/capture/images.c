#include "images.h"

#include <link.h>

/** Calls visit for each writable segment, until it returns false. */
typedef struct segments {
    bool (*visit)(void *context, uintptr_t start, uintptr_t end);
    void *context;
} segments;

static int
go_through(struct dl_phdr_info *info, size_t size, void *context)
{
    const segments *wanted = context;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W))
            continue;
        uintptr_t start = (uintptr_t)(info->dlpi_addr + segment->p_vaddr);
        if (segment->p_memsz > 0 &&
            !wanted->visit(wanted->context, start, start + segment->p_memsz))
            return 1;
    }
    return 0;
}

static bool
count_one(void *context, uintptr_t start, uintptr_t end)
{
    (void)start;
    (void)end;
    ++*(size_t *)context;
    return true;
}

size_t
lg_images_count(void)
{
    size_t count = 0;
    segments wanted = {count_one, &count};
    dl_iterate_phdr(go_through, &wanted);
    return count;
}

static void
mark(lg_images *images, uintptr_t start, uintptr_t end)
{
    uintptr_t first = start >> LG_IMAGES_BIT_SHIFT;
    uintptr_t last = (end - 1) >> LG_IMAGES_BIT_SHIFT;
    for (uintptr_t i = first; i <= last && i - first < LG_IMAGES_BITS; i++)
        images->near[i % LG_IMAGES_BITS / 64] |= (uint64_t)1 << i % 64;
}

/** Keeps the order: libraries come in nearly that of their addresses. */
static bool
insert(void *context, uintptr_t start, uintptr_t end)
{
    lg_images *images = context;
    if (images->count == images->capacity)
        return false;
    size_t place = images->count++;
    for (; place > 0 && images->items[place - 1].start > start; place--)
        images->items[place] = images->items[place - 1];
    images->items[place] = (lg_image){start, end};
    mark(images, start, end);
    return true;
}

bool
lg_images_read(lg_images *images)
{
    segments wanted = {insert, images};
    images->count = 0;
    return dl_iterate_phdr(go_through, &wanted) == 0;
}

bool
lg_images_find(const lg_images *images, const void *address)
{
    uintptr_t wanted = (uintptr_t)address;
    size_t low = 0;
    size_t high = images->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (images->items[middle].end <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < images->count && images->items[low].start <= wanted;
}
