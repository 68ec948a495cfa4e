/**
 * The wrapper that functools.lru_cache() makes in C: its dict of results, what
 * it wraps, its limit, and its links.
 */
#include "capture/walk/lru_cache.h"
#include "capture/walk/limit.h"

#include <stddef.h>
#include <string.h>

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
    return (PyObject *)(uintptr_t)builder->address[builder->edge_target[edge]];
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
    lg__walk_note_number(walk, object, "maxsize", numbers.limit);
    if (results + sizeof numbers > (size_t)info->type->tp_basicsize)
        return;
    memcpy(&numbers, (const char *)object + results, sizeof numbers);
    if (numbers.hits < 0 || numbers.misses < PyDict_GET_SIZE(numbers.results) ||
        !is_referent(walk, numbers.object))
        return;
    lg__walk_note_number(walk, object, "hits", numbers.hits);
    lg__walk_note_number(walk, object, "misses", numbers.misses);
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
        if (builder->edge_kind[edge] ==
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
    builder->edge_kind[edge] = LG_EDGE_ATTRIBUTE | LG_EDGE_TRAVERSED;
    builder->edge_payload[edge] = lg__walk_intern(walk, name);
    if (wrapped)
        note_lru_numbers(walk, object, info, results);
}

/** An lru_cache wrapper reports, on behalf of its links: key, result and, from
 *  3.10 on, the link's type (Modules/_functoolsmodule.c). The links are nodes
 * of their own, which refer to their type themselves. */
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
        if (builder->edge_kind[edge] != (LG_EDGE_REFERENCE | LG_EDGE_TRAVERSED))
            continue;
        uint32_t target = builder->edge_target[edge];
        PyObject *child = edge_target(builder, edge);
        if (after_result && child == link_type) {
            builder->edge_kind[edge] =
                LG_EDGE_TYPE | LG_EDGE_TRAVERSED | LG_EDGE_UNCOUNTED;
        } else if (key != LG_NONE) {
            builder->edge_kind[edge] = LG_EDGE_VALUE | LG_EDGE_TRAVERSED;
            builder->edge_payload[edge] = key;
            key = LG_NONE;
            after_result = true;
            continue;
        } else if ((word = lg__word_holding(object, info, child)) != 0) {
            name_lru_word(walk, object, info, edge, word, results);
        } else {
            key = target;
            builder->node_flags[key] |= LG_NODE_KEY;
            builder->edge_kind[edge] = LG_EDGE_KEY | LG_EDGE_TRAVERSED;
            builder->edge_payload[edge] = rank++;
        }
        after_result = false;
    }
}

void
lg__name_edges_of_lru_cache(lg__heap_walk *walk, PyObject *object,
                            const lg__type_info *info)
{
    name_lru_cache(walk, object, info);
    walk_lru_links(walk, object);
}
