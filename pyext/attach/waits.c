/**
 * Waits of a main thread during which another call on it does no harm: those in
 * which it holds no lock of the C library, such as malloc's or the loader's.
 */
#include "attach/attach_target.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/** No process has memory below. */
#define FIRST_ADDRESS 4096
/** How much of the code before a call is searched for its number. */
#define CODE_BYTES 48
/** How much of the stack is searched for the function that waits. */
#define STACK_WORDS 96
/** How much of it is searched for the frame of a signal, in parts. */
#define FRAME_PARTS 256
#define PART_WORDS 512

/* A kernel's frame of a signal, in words: the address of the code that leaves
   the handler, flags, link, stack, 18 registers, selectors of segments. */
enum {
    FRAME_FLAGS = 1,
    FRAME_LINK = 2,
    FRAME_SELECTORS = 24,
    FRAME_WORDS = 25
};
/* Newer than the headers of some C libraries. */
enum { IO_URING_ENTER = 426, EPOLL_PWAIT2 = 441 };
enum { MOST_FLAGS = 7, USER_CODE = 0x33 };

static bool
is_one_of(long call, const long *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (call == calls[i])
            return true;
    return false;
}

static bool
waits_for_event(long call)
{
    static const long calls[] = {
        SYS_poll,
        SYS_ppoll,
        SYS_select,
        SYS_pselect6,
        SYS_epoll_wait,
        SYS_epoll_pwait,
        EPOLL_PWAIT2,
        SYS_accept,
        SYS_accept4,
        SYS_recvfrom,
        SYS_recvmsg,
        SYS_nanosleep,
        SYS_clock_nanosleep,
        SYS_wait4,
        SYS_waitid,
        SYS_pause,
        SYS_rt_sigsuspend,
        SYS_rt_sigtimedwait,
    };
    return is_one_of(call, calls, sizeof calls / sizeof *calls);
}

/** The loader reads libraries; nobody else waits long for a file. */
static bool
reads_stream(int process, uint64_t descriptor)
{
    char path[64];
    struct stat file;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, (int)descriptor);
    return stat(path, &file) == 0 && !S_ISREG(file.st_mode) &&
           !S_ISDIR(file.st_mode) && !S_ISBLK(file.st_mode);
}

/** Whether the stack has a return address in a function that waits for a lock
 *  of Python. */
static bool
waits_for_lock(const lg__attach_target *self, uint64_t stack)
{
    uint64_t words[STACK_WORDS];
    if (!lg__remote_read(&self->remote, stack, words, sizeof words))
        return false;
    for (size_t i = 0; i < STACK_WORDS; i++)
        for (size_t j = 0; j < sizeof self->waits / sizeof *self->waits; j++)
            if (words[i] - self->waits[j].address < self->waits[j].size)
                return true;
    return false;
}

/** Whether these words are the frame of a signal: their first leads to code
 *  that calls rt_sigreturn(). */
static bool
is_frame(const lg__attach_target *self, const uint64_t *words)
{
    static const unsigned char leaves[] = {0x48, 0xc7, 0xc0, 0x0f, 0,
                                           0,    0,    0x0f, 0x05};
    unsigned char code[sizeof leaves];
    return words[FRAME_FLAGS] <= MOST_FLAGS && words[FRAME_LINK] == 0 &&
           (words[FRAME_SELECTORS] & 0xffff) == USER_CODE &&
           lg__remote_read(&self->remote, words[0], code, sizeof code) &&
           memcmp(code, leaves, sizeof leaves) == 0;
}

/** Whether a thread whose stack ends there is in the handler of a signal. */
static bool
handles_signal(const lg__attach_target *self, uint64_t stack)
{
    uint64_t words[PART_WORDS + FRAME_WORDS];
    stack &= ~(uint64_t)7;
    for (int i = 0; i < FRAME_PARTS; i++) {
        size_t count =
            lg__remote_read_part(&self->remote, stack, words, sizeof words) /
            sizeof *words;
        for (size_t j = 0; j + FRAME_WORDS <= count; j++)
            if (is_frame(self, words + j))
                return true;
        if (count < PART_WORDS + FRAME_WORDS)
            return false;
        stack += PART_WORDS * sizeof *words;
    }
    return false;
}

/** Whether the arguments of a call may be those by which futex() waits until a
 *  time: the address of a word, an operation, and the address of the time. */
static bool
may_be_futex(const lg__wait *wait)
{
    const uint64_t options = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
    uint64_t operation = wait->second & ~options;
    return wait->first >= FIRST_ADDRESS && wait->fourth != 0 &&
           (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET);
}

/** The number of the call that the kernel continues after a stop. The C library
 *  loads it into eax, a few instructions before the call: b8, and four bytes.
 *  From glibc 2.41 on, it loads it from elsewhere; then this tells a wait for a
 *  lock from others by its arguments. */
static long
continued_call(const lg__attach_target *self, const lg__wait *wait)
{
    static const long calls[] = {SYS_poll, SYS_nanosleep, SYS_clock_nanosleep,
                                 SYS_futex};
    unsigned char bytes[CODE_BYTES];
    uint32_t number;
    if (!lg__remote_read(&self->remote, wait->code - CODE_BYTES, bytes,
                         sizeof bytes))
        return SYS_futex;
    for (size_t i = CODE_BYTES - sizeof number; i-- > 0;) {
        memcpy(&number, bytes + i + 1, sizeof number);
        if (bytes[i] == 0xb8 &&
            is_one_of((long)number, calls, sizeof calls / sizeof *calls))
            return (long)number;
    }
    return may_be_futex(wait) ? SYS_futex : SYS_poll;
}

bool
lg__target_waits(const lg__attach_target *self, const lg__wait *wait)
{
    long call = wait->call == SYS_restart_syscall ? continued_call(self, wait)
                                                  : wait->call;
    bool waits = call == SYS_read
                     ? reads_stream(self->remote.process, wait->first)
                 : call == SYS_futex ? waits_for_lock(self, wait->stack)
                                     : waits_for_event(call);
    return waits && !handles_signal(self, wait->stack);
}

/** What the main thread waits in; call -1: it runs. */
static lg__wait
wait_of(const lg__attach_target *self)
{
    char path[64];
    lg__wait wait = {.call = -1};
    unsigned long long words[8] = {0};
    int process = self->remote.process;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", process, process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return wait;
    int count = fscanf(file, "%ld %llx %llx %llx %llx %llx %llx %llx %llx",
                       &wait.call, &words[0], &words[1], &words[2], &words[3],
                       &words[4], &words[5], &words[6], &words[7]);
    fclose(file);
    if (count != 9)
        wait.call = -1;
    wait.first = words[0];
    wait.second = words[1];
    wait.fourth = words[3];
    wait.stack = words[6];
    wait.code = words[7];
    return wait;
}

lg__state
lg__target_state(const lg__attach_target *self)
{
    static const long fragile[] = {SYS_semop, SYS_semtimedop, SYS_io_getevents,
                                   SYS_io_pgetevents, IO_URING_ENTER};
    lg__wait wait = wait_of(self);
    if (is_one_of(wait.call, fragile, sizeof fragile / sizeof *fragile))
        return LG__STATE_FRAGILE;
    return wait.call >= 0 && lg__target_waits(self, &wait) ? LG__STATE_WAITS
                                                           : LG__STATE_RUNS;
}
