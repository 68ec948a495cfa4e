#include "asked.h"
#include "test.h"

lg_status
paths_report(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
             size_t limit, lg_format format, lg_text *out)
{
    const lg_merged_options options = {.size = sizeof options, .limit = limit};
    lg_merged_paths paths;
    lg_status status = lg_analysis_merged_paths(analysis, nodes, count,
                                                &options, NULL, &paths, NULL);
    if (status != LG_OK)
        return status;
    status =
        lg_report_paths(lg_analysis_graph(analysis), &paths, format, out, NULL);
    lg_merged_paths_free(&paths);
    return status;
}

lg_scope *
scope_of(const lg_graph *graph, bool mine, const char *module)
{
    lg_scope *scope = NULL;
    REQUIRE(lg_scope_new(graph, mine, module, NULL, &scope, NULL) == LG_OK);
    return scope;
}
