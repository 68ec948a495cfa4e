/**
 * Reads when the timers of asyncio and of sched are due.
 *
 * A queue of timers stops growing once the first ones are due: each leaves
 * then, whether anybody asks for it or not. So the time until the last one is
 * due limits the queue as a lifetime limits a cache.
 *
 * A sleeping task has a timer, too. When that timer leaves, the task goes on
 * and may sleep again, so tasks that never end would look like timers. A queue
 * tells nothing if more than a few of its timers wake tasks.
 */
#include "capture/walk/timers.h"
#include "capture/common/capture_common.h"

#include <string.h>
#include <time.h>

/** The capture reads at most TIMERS_MOST timers of a process. Of the timers of
 * a queue, at most one in FOR_EACH_SLEEPER may wake a task. */
enum { TIMERS_MOST = 1 << 17, FOR_EACH_SLEEPER = 8 };

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

const char *
lg__timers_attribute(const lg__heap_walk *walk, PyTypeObject *type)
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

/** Returns when a timer is due: an asyncio.TimerHandle, or a sched.Event, which
 *  is a tuple; a negative number: unknown. */
static double
due_of(PyObject *timer)
{
    PyObject *due = !PyTuple_Check(timer)          ? in_slot(timer, "_when")
                    : PyTuple_GET_SIZE(timer) == 0 ? NULL
                                                   : PyTuple_GET_ITEM(timer, 0);
    return due != NULL && PyFloat_CheckExact(due) ? PyFloat_AS_DOUBLE(due) : -1;
}

/** Returns whether a timer ends the sleep of a task (asyncio/futures.py). */
static bool
wakes(PyObject *timer)
{
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

Py_ssize_t
lg__timers_end_within(lg__heap_walk *walk, const PyObject *queue)
{
    const Py_ssize_t count = PyList_CheckExact(queue) ? Py_SIZE(queue) : 0;
    Py_ssize_t sleepers = 0;
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
        sleepers += wakes(timer);
    }
    double left = (last - clock_of(last)) * 1e3;
    return FOR_EACH_SLEEPER * sleepers <= count && left > 0 && left < INT32_MAX
               ? rounded_up(left)
               : -1;
}
