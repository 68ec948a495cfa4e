#include "capture/common/peek.h"

#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

bool
lg__peek(void *to, const void *from, size_t size)
{
    struct iovec here = {to, size};
    struct iovec there = {(void *)(uintptr_t)from, size};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}
