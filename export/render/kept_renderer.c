// Keeps at most one renderer for the next picture.

#include "render/kept_renderer.h"
#include "render/setting.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL_SECONDS 10u
#define MOST_SECONDS 3600u

/* A number that stands for this file. A program may close files that it did not
 * open, and get the number for one of its own. */
typedef struct file {
    int number;
    dev_t device;
    ino_t inode;
} file;

typedef struct kept {
    file socket, pidfd;
    pid_t owner; // a forked child has a copy, and leaves it to its parent
    char terms[];
} kept;

static _Atomic(kept *) waiting;

// True if the kernel gives this process the orphans among its descendants: it
// would find a child that it did not start.
static bool
adopts(void)
{
    int reaper = 0;
    return getpid() == 1 || (!prctl(PR_GET_CHILD_SUBREAPER, &reaper) && reaper);
}

unsigned
lg__kept_seconds(void)
{
    return adopts() ? 0
                    : lg__render_setting("LEAKGRAPH_RENDER_KEPT_SECONDS",
                                         USUAL_SECONDS, MOST_SECONDS);
}

static file
file_of(int number)
{
    struct stat is = {0};
    fstat(number, &is);
    return (file){number, is.st_dev, is.st_ino};
}

static bool
is_open(const file *one)
{
    struct stat is;
    return !fstat(one->number, &is) && is.st_dev == one->device &&
           is.st_ino == one->inode;
}

// When nobody holds its socket, the renderer ends. Many kinds of files share
// the inode of a pidfd (Linux before 6.9), so the socket tells for both.
static void
leave(kept *one)
{
    bool ours = one && is_open(&one->socket);
    if (ours && is_open(&one->pidfd))
        close(one->pidfd.number);
    if (ours)
        close(one->socket.number);
    free(one);
}

void
lg__kept_put(const int files[2], const char *terms)
{
    size_t length = strlen(terms) + 1;
    kept *one = malloc(sizeof *one + length);
    if (!one) {
        close(files[0]);
        close(files[1]);
        return;
    }
    one->socket = file_of(files[0]);
    one->pidfd = file_of(files[1]);
    one->owner = getpid();
    memcpy(one->terms, terms, length);
    leave(atomic_exchange(&waiting, one));
}

static bool
lives(const kept *one)
{
    struct pollfd end = {one->pidfd.number, POLLIN, 0};
    return is_open(&one->socket) && is_open(&one->pidfd) &&
           poll(&end, 1, 0) == 0;
}

bool
lg__kept_take(const char *terms, lg__worker *out)
{
    kept *one = atomic_exchange(&waiting, NULL);
    bool fits = one && one->owner == getpid() && !strcmp(one->terms, terms) &&
                lives(one);
    if (!fits) {
        leave(one);
        return false;
    }
    *out =
        (lg__worker){.socket = one->socket.number, .pidfd = one->pidfd.number};
    free(one);
    return true;
}
