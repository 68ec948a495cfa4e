#include "attach/errand.h"
#include "attach/filter.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGION                                                                 \
    ((LG__LANDING_CODE + LG__LANDING_DATA + LG__FRAME_BYTES + 4095) & ~4095ul)

uint64_t
lg__plant_landing(const lg__plant *self)
{
    return self->region + LG__LANDING_CODE;
}

static uint64_t
frame_at(const lg__plant *self)
{
    return lg__plant_landing(self) + LG__LANDING_DATA;
}

static uint64_t
code_at(const lg__plant *self, const void *code)
{
    return self->region +
           (uint64_t)((const char *)code - (const char *)lg__landing_start);
}

/** Finds the path of the library, if the process sees the same file there: the
 *  libraries that it needs may lie beside it. */
static void
find_path(lg__plant *self, int library)
{
    char link[32], theirs[LG__PATH_BYTES + 32];
    struct stat ours, seen;
    snprintf(link, sizeof link, "/proc/self/fd/%d", library);
    if (readlink(link, self->path, sizeof self->path - 1) < 0)
        return;
    snprintf(theirs, sizeof theirs, "/proc/%d/root%s", self->target->process,
             self->path);
    if (fstat(library, &ours) != 0 || stat(theirs, &seen) != 0 ||
        ours.st_ino != seen.st_ino || ours.st_dev != seen.st_dev)
        self->path[0] = '\0';
}

/** Has the stopped thread make a system call, which must not fail. */
static lg_status
demand(lg__tracee *tracee, const char *what, long number, const uint64_t *words,
       int64_t *out, lg_error *err)
{
    lg_status status = lg__tracee_call(tracee, number, words, out, err);
    if (status == LG_OK && *out < 0)
        status = lg_error_set(err, LG_EUNSUPPORTED, "process %d cannot %s: %s",
                              tracee->process, what, strerror((int)-*out));
    return status;
}

static lg_status
map_region(lg__plant *self, lg__tracee *tracee, lg_error *err)
{
    const uint64_t words[6] = {0, REGION, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1};
    int64_t address = 0;
    lg_status status =
        demand(tracee, "map memory", SYS_mmap, words, &address, err);
    if (status == LG_OK)
        self->region = (uint64_t)address;
    return status;
}

/** Copies one end of the pair to this process. The kernel's header has the
 * call's number before glibc's has it. */
static lg_status
take_end(int process, int descriptor, int *out, lg_error *err)
{
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    *out =
        handle < 0 ? -1 : (int)syscall(__NR_pidfd_getfd, handle, descriptor, 0);
    int code = errno;
    if (handle >= 0)
        close(handle);
    if (*out >= 0)
        return LG_OK;
    return lg_error_set(err, LG_EUNSUPPORTED, "cannot talk to process %d: %s%s",
                        process, strerror(code),
                        code == ENOSYS ? "; attach needs Linux 5.6" : "");
}

void
lg__plant_close_there(lg__tracee *tracee, int descriptor)
{
    const uint64_t words[6] = {(uint64_t)descriptor};
    lg_error ignored;
    int64_t result;
    lg__tracee_call(tracee, SYS_close, words, &result, &ignored);
}

/** Makes a pair of sockets there, and moves one of them here. */
static lg_status
connect_ends(lg__plant *self, lg__tracee *tracee, lg_error *err)
{
    const uint64_t words[6] = {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
                               lg__plant_landing(self)};
    int64_t result = 0;
    int32_t ends[2];
    lg_status status =
        demand(tracee, "make a socket", SYS_socketpair, words, &result, err);
    if (status != LG_OK)
        return status;
    if (!lg__remote_read(tracee->process, lg__plant_landing(self), ends,
                         sizeof ends))
        return lg_error_set(err, LG_ECHILD, "process %d ended",
                            tracee->process);
    status = take_end(tracee->process, ends[0], &self->socket, err);
    lg__plant_close_there(tracee, ends[0]);
    self->theirs = ends[1];
    return status;
}

static lg_status
send_orders(const lg__plant *self, const lg__orders *orders, int library,
            int file, lg_error *err)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control = {.head = {.cmsg_len = CMSG_LEN(2 * sizeof(int)),
                          .cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)(uintptr_t)orders, sizeof *orders};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.head), (int[]){library, file}, 2 * sizeof(int));
    if (sendmsg(self->socket, &message, MSG_NOSIGNAL) >= 0)
        return LG_OK;
    return lg_error_set(err, LG_EIO, "cannot send to process %d: %s",
                        self->target->process, strerror(errno));
}

/** The number of the process in the innermost of its namespaces. */
static lg_status
ask_number(lg__tracee *tracee, lg__landing *landing, lg_error *err)
{
    const uint64_t none[6] = {0};
    int64_t number = 0;
    lg_status status = lg__tracee_call(tracee, SYS_getpid, none, &number, err);
    landing->process = (int32_t)number;
    return status;
}

/** Writes code and data, and makes the code executable. */
static lg_status
write_landing(lg__plant *self, lg__tracee *tracee, lg__landing *landing,
              lg_error *err)
{
    uint64_t pending =
        code_at(self, (const void *)(uintptr_t)lg__landing_pending);
    memcpy(&landing->pending, &pending, sizeof pending);
    memcpy(landing->entry, LG__ENTRY, sizeof LG__ENTRY);
    memcpy(landing->link, "/proc/self/fd/", sizeof "/proc/self/fd/");
    memcpy(landing->path, self->path, sizeof landing->path);
    size_t size = (size_t)(lg__landing_end - lg__landing_start);
    const uint64_t words[6] = {self->region, LG__LANDING_CODE,
                               PROT_READ | PROT_EXEC};
    int64_t result;
    if (size > LG__LANDING_CODE ||
        !lg__remote_write(tracee->process, self->region, lg__landing_start,
                          size) ||
        !lg__remote_write(tracee->process, lg__plant_landing(self), landing,
                          sizeof *landing))
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "the memory of process %d cannot be written to",
                            tracee->process);
    return demand(tracee, "have code added", SYS_mprotect, words, &result, err);
}

bool
lg__plant_read(const lg__plant *self, lg__landing *out)
{
    return lg__remote_read(self->target->process, lg__plant_landing(self), out,
                           sizeof *out);
}

void
lg__plant_unmap(lg__plant *self, lg__tracee *tracee)
{
    const uint64_t words[6] = {self->region, REGION};
    lg_error ignored;
    int64_t result;
    if (self->region)
        lg__tracee_call(tracee, SYS_munmap, words, &result, &ignored);
    self->region = 0;
}

void
lg__plant_leave(lg__plant *self)
{
    const uint64_t words[3] = {self->target->unmap, self->region, REGION};
    (void)lg__remote_write(self->target->process,
                           lg__plant_landing(self) +
                               offsetof(lg__landing, unmap),
                           words, sizeof words);
    self->region = 0;
}

lg_status
lg__plant_call(lg__plant *self, lg__tracee *tracee, lg_error *err)
{
    lg_status status =
        lg__tracee_send(tracee, code_at(self, lg__landing_trampoline),
                        lg__plant_landing(self), frame_at(self), err);
    self->before = *tracee;
    self->away = status == LG_OK;
    return status;
}

bool
lg__plant_may_call(const lg__plant *self, const lg__tracee *tracee)
{
    return lg__target_waits(self->target, lg__tracee_waits_in(tracee),
                            tracee->registers.rdi, tracee->registers.rsp);
}

static lg_status
set_stopped(lg__plant *self, lg__tracee *tracee, const lg__orders *orders,
            int library, int file, lg_error *err)
{
    lg__landing landing = self->target->landing;
    lg_status status = LG_OK;
    if (self->target->filtered)
        status = lg__filter_probe(tracee, err);
    if (status == LG_OK)
        status = map_region(self, tracee, err);
    if (status == LG_OK)
        status = connect_ends(self, tracee, err);
    if (status == LG_OK) {
        self->here = lg__plant_may_call(self, tracee);
        landing.here = self->here;
        landing.socket = self->theirs;
        status = ask_number(tracee, &landing, err);
    }
    if (status == LG_OK)
        status = write_landing(self, tracee, &landing, err);
    if (status == LG_OK)
        status = send_orders(self, orders, library, file, err);
    if (status == LG_OK)
        status = lg__plant_call(self, tracee, err);
    if (status != LG_OK && self->theirs >= 0)
        lg__plant_close_there(tracee, self->theirs);
    return status;
}

static void
set(lg__errand *self)
{
    lg__tracee tracee;
    lg__plant *plant = self->plant;
    if (lg__errand_stop(self, &tracee) != LG_OK)
        return;
    self->status = set_stopped(plant, &tracee, self->orders, self->library,
                               self->file, self->err);
    if (self->status == LG_OK)
        return;
    lg__plant_unmap(plant, &tracee);
    lg__tracee_release(&tracee);
}

lg_status
lg__plant_set(lg__plant *self, const lg__attach_target *target,
              const lg__orders *orders, int library, int file, lg_error *err)
{
    lg__errand work = {.work = set,
                       .plant = self,
                       .orders = orders,
                       .library = library,
                       .file = file,
                       .err = err};
    *self = (lg__plant){.target = target, .socket = -1, .theirs = -1};
    find_path(self, library);
    if (lg__errand_run(&work) != LG_OK && self->socket >= 0) {
        close(self->socket);
        self->socket = -1;
    }
    return work.status;
}
