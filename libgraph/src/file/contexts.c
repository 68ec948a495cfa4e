// Walks over references in contexts.
#include "base/base_private.h"
#include "file/contexts.h"

#include <stdlib.h>

bool
lg__contexts_begin(lg__contexts *contexts, uint32_t number)
{
    const size_t count = (size_t)LG__CONTEXT_TYPES * LG__CONTEXT_PLACES;
    contexts->last = lg__alloc(count * sizeof *contexts->last);
    for (size_t i = 0; i < count && contexts->last != NULL; i++)
        contexts->last[i] = number;
    return contexts->last != NULL;
}

void
lg__contexts_end(lg__contexts *contexts)
{
    lg__free(contexts->last);
    contexts->last = NULL;
}
