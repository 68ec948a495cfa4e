// Reads the values of options.

#include "command/command.h"

#include <leakgraph/internal/wording.h>

#include <errno.h>
#include <stdio.h>
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

bool
lg__size_read(const char *name, const char *word, int64_t *out)
{
    static const lg_option size = {.type = LG_OPTION_BYTES};
    char called[32];
    lg_given given;
    lg_error error;
    snprintf(called, sizeof called, "--%s", name);
    if (lg_option_read(&size, called, word, &given, &error)) {
        lg__complain("%s", error.message);
        return false;
    }
    *out = (int64_t)given.number;
    return true;
}

bool
lg__steps_read(const char *word, size_t count, double **out)
{
    double *steps = malloc(count * sizeof *steps);
    const char *at = word;
    size_t taken = 0;
    while (steps && taken < count) {
        const char *number = at + strspn(at, " ");
        bool negative = *number == '-';
        number += negative || *number == '+';
        const char *end = lg_number_read(number, &steps[taken]);
        if (end == number || (*end && *end != ','))
            break;
        steps[taken] = negative ? -steps[taken] : steps[taken];
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
    static const lg_option share = {.type = LG_OPTION_SHARE};
    lg_given given;
    lg_error error;
    if (lg_option_read(&share, "--min-share", word, &given, &error)) {
        lg__complain("%s", error.message);
        return false;
    }
    *out = given.share;
    return true;
}
