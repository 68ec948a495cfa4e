/**
 * A hierarchy of groups is mounted somewhere, perhaps only a part of it from a
 * group on. /proc/PID/cgroup has the path of the group in each hierarchy. That
 * of version 2 has all controllers and names none there; those of version 1
 * name theirs, there and among the options of the mount.
 */
#include "capture/run/control_groups.h"
#include "capture/memory/capture_memory.h"
#include "capture/run/held.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of the files that list numbers, memory.stat is the longest, with 3 KiB. */
enum { STEP = 4096, FILE_BYTES = 8192 };

/** A part of a text. */
typedef struct piece {
    const char *start;
    size_t length;
} piece;

/** Where a hierarchy is mounted, and from which group on. */
typedef struct mounted {
    piece top, folder;
    bool has_path; /**< the group of the process lies there */
} mounted;

static ssize_t
read_at(int file, char *to, size_t size, size_t at)
{
    ssize_t length;
    do
        length = pread(file, to, size, (off_t)at);
    while (length < 0 && errno == EINTR);
    return length;
}

bool
lg__group_read(const char *path, char *text, size_t size)
{
    const lg__held file = lg__held_take(open(path, O_RDONLY | O_CLOEXEC));
    size_t length = 0;
    ssize_t more = 1;
    while (file.number >= 0 && more > 0 && length + 1 < size) {
        more = read_at(file.number, text + length, size - 1 - length, length);
        length += more > 0 ? (size_t)more : 0;
    }
    text[length] = '\0';
    lg__held_close(&file);
    return file.number >= 0 && more >= 0;
}

/** The text of a file, in pages of its own: a block of malloc would mix up what
 *  blocks that are free have, just before a capture lists them. */
typedef struct whole {
    char *text; /**< NULL: there is none */
    size_t size;
} whole;

static void
drop(whole *self)
{
    if (self->text != NULL)
        munmap(self->text, self->size);
    self->text = NULL;
}

/** Reads a file of any length. What fills its room may go on, and is read again
 *  into twice the room. */
static whole
read_whole(const char *path)
{
    whole found = {NULL, STEP};
    bool is_read;
    do {
        drop(&found);
        found.size *= 2;
        found.text = lg__pages_map(found.size);
        if (found.text == NULL)
            return found;
        is_read = lg__group_read(path, found.text, found.size);
    } while (is_read && strlen(found.text) + 1 == found.size);
    if (!is_read)
        drop(&found);
    return found;
}

/** The next piece up to one of the ends, which is then left behind. */
static piece
take(const char **at, const char *ends)
{
    const piece found = {*at, strcspn(*at, ends)};
    *at += found.length;
    *at += **at != '\0';
    return found;
}

static bool
is_text(piece self, const char *text)
{
    return strlen(text) == self.length &&
           memcmp(self.start, text, self.length) == 0;
}

/** Whether a list with commas has the word. */
static bool
has_word(piece list, const char *word)
{
    const char *at = list.start;
    const size_t length = strlen(word);
    const char *const end = list.start + list.length;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma != NULL ? comma : end;
        if ((size_t)(stop - at) == length && memcmp(at, word, length) == 0)
            return true;
        at = stop + 1;
    }
    return false;
}

/** Finds the path of the group in /proc/PID/cgroup. */
static bool
find_path(const char *rows, int version, const char *controller, piece *out)
{
    bool found = false;
    while (!found && *rows != '\0') {
        take(&rows, ":");
        const piece controllers = take(&rows, ":");
        *out = take(&rows, "\n");
        found = version == 2 ? controllers.length == 0
                             : has_word(controllers, controller);
    }
    return found;
}

/** Whether the path begins with "/..": the group lies outside of those that
 *  this process sees. */
static bool
lies_outside(piece path)
{
    return path.length >= 3 && memcmp(path.start, "/..", 3) == 0;
}

/** Whether a group is that group, or lies below it. */
static bool
lies_below(piece group, piece top)
{
    return is_text(top, "/") ||
           (group.length >= top.length &&
            memcmp(group.start, top.start, top.length) == 0 &&
            (group.length == top.length || group.start[top.length] == '/'));
}

/** Reads a row of /proc/PID/mountinfo, and leaves it behind. False if it is
 *  another hierarchy's. */
static bool
read_row(const char **rows, int version, const char *controller, mounted *out)
{
    const char *end = *rows + strcspn(*rows, "\n");
    const char *kind = strstr(*rows, " - ");
    const char *at = *rows;
    *rows = end + (*end != '\0');
    for (int i = 0; i < 3; i++)
        take(&at, " \n");
    out->top = take(&at, " \n");
    out->folder = take(&at, " \n");
    if (kind == NULL || kind > end)
        return false;
    kind += strlen(" - ");
    if (version == 2)
        return is_text(take(&kind, " \n"), "cgroup2");
    if (!is_text(take(&kind, " \n"), "cgroup"))
        return false;
    take(&kind, " \n");
    return has_word(take(&kind, " \n"), controller);
}

/** Finds the first mount that has the group, or else the first one. */
static bool
find_mount(const char *rows, int version, const char *controller, piece group,
           mounted *out)
{
    bool found = false;
    mounted one;
    *out = (mounted){.has_path = false};
    while (*rows != '\0' && !(found && out->has_path)) {
        if (!read_row(&rows, version, controller, &one))
            continue;
        one.has_path = lies_below(group, one.top);
        if (!found || one.has_path)
            *out = one;
        found = true;
    }
    return found;
}

/** Adds a piece in which the kernel writes some letters as \ooo. */
static void
add(char folder[PATH_MAX], piece more)
{
    size_t length = strlen(folder);
    const char *at = more.start;
    const char *const end = at + more.length;
    while (at < end && length + 1 < PATH_MAX) {
        unsigned letter = (unsigned char)*at;
        const bool escaped =
            *at == '\\' && end - at >= 4 && sscanf(at, "\\%3o", &letter) == 1;
        folder[length++] = (char)letter;
        at += escaped ? 4 : 1;
    }
    folder[length] = '\0';
}

/** Looks at the groups from the process's own up to the mount. */
static void
climb(const char *root, const mounted *mount, piece path, int version,
      lg__group_look *look, void *context)
{
    lg__group group = {.version = version};
    const size_t above = is_text(mount->top, "/") ? 0 : mount->top.length;
    add(group.folder, (piece){root, strlen(root)});
    add(group.folder, mount->folder);
    const size_t least = strlen(group.folder);
    if (mount->has_path && path.length > above && !is_text(path, "/"))
        add(group.folder, (piece){path.start + above, path.length - above});
    while (look(context, &group) && strlen(group.folder) > least)
        *strrchr(group.folder, '/') = '\0';
}

/** Looks at the groups of one hierarchy. What this process sees of its own
 *  group, if that lies elsewhere, is at the top. Of another process's it sees
 *  nothing then. */
static void
look_at_hierarchy(const char *root, bool own, piece path, const mounted *mount,
                  int version, lg__group_look *look, void *context)
{
    if (!own && (lies_outside(path) || !mount->has_path))
        return;
    while (lies_outside(path))
        path = (piece){path.start + 3, path.length - 3};
    climb(root, mount, path, version, look, context);
}

void
lg__groups_each(const char *root, int process, const char *controller,
                lg__group_look *look, void *context)
{
    char path[PATH_MAX];
    piece group;
    mounted mount;
    snprintf(path, sizeof path,
             process == 0 ? "%s/proc/self/cgroup" : "%s/proc/%d/cgroup", root,
             process);
    whole paths = read_whole(path);
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    whole mounts = read_whole(path);
    for (int version = 2;
         version > 0 && paths.text != NULL && mounts.text != NULL; version--)
        if (find_path(paths.text, version, controller, &group) &&
            find_mount(mounts.text, version, controller, group, &mount))
            look_at_hierarchy(root, process == 0, group, &mount, version, look,
                              context);
    drop(&paths);
    drop(&mounts);
}

bool
lg__group_number(const lg__group *group, const char *file, const char *name,
                 uint64_t *out)
{
    char path[PATH_MAX], text[FILE_BYTES];
    const size_t length = strlen(name);
    const int written =
        snprintf(path, sizeof path, "%s/%s", group->folder, file);
    if (written >= (int)sizeof path || !lg__group_read(path, text, sizeof text))
        return false;
    const char *at = text;
    while (at != NULL && strncmp(at, name, length) != 0) {
        const char *end = strchr(at, '\n');
        at = end != NULL ? end + 1 : NULL;
    }
    return at != NULL && sscanf(at + length, "%" SCNu64, out) == 1;
}
