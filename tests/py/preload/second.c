/**
 * Preloaded: the program runs on a second thread, and the first one waits for
 * its end.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

typedef int (*program)(int count, char **words, char **environment);
typedef int (*starter)(program main, int count, char **words,
                       void (*begin)(void), void (*end)(void),
                       void (*last)(void), void *stack);

static struct {
    program main;
    int count;
    char **words;
    char **environment;
} own;

static void *
run_program(void *unused)
{
    (void)unused;
    exit(own.main(own.count, own.words, own.environment));
}

static int
run_beside(int count, char **words, char **environment)
{
    pthread_t second;
    own.count = count;
    own.words = words;
    own.environment = environment;
    if (pthread_create(&second, NULL, run_program, NULL) != 0)
        abort();
    pthread_join(second, NULL);
    return 0;
}

int __libc_start_main(program main, int count, char **words,
                      void (*begin)(void), void (*end)(void),
                      void (*last)(void), void *stack);

int
__libc_start_main(program main, int count, char **words, void (*begin)(void),
                  void (*end)(void), void (*last)(void), void *stack)
{
    starter start = (starter)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
    own.main = main;
    return start(run_beside, count, words, begin, end, last, stack);
}
