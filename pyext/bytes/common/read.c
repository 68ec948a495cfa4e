/** Reads foreign memory through the kernel, so that a stale pointer gives an
 *  error instead of a crash. */
#include "capture/adapters/capture_adapters.h"

#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BATCH = IOV_MAX };

/** Appends a range to a list, or joins it to the last range if they touch.
 *  Returns the length of the list. */
static size_t
append(struct iovec *list, size_t count, const void *base, size_t length)
{
    struct iovec *last = count ? &list[count - 1] : NULL;
    if (last != NULL && (const char *)last->iov_base + last->iov_len == base) {
        last->iov_len += length;
        return count;
    }
    list[count] = (struct iovec){(void *)(uintptr_t)base, length};
    return count + 1;
}

/** Copies as many whole pieces as possible; returns how many. The kernel stops
 *  at the first byte that it cannot read. */
static size_t
copy_some(pid_t self, const lg__memory_piece *pieces, size_t count)
{
    struct iovec from[BATCH], to[BATCH];
    size_t froms = 0, tos = 0;
    from[0] = to[0] = (struct iovec){NULL, 0};
    for (size_t i = 0; i < count; i++) {
        froms = append(from, froms, pieces[i].from, pieces[i].length);
        tos = append(to, tos, pieces[i].to, pieces[i].length);
    }
    ssize_t copied = process_vm_readv(self, to, tos, from, froms, 0);
    size_t whole = 0;
    while (copied > 0 && whole < count &&
           (size_t)copied >= pieces[whole].length)
        copied -= (ssize_t)pieces[whole++].length;
    return whole;
}

void
lg__pass_read(lg__memory_piece *pieces, size_t count)
{
    pid_t self = getpid();
    for (size_t done = 0; done < count;) {
        size_t batch = count - done < BATCH ? count - done : BATCH;
        size_t whole = copy_some(self, pieces + done, batch);
        for (size_t i = 0; i < whole; i++)
            pieces[done + i].read = true;
        done += whole;
        /* Retry the piece alone: the kernel may have failed at the piece that
           it was joined with. */
        if (whole < batch) {
            pieces[done].read = copy_some(self, pieces + done, 1) == 1;
            done++;
        }
    }
}
