#include "bytes/common/rtti.h"

#include <stdio.h>
#include <string.h>

/** The type_info of a class: the word before the first entry of its vtable. */
static uintptr_t
info_of(lg__memory *memory, uintptr_t vtable)
{
    if (vtable % sizeof(uintptr_t) != 0 || vtable < 4096 || vtable >> 47 != 0)
        return 0;
    return lg__memory_word(memory, vtable - sizeof(uintptr_t));
}

/** The name of a type_info: its second word. A leading asterisk marks a class
 *  that only one library has. */
static bool
read_name(lg__memory *memory, uintptr_t info, char *out)
{
    uintptr_t words[2];
    if (info % sizeof(uintptr_t) != 0 || info < 4096 || info >> 47 != 0 ||
        !lg__memory_copy(memory, info, words, sizeof words))
        return false;
    uintptr_t at = words[1];
    size_t length = 0;
    if (at < 4096 || at >> 47 != 0)
        return false;
    for (; length + 1 < LG__RTTI_NAME; length++) {
        char c;
        if (!lg__memory_copy(memory, at + length, &c, 1) || c < 0)
            return false;
        out[length] = c;
        if (c == '\0')
            break;
        if (c <= ' ')
            return false;
    }
    out[length] = '\0';
    if (out[0] == '*')
        memmove(out, out + 1, length);
    return out[0] == 'N' || out[0] == 'S' || (out[0] >= '1' && out[0] <= '9');
}

/** The type_info of the base at offset 0, or 0. A type_info is itself an object
 *  with a vtable; its class says how many bases there are. */
static uintptr_t
base_of(lg__memory *memory, uintptr_t info)
{
    char kind[LG__RTTI_NAME];
    uintptr_t of_info = info_of(memory, lg__memory_word(memory, info));
    if (of_info == 0 || !read_name(memory, of_info, kind))
        return 0;
    if (strstr(kind, "__si_class_type_info") != NULL)
        return lg__memory_word(memory, info + 2 * sizeof(uintptr_t));
    if (strstr(kind, "__vmi_class_type_info") == NULL)
        return 0;
    uintptr_t base[3]; /* flags and count; first base; its offset << 8 */
    if (!lg__memory_copy(memory, info + 2 * sizeof(uintptr_t), base,
                         sizeof base) ||
        base[2] >> 8 != 0)
        return 0;
    return base[1];
}

bool
lg__rtti_read(lg__memory *memory, uintptr_t vtable, lg__rtti *out)
{
    uintptr_t info = info_of(memory, vtable);
    out->count = 0;
    while (info != 0 && out->count < LG__RTTI_DEPTH &&
           read_name(memory, info, out->name[out->count])) {
        out->count++;
        info = base_of(memory, info);
    }
    return out->count > 0;
}

bool
lg__rtti_is_a(const lg__rtti *rtti, const char *mangled)
{
    for (unsigned i = 0; i < rtti->count; i++)
        if (strcmp(rtti->name[i], mangled) == 0)
            return true;
    return false;
}

/** One length-prefixed part of a mangled name; NULL if there is none. */
static const char *
read_part(const char *at, const char **part, size_t *length)
{
    size_t count = 0;
    while (*at >= '0' && *at <= '9' && count < LG__RTTI_NAME)
        count = count * 10 + (size_t)(*at++ - '0');
    if (count == 0 || strnlen(at, count) < count)
        return NULL;
    *part = at;
    *length = count;
    return at + count;
}

void
lg__rtti_shorten(const char *mangled, char *out, size_t size)
{
    const char *part = mangled, *inner = NULL;
    size_t length = strlen(mangled), inner_length = 0;
    bool in_arguments = false;
    for (const char *at = mangled; *at != '\0';) {
        const char *found;
        size_t found_length;
        const char *next = read_part(at, &found, &found_length);
        if (next == NULL) {
            in_arguments = in_arguments || *at == 'I';
            at++;
            continue;
        }
        if (in_arguments) {
            inner = found;
            inner_length = found_length;
        } else {
            part = found;
            length = found_length;
        }
        at = next;
    }
    if (inner != NULL)
        snprintf(out, size, "%.*s<%.*s>", (int)length, part, (int)inner_length,
                 inner);
    else
        snprintf(out, size, "%.*s", (int)length, part);
}
