#include "attach/attach_target.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** The facts in /proc/PID/status. */
typedef struct facts {
    char state;
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
        sscanf(line, "TracerPid: %d", &out->tracer);
        sscanf(line, "Seccomp: %d", &out->seccomp);
        if (strncmp(line, "x86_Thread_features:", 20) == 0)
            out->shadow_stack = strstr(line, "shstk") != NULL;
    }
    fclose(file);
    return true;
}

static int
read_number(const char *path)
{
    int number = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

lg_status
lg__target_explain(int process, int code, lg_error *err)
{
    char path[64];
    struct stat owner = {0};
    int scope = read_number("/proc/sys/kernel/yama/ptrace_scope");
    snprintf(path, sizeof path, "/proc/%d", process);
    stat(path, &owner);
    if (geteuid() != 0 && owner.st_uid != geteuid())
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d belongs to another user: attach as "
                            "that user or as root",
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
            "the filter allows memory, sockets and clone, as Docker's does, "
            "add --filtered",
            process);
    return LG_OK;
}

static lg_status
check_facts(lg__attach_target *self, bool risked, lg_error *err)
{
    facts known;
    int process = self->process;
    if (process <= 0 || !read_facts(process, &known) || known.state == 'Z' ||
        known.state == 'X')
        return lg_error_set(err, LG_ENOTFOUND, "there is no process %d",
                            process);
    if (process == getpid())
        return lg_error_set(err, LG_EINVAL,
                            "process %d is this one: use save_snapshot()",
                            process);
    if (known.tracer != 0)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d is traced by process %d already: end "
                            "that and try again",
                            process, known.tracer);
    if (known.state == 'T' || known.state == 't')
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d is stopped: continue it (kill -CONT "
                            "%d) and try again",
                            process, process);
    if (known.shadow_stack)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d has a shadow stack: start it without, "
                            "or use leakgraph run",
                            process);
    self->filtered = known.seccomp != 0;
    return check_filter(process, known.seccomp, risked, err);
}

/** Finds the minor version by the functions that came with it, because old
 *  versions have no symbol that says it. */
static unsigned
find_minor(int process, const lg__remote_images *images)
{
    unsigned version[2] = {0, 0};
    lg__remote_place place = lg__remote_find(process, images, "Py_Version");
    if (place.address &&
        lg__remote_read(process, place.address, version, sizeof *version))
        return version[0] >> 16 & 0xff;
    if (lg__remote_find(process, images, "Py_NewRef").address)
        return 10;
    return lg__remote_find(process, images, "PyObject_CallNoArgs").address ? 9
                                                                           : 8;
}

static lg_status
explain_stranger(int process, const lg__remote_images *images, lg_error *err)
{
    facts known;
    read_facts(process, &known);
    if (lg__remote_has(images, "python") || lg__remote_has(images, "libpython"))
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "the Python of process %d names none of its "
                            "functions (it is static or stripped): use "
                            "leakgraph run",
                            process);
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "process %d (%s) does not run CPython", process,
                        known.name);
}

static lg_status
check_python(lg__attach_target *self, const lg__remote_images *images,
             lg_error *err)
{
    int process = self->process;
    if (images->count == 0)
        return lg_error_set(err, LG_EUNSUPPORTED, "process %d has no program",
                            process);
    if (lg__remote_has(images, "ld-musl"))
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d uses musl, and leakgraph needs glibc",
                            process);
    if (!lg__remote_find(process, images, "Py_AddPendingCall").address)
        return explain_stranger(process, images, err);
    if (lg__remote_find(process, images, "_Py_MergeZeroLocalRefcount").address)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d is a free-threaded Python, which "
                            "cannot be captured in a forked child: use "
                            "leakgraph run",
                            process);
    self->minor = find_minor(process, images);
    if (self->minor < 9)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d runs a Python older than 3.9", process);
    return LG_OK;
}

/** Finds the functions that the landing calls; false if one is missing. */
static bool
find_functions(lg__attach_target *self, const lg__remote_images *images)
{
    lg__landing *landing = &self->landing;
    const struct {
        const char *name;
        void *pointer;
    } wanted[] = {
        {"dlopen", &landing->open},
        {"dlsym", &landing->find},
        {"dlclose", &landing->close},
        {"dlerror", &landing->complaint},
        {"__errno_location", &landing->error_number},
        {"PyGILState_Check", &landing->holds_gil},
        {"PyGILState_Ensure", &landing->take_gil},
        {"PyGILState_Release", &landing->release_gil},
        {"Py_AddPendingCall", &landing->add_pending},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        lg__remote_place place =
            lg__remote_find(self->process, images, wanted[i].name);
        if (place.address == 0)
            return false;
        memcpy(wanted[i].pointer, &place.address, sizeof place.address);
    }
    self->waits[0] =
        lg__remote_find(self->process, images, "PyThread_acquire_lock_timed");
    self->waits[1] =
        lg__remote_find(self->process, images, "_PySemaphore_Wait");
    self->unmap = lg__remote_find(self->process, images, "munmap").address;
    self->gadget = images->gadget;
    return self->gadget != 0;
}

lg_status
lg__attach_target_find(int process, bool filtered, lg__attach_target *out,
                       lg_error *err)
{
    lg__remote_images images;
    lg__attach_target self = {.process = process};
    lg_status status = check_facts(&self, filtered, err);
    if (status != LG_OK)
        return status;
    if (!lg__remote_images_read(process, &images))
        return lg__target_explain(process, 13, err);
    char word;
    if (images.count > 0 &&
        !lg__remote_read(process, images.items[0].start, &word, 1))
        status = lg__target_explain(process, 1, err);
    if (status == LG_OK)
        status = check_python(&self, &images, err);
    if (status == LG_OK && !find_functions(&self, &images))
        status = lg_error_set(err, LG_EUNSUPPORTED,
                              "process %d cannot load libraries, or names none "
                              "of its functions: use leakgraph run",
                              process);
    lg__remote_images_free(&images);
    if (status == LG_OK)
        *out = self;
    return status;
}
