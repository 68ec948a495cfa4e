// A file that appears whole or not at all: written beside its place, synced,
// renamed.
#include "file/file_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// Without a path the writer may be a forked child: strerror translates, and for
// that takes locks and memory. errno outlives the call.
static lg_status
refused(lg_error *err, const char *doing, const char *path)
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

// The place to write to: a symbolic link's target, so that the link stays one.
static lg_status
resolve(const char *path, char **out, struct stat *old, bool *exists,
        lg_error *err)
{
    *exists = stat(path, old) == 0;
    if (*exists && !S_ISREG(old->st_mode))
        return lg_error_set(err, LG_EIO,
                            "cannot write %s: it is not a regular file", path);
    struct stat link;
    if (!*exists && lstat(path, &link) == 0 && S_ISLNK(link.st_mode))
        return lg_error_set(err, LG_EIO,
                            "cannot write %s: it is a symbolic link to nothing",
                            path);
    *out = *exists ? realpath(path, NULL) : strdup(path);
    return *out != NULL ? LG_OK : refused(err, "write", path);
}

// The file's name, cut: the temporary one must not be too long for the system.
static char *
temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = (uint32_t)getpid();
    size_t size = strlen(path) + 24;
    char *name = malloc(size);
    if (name != NULL)
        snprintf(name, size, "%.*s.%.200s.%08x", (int)(base - path), path, base,
                 (unsigned)random);
    return name;
}

static lg_status
create(lg__sink *sink, mode_t mode, lg_error *err)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        free(sink->temporary);
        sink->temporary = temporary_name(sink->path);
        if (sink->temporary == NULL)
            return lg__error_memory(err);
        sink->descriptor =
            open(sink->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (sink->descriptor >= 0)
            return LG_OK;
        if (errno != EEXIST)
            break;
    }
    lg_status status = refused(err, "create a file for", sink->path);
    free(sink->temporary);
    sink->temporary = NULL;
    return status;
}

lg_status
lg__sink_open(lg__sink *sink, const char *path, lg_error *err)
{
    struct stat old;
    bool exists;
    *sink = (lg__sink){.descriptor = -1};
    lg_status status = resolve(path, &sink->path, &old, &exists, err);
    if (status != LG_OK)
        return status;
    status = create(sink, exists ? 0600 : 0666, err);
    if (status == LG_OK && exists &&
        fchmod(sink->descriptor, old.st_mode & 07777) != 0)
        status = refused(err, "set the mode of", sink->path);
    return status;
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
            return refused(err, "write", sink->path);
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
        return refused(err, "write", sink->path);
    sink->offset = offset;
    return LG_OK;
}

// The rename itself must survive a crash. Some file systems cannot sync a
// directory (EINVAL): then there is nothing more to be done.
static lg_status
sync_directory(const char *path, lg_error *err)
{
    char *directory = strdup(path);
    if (directory == NULL)
        return lg__error_memory(err);
    char *slash = strrchr(directory, '/');
    if (slash == NULL)
        strcpy(directory, *directory ? "." : "");
    else
        slash[slash == directory] = '\0';
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (descriptor < 0)
        return LG_OK;
    int failed = fsync(descriptor) != 0 && errno != EINVAL;
    lg_status status =
        failed ? refused(err, "sync the folder of", path) : LG_OK;
    close(descriptor);
    return status;
}

lg_status
lg__sink_commit(lg__sink *sink, lg_error *err)
{
    if (fsync(sink->descriptor) != 0)
        return refused(err, "write", sink->path);
    if (rename(sink->temporary, sink->path) != 0)
        return refused(err, "write", sink->path);
    free(sink->temporary);
    sink->temporary = NULL;
    return sync_directory(sink->path, err);
}

void
lg__sink_close(lg__sink *sink)
{
    if (sink->descriptor >= 0)
        close(sink->descriptor);
    if (sink->temporary != NULL)
        unlink(sink->temporary);
    free(sink->temporary);
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
