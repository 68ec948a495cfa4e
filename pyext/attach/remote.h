/**
 * Memory and symbols of another process. Nothing here stops it or changes more
 * than the bytes that it is told to write.
 */
#ifndef LEAKGRAPH_REMOTE_H
#define LEAKGRAPH_REMOTE_H

#include "bytes/common/bytes_common.h"

#include <elf.h>

/** A process and the program that it ran when this was opened. */
typedef struct lg__remote {
    int process;
    int handle; /**< pidfd: the process, not a later one with its number */
    int memory; /**< /proc/PID/mem: the program. Once the process runs another
                     one, nothing can be read or written by it. */
    int maps;   /**< /proc/PID/maps of the same program */
    int pages;  /**< /proc/PID/pagemap; -1: the system has none */
} lg__remote;

/** Opens both. 0, or an error code of the system. */
int lg__remote_open(int process, lg__remote *out);
void lg__remote_close(lg__remote *self);
/** Whether the process has ended. */
bool lg__remote_has_ended(const lg__remote *self);
bool lg__remote_ends_within(const lg__remote *self, int milliseconds);

bool lg__remote_read(const lg__remote *self, uint64_t from, void *to,
                     size_t size);
/** The same as far as there is memory; returns for how many bytes. */
size_t lg__remote_read_part(const lg__remote *self, uint64_t from, void *to,
                            size_t size);
/** Also writes to memory that is read only for the process. */
bool lg__remote_write(const lg__remote *self, uint64_t to, const void *from,
                      size_t size);

/** Finds the mapping with this address, without its path. `guarded`: the memory
 *  before it may not be touched. Allocates nothing. */
bool lg__remote_mapping_at(const lg__remote *self, uint64_t address,
                           lg__mapping *out, bool *guarded);

/** Finds the last page before `address`, and not before `start`, that nobody
 * may touch although it belongs to a mapping: from Linux 6.13 on, thread stacks
 * end by such a page, and Linux 6.15 shows them. 0: there is none. */
uint64_t lg__remote_guard_before(const lg__remote *self, uint64_t start,
                                 uint64_t address);

/** The headers of an ELF file that the process has mapped. */
typedef struct lg__remote_headers {
    Elf64_Phdr items[64];
    size_t count;
    uint64_t bias; /**< what to add to the addresses in the file */
} lg__remote_headers;

/** Reads them where the first byte of the file lies. False if it is another
 *  kind of file. */
bool lg__remote_headers_read(const lg__remote *self, uint64_t start,
                             lg__remote_headers *out);

/** A file that the process has mapped for itself, from its first byte on. */
typedef struct lg__remote_image {
    uint64_t start;
    bool loaded;    /**< by the loader, or the loader itself. A program may also
                         map such a file to read it, or to emulate what it says:
                         nobody can call what is there */
    char name[256]; /**< the last part of its path */
} lg__remote_image;

typedef struct lg__remote_images {
    lg__remote_image *items;
    size_t count;
    size_t capacity;
    size_t mappings;      /**< of all kinds */
    uint64_t stack_start; /**< of what the main thread's stack has by now */
    uint64_t stack_end;
} lg__remote_images;

/** False if its mappings cannot be read, or without memory. */
bool lg__remote_images_read(const lg__remote *self, lg__remote_images *out);
void lg__remote_images_free(lg__remote_images *self);

/** Where a function or variable lies; 0 and 0: nowhere. */
typedef struct lg__remote_place {
    uint64_t address;
    uint64_t size;
} lg__remote_place;

/** What the first loaded image exports by this name that has it. */
lg__remote_place lg__remote_find(const lg__remote *self,
                                 const lg__remote_images *images,
                                 const char *name);
/** Whether an image's name begins so. */
bool lg__remote_has(const lg__remote_images *images, const char *prefix);

/** Reads the number behind a word that begins a line of a file. */
bool lg__remote_number(const char *path, const char *word, int base,
                       uint64_t *out);

#endif
