#include "bytes/common/maps.h"

#include <string.h>
#include <sys/sysmacros.h>

bool
lg__maps_line(FILE *file, char line[LG__MAPS_LINE])
{
    if (fgets(line, LG__MAPS_LINE, file) == NULL)
        return false;
    size_t length = strcspn(line, "\n");
    bool whole = line[length] == '\n';
    line[length] = '\0';
    for (int c = 0; !whole && c != EOF && c != '\n';)
        c = getc(file);
    return true;
}

/* proc(5): "7f00-7f10 rw-p 00000000 fe:00 260386    /usr/lib/libc.so.6" */
bool
lg__map_of(const char *line, lg__mapping *out)
{
    char access[5];
    unsigned long start, end, inode;
    unsigned major, minor;
    int at = 0;
    if (sscanf(line, "%lx-%lx %4s %*s %x:%x %lu %n", &start, &end, access,
               &major, &minor, &inode, &at) != 6)
        return false;
    *out = (lg__mapping){.start = start,
                         .end = end,
                         .device = makedev(major, minor),
                         .inode = inode,
                         .executable = strchr(access, 'x') != NULL,
                         .path = at > 0 ? line + at : ""};
    return true;
}

bool
lg__maps_next(FILE *file, char line[LG__MAPS_LINE], lg__mapping *out)
{
    while (lg__maps_line(file, line))
        if (lg__map_of(line, out))
            return true;
    return false;
}
