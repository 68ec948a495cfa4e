// Finds where a file goes: follows links one by one, and removes temporary
// files that nobody writes to any more.
#include "file/place.h"
#include "base/base_private.h"

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

enum {
    MOST_LINKS = 40,
    NAME_PART = 200, // most of the name that a temporary name takes over, so
                     // that the system does not refuse it
    DIGITS = 8,
};

lg_status
lg__place_refused(lg_error *err, const char *doing, const char *path)
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
            return lg__place_refused(err, "write", path);
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
check_old(lg__place *place, const char *path, lg_error *err)
{
    struct stat old;
    bool is_named = place->name[0] != '\0';
    place->mode = 0600;
    if (is_named &&
        fstatat(place->folder, place->name, &old, AT_SYMLINK_NOFOLLOW) != 0)
        return LG_OK;
    if (!is_named || !S_ISREG(old.st_mode))
        return lg_error_set(err, LG_EIO,
                            "cannot write %s: it is not a regular file", path);
    // Another user may have made a file for its mode.
    if (old.st_uid == geteuid())
        place->mode = old.st_mode & 0777;
    return LG_OK;
}

void
lg__place_temporary(const lg__place *place, char out[LG__TEMPORARY_ROOM])
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = (uint32_t)getpid();
    snprintf(out, LG__TEMPORARY_ROOM, ".%.*s.%0*x", (int)NAME_PART, place->name,
             (int)DIGITS, (unsigned)random);
}

static bool
is_temporary(const lg__place *place, const char *name)
{
    size_t part = strnlen(place->name, NAME_PART);
    return name[0] == '.' && strncmp(name + 1, place->name, part) == 0 &&
           name[part + 1] == '.' && strlen(name) == part + 2 + DIGITS &&
           strspn(name + part + 2, "0123456789abcdef") == DIGITS;
}

// Removes a file that nobody has locked. Its writer holds a lock on it, which
// ends with the writer.
static void
remove_unlocked(const lg__place *place, const char *name)
{
    struct stat about;
    int file = openat(place->folder, name,
                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(place->folder, name, 0);
    close(file);
}

static void
sweep(const lg__place *place)
{
    int again = openat(place->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = again >= 0 ? fdopendir(again) : NULL;
    if (folder == NULL) {
        if (again >= 0)
            close(again);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        if (is_temporary(place, entry->d_name))
            remove_unlocked(place, entry->d_name);
    closedir(folder);
}

lg_status
lg__place_open(const char *path, lg__place **out, lg_error *err)
{
    lg__place *place = NULL;
    char *at = strdup(path);
    lg_status status = at != NULL ? LG_OK : lg__error_memory(err);
    if (status == LG_OK)
        status = follow(path, &at, err);
    if (status != LG_OK)
        goto done;
    const char *name = name_in(at);
    size_t size = strlen(name) + 1;
    place = malloc(sizeof *place + size);
    if (place == NULL) {
        status = lg__error_memory(err);
        goto done;
    }
    memcpy(place->name, name, size);
    place->folder = open_folder(at);
    if (place->folder < 0)
        status = lg__place_refused(err, "create a file for", path);
    if (status == LG_OK)
        status = check_old(place, path, err);
    if (status != LG_OK)
        goto done;
    sweep(place);
    *out = place;
    place = NULL;
done:
    lg__place_close(place);
    free(at);
    return status;
}

void
lg__place_close(lg__place *place)
{
    if (place == NULL)
        return;
    if (place->folder >= 0)
        close(place->folder);
    free(place);
}
