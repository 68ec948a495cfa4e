/**
 * Preloaded into leakgraph: no file of the file system may have more than
 * NARROW bytes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

ssize_t
pwrite(int file, const void *bytes, size_t size, off_t at)
{
    ssize_t (*original)(int, const void *, size_t, off_t);
    *(void **)&original = dlsym(RTLD_NEXT, "pwrite");
    off_t most = atol(getenv("NARROW"));
    if (at >= most) {
        errno = EFBIG;
        return -1;
    }
    if ((off_t)size > most - at)
        size = (size_t)(most - at);
    return original(file, bytes, size, at);
}

ssize_t
pwrite64(int file, const void *bytes, size_t size, off64_t at)
{
    return pwrite(file, bytes, size, at);
}
