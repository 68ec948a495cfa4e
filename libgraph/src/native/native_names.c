// Names blocks: by the class that their first word shows, by the library to
// which they or their holders point, and by their size.
#include "native/native_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const lg__level_names[LG_LEVEL_EXACT + 1] = {
    [LG_LEVEL_NONE] = "no pointer",
    [LG_LEVEL_LEFTOVER] = "a lone word",
    [LG_LEVEL_WEAK] = "perhaps a pointer",
    [LG_LEVEL_POSSIBLE] = "a possible pointer",
    [LG_LEVEL_POINTER] = "a pointer",
    [LG_LEVEL_FIELD] = "a field",
    [LG_LEVEL_VARIABLE] = "a variable",
    [LG_LEVEL_EXACT] = "a counted reference",
};

// Writes `libsqlite3` of "/usr/lib/libsqlite3.so.0.8.6".
void
lg__library_name(const char *file, char out[LG__NAME_MOST])
{
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    const char *end = strstr(name, ".cpython-");
    if (end == NULL)
        end = strstr(name, ".abi3");
    if (end == NULL)
        end = strstr(name, ".so");
    size_t length = end != NULL ? (size_t)(end - name) : strlen(name);
    snprintf(out, LG__NAME_MOST, "%.*s", (int)length, name);
}

// Writes the class of a block by the symbol of its first word.
static bool
name_class(const lg__native *native, const lg_native_block *block,
           lg__native_name *out)
{
    static const char prefix[] = "vtable for ";
    const lg_native_memory *memory = native->memory;
    lg_native_symbol symbol;
    if (memory->symbol == NULL ||
        !memory->symbol(memory->context, lg__block_word(block, 0), &symbol) ||
        strncmp(symbol.name, prefix, sizeof prefix - 1) != 0)
        return false;
    snprintf(out->type, sizeof out->type, "%s",
             symbol.name + sizeof prefix - 1);
    lg__library_name(symbol.library, out->library);
    return true;
}

// Finds the library to which the words of a block point.
static bool
library_of_words(const lg__native *native, const lg_native_block *block,
                 char out[LG__NAME_MOST])
{
    enum { MOST_WORDS = 64 };
    for (uint64_t at = 0; at < block->bytes && at < 8 * MOST_WORDS; at += 8) {
        const lg_native_range *range =
            lg__range_find(native->memory, lg__block_word(block, at));
        if (range == NULL || range->kind > LG_RANGE_CODE ||
            *range->name == '\0' || lg__range_is_system(range))
            continue;
        lg__library_name(range->name, out);
        return true;
    }
    return false;
}

// Writes `sqlite3` of the type sqlite3.Connection.
static void
library_of_node(const lg__native *native, uint32_t node,
                char out[LG__NAME_MOST])
{
    lg_string type =
        lg_graph_type(native->graph, native->graph->columns.type[node]).name;
    uint32_t length = type.length;
    while (length > 0 && type.data[length - 1] != '.')
        length--;
    snprintf(out, LG__NAME_MOST, "%.*s", length > 0 ? (int)length - 1 : 0,
             type.data);
}

// The library of a group that points to none is that of its holder.
static void
find_library(const lg__native *native, const lg__group *group,
             char out[LG__NAME_MOST])
{
    enum { MOST_ABOVE = 8 };
    const lg_native_block *blocks = native->memory->blocks;
    *out = '\0';
    for (int i = 0; i < MOST_ABOVE; i++) {
        if (library_of_words(native, &blocks[group->example], out))
            return;
        if (!(group->parent & LG__GROUP_BIT))
            break;
        group = (const lg__group *)native->group.data +
                (group->parent & ~LG__GROUP_BIT);
    }
    uint32_t holder = group->parent - native->nodes - native->blocks;
    if (group->parent < native->nodes)
        library_of_node(native, group->parent, out);
    else if (!(group->parent & LG__GROUP_BIT) && holder < native->holders)
        lg__library_name(native->holder[holder]->name, out);
}

// Writes the type of an object that the graph lacks.
static bool
name_hidden(const lg__native *native, uint32_t block, lg__native_name *out)
{
    const lg_native_memory *memory = native->memory;
    const lg_native_block *at = &memory->blocks[block];
    if (!(native->mark[block] & LG__BLOCK_HIDDEN))
        return false;
    uint64_t word = lg__block_word(at, (uint64_t)at->lead + 8);
    for (uint32_t type = 0; type < memory->type_count; type++) {
        if (memory->types[type].address != word)
            continue;
        lg_string name = lg_graph_type(native->graph, type).name;
        snprintf(out->type, sizeof out->type, LG__NATIVE_HIDDEN "%.*s",
                 (int)name.length, name.data);
        return true;
    }
    return false;
}

bool
lg__node_is_block(const lg_graph *graph, uint32_t node)
{
    lg_string type = lg_graph_type(graph, graph->columns.type[node]).name;
    return lg__node_is_native(graph, node) &&
           !lg__string_begins(type, LG__NATIVE_HIDDEN);
}

// Writes the beginning of the longest text in a block, behind what an object
// has there first.
static void
find_text(const lg_native_block *block, char out[LG__NAME_MOST])
{
    enum { HEAD = 16, LEAST = 4, SEARCHED = 4096, SHOWN = 40 };
    const char *bytes = (const char *)(uintptr_t)block->address;
    const uint64_t end = block->bytes < SEARCHED ? block->bytes : SEARCHED;
    uint64_t longest = LEAST - 1;
    uint64_t run = 0;
    for (uint64_t at = block->lead + HEAD; at < end; at++) {
        run = bytes[at] >= ' ' && bytes[at] < 0x7f ? run + 1 : 0;
        if (run <= longest)
            continue;
        longest = run;
        snprintf(out, LG__NAME_MOST, "%.*s%s", run < SHOWN ? (int)run : SHOWN,
                 bytes + at + 1 - run, run > SHOWN ? "..." : "");
    }
}

// Writes `816-byte block of libsqlite3`: a type has one name, however many
// blocks a node stands for.
static void
name_by_size(const lg__native *native, const lg__group *group,
             lg__native_name *out)
{
    const lg_native_block *block = &native->memory->blocks[group->example];
    find_library(native, group, out->library);
    snprintf(out->type, sizeof out->type, "%" PRIu64 "-byte block%s%.200s",
             lg__native_spent(block), *out->library != '\0' ? " of " : "",
             out->library);
}

void
lg__name_group(const lg__native *native, uint32_t number, lg__native_name *out)
{
    const lg__group *group = (const lg__group *)native->group.data + number;
    const lg_native_block *block = &native->memory->blocks[group->example];
    bool typed = native->mark[group->example] & LG__BLOCK_TYPED;
    *out = (lg__native_name){.type = ""};
    if (!name_hidden(native, group->example, out) &&
        !(typed && name_class(native, block, out)))
        name_by_size(native, group, out);
    if (group->parent == lg__native_lost(native) &&
        lg__string_is(lg_graph_info_find(native->graph, "previews"), "yes"))
        find_text(block, out->example);
    if (group->blocks > 1)
        snprintf(out->text, sizeof out->text, "(%" PRIu64 ")", group->blocks);
}
