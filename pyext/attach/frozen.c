// A hierarchy of control groups is mounted somewhere, perhaps only a part of it
// from a group on. /proc/PID/cgroup has the path of the group in each
// hierarchy. Two kinds of hierarchies freeze: that of version 2, which has no
// controllers there, and that of version 1 with the controller `freezer`. Their
// files tell of a group that is frozen with one above it, too.
#include "attach/frozen.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hierarchy {
    const char *type;        /**< of the file system, in /proc/self/mountinfo */
    const char *option;      /**< of its mount; empty: any */
    const char *controllers; /**< in /proc/PID/cgroup, with a colon on each
                                  side */
    const char *file, *frozen; /**< a line that begins so is in the file:
                                  "FROZEN" or "FREEZING" in version 1 */
} hierarchy;

static const hierarchy hierarchies[] = {
    {" - cgroup2 ", "", "::", "/cgroup.events", "frozen 1"},
    {" - cgroup ", "freezer", ":freezer:", "/freezer.state", "FR"},
};

/** Reads lines until one is as wanted. Free *line in any case. */
static bool
find_line(const char *path, bool (*is_wanted)(const hierarchy *, const char *),
          const hierarchy *of, char **line)
{
    size_t room = 0;
    bool found = false;
    FILE *file = fopen(path, "re");
    while (!found && file != NULL && getline(line, &room, file) >= 0)
        found = is_wanted(of, *line);
    if (file != NULL)
        fclose(file);
    if (found)
        (*line)[strcspn(*line, "\n")] = '\0';
    return found;
}

static bool
is_group(const hierarchy *of, const char *line)
{
    const char *controllers = strchr(line, ':');
    return controllers != NULL &&
           strncmp(controllers, of->controllers, strlen(of->controllers)) == 0;
}

static bool
is_mount(const hierarchy *of, const char *line)
{
    const char *type = strstr(line, of->type);
    return type != NULL && strstr(type, of->option) != NULL;
}

static bool
is_frozen(const hierarchy *of, const char *line)
{
    return strncmp(line, of->frozen, strlen(of->frozen)) == 0;
}

/** Finds the group's file, given the path of the group and the line of the
 *  mount, whose fourth and fifth word are the group and the folder that it
 *  shows it at. */
static bool
find_file(const hierarchy *of, const char *group, const char *mount,
          char out[PATH_MAX])
{
    char top[PATH_MAX], folder[PATH_MAX];
    if (sscanf(mount, "%*s %*s %*s %4095s %4095s", top, folder) != 2)
        return false;
    size_t above = strcmp(top, "/") == 0 ? 0 : strlen(top);
    if (strncmp(group, top, above) != 0 ||
        (group[above] != '/' && group[above] != '\0'))
        above = 0;
    int length =
        snprintf(out, PATH_MAX, "%s%s%s", folder, group + above, of->file);
    return length > 0 && length < PATH_MAX;
}

static bool
freezes(const hierarchy *of, int process)
{
    char path[PATH_MAX];
    char *group = NULL, *mount = NULL, *state = NULL;
    snprintf(path, sizeof path, "/proc/%d/cgroup", process);
    bool frozen = find_line(path, is_group, of, &group) &&
                  find_line("/proc/self/mountinfo", is_mount, of, &mount) &&
                  find_file(of, strchr(group, ':') + strlen(of->controllers),
                            mount, path) &&
                  find_line(path, is_frozen, of, &state);
    free(group);
    free(mount);
    free(state);
    return frozen;
}

bool
lg__process_is_frozen(int process)
{
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++)
        if (freezes(&hierarchies[i], process))
            return true;
    return false;
}
