/**
 * Preloaded into leakgraph: the processor can refuse CPUID to a thread if
 * CPUID_FAULTS is 1, and cannot if it is 0.
 */
#include <errno.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SET_CPUID = 0x1012, WORDS = 6 };

long
syscall(long number, ...)
{
    long words[WORDS];
    long (*original)(long, ...);
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < WORDS; i++)
        words[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_arch_prctl && words[0] == SET_CPUID) {
        errno = ENODEV;
        return atoi(getenv("CPUID_FAULTS")) ? 0 : -1;
    }
    *(void **)&original = dlsym(RTLD_NEXT, "syscall");
    return original(number, words[0], words[1], words[2], words[3], words[4],
                    words[5]);
}
