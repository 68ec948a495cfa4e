/**
 * Preloaded: leakgraph dies by SIGABRT if it copies from or to NULL, which is
 * undefined even for zero bytes. Other libraries may do so.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
check(const void *to, const void *from, const void *caller)
{
    static const char text[] = "leakgraph copies from or to NULL\n";
    Dl_info about;
    if (to != NULL && from != NULL)
        return;
    if (dladdr(caller, &about) == 0 ||
        strstr(about.dli_fname, "_core.") == NULL)
        return;
    if (write(2, text, sizeof text - 1) > 0)
        abort();
    _exit(99);
}

void *
memcpy(void *to, const void *from, size_t size)
{
    check(to, from, __builtin_return_address(0));
    return memmove(to, from, size);
}

void *
__memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
    check(to, from, __builtin_return_address(0));
    if (size > room)
        abort();
    return memmove(to, from, size);
}
