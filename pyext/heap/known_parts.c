#include "heap/known_parts.h"

/** A stack is hardly longer, and what a thread keeps at its end hardly larger.
 */
#define LONGEST_STACK ((uintptr_t)8 << 20)
#define LOCAL_BELOW ((uintptr_t)16 << 10)
#define LOCAL_ABOVE ((uintptr_t)4 << 10)

static uintptr_t
most(uintptr_t a, uintptr_t b)
{
    return a > b ? a : b;
}

static uintptr_t
least(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

static void
add(lg__known_parts *parts, lg__known_part part)
{
    if (part.start < part.end && parts->count < parts->room)
        parts->items[parts->count++] = part;
}

static void
add_range(lg__known_parts *parts, uintptr_t start, uintptr_t end,
          lg_range_kind kind, const char *name)
{
    add(parts, (lg__known_part){.start = start & ~(uintptr_t)7,
                                .end = end & ~(uintptr_t)7,
                                .kind = LG__KNOWN_RANGE,
                                .range = (uint8_t)kind,
                                .name = name});
}

/** Adds the variables of an image behind those that its file has. */
static void
add_variables(const lg__areas *areas, const lg__image *image,
              lg__known_parts *parts)
{
    for (size_t i = 0; i < areas->count; i++) {
        const lg__area *area = &areas->items[i];
        if (area->kind != LG__AREA_FILE && area->start < image->end &&
            area->end > image->start)
            add_range(parts, area->start, least(area->end, image->end),
                      LG_RANGE_DATA, image->path);
    }
}

/** Adds a stack from its pointer on, up to the next thread's variables. */
static void
add_stack(const lg__area *area, uintptr_t pointer, uintptr_t end,
          lg__known_parts *parts)
{
    uintptr_t low = pointer > LONGEST_STACK ? pointer - LONGEST_STACK : 0;
    add(parts, (lg__known_part){.start = most(area->start, low),
                                .end = pointer & ~(uintptr_t)(LG__PAGE - 1),
                                .kind = LG__KNOWN_DEAD});
    end = least(end, least(area->end, pointer + LONGEST_STACK));
    add_range(parts, pointer, end, LG_RANGE_STACK, "");
}

/** Adds the variables of a thread, around the address that names it. */
static void
add_locals(const lg__area *area, uintptr_t at, lg__known_parts *parts)
{
    uintptr_t low = at > LOCAL_BELOW ? at - LOCAL_BELOW : 0;
    if (area != NULL && area->kind == LG__AREA_ANONYMOUS)
        add_range(parts, most(area->start, low),
                  least(area->end, at + LOCAL_ABOVE), LG_RANGE_LOCAL, "");
}

/** Adds the stack and the variables of the thread that a pointer is of. */
static void
add_thread(const lg__listing *listing, size_t i, lg__known_parts *parts)
{
    const lg__stack_pointers *stacks = listing->stacks;
    uintptr_t at = stacks->items[i].at;
    const lg__area *area = lg__area_at(listing->areas, at);
    if (area == NULL || area->kind == LG__AREA_FILE)
        return;
    const lg__stack_pointer *next =
        i + 1 < stacks->count ? &stacks->items[i + 1] : NULL;
    if (!stacks->items[i].is_end) {
        uintptr_t end =
            next != NULL && next->is_end ? next->at - LOCAL_BELOW : area->end;
        add_stack(area, at, end, parts);
    } else {
        add_locals(area, at, parts);
    }
}

static void
sift_down(lg__known_part *items, size_t count, size_t root)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && items[child].start < items[child + 1].start)
            child++;
        if (items[root].start >= items[child].start)
            return;
        lg__known_part part = items[root];
        items[root] = items[child];
        items[child] = part;
    }
}

/** Heapsort: needs no memory. */
static void
sort(lg__known_part *items, size_t count)
{
    for (size_t i = count / 2; i > 0; i--)
        sift_down(items, count, i - 1);
    for (size_t end = count; end > 1; end--) {
        lg__known_part first = items[0];
        items[0] = items[end - 1];
        items[end - 1] = first;
        sift_down(items, end - 1, 0);
    }
}

bool
lg__known_parts_collect(const lg__listing *listing, lg__known_parts *out)
{
    const lg_allocator *allocator = listing->areas->allocator;
    const lg__malloc_heaps *heaps = listing->heaps;
    out->count = 0;
    out->room = heaps->count + 2 * listing->images->count +
                2 * listing->stacks->count + 64;
    out->items = allocator->resize(allocator->context, NULL, 0,
                                   out->room * sizeof *out->items);
    if (out->items == NULL)
        return false;
    for (size_t i = 0; i < heaps->count; i++)
        add(out, (lg__known_part){.start = heaps->items[i].base,
                                  .end = heaps->items[i].end,
                                  .kind = LG__KNOWN_HEAP,
                                  .heap = &heaps->items[i]});
    for (size_t i = 0; i < listing->images->count; i++)
        add_variables(listing->areas, &listing->images->items[i], out);
    for (size_t i = 0; i < listing->stacks->count; i++)
        add_thread(listing, i, out);
    add_locals(lg__area_at(listing->areas, listing->main_thread),
               listing->main_thread, out);
    sort(out->items, out->count);
    return true;
}

void
lg__known_parts_free(const lg__listing *listing, lg__known_parts *parts)
{
    const lg_allocator *allocator = listing->areas->allocator;
    if (parts->items != NULL)
        allocator->resize(allocator->context, parts->items,
                          parts->room * sizeof *parts->items, 0);
    parts->items = NULL;
}
