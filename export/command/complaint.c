// Complaints: one line, the exit code, and the name that the user probably
// meant.

#include "command/command.h"

#include <leakgraph/internal/wording.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *named_path, *path_name;

void
lg__complaints_name(const char *path, const char *name)
{
    named_path = path;
    path_name = name;
}

void
lg__complain(const char *format, ...)
{
    char raw[4096];
    char message[sizeof raw];
    va_list rest;
    lg__progress_end();
    va_start(rest, format);
    vsnprintf(raw, sizeof raw, format, rest);
    va_end(rest);
    message[lg_string_clean(message, sizeof message - 1, raw, strlen(raw))] =
        '\0';
    const char *found = named_path ? strstr(message, named_path) : NULL;
    if (found != NULL)
        fprintf(stderr, "leakgraph: %.*s%s%s\n", (int)(found - message),
                message, path_name, found + strlen(named_path));
    else
        fprintf(stderr, "leakgraph: %s\n", message);
}

int
lg__fail(const lg_error *error)
{
    lg__complain("%s", error->message);
    switch (error->status) {
    case LG_OK:
        return LG__EXIT_FINE;
    case LG_EINVAL:
    case LG_ENOTFOUND:
        return LG__EXIT_USAGE;
    case LG_EIO:
    case LG_EFORMAT:
    case LG_EVERSION:
        return LG__EXIT_UNREADABLE;
    default:
        return LG__EXIT_INCOMPLETE;
    }
}

static size_t
least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

// Computes Levenshtein's distance on one row.
static size_t
distance(const char *left, const char *right)
{
    size_t row[65];
    size_t width = strlen(right);
    if (width > 64)
        return SIZE_MAX;
    for (size_t i = 0; i <= width; i++)
        row[i] = i;
    for (; *left; left++) {
        size_t corner = row[0]++;
        for (size_t i = 1; i <= width; i++) {
            size_t above = row[i];
            row[i] = least(row[i - 1] + 1, above + 1,
                           corner + (*left != right[i - 1]));
            corner = above;
        }
    }
    return row[width];
}

const char *
lg__nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t best = strlen(word) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t far = distance(word, names[i]);
        if (far < best) {
            best = far;
            nearest = names[i];
        }
    }
    return nearest;
}
