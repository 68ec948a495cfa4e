#include "heap/image_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_HEADERS = 64 };

/** Reads the program headers of a file that is mapped from here on. False: it
 *  is not an ELF file. */
static bool
read_headers(uintptr_t start, Elf64_Phdr *out, size_t *count)
{
    Elf64_Ehdr head;
    if (!lg__peek(&head, (const void *)start, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof *out || head.e_phnum > MOST_HEADERS ||
        head.e_phoff > LG__PAGE)
        return false;
    *count = head.e_phnum;
    return lg__peek(out, (const void *)(start + head.e_phoff),
                    head.e_phnum * sizeof *out);
}

static uintptr_t
page_up(uintptr_t address)
{
    return (address + LG__PAGE - 1) & ~(uintptr_t)(LG__PAGE - 1);
}

/** Fills in the image that begins with an area. */
static bool
read_image(const lg__area *area, lg__image *out)
{
    Elf64_Phdr headers[MOST_HEADERS];
    size_t count = 0, i = 0;
    if (area->kind != LG__AREA_FILE || area->offset != 0 ||
        !read_headers(area->start, headers, &count))
        return false;
    while (i < count && headers[i].p_type != PT_LOAD)
        i++;
    if (i == count)
        return false;
    *out = (lg__image){.start = area->start,
                       .bias = area->start -
                               (headers[i].p_vaddr & ~(uint64_t)(LG__PAGE - 1)),
                       .inode = area->inode,
                       .path = area->path};
    for (; i < count; i++)
        if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_W) {
            uintptr_t end =
                page_up(out->bias + headers[i].p_vaddr + headers[i].p_memsz);
            if (end > out->end)
                out->end = end;
        }
    return true;
}

void
lg__image_list_read(lg__image_list *out, const lg__areas *areas)
{
    out->count = 0;
    for (size_t i = 0; i < areas->count && out->count < LG__IMAGES_MOST; i++)
        out->count += read_image(&areas->items[i], &out->items[out->count]);
}

lg__image *
lg__image_of_area(lg__image_list *images, const lg__area *area)
{
    size_t low = 0, high = images->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (images->items[middle].start <= area->start)
            low = middle + 1;
        else
            high = middle;
    }
    lg__image *image = low > 0 ? &images->items[low - 1] : NULL;
    bool same =
        image != NULL && (image->inode == area->inode ||
                          (area->inode == 0 && area->start < image->end));
    return same ? image : NULL;
}

/**
 * Names of C++ and Rust as people write them. The C++ library's own function
 * asks malloc for memory, which a forked child must not do.
 */

/**
 * The Itanium C++ ABI, section "External Names": `_ZN` <parts> `E`, where a
 * part is its length and its text, `I` <types> `E` are the parameters of a
 * template, and `S` begins an abbreviation.
 */

enum { MOST_DEPTH = 64, HASH = 17 /* of a Rust symbol: h and 16 digits */ };

/** What is written so far. */
typedef struct writer {
    char *out;
    size_t size, length;
} writer;

static void
put(writer *self, const char *text, size_t length)
{
    if (length > self->size - 1 - self->length)
        length = self->size - 1 - self->length;
    memcpy(self->out + self->length, text, length);
    self->length += length;
    self->out[self->length] = '\0';
}

static void
put_part(writer *self, const char *text, size_t length, bool *first)
{
    if (!*first)
        put(self, "::", 2);
    *first = false;
    put(self, text, length);
}

/** Reads a length and passes over it; 0: there is none, or the text is shorter.
 */
static size_t
read_length(const char **at)
{
    size_t length = 0;
    while (**at >= '0' && **at <= '9' && length < 100000)
        length = 10 * length + (size_t)(*(*at)++ - '0');
    return strnlen(*at, length) == length ? length : 0;
}

/** The end of an abbreviation: `St`, `S_`, `S1A_`. */
static const char *
skip_abbreviation(const char *at)
{
    if (at[1] >= 'a' && at[1] <= 'z')
        return at + 2;
    const char *end = strchr(at, '_');
    return end != NULL ? end + 1 : at + strlen(at);
}

/** The end of a template's parameters, from their `I` on; NULL: not
 *  understood. */
static const char *
skip_parameters(const char *at)
{
    int depth = 0;
    while (*at != '\0' && depth < MOST_DEPTH) {
        if (*at >= '0' && *at <= '9') {
            size_t length = read_length(&at);
            if (length == 0)
                return NULL;
            at += length;
        } else if (*at == 'S' || *at == 'T') {
            at = skip_abbreviation(at);
        } else if (*at == 'L' && at[1] >= 'a' && at[1] <= 'z') {
            at = strchr(at, 'E');
            if (at++ == NULL)
                return NULL;
        } else {
            depth += *at == 'I' || *at == 'N' || *at == 'F' || *at == 'J' ||
                     *at == 'X' || *at == 'L';
            depth -= *at == 'E';
            at++;
            if (depth == 0)
                return at;
        }
    }
    return NULL;
}

static const struct {
    const char *code, *text;
} abbreviations[] = {
    {"St", "std"},          {"Sa", "std::allocator"},
    {"Ss", "std::string"},  {"Sb", "std::basic_string"},
    {"Si", "std::istream"}, {"So", "std::ostream"},
};

static bool
put_abbreviation(writer *self, const char *at, bool *first)
{
    for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations; i++)
        if (strncmp(at, abbreviations[i].code, 2) == 0) {
            put_part(self, abbreviations[i].text, strlen(abbreviations[i].text),
                     first);
            return true;
        }
    return false;
}

/** Writes one part of a name; returns what follows, or NULL. */
static const char *
put_next(writer *self, const char *at, bool *first)
{
    if (*at == 'I') {
        put(self, "<...>", 5);
        return skip_parameters(at);
    }
    if (*at == 'S')
        return put_abbreviation(self, at, first) ? at + 2 : NULL;
    if (*at == 'L' || *at == 'K' || *at == 'V')
        return at + 1;
    if (strncmp(at, "12_GLOBAL__N_1", 14) == 0)
        return at + 14;
    size_t length = read_length(&at);
    if (length == 0)
        return NULL;
    bool is_hash = length == HASH && *at == 'h' && at[length] == 'E';
    if (!is_hash)
        put_part(self, at, length, first);
    return at + length;
}

/** Writes a name: nested, or of one part and its parameters. */
static bool
put_name(writer *self, const char *at)
{
    bool first = true;
    bool nested = *at == 'N';
    at += nested;
    for (int parts = 0; at != NULL && parts < MOST_DEPTH; parts++) {
        if (nested ? *at == 'E' : !first && *at != 'I' && at[-1] != 't')
            return !first;
        at = put_next(self, at, &first);
    }
    return false;
}

static const struct {
    const char *code, *text;
} kinds[] = {
    {"_ZTV", "vtable for "},
    {"_ZTI", "typeinfo for "},
    {"_ZTS", "typeinfo name for "},
    {"_ZGV", "guard variable for "},
    {"_Z", ""},
};

/** Writes a symbol's name without parameters, and with `<...>` for those of a
 *  template: "vtable for torch::autograd::Node", "c10::List<...>". What it does
 *  not understand stays as it is. Cuts what is too long. */
static void
demangle(const char *symbol, char *out, size_t size)
{
    writer self = {out, size, 0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].code);
        if (strncmp(symbol, kinds[i].code, length) != 0)
            continue;
        put(&self, kinds[i].text, strlen(kinds[i].text));
        if (put_name(&self, symbol + length))
            return;
        break;
    }
    self.length = 0;
    put(&self, symbol, strlen(symbol));
}

/**
 * Names of what lies in a library, from the tables of symbols in its file. The
 * loader's own functions wait for its lock, which a forked child must not.
 */

enum { MOST_NAME = 512, MOST_SECTIONS = 4096 };

/** Maps the file, if it is still the one that the process runs. */
static void
open_file(lg__image *image)
{
    struct stat now;
    int file = open(image->path, O_RDONLY | O_CLOEXEC);
    image->tried = true;
    if (file < 0)
        return;
    if (fstat(file, &now) == 0 && now.st_ino == image->inode &&
        now.st_size > (off_t)sizeof(Elf64_Ehdr)) {
        void *bytes =
            mmap(NULL, (size_t)now.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            image->file = bytes;
            image->size = (size_t)now.st_size;
        }
    }
    close(file);
}

/** `count` items of a size at a place in the file; NULL if it is shorter. */
static const void *
in_file(const lg__image *image, uint64_t offset, uint64_t count, size_t size)
{
    return offset % 8 == 0 && offset <= image->size &&
                   count <= (image->size - offset) / size
               ? image->file + offset
               : NULL;
}

/** The text of a table of texts; NULL if it does not end there. */
static const char *
text_at(const lg__image *image, const Elf64_Shdr *texts, uint32_t offset)
{
    if (texts->sh_offset > image->size ||
        texts->sh_size > image->size - texts->sh_offset ||
        offset >= texts->sh_size)
        return NULL;
    const char *text = image->file + texts->sh_offset + offset;
    return memchr(text, '\0', texts->sh_size - offset) != NULL ? text : NULL;
}

/** Rules nearly all symbols out by the first comparison. */
static bool
contains(const Elf64_Sym *symbol, uint64_t place)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return place - symbol->st_value < symbol->st_size &&
           symbol->st_shndx != SHN_UNDEF && symbol->st_name != 0 &&
           (type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE);
}

static bool
find_in(const lg__image *image, const Elf64_Shdr *table,
        const Elf64_Shdr *texts, uint64_t place, lg_native_symbol *out)
{
    static char name[MOST_NAME];
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbols =
        in_file(image, table->sh_offset, count, sizeof *symbols);
    for (uint64_t i = 0; symbols != NULL && i < count; i++) {
        const char *text = contains(&symbols[i], place)
                               ? text_at(image, texts, symbols[i].st_name)
                               : NULL;
        if (text == NULL)
            continue;
        demangle(text, name, sizeof name);
        *out =
            (lg_native_symbol){image->path, name, place - symbols[i].st_value};
        return true;
    }
    return false;
}

bool
lg__image_symbol(lg__image *image, uintptr_t address, lg_native_symbol *out)
{
    if (!image->tried)
        open_file(image);
    if (image->file == NULL)
        return false;
    const Elf64_Ehdr *head = (const void *)image->file;
    const Elf64_Shdr *sections =
        head->e_shentsize == sizeof *sections && head->e_shnum <= MOST_SECTIONS
            ? in_file(image, head->e_shoff, head->e_shnum, sizeof *sections)
            : NULL;
    for (unsigned i = 0; sections != NULL && i < head->e_shnum; i++) {
        const Elf64_Shdr *table = &sections[i];
        if ((table->sh_type == SHT_DYNSYM || table->sh_type == SHT_SYMTAB) &&
            table->sh_link < head->e_shnum &&
            find_in(image, table, &sections[table->sh_link],
                    address - image->bias, out))
            return true;
    }
    return false;
}
