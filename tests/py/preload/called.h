/**
 * What libraries have in common that answer syscall() for the system.
 */
#ifndef LEAKGRAPH_CALLED_H
#define LEAKGRAPH_CALLED_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>

enum { CALLED_WORDS = 6 };

/** A call, with as many arguments as any has. */
typedef struct called {
    long number;
    long words[CALLED_WORDS];
} called;

static inline called
called_read(long number, va_list rest)
{
    called self = {.number = number};
    for (int i = 0; i < CALLED_WORDS; i++)
        self.words[i] = va_arg(rest, long);
    return self;
}

/** Asks the system. */
static inline long
called_ask(const called *self)
{
    static long (*original)(long, ...);
    if (original == NULL)
        *(void **)&original = dlsym(RTLD_NEXT, "syscall");
    const long *words = self->words;
    return original(self->number, words[0], words[1], words[2], words[3],
                    words[4], words[5]);
}

#endif
