#include "attach/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int
lg__remote_open(int process, lg__remote *out)
{
    char path[64];
    lg__remote self = {.process = process, .memory = -1, .maps = -1};
    int code = 0;
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    self.handle = (int)syscall(SYS_pidfd_open, process, 0);
    if (self.handle >= 0)
        self.memory = open(path, O_RDWR | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    if (self.memory >= 0)
        self.maps = open(path, O_RDONLY | O_CLOEXEC);
    if (self.maps < 0)
        code = errno;
    if (code != 0)
        lg__remote_close(&self);
    else
        *out = self;
    return code;
}

void
lg__remote_close(lg__remote *self)
{
    if (self->maps >= 0)
        close(self->maps);
    if (self->memory >= 0)
        close(self->memory);
    if (self->handle >= 0)
        close(self->handle);
    self->maps = self->memory = self->handle = -1;
}

bool
lg__remote_has_ended(const lg__remote *self)
{
    struct pollfd end = {self->handle, POLLIN, 0};
    return poll(&end, 1, 0) == 1;
}

size_t
lg__remote_read_part(const lg__remote *self, uint64_t from, void *to,
                     size_t size)
{
    ssize_t length = pread(self->memory, to, size, (off_t)from);
    return length < 0 ? 0 : (size_t)length;
}

bool
lg__remote_read(const lg__remote *self, uint64_t from, void *to, size_t size)
{
    return lg__remote_read_part(self, from, to, size) == size;
}

bool
lg__remote_write(const lg__remote *self, uint64_t to, const void *from,
                 size_t size)
{
    return pwrite(self->memory, from, size, (off_t)to) == (ssize_t)size;
}

/** Reads a line. `last` is that of the line before. */
static void
read_line(lg__remote_mapping *last, const char *line)
{
    char *next;
    lg__remote_mapping self = {.start = strtoull(line, &next, 16)};
    self.end = strtoull(next + (*next == '-'), &next, 16);
    self.guarded = last->end == self.start && strstr(last->line, " ---p ");
    memcpy(self.line, line, sizeof self.line);
    *last = self;
}

bool
lg__remote_mapping_at(const lg__remote *self, uint64_t address,
                      lg__remote_mapping *out)
{
    char bytes[4096], line[LG__MAPPING_BYTES] = "";
    off_t from = 0;
    ssize_t length;
    size_t used = 0;
    *out = (lg__remote_mapping){.start = 0};
    while ((length = pread(self->maps, bytes, sizeof bytes, from)) > 0) {
        for (ssize_t i = 0; i < length; i++) {
            if (bytes[i] != '\n') {
                if (used + 1 < sizeof line)
                    line[used++] = bytes[i];
                continue;
            }
            read_line(out, line);
            if (address < out->end)
                return address >= out->start;
            memset(line, 0, sizeof line);
            used = 0;
        }
        from += length;
    }
    return false;
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
note_mapping(lg__remote_images *out, const char *line)
{
    uint64_t start, end, offset;
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n",
               &start, &end, &offset, &path) < 3)
        return true;
    if (strncmp(line + path, "[stack]", 7) == 0)
        out->stack_end = end;
    return path == 0 || offset != 0 || line[path] != '/' ||
           add_image(out, start, line + path);
}

bool
lg__remote_images_read(const lg__remote *self, lg__remote_images *out)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    bool done = true;
    *out = (lg__remote_images){.items = NULL};
    snprintf(path, sizeof path, "/proc/%d/maps", self->process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (done && getline(&line, &room, file) > 0)
        done = note_mapping(out, line);
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
lg__remote_find(const lg__remote *self, const lg__remote_images *images,
                const char *name)
{
    lg__remote_place place = {0, 0};
    for (size_t i = 0; i < images->count && place.address == 0; i++)
        place = lg__remote_symbol(self, &images->items[i], name);
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
