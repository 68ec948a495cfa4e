#include "capture/walk/heap_walk.h"

#include <string.h>

bool
lg__walk_scratch(lg__heap_walk *walk, lg__scratch *scratch, size_t size)
{
    if (size <= scratch->size)
        return true;
    size_t grown = scratch->size ? scratch->size : 4096;
    while (grown < size)
        grown *= 2;
    void *data = walk->allocator.resize(walk->allocator.context, scratch->data,
                                        scratch->size, grown);
    if (data == NULL) {
        walk->builder->status = LG_ENOMEM;
        return false;
    }
    scratch->data = data;
    scratch->size = grown;
    return true;
}

void
lg__walk_scratch_free(lg__heap_walk *walk, lg__scratch *scratch)
{
    if (scratch->data != NULL)
        walk->allocator.resize(walk->allocator.context, scratch->data,
                               scratch->size, 0);
    scratch->data = NULL;
    scratch->size = 0;
}

/** Takes the memory from the address map: it is zeroed, never moves, and goes
 *  with the map. */
void *
lg__walk_keep(lg__heap_walk *walk, size_t size)
{
    void *kept =
        lg__address_map_take(&walk->address_map, (size + 15) & ~(size_t)15);
    if (kept == NULL)
        walk->builder->status = LG_ENOMEM;
    return kept;
}

uint32_t
lg__walk_intern(lg__heap_walk *walk, const char *name)
{
    return lg_builder_intern(walk->builder, name, strlen(name));
}

uint32_t
lg__walk_intern_str(lg__heap_walk *walk, PyObject *str)
{
    lg__name name;
    name.length = 0;
    if (str != NULL && PyUnicode_Check(str))
        lg__name_add_str(&name, str, LG__NAME_LIMIT);
    return lg_builder_intern(walk->builder, name.data, name.length);
}

/** The place of a literal, by its address. */
static uint32_t
place_of(const char *literal)
{
    return (uint32_t)((uintptr_t)literal * UINT64_C(0x9E3779B97F4A7C15) >>
                      (64 - LG__LITERAL_BITS));
}

uint32_t
lg__walk_intern_literal(lg__heap_walk *walk, const char *literal)
{
    lg__literals *known = &walk->literals;
    uint32_t place = place_of(literal);
    if (known->text[place] != literal) {
        known->id[place] = lg__walk_intern(walk, literal);
        known->text[place] = literal;
    }
    return known->id[place];
}
