/**
 * Preloaded into a process: says for each wait for a lock during a visit, in
 * which SIGTERM is blocked, whether SIGUSR1 is blocked, too.
 */
#include <dlfcn.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int
sem_wait(sem_t *lock)
{
    static int (*original)(sem_t *);
    sigset_t mask;
    if (original == NULL)
        *(void **)&original = dlsym(RTLD_NEXT, "sem_wait");
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (sigismember(&mask, SIGTERM))
        dprintf(STDERR_FILENO, "SIGUSR1 is %s\n",
                sigismember(&mask, SIGUSR1) ? "blocked" : "open");
    return original(lock);
}
