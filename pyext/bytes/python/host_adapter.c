/**
 * The memory of the whole process: resident pages, malloc's share, pymalloc's
 * arenas. It reads them before the walk, so that they leave out the capture's
 * own memory.
 */
#include "bytes/common/adapters.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
add_total(lg_adapter_pass *pass, const char *key, uint64_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    if (bytes > 0)
        lg_builder_set_info(lg_pass_builder(pass), key, text);
}

/* proc(5): the second number of statm is resident pages. */
static uint64_t
resident_bytes(void)
{
    char text[256];
    unsigned long long pages = 0;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    if (sscanf(text, "%*u %llu", &pages) != 1)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* glibc 2.33's struct mallinfo2. It looks the function up, because a build for
   older systems runs on newer ones, and because musl does not have it. */
typedef struct malloc_info {
    size_t arena, ordblks, smblks, hblks, hblkhd;
    size_t usmblks, fsmblks, uordblks, fordblks, keepcost;
} malloc_info;

static uint64_t
malloc_bytes(void)
{
    malloc_info (*ask)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "mallinfo2");
    if (symbol == NULL)
        return 0;
    memcpy(&ask, &symbol, sizeof ask);
    malloc_info info = ask();
    return info.uordblks + info.hblkhd;
}

/* Reads the sum from CPython's own account, 3.9 to 3.14: `12 arenas * 1048576
   bytes/arena = 12,582,912`. */
static uint64_t
arenas_in(const char *account)
{
    const char *line = strstr(account, " bytes/arena");
    const char *at = line ? strchr(line, '=') : NULL;
    uint64_t bytes = 0;
    for (; at != NULL && *at != '\0' && *at != '\n'; at++)
        if (*at >= '0' && *at <= '9')
            bytes = bytes * 10 + (uint64_t)(*at - '0');
    return bytes;
}

static uint64_t
pymalloc_bytes(void)
{
    int (*write)(FILE *);
    char *account = NULL;
    size_t length = 0;
    uint64_t bytes = 0;
    void *symbol = dlsym(RTLD_DEFAULT, "_PyObject_DebugMallocStats");
    FILE *file = symbol ? open_memstream(&account, &length) : NULL;
    if (file == NULL)
        return 0;
    memcpy(&write, &symbol, sizeof write);
    write(file);
    if (fclose(file) == 0)
        bytes = arenas_in(account);
    free(account);
    return bytes;
}

static bool
host_prepare(lg_adapter_pass *pass, void **state)
{
    (void)state;
    if (lg_pass_is_partial(pass))
        return false;
    add_total(pass, "memory.rss", resident_bytes());
    add_total(pass, "memory.malloc", malloc_bytes());
    add_total(pass, "memory.python", pymalloc_bytes());
    add_total(pass, "memory.leakgraph", lg_pass_own_bytes());
    return false;
}

const lg_adapter lg_host_adapter = {.name = "host", .prepare = host_prepare};
