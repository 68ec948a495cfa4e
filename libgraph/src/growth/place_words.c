// What is known of places besides their steps.
#include "growth/growth_private.h"

#include <string.h>

bool
lg__places_add_words(lg_places *places, lg__place_words words)
{
    lg__place_words *made =
        lg__vector_extend(&places->allocator, &places->words, 1);
    if (made != NULL)
        *made = words;
    return made != NULL;
}

// A row for the order of words by place, and then by text.
typedef struct ranked {
    lg__place_words words;
    lg_string holder;
} ranked;

static int
compare_ranked(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;
    if (a->words.place != b->words.place)
        return a->words.place < b->words.place ? -1 : 1;
    int order = lg__string_compare(a->holder, b->holder);
    if (order != 0)
        return order;
    return a->words.keeper < b->words.keeper
               ? -1
               : a->words.keeper > b->words.keeper;
}

// Sorts the words. Of several for one place, those stay whose holder comes
// first in byte order. Returns false when memory ran out.
static bool
places_sort_words(lg_places *places)
{
    lg__place_words *words = places->words.data;
    size_t count = places->words.count;
    size_t kept = 0;
    ranked *all = lg__alloc((count + 1) * sizeof *all);
    if (all == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        all[i] =
            (ranked){words[i], words[i].holder == LG_NONE
                                   ? (lg_string){"", 0}
                                   : lg__places_text(places, words[i].holder)};
    if (count > 0)
        lg__sort(all, count, sizeof *all, compare_ranked);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || words[kept - 1].place != all[i].words.place)
            words[kept++] = all[i].words;
    places->words.count = kept;
    lg__free(all);
    return true;
}

const lg__place_words *
lg__places_words(const lg_places *places, uint32_t place)
{
    const lg__place_words *words = places->words.data;
    size_t low = 0;
    size_t high = places->words.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (words[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < places->words.count && words[low].place == place ? &words[low]
                                                                  : NULL;
}

// Copies a string of one table to another; LG_NONE stays what it is.
static bool
copy_string(const lg_places *from, lg_places *to, uint32_t *string)
{
    if (*string == LG_NONE)
        return true;
    *string = lg__places_string(to, lg__places_text(from, *string));
    return *string != LG_NONE;
}

bool
lg__places_copy_words(const lg_places *from, const uint32_t *numbers,
                      lg_places *to)
{
    const lg__place_words *words = from->words.data;
    for (size_t i = 0; i < from->words.count; i++) {
        lg__place_words copy = words[i];
        copy.place = numbers[copy.place];
        if (copy.place == LG_NONE ||
            lg__place_at(to, copy.place)->key !=
                lg__place_at(from, words[i].place)->key)
            continue;
        if (copy.keeper != LG_NONE)
            copy.keeper = numbers[copy.keeper];
        if (!copy_string(from, to, &copy.holder) ||
            !copy_string(from, to, &copy.title) ||
            !lg__places_add_words(to, copy))
            return false;
    }
    return places_sort_words(to);
}

uint32_t
lg__place_above(const lg_places *places, uint32_t place)
{
    const lg__place_words *words = lg__places_words(places, place);
    return words != NULL && words->keeper != LG_NONE
               ? words->keeper
               : lg__place_at(places, place)->parent;
}

lg_string
lg__place_title(const lg_places *places, uint32_t place)
{
    const lg__place_words *words = lg__places_words(places, place);
    return words != NULL && words->title != LG_NONE
               ? lg__places_text(places, words->title)
               : (lg_string){"", 0};
}
