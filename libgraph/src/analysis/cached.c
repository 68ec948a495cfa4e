// Keeps what other rooms compute once from an analysis.
#include "analysis/analysis_private.h"

#include <stdatomic.h>
#include <stdlib.h>

bool
lg__cached_begin(lg_analysis *analysis)
{
    analysis->cached = lg__calloc(1, sizeof *analysis->cached);
    return analysis->cached != NULL;
}

void
lg__cached_end(lg_analysis *analysis)
{
    lg__cached *cached =
        analysis->cached != NULL ? lg__cached_of(analysis) : NULL;
    if (cached != NULL)
        cached->free(cached);
    lg__free(analysis->cached);
}

lg__cached *
lg__cached_of(const lg_analysis *analysis)
{
    return atomic_load(analysis->cached);
}

lg__cached *
lg__cached_keep(const lg_analysis *analysis, lg__cached *cached)
{
    lg__cached *before = NULL;
    if (atomic_compare_exchange_strong(analysis->cached, &before, cached))
        return cached;
    cached->free(cached);
    return before;
}
