// Walks objects whose types have no plan of their own.
#include "capture/walk/named.h"
#include "capture/walk/bounds.h"
#include "capture/walk/edge_names.h"
#include "capture/walk/object_limits.h"
#include "capture/walk/running.h"
#include "capture/walk/names.h"
#include "capture/walk/thread_locals.h"

#include <stddef.h>
#include <string.h>

/*
 * The wrapper that functools.lru_cache() makes in C: its dict of results, what
 * it wraps, its limit, and its links.
 */

/** The head of lru_list_elem, 3.9 to 3.15; a wrapper begins with one. */
typedef struct lru_link_layout {
    PyObject_HEAD
    struct lru_link_layout *previous;
    struct lru_link_layout *next;
} lru_link_layout;

/** The wrapper owns its links in a ring, and so does its cache dict.
 *  tp_traverse leaves them out. */
static void
walk_lru_links(lg__heap_walk *walk, PyObject *object)
{
    lru_link_layout *root = (lru_link_layout *)object;
    uint32_t rank = 0;
    for (lru_link_layout *link = root->next; link != NULL && link != root;
         link = link->next)
        lg__walk_edge(walk, (PyObject *)link, LG_EDGE_INDEX, rank++);
}

/** The type of the wrapper's links; NULL if it has none. */
static PyObject *
lru_link_type(PyObject *object)
{
    lru_link_layout *link = ((lru_link_layout *)object)->next;
    return link != NULL && (PyObject *)link != object
               ? (PyObject *)Py_TYPE((PyObject *)link)
               : NULL;
}

/** Numbers that lie around the function, 3.9 to 3.15: the word before it, and
 *  the two after it. An object follows. */
typedef struct lru_numbers {
    PyObject *results;
    Py_ssize_t hits;
    PyObject *function;
    Py_ssize_t limit;
    Py_ssize_t misses;
    PyObject *object;
} lru_numbers;

static PyObject *
edge_target(const lg_builder *builder, uint64_t edge)
{
    return (PyObject *)(uintptr_t)lg_builder_address(
        builder, lg_builder_target(builder, edge));
}

/** Returns whether the object is one that the wrapper reports. */
static bool
is_referent(const lg__heap_walk *walk, const PyObject *object)
{
    for (uint64_t i = 0; i < walk->names.count; i++)
        if (edge_target(walk->builder, walk->names.first + i) == object)
            return true;
    return false;
}

/** Notes the most results that the wrapper keeps, and how often calls found
 *  theirs. Every result was missed once, and an object of the wrapper's lies
 *  behind the misses; otherwise the words are not these numbers. */
static void
note_lru_numbers(lg__heap_walk *walk, PyObject *object,
                 const lg__type_info *info, uint32_t results)
{
    lru_numbers numbers;
    size_t end = results + offsetof(lru_numbers, misses);
    if (end > (size_t)info->type->tp_basicsize)
        return;
    memcpy(&numbers, (const char *)object + results, end - results);
    lg__limits_note_number(walk, object, "maxsize", numbers.limit);
    if (results + sizeof numbers > (size_t)info->type->tp_basicsize)
        return;
    memcpy(&numbers, (const char *)object + results, sizeof numbers);
    if (numbers.hits < 0 || numbers.misses < PyDict_GET_SIZE(numbers.results) ||
        !is_referent(walk, numbers.object))
        return;
    lg__limits_note_number(walk, object, "hits", numbers.hits);
    lg__limits_note_number(walk, object, "misses", numbers.misses);
}

/** Returns the word that holds the wrapper's dict of results; 0: it has none.
 */
static uint32_t
word_of_results(const lg__heap_walk *walk, PyObject *object,
                const lg__type_info *info)
{
    const lg_builder *builder = walk->builder;
    uint32_t word = 0;
    for (uint64_t i = 0; i < walk->names.count && word == 0; i++) {
        uint64_t edge = walk->names.first + i;
        PyObject *target = edge_target(builder, edge);
        if (lg_builder_kind(builder, edge) ==
                (LG_EDGE_REFERENCE | LG_EDGE_TRAVERSED) &&
            PyDict_CheckExact(target))
            word = lg__word_holding(object, info, target);
    }
    return word;
}

/** Names one of the wrapper's own words, rather than what it reports for its
 *  links. The function lies two words behind the dict of results, and may be a
 *  class. */
static void
name_lru_word(lg__heap_walk *walk, PyObject *object, const lg__type_info *info,
              uint64_t edge, uint32_t word, uint32_t results)
{
    lg_builder *builder = walk->builder;
    PyObject *target = edge_target(builder, edge);
    bool wrapped = results != 0 && word == results + 2 * sizeof target;
    const char *name = wrapped                     ? "__wrapped__"
                       : PyDict_CheckExact(target) ? "cache"
                       : !PyType_Check(target)     ? "kwd_mark"
                       : lg__type_is_pythons((PyTypeObject *)target)
                           ? "cache_info_type"
                           : "lru_list_elem_type";
    lg_builder_name_edge(builder, edge, LG_EDGE_ATTRIBUTE | LG_EDGE_TRAVERSED,
                         lg__walk_intern(walk, name));
    if (wrapped)
        note_lru_numbers(walk, object, info, results);
}

/** An lru_cache wrapper reports, on behalf of its links: key, result and, from
 *  3.10 on, the link's type (Modules/_functoolsmodule.c). The links are nodes
 *  of their own, which refer to their type themselves. It reports the key of a
 *  link, then its result, and then maybe its type, so what follows no key and
 *  is in no word of the wrapper's is the key of the next link. */
static void
name_lru_cache(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
{
    lg_builder *builder = walk->builder;
    const PyObject *link_type = lru_link_type(object);
    uint32_t results = word_of_results(walk, object, info);
    uint32_t key = LG_NONE, rank = 0, word;
    bool after_result = false;
    for (uint64_t i = 0; i < walk->names.count; i++) {
        uint64_t edge = walk->names.first + i;
        if (lg_builder_kind(builder, edge) !=
            (LG_EDGE_REFERENCE | LG_EDGE_TRAVERSED))
            continue;
        uint32_t target = lg_builder_target(builder, edge);
        PyObject *child = edge_target(builder, edge);
        if (after_result && child == link_type) {
            lg_builder_set_kind(builder, edge,
                                LG_EDGE_TYPE | LG_EDGE_TRAVERSED |
                                    LG_EDGE_UNCOUNTED);
        } else if (key != LG_NONE) {
            lg_builder_name_edge(builder, edge,
                                 LG_EDGE_VALUE | LG_EDGE_TRAVERSED, key);
            key = LG_NONE;
            after_result = true;
            continue;
        } else if ((word = lg__word_holding(object, info, child)) != 0) {
            name_lru_word(walk, object, info, edge, word, results);
        } else {
            key = target;
            lg_builder_mark(builder, key, LG_NODE_KEY);
            lg_builder_name_edge(builder, edge, LG_EDGE_KEY | LG_EDGE_TRAVERSED,
                                 rank++);
        }
        after_result = false;
    }
}

/** Names what the wrapper reports, adds its links, which it does not, and notes
 *  its limit. */
static void
name_edges_of_lru_cache(lg__heap_walk *walk, PyObject *object,
                        const lg__type_info *info)
{
    name_lru_cache(walk, object, info);
    walk_lru_links(walk, object);
}

enum { PAGE = 4096 };

/** Where the number of a word's page is kept, if an object was found there.
 *  Pages that share a place replace each other, which costs another look at
 *  most. */
static uintptr_t *
place_of(lg__heap_walk *walk, const void *word)
{
    lg__seen_pages *seen = &walk->seen;
    return &seen->page[(uintptr_t)word / PAGE % LG__COUNT(seen->page)];
}

/** Returns whether the walk has met an object on a word's page. */
static bool
has_objects(const lg__heap_walk *walk, const PyObject *word)
{
    const lg_builder *builder = walk->builder;
    const lg__address_page page =
        lg__address_map_page(&walk->address_map, word);
    for (size_t i = 0; i < page.count; i++) {
        const uint32_t mark = lg__address_page_mark(&page, i);
        if (mark != 0 && !(builder->node_flags[mark - 1] & LG_NODE_SYNTHETIC))
            return true;
    }
    return false;
}

/** Returns whether an object is known on the page that a word leads to, so that
 *  the page exists. Checks the highest bits itself, because the map ignores
 *  them. A small number is no address; its page is how an empty place reads. */
static bool
is_readable(lg__heap_walk *walk, const PyObject *word)
{
    uintptr_t *place = place_of(walk, word);
    uintptr_t page = (uintptr_t)word / PAGE;
    if (page == 0 || (uintptr_t)word % PAGE > PAGE - sizeof *word ||
        (uintptr_t)word >> 48)
        return false;
    if (*place != page && has_objects(walk, word))
        *place = page;
    return *place == page;
}

/** Returns whether a word leads to a str. Asks the kernel last: that takes a
 *  microsecond, and there are thousands of such words. Most lead to code
 *  objects, many of which lie on a page. */
static bool
leads_to_str(lg__heap_walk *walk, const PyObject *word)
{
    PyObject found;
    if ((uintptr_t)word % sizeof(void *) != 0)
        return false;
    if (is_readable(walk, word))
        return PyUnicode_CheckExact(word);
    if (!lg__peek(&found, word, sizeof found))
        return false;
    if (Py_TYPE(&found) == &PyCode_Type)
        *place_of(walk, word) = (uintptr_t)word / PAGE;
    return Py_TYPE(&found) == &PyUnicode_Type;
}

/** A word that a type with a traverser declares may hold anything: a borrowed
 *  reference (sqlite3), or what a derived type keeps there (mypyc). Takes it if
 *  the traverser reports it, or if it is a str, which traversers leave out
 *  because it is in no cycle. */
static void
name_declared(lg__heap_walk *walk, PyObject *child,
              const lg__named_field *field)
{
    if (child == NULL)
        return;
    if (lg__address_map_find(&walk->address_map, child) != 0 &&
        lg__name_edges_of_reported(walk, child, field->kind, field->name))
        return;
    if (!field->stale && leads_to_str(walk, child))
        lg__walk_edge(walk, child, field->kind, field->name);
}

/** Takes a word that is a reference for sure, whether or not the traverser
 *  reports it. */
static void
name_sure(lg__heap_walk *walk, PyObject *child, const lg__named_field *field)
{
    bool known =
        child == NULL ||
        (lg__address_map_find(&walk->address_map, child) != 0 &&
         lg__name_edges_of_reported(walk, child, field->kind, field->name));
    if (!known)
        lg__walk_edge(walk, child, field->kind, field->name);
}

static void
name_fields(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++) {
        const lg__named_field *field = &info->fields[i];
        PyObject *child = *(PyObject **)((char *)object + field->offset);
        if (info->holds_unseen)
            name_sure(walk, child, field);
        else if (field->declared && info->traverse)
            name_declared(walk, child, field);
        else
            lg__name_edge(walk, child, field->kind, field->name);
    }
}

/** Names the words that a metaclass in C adds to those of type. */
static void
name_rest_of_metatype(lg__heap_walk *walk, PyObject *object,
                      const lg__type_info *info)
{
    bool whole = ((PyTypeObject *)object)->tp_flags & Py_TPFLAGS_HEAPTYPE;
    for (uint32_t i = 0; whole && i < info->field_count; i++) {
        const lg__named_field *field = &info->fields[i];
        if (field->declared && field->offset >= sizeof(PyHeapTypeObject))
            name_declared(walk, *(PyObject **)((char *)object + field->offset),
                          field);
    }
}

/** Up to 3.11 a variable-sized instance keeps its dict behind its items. */
static PyObject *
dict_behind_items(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_ssize_t count = Py_SIZE(object);
    size_t size =
        (size_t)type->tp_basicsize +
        (size_t)(count < 0 ? -count : count) * (size_t)type->tp_itemsize;
    size = (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    return *(PyObject **)((char *)object + (Py_ssize_t)size +
                          type->tp_dictoffset);
}

static void
name_attributes(lg__heap_walk *walk, PyObject *object, lg__type_info *info)
{
    if (info->dict_kind == LG__DICT_OFFSET) {
        lg__name_edge(walk, dict_behind_items(object), LG_EDGE_DICT, 0);
        return;
    }
    if (info->dict_kind != LG__DICT_MANAGED || !walk->internal)
        return;
    lg__inline_values inlined = lg__inline_values_of(object);
    PyObject *dict = lg__managed_dict(object);
    for (Py_ssize_t i = 0; i < inlined.count; i++) {
        if (inlined.values[i] == NULL)
            continue;
        uint32_t name = lg__attribute_name(walk, info, i);
        /* If there is a dict, too, it or the instance reports the values. */
        if (dict != NULL)
            lg__name_edges_of_shared(walk, inlined.values[i], LG_EDGE_ATTRIBUTE,
                                     name);
        else
            lg__name_edge(walk, inlined.values[i], LG_EDGE_ATTRIBUTE, name);
    }
    lg__name_edge(walk, dict, LG_EDGE_DICT, 0);
}

static void
name_sequence(lg__heap_walk *walk, PyObject *const *items, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        lg__name_edge(walk, items[i], LG_EDGE_INDEX, (uint32_t)i);
}

static void
name_edges_of_items(lg__heap_walk *walk, PyObject *dict)
{
    if (((PyDictObject *)dict)->ma_keys == NULL)
        return;
    bool split = ((PyDictObject *)dict)->ma_values != NULL;
    bool str_keys =
        walk->internal &&
        lg__dict_table_of(((PyDictObject *)dict)->ma_keys, lg__general_lookup)
            .str_keys;
    bool embedded =
        walk->internal && lg__dict_is_embedded((PyDictObject *)dict);
    Py_ssize_t position = 0;
    PyObject *key, *value;
    uint32_t rank = 0;
    while (PyDict_Next(dict, &position, &key, &value)) {
        uint32_t key_node = lg__walk_node(walk, key);
        if (key_node == LG_NONE)
            return;
        lg_builder_mark(walk->builder, key_node, LG_NODE_KEY);
        if (embedded)
            lg__name_edges_of_shared(walk, value, LG_EDGE_VALUE, key_node);
        else
            lg__name_edge(walk, value, LG_EDGE_VALUE, key_node);
        if (split)
            continue;
        /* An OrderedDict reports its own second reference to each key; do not
           take it for the dict's. */
        if (str_keys)
            lg__walk_edge(walk, key, LG_EDGE_KEY, rank++);
        else
            lg__name_edge(walk, key, LG_EDGE_KEY, rank++);
    }
}

static void
name_weakref(lg__heap_walk *walk, PyObject *object)
{
    PyObject *referent = ((PyWeakReference *)object)->wr_object;
    if (referent != NULL && referent != Py_None)
        lg__walk_edge(walk, referent,
                      LG_EDGE_REFERENT | LG_EDGE_WEAK | LG_EDGE_UNCOUNTED, 0);
}

/** Names what a program hands to readline; the state of another readline has
 *  other words. */
static void
name_readline_state(lg__heap_walk *walk, PyObject *module)
{
    const char *state = lg__module_state(module, sizeof(lg__readline_state));
    PyObject *name = lg__module_name(module);
    if (state == NULL || name == NULL || !PyUnicode_CheckExact(name) ||
        !lg__str_equals(name, "readline"))
        return;
    for (size_t i = 0; i < LG__COUNT(lg__readline_fields); i++) {
        const lg__field *field = &lg__readline_fields[i];
        PyObject *child = *(PyObject *const *)(state + field->offset);
        if (child != NULL &&
            lg__address_map_find(&walk->address_map, child) != 0)
            lg__name_edges_of_reported(walk, child, field->kind,
                                       lg__walk_intern(walk, field->name));
    }
}

/** Other objects in the state of a module in C have no names. */
static void
name_module_state(lg__heap_walk *walk)
{
    lg_builder *builder = walk->builder;
    uint32_t name = lg__walk_intern(walk, "module state");
    for (uint64_t i = 0; i < walk->names.count; i++) {
        uint64_t edge = walk->names.first + i;
        if (lg_builder_kind(builder, edge) !=
            (LG_EDGE_REFERENCE | LG_EDGE_TRAVERSED))
            continue;
        lg_builder_name_edge(builder, edge, LG_EDGE_NATIVE | LG_EDGE_TRAVERSED,
                             name);
    }
}

/** The pairs of a node of a context's mapping: a variable and its value, or
 *  none and a node below (Python/hamt.c, 3.9 to 3.15). */
static void
name_hamt(lg__heap_walk *walk, PyObject *object)
{
    PyObject *const *pairs = (PyObject **)((PyVarObject *)object + 1) + 1;
    for (Py_ssize_t i = 0; i + 1 < Py_SIZE(object); i += 2) {
        uint32_t key =
            pairs[i] != NULL ? lg__walk_node(walk, pairs[i]) : LG_NONE;
        if (key == LG_NONE) {
            lg__name_edge(walk, pairs[i + 1], LG_EDGE_INDEX, (uint32_t)i / 2);
            continue;
        }
        lg_builder_mark(walk->builder, key, LG_NODE_KEY);
        lg__name_edge(walk, pairs[i + 1], LG_EDGE_VALUE, key);
        lg__name_edge(walk, pairs[i], LG_EDGE_KEY, (uint32_t)i / 2);
    }
}

static void
name_table(lg__heap_walk *walk, const void *base, const lg__field *fields,
           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PyObject *child =
            *(PyObject *const *)((const char *)base + fields[i].offset);
        if (child != NULL)
            lg__name_edge(walk, child, fields[i].kind,
                          lg__walk_intern_literal(walk, fields[i].name));
    }
}

/** The strs that name inline values belong to the type's shared keys. */
static void
name_cached_keys(lg__heap_walk *walk, PyTypeObject *type)
{
    lg__dict_keys *keys = lg__type_cached_keys(type);
    if (!walk->internal || keys == NULL)
        return;
    lg__dict_table table = lg__dict_table_of(keys, lg__general_lookup);
    for (Py_ssize_t i = 0; i < table.count; i++) {
        PyObject *key =
            *(PyObject *const *)(table.base + (size_t)i * table.stride +
                                 table.key);
        uint32_t node = key != NULL ? lg__walk_node(walk, key) : LG_NONE;
        if (node == LG_NONE)
            continue;
        lg_builder_mark(walk->builder, node, LG_NODE_NAME);
        lg_builder_append_edge(walk->builder, node, LG_EDGE_KEY, (uint32_t)i);
    }
}

static void
name_edges_of_type(lg__heap_walk *walk, PyObject *object)
{
    PyTypeObject *type = (PyTypeObject *)object;
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        name_table(walk, type, lg__heap_type_fields,
                   LG__COUNT(lg__heap_type_fields));
        name_cached_keys(walk, type);
        return;
    }
    lg__type_state state = lg__walk_type_state(walk, type);
    lg__name_edge(walk, state.dict, LG_EDGE_DICT, 0);
    lg__name_edge(walk, state.subclasses, LG_EDGE_ATTRIBUTE,
                  lg__walk_intern_literal(walk, "__subclasses__"));
    name_table(walk, type, lg__static_type_fields,
               LG__COUNT(lg__static_type_fields));
}

static void
name_edges_of_generator(lg__heap_walk *walk, PyObject *object)
{
    if (!walk->internal)
        return;
    lg__frame *frame = lg__frame_of_generator(object);
    if (frame != NULL) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code != NULL) {
            lg__bounds_note_running(walk, view.code);
            lg__name_edges_of_frame(walk, &view);
            lg__name_edge(walk, view.object, LG_EDGE_ATTRIBUTE,
                          lg__walk_intern_literal(walk, "gi_frame"));
        }
        return;
    }
    /* Up to 3.10 the frame object has the variables. The generator shows them,
       too, uncounted, so that it reads alike on every version. */
    PyObject *owner = lg__generator_frame_object(object);
    if (owner == NULL)
        return;
    lg__frame_view view = lg__frame_view_of(lg__frame_of_object(owner));
    if (view.code != NULL)
        lg__bounds_note_running(walk, view.code);
    for (Py_ssize_t i = 0; view.code != NULL && i < view.local_count; i++)
        if (lg__slot_object(view.slots[i]) != NULL)
            lg__walk_edge(
                walk, lg__slot_object(view.slots[i]),
                LG_EDGE_LOCAL | LG_EDGE_UNCOUNTED,
                lg__walk_intern_str(walk, lg__code_slot_name(view.code, i)));
}

static void
name_shape(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
{
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_LIST:
        name_sequence(walk, ((PyListObject *)object)->ob_item, Py_SIZE(object));
        break;
    case LG__SHAPE_TUPLE:
        name_sequence(walk, ((PyTupleObject *)object)->ob_item,
                      Py_SIZE(object));
        break;
    case LG__SHAPE_DICT:
        name_edges_of_items(walk, object);
        break;
    case LG__SHAPE_TYPE:
        name_edges_of_type(walk, object);
        break;
    case LG__SHAPE_CODE: {
        lg__name_edges_of_code(walk, object);
        lg__bounds_note_code(walk, object);
    } break;
    case LG__SHAPE_FRAME:
        lg__name_edges_of_frame_object(walk, object);
        break;
    case LG__SHAPE_GENERATOR:
        name_edges_of_generator(walk, object);
        break;
    case LG__SHAPE_WEAKREF:
        name_weakref(walk, object);
        break;
    case LG__SHAPE_HAMT:
        name_hamt(walk, object);
        break;
    case LG__SHAPE_LOCAL:
        lg__locals_note(walk, object, info);
        break;
    default:
        break;
    }
}

void
lg__walk_named(lg__heap_walk *walk, PyObject *object, lg__type_info *info)
{
    lg__edge_names_open(walk, object, info);
    if (info->shape != LG__SHAPE_TYPE)
        name_fields(walk, object, info);
    if (Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE)
        lg__name_edge(walk, (PyObject *)Py_TYPE(object), LG_EDGE_TYPE, 0);
    else
        lg__name_edges_of_reported(walk, (PyObject *)Py_TYPE(object),
                                   LG_EDGE_TYPE, 0);
    name_attributes(walk, object, info);
    name_shape(walk, object, info);
    if (info->shape == LG__SHAPE_TYPE)
        name_rest_of_metatype(walk, object, info);
    if (info->shape == LG__SHAPE_MODULE) {
        name_readline_state(walk, object);
        name_module_state(walk);
    }
    lg__limits_note(walk, object, info);
    if (info->shape == LG__SHAPE_LRU_CACHE)
        name_edges_of_lru_cache(walk, object, info);
    if (info->adapter)
        walk->hooks->visit(walk, object, info);
    lg__edge_names_close(walk, object, info);
}
