// A file that appears whole or not at all. It is written without a name, or
// under a temporary one beside its place, then synced, then put there.
#include "file/file_private.h"
#include "file/place.h"

#include <leakgraph/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
    int file =
        openat(sink->place->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
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
// has locked. On systems without locks, no save removes files.
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
        lg__place_temporary(sink->place, sink->temporary);
        int file = openat(sink->place->folder, sink->temporary,
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
    return lg__place_refused(err, "create a file for", sink->path);
}

static lg_status
create(lg__sink *sink, lg_error *err)
{
    lg_status status = LG_OK;
    if (create_nameless(sink))
        flock(sink->descriptor, LOCK_EX | LOCK_NB);
    else
        status = create_named(sink, err);
    if (status == LG_OK && fchmod(sink->descriptor, sink->place->mode) != 0)
        status = lg__place_refused(err, "set the mode of", sink->path);
    return status;
}

lg_status
lg__sink_open(lg__sink *sink, const char *path, lg_error *err)
{
    *sink = (lg__sink){.descriptor = -1, .path = strdup(path)};
    if (sink->path == NULL)
        return lg__error_memory(err);
    lg_status status = lg__place_open(path, &sink->place, err);
    return status == LG_OK ? create(sink, err) : status;
}

lg_status
lg__sink_write(lg__sink *sink, const void *bytes, size_t length, lg_error *err)
{
    const char *at = bytes;
    while (length > 0) {
        size_t part = length < 1u << 24 ? length : 1u << 24;
        ssize_t written =
            pwrite(sink->descriptor, at, part, (off_t)sink->offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return lg__place_refused(err, "write", sink->path);
        at += written;
        length -= (size_t)written;
        sink->offset += (uint64_t)written;
    }
    return LG_OK;
}

lg_status
lg__sink_align(lg__sink *sink, lg_error *err)
{
    static const char zeros[LG__FILE_ALIGNMENT];
    size_t over = sink->offset % LG__FILE_ALIGNMENT;
    return over == 0 ? LG_OK
                     : lg__sink_write(sink, zeros, sizeof zeros - over, err);
}

lg_status
lg__sink_rewind(lg__sink *sink, uint64_t offset, lg_error *err)
{
    if (ftruncate(sink->descriptor, (off_t)offset) != 0)
        return lg__place_refused(err, "write", sink->path);
    sink->offset = offset;
    return LG_OK;
}

// Gives a file without a name its own. A link cannot replace an existing file:
// then the file first gets a temporary name.
static int
give_name(lg__sink *sink)
{
    char link[LINK_ROOM];
    int folder = sink->place->folder;
    link_of(sink->descriptor, link);
    int failed =
        linkat(AT_FDCWD, link, folder, sink->place->name, AT_SYMLINK_FOLLOW);
    for (int i = 0; failed && errno == EEXIST && i < ATTEMPTS; i++) {
        char name[LG__TEMPORARY_ROOM];
        lg__place_temporary(sink->place, name);
        if (linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW) != 0)
            continue;
        failed = renameat(folder, name, folder, sink->place->name);
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
    int folder = sink->place->folder;
    if (sink->temporary[0] == '\0')
        return give_name(sink);
    int failed = renameat(folder, sink->temporary, folder, sink->place->name);
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
        return lg__place_refused(err, "write", sink->path);
    if (fsync(sink->place->folder) != 0 && errno != EINVAL && errno != EBADF)
        return lg__place_refused(err, "sync the folder of", sink->path);
    return LG_OK;
}

void
lg__sink_close(lg__sink *sink)
{
    if (sink->temporary[0] != '\0')
        unlinkat(sink->place->folder, sink->temporary, 0);
    if (sink->descriptor >= 0)
        close(sink->descriptor);
    lg__place_close(sink->place);
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
