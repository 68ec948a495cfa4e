#include "sort.h"

#include <string.h>

typedef struct heap {
    char *items;
    size_t size;
    int (*compare)(const void *, const void *);
} heap;

static void
swap(char *a, char *b, size_t size)
{
    char bounce[64];
    while (size > 0) {
        size_t part = size < sizeof bounce ? size : sizeof bounce;
        memcpy(bounce, a, part);
        memcpy(a, b, part);
        memcpy(b, bounce, part);
        a += part;
        b += part;
        size -= part;
    }
}

// Lets an item sink below the larger ones among the first `count`.
static void
sink(const heap *in, size_t at, size_t count)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        char *larger = in->items + child * in->size;
        if (child + 1 < count && in->compare(larger, larger + in->size) < 0) {
            larger += in->size;
            child++;
        }
        char *item = in->items + at * in->size;
        if (in->compare(item, larger) >= 0)
            return;
        swap(item, larger, in->size);
        at = child;
    }
}

void
lg__sort(void *items, size_t count, size_t size,
         int (*compare)(const void *, const void *))
{
    const heap all = {items, size, compare};
    for (size_t at = count / 2; at-- > 0;)
        sink(&all, at, count);
    for (size_t left = count; left > 1; left--) {
        swap(all.items, all.items + (left - 1) * size, size);
        sink(&all, 0, left - 1);
    }
}
