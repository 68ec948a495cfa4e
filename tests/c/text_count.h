/** Counts how often a report or a page says something. */
#ifndef LEAKGRAPH_TEXT_COUNT_H
#define LEAKGRAPH_TEXT_COUNT_H

#include <leakgraph/text.h>

#include <string.h>

static inline size_t
count_of(const lg_text *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text->data; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

#endif
