/**
 * The walkers of the common exact types and of plain instances: most of every
 * heap. They read the structs directly and know what tp_traverse reports, so
 * they neither call it nor search.
 */
#include "walk.h"

/** An edge to an object that may be NULL. */
static inline void
write_edge(lg_walk *walk, lg_pen *pen, PyObject *target, unsigned kind,
           uint32_t payload)
{
    if (target != NULL)
        lg_builder_write(pen, lg_walk_node(walk, target), kind, payload);
}

static void
walk_items(lg_walk *walk, PyObject *const *items, Py_ssize_t count)
{
    lg_pen pen = lg_builder_pen(walk->builder, (uint64_t)count);
    for (Py_ssize_t i = 0; i < count; i++)
        write_edge(walk, &pen, items[i], LG_EDGE_INDEX | LG_EDGE_TRAVERSED,
                   (uint32_t)i);
    lg_builder_put(walk->builder, &pen);
}

void
lg_walk_list(lg_walk *walk, PyObject *object)
{
    walk_items(walk, ((PyListObject *)object)->ob_item, Py_SIZE(object));
}

void
lg_walk_tuple(lg_walk *walk, PyObject *object)
{
    walk_items(walk, ((PyTupleObject *)object)->ob_item, Py_SIZE(object));
}

void
lg_walk_set(lg_walk *walk, PyObject *object)
{
    const PySetObject *set = (PySetObject *)object;
    uint32_t rank = 0;
    lg_pen pen = lg_builder_pen(walk->builder, (uint64_t)set->used);
    /* A deleted entry keeps a dummy key with hash -1, which no element has. */
    for (Py_ssize_t i = 0; i <= set->mask; i++) {
        const setentry *entry = &set->table[i];
        if (entry->key != NULL && entry->hash != -1)
            write_edge(walk, &pen, entry->key,
                       LG_EDGE_ELEMENT | LG_EDGE_TRAVERSED, rank++);
    }
    lg_builder_put(walk->builder, &pen);
}

static inline PyObject *
entry_word(const lg_dict_table *table, Py_ssize_t i, size_t offset)
{
    return *(PyObject *const *)(table->base + (size_t)i * table->stride +
                                offset);
}

/** One item of an unshared dict. Edges to keys of all-str dicts are real
 *  references that tp_traverse leaves out. */
static inline void
write_item(lg_walk *walk, lg_pen *pen, PyObject *key, PyObject *value,
           unsigned extra, unsigned key_extra, uint32_t rank)
{
    uint32_t key_node = lg_walk_node(walk, key);
    if (key_node == LG_NONE)
        return;
    walk->builder->node_flags[key_node] |= LG_NODE_KEY;
    write_edge(walk, pen, value, LG_EDGE_VALUE | extra, key_node);
    lg_builder_write(pen, key_node, LG_EDGE_KEY | key_extra, rank);
}

/** A dict that shares its keys with others of its type: the type holds them. */
static void
walk_split(lg_walk *walk, const lg_dict_table *table, PyObject *const *values)
{
    for (Py_ssize_t i = 0; i < table->count; i++) {
        if (values[i] == NULL)
            continue;
        uint32_t key = lg_walk_node(walk, entry_word(table, i, table->key));
        if (key == LG_NONE)
            return;
        walk->builder->node_flags[key] |= LG_NODE_KEY;
        lg_walk_edge(walk, values[i], LG_EDGE_VALUE | LG_EDGE_TRAVERSED, key);
    }
}

void
lg_walk_dict(lg_walk *walk, PyObject *object)
{
    PyDictObject *dict = (PyDictObject *)object;
    if (dict->ma_keys == NULL)
        return;
    lg_dict_table table = lg_dict_table_of(dict->ma_keys, lg_general_lookup);
    PyObject *const *values = LG_DICT_VALUES(dict);
    if (values != NULL) {
        walk_split(walk, &table, values);
        return;
    }
    unsigned extra = LG_EDGE_TRAVERSED;
    unsigned key_extra = table.str_keys ? 0 : LG_EDGE_TRAVERSED;
    if (object == walk->interned) {
        extra |= LG_EDGE_WEAK | LG_EDGE_UNCOUNTED;
        key_extra |= LG_EDGE_WEAK | LG_EDGE_UNCOUNTED;
    }
    uint32_t rank = 0;
    lg_pen pen = lg_builder_pen(walk->builder, 2 * (uint64_t)table.count);
    for (Py_ssize_t i = 0; i < table.count; i++) {
        PyObject *value = entry_word(&table, i, table.value);
        if (value != NULL)
            write_item(walk, &pen, entry_word(&table, i, table.key), value,
                       extra, key_extra, rank++);
    }
    lg_builder_put(walk->builder, &pen);
}

/** Interns the names of all inline values that the type knows by now. */
static bool
grow_attribute_names(lg_walk *walk, lg_type_info *info)
{
    lg_dict_keys *keys = lg_type_cached_keys(info->type);
    lg_dict_table table = lg_dict_table_of(keys, lg_general_lookup);
    uint32_t *names =
        lg_walk_keep(walk, (size_t)table.count * sizeof *names + 1);
    if (names == NULL)
        return false;
    for (Py_ssize_t i = 0; i < table.count; i++) {
        PyObject *key = entry_word(&table, i, table.key);
        names[i] = key != NULL ? lg_walk_intern_str(walk, key)
                               : lg_walk_intern(walk, "?");
    }
    info->attribute_names = names;
    info->attribute_capacity = (uint32_t)table.count;
    return true;
}

uint32_t
lg_attribute_name(lg_walk *walk, lg_type_info *info, Py_ssize_t i)
{
    if ((size_t)i >= info->attribute_capacity &&
        !grow_attribute_names(walk, info))
        return 0;
    return info->attribute_names[i];
}

bool
lg_walk_instance(lg_walk *walk, PyObject *object, lg_type_info *info)
{
    lg_inline_values inlined = {NULL, 0};
    PyObject *dict = NULL;
    if (info->dict_kind == LG_DICT_MANAGED) {
        inlined = lg_inline_values_of(object);
        dict = lg_managed_dict(object);
        /* Which of the two tp_traverse reports changed within 3.13. */
        if (inlined.values != NULL && dict != NULL)
            return false;
    }
    lg_pen pen = lg_builder_pen(walk->builder, info->field_count +
                                                   (uint64_t)inlined.count + 2);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const lg_named_field *field = &info->fields[i];
        PyObject *child = *(PyObject **)((char *)object + field->offset);
        write_edge(walk, &pen, child, field->kind | LG_EDGE_TRAVERSED,
                   field->name);
    }
    for (Py_ssize_t i = 0; i < inlined.count; i++)
        if (inlined.values[i] != NULL)
            write_edge(walk, &pen, inlined.values[i],
                       LG_EDGE_ATTRIBUTE | LG_EDGE_TRAVERSED,
                       lg_attribute_name(walk, info, i));
    write_edge(walk, &pen, dict, LG_EDGE_DICT | LG_EDGE_TRAVERSED, 0);
    lg_builder_write(&pen, info->node, LG_EDGE_TYPE | LG_EDGE_TRAVERSED, 0);
    lg_builder_put(walk->builder, &pen);
    return true;
}
