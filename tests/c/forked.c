#include "forked.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60 };

bool
forked_child_agrees(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool
forked_says(bool (*question)(void *), void *context)
{
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        alarm(PATIENCE);
        _exit(question(context) ? 0 : 1);
    }
    return forked_child_agrees(child);
}
