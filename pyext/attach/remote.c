#include "attach/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_ENTRIES 128
/** Pages of which /proc/PID/pagemap tells at once, and its bit for guards. */
#define PART_PAGES 512
#define PAGE_BYTES 4096
/** No image of a program is so far from where its file says. */
#define NO_BIAS UINT64_MAX
#define GUARD ((uint64_t)1 << 58)
/* The limits for damaged tables, whose chains may never end. */
#define MOST_CHAIN 4096
#define MOST_LOADED 65536

int
lg__remote_open(int process, lg__remote *out)
{
    char path[64];
    lg__remote self = {
        .process = process, .memory = -1, .maps = -1, .pages = -1};
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
    snprintf(path, sizeof path, "/proc/%d/pagemap", process);
    if (self.maps >= 0)
        self.pages = open(path, O_RDONLY | O_CLOEXEC);
    if (code != 0)
        lg__remote_close(&self);
    else
        *out = self;
    return code;
}

void
lg__remote_close(lg__remote *self)
{
    if (self->pages >= 0)
        close(self->pages);
    if (self->maps >= 0)
        close(self->maps);
    if (self->memory >= 0)
        close(self->memory);
    if (self->handle >= 0)
        close(self->handle);
    self->pages = self->maps = self->memory = self->handle = -1;
}

bool
lg__remote_has_ended(const lg__remote *self)
{
    return lg__remote_ends_within(self, 0);
}

bool
lg__remote_ends_within(const lg__remote *self, int milliseconds)
{
    struct pollfd end = {self->handle, POLLIN, 0};
    return poll(&end, 1, milliseconds) == 1;
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

bool
lg__remote_mapping_at(const lg__remote *self, uint64_t address,
                      lg__mapping *out, bool *guarded)
{
    lg__maps maps = {.descriptor = self->maps};
    char line[LG__MAPS_LINE];
    lg__mapping last = {.readable = true};
    *out = (lg__mapping){.end = 0};
    lg__maps_rewind(&maps);
    while (lg__maps_next(&maps, line, out) && out->end <= address)
        last = *out;
    *guarded = last.end == out->start && !last.readable && !last.writable &&
               !last.executable;
    out->path = NULL;
    return address >= out->start && address < out->end;
}

uint64_t
lg__remote_guard_before(const lg__remote *self, uint64_t start,
                        uint64_t address)
{
    uint64_t entries[PART_PAGES];
    uint64_t page = address / PAGE_BYTES, first = start / PAGE_BYTES;
    while (self->pages >= 0 && page > first) {
        uint64_t count = page - first < PART_PAGES ? page - first : PART_PAGES;
        page -= count;
        if (pread(self->pages, entries, count * sizeof *entries,
                  (off_t)(page * sizeof *entries)) !=
            (ssize_t)(count * sizeof *entries))
            return 0;
        for (uint64_t i = count; i-- > 0;)
            if (entries[i] & GUARD)
                return (page + i) * PAGE_BYTES;
    }
    return 0;
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
    image->start = start;
    snprintf(image->name, sizeof image->name, "%s", strrchr(path, '/') + 1);
    return true;
}

bool
lg__remote_headers_read(const lg__remote *self, uint64_t start,
                        lg__remote_headers *out)
{
    Elf64_Ehdr head;
    const size_t most = sizeof out->items / sizeof *out->items;
    if (!lg__remote_read(self, start, &head, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64 ||
        head.e_phentsize != sizeof *out->items || head.e_phnum > most ||
        !lg__remote_read(self, start + head.e_phoff, out->items,
                         head.e_phnum * sizeof *out->items))
        return false;
    out->count = head.e_phnum;
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].p_type == PT_LOAD) {
            out->bias = start - (out->items[i].p_vaddr & ~(uint64_t)0xfff);
            return true;
        }
    return false;
}

/** The tables of one image. */
typedef struct tables {
    const lg__remote *remote;
    uint64_t bias; /**< what to add to the addresses in the file */
    uint64_t symbols;
    uint64_t texts;
    uint64_t hash;
} tables;

/** The loader has added the bias to some entries. */
static uint64_t
absolute(const tables *self, uint64_t address)
{
    return address < self->bias ? address + self->bias : address;
}

static void
read_dynamic(tables *self, const Elf64_Phdr *header)
{
    Elf64_Dyn entries[MOST_ENTRIES];
    size_t count = header->p_memsz / sizeof *entries;
    if (count > MOST_ENTRIES)
        count = MOST_ENTRIES;
    if (!lg__remote_read(self->remote, self->bias + header->p_vaddr, entries,
                         count * sizeof *entries))
        return;
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
        uint64_t address = absolute(self, entries[i].d_un.d_ptr);
        if (entries[i].d_tag == DT_SYMTAB)
            self->symbols = address;
        else if (entries[i].d_tag == DT_STRTAB)
            self->texts = address;
        else if (entries[i].d_tag == DT_GNU_HASH)
            self->hash = address;
    }
}

static bool
open_tables(tables *self, uint64_t start)
{
    lg__remote_headers headers;
    if (!lg__remote_headers_read(self->remote, start, &headers))
        return false;
    self->bias = headers.bias;
    for (size_t i = 0; i < headers.count; i++)
        if (headers.items[i].p_type == PT_DYNAMIC)
            read_dynamic(self, &headers.items[i]);
    return self->symbols && self->texts && self->hash;
}

/** The place of symbol `index` if it is defined and has this name. */
static lg__remote_place
symbol_named(const tables *self, uint32_t index, const char *name)
{
    char text[64] = "";
    Elf64_Sym symbol;
    size_t size = strlen(name) + 1;
    if (size > sizeof text ||
        !lg__remote_read(self->remote, self->symbols + index * sizeof symbol,
                         &symbol, sizeof symbol) ||
        symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 ||
        !lg__remote_read(self->remote, self->texts + symbol.st_name, text,
                         size) ||
        memcmp(text, name, size) != 0)
        return (lg__remote_place){0, 0};
    return (lg__remote_place){self->bias + symbol.st_value, symbol.st_size};
}

static uint32_t
hash_of(const char *name)
{
    uint32_t hash = 5381;
    while (*name != '\0')
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

/** What an image exports by this name. Reads the tables that the loader uses,
 *  which a stripped file has, too. O(1). */
static lg__remote_place
symbol_of(const lg__remote *self, const lg__remote_image *image,
          const char *name)
{
    const lg__remote_place none = {0, 0};
    tables in = {.remote = self};
    /* The number of buckets, the first symbol's number, the words and the shift
       of the filter. */
    uint32_t head[4], index, hashed, wanted = hash_of(name);
    if (!open_tables(&in, image->start) ||
        !lg__remote_read(self, in.hash, head, sizeof head) || head[0] == 0)
        return none;
    uint64_t buckets = in.hash + sizeof head + 8ull * head[2];
    uint64_t chain = buckets + 4ull * head[0];
    if (!lg__remote_read(self, buckets + 4ull * (wanted % head[0]), &index,
                         sizeof index) ||
        index < head[1])
        return none;
    for (int steps = 0; steps < MOST_CHAIN; steps++, index++) {
        if (!lg__remote_read(self, chain + 4ull * (index - head[1]), &hashed,
                             sizeof hashed))
            return none;
        lg__remote_place found = none;
        if ((hashed | 1) == (wanted | 1))
            found = symbol_named(&in, index, name);
        if (found.address || (hashed & 1))
            return found;
    }
    return none;
}

lg__remote_place
lg__remote_find(const lg__remote *self, const lg__remote_images *images,
                const char *name)
{
    lg__remote_place place = {0, 0};
    for (size_t i = 0; i < images->count && place.address == 0; i++)
        if (images->items[i].loaded)
            place = symbol_of(self, &images->items[i], name);
    return place;
}

/** Reads from which address on the process has its loader: the system has told
 *  the program so. A program without one, or that is the loader, has itself
 *  there. 0: unknown. */
static uint64_t
find_loader(const lg__remote *self)
{
    char path[64];
    Elf64_auxv_t one;
    uint64_t base = 0, headers = 0;
    snprintf(path, sizeof path, "/proc/%d/auxv", self->process);
    FILE *file = fopen(path, "re");
    while (file != NULL && fread(&one, sizeof one, 1, file) == 1)
        if (one.a_type == AT_BASE)
            base = one.a_un.a_val;
        else if (one.a_type == AT_PHDR)
            headers = one.a_un.a_val & ~(uint64_t)(PAGE_BYTES - 1);
    if (file != NULL)
        fclose(file);
    return base ? base : headers;
}

/** Marks the images that the loader has put at this distance. */
static void
mark_loaded(lg__remote_images *self, const uint64_t *biases, uint64_t bias)
{
    for (size_t i = 0; i < self->count; i++)
        self->items[i].loaded |= biases[i] == bias;
}

/** Follows the list by which the loader tells debuggers what it has loaded. */
static void
follow_list(const lg__remote *self, const lg__remote_image *loader,
            lg__remote_images *images, const uint64_t *biases)
{
    struct r_debug list;
    struct link_map one;
    lg__remote_place place = symbol_of(self, loader, "_r_debug");
    if (place.address == 0 ||
        !lg__remote_read(self, place.address, &list, sizeof list))
        return;
    uint64_t next = (uint64_t)(uintptr_t)list.r_map;
    for (int i = 0; i < MOST_LOADED && next != 0; i++) {
        if (!lg__remote_read(self, next, &one, sizeof one))
            return;
        mark_loaded(images, biases, one.l_addr);
        next = (uint64_t)(uintptr_t)one.l_next;
    }
}

/** Finds out which images are loaded; false without memory. */
static bool
find_loaded(const lg__remote *self, lg__remote_images *images)
{
    lg__remote_headers headers;
    const uint64_t start = find_loader(self);
    const lg__remote_image *loader = NULL;
    uint64_t *biases = malloc((images->count + 1) * sizeof *biases);
    if (biases == NULL)
        return false;
    for (size_t i = 0; i < images->count; i++) {
        lg__remote_image *image = &images->items[i];
        bool read = lg__remote_headers_read(self, image->start, &headers);
        biases[i] = read ? headers.bias : NO_BIAS;
        image->loaded = read && image->start == start;
        if (image->loaded)
            loader = image;
    }
    if (loader != NULL)
        follow_list(self, loader, images, biases);
    free(biases);
    return true;
}

/** Lists the files that the process has mapped. Loaders share no mapping with
 *  others, but a program may share that of a device, which may do something as
 *  soon as somebody reads from it. */
static bool
list_images(const lg__remote *self, lg__remote_images *out)
{
    char path[64], line[LG__MAPS_LINE];
    lg__maps maps;
    lg__mapping one;
    bool done = true;
    snprintf(path, sizeof path, "/proc/%d/maps", self->process);
    if (!lg__maps_open(&maps, path))
        return false;
    while (done && lg__maps_next(&maps, line, &one)) {
        out->mappings++;
        if (strcmp(one.path, "[stack]") == 0) {
            out->stack_start = one.start;
            out->stack_end = one.end;
        }
        if (one.offset == 0 && one.path[0] == '/' && !one.shared)
            done = add_image(out, one.start, one.path);
    }
    lg__maps_close(&maps);
    return done;
}

bool
lg__remote_images_read(const lg__remote *self, lg__remote_images *out)
{
    *out = (lg__remote_images){.items = NULL};
    if (list_images(self, out) && find_loaded(self, out))
        return true;
    lg__remote_images_free(out);
    return false;
}

void
lg__remote_images_free(lg__remote_images *self)
{
    free(self->items);
    *self = (lg__remote_images){.items = NULL};
}

bool
lg__remote_has(const lg__remote_images *images, const char *prefix)
{
    for (size_t i = 0; i < images->count; i++)
        if (strncmp(images->items[i].name, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

bool
lg__remote_number(const char *path, const char *word, int base, uint64_t *out)
{
    char line[128];
    bool found = false;
    FILE *file = fopen(path, "re");
    while (!found && file != NULL && fgets(line, sizeof line, file)) {
        found = strncmp(line, word, strlen(word)) == 0;
        if (found)
            *out = strtoull(line + strlen(word), NULL, base);
    }
    if (file != NULL)
        fclose(file);
    return found;
}
