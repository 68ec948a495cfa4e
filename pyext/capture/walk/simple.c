/**
 * The walkers of the common exact types and of plain instances: most of every
 * heap. They read the structs directly and know what tp_traverse reports, so
 * they neither call it nor search.
 */
#include "capture/walk/simple.h"
#include "capture/walk/edge_names.h"
#include "capture/walk/program.h"

/** How many edges to make room for at a time. */
#define BLOCK ((Py_ssize_t)512)

static inline __attribute__((always_inline)) void
write_edge(lg__heap_walk *walk, lg_edge_writer *writer, PyObject *target,
           unsigned kind, uint32_t payload)
{
    if (target != NULL)
        lg_edge_writer_add(writer, lg__walk_meet(walk, writer, target), kind,
                           payload);
}

static inline void
walk_items(lg__heap_walk *walk, PyObject *const *items, Py_ssize_t count)
{
    lg_edge_writer writer;
    for (Py_ssize_t i = 0; i < count;) {
        Py_ssize_t end = count - i < BLOCK ? count : i + BLOCK;
        if (!lg_builder_write_edges(walk->builder, (uint32_t)(end - i),
                                    &writer))
            return;
        for (; i < end; i++)
            write_edge(walk, &writer, items[i],
                       LG_EDGE_INDEX | LG_EDGE_TRAVERSED, (uint32_t)i);
        lg__walk_put(walk, &writer);
    }
}

void
lg__walk_list(lg__heap_walk *walk, PyObject *object)
{
    walk_items(walk, ((PyListObject *)object)->ob_item, Py_SIZE(object));
}

void
lg__walk_tuple(lg__heap_walk *walk, PyObject *object)
{
    lg_builder *builder = walk->builder;
    lg_edge edge = builder->edge_count;
    walk_items(walk, ((PyTupleObject *)object)->ob_item, Py_SIZE(object));
    if (builder->node_flags[builder->open_node] & LG__NODE_VARIABLES)
        for (; edge < builder->edge_count; edge++)
            builder->node_flags[builder->edge_target[edge]] |= LG_NODE_NAME;
}

void
lg__walk_struct(lg__heap_walk *walk, PyObject *object,
                const lg__type_info *info)
{
    const unsigned seen = lg__is_traversed(object, info)
                              ? UINT8_MAX
                              : UINT8_MAX & ~(unsigned)LG_EDGE_TRAVERSED;
    lg_edge_writer writer;
    if (!lg_builder_write_edges(walk->builder, info->field_count, &writer))
        return;
    const lg__named_field *end = info->fields + info->field_count;
    for (const lg__named_field *field = info->fields; field < end; field++)
        write_edge(walk, &writer,
                   *(PyObject **)((char *)object + field->offset),
                   field->kind & seen, field->name);
    lg__walk_put(walk, &writer);
    if (info->shape == LG__SHAPE_CODE)
        lg__name_edges_of_code(walk, object);
}

void
lg__walk_set(lg__heap_walk *walk, PyObject *object)
{
    const PySetObject *set = (PySetObject *)object;
    uint32_t rank = 0;
    lg_edge_writer writer;
    for (Py_ssize_t i = 0; i <= set->mask;) {
        Py_ssize_t end = set->mask + 1 - i < BLOCK ? set->mask + 1 : i + BLOCK;
        if (!lg_builder_write_edges(walk->builder, (uint32_t)(end - i),
                                    &writer))
            return;
        for (; i < end; i++) {
            const setentry *entry = &set->table[i];
            /* A deleted entry keeps a dummy key with hash -1, which no element
               has. */
            if (entry->key != NULL && entry->hash != -1)
                write_edge(walk, &writer, entry->key,
                           LG_EDGE_ELEMENT | LG_EDGE_TRAVERSED, rank++);
        }
        lg__walk_put(walk, &writer);
    }
}

static inline PyObject *
entry_word(const lg__dict_table *table, Py_ssize_t i, size_t offset)
{
    return *(PyObject *const *)(table->base + (size_t)i * table->stride +
                                offset);
}

/** Returns the node of a dict's key, and marks it as a key. */
static inline uint32_t
meet_key(lg__heap_walk *walk, lg_edge_writer *writer,
         const lg__dict_table *table, Py_ssize_t i)
{
    uint32_t key =
        lg__walk_meet(walk, writer, entry_word(table, i, table->key));
    writer->node_flags[key] |= LG_NODE_KEY;
    return key;
}

/** A dict that shares its keys with others of its type, which holds them. */
static void
walk_split(lg__heap_walk *walk, const lg__dict_table *table,
           PyObject *const *values)
{
    lg_edge_writer writer;
    if (!lg_builder_write_edges(walk->builder, 2 * (uint32_t)table->count,
                                &writer))
        return;
    for (Py_ssize_t i = 0; i < table->count; i++) {
        if (values[i] == NULL)
            continue;
        uint32_t key = meet_key(walk, &writer, table, i);
        write_edge(walk, &writer, values[i], LG_EDGE_VALUE | LG_EDGE_TRAVERSED,
                   key);
    }
    lg__walk_put(walk, &writer);
}

/** Prefetches the slots of an entry's key and value. */
static inline void
ahead_entry(const lg__heap_walk *walk, const lg__dict_table *table,
            Py_ssize_t i)
{
    if (i >= table->count)
        return;
    lg__address_map_prefetch(&walk->address_map,
                             entry_word(table, i, table->key));
    lg__address_map_prefetch(&walk->address_map,
                             entry_word(table, i, table->value));
}

/** Edges to keys of all-str dicts are real references that tp_traverse leaves
 *  out. */
static void
walk_entries(lg__heap_walk *walk, const lg__dict_table *table, bool interned)
{
    unsigned extra = LG_EDGE_TRAVERSED;
    unsigned key_extra = table->str_keys ? 0 : LG_EDGE_TRAVERSED;
    if (interned) {
        extra |= LG_EDGE_WEAK | LG_EDGE_UNCOUNTED;
        key_extra |= LG_EDGE_WEAK | LG_EDGE_UNCOUNTED;
    }
    enum { AHEAD = 8 };
    uint32_t rank = 0;
    lg_edge_writer writer;
    for (Py_ssize_t i = 0; i < AHEAD; i++)
        ahead_entry(walk, table, i);
    for (Py_ssize_t i = 0; i < table->count;) {
        Py_ssize_t end = table->count - i < BLOCK ? table->count : i + BLOCK;
        if (!lg_builder_write_edges(walk->builder, 2 * (uint32_t)(end - i),
                                    &writer))
            return;
        for (; i < end; i++) {
            PyObject *value = entry_word(table, i, table->value);
            ahead_entry(walk, table, i + AHEAD);
            if (value == NULL)
                continue;
            uint32_t key = meet_key(walk, &writer, table, i);
            write_edge(walk, &writer, value, LG_EDGE_VALUE | extra, key);
            lg_edge_writer_add(&writer, key, LG_EDGE_KEY | key_extra, rank++);
        }
        lg__walk_put(walk, &writer);
    }
}

void
lg__walk_dict(lg__heap_walk *walk, PyObject *object)
{
    PyDictObject *dict = (PyDictObject *)object;
    if (dict->ma_keys == NULL)
        return;
    lg__dict_table table = lg__dict_table_of(dict->ma_keys, lg__general_lookup);
    PyObject *const *values = LG__DICT_VALUES(dict);
    if (values != NULL)
        walk_split(walk, &table, values);
    else
        walk_entries(walk, &table, object == walk->interned);
}

/** Interns the names of all inline values that the type knows by now. */
static bool
grow_attribute_names(lg__heap_walk *walk, lg__type_info *info)
{
    lg__dict_keys *keys = lg__type_cached_keys(info->type);
    lg__dict_table table = lg__dict_table_of(keys, lg__general_lookup);
    uint32_t *names =
        lg__walk_keep(walk, (size_t)table.count * sizeof *names + 1);
    if (names == NULL)
        return false;
    for (Py_ssize_t i = 0; i < table.count; i++) {
        PyObject *key = entry_word(&table, i, table.key);
        names[i] = key != NULL ? lg__walk_intern_str(walk, key)
                               : lg__walk_intern(walk, "?");
    }
    info->attribute_names = names;
    info->attribute_capacity = (uint32_t)table.count;
    return true;
}

/** Returns whether the names of so many inline values are known. */
static inline bool
know_names(lg__heap_walk *walk, lg__type_info *info, Py_ssize_t count)
{
    return (size_t)count <= info->attribute_capacity ||
           grow_attribute_names(walk, info);
}

uint32_t
lg__attribute_name(lg__heap_walk *walk, lg__type_info *info, Py_ssize_t i)
{
    return know_names(walk, info, i + 1) ? info->attribute_names[i] : 0;
}

bool
lg__walk_instance(lg__heap_walk *walk, PyObject *object, lg__type_info *info)
{
    lg__inline_values inlined = {NULL, 0};
    PyObject *dict = NULL;
    if (info->dict_kind == LG__DICT_MANAGED) {
        inlined = lg__inline_values_of(object);
        dict = lg__managed_dict(object);
        /* tp_traverse reports one of the two; which one changed within 3.13. */
        if (inlined.values != NULL && dict != NULL)
            return false;
    }
    uint32_t most = info->field_count + (uint32_t)inlined.count + 2;
    lg_edge_writer writer;
    if (!know_names(walk, info, inlined.count) ||
        !lg_builder_write_edges(walk->builder, most, &writer))
        return true;
    const lg__named_field *field = info->fields;
    const lg__named_field *fields_end = field + info->field_count;
    for (; field < fields_end; field++) {
        PyObject *child = *(PyObject **)((char *)object + field->offset);
        write_edge(walk, &writer, child, field->kind | LG_EDGE_TRAVERSED,
                   field->name);
    }
    const uint32_t *names = info->attribute_names;
    for (Py_ssize_t i = 0; i < inlined.count; i++)
        write_edge(walk, &writer, inlined.values[i],
                   LG_EDGE_ATTRIBUTE | LG_EDGE_TRAVERSED, names[i]);
    write_edge(walk, &writer, dict, LG_EDGE_DICT | LG_EDGE_TRAVERSED, 0);
    lg_edge_writer_add(&writer, info->node, LG_EDGE_TYPE | LG_EDGE_TRAVERSED,
                       0);
    lg__walk_put(walk, &writer);
    return true;
}
