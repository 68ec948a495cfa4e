/**
 * Symbols of a mapped ELF file, by the hash table that its loader uses. It is
 * read from the memory of the process, so it does not matter whether the file
 * is still there, or in which namespace.
 */
#include "attach/remote.h"

#include <elf.h>
#include <string.h>

#define MOST_HEADERS 64
#define MOST_ENTRIES 128
/* The limit for damaged tables, whose chains may never end. */
#define MOST_CHAIN 4096

/** The tables of one image. */
typedef struct tables {
    const lg__remote *remote;
    uint64_t bias; /**< what to add to the addresses in the file */
    uint64_t symbols;
    uint64_t texts;
    uint64_t hash;
} tables;

static bool
read_headers(tables *self, uint64_t start, Elf64_Phdr *headers, size_t *count)
{
    Elf64_Ehdr head;
    if (!lg__remote_read(self->remote, start, &head, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof *headers || head.e_phnum > MOST_HEADERS)
        return false;
    *count = head.e_phnum;
    return lg__remote_read(self->remote, start + head.e_phoff, headers,
                           head.e_phnum * sizeof *headers);
}

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
    Elf64_Phdr headers[MOST_HEADERS];
    size_t count = 0;
    if (!read_headers(self, start, headers, &count))
        return false;
    size_t first = 0;
    while (first < count && headers[first].p_type != PT_LOAD)
        first++;
    if (first == count)
        return false;
    self->bias = start - (headers[first].p_vaddr & ~(uint64_t)0xfff);
    for (size_t i = 0; i < count; i++)
        if (headers[i].p_type == PT_DYNAMIC)
            read_dynamic(self, &headers[i]);
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

lg__remote_place
lg__remote_symbol(const lg__remote *self, const lg__remote_image *image,
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
