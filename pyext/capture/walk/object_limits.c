/**
 * Limits and lifetimes, as facts of what has them.
 */
#include "capture/walk/object_limits.h"
#include "capture/walk/bounds.h"
#include "capture/walk/names.h"
#include "capture/common/capture_common.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

/*
 * Limits are read from where instances and modules have them. Only an exact int
 * counts, which is read from its memory.
 */

/** A program with more of such objects has no caches, but records. */
enum { LIMITS_MOST = 1 << 14 };

void
lg__limits_note_number(lg__heap_walk *walk, PyObject *object, const char *key,
                       Py_ssize_t number)
{
    if (number >= 0)
        lg_builder_add_fact_number(walk->builder, lg__walk_node(walk, object),
                                   key, (uint64_t)number);
}

/** Returns what an instance has there; NULL: nothing. */
static PyObject *
value_at(lg__heap_walk *walk, PyObject *object, const lg__number_at *at)
{
    if (at->name == NULL)
        return NULL;
    return at->offset != 0 ? *(PyObject **)((char *)object + at->offset)
                           : lg__instance_find(walk, object, at->name);
}

/** Returns the number that an instance has there; -1: it has none. */
static Py_ssize_t
number_at(lg__heap_walk *walk, PyObject *object, const lg__number_at *at)
{
    int overflow = 0;
    PyObject *value = value_at(walk, object, at);
    if (value == NULL || !PyLong_CheckExact(value))
        return -1;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0 ? (Py_ssize_t)number : -1;
}

/*
 * Reads when the timers of asyncio, of sched and of APScheduler are due.
 *
 * A queue of timers stops growing once the first ones are due: each leaves
 * then, whether anybody asks for it or not. So the time until the last one is
 * due limits the queue as a lifetime limits a cache.
 *
 * A sleeping task has a timer, too. When that timer leaves, the task goes on
 * and may sleep again, so tasks that never end would look like timers. A queue
 * tells nothing if more than a few of its timers wake tasks or belong to jobs
 * that run again.
 */

/** The capture reads at most TIMERS_MOST timers of a process. Of the timers of
 * a queue, at most one in FOR_EACH_AGAIN may come again. */
enum { TIMERS_MOST = 1 << 17, FOR_EACH_AGAIN = 8 };

/** The monotonic clock says less than this, and the time since 1970 more. */
static const double SECONDS_MOST = 1e9;

/** A type whose instances have their queue of timers in that attribute. */
typedef struct queue_owner {
    const char *type;
    const char *attribute;
} queue_owner;

static const queue_owner owners[] = {
    {"asyncio.base_events.BaseEventLoop", "_scheduled"},
    {"sched.scheduler", "_queue"},
    {"apscheduler.jobstores.memory.MemoryJobStore", "_jobs"},
};

static bool
is_type(const lg__heap_walk *walk, PyTypeObject *type, const char *text)
{
    lg__name name;
    const char *last = strrchr(text, '.') + 1;
    if (strcmp(type->tp_name, last) != 0)
        return false;
    lg__type_name(walk, type, &name);
    return name.length == strlen(text) &&
           memcmp(name.data, text, name.length) == 0;
}

/** Returns in which attribute instances of a type have their queue of timers;
 *  NULL: they have none. */
static const char *
timers_attribute(const lg__heap_walk *walk, PyTypeObject *type)
{
    for (; type != NULL && lg__type_is_pythons(type); type = type->tp_base)
        for (size_t i = 0; i < LG__COUNT(owners); i++)
            if (is_type(walk, type, owners[i].type))
                return owners[i].attribute;
    return NULL;
}

/** Returns the object in a slot of a timer; NULL: there is none. A type of C
 * code may have another member by that name. */
static PyObject *
in_slot(PyObject *timer, const char *name)
{
    PyMemberDef member;
    for (PyTypeObject *base = Py_TYPE(timer); base != NULL;
         base = base->tp_base)
        for (size_t i = 0; lg__member_at(base, i, &member); i++)
            if (strcmp(member.name, name) == 0)
                return member.type == T_OBJECT_EX
                           ? *(PyObject **)((char *)timer + member.offset)
                           : NULL;
    return NULL;
}

/** Returns the job of a timer of APScheduler, which is a tuple of the job and
 *  the time; NULL: it is none. */
static PyObject *
job_of(PyObject *timer)
{
    PyObject *job = PyTuple_CheckExact(timer) && PyTuple_GET_SIZE(timer) == 2
                        ? PyTuple_GET_ITEM(timer, 0)
                        : NULL;
    return job != NULL && strcmp(Py_TYPE(job)->tp_name, "Job") == 0 ? job
                                                                    : NULL;
}

/** Returns when a timer is due: an asyncio.TimerHandle, or a sched.Event, which
 *  is a tuple; a negative number: unknown. */
static double
due_of(PyObject *timer)
{
    PyObject *due = !PyTuple_Check(timer)          ? in_slot(timer, "_when")
                    : PyTuple_GET_SIZE(timer) == 0 ? NULL
                    : job_of(timer) != NULL        ? PyTuple_GET_ITEM(timer, 1)
                                                   : PyTuple_GET_ITEM(timer, 0);
    return due != NULL && PyFloat_CheckExact(due) ? PyFloat_AS_DOUBLE(due) : -1;
}

/** Returns whether a job runs at its time only. */
static bool
runs_once(PyObject *job)
{
    PyObject *trigger = in_slot(job, "trigger");
    return trigger != NULL &&
           strcmp(Py_TYPE(trigger)->tp_name, "DateTrigger") == 0;
}

/** Returns whether a timer ends the sleep of a task (asyncio/futures.py), or
 *  belongs to a job that runs again. */
static bool
comes_again(PyObject *timer)
{
    PyObject *job = job_of(timer);
    if (job != NULL)
        return !runs_once(job);
    PyObject *callback =
        PyTuple_Check(timer) ? NULL : in_slot(timer, "_callback");
    return callback != NULL && PyFunction_Check(callback) &&
           lg__str_equals(((PyFunctionObject *)callback)->func_name,
                          "_set_result_unless_cancelled");
}

/** Returns the present time of the clock that a due time belongs to. */
static double
clock_of(double due)
{
    struct timespec now;
    clock_gettime(due > SECONDS_MOST ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/** Rounds up to two digits, so that snapshots of one queue say the same. */
static Py_ssize_t
rounded_up(double number)
{
    Py_ssize_t unit = 1;
    while (number / (double)unit > 100)
        unit *= 10;
    return ((Py_ssize_t)number / unit + 1) * unit;
}

/** Returns the milliseconds until the last timer of a queue leaves, rounded up
 * to two digits; -1: unknown, because too many of them come again,
 * all timers are overdue, or the walk has read enough of them. */
static Py_ssize_t
timers_end_within(lg__heap_walk *walk, const PyObject *queue)
{
    const Py_ssize_t count = PyList_CheckExact(queue) ? Py_SIZE(queue) : 0;
    Py_ssize_t again = 0;
    double last = -1;
    if (count == 0 || count > TIMERS_MOST - walk->timers_read || walk->partial)
        return -1;
    walk->timers_read += count;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *timer = PyList_GET_ITEM(queue, i);
        double due = timer != NULL ? due_of(timer) : -1;
        if (due < 0)
            return -1;
        last = due > last ? due : last;
        again += comes_again(timer);
    }
    double left = (last - clock_of(last)) * 1e3;
    return FOR_EACH_AGAIN * again <= count && left > 0 && left < INT32_MAX
               ? rounded_up(left)
               : -1;
}

/** Returns whether the instance that has the queue also has an index of it. */
static bool
have_index(const PyObject *queue)
{
    return PyList_GET_SIZE(queue) > 0 && PyList_GET_ITEM(queue, 0) != NULL &&
           job_of(PyList_GET_ITEM(queue, 0)) != NULL;
}

/** Notes after which time the queue of timers of an instance is empty, and an
 *  index of these. */
static void
note_timers(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
{
    PyObject *queue = value_at(walk, object, &info->timers);
    if (queue != NULL && PyList_CheckExact(queue))
        lg__limits_note_number(walk, have_index(queue) ? object : queue,
                               "lifetime", timers_end_within(walk, queue));
}

/** Learns from an instance where those of its type have what limits them. */
static void
learn_limits(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
{
    lg__type_info *known = info->learns_limit || info->learns_bounds
                               ? lg__walk_type_info(walk, info->type)
                               : NULL;
    if (known != NULL && info->learns_limit)
        lg__type_learn_limit(known, object);
    if (known != NULL && info->learns_bounds) {
        lg__bounds_find_methods(walk, known);
        known->timers.name = timers_attribute(walk, info->type);
    }
}

/** Notes the limit of an instance, what it has used of it, and after which time
 *  its elements leave. */
static void
note_numbers(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
{
    Py_ssize_t limit = number_at(walk, object, &info->limit);
    bool asks = limit <= 0 && info->bounding_count > 0;
    if ((limit <= 0 && !asks) || walk->limits >= LIMITS_MOST)
        return;
    walk->limits++;
    if (asks)
        lg__bounds_note_instance(walk, object, info);
    PyObject *lifetime = value_at(walk, object, &info->lifetime);
    if (lifetime != NULL)
        lg__limits_note_number(walk, object, "lifetime",
                               lg__milliseconds_of(lifetime));
    lg__limits_note_number(walk, object, "limit", limit);
    lg__limits_note_number(walk, object, "used",
                           number_at(walk, object, &info->used));
}

void
lg__limits_note_instance(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info)
{
    learn_limits(walk, object, info);
    note_timers(walk, object, info);
    note_numbers(walk, object, info);
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

/** Notes the limits of the dicts in a module that has a number for them: as
 *  `re` has `_MAXCACHE` for its `_cache`. */
static void
note_module(lg__heap_walk *walk, PyObject *module)
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
            lg__limits_note_number(walk, value, "maxlen", limit->most);
    }
}

/** The beginning of a deque (Modules/_collectionsmodule.c, 3.9 to 3.15). */
typedef struct deque_layout {
    PyObject_VAR_HEAD void *left_block;
    void *right_block;
    Py_ssize_t left_index;
    Py_ssize_t right_index;
    size_t state;
    Py_ssize_t maxlen;
} deque_layout;

/** Notes the limit of a deque. */
static void
note_maxlen(lg__heap_walk *walk, PyObject *object)
{
    lg__limits_note_number(walk, object, "maxlen",
                           ((deque_layout *)object)->maxlen);
}

void
lg__limits_note(lg__heap_walk *walk, PyObject *object,
                const lg__type_info *info)
{
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_DEQUE:
        if (lg__known_is(&walk->known, info->type, LG__KNOWN_DEQUE))
            note_maxlen(walk, object);
        break;
    case LG__SHAPE_MODULE:
        note_module(walk, object);
        break;
    case LG__SHAPE_FUNCTION:
        lg__bounds_note_function(walk, object);
        break;
    case LG__SHAPE_TYPE:
        lg__bounds_note_class(walk, (PyTypeObject *)object);
        break;
    default:
        break;
    }
}
