// Turns kinds and payloads of references into differences to the last ones in
// their contexts, and back.
#include "file/contexts.h"
#include "base/base_private.h"
#include "file/folded.h"
#include "graph/graph_private.h"

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

void
lg__kinds_subtract(lg__contexts *contexts, const uint8_t *kind, uint64_t at,
                   size_t count, uint8_t *out)
{
    for (uint64_t edge = at; edge < at + count;) {
        lg__run run = lg__contexts_run(contexts, edge, at + count);
        for (; edge < run.end; edge++) {
            uint32_t *last = lg__run_next(&run);
            const uint8_t number = *kind++;
            *out++ = (uint8_t)(number - *last);
            *last = number;
        }
    }
}

// Each step leaves the kind itself in its context, as lg__kinds_subtract does,
// so both find the same number there.
void
lg__kinds_add(lg__contexts *contexts, uint64_t at, size_t count, uint8_t *kind)
{
    for (uint64_t edge = at; edge < at + count;) {
        lg__run run = lg__contexts_run(contexts, edge, at + count);
        for (; edge < run.end; edge++) {
            uint32_t *last = lg__run_next(&run);
            *kind = (uint8_t)(*kind + *last);
            *last = *kind++;
        }
    }
}

static bool
is_value(const lg__payloads *payloads, uint64_t edge)
{
    return (lg_edge_kinds_at(&payloads->kind, edge) & LG_EDGE_KIND_MASK) ==
           LG_EDGE_VALUE;
}

// Returns the key of a value, which the next reference leads to: a dict's
// references are each value before its key.
static uint32_t
key_of(const lg__payloads *payloads, uint64_t edge)
{
    return edge + 1 < payloads->count
               ? lg_edge_targets_at(&payloads->target, edge + 1)
               : 0;
}

void
lg__payloads_subtract(lg__payloads *payloads, const uint32_t *payload,
                      uint64_t at, size_t count, uint32_t *out)
{
    for (uint64_t edge = at; edge < at + count;) {
        lg__run run = lg__contexts_run(&payloads->contexts, edge, at + count);
        for (; edge < run.end; edge++, payload++, out++) {
            uint32_t *last = lg__run_next(&run);
            const bool value = is_value(payloads, edge);
            const uint32_t number = *payload;
            *out =
                lg__folded32(number - (value ? key_of(payloads, edge) : *last));
            *last = value ? *last : number;
        }
    }
}

void
lg__payloads_add(lg__payloads *payloads, uint64_t at, size_t count,
                 uint32_t *payload)
{
    for (uint64_t edge = at; edge < at + count;) {
        lg__run run = lg__contexts_run(&payloads->contexts, edge, at + count);
        for (; edge < run.end; edge++, payload++) {
            uint32_t *last = lg__run_next(&run);
            bool value = is_value(payloads, edge);
            *payload = lg__unfolded32(*payload) +
                       (value ? key_of(payloads, edge) : *last);
            *last = value ? *last : *payload;
        }
    }
}
