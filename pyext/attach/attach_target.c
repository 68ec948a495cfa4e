#include "attach/attach_target.h"
#include "attach/frozen.h"
#include "capture/run/capture_run.h"

#include <leakgraph/internal/writing.h>

#include <cpuid.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** How long a program may take to be loaded. */
#define LOAD_TRIES 200
#define EXEC_TRIES 20
/** How long another program may trace it: a visit needs a fraction of that. */
#define TRACER_TRIES 200
#define LOAD_NANOSECONDS 5000000L
/** What the library and those that it needs take, and a little more. If the
 *  loader of glibc cannot map a library whole, it leaves a part in the process.
 */
#define NEEDED_SPACE ((uint64_t)16 << 20)
#define NEEDED_DATA ((uint64_t)2 << 20)
#define NEEDED_MAPPINGS 64
/** How many descriptors leakgraph may open in a process at a time. */
#define LEAST_DESCRIPTORS 8
/** How often a process may start another program while this looks at it. */
#define LOOKS 5
/** More is not searched for the handlers of signals. */
#define MOST_VARIABLES ((uint64_t)64 << 20)

/** The facts in /proc/PID/status. */
typedef struct facts {
    char state;
    int parent;
    int threads;
    int tracer;
    int seccomp;
    bool shadow_stack;
    char name[32];
} facts;

static bool
read_facts(int process, facts *out)
{
    char path[64], line[512];
    *out = (facts){.state = '?'};
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "Name: %31[^\n]", out->name);
        sscanf(line, "State: %c", &out->state);
        sscanf(line, "PPid: %d", &out->parent);
        sscanf(line, "Threads: %d", &out->threads);
        sscanf(line, "TracerPid: %d", &out->tracer);
        sscanf(line, "Seccomp: %d", &out->seccomp);
        if (strncmp(line, "x86_Thread_features:", 20) == 0)
            out->shadow_stack = strstr(line, "shstk") != NULL;
    }
    fclose(file);
    return true;
}

/** How often to read them again. The first thread has ended and others go on:
 *  one of those may be about to take its place, with another program. Or
 *  somebody traces it: perhaps another leakgraph, for an instant. */
static int
tries_for(const facts *known)
{
    if (known->state == 'Z' && known->threads > 1)
        return EXEC_TRIES;
    return known->tracer != 0 ? TRACER_TRIES : 0;
}

static bool
read_settled_facts(int process, facts *out)
{
    for (int i = 0; read_facts(process, out) && i < tries_for(out); i++)
        nanosleep(&(struct timespec){0, LOAD_NANOSECONDS}, NULL);
    return out->state != '?';
}

int
lg__target_tracer(int process)
{
    facts known;
    read_facts(process, &known);
    return known.tracer;
}

bool
lg__target_is_stopped(int process)
{
    facts known;
    return read_facts(process, &known) && known.state == 'T';
}

/** Whether the files of the process are root's. Those of one that makes no core
 *  file are, whoever runs it; its folder is not. */
static bool
belongs_to_root(int process)
{
    char path[64];
    struct stat file;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    return stat(path, &file) == 0 && file.st_uid == 0;
}

lg_status
lg__target_explain(int process, int code, lg_error *err)
{
    char path[64];
    struct stat owner = {0};
    uint64_t scope = 0;
    lg__remote_number("/proc/sys/kernel/yama/ptrace_scope", "", 10, &scope);
    snprintf(path, sizeof path, "/proc/%d", process);
    stat(path, &owner);
    if (geteuid() != 0 && owner.st_uid != geteuid())
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d belongs to another user: attach as "
                            "that user or as root",
                            process);
    if (geteuid() != 0 && belongs_to_root(process))
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d lets only root look (PR_SET_DUMPABLE): "
                            "attach as root",
                            process);
    if (scope >= 3)
        return lg_error_set(
            err, LG_EUNSUPPORTED,
            "this system allows nobody to attach (it has "
            "kernel.yama.ptrace_scope=3 until it is restarted)");
    if (scope >= 1)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "this system allows only root to attach: use sudo, "
                            "or run sysctl kernel.yama.ptrace_scope=0");
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "the system does not let process %d be traced (%s): in "
                        "a container, that needs the capability SYS_PTRACE",
                        process, strerror(code));
}

/** What the process allows itself; UINT64_MAX: all. */
typedef struct limits {
    uint64_t files;
    uint64_t stack; /**< bytes of it */
    uint64_t space; /**< bytes of all mappings together */
    uint64_t data;  /**< bytes of those that it alone may write to */
} limits;

/** Reads them from a list that everybody may read. prlimit() tells only who has
 *  the user of the process or CAP_SYS_RESOURCE, which the root of a container
 *  lacks. */
static limits
read_limits(int process)
{
    char path[64], line[128];
    limits found = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    snprintf(path, sizeof path, "/proc/%d/limits", process);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file)) {
        sscanf(line, "Max open files %" SCNu64, &found.files);
        sscanf(line, "Max stack size %" SCNu64, &found.stack);
        sscanf(line, "Max address space %" SCNu64, &found.space);
        sscanf(line, "Max data size %" SCNu64, &found.data);
    }
    if (file != NULL)
        fclose(file);
    return found;
}

bool
lg__target_lacks_descriptors(int process)
{
    char path[64];
    uint64_t used = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", process);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    while (readdir(folder) != NULL)
        used++;
    closedir(folder);
    return read_limits(process).files < used + LEAST_DESCRIPTORS;
}

bool
lg__target_sees(int process, const char *path)
{
    char theirs[LG__PATH_BYTES + 32];
    struct stat ours, seen;
    snprintf(theirs, sizeof theirs, "/proc/%d/root%s", process, path);
    return stat(path, &ours) == 0 && stat(theirs, &seen) == 0 &&
           ours.st_ino == seen.st_ino && ours.st_dev == seen.st_dev;
}

/** `risked`: attach although a filter may end the process. */
static lg_status
check_filter(int process, int seccomp, bool risked, lg_error *err)
{
    if (seccomp == 1)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d is in seccomp's strict mode, in which "
                            "it can only read, write and exit",
                            process);
    if (seccomp && !risked)
        return lg_error_set(
            err, LG_EUNSUPPORTED,
            "a seccomp filter may end process %d when it is attached to: if "
            "the filter refuses calls, as Docker's does, and ends no process "
            "for them, add --filtered",
            process);
    return LG_OK;
}

/** Whether the stub can keep all registers of this processor. */
static bool
has_known_registers(void)
{
    unsigned size = 0, unused[3];
    return __get_cpuid_count(0xd, 0, &unused[0], &size, &unused[1],
                             &unused[2]) &&
           size > 0 && size <= LG__REGION_VECTORS;
}

static lg_status
check_facts(lg__attach_target *self, bool risked, lg_error *err)
{
    facts known;
    int process = self->remote.process;
    bool found = process > 0 && read_settled_facts(process, &known);
    if (found && known.state == 'Z' && known.threads > 1)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "the first thread of process %d has ended, and "
                            "attach needs it: use leakgraph run",
                            process);
    if (!found || known.state == 'Z' || known.state == 'X')
        return lg_error_set(err, LG_ENOTFOUND, "there is no process %d",
                            process);
    if (process == getpid())
        return lg_error_set(err, LG_EINVAL,
                            "process %d is this one: use save_snapshot()",
                            process);
    if (known.tracer != 0)
        return lg__outcome_explain(LG__TRACED, process, known.tracer, 0, err);
    if (known.state == 'T' || known.state == 't')
        return lg__outcome_explain(LG__STOPPED, process, 0, 0, err);
    if (lg__process_is_frozen(process))
        return lg__outcome_explain(LG__FROZEN, process, 0, 0, err);
    if (known.shadow_stack)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d has a shadow stack: start it without, "
                            "or use leakgraph run",
                            process);
    if (!has_known_registers())
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "this processor has registers that leakgraph does "
                            "not know how to keep: use leakgraph run");
    self->filtered = known.seccomp != 0;
    return check_filter(process, known.seccomp, risked, err);
}

static const lg__offsets versions[] = {
    {9, false, false, 80, 344, 0, 0, 0, 0},
    {10, false, false, 80, 344, 0, 0, 0, 0},
    {11, false, false, 112, 352, 0, 0, 0, 0},
    {12, true, false, 2024, 480, 16, 0, 0, 0},
    {13, true, true, 2648, 1096, 16, 0, 0, 0},
    {14, true, true, 2856, 1272, 16, 712, 10640, 10912},
    {15, true, true, 2984, 1400, 16, 840, 10760, 10888},
};

/** NULL: unknown. */
static const lg__offsets *
offsets_of(unsigned minor)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].minor == minor)
            return &versions[i];
    return NULL;
}

/** Finds the minor version by the functions that came with it, because old
 *  versions have no symbol that says it. */
static unsigned
find_minor(const lg__remote *remote, const lg__remote_images *images)
{
    unsigned version = 0;
    lg__remote_place place = lg__remote_find(remote, images, "Py_Version");
    if (place.address &&
        lg__remote_read(remote, place.address, &version, sizeof version))
        return version >> 16 & 0xff;
    if (lg__remote_find(remote, images, "Py_NewRef").address)
        return 10;
    return lg__remote_find(remote, images, "PyObject_CallNoArgs").address ? 9
                                                                          : 8;
}

bool
lg__are_handlers(const lg__handler_row rows[LG__SIGNALS])
{
    uint64_t usual = rows[SIGKILL - 1].handler;
    uint64_t foreign = rows[LG__FIRST_OF_LIBRARY - 1].handler;
    if (usual == 0 || foreign == usual ||
        rows[LG__FIRST_OF_LIBRARY].handler != foreign ||
        rows[SIGSTOP - 1].handler != usual)
        return false;
    for (size_t i = 0; i < LG__SIGNALS; i++)
        if (rows[i].tripped > 1)
            return false;
    return true;
}

/** Whether most signals have the same handler as SIGKILL. */
static bool
are_mostly_usual(const lg__handler_row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < LG__SIGNALS; i++)
        count += rows[i].handler == rows[SIGKILL - 1].handler;
    return count > LG__SIGNALS / 2;
}

/** The only place in `words` where the rows of all signals are. Returns `count`
 *  if there is none, or another one. */
static size_t
search_handlers(const uint64_t *words, size_t count)
{
    const size_t row_words = sizeof(lg__handler_row) / sizeof *words;
    size_t found = count;
    for (size_t i = 0; i + LG__SIGNALS * row_words <= count; i++) {
        const lg__handler_row *rows = (const void *)(words + i);
        if (!lg__are_handlers(rows) || !are_mostly_usual(rows))
            continue;
        if (found != count)
            return count;
        found = i;
    }
    return found;
}

/** The part of a file that has an address, variables (PF_W) or code (PF_X);
 *  size 0: no file. */
static lg__remote_place
part_around(const lg__remote *remote, const lg__remote_images *images,
            uint64_t address, uint32_t rights)
{
    for (size_t i = 0; i < images->count; i++) {
        lg__remote_headers headers;
        const lg__remote_image *image = &images->items[i];
        if (!image->loaded ||
            !lg__remote_headers_read(remote, image->start, &headers))
            continue;
        for (size_t j = 0; j < headers.count; j++) {
            const Elf64_Phdr *part = &headers.items[j];
            uint64_t start = headers.bias + part->p_vaddr;
            if (part->p_type == PT_LOAD && (part->p_flags & rights) &&
                address - start < part->p_memsz)
                return (lg__remote_place){start, part->p_memsz};
        }
    }
    return (lg__remote_place){0, 0};
}

/** Searches the variables of the file that has the state of Python. */
static uint64_t
search_file_for_handlers(const lg__attach_target *self,
                         const lg__remote_images *images)
{
    lg__remote_place all =
        part_around(&self->remote, images, self->runtime, PF_W);
    if (all.size == 0 || all.size > MOST_VARIABLES)
        return 0;
    uint64_t address = 0, *words = malloc(all.size);
    if (words != NULL &&
        lg__remote_read(&self->remote, all.address, words, all.size)) {
        size_t count = all.size / sizeof *words;
        size_t at = search_handlers(words, count);
        address = at < count ? all.address + at * sizeof *words : 0;
    }
    free(words);
    return address;
}

/** Since CPython 3.12, they are in the state that all interpreters share. */
static uint64_t
find_handlers(const lg__attach_target *self, const lg__remote_images *images)
{
    const lg__offsets *at = self->offsets;
    if (at == NULL || self->runtime == 0)
        return 0;
    return at->stride == sizeof(lg__handler_row)
               ? self->runtime + at->signals
               : search_file_for_handlers(self, images);
}

static lg_status
explain_stranger(int process, const lg__remote_images *images, lg_error *err)
{
    facts known;
    read_facts(process, &known);
    if (lg__remote_has(images, "python") || lg__remote_has(images, "libpython"))
        return lg_error_set(
            err, LG_EUNSUPPORTED,
            "the loader of process %d has loaded no Python that "
            "names its functions (it is static, stripped, or "
            "emulated): use leakgraph run",
            process);
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "process %d (%s) does not run CPython", process,
                        known.name);
}

static lg_status
check_python(lg__attach_target *self, const lg__remote_images *images,
             lg_error *err)
{
    const lg__remote *remote = &self->remote;
    int process = remote->process;
    if (lg__remote_has(images, "ld-musl"))
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d uses musl, and leakgraph needs glibc",
                            process);
    if (!lg__remote_find(remote, images, "Py_AddPendingCall").address)
        return explain_stranger(process, images, err);
    if (lg__remote_find(remote, images, "_Py_MergeZeroLocalRefcount").address)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d is a free-threaded Python, which "
                            "cannot be captured in a forked child: use "
                            "leakgraph run",
                            process);
    self->minor = find_minor(remote, images);
    self->offsets = offsets_of(self->minor);
    if (self->minor < 9)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d runs a Python older than 3.9", process);
    return LG_OK;
}

/** Since CPython 3.13, it is public. */
static uint64_t
find_current_state(const lg__remote *remote, const lg__remote_images *images)
{
    lg__remote_place place =
        lg__remote_find(remote, images, "PyThreadState_GetUnchecked");
    if (place.address == 0)
        place = lg__remote_find(remote, images, "_PyThreadState_UncheckedGet");
    return place.address;
}

/** Finds the functions that the bootstrap calls; false if one is missing. */
static bool
find_functions(lg__attach_target *self, const lg__remote_images *images)
{
    lg__bootstrap *bootstrap = &self->bootstrap;
    const struct {
        const char *name;
        void *pointer;
    } wanted[] = {
        {"dlopen", &bootstrap->open},
        {"dlsym", &bootstrap->find},
        {"dlclose", &bootstrap->close},
        {"dlerror", &bootstrap->complaint},
        {"__errno_location", &bootstrap->error_number},
        {"Py_IsInitialized", &bootstrap->is_initialized},
        {"PyInterpreterState_Main", &bootstrap->main_interpreter},
        {"PyGILState_GetThisThreadState", &bootstrap->thread_state},
        {"PyGILState_Check", &bootstrap->holds_gil},
        {"PyGILState_Ensure", &bootstrap->take_gil},
        {"PyGILState_Release", &bootstrap->release_gil},
        {"Py_AddPendingCall", &bootstrap->add_pending},
        {"munmap", &bootstrap->unmap},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        lg__remote_place place =
            lg__remote_find(&self->remote, images, wanted[i].name);
        if (place.address == 0)
            return false;
        memcpy(wanted[i].pointer, &place.address, sizeof place.address);
    }
    uint64_t current = find_current_state(&self->remote, images);
    memcpy(&bootstrap->current_state, &current, sizeof current);
    self->runtime =
        lg__remote_find(&self->remote, images, "_PyRuntime").address;
    self->handlers = find_handlers(self, images);
    self->code = part_around(
        &self->remote, images,
        lg__remote_find(&self->remote, images, "Py_AddPendingCall").address,
        PF_X);
    self->waits[0] =
        lg__remote_find(&self->remote, images, "PyThread_acquire_lock_timed");
    self->waits[1] =
        lg__remote_find(&self->remote, images, "_PySemaphore_Wait");
    return current != 0;
}

/** Whether the loader has something under way. That of glibc tells debuggers
 *  so, but not before it begins with the first library. `patient`: take a
 *  program without a loader, or without the C library, for one that has yet to
 *  get it. */
static bool
is_loading(const lg__remote *remote, const lg__remote_images *images,
           bool patient)
{
    struct r_debug known;
    lg__remote_place place = lg__remote_find(remote, images, "_r_debug");
    if (place.address == 0 ||
        !lg__remote_find(remote, images, "__errno_location").address)
        return patient;
    return lg__remote_read(remote, place.address, &known, sizeof known) &&
           (known.r_version == 0 || known.r_state != RT_CONSISTENT);
}

/** Whether the process is a child of vfork() that has yet to start a program.
 *  What is injected there, its parent would run. */
static bool
shares_memory(int process)
{
    facts known;
    return read_facts(process, &known) && known.parent > 0 &&
           syscall(SYS_kcmp, process, known.parent, KCMP_VM, 0, 0) == 0;
}

/** Reads which files are mapped, once the loader has mapped them all and they
 *  are the process's alone. */
static lg_status
await_images(const lg__remote *remote, lg__remote_images *out, lg_error *err)
{
    lg__outcome obstacle = LG__LOADING;
    for (int i = 0; i < LOAD_TRIES; i++) {
        if (!lg__remote_images_read(remote, out))
            return lg__target_explain(remote->process, EACCES, err);
        obstacle =
            shares_memory(remote->process) ? LG__SHARES_MEMORY
            : out->count == 0 || is_loading(remote, out, i + 1 < LOAD_TRIES)
                ? LG__LOADING
                : LG__VISITED;
        if (obstacle == LG__VISITED)
            return LG_OK;
        lg__remote_images_free(out);
        nanosleep(&(struct timespec){0, LOAD_NANOSECONDS}, NULL);
    }
    return lg__outcome_explain(obstacle, remote->process, 0, 1, err);
}

/** See lg__attach_target. The stack grows until it has the size that the
 *  process allows itself. */
static uint64_t
find_stack_low(const limits *most, const lg__remote_images *images)
{
    uint64_t bottom = 0, start = images->stack_start;
    if (most->stack < images->stack_end)
        bottom = images->stack_end - most->stack;
    return (bottom < start ? bottom : start) + LG__STACK_NEED;
}

/** How many bytes the line of /proc/PID/status says. */
static uint64_t
read_size(int process, const char *line)
{
    char path[64];
    uint64_t kibibytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    lg__remote_number(path, line, 10, &kibibytes);
    return kibibytes << 10;
}

/** Whether the process may take too little more of something for the loader to
 *  load the library, or for the smallest child. What a child takes, the library
 *  asks there. */
static lg_status
check_room(int process, const limits *most, const lg__remote_images *images,
           lg_error *err)
{
    uint64_t mappings = UINT64_MAX;
    const char *full = NULL;
    lg__remote_number("/proc/sys/vm/max_map_count", "", 10, &mappings);
    if (read_size(process, "VmSize:") + NEEDED_SPACE > most->space)
        full = "much memory as it may (ulimit -v)";
    else if (read_size(process, "VmData:") + NEEDED_DATA > most->data)
        full = "much data as it may (ulimit -d)";
    else if (images->mappings + NEEDED_MAPPINGS > mappings)
        full = "many mappings as it may (vm.max_map_count)";
    lg__group_room room;
    lg__group_room_read("", process, &room);
    if (full == NULL)
        return room.bytes < LG__CHILD_LEAST
                   ? lg__group_room_refuse(&room, LG__CHILD_LEAST, "", err)
                   : LG_OK;
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "process %d has almost as %s: raise that limit (with "
                        "prlimit or sysctl) and attach again",
                        process, full);
}

/** See lg__attach_target. glibc says so since 2.35. */
static int64_t
find_sequences(const lg__remote *remote, const lg__remote_images *images)
{
    int64_t offset = 0;
    uint32_t used = 0;
    lg__remote_place where = lg__remote_find(remote, images, "__rseq_offset");
    lg__remote_place size = lg__remote_find(remote, images, "__rseq_size");
    if (where.address == 0 || size.address == 0 ||
        !lg__remote_read(remote, size.address, &used, sizeof used) ||
        used == 0 ||
        !lg__remote_read(remote, where.address, &offset, sizeof offset))
        return 0;
    return offset;
}

/** `any`: even a program other than Python. */
static lg_status
look(lg__attach_target *self, bool any, const lg__remote_images *images,
     lg_error *err)
{
    const int process = self->remote.process;
    const limits most = read_limits(process);
    self->stack_end = images->stack_end;
    self->stack_low = find_stack_low(&most, images);
    self->sequences = find_sequences(&self->remote, images);
    lg_status status = any ? LG_OK : check_python(self, images, err);
    if (status == LG_OK && !any && !find_functions(self, images))
        status = lg_error_set(err, LG_EUNSUPPORTED,
                              "process %d cannot load libraries, or names none "
                              "of its functions: use leakgraph run",
                              process);
    if (status == LG_OK && !any)
        status = check_room(process, &most, images, err);
    if (status == LG_OK && !lg__rooms_find(&self->remote, images, &self->rooms))
        status = lg__target_explain(self->remote.process, EACCES, err);
    return status;
}

/** Looks at the program that the process runs; `replaced`: it runs another one
 *  by now. */
static lg_status
look_once(lg__attach_target *self, bool any, bool *replaced, lg_error *err)
{
    char byte;
    lg__remote_images images;
    int process = self->remote.process;
    int code = lg__remote_open(process, &self->remote);
    *replaced = false;
    if (code == ESRCH)
        return lg_error_set(err, LG_ENOTFOUND,
                            "process %d has no program: it has ended, or is a "
                            "thread of the kernel",
                            process);
    if (code != 0)
        return lg__target_explain(process, code, err);
    lg_status status = await_images(&self->remote, &images, err);
    if (status == LG_OK) {
        status = look(self, any, &images, err);
        *replaced =
            !lg__remote_read(&self->remote, images.items[0].start, &byte, 1);
        lg__remote_images_free(&images);
    }
    if (status != LG_OK || *replaced)
        lg__remote_close(&self->remote);
    return status;
}

lg_status
lg__attach_target_find(int process, bool filtered, bool any,
                       lg__attach_target *out, lg_error *err)
{
    lg__attach_target self = {.remote = {.process = process}};
    bool replaced = true;
    lg_status status = check_facts(&self, filtered, err);
    for (int i = 0; i < LOOKS && status == LG_OK && replaced; i++) {
        status = look_once(&self, any, &replaced, err);
        if (replaced)
            status = LG_OK;
    }
    if (status == LG_OK && replaced)
        status = lg__outcome_explain(LG__REPLACED, process, 0, 0, err);
    if (status == LG_OK)
        *out = self;
    return status;
}

void
lg__attach_target_close(lg__attach_target *self)
{
    lg__remote_close(&self->remote);
}
