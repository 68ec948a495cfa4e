// Numbers of nodes in one or two bytes, with a list of the large ones.
#include "build/numbers.h"

#include <string.h>

enum { USUAL_FROM = 1 << 30 };

static lg__node_number *
item_at(const lg__numbers *numbers, size_t at)
{
    return (lg__node_number *)numbers->listed.data + at;
}

// Nodes come nearly in order, so most are behind all that are listed.
size_t
lg__node_number_at(const lg__vector *ascending, uint32_t node)
{
    const lg__node_number *items = ascending->data;
    const size_t count = ascending->count;
    if (count > 0 && items[count - 1].node < node)
        return count;
    return lg_items_place(items, count, LG_ITEM_KEY(lg__node_number, node),
                          node);
}

static bool
list(const lg_allocator *allocator, lg__numbers *numbers, uint32_t node,
     uint64_t number)
{
    const size_t at = lg__node_number_at(&numbers->listed, node);
    const size_t behind = numbers->listed.count - at;
    const bool known = behind > 0 && item_at(numbers, at)->node == node;
    if (!known && lg__vector_extend(allocator, &numbers->listed, 1) == NULL)
        return false;
    lg__node_number *item = item_at(numbers, at);
    if (!known)
        memmove(item + 1, item, behind * sizeof *item);
    *item = (lg__node_number){number, node};
    return true;
}

static void
write_element(const lg__numbers *numbers, void *elements, uint32_t node,
              uint32_t element)
{
    memcpy((char *)elements + node * numbers->width, &element, numbers->width);
}

static uint32_t
read_element(const lg__numbers *numbers, const void *elements, uint32_t node)
{
    uint32_t element = 0;
    memcpy(&element, (const char *)elements + node * numbers->width,
           numbers->width);
    return element;
}

// An element below the limit is the number itself. The limit stands for the one
// large number that is usual, and the limit plus one says that the number is
// listed.
bool
lg__numbers_set(const lg_allocator *allocator, lg__numbers *numbers,
                void *elements, uint32_t node, uint64_t number)
{
    const uint32_t limit = lg__numbers_limit(numbers);
    uint32_t element = (uint32_t)number;
    if (number >= limit) {
        if (numbers->usual == 0 && number >= USUAL_FROM)
            numbers->usual = number;
        const bool listed = number != numbers->usual;
        if (listed && !list(allocator, numbers, node, number))
            return false;
        element = limit + listed;
    }
    write_element(numbers, elements, node, element);
    return true;
}

uint64_t
lg__numbers_get(const lg__numbers *numbers, const void *elements, uint32_t node)
{
    const uint32_t limit = lg__numbers_limit(numbers);
    const uint32_t element = read_element(numbers, elements, node);
    if (element < limit)
        return element;
    if (element == limit)
        return numbers->usual;
    const size_t at = lg__node_number_at(&numbers->listed, node);
    return at < numbers->listed.count ? item_at(numbers, at)->number : limit;
}

// Drops entries that were replaced.
static void
drop_replaced(lg__numbers *numbers, const void *elements)
{
    const uint32_t listed = lg__numbers_limit(numbers) + 1;
    size_t kept = 0;
    for (size_t i = 0; i < numbers->listed.count; i++)
        if (read_element(numbers, elements, item_at(numbers, i)->node) ==
            listed)
            *item_at(numbers, kept++) = *item_at(numbers, i);
    numbers->listed.count = kept;
}

static uint32_t
saturated(uint64_t number)
{
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

// Makes a column of whole numbers.
static bool
make_wide(const lg_allocator *allocator, const lg__numbers *numbers,
          lg__vector *elements, lg__made_column *out)
{
    const size_t count = elements->count;
    const size_t size = count * sizeof(uint32_t);
    uint32_t *wide = lg__allocate(allocator, size);
    if (wide == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        wide[i] =
            saturated(lg__numbers_get(numbers, elements->data, (uint32_t)i));
    lg__vector_free(allocator, elements);
    *out = (lg__made_column){.array = {wide, count, wide, size},
                             .numbers.wide = wide};
    return true;
}

static bool
make_narrow(const lg_allocator *allocator, const lg__numbers *numbers,
            lg__vector *elements, lg__made_column *out)
{
    const size_t listed = numbers->listed.count;
    lg_narrow narrow = {.usual = saturated(numbers->usual)};
    lg__array beside;
    if (!lg__narrow_list(allocator, listed, &narrow, &beside))
        return false;
    uint32_t *list = beside.owned;
    for (size_t i = 0; i < listed; i++) {
        list[i] = item_at(numbers, i)->node;
        list[listed + i] = saturated(item_at(numbers, i)->number);
    }
    lg__vector_trim(allocator, elements);
    narrow.low = elements->data;
    *out = (lg__made_column){
        .array = {NULL, elements->count, elements->data,
                  elements->capacity * elements->element},
        .beside = beside,
        .numbers = narrow,
    };
    *elements = (lg__vector){.element = elements->element};
    return true;
}

bool
lg__numbers_finish(const lg_allocator *allocator, lg__numbers *numbers,
                   lg__vector *elements, lg__made_column *out)
{
    if (elements->count == 0)
        return true;
    drop_replaced(numbers, elements->data);
    const bool wide =
        numbers->listed.count > elements->count / LG__LISTED_SHARE;
    if (!(wide ? make_wide : make_narrow)(allocator, numbers, elements, out))
        return false;
    lg__vector_free(allocator, &numbers->listed);
    return true;
}
