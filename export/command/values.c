// Reads the values of options.

#include "command/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
is_number(const char *word, uint32_t most, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || errno || !value || value > most)
        return false;
    *out = (uint32_t)value;
    return true;
}

bool
lg__number_read(const char *name, const char *word, uint32_t most,
                uint32_t *out)
{
    bool number = is_number(word, most, out);
    bool large = *word >= '1' && strspn(word, "0123456789") == strlen(word);
    if (!number && (large || most < UINT32_MAX / 2))
        lg__complain("--%s takes a number from 1 to %u, not '%s'", name, most,
                     word);
    else if (!number)
        lg__complain("--%s takes a positive number, not '%s'", name, word);
    return number;
}

bool
lg__limit_read(const char *word, uint32_t *out, bool *all)
{
    *all = !strcmp(word, "all");
    bool fine = *all || is_number(word, UINT32_MAX / 2, out);
    if (!fine)
        lg__complain("--limit takes a positive number or all, not '%s'", word);
    return fine;
}

size_t
lg__limit_of(const lg__arguments *arguments)
{
    enum { USUAL_LIMIT = 20 };
    if (arguments->all)
        return 0;
    return arguments->limit ? arguments->limit : USUAL_LIMIT;
}

lg_format
lg__format_of(const lg__arguments *arguments)
{
    return arguments->json ? LG_FORMAT_JSON : LG_FORMAT_TEXT;
}

// Returns the index of the word, or `count` if it is none of them.
static unsigned
choose(const char *word, const char *const *words, unsigned count)
{
    unsigned i = 0;
    while (i < count && strcmp(word, words[i]))
        i++;
    return i;
}

bool
lg__sort_read(const char *word, lg_sort *out)
{
    static const char *const keys[] = {"bytes", "count", "name"};
    unsigned key = choose(word, keys, 3);
    *out = (lg_sort)key;
    if (key == 3)
        lg__complain("--by takes bytes, count or name, not '%s'", word);
    return key < 3;
}

bool
lg__group_read(const char *word, lg_group *out)
{
    static const char *const keys[] = {"object", "type", "module"};
    unsigned key = choose(word, keys, 3);
    *out = (lg_group)key;
    if (key == 3)
        lg__complain("--group takes object, type or module, not '%s'", word);
    return key < 3;
}

bool
lg__tensor_group_read(const char *word, lg_tensor_group *out)
{
    static const char *const keys[] = {"storage", "kind", "device", "dtype",
                                       "shape"};
    unsigned key = choose(word, keys, 5);
    *out = (lg_tensor_group)key;
    if (key == 5)
        lg__complain("--group takes storage, kind, device, dtype or shape, "
                     "not '%s'",
                     word);
    return key < 5;
}

// Returns the factor of a unit; 0: no such unit.
static double
unit_bytes(const char *unit)
{
    static const char letters[] = "KMGT";
    if (!*unit || !strcmp(unit, "B"))
        return 1;
    const char *letter = strchr(letters, *unit == 'k' ? 'K' : *unit);
    if (!letter)
        return 0;
    bool decimal = !strcmp(unit + 1, "B");
    if (!decimal && unit[1] && strcmp(unit + 1, "iB"))
        return 0;
    double bytes = 1;
    for (ptrdiff_t i = letter - letters; i >= 0; i--)
        bytes *= decimal ? 1000 : 1024;
    return bytes;
}

bool
lg__size_read(const char *name, const char *word, int64_t *out)
{
    char *end;
    double value = strtod(word, &end);
    while (end != word && *end == ' ')
        end++;
    double bytes = value * unit_bytes(end);
    if (*word < '0' || *word > '9' || unit_bytes(end) <= 0 || !(bytes < 9e18)) {
        lg__complain("--%s takes a size such as 4096, 64KiB or 1MiB, not '%s'",
                     name, word);
        return false;
    }
    *out = (int64_t)bytes;
    return true;
}

bool
lg__steps_read(const char *word, size_t count, double **out)
{
    double *steps = malloc(count * sizeof *steps);
    const char *at = word;
    size_t taken = 0;
    while (steps && taken < count) {
        char *end;
        steps[taken] = strtod(at, &end);
        if (end == at || (*end && *end != ','))
            break;
        taken++;
        at = end + (*end == ',');
        if (!*end)
            break;
    }
    if (steps && taken == count && !*at && at > word && at[-1] != ',') {
        *out = steps;
        return true;
    }
    lg__complain("--steps takes %zu numbers with commas between them, one for "
                 "each snapshot, not '%s'",
                 count, word);
    free(steps);
    return false;
}

static bool
take_kind(const char *word, size_t length, unsigned *out)
{
    for (unsigned kind = 0; kind <= LG_CYCLE_UNCOLLECTABLE; kind++) {
        const char *name = lg_cycle_kind_name((lg_cycle_kind)kind);
        if (strlen(name) == length && !memcmp(name, word, length)) {
            *out |= 1u << kind;
            return true;
        }
    }
    return false;
}

bool
lg__kinds_read(const char *word, unsigned *out)
{
    unsigned kinds = 0;
    for (const char *at = word;; at++) {
        size_t length = strcspn(at, ",");
        if (!take_kind(at, length, &kinds)) {
            lg__complain("--kind takes collectable, held and uncollectable, "
                         "not '%s'",
                         word);
            return false;
        }
        at += length;
        if (!*at)
            break;
    }
    *out = kinds;
    return true;
}

bool
lg__share_read(const char *word, double *out)
{
    char *end;
    double value = strtod(word, &end);
    bool percent = !strcmp(end, "%");
    if (percent)
        value /= 100;
    if (*word < '0' || *word > '9' || (*end && !percent) || value > 1) {
        lg__complain("--min-share takes a share such as 0.01 or 1%%, not '%s'",
                     word);
        return false;
    }
    *out = value;
    return true;
}
