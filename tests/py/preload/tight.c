/**
 * Preloaded: in a child of this process, the system has no memory for pages
 * that become writable once it has made TIGHT of them so.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t own;

__attribute__((constructor)) static void
begin(void)
{
    own = getpid();
}

int
mprotect(void *start, size_t size, int protection)
{
    static long made;
    if (protection & PROT_WRITE && getpid() != own &&
        ++made > atol(getenv("TIGHT"))) {
        errno = ENOMEM;
        return -1;
    }
    return (int)syscall(SYS_mprotect, start, size, protection);
}
