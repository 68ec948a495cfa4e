/**
 * When memory runs out in a group or on the machine, the kernel chooses a
 * process there. Of the groups from that of the process up to where memory ran
 * out, it kills the highest that is to end as one
 * (mem_cgroup_get_oom_group() of Linux). So a limit ends a group whole if the
 * group that has it, or one below it on the way, is to end as one.
 */
#include "capture/run/group_room.h"
#include "bytes/python/bytes_python.h"

#include <leakgraph/internal/writing.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** What a capture takes for each block of pymalloc, and the share of what
 *  malloc has in use, which has the bigger objects. A block of malloc has a
 *  hundred bytes or more in most programs, and one that is listed takes up to
 *  95. */
enum { PER_BLOCK = 120, MALLOC_SHARE = 6, NATIVE_SHARE = 1 };
/** A child looks a hundred times a second how much is left, and may take a part
 * of this between two looks, as its parent may. */
#define LEAST_LEFT ((uint64_t)8 << 20)
#define LOOK_SECONDS 0.01
/** A child has page tables of its own: 8 bytes for each page of 4 KiB. */
enum { PAGE_TABLE_SHARE = 512 };

/** The room, as the groups are looked at from below. */
typedef struct search {
    lg__group_room *room;
    bool ends_whole; /**< a group looked at so far */
} search;

/** What is left of the limit; UINT64_MAX: it has none. The kernel drops the
 *  pages of files that nobody has used for long before it kills. */
static uint64_t
room_below(const lg__group *group, const char *limit)
{
    uint64_t most, used = 0, idle = 0;
    if (!lg__group_number(group, limit, "", &most) ||
        !lg__group_number(group, "memory.current", "", &used))
        return UINT64_MAX;
    lg__group_number(group, "memory.stat", "inactive_file ", &idle);
    used -= idle < used ? idle : used;
    return used < most ? most - used : 0;
}

static void
take_tighter(lg__group_room *room, uint64_t bytes, const char *limit,
             const lg__group *group)
{
    if (bytes < room->bytes)
        *room =
            (lg__group_room){.bytes = bytes, .limit = limit, .group = *group};
}

static bool
look(void *context, const lg__group *group)
{
    static const char *const limits[] = {"memory.max", "memory.high"};
    search *self = context;
    uint64_t whole = 0;
    if (group->version != 2)
        return false;
    lg__group_number(group, "memory.oom.group", "", &whole);
    self->ends_whole |= whole == 1;
    for (size_t i = 0; self->ends_whole && i < sizeof limits / sizeof *limits;
         i++)
        take_tighter(self->room, room_below(group, limits[i]), limits[i],
                     group);
    return true;
}

/** The machine's memory as a number of bytes; UINT64_MAX: unknown. */
static uint64_t
room_of_machine(const char *root)
{
    uint64_t kibibytes;
    lg__group proc = {.version = 2};
    snprintf(proc.folder, sizeof proc.folder, "%s/proc", root);
    return lg__group_number(&proc, "meminfo", "MemAvailable:", &kibibytes)
               ? kibibytes << 10
               : UINT64_MAX;
}

void
lg__group_room_read(const char *root, int process, lg__group_room *out)
{
    static const lg__group machine = {.version = 2};
    search self = {.room = out};
    *out = (lg__group_room){.bytes = UINT64_MAX, .limit = "", .group = machine};
    lg__groups_each(root, process, "memory", look, &self);
    if (self.ends_whole)
        take_tighter(out, room_of_machine(root), "MemAvailable", &machine);
}

bool
lg__group_room_is_short(lg__group_room *self)
{
    if (self->bytes == UINT64_MAX || lg__clock() - self->looked < LOOK_SECONDS)
        return false;
    self->looked = lg__clock();
    return (*self->group.folder ? room_below(&self->group, self->limit)
                                : room_of_machine("")) < LEAST_LEFT;
}

/** The blocks that Python's allocators have given out. Asks no function that
 *  the program has put in the place of Python's own. */
static uint64_t
blocks_in_use(void)
{
    PyObject *ask = PySys_GetObject("getallocatedblocks");
    PyObject *answer =
        ask != NULL && PyCFunction_Check(ask) ? PyObject_CallNoArgs(ask) : NULL;
    const long long blocks = answer != NULL ? PyLong_AsLongLong(answer) : 0;
    Py_XDECREF(answer);
    PyErr_Clear();
    return blocks > 0 ? (uint64_t)blocks : 0;
}

/** What the capture itself takes. */
static uint64_t
need_of_capture(const lg__capture_options *options)
{
    lg__allocator_bytes bytes = {.malloc_used = 0};
    lg__malloc_bytes_read(lg__malloc_cached(), &bytes);
    const uint64_t need = PER_BLOCK * blocks_in_use() +
                          bytes.malloc_used / MALLOC_SHARE +
                          options->native * bytes.malloc_used / NATIVE_SHARE;
    return options->max_bytes > 0 && options->max_bytes < need
               ? options->max_bytes
               : need;
}

uint64_t
lg__child_need(const lg__capture_options *options, bool spill)
{
    return LG__CHILD_LEAST + lg__resident_bytes() / PAGE_TABLE_SHARE +
           (spill ? 0 : need_of_capture(options));
}

lg_status
lg__group_room_refuse(const lg__group_room *self, uint64_t need,
                      const char *advice, lg_error *err)
{
    enum { MEBI = 20, MOST_OF_PATH = 160 };
    const char *folder = self->group.folder;
    return lg_error_set(
        err, LG_EUNSUPPORTED,
        "a snapshot may take %" PRIu64 " MiB, %s%.*s leaves %" PRIu64
        " MiB (%s), and the kernel kills the whole control group when memory "
        "runs out (memory.oom.group): %s%s",
        (need + (1 << MEBI) - 1) >> MEBI,
        *folder ? "the control group " : "the machine", MOST_OF_PATH, folder,
        self->bytes >> MEBI, self->limit,
        *folder ? "raise that limit for a while" : "free memory", advice);
}

lg_status
lg__group_room_check(const lg__capture_options *options, bool spill,
                     lg__group_room *room, lg_error *err)
{
    lg__group_room_read("", 0, room);
    if (room->bytes == UINT64_MAX)
        return LG_OK;
    const uint64_t need = lg__child_need(options, spill);
    if (need <= room->bytes)
        return LG_OK;
    return lg__group_room_refuse(
        room, need,
        spill || options->attached != NULL
            ? ""
            : ", or use save_snapshot() with fork=True and spill=True",
        err);
}
