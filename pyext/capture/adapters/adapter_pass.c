/**
 * What adapters may do to a capture: the functions of ../bytes/adapter.h.
 */
#include "capture/adapters/adapter_pass.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------- prepare --- */

PyObject *
lg_survey_module(const char *name)
{
    PyObject *module = lg_dict_find(PyImport_GetModuleDict(), name);
    return module != NULL && PyModule_Check(module) ? module : NULL;
}

PyObject *
lg_survey_member(PyObject *module, const char *name)
{
    PyObject *names = ((lg_module_layout *)module)->md_dict;
    return names != NULL ? lg_survey_item(names, name) : NULL;
}

void
lg_survey_note(lg_survey *survey, const char *format, ...)
{
    char key[64], text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(key, sizeof key, "adapter.%s", survey->adapter->name);
    lg_builder_set_info(survey->walk->builder, key, text);
}

lg_builder *
lg_survey_builder(lg_survey *survey)
{
    return survey->walk->builder;
}

bool
lg_survey_is_partial(const lg_survey *survey)
{
    return survey->walk->partial;
}

bool
lg_survey_hides_keys(const lg_survey *survey)
{
    return survey->walk->options->no_keys;
}

bool
lg_survey_will_ask(const lg_survey *survey)
{
    return !survey->walk->forked;
}

bool
lg_survey_has_room(const lg_survey *survey)
{
    const lg_walk *walk = survey->walk;
    return !walk->options->max_nodes ||
           walk->builder->node_count < walk->options->max_nodes;
}

/* --------------------------------------------------------------- visit --- */

void
lg_survey_claim(lg_survey *survey, PyObject *child, unsigned kind,
                const char *name)
{
    if (child != NULL)
        lg_claim(survey->walk, child, kind, lg_walk_intern(survey->walk, name));
}

void
lg_survey_claim_item(lg_survey *survey, PyObject *child, uint32_t index)
{
    lg_claim(survey->walk, child, LG_EDGE_INDEX, index);
}

/* ----------------------------------------------------- nodes and types --- */

bool
lg_survey_next(lg_survey *survey, lg_instance *out)
{
    if (survey->given == survey->noted_count)
        return false;
    const lg_builder *builder = survey->walk->builder;
    lg_noted noted = ((const lg_noted *)survey->noted.data)[survey->given++];
    *out = (lg_instance){
        .object = (PyObject *)(uintptr_t)builder->address[noted.node],
        .node = noted.node,
        .kind = noted.kind,
        .frontier = builder->node_flags[noted.node] & LG_NODE_FRONTIER,
    };
    return true;
}

uint32_t
lg_survey_object(lg_survey *survey, PyObject *object)
{
    return lg_walk_node(survey->walk, object);
}

uint32_t
lg_survey_native(lg_survey *survey, const void *address, uint32_t type,
                 uint64_t size, bool *made)
{
    lg_builder *builder = survey->walk->builder;
    uint32_t before = builder->node_count;
    uint32_t node = lg_walk_node(survey->walk, address);
    bool is_new = node != LG_NONE && node == before;
    if (is_new) {
        builder->type[node] = type;
        builder->refcount[node] = 0;
        builder->node_flags[node] = LG_NODE_SYNTHETIC | LG_NODE_CPP;
        lg_builder_set_size(builder, node, size);
    }
    if (made != NULL)
        *made = is_new;
    return node;
}

bool
lg_survey_alias(lg_survey *survey, const void *address, uint32_t node)
{
    lg_shadow *shadow = &survey->walk->shadow;
    uint32_t *slot = lg_shadow_slot(shadow, address);
    if (shadow->failed) {
        survey->walk->builder->status = LG_ENOMEM;
        return false;
    }
    if (*slot == 0)
        *slot = node + 1;
    return *slot == node + 1;
}

uint32_t
lg_survey_known(lg_survey *survey, const void *address)
{
    return lg_shadow_find(&survey->walk->shadow, address) - 1;
}

/** The entry with that name in a list, made with id LG_NONE if new. */
static lg_named_id *
entry_named(lg_walk *walk, lg_named_id **list, const char *name)
{
    for (lg_named_id *entry = *list; entry != NULL; entry = entry->next)
        if (strcmp(entry->name, name) == 0)
            return entry;
    size_t length = strlen(name) + 1;
    lg_named_id *entry = lg_walk_keep(walk, sizeof *entry);
    char *copy = lg_walk_keep(walk, length);
    if (entry == NULL || copy == NULL)
        return NULL;
    memcpy(copy, name, length);
    *entry = (lg_named_id){copy, LG_NONE, *list};
    *list = entry;
    return entry;
}

uint32_t
lg_survey_type(lg_survey *survey, const char *name, uint32_t base)
{
    lg_walk *walk = survey->walk;
    lg_named_id *entry = entry_named(walk, &walk->surveys->types, name);
    if (entry == NULL)
        return 0;
    if (entry->id == LG_NONE)
        entry->id = lg_builder_add_type(walk->builder, name, strlen(name),
                                        LG_NONE, &base, base != LG_NONE);
    return entry->id != LG_NONE ? entry->id : 0;
}

uint32_t
lg_survey_type_of(lg_survey *survey, PyTypeObject *type)
{
    const lg_type_info *info = lg_walk_type(survey->walk, type);
    return info != NULL ? info->id : 0;
}

uint32_t
lg_survey_device(lg_survey *survey, const char *name)
{
    lg_walk *walk = survey->walk;
    if (strcmp(name, "cpu") == 0 || strcmp(name, "host") == 0)
        return 0;
    lg_named_id *entry = entry_named(walk, &walk->surveys->devices, name);
    if (entry == NULL)
        return 0;
    if (entry->id == LG_NONE)
        entry->id = lg_builder_add_device(walk->builder, name);
    return entry->id != LG_NONE ? entry->id : 0;
}

/* ---------------------------------------------------- edges and values --- */

void
lg_survey_edge(lg_survey *survey, uint32_t source, uint32_t target,
               unsigned kind, const char *name)
{
    lg_builder_add_late_edge(survey->walk->builder, source, target, kind,
                             lg_walk_intern(survey->walk, name));
}

void
lg_survey_edge_item(lg_survey *survey, uint32_t source, uint32_t target,
                    unsigned kind, uint32_t index)
{
    lg_builder_add_late_edge(survey->walk->builder, source, target, kind,
                             index);
}

PyObject *
lg_survey_attribute(lg_survey *survey, PyObject *object, const char *name)
{
    return lg_instance_find(survey->walk, object, name);
}

PyObject *
lg_survey_item(PyObject *dict, const char *key)
{
    return PyDict_CheckExact(dict) ? lg_dict_find(dict, key) : NULL;
}

bool
lg_survey_edges(const lg_survey *survey, uint32_t node, uint64_t *first,
                uint64_t *end)
{
    const lg_walk *walk = survey->walk;
    const lg_builder *builder = walk->builder;
    if (node >= walk->walked)
        return false;
    lg_builder_edges(builder, node, first, end);
    return true;
}

bool
lg_survey_has_edge(lg_survey *survey, uint32_t source, uint32_t target)
{
    const lg_builder *builder = survey->walk->builder;
    uint64_t edge, end;
    if (!lg_survey_edges(survey, source, &edge, &end))
        return false;
    for (; edge < end; edge++)
        if (builder->edge_target[edge] == target)
            return true;
    return false;
}

void
lg_survey_add_size(lg_survey *survey, uint32_t node, int64_t bytes)
{
    lg_builder *builder = survey->walk->builder;
    uint64_t size = lg_builder_size(builder, node);
    lg_builder_set_size(builder, node, size + (uint64_t)bytes);
}

void *
lg_survey_keep(lg_survey *survey, size_t size)
{
    return lg_walk_keep(survey->walk, size);
}
