// Reads the values of options, and says what kind of option each is.
#include "table/table_private.h"

#include <leakgraph/internal/wording.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Writes `object, type or module`.
static void
list_words(const char *const *words, lg_text *out)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (i > 0)
            lg_text_add(out, words[i + 1] == NULL ? " or " : ", ");
        lg_text_add(out, words[i]);
    }
}

static lg_status
refuse_word(const lg_option *option, const char *called, const char *word,
            lg_error *err)
{
    lg_text words = {0};
    list_words(option->words, &words);
    lg_status status =
        words.failed ? lg__error_memory(err)
                     : lg_error_set(err, LG_EINVAL, "%s takes %s, not '%s'",
                                    called, words.data, word);
    lg_text_free(&words);
    return status;
}

// Returns the index of the word of this length, or SIZE_MAX.
static size_t
find_word(const lg_option *option, const char *word, size_t length)
{
    for (size_t i = 0; option->words[i] != NULL; i++)
        if (strlen(option->words[i]) == length &&
            memcmp(option->words[i], word, length) == 0)
            return i;
    return SIZE_MAX;
}

// Reads one word, or for a set, several with commas between them.
static lg_status
read_words(const lg_option *option, const char *called, const char *word,
           uint64_t *out, lg_error *err)
{
    bool several = option->type == LG_OPTION_SET;
    uint64_t bits = 0;
    size_t index = 0;
    const char *at = word;
    while (index != SIZE_MAX) {
        size_t length = several ? strcspn(at, ",") : strlen(at);
        index = find_word(option, at, length);
        bits |= index < 64 ? 1ull << index : 0;
        at += length;
        if (index != SIZE_MAX && *at == '\0') {
            *out = several ? bits : index;
            return LG_OK;
        }
        at += *at == ',';
    }
    return refuse_word(option, called, word, err);
}
static lg_status
read_limit(const char *called, const char *word, uint64_t *out, lg_error *err)
{
    enum { MOST_DIGITS = 9 };
    size_t digits = strspn(word, "0123456789");
    unsigned long number = strtoul(word, NULL, 10);
    bool all = strcmp(word, "all") == 0;
    bool positive = digits > 0 && word[digits] == '\0' && number > 0;
    if (!all && (!positive || digits > MOST_DIGITS))
        return lg_error_set(err, LG_EINVAL,
                            "%s takes a positive number or all, not '%s'",
                            called, word);
    *out = all ? 0 : number;
    return LG_OK;
}

// Returns the factor of a unit; 0: there is no such unit.
static double
unit_bytes(const char *unit)
{
    static const char letters[] = "KMGT";
    if (*unit == '\0' || strcasecmp(unit, "B") == 0)
        return 1;
    const char *letter = strchr(letters, toupper((unsigned char)*unit));
    if (letter == NULL)
        return 0;
    bool decimal = strcasecmp(unit + 1, "B") == 0;
    if (!decimal && unit[1] != '\0' && strcasecmp(unit + 1, "iB") != 0)
        return 0;
    double bytes = 1;
    for (ptrdiff_t i = letter - letters; i >= 0; i--)
        bytes *= decimal ? 1000 : 1024;
    return bytes;
}

static lg_status
read_bytes(const char *called, const char *word, uint64_t *out, lg_error *err)
{
    double value = 0;
    const char *number_end = lg_number_read(word, &value);
    const char *unit = number_end + strspn(number_end, " ");
    double bytes = value * unit_bytes(unit);
    if (number_end == word || unit_bytes(unit) <= 0 || !(bytes < 9e18))
        return lg_error_set(err, LG_EINVAL,
                            "%s takes a size such as 4096, 64KiB or 1MiB, not "
                            "'%s'",
                            called, word);
    *out = (uint64_t)bytes;
    return LG_OK;
}

static lg_status
read_share(const char *called, const char *word, double *out, lg_error *err)
{
    double value = 0;
    const char *end = lg_number_read(word, &value);
    bool percent = strcmp(end, "%") == 0;
    if (percent)
        value /= 100;
    if (end == word || (*end != '\0' && !percent) || value > 1)
        return lg_error_set(err, LG_EINVAL,
                            "%s takes a share such as 0.01 or 1%%, not '%s'",
                            called, word);
    *out = value;
    return LG_OK;
}

lg_status
lg_option_read(const lg_option *option, const char *called, const char *word,
               lg_given *out, lg_error *err)
{
    lg_given given = {.given = true, .number = 1, .text = word};
    lg_status status = LG_OK;
    if (option->type == LG_OPTION_LIMIT)
        status = read_limit(called, word, &given.number, err);
    else if (option->type == LG_OPTION_BYTES)
        status = read_bytes(called, word, &given.number, err);
    else if (option->type == LG_OPTION_SHARE)
        status = read_share(called, word, &given.share, err);
    else if (option->type == LG_OPTION_CHOICE || option->type == LG_OPTION_SET)
        status = read_words(option, called, word, &given.number, err);
    if (status == LG_OK)
        *out = given;
    return status;
}

bool
lg_option_is_flag(const lg_option *option)
{
    return option->type == LG_OPTION_FLAG || option->type == LG_OPTION_MINE ||
           option->type == LG_OPTION_UPDATE || option->type == LG_OPTION_CHECK;
}

bool
lg_option_is_required(const lg_option *option)
{
    return option->type == LG_OPTION_OBJECTS || option->type == LG_OPTION_CUTS;
}

bool
lg_option_in_form(const lg_option *option)
{
    return option->type != LG_OPTION_BASELINE &&
           option->type != LG_OPTION_UPDATE &&
           option->type != LG_OPTION_CHECK && option->type != LG_OPTION_CUTS;
}
