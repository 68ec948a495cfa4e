#include "attach/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define MOST_VDSO 16384u

static struct iovec
remote_part(uint64_t address, size_t size)
{
    return (struct iovec){(void *)(uintptr_t)address, size};
}

bool
lg__remote_read(int process, uint64_t from, void *to, size_t size)
{
    struct iovec here = {to, size}, there = remote_part(from, size);
    return process_vm_readv(process, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool
lg__remote_write(int process, uint64_t to, const void *from, size_t size)
{
    struct iovec here = {(void *)(uintptr_t)from, size};
    struct iovec there = remote_part(to, size);
    return process_vm_writev(process, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/** The kernel's own library has the instruction in every process. */
static uint64_t
find_gadget(int process, uint64_t start, uint64_t end)
{
    static const unsigned char wanted[] = {0x0f, 0x05};
    unsigned char bytes[MOST_VDSO];
    size_t size = end - start < MOST_VDSO ? end - start : MOST_VDSO;
    if (!lg__remote_read(process, start, bytes, size))
        return 0;
    const unsigned char *found = memmem(bytes, size, wanted, sizeof wanted);
    return found ? start + (uint64_t)(found - bytes) : 0;
}

static bool
add_image(lg__remote_images *self, uint64_t start, const char *path)
{
    if (self->count == self->capacity) {
        size_t capacity = self->capacity ? 2 * self->capacity : 64;
        lg__remote_image *items =
            realloc(self->items, capacity * sizeof *items);
        if (items == NULL)
            return false;
        self->items = items;
        self->capacity = capacity;
    }
    lg__remote_image *image = &self->items[self->count++];
    const char *slash = strrchr(path, '/');
    image->start = start;
    snprintf(image->name, sizeof image->name, "%s", slash ? slash + 1 : path);
    image->name[strcspn(image->name, "\n")] = '\0';
    return true;
}

/** Notes the file of one line of /proc/PID/maps. */
static bool
note_mapping(int process, lg__remote_images *out, const char *line)
{
    uint64_t start, end, offset;
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n",
               &start, &end, &offset, &path) < 3)
        return true;
    if (strncmp(line + path, "[vdso]", 6) == 0)
        out->gadget = find_gadget(process, start, end);
    return path == 0 || offset != 0 || line[path] != '/' ||
           add_image(out, start, line + path);
}

bool
lg__remote_images_read(int process, lg__remote_images *out)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    bool done = true;
    *out = (lg__remote_images){.items = NULL};
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (done && getline(&line, &room, file) > 0)
        done = note_mapping(process, out, line);
    free(line);
    fclose(file);
    if (!done)
        lg__remote_images_free(out);
    return done;
}

void
lg__remote_images_free(lg__remote_images *self)
{
    free(self->items);
    *self = (lg__remote_images){.items = NULL};
}

lg__remote_place
lg__remote_find(int process, const lg__remote_images *images, const char *name)
{
    lg__remote_place place = {0, 0};
    for (size_t i = 0; i < images->count && place.address == 0; i++)
        place = lg__remote_symbol(process, &images->items[i], name);
    return place;
}

bool
lg__remote_has(const lg__remote_images *images, const char *prefix)
{
    for (size_t i = 0; i < images->count; i++)
        if (strncmp(images->items[i].name, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}
