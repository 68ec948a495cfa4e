/**
 * The driver of a walk: takes node after node, reads what each has in columns
 * of its own, and lets the walker of its type append its edges.
 *
 * The walkers of the common exact types and of plain instances, which are most
 * of every heap, are here. They read the structs directly and know what
 * tp_traverse reports, so they neither call it nor search.
 */
#include "capture/walk/bounds.h"
#include "capture/walk/capture_walk.h"
#include "capture/walk/ahead.h"
#include "capture/walk/collector_lists.h"
#include "capture/walk/key.h"
#include "capture/walk/leading.h"
#include "capture/walk/object_limits.h"
#include "capture/walk/named.h"
#include "capture/walk/names.h"
#include "capture/walk/object_size.h"
#include "capture/walk/roots.h"
#include "capture/walk/edge_names.h"
#include "capture/walk/running.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

/** Per node, 1 + hops from the roots; 0: do not expand it. */
static uint8_t *
depths(lg__heap_walk *walk)
{
    size_t capacity = walk->builder->node_capacity;
    size_t before = walk->depth.size;
    if (!lg__walk_scratch(walk, &walk->depth, capacity ? capacity : 1))
        return NULL;
    if (walk->depth.size > before)
        memset((char *)walk->depth.data + before, 0, walk->depth.size - before);
    return walk->depth.data;
}

/* The walk does not enter the type of a node, or namespaces from which it only
   reads names. */
static void
partial_entered(lg__heap_walk *walk, uint32_t node)
{
    const lg_builder *builder = walk->builder;
    uint8_t *depth = depths(walk);
    if (depth == NULL || depth[node] == UINT8_MAX)
        return;
    for (uint64_t edge = lg_builder_first_edge(builder, node);
         edge < builder->edge_count; edge++) {
        unsigned kind = lg_builder_kind(builder, edge) & LG_EDGE_KIND_MASK;
        uint8_t *target = &depth[lg_builder_target(builder, edge)];
        if (kind != LG_EDGE_TYPE && kind != LG_EDGE_GLOBALS &&
            !(lg_builder_kind(builder, edge) & LG_EDGE_WEAK) && *target == 0)
            *target = (uint8_t)(depth[node] + 1);
    }
}

/** Returns whether a walk of what leads to something enters an object. It also
 *  enters what says how to read that: whose variables a module or class has,
 *  which module a running function is of, how variables and keys are called;
 *  and dicts that show the values in an object, which own no reference to them.
 */
static bool
enters_leading(const lg__heap_walk *walk, uint32_t node, PyObject *object,
               const lg__type_info *info)
{
    switch (info->shape) {
    case LG__SHAPE_TUPLE:
    case LG__SHAPE_MODULE:
    case LG__SHAPE_TYPE:
    case LG__SHAPE_FUNCTION:
    case LG__SHAPE_CODE:
    case LG__SHAPE_BUILTIN:
    case LG__SHAPE_FRAME:
        return true;
    default:
        return (walk->builder->node_flags[node] & LG_NODE_KEY) ||
               lg__leading_has(walk->options->leading, object) ||
               (info->shape == LG__SHAPE_DICT &&
                lg__dict_is_embedded((PyDictObject *)object));
    }
}

/** Returns whether the walk enters this node. */
static bool
partial_enters(lg__heap_walk *walk, uint32_t node, const lg__type_info *info)
{
    const uint8_t *depth = depths(walk);
    if (depth == NULL || depth[node] == 0)
        return false;
    if (depth[node] > 1 &&
        (info->shape == LG__SHAPE_MODULE || info->shape == LG__SHAPE_TYPE))
        return false;
    uint32_t limit = walk->options->max_depth;
    if (limit && depth[node] > limit)
        return false;
    return !walk->options->max_nodes ||
           walk->builder->node_count < walk->options->max_nodes;
}

/** Adds a count with thousands separators. */
static void
add_count(lg__name *name, uint64_t count)
{
    char digits[24];
    int length =
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            lg__name_add(name, ",");
        lg__name_addf(name, "%c", digits[i]);
    }
}

/* Says what the graph does not: the length of a container. */
static void
note_length(lg__heap_walk *walk, uint32_t node, Py_ssize_t count)
{
    lg__name name;
    name.length = 0;
    lg__name_add(&name, "of ");
    add_count(&name, (uint64_t)count);
    lg_builder_set_text(walk->builder, node, name.data, name.length);
}

static void
partial_leave(lg__heap_walk *walk, uint32_t node, PyObject *object,
              const lg__type_info *info)
{
    Py_ssize_t count = -1;
    walk->builder->node_flags[node] |= LG_NODE_FRONTIER;
    if (info->adapter)
        walk->hooks->instance(walk, node, info);
    if (info->shape == LG__SHAPE_LIST || info->shape == LG__SHAPE_TUPLE)
        count = Py_SIZE(object);
    else if (info->shape == LG__SHAPE_DICT)
        count = ((PyDictObject *)object)->ma_used;
    else if (info->shape == LG__SHAPE_SET)
        count = ((PySetObject *)object)->used;
    if (count < 0)
        lg__name_object(walk, object, info);
    else
        note_length(walk, node, count);
}

/** Numbers the objects that a partial walk starts from: see partial.h. */
static void
walk_roots_given(lg__heap_walk *walk)
{
    for (size_t i = 0; i < walk->options->root_count; i++) {
        uint32_t node = lg__walk_node(walk, walk->options->roots[i]);
        uint8_t *depth = depths(walk);
        if (node == LG_NONE || depth == NULL)
            return;
        depth[node] = 1;
        lg_builder_add_root(walk->builder, node, LG_ROOT_GIVEN, "", 0);
    }
}

/** Nodes between two calls of the watcher: some milliseconds. */
#define TELL_EVERY (1u << 16)

/** Nodes between two messages to the follower. */
#define FOLLOW_EVERY (1u << 10)

/** Static types are never freed, and nobody owns their first reference. */
static bool
is_static_type(PyObject *object)
{
    return !(((PyTypeObject *)object)->tp_flags & Py_TPFLAGS_HEAPTYPE);
}

/** The same for the few types with special cases. */
static void
fill_special(lg__heap_walk *walk, uint32_t node, PyObject *object,
             const lg__type_info *info)
{
    if (info->immortal ||
        (info->shape == LG__SHAPE_TYPE && is_static_type(object)))
        walk->builder->node_flags[node] |= LG_NODE_IMMORTAL;
    if (info->limit.name != NULL || info->learns_limit || info->learns_bounds ||
        info->timers.name != NULL || info->bounding_count > 0)
        lg__limits_note_instance(walk, object, info);
    if (info->has_sizeof &&
        lg__walk_scratch(walk, &walk->sized,
                         (walk->sized_count + 1) * sizeof(uint32_t)))
        ((uint32_t *)walk->sized.data)[walk->sized_count++] = node;
}

/** The size of an object. It is inline because nearly every node of most heaps
 *  is of one of these cases. */
static inline uint64_t
size_of(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
{
    if (info->fixed_size)
        return info->fixed_size;
    if (info->type == &PyUnicode_Type && PyUnicode_IS_COMPACT_ASCII(object))
        return lg__ascii_size(object);
    if (info->type == &PyTuple_Type || info->type == &PyBytes_Type)
        return info->base_size + (size_t)Py_SIZE(object) * info->item_size;
    return lg__object_size(walk, object, info);
}

/** References, size and flags of a node. */
static inline void
fill_columns(lg__heap_walk *walk, uint32_t node, PyObject *object,
             const lg__type_info *info)
{
    lg_builder *builder = walk->builder;
    Py_ssize_t count = lg__reference_count(walk->interpreter, object);
    uint64_t size = size_of(walk, object, info);
    lg_builder_put_refcount(builder, node, (uint64_t)count);
    if (lg__is_immortal(object))
        builder->node_flags[node] |= LG_NODE_IMMORTAL;
    if (LG__FREE_THREADED && lg__is_tracked(object))
        builder->node_flags[node] |= LG_NODE_TRACKED;
    if (LG__FREE_THREADED && lg__is_frozen(object))
        builder->node_flags[node] |= LG_NODE_FROZEN;
    lg_builder_put_size(builder, node, size);
    if (__builtin_expect(info->special, 0))
        fill_special(walk, node, object, info);
}

/** How many edges to make room for at a time. */
#define EDGES ((Py_ssize_t)512)

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
        Py_ssize_t end = count - i < EDGES ? count : i + EDGES;
        if (!lg_builder_write_edges(walk->builder, (uint32_t)(end - i),
                                    &writer))
            return;
        for (; i < end; i++)
            write_edge(walk, &writer, items[i],
                       LG_EDGE_INDEX | LG_EDGE_TRAVERSED, (uint32_t)i);
        lg__walk_put(walk, &writer);
    }
}

static void
walk_list(lg__heap_walk *walk, PyObject *object)
{
    walk_items(walk, ((PyListObject *)object)->ob_item, Py_SIZE(object));
}

static void
walk_tuple(lg__heap_walk *walk, PyObject *object)
{
    lg_builder *builder = walk->builder;
    lg_edge edge = builder->edge_count;
    walk_items(walk, ((PyTupleObject *)object)->ob_item, Py_SIZE(object));
    if (builder->node_flags[builder->open_node] & LG__NODE_VARIABLES)
        for (; edge < builder->edge_count; edge++)
            lg_builder_mark(builder, lg_builder_target(builder, edge),
                            LG_NODE_NAME);
}

/** An object of LG__PLAN_STRUCT. */
static void
walk_struct(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
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
    if (info->shape == LG__SHAPE_CODE) {
        lg__name_edges_of_code(walk, object);
        lg__bounds_note_code(walk, object);
    }
    if (info->shape == LG__SHAPE_FUNCTION)
        lg__bounds_note_function(walk, object);
}

static void
walk_set(lg__heap_walk *walk, PyObject *object)
{
    const PySetObject *set = (PySetObject *)object;
    uint32_t rank = 0;
    lg_edge_writer writer;
    for (Py_ssize_t i = 0; i <= set->mask;) {
        Py_ssize_t end = set->mask + 1 - i < EDGES ? set->mask + 1 : i + EDGES;
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

/** Returns the node of a dict's key, and marks it as a key. */
static inline uint32_t
meet_key(lg__heap_walk *walk, lg_edge_writer *writer,
         const lg__dict_table *table, Py_ssize_t i)
{
    uint32_t key =
        lg__walk_meet(walk, writer, lg__dict_entry_word(table, i, table->key));
    if (!(writer->node_flags[key] & LG_NODE_KEY))
        lg_flags_add(&writer->node_flags[key], LG_NODE_KEY);
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
                             lg__dict_entry_word(table, i, table->key));
    lg__address_map_prefetch(&walk->address_map,
                             lg__dict_entry_word(table, i, table->value));
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
        Py_ssize_t end = table->count - i < EDGES ? table->count : i + EDGES;
        if (!lg_builder_write_edges(walk->builder, 2 * (uint32_t)(end - i),
                                    &writer))
            return;
        for (; i < end; i++) {
            PyObject *value = lg__dict_entry_word(table, i, table->value);
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

static void
walk_dict(lg__heap_walk *walk, PyObject *object)
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

/** False if the instance needs lg__walk_named. */
static bool
walk_instance(lg__heap_walk *walk, PyObject *object, lg__type_info *info)
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
    if (!lg__attribute_names_know(walk, info, inlined.count) ||
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

static void
walk_edges(lg__heap_walk *walk, PyObject *object, lg__type_info *info)
{
    switch ((lg__plan)info->plan) {
    case LG__PLAN_ATOM:
        return;
    case LG__PLAN_LEAF:
        lg_builder_append_edge(walk->builder, info->node, LG_EDGE_TYPE, 0);
        return;
    case LG__PLAN_LIST:
        walk_list(walk, object);
        return;
    case LG__PLAN_TUPLE:
        walk_tuple(walk, object);
        return;
    case LG__PLAN_DICT:
        if (!lg__dict_is_embedded((PyDictObject *)object)) {
            walk_dict(walk, object);
            return;
        }
        break;
    case LG__PLAN_SET:
        walk_set(walk, object);
        return;
    case LG__PLAN_INSTANCE:
        if (walk_instance(walk, object, info))
            return;
        break;
    case LG__PLAN_STRUCT:
        walk_struct(walk, object, info);
        lg__name_object(walk, object, info);
        return;
    case LG__PLAN_NAMED:
        break;
    }
    lg__walk_named(walk, object, info);
    lg__name_object(walk, object, info);
    if (info->adapter)
        walk->hooks->instance(walk, walk->builder->open_node, info);
    if (info->shape == LG__SHAPE_TYPE && walk->options->roots == NULL &&
        is_static_type(object))
        lg_builder_add_root(walk->builder, walk->builder->open_node,
                            LG_ROOT_STATIC, "", 0);
}

/** The items of a long list that lead to something; each of the others would
 *  take a node. */
static void
walk_leading_items(lg__heap_walk *walk, uint32_t node, PyObject *list)
{
    PyObject *const *items = ((PyListObject *)list)->ob_item;
    for (Py_ssize_t i = 0; i < Py_SIZE(list); i++)
        if (items[i] != NULL &&
            lg__leading_has(walk->options->leading, items[i]))
            lg__walk_edge(walk, items[i], LG_EDGE_INDEX | LG_EDGE_TRAVERSED,
                          (uint32_t)i);
    walk->builder->node_flags[node] |= LG_NODE_FRONTIER;
    note_length(walk, node, Py_SIZE(list));
}

static void
walk_leading(lg__heap_walk *walk, uint32_t node, PyObject *object,
             lg__type_info *info)
{
    enum { LONG_LIST = 1000 };
    if (info->plan == LG__PLAN_LEAF) {
        walk_edges(walk, object, info);
    } else if (!enters_leading(walk, node, object, info)) {
        walk->builder->node_flags[node] |= LG_NODE_FRONTIER;
        lg__name_object(walk, object, info);
    } else if (info->plan == LG__PLAN_LIST && Py_SIZE(object) > LONG_LIST) {
        walk_leading_items(walk, node, object);
    } else {
        walk_edges(walk, object, info);
    }
}

static void
walk_partially(lg__heap_walk *walk, uint32_t node, PyObject *object,
               lg__type_info *info)
{
    if (walk->options->leading != NULL) {
        walk_leading(walk, node, object, info);
    } else if (partial_enters(walk, node, info)) {
        walk_edges(walk, object, info);
        partial_entered(walk, node);
    } else if (info->plan != LG__PLAN_LEAF) {
        partial_leave(walk, node, object, info);
    }
}

/** Estimates the part that is done, because nobody knows how many objects are
 *  left. Once the collector's lists are done, it is a part of the objects met
 *  so far; before, of the expected number. */
static double
part_done(const lg__heap_walk *walk)
{
    uint64_t all = walk->builder->node_count;
    if (!walk->tracked.done && walk->expected == 0)
        return 0;
    if (!walk->tracked.done && all < walk->expected)
        all = walk->expected;
    return (double)walk->walked / (double)all;
}

/** Calls the watcher, which may stop the walk. */
static void
report_progress(lg__heap_walk *walk)
{
    const lg_monitor *watch = walk->options->watch;
    if (watch != NULL &&
        !watch->tick(watch->context, "capturing", part_done(walk)) &&
        walk->builder->status == LG_OK)
        walk->builder->status = LG_ECANCELLED;
}

/** Finds the type of a node's object, and everything else if the object refers
 *  to nothing. False if memory ran out. */
static inline bool
look_at(lg__heap_walk *walk, uint32_t node)
{
    const lg_builder *builder = walk->builder;
    if (builder->node_flags[node] & LG_NODE_SYNTHETIC)
        return true;
    PyObject *object = (PyObject *)(uintptr_t)lg_builder_address(builder, node);
    lg__type_info *info = lg__walk_type_info(walk, Py_TYPE(object));
    if (info == NULL)
        return false;
    lg_builder_put_type(walk->builder, node, info->id);
    if (info->plan == LG__PLAN_ATOM) {
        fill_columns(walk, node, object, info);
        if (builder->node_flags[node] & (LG_NODE_KEY | LG_NODE_NAME))
            lg__text_early(walk, node, object);
    } else {
        lg__ahead_parts(object, info);
        lg__opening_add(&walk->openings, node, info);
    }
    return true;
}

/** Prepares the nodes before `end`, and prefetches for those behind it. New
 *  types may add nodes meanwhile, which come later. False if memory ran out.
 *  Three cursors run ahead of the walk by different distances: the memory of an
 *  object is asked for first, then its type is read, and at last the memory is
 *  asked for of what knows its referents' numbers. */
static inline bool
look_ahead(lg__heap_walk *walk, uint32_t end)
{
    const lg_builder *builder = walk->builder;
    lg__openings *openings = &walk->openings;
    const uint32_t count = builder->node_count;
    const uint32_t asked = lg__ahead_end(end, LG__AHEAD_OBJECT, count);
    const uint32_t looked = lg__ahead_end(end, LG__AHEAD_PARTS, count);
    const uint32_t traced = lg__ahead_end(end, LG__AHEAD_SLOTS, count);
    for (; walk->asked < asked; walk->asked++)
        lg__ahead_object(
            (const char *)(uintptr_t)lg_builder_address(builder, walk->asked));
    for (; walk->looked < looked; walk->looked++)
        if (!look_at(walk, walk->looked))
            return false;
    for (; openings->traced != openings->count; openings->traced++) {
        const lg__opening *opening = lg__opening_at(openings, openings->traced);
        if (opening->node >= traced)
            break;
        lg__ahead_slots(walk, opening);
    }
    return true;
}

static inline void
walk_object(lg__heap_walk *walk, uint32_t node, lg__type_info *info)
{
    PyObject *object =
        (PyObject *)(uintptr_t)lg_builder_address(walk->builder, node);
    lg_builder_begin_edges(walk->builder, node);
    fill_columns(walk, node, object, info);
    lg__chain_follow(walk, node, object, info);
    if (walk->partial)
        walk_partially(walk, node, object, info);
    else
        walk_edges(walk, object, info);
}

/** Prepares a block of nodes that begins with `node`; returns its end. There is
 *  none if nothing is left to walk, or if memory ran out. */
static uint32_t
open_block(lg__heap_walk *walk, uint32_t node)
{
    enum { BLOCK = 8 };
    const lg_builder *builder = walk->builder;
    if (node + LG__AHEAD_OBJECT + BLOCK >= builder->node_count)
        lg__enumerate_ahead(walk, node, LG__AHEAD_OBJECT + BLOCK);
    if (node % TELL_EVERY == 0 && node < builder->node_count)
        report_progress(walk);
    if (node % FOLLOW_EVERY == 0) {
        lg__follower_tell(walk, node);
        lg_builder_leave_nodes(walk->builder, node);
    }
    uint32_t end = node - node % BLOCK + BLOCK;
    if (end > builder->node_count)
        end = builder->node_count;
    return look_ahead(walk, end) ? end : node;
}

/** Walks the objects of a block that refer to others. */
static inline void
walk_block(lg__heap_walk *walk, uint32_t end)
{
    const lg_builder *builder = walk->builder;
    lg__openings *openings = &walk->openings;
    for (; openings->first != openings->traced; openings->first++) {
        lg__opening opening = *lg__opening_at(openings, openings->first);
        if (opening.node >= end || builder->status != LG_OK)
            break;
        walk->walked = opening.node;
        walk_object(walk, opening.node, opening.info);
    }
    walk->walked = end;
}

void
lg__walk_run(lg__heap_walk *walk)
{
    while (walk->builder->status == LG_OK) {
        uint32_t end = open_block(walk, walk->walked);
        if (end == walk->walked) {
            lg__bounds_finish(walk);
            return;
        }
        walk_block(walk, end);
    }
}

/** The folder of its file distinguishes a program's module from a library's. */
static void
note_origin(lg__heap_walk *walk, PyObject *module)
{
    uint32_t node = lg__walk_node(walk, module);
    if (node == LG_NONE || !PyModule_Check(module))
        return;
    PyObject *names = lg__module_dict(module);
    PyObject *file =
        names != NULL
            ? lg__dict_find_common(walk, names, walk->keys.file, "__file__")
            : NULL;
    lg__name path;
    path.length = 0;
    if (file != NULL && PyUnicode_Check(file))
        lg__name_add_str(&path, file, LG__NAME_LIMIT);
    if (path.length > 0)
        lg_builder_set_origin(walk->builder, node,
                              (lg_string){path.data, (uint32_t)path.length});
}

// Declares the roots: threads, interpreter, modules, static types.
static void
finish_roots(lg__heap_walk *walk)
{
    PyObject *modules = PyImport_GetModuleDict();
    Py_ssize_t position = 0;
    PyObject *key, *module;
    while (PyDict_Next(modules, &position, &key, &module)) {
        if (!PyUnicode_Check(key) || module == Py_None)
            continue;
        lg__name name;
        name.length = 0;
        lg__name_add_str(&name, key, 512);
        lg_builder_add_root(walk->builder, lg__walk_node(walk, module),
                            LG_ROOT_MODULE, name.data, name.length);
        note_origin(walk, module);
    }
}

static void
walk_leading_roots(lg__heap_walk *walk, const lg__leading *leading)
{
    lg_builder_set_partial(walk->builder, "only what leads to some objects");
    lg__roots_open(walk);
    for (uint32_t i = 0; i < leading->count; i++)
        lg__walk_node(walk, leading->objects[i]);
    lg__roots_walk(walk);
    lg__calling_frame_note(walk);
    finish_roots(walk);
}

void
lg__walk_roots(lg__heap_walk *walk)
{
    if (walk->options->leading != NULL) {
        walk_leading_roots(walk, walk->options->leading);
        return;
    }
    if (walk->partial) {
        lg_builder_set_partial(walk->builder,
                               "only what the given roots reach");
        walk_roots_given(walk);
        return;
    }
    if (walk->internal || LG__FREE_THREADED) {
        lg__roots_open(walk);
        lg__enumerate_begin(walk);
    }
    lg__roots_walk(walk);
    lg__calling_frame_note(walk);
    finish_roots(walk);
}

void
lg__walk_free(lg__heap_walk *walk)
{
    lg__walk_scratch_free(walk, &walk->names.heads);
    lg__walk_scratch_free(walk, &walk->names.links);
    lg__sizes_release(walk);
    lg__walk_scratch_free(walk, &walk->tracked.put_off);
    lg__walk_scratch_free(walk, &walk->sized);
    lg__walk_scratch_free(walk, &walk->own_codes);
    lg__walk_scratch_free(walk, &walk->filled);
    lg__walk_scratch_free(walk, &walk->recorded);
    lg__walk_scratch_free(walk, &walk->depth);
    lg__walk_scratch_free(walk, &walk->locals);
    lg__walk_scratch_free(walk, &walk->locals_given);
    lg__walk_scratch_free(walk, &walk->name_tuples);
    lg__address_map_close(&walk->address_map);
}
