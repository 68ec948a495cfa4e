// Two kinds of hierarchies freeze: that of version 2, and that of version 1
// with the controller `freezer`. Their files tell of a group that is frozen
// with one above it, too.
#include "attach/frozen.h"
#include "capture/run/capture_run.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** Version 1 has "FROZEN" or "FREEZING" there. */
static bool
freezes_first(const lg__group *group)
{
    char path[PATH_MAX], text[16];
    const int length =
        snprintf(path, sizeof path, "%s/freezer.state", group->folder);
    return length < (int)sizeof path &&
           lg__group_read(path, text, sizeof text) &&
           strncmp(text, "FR", 2) == 0;
}

/** Looks at the process's own group alone. */
static bool
look(void *context, const lg__group *group)
{
    bool *frozen = context;
    uint64_t state = 0;
    if (group->version == 1)
        *frozen |= freezes_first(group);
    else if (lg__group_number(group, "cgroup.events", "frozen ", &state))
        *frozen |= state == 1;
    return false;
}

bool
lg__process_is_frozen(int process)
{
    bool frozen = false;
    lg__groups_each("", process, "freezer", look, &frozen);
    return frozen;
}
