/**
 * Reads limits from where instances and modules have them. Only an exact int
 * counts, which is read from its memory.
 */
#include "capture/walk/limit.h"
#include "capture/walk/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/** A program with more of such objects has no caches, but records. */
enum { LIMITS_MOST = 1 << 14 };

/** The beginning of a deque (Modules/_collectionsmodule.c, 3.9 to 3.15). */
typedef struct deque_layout {
    PyObject_VAR_HEAD void *left_block;
    void *right_block;
    Py_ssize_t left_index;
    Py_ssize_t right_index;
    size_t state;
    Py_ssize_t maxlen;
} deque_layout;

void
lg__walk_note_number(lg__heap_walk *walk, PyObject *object, const char *key,
                     Py_ssize_t number)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%zd", number);
    if (number >= 0)
        lg_builder_add_fact(walk->builder, lg__walk_node(walk, object), key,
                            text, (size_t)length);
}

void
lg__walk_note_maxlen(lg__heap_walk *walk, PyObject *object)
{
    lg__walk_note_number(walk, object, "maxlen",
                         ((deque_layout *)object)->maxlen);
}

/** Returns the number that an instance has there; -1: it has none. */
static Py_ssize_t
number_at(lg__heap_walk *walk, PyObject *object, const lg__number_at *at)
{
    int overflow = 0;
    if (at->name == NULL)
        return -1;
    PyObject *value = at->offset != 0
                          ? *(PyObject **)((char *)object + at->offset)
                          : lg__instance_find(walk, object, at->name);
    if (value == NULL || !PyLong_CheckExact(value))
        return -1;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0 ? (Py_ssize_t)number : -1;
}

void
lg__walk_note_limit(lg__heap_walk *walk, PyObject *object,
                    const lg__type_info *info)
{
    lg__type_info *known =
        info->learns_limit ? lg__walk_type_info(walk, info->type) : NULL;
    if (known != NULL)
        lg__type_learn_limit(known, object);
    Py_ssize_t limit = number_at(walk, object, &info->limit);
    if (limit <= 0 || walk->limits >= LIMITS_MOST)
        return;
    walk->limits++;
    lg__walk_note_number(walk, object, "limit", limit);
    lg__walk_note_number(walk, object, "used",
                         number_at(walk, object, &info->used));
}

/** How many limits of one module are known, and how long the names of caches
 *  are, without what all have. */
enum { MODULE_LIMITS = 8, STEM_LENGTH = 24 };

/** A number in a module that limits a dict beside it. */
typedef struct module_limit {
    char stem[STEM_LENGTH];
    Py_ssize_t most;
} module_limit;

/** Takes a word out of a text. Returns false if it has none. */
static bool
take_out(char *text, const char *word)
{
    char *at = strstr(text, word);
    if (at == NULL)
        return false;
    memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
    return true;
}

/** Sets what the name of a cache has besides `cache`: `_regex_cache` and
 *  `_MAXREGEXCACHE` have `regex`. Returns false if it is no such name. */
static bool
find_stem(PyObject *name, bool limit, char stem[STEM_LENGTH])
{
    if (!PyUnicode_CheckExact(name) || !PyUnicode_IS_COMPACT_ASCII(name))
        return false;
    size_t length = 0;
    for (const char *at = PyUnicode_DATA(name); *at != '\0'; at++) {
        if (*at == '_')
            continue;
        if (length + 1 == STEM_LENGTH)
            return false;
        stem[length++] = (char)tolower((unsigned char)*at);
    }
    stem[length] = '\0';
    if (!take_out(stem, "cache") || (limit && !take_out(stem, "max")))
        return false;
    if (limit && !take_out(stem, "size"))
        take_out(stem, "len");
    return true;
}

/** Lists the limits in a module's namespace. Returns how many there are. */
static size_t
list_module_limits(PyObject *names, module_limit *limits)
{
    size_t count = 0;
    Py_ssize_t position = 0;
    PyObject *name, *value;
    while (count < MODULE_LIMITS &&
           PyDict_Next(names, &position, &name, &value)) {
        int overflow = 0;
        if (!PyLong_CheckExact(value) ||
            !find_stem(name, true, limits[count].stem))
            continue;
        long long most = PyLong_AsLongLongAndOverflow(value, &overflow);
        limits[count].most = (Py_ssize_t)most;
        count += overflow == 0 && most > 0;
    }
    return count;
}

/** Returns the limit with the longest stem with which that of a dict begins;
 *  NULL: none. */
static const module_limit *
limit_of(const char *stem, const module_limit *limits, size_t count)
{
    const module_limit *best = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(limits[i].stem);
        if (strncmp(stem, limits[i].stem, length) == 0 &&
            (best == NULL || length > strlen(best->stem)))
            best = &limits[i];
    }
    return best;
}

void
lg__walk_note_module_limits(lg__heap_walk *walk, PyObject *module)
{
    module_limit limits[MODULE_LIMITS];
    char stem[STEM_LENGTH];
    PyObject *names = lg__module_dict(module);
    size_t count = names != NULL && PyDict_CheckExact(names)
                       ? list_module_limits(names, limits)
                       : 0;
    Py_ssize_t position = 0;
    PyObject *name, *value;
    while (count > 0 && PyDict_Next(names, &position, &name, &value)) {
        if (!PyDict_CheckExact(value) || !find_stem(name, false, stem))
            continue;
        const module_limit *limit = limit_of(stem, limits, count);
        if (limit != NULL)
            lg__walk_note_number(walk, value, "maxlen", limit->most);
    }
}
