// Computes the key of a cycle: what stays the same in other runs.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <xxhash.h>

static int
ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static bool
hash_hop(const lg_graph *graph, const lg_hop *hop, uint64_t *out)
{
    lg_text facts = {0};
    lg__sort_common(graph, hop->source, &facts);
    lg__hop_facts(graph, hop, &facts);
    bool enough = !facts.failed;
    if (enough)
        *out = XXH3_64bits(facts.data, facts.length);
    lg_text_free(&facts);
    return enough;
}

// Sorts, and drops repetitions: the start of a cycle and the length of a chain
// of similar objects do not change its key.
static size_t
reduce(uint64_t *hashes, size_t count)
{
    size_t kept = 0;
    qsort(hashes, count, sizeof *hashes, ascending);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || hashes[i] != hashes[kept - 1])
            hashes[kept++] = hashes[i];
    return kept;
}

lg_status
lg__cycle_key(const lg_graph *graph, const lg_cycle *cycle, uint64_t *out,
              lg_error *err)
{
    size_t count = cycle->shortest.count;
    uint64_t *hashes = lg__alloc((count + 1) * sizeof *hashes);
    bool enough = hashes != NULL;
    for (size_t i = 0; i < count && enough; i++)
        enough = hash_hop(graph, &cycle->shortest.items[i], &hashes[i]);
    if (enough) {
        count = reduce(hashes, count);
        hashes[count++] = (uint64_t)cycle->kind;
        *out = XXH3_64bits(hashes, count * sizeof *hashes);
    }
    lg__free(hashes);
    return enough ? LG_OK : lg__error_memory(err);
}

lg_status
lg_cycles_note(const lg_graph *graph, const lg_cycles *cycles,
               lg_baseline *baseline, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < cycles->count && status == LG_OK; i++) {
        const lg_cycle *cycle = &cycles->items[i];
        lg_text note = {0};
        if (!cycle->is_leak)
            continue;
        lg_text_addf(&note, "%s: ", lg_cycle_kind_name(cycle->kind));
        lg_cycle_label(graph, cycle, &note);
        lg_string text = {note.data, (uint32_t)note.length};
        status = note.failed ? lg__error_memory(err)
                             : lg_baseline_add(baseline, LG_BASELINE_CYCLE,
                                               cycle->key, text, err);
        lg_text_free(&note);
    }
    return status;
}
