// Why for programs: a handle with accessors.
#include "report/report_private.h"

#include <leakgraph/internal/why_facts.h>

#include <stdlib.h>

lg_status
lg_why_new(const lg_analysis *analysis, lg_node node, const lg_monitor *monitor,
           lg_why **out, lg_error *err)
{
    lg_why *why = malloc(sizeof *why);
    if (why == NULL)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    lg_status status = lg_node_why(analysis, node, monitor, why, err);
    if (status == LG_OK)
        *out = why;
    else
        free(why);
    return status;
}

void
lg_why_free(lg_why *why)
{
    if (why != NULL)
        lg_why_clear(why);
    free(why);
}

lg_node
lg_why_node(const lg_why *why)
{
    return why->node;
}

bool
lg_why_is_garbage(const lg_why *why)
{
    return why->garbage;
}

const lg_path *
lg_why_path(const lg_why *why)
{
    return why->garbage ? NULL : &why->path;
}

bool
lg_why_frees(const lg_why *why, size_t hop)
{
    return hop < why->path.count && why->frees[hop];
}

size_t
lg_why_cut_count(const lg_why *why)
{
    return why->cuts.is_kept ? 0 : why->cuts.count;
}

const lg_path *
lg_why_cut(const lg_why *why, size_t index, size_t *hop)
{
    if (index >= lg_why_cut_count(why))
        return NULL;
    *hop = why->cuts.items[index].hop;
    return &why->cuts.items[index].path;
}

lg_status
lg_why_text(const lg_why *why, lg_text *out, lg_error *err)
{
    return lg_report_why(why, NULL, NULL, LG_FORMAT_TEXT, out, err);
}

lg_status
lg_why_json(const lg_why *why, lg_text *out, lg_error *err)
{
    return lg_report_why(why, NULL, NULL, LG_FORMAT_JSON, out, err);
}
