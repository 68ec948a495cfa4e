/**
 * Foreign memory, read through the kernel: a stale pointer gives an answer
 * instead of a crash.
 */
#include "adapter.h"

#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BATCH = IOV_MAX };

/** Copies as many whole pieces as it can; returns how many. The kernel stops at
 *  the first one that it cannot read to its end. */
static size_t
copy_some(pid_t self, const lg_piece *pieces, size_t count)
{
    struct iovec from[BATCH], to[BATCH];
    for (size_t i = 0; i < count; i++) {
        from[i] =
            (struct iovec){(void *)(uintptr_t)pieces[i].from, pieces[i].length};
        to[i] = (struct iovec){pieces[i].to, pieces[i].length};
    }
    ssize_t copied = process_vm_readv(self, to, count, from, count, 0);
    size_t whole = 0;
    while (copied > 0 && whole < count &&
           (size_t)copied >= pieces[whole].length)
        copied -= (ssize_t)pieces[whole++].length;
    return whole;
}

void
lg_survey_read(lg_piece *pieces, size_t count)
{
    pid_t self = getpid();
    for (size_t done = 0; done < count;) {
        size_t batch = count - done < BATCH ? count - done : BATCH;
        size_t whole = copy_some(self, pieces + done, batch);
        for (size_t i = 0; i < whole; i++)
            pieces[done + i].read = true;
        done += whole;
        if (whole < batch)
            pieces[done++].read = false;
    }
}
