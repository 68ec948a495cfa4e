#include "attach/script.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/** Bits by which an interpreter is told of a signal, a pending call or an
 *  exception from another thread: the lowest byte has them. */
#define LOOKS_FOR 0x0e
/** Time after which a store of the process has reached its memory. */
#define SETTLE_NANOSECONDS 1000000L
#define MOST_INTERPRETERS 1000

/** Ends of sentences about the process. */
#define NO_READING "does not let its memory be read"
#define NO_WRITING "does not let its memory be written to"
#define IS_TAKEN "has yet to run the script of another debugger"

/** Where an interpreter tells debuggers what lies where, from the start of the
 *  state that all interpreters share. The same in all versions. */
enum {
    COOKIE_BYTES = 8,
    VERSION = 8,
    HEAD = 40,
    IDENTITY = 56,
    NEXT = 64,
    MAIN_THREAD = 80
};

/** In the order of the interpreter's table. */
typedef struct support {
    uint64_t breaker;
    uint64_t state;
    uint64_t enabled;
    uint64_t request;
    uint64_t path;
    uint64_t path_bytes;
} support;

static bool
read_word(const lg__remote *remote, uint64_t address, uint64_t *out)
{
    return lg__remote_read(remote, address, out, sizeof *out);
}

/** Reads a word whose offset a table of the process has. */
static bool
read_field(const lg__attach_target *target, uint64_t of, uint64_t entry,
           uint64_t *out)
{
    uint64_t offset;
    return read_word(&target->remote, target->runtime + entry, &offset) &&
           read_word(&target->remote, of + offset, out);
}

/** Finds the state of the main interpreter: the last one of a list. */
static bool
find_main(const lg__attach_target *target, uint64_t *out)
{
    uint64_t identity, found = 0;
    if (!read_field(target, target->runtime, HEAD, &found))
        return false;
    for (int i = 0; i < MOST_INTERPRETERS && found != 0; i++) {
        if (!read_field(target, found, IDENTITY, &identity))
            return false;
        if (identity == 0) {
            *out = found;
            return true;
        }
        if (!read_field(target, found, NEXT, &found))
            return false;
    }
    return false;
}

/** Whether the process has the tables for debuggers of its version. */
static bool
has_tables(const lg__attach_target *target)
{
    char cookie[COOKIE_BYTES];
    uint64_t version;
    return target->offsets != NULL && target->offsets->support != 0 &&
           target->runtime != 0 &&
           lg__remote_read(&target->remote, target->runtime, cookie,
                           sizeof cookie) &&
           memcmp(cookie, "xdebugpy", sizeof cookie) == 0 &&
           read_word(&target->remote, target->runtime + VERSION, &version) &&
           (version >> 16 & 0xff) == target->minor;
}

/** Finds the state of the main thread, and in it what the request needs. */
static bool
locate(const lg__attach_target *target, const support *at, uint64_t interpreter,
       lg__script *out)
{
    uint64_t thread;
    if (!read_field(target, interpreter, MAIN_THREAD, &thread) || thread == 0)
        return false;
    out->breaker = thread + at->breaker;
    out->request = thread + at->state + at->request;
    out->path = thread + at->state + at->path;
    out->path_bytes = at->path_bytes;
    return true;
}

static bool
is_requested(const lg__script *self, uint32_t *out)
{
    return lg__remote_read(self->remote, self->request, out, sizeof *out);
}

/** Why the interpreter would not run a script, or why it should not. */
static const char *
obstacle_to(const lg__script *self, const support *at, uint64_t interpreter,
            uint64_t audit, uint64_t audit_python)
{
    uint64_t hooks, python_hooks;
    uint32_t enabled, requested;
    if (!lg__remote_read(self->remote, interpreter + at->enabled, &enabled,
                         sizeof enabled) ||
        !is_requested(self, &requested) ||
        !read_word(self->remote, audit, &hooks) ||
        !read_word(self->remote, audit_python, &python_hooks))
        return NO_READING;
    if (enabled != 1)
        return "has remote debugging disabled "
               "(PYTHON_DISABLE_REMOTE_DEBUG, -X disable-remote-debug)";
    if (hooks != 0 || python_hooks != 0)
        return "has audit hooks, which a script would call";
    return requested ? IS_TAKEN : NULL;
}

/** Finds where the interpreter takes the request. Returns NULL, or why
 * leakgraph must not use a script. */
static const char *
find(const lg__attach_target *target, lg__script *out)
{
    support at;
    uint64_t interpreter;
    const lg__offsets *known = target->offsets;
    *out = (lg__script){.remote = &target->remote, .place = -1, .listener = -1};
    if (target->minor < 14)
        return "runs a Python older than 3.14, which runs no script of others";
    if (!has_tables(target))
        return "runs a Python in which leakgraph does not know where to ask "
               "for a script";
    if (!find_main(target, &interpreter) ||
        !lg__remote_read(&target->remote, target->runtime + known->support, &at,
                         sizeof at) ||
        !locate(target, &at, interpreter, out))
        return "has no main thread of Python";
    return obstacle_to(out, &at, interpreter, target->runtime + known->audit,
                       interpreter + known->audit_python);
}

static void
name_file(const lg__script *self, const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s/%s", self->folder, name);
}

/** Makes a folder into which only this user may look. */
static bool
make_folder(lg__script *self)
{
    const char *parent = getenv("TMPDIR");
    int length = snprintf(self->folder, sizeof self->folder,
                          "%s/leakgraph-XXXXXX", parent ? parent : "/tmp");
    if (length + 8 > (int)sizeof((struct sockaddr_un *)0)->sun_path ||
        mkdtemp(self->folder) == NULL) {
        self->folder[0] = '\0';
        return false;
    }
    self->place =
        open(self->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return self->place >= 0;
}

/** From now on, only the user of the process may look into the folder. */
static bool
hand_over(const lg__script *self)
{
    char process[32];
    struct stat owner;
    snprintf(process, sizeof process, "/proc/%d", self->remote->process);
    return stat(process, &owner) == 0 &&
           (owner.st_uid == geteuid() ||
            fchown(self->place, owner.st_uid, owner.st_gid) == 0);
}

static bool
listen_there(lg__script *self)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    name_file(self, LG__SCRIPT_SOCKET, address.sun_path,
              sizeof address.sun_path);
    self->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return self->listener >= 0 &&
           bind(self->listener, (struct sockaddr *)&address, sizeof address) ==
               0 &&
           chmod(address.sun_path, 0777) == 0 && listen(self->listener, 1) == 0;
}

#define QUOTED_BYTES 6
/** Writes a path as the text of a str, with surrogates for what is not ASCII.
 *  `out` has QUOTED_BYTES for each byte, and one more. */
static void
quote(const char *path, char *out)
{
    for (; *path != '\0'; path++, out += QUOTED_BYTES) {
        unsigned byte = (unsigned char)*path;
        sprintf(out, "\\u%04x", byte < 0x80 ? byte : 0xdc00 + byte);
    }
    *out = '\0';
}

/** The script imports nothing: __import__() may be the user's. After the call
 * in the loop no instruction looks for signals, so their handlers run where the
 *  process was interrupted. The call never returns, but by an ImportError. */
static bool
write_script(const lg__script *self, const char *library)
{
    static const char text[] = LG__SCRIPT_FOLDER
        " = '%s'\n"
        "known = __loader__.create_module.__globals__\n"
        "spec = known['sys'].implementation.__class__(name='" LG__SCRIPT_MODULE
        "', origin='%s')\n"
        "work = map(known['_imp'].create_dynamic, (spec,))\n"
        "try:\n"
        "    for none in work: pass\n"
        "except ImportError: pass\n";
    char folder[QUOTED_BYTES * LG__SCRIPT_FOLDER_BYTES + 1];
    char origin[QUOTED_BYTES * LG__PATH_BYTES + 1];
    quote(self->folder, folder);
    quote(library, origin);
    int file = openat(self->place, LG__SCRIPT_FILE,
                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0)
        return false;
    bool done =
        dprintf(file, text, folder, origin) > 0 && fchmod(file, 0644) == 0;
    return close(file) == 0 && done;
}

/** Path, request, and what makes the interpreter look, in this order. Another
 *  debugger that asks after the last look here loses its request: both write
 *  the same words. */
static const char *
request(const lg__script *self)
{
    char path[LG__SCRIPT_PATH_BYTES];
    const uint32_t yes = 1;
    uint32_t requested;
    unsigned char bits;
    name_file(self, LG__SCRIPT_FILE, path, sizeof path);
    if (!is_requested(self, &requested))
        return NO_READING;
    if (requested)
        return IS_TAKEN;
    if (strlen(path) >= self->path_bytes ||
        !lg__remote_write(self->remote, self->path, path, strlen(path) + 1) ||
        !lg__remote_write(self->remote, self->request, &yes, sizeof yes) ||
        !lg__remote_read(self->remote, self->breaker, &bits, sizeof bits))
        return NO_WRITING;
    bits |= LOOKS_FOR;
    return lg__remote_write(self->remote, self->breaker, &bits, sizeof bits)
               ? NULL
               : NO_WRITING;
}

/** Writes the script, and asks the interpreter to run it. Returns NULL, or why
 * it cannot. */
static const char *
ask(lg__script *self, const char *library)
{
    char path[LG__SCRIPT_PATH_BYTES];
    if (lg__target_lacks_descriptors(self->remote->process))
        return "has almost as many files open as it may (ulimit -n)";
    if (library[0] == '\0')
        return "does not find the library of leakgraph by its path";
    if (!make_folder(self) || !listen_there(self) ||
        !write_script(self, library) || !hand_over(self))
        return "needs a folder for a script, which cannot be made";
    name_file(self, LG__SCRIPT_FILE, path, sizeof path);
    if (!lg__target_sees(self->remote->process, path))
        return "does not find the script of leakgraph by its path";
    return request(self);
}

const char *
lg__script_begin(const lg__attach_target *target, const char *library,
                 lg__script *out)
{
    const char *obstacle = find(target, out);
    return obstacle == NULL ? ask(out, library) : obstacle;
}

int
lg__script_accept(const lg__script *self, int milliseconds)
{
    struct pollfd source = {self->listener, POLLIN, 0};
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    if (poll(&source, 1, milliseconds) != 1)
        return -1;
    int found = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC);
    if (found >= 0 &&
        (getsockopt(found, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
         peer.pid != self->remote->process)) {
        close(found);
        found = -1;
    }
    return found;
}

/** Whether another debugger has written its path over that of this script. */
static bool
is_overwritten(const lg__script *self)
{
    char ours[LG__SCRIPT_PATH_BYTES], theirs[LG__SCRIPT_PATH_BYTES];
    name_file(self, LG__SCRIPT_FILE, ours, sizeof ours);
    const size_t size = strlen(ours) + 1;
    return lg__remote_read(self->remote, self->path, theirs, size) &&
           memcmp(ours, theirs, size) != 0;
}

bool
lg__script_withdraw(const lg__script *self)
{
    char path = '\0';
    const uint32_t no = 0;
    uint32_t requested = 0;
    if (is_overwritten(self))
        return false;
    /* The interpreter takes the request before it copies the path, and runs
       nothing if that is empty. */
    if (!lg__remote_write(self->remote, self->path, &path, 1))
        return true;
    nanosleep(&(struct timespec){0, SETTLE_NANOSECONDS}, NULL);
    if (!is_requested(self, &requested) ||
        !lg__remote_read(self->remote, self->path, &path, 1))
        return true;
    return requested && path == '\0' &&
           lg__remote_write(self->remote, self->request, &no, sizeof no);
}

void
lg__script_end(lg__script *self)
{
    if (self->listener >= 0)
        close(self->listener);
    if (self->place >= 0) {
        unlinkat(self->place, LG__SCRIPT_SOCKET, 0);
        unlinkat(self->place, LG__SCRIPT_FILE, 0);
        close(self->place);
    }
    if (self->folder[0] != '\0')
        rmdir(self->folder);
}
