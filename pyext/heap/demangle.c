/**
 * The Itanium C++ ABI, section "External Names": `_ZN` <parts> `E`, where a
 * part is its length and its text, `I` <types> `E` are the parameters of a
 * template, and `S` begins an abbreviation.
 */
#include "heap/demangle.h"

#include <stdbool.h>
#include <string.h>

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

void
lg__demangle(const char *symbol, char *out, size_t size)
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
