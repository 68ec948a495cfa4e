/** The stacks of this process's threads. */
#include "bytes/python/process.h"
#include "capture/memory/capture_memory.h"

#include <Python.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_THREADS = 1 << 16 };

/* proc(5): "202 0x7f.. ... 0x7ffc0df64718 0x7fa1e84df2ad": a system call, its
   arguments, the stack pointer and the program counter; or "running". */
static uintptr_t
stack_pointer(const char *thread)
{
    char path[64];
    unsigned long pointer = 0;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/syscall", thread);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "-1 %lx", &pointer) != 1) {
        rewind(file);
        if (fscanf(file, "%*d %*s %*s %*s %*s %*s %*s %lx", &pointer) != 1)
            pointer = 0;
    }
    fclose(file);
    return pointer;
}

static int
ascending(const void *left, const void *right)
{
    const lg__stack_pointer *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static bool
add(lg__stack_pointers *out, lg__stack_pointer pointer)
{
    if (out->count == out->room) {
        size_t room = 2 * out->room + 32;
        lg__stack_pointer *grown = realloc(out->items, room * sizeof *grown);
        if (grown == NULL)
            return false;
        out->items = grown;
        out->room = room;
    }
    out->items[out->count++] = pointer;
    return true;
}

/* The kernel names the main thread's stack, and Python numbers it first. */
void
lg__stack_pointers_of_python(lg__stack_pointers *out)
{
#ifndef Py_GIL_DISABLED
    PyInterpreterState *interpreter = PyThreadState_Get()->interp;
    PyThreadState *thread = PyInterpreterState_ThreadHead(interpreter);
    while (thread != NULL && out->count < MOST_THREADS &&
           (thread->id == 1 ||
            add(out, (lg__stack_pointer){thread->thread_id, true})))
        thread = thread->next;
#else
    (void)out;
#endif
}

void
lg__stack_pointers_read(lg__stack_pointers *out)
{
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *at; threads != NULL && out->count < MOST_THREADS &&
                            (at = readdir(threads)) != NULL;) {
        uintptr_t pointer =
            at->d_name[0] != '.' ? stack_pointer(at->d_name) : 0;
        if (pointer != 0 && !add(out, (lg__stack_pointer){pointer, false}))
            break;
    }
    if (threads != NULL)
        closedir(threads);
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, ascending);
}

static uintptr_t
longest_stack(void)
{
    const uintptr_t usual = (uintptr_t)8 << 20;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > 8 * usual)
        return usual;
    return limit.rlim_cur > usual / 8 ? limit.rlim_cur : usual / 8;
}

uint64_t
lg__stack_bytes(const lg__stack_pointers *pointers, uintptr_t start,
                uintptr_t end)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t longest = longest_stack() & ~(page - 1);
    uint64_t bytes = 0;
    for (size_t i = 0; i < pointers->count; i++) {
        uintptr_t at = pointers->items[i].at;
        if (at < start || at >= end)
            continue;
        bool begins_here = at - start < longest;
        uintptr_t used = pointers->items[i].is_end ? at - longest : at;
        uintptr_t from = begins_here ? start : used & ~(page - 1);
        uintptr_t to = end - from < longest ? end : from + longest;
        bytes += lg__pages_resident(from, to);
        start = to;
    }
    return bytes;
}
