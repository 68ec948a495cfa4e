// Adds the labels of names, which are strings of the graph: `name`, `.name`.
#include "growth/labels.h"

#include <string.h>

// Returns whether the name belongs to what a function, class or module says of
// itself. Nothing accumulates there while a program runs.
static bool
is_of_definition(lg_string name)
{
    static const char *const names[] = {
        "__annotations__", "__bases__",       "__cached__",     "__doc__",
        "__file__",        "__loader__",      "__match_args__", "__module__",
        "__mro__",         "__name__",        "__orig_bases__", "__package__",
        "__parameters__",  "__path__",        "__qualname__",   "__slots__",
        "__spec__",        "__type_params__",
    };
    if (name.length < 2 || memcmp(name.data, "__", 2) != 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(name, names[i]))
            return true;
    return false;
}

static void
note(const lg__labels *labels, bool dotted, uint32_t name, uint32_t label)
{
    bool defines =
        dotted && is_of_definition(lg_graph_string(labels->graph, name));
    *lg__label_entry(labels, dotted, name) =
        (label + 1) | (defines ? LG__LABEL_DEFINES : 0);
}

// Returns whether lg__places_names takes the name.
static bool
is_short(lg_string name)
{
    return name.length > 0 && name.length < LG__STRING_MAX;
}

// Adds a name that is empty, or is cut with a dot before it.
static uint32_t
add_other(lg__labels *labels, bool dotted, lg_string name)
{
    if (dotted)
        lg_text_add(&labels->scratch, ".");
    lg_text_add_bytes(&labels->scratch, name.data, name.length);
    return lg__label_take_scratch(labels);
}

static uint32_t
add_one(lg__labels *labels, bool dotted, lg_string name)
{
    uint32_t label;
    if (!is_short(name))
        return add_other(labels, dotted, name);
    return lg__places_names(labels->places, dotted, &name, 1, &label) ? label
                                                                      : LG_NONE;
}

uint32_t
lg__label_find(lg__labels *labels, bool dotted, uint32_t name)
{
    uint32_t *entry = lg__label_entry(labels, dotted, name);
    if (*entry != 0)
        return *entry;
    uint32_t label =
        add_one(labels, dotted, lg_graph_string(labels->graph, name));
    if (label != LG_NONE)
        note(labels, dotted, name, label);
    return *entry;
}

uint32_t
lg__label_of_name(lg__labels *labels, bool dotted, uint32_t name)
{
    return (lg__label_find(labels, dotted, name) & ~LG__LABEL_DEFINES) - 1;
}

// Reads the texts of names whose labels are expected. Names that are not short
// are no longer expected. Returns the number of the others.
static uint32_t
read_texts(lg__labels *labels, bool dotted, lg_string *texts)
{
    lg__expected *expected = &labels->expected[dotted];
    const lg_graph *graph = labels->graph;
    uint32_t count = 0;
    for (uint32_t i = 0; i < expected->count; i++)
        __builtin_prefetch(&graph->string_offset[expected->names[i]]);
    for (uint32_t i = 0; i < expected->count; i++) {
        uint32_t name = expected->names[i];
        texts[count] = lg_graph_string(graph, name);
        __builtin_prefetch(texts[count].data);
        expected->names[count] = name;
        *lg__label_entry(labels, dotted, name) = 0;
        count += is_short(texts[count]);
    }
    return count;
}

void
lg__labels_add_expected(lg__labels *labels, bool dotted)
{
    lg__expected *expected = &labels->expected[dotted];
    lg_string texts[LG__NAMES_AT_ONCE];
    uint32_t added[LG__NAMES_AT_ONCE];
    uint32_t count = read_texts(labels, dotted, texts);
    expected->count = 0;
    if (count == 0 ||
        !lg__places_names(labels->places, dotted, texts, count, added))
        return;
    for (uint32_t i = 0; i < count; i++)
        note(labels, dotted, expected->names[i], added[i]);
}
