// A file that appears whole or not at all. It is written without a name, or
// under a temporary one beside its destination, then synced, then put there.
#include "file/file_private.h"
#include "base/base_private.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// Finds where a file goes: follows links one by one, and removes temporary
// files that nobody writes to any more.

enum {
    MOST_LINKS = 40,
    NAME_PART = 200, // most of the name that a temporary name takes over, so
                     // that the system does not refuse it
    DIGITS = 8,
};

// A name in an open folder. A path is resolved only once, so that nobody can
// put another folder or link there meanwhile.
struct lg__destination {
    int folder;  // open, but not always readable
    mode_t mode; // mode of the new file: 0600, or that of the existing file if
                 // the user owns that
    char name[]; // name in the folder
};

// Sets the error for a file that cannot be written, from errno. Without a
// path, it gives only the number, because that takes no lock and no memory.
// Restores errno.
static lg_status
destination_refused(lg_error *err, const char *doing, const char *path)
{
    int code = errno;
    if (path == NULL) {
        lg_error_set(err, LG_EIO, "cannot %s the snapshot: error %d", doing,
                     code);
        errno = code;
        return LG_EIO;
    }
    return lg_error_set(err, code == ENOMEM ? LG_ENOMEM : LG_EIO,
                        "cannot %s %s: %s", doing, path, strerror(code));
}

static const char *
name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Returns the target of a link, relative to the same folder as the link's own
// path.
static char *
target_of(const char *link)
{
    size_t folder = (size_t)(name_in(link) - link);
    char *path = malloc(folder + PATH_MAX + 1);
    if (path == NULL)
        return NULL;
    ssize_t length = readlink(link, path + folder, PATH_MAX);
    if (length < 0) {
        free(path);
        return NULL;
    }
    path[folder + (size_t)length] = '\0';
    if (path[folder] == '/')
        memmove(path, path + folder, (size_t)length + 1);
    else
        memcpy(path, link, folder);
    return path;
}

// Refuses a link that another user made, who may have chosen what is to be
// overwritten.
static lg_status
check_owner(const char *path, const struct stat *link, lg_error *err)
{
    if (link->st_uid == geteuid() || link->st_uid == 0)
        return LG_OK;
    return lg_error_set(err, LG_EIO,
                        "cannot write %s: it is a symbolic link of another "
                        "user (uid %lu); save under another name",
                        path, (unsigned long)link->st_uid);
}

// Replaces *at, a path, by the end of the links that begin there.
static lg_status
follow(const char *path, char **at, lg_error *err)
{
    struct stat about;
    for (unsigned links = 0;; links++) {
        bool exists = lstat(*at, &about) == 0;
        if (!exists && links > 0)
            return lg_error_set(
                err, LG_EIO,
                "cannot write %s: it is a symbolic link to nothing", path);
        if (!exists || !S_ISLNK(about.st_mode))
            return LG_OK;
        lg_status status = check_owner(path, &about, err);
        if (status != LG_OK)
            return status;
        char *next = links < MOST_LINKS ? target_of(*at) : NULL;
        if (next == NULL) {
            errno = links < MOST_LINKS ? errno : ELOOP;
            return destination_refused(err, "write", path);
        }
        free(*at);
        *at = next;
    }
}

// Opens the folder of `path`, and ends `path` after it.
static int
open_folder(char *path)
{
    size_t length = (size_t)(name_in(path) - path);
    path[length] = '\0';
    const char *folder = length > 0 ? path : ".";
    int found = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // The user may be allowed to write there and not to read.
    if (found < 0 && errno == EACCES)
        found = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return found;
}

static lg_status
check_old(lg__destination *destination, const char *path, lg_error *err)
{
    struct stat old;
    bool is_named = destination->name[0] != '\0';
    destination->mode = 0600;
    if (is_named && fstatat(destination->folder, destination->name, &old,
                            AT_SYMLINK_NOFOLLOW) != 0)
        return LG_OK;
    if (!is_named || !S_ISREG(old.st_mode))
        return lg_error_set(err, LG_EIO,
                            "cannot write %s: it is not a regular file", path);
    // Another user may have made a file for its mode.
    if (old.st_uid == geteuid())
        destination->mode = old.st_mode & 0777;
    return LG_OK;
}

// Makes a temporary name for a file that is to go to the destination; another
// one at each call.
static void
destination_temporary(const lg__destination *destination,
                      char out[LG__TEMPORARY_ROOM])
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = (uint32_t)getpid();
    snprintf(out, LG__TEMPORARY_ROOM, ".%.*s.%0*x", (int)NAME_PART,
             destination->name, (int)DIGITS, (unsigned)random);
}

static bool
is_temporary(const lg__destination *destination, const char *name)
{
    size_t part = strnlen(destination->name, NAME_PART);
    return name[0] == '.' && strncmp(name + 1, destination->name, part) == 0 &&
           name[part + 1] == '.' && strlen(name) == part + 2 + DIGITS &&
           strspn(name + part + 2, "0123456789abcdef") == DIGITS;
}

// Removes a file that nobody has locked. Its writer holds a lock on it, which
// ends with the writer.
static void
remove_unlocked(const lg__destination *destination, const char *name)
{
    struct stat about;
    int file = openat(destination->folder, name,
                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(destination->folder, name, 0);
    close(file);
}

static void
sweep(const lg__destination *destination)
{
    int again =
        openat(destination->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = again >= 0 ? fdopendir(again) : NULL;
    if (folder == NULL) {
        if (again >= 0)
            close(again);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        if (is_temporary(destination, entry->d_name))
            remove_unlocked(destination, entry->d_name);
    closedir(folder);
}

static void
destination_close(lg__destination *destination)
{
    if (destination == NULL)
        return;
    if (destination->folder >= 0)
        close(destination->folder);
    free(destination);
}

// Finds the destination of a path. Follows symbolic links, so that they stay
// links. Refuses links of other users than root, and anything but a regular
// file. Removes files that killed saves left there.
static lg_status
destination_open(const char *path, lg__destination **out, lg_error *err)
{
    lg__destination *destination = NULL;
    char *at = strdup(path);
    lg_status status = at != NULL ? LG_OK : lg__error_memory(err);
    if (status == LG_OK)
        status = follow(path, &at, err);
    if (status != LG_OK)
        goto done;
    const char *name = name_in(at);
    size_t size = strlen(name) + 1;
    destination = malloc(sizeof *destination + size);
    if (destination == NULL) {
        status = lg__error_memory(err);
        goto done;
    }
    memcpy(destination->name, name, size);
    destination->folder = open_folder(at);
    if (destination->folder < 0)
        status = destination_refused(err, "create a file for", path);
    if (status == LG_OK)
        status = check_old(destination, path, err);
    if (status != LG_OK)
        goto done;
    sweep(destination);
    *out = destination;
    destination = NULL;
done:
    destination_close(destination);
    free(at);
    return status;
}

enum { ATTEMPTS = 16, LINK_ROOM = 40 };

// Makes the path by which a file without a name can get one.
static void
link_of(int descriptor, char out[LINK_ROOM])
{
    snprintf(out, LINK_ROOM, "/proc/self/fd/%d", descriptor);
}

// Makes a file without a name, which vanishes with the process. Not all systems
// and file systems have such files.
static bool
create_nameless(lg__sink *sink)
{
    char link[LINK_ROOM];
    int file = openat(sink->destination->folder, ".",
                      O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    link_of(file, link);
    if (access(link, F_OK) != 0) {
        close(file);
        return false;
    }
    sink->descriptor = file;
    return true;
}

// Locks the file, because another save may be about to remove files that nobody
// has locked. On systems without locks, no save removes files. Returns false if
// such a save was faster: it holds the lock, or has removed the file already,
// which then has no name any more.
static bool
lock(int file)
{
    struct stat about;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(file, &about) == 0 && about.st_nlink > 0;
}

static lg_status
create_named(lg__sink *sink, lg_error *err)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        destination_temporary(sink->destination, sink->temporary);
        int file = openat(sink->destination->folder, sink->temporary,
                          O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 && lock(file)) {
            sink->descriptor = file;
            return LG_OK;
        }
        if (file >= 0)
            close(file);
        else if (errno != EEXIST)
            break;
    }
    sink->temporary[0] = '\0';
    return destination_refused(err, "create a file for", sink->path);
}

static lg_status
create(lg__sink *sink, lg_error *err)
{
    lg_status status = LG_OK;
    if (create_nameless(sink))
        flock(sink->descriptor, LOCK_EX | LOCK_NB);
    else
        status = create_named(sink, err);
    if (status == LG_OK &&
        fchmod(sink->descriptor, sink->destination->mode) != 0)
        status = destination_refused(err, "set the mode of", sink->path);
    return status;
}

lg_status
lg__sink_open(lg__sink *sink, const char *path, lg_error *err)
{
    *sink = (lg__sink){.descriptor = -1, .path = strdup(path)};
    if (sink->path == NULL)
        return lg__error_memory(err);
    lg_status status = destination_open(path, &sink->destination, err);
    return status == LG_OK ? create(sink, err) : status;
}

// Has memory that comes back when it is touched, as that of a forked child, do
// so: a call of the system does not wait for it, but fails with EFAULT. Only
// who writes to a descriptor has such memory.
static void
touch(const char *byte)
{
    (void)*(const volatile char *)byte;
}

lg_status
lg__sink_write(lg__sink *sink, const void *bytes, size_t length, lg_error *err)
{
    const char *at = bytes;
    while (length > 0) {
        size_t part = length < 1u << 24 ? length : 1u << 24;
        ssize_t written =
            pwrite(sink->descriptor, at, part, (off_t)sink->offset);
        if (written < 0 && errno == EFAULT && sink->path == NULL)
            touch(at);
        else if (written < 0 && errno != EINTR)
            return destination_refused(err, "write", sink->path);
        if (written < 0)
            continue;
        at += written;
        length -= (size_t)written;
        sink->offset += (uint64_t)written;
    }
    return LG_OK;
}

lg_status
lg__sink_rewind(lg__sink *sink, uint64_t offset, lg_error *err)
{
    if (ftruncate(sink->descriptor, (off_t)offset) != 0)
        return destination_refused(err, "write", sink->path);
    sink->offset = offset;
    return LG_OK;
}

// Gives a file without a name its own. A link cannot replace an existing file:
// then the file first gets a temporary name.
static int
give_name(lg__sink *sink)
{
    char link[LINK_ROOM];
    int folder = sink->destination->folder;
    link_of(sink->descriptor, link);
    int failed = linkat(AT_FDCWD, link, folder, sink->destination->name,
                        AT_SYMLINK_FOLLOW);
    for (int i = 0; failed && errno == EEXIST && i < ATTEMPTS; i++) {
        char name[LG__TEMPORARY_ROOM];
        destination_temporary(sink->destination, name);
        if (linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW) != 0)
            continue;
        failed = renameat(folder, name, folder, sink->destination->name);
        int code = errno;
        if (failed)
            unlinkat(folder, name, 0);
        errno = code;
        break;
    }
    return failed;
}

static int
put_into_place(lg__sink *sink)
{
    int folder = sink->destination->folder;
    if (sink->temporary[0] == '\0')
        return give_name(sink);
    int failed =
        renameat(folder, sink->temporary, folder, sink->destination->name);
    if (!failed)
        sink->temporary[0] = '\0';
    return failed;
}

// Syncs the folder, because the new name must survive a crash. Some file
// systems cannot sync a folder (EINVAL), and a folder that cannot be read
// cannot be synced (EBADF): nothing more can be done then.
lg_status
lg__sink_commit(lg__sink *sink, lg_error *err)
{
    if (fsync(sink->descriptor) != 0 || put_into_place(sink) != 0)
        return destination_refused(err, "write", sink->path);
    if (fsync(sink->destination->folder) != 0 && errno != EINVAL &&
        errno != EBADF)
        return destination_refused(err, "sync the folder of", sink->path);
    return LG_OK;
}

void
lg__sink_close(lg__sink *sink)
{
    if (sink->temporary[0] != '\0')
        unlinkat(sink->destination->folder, sink->temporary, 0);
    if (sink->descriptor >= 0)
        close(sink->descriptor);
    destination_close(sink->destination);
    free(sink->path);
}

struct lg_draft {
    lg__sink sink;
};

lg_status
lg_draft_new(const char *path, lg_draft **out, lg_error *err)
{
    lg_draft *draft = malloc(sizeof *draft);
    if (draft == NULL)
        return lg__error_memory(err);
    lg_status status = lg__sink_open(&draft->sink, path, err);
    if (status == LG_OK)
        *out = draft;
    else
        lg_draft_free(draft);
    return status;
}

int
lg_draft_descriptor(const lg_draft *draft)
{
    return draft->sink.descriptor;
}

lg_status
lg_draft_commit(lg_draft *draft, lg_error *err)
{
    return lg__sink_commit(&draft->sink, err);
}

void
lg_draft_free(lg_draft *draft)
{
    if (draft == NULL)
        return;
    lg__sink_close(&draft->sink);
    free(draft);
}
