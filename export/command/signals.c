// Signals: Ctrl-C asks long work to stop, a second one ends the process; a
// mapped file that somebody cuts short is an unreadable file; one that grows
// over a limit cannot be written.

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
    _exit(EXIT_UNREADABLE);
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
    // What the caller ignores, as nohup does, stays ignored.
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
    // Without the signal, write() fails at the limit of the file's size.
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, NULL);
}
