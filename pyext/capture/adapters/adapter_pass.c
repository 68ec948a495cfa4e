/**
 * What adapters may do to a capture: the functions of adapter.h.
 */
#include "capture/adapters/adapter_pass.h"
#include "capture/memory/own.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

PyObject *
lg_pass_module(const char *name)
{
    PyObject *module = lg_dict_find(PyImport_GetModuleDict(), name);
    return module != NULL && PyModule_Check(module) ? module : NULL;
}

PyObject *
lg_pass_member(PyObject *module, const char *name)
{
    PyObject *names = ((lg_module_layout *)module)->md_dict;
    return names != NULL ? lg_pass_item(names, name) : NULL;
}

void
lg_pass_note(lg_adapter_pass *pass, const char *format, ...)
{
    char key[64], text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(key, sizeof key, "adapter.%s", pass->adapter->name);
    lg_builder_set_info(pass->walk->builder, key, text);
}

void
lg_pass_add_text(lg_text *out, PyObject *str, size_t limit)
{
    lg_name name;
    name.length = 0;
    lg_name_add_str(&name, str, limit);
    lg_text_addf(out, "%.*s", (int)name.length, name.data);
}

const lg_known *
lg_pass_types(const lg_adapter_pass *pass)
{
    return &pass->walk->known;
}

lg_builder *
lg_pass_builder(lg_adapter_pass *pass)
{
    return pass->walk->builder;
}

uint64_t
lg_pass_own_bytes(const lg_adapter_pass *pass)
{
    return pass->walk->own_before + lg_own_bytes();
}

uint64_t
lg_pass_own_malloc(void)
{
    return lg_own_bytes();
}

uint64_t
lg_pass_traced(const lg_adapter_pass *pass)
{
    return pass->walk->options->traced;
}

bool
lg_pass_is_partial(const lg_adapter_pass *pass)
{
    return pass->walk->partial;
}

bool
lg_pass_hides_keys(const lg_adapter_pass *pass)
{
    return pass->walk->options->no_keys;
}

bool
lg_pass_will_ask(const lg_adapter_pass *pass)
{
    return !pass->walk->forked;
}

bool
lg_pass_has_room(const lg_adapter_pass *pass)
{
    const lg_walk *walk = pass->walk;
    return !walk->options->max_nodes ||
           walk->builder->node_count < walk->options->max_nodes;
}

void
lg_pass_name_edge(lg_adapter_pass *pass, PyObject *child, unsigned kind,
                  const char *name)
{
    if (child != NULL)
        lg_name_edge(pass->walk, child, kind, lg_walk_intern(pass->walk, name));
}

void
lg_pass_name_item(lg_adapter_pass *pass, PyObject *child, uint32_t index)
{
    lg_name_edge(pass->walk, child, LG_EDGE_INDEX, index);
}

bool
lg_pass_next(lg_adapter_pass *pass, lg_instance *out)
{
    if (pass->given == pass->noted_count)
        return false;
    const lg_builder *builder = pass->walk->builder;
    lg_noted noted = ((const lg_noted *)pass->noted.data)[pass->given++];
    *out = (lg_instance){
        .object = (PyObject *)(uintptr_t)builder->address[noted.node],
        .node = noted.node,
        .kind = noted.kind,
        .frontier = builder->node_flags[noted.node] & LG_NODE_FRONTIER,
    };
    return true;
}

uint32_t
lg_pass_object(lg_adapter_pass *pass, PyObject *object)
{
    return lg_walk_node(pass->walk, object);
}

uint32_t
lg_pass_native(lg_adapter_pass *pass, const void *address, uint32_t type,
               uint64_t size, bool *made)
{
    lg_builder *builder = pass->walk->builder;
    uint32_t before = builder->node_count;
    uint32_t node = lg_walk_node(pass->walk, address);
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
lg_pass_alias(lg_adapter_pass *pass, const void *address, uint32_t node)
{
    lg_address_map *address_map = &pass->walk->address_map;
    uint32_t *slot = lg_address_map_slot(address_map, address);
    if (address_map->failed) {
        pass->walk->builder->status = LG_ENOMEM;
        return false;
    }
    if (*slot == 0)
        *slot = node + 1;
    return *slot == node + 1;
}

uint32_t
lg_pass_known(lg_adapter_pass *pass, const void *address)
{
    return lg_address_map_find(&pass->walk->address_map, address) - 1;
}

/** The entry with that name in a list. Adds one with id LG_NONE if there is
 *  none. */
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
lg_pass_type(lg_adapter_pass *pass, const char *name, uint32_t base)
{
    lg_walk *walk = pass->walk;
    lg_named_id *entry = entry_named(walk, &walk->passes->types, name);
    if (entry == NULL)
        return 0;
    if (entry->id == LG_NONE)
        entry->id = lg_builder_add_type(walk->builder, name, strlen(name),
                                        LG_NONE, &base, base != LG_NONE);
    return entry->id != LG_NONE ? entry->id : 0;
}

uint32_t
lg_pass_type_of(lg_adapter_pass *pass, PyTypeObject *type)
{
    const lg_type_info *info = lg_walk_type(pass->walk, type);
    return info != NULL ? info->id : 0;
}

uint32_t
lg_pass_device(lg_adapter_pass *pass, const char *name)
{
    lg_walk *walk = pass->walk;
    if (strcmp(name, "cpu") == 0 || strcmp(name, "host") == 0)
        return 0;
    lg_named_id *entry = entry_named(walk, &walk->passes->devices, name);
    if (entry == NULL)
        return 0;
    if (entry->id == LG_NONE)
        entry->id = lg_builder_add_device(walk->builder, name);
    return entry->id != LG_NONE ? entry->id : 0;
}

void
lg_pass_edge(lg_adapter_pass *pass, uint32_t source, uint32_t target,
             unsigned kind, const char *name)
{
    lg_builder_add_late_edge(pass->walk->builder, source, target, kind,
                             lg_walk_intern(pass->walk, name));
}

void
lg_pass_edge_item(lg_adapter_pass *pass, uint32_t source, uint32_t target,
                  unsigned kind, uint32_t index)
{
    lg_builder_add_late_edge(pass->walk->builder, source, target, kind, index);
}

PyObject *
lg_pass_attribute(lg_adapter_pass *pass, PyObject *object, const char *name)
{
    return lg_instance_find(pass->walk, object, name);
}

PyObject *
lg_pass_item(PyObject *dict, const char *key)
{
    return PyDict_CheckExact(dict) ? lg_dict_find(dict, key) : NULL;
}

bool
lg_pass_edges(const lg_adapter_pass *pass, uint32_t node, uint64_t *first,
              uint64_t *end)
{
    const lg_walk *walk = pass->walk;
    const lg_builder *builder = walk->builder;
    if (node >= walk->walked)
        return false;
    lg_builder_edges(builder, node, first, end);
    return true;
}

bool
lg_pass_has_edge(lg_adapter_pass *pass, uint32_t source, uint32_t target)
{
    const lg_builder *builder = pass->walk->builder;
    uint64_t edge, end;
    if (!lg_pass_edges(pass, source, &edge, &end))
        return false;
    for (; edge < end; edge++)
        if (builder->edge_target[edge] == target)
            return true;
    return false;
}

void
lg_pass_add_size(lg_adapter_pass *pass, uint32_t node, int64_t bytes)
{
    lg_builder *builder = pass->walk->builder;
    uint64_t size = lg_builder_size(builder, node);
    lg_builder_set_size(builder, node, size + (uint64_t)bytes);
}

void *
lg_pass_keep(lg_adapter_pass *pass, size_t size)
{
    return lg_walk_keep(pass->walk, size);
}
