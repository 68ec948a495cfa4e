// Handles signals. Ctrl-C stops long work, and a second one ends the process. A
// mapped file that another process cuts short becomes an unreadable file. A
// write beyond the limit on file sizes becomes an error.

#include "command/command.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void
note_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static void
leave(int number)
{
    static const char message[] =
        "leakgraph: the file was cut short while it was being read\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    _exit(LG__EXIT_UNREADABLE);
}

bool
lg__interrupted(void)
{
    return interrupted;
}

void
lg__signals_watch_ends(void)
{
    static const int ends[] = {SIGTERM, SIGHUP};
    struct sigaction old,
        action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    // Signals that the caller ignores, as nohup does, stay ignored.
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
}

void
lg__signals_watch(void)
{
    struct sigaction action = {.sa_handler = note_interrupt,
                               .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = leave;
    sigaction(SIGBUS, &action, NULL);
    // With SIGXFSZ ignored, write() reports the limit on the file's size.
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, NULL);
}
