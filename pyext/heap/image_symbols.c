/**
 * Names of what lies in a library, from the tables of symbols in its file. The
 * loader's own functions wait for its lock, which a forked child must not.
 */
#include "heap/image_list.h"
#include "heap/demangle.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool
contains(const Elf64_Sym *symbol, uint64_t place)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_name != 0 &&
           (type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE) &&
           place >= symbol->st_value &&
           place - symbol->st_value < symbol->st_size;
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
        lg__demangle(text, name, sizeof name);
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
