// "Did you mean": finds the known name nearest to a wrong one.
#include "paths/paths_private.h"

#include <string.h>
#include <strings.h>

enum {
    LONGEST = 96, // letters to compare at most
    // Distances of names that share a whole part. They precede names that only
    // share letters.
    SAME_LAST_PART = 0,
    CONTAINED = 1,
    BY_LETTERS = 2,
};

lg__guess
lg__guess_new(const char *wanted, size_t length)
{
    return (lg__guess){wanted, length, {"", 0}, BY_LETTERS + length / 3 + 2};
}

static lg_string
last_part(const char *name, size_t length)
{
    size_t start = length;
    while (start > 0 && name[start - 1] != '.')
        start--;
    return (lg_string){name + start, (uint32_t)(length - start)};
}

// Returns the part of a candidate to compare. A name without a dot is compared
// with the last part.
static lg_string
comparable(const lg__guess *guess, lg_string candidate)
{
    bool whole = memchr(guess->wanted, '.', guess->length) != NULL;
    return whole ? candidate : last_part(candidate.data, candidate.length);
}

static bool
is_same(lg_string a, lg_string b)
{
    return a.length > 0 && a.length == b.length &&
           strncasecmp(a.data, b.data, a.length) == 0;
}

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t
edit_distance(const char *a, size_t a_length, lg_string b)
{
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= b.length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            size_t replaced = diagonal + (a[i - 1] != b.data[j - 1]);
            diagonal = row[j];
            row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.length];
}

static bool
contains(lg_string whole, const char *part, size_t length)
{
    for (size_t at = 0; at + length <= whole.length; at++)
        if (strncasecmp(whole.data + at, part, length) == 0)
            return true;
    return false;
}

void
lg__guess_offer(lg__guess *guess, lg_string candidate)
{
    size_t distance = SIZE_MAX;
    if (candidate.length == 0 || guess->length == 0)
        return;
    if (is_same(last_part(guess->wanted, guess->length),
                last_part(candidate.data, candidate.length)))
        distance = SAME_LAST_PART;
    else if (guess->distance >= CONTAINED && guess->length >= 3 &&
             contains(candidate, guess->wanted, guess->length))
        distance = CONTAINED;
    else if (guess->distance > BY_LETTERS && candidate.length <= LONGEST &&
             guess->length <= LONGEST)
        distance = BY_LETTERS + edit_distance(guess->wanted, guess->length,
                                              comparable(guess, candidate));
    if (distance < guess->distance ||
        (distance == guess->distance && guess->best.length > 0 &&
         distance <= CONTAINED && candidate.length < guess->best.length)) {
        guess->distance = distance;
        guess->best = candidate;
    }
}
