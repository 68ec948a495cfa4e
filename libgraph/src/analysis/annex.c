// Keeps what other rooms compute once from an analysis.
#include "analysis/analysis_private.h"

#include <stdatomic.h>
#include <stdlib.h>

bool
lg__annex_begin(lg_analysis *analysis)
{
    analysis->annex = lg__wide_calloc(1, sizeof *analysis->annex);
    return analysis->annex != NULL;
}

void
lg__annex_end(lg_analysis *analysis)
{
    lg__annex *annex = analysis->annex != NULL ? lg__annex_of(analysis) : NULL;
    if (annex != NULL)
        annex->free(annex);
    lg__wide_free(analysis->annex);
}

lg__annex *
lg__annex_of(const lg_analysis *analysis)
{
    return atomic_load(analysis->annex);
}

lg__annex *
lg__annex_keep(const lg_analysis *analysis, lg__annex *annex)
{
    lg__annex *before = NULL;
    if (atomic_compare_exchange_strong(analysis->annex, &before, annex))
        return annex;
    annex->free(annex);
    return before;
}
