#include "asked.h"

#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/writing.h>

#include <stdio.h>
#include <string.h>
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

// Reads `name=value name=value` into given[], and keeps the words in `room`.
static lg_status
read_options(const lg_question *question, char *room, lg_given *given,
             lg_error *err)
{
    lg_status status = LG_OK;
    for (char *word = strtok(room, " "); word && !status;
         word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        size_t at = lg_question_option(question, word);
        if (at == SIZE_MAX)
            return lg_error_set(err, LG_EINVAL, "there is no option %s", word);
        status = lg_option_read(&question->options[at], word, value, &given[at],
                                err);
    }
    return status;
}

lg_status
question_table(const char *name, const lg_graph *graph,
               const lg_analysis *analysis, const char *options, lg_table **out,
               lg_error *err)
{
    char room[256];
    lg_given given[LG_MOST_OPTIONS] = {{0}};
    const lg_question *question = lg_question_find(name);
    const lg_ask ask = {.graph = graph, .analysis = analysis, .given = given};
    snprintf(room, sizeof room, "%s", options ? options : "");
    lg_status status = read_options(question, room, given, err);
    return status ? status : lg_question_ask(question, &ask, out, err);
}

lg_status
question_report(const char *name, const lg_graph *graph,
                const lg_analysis *analysis, const char *options,
                lg_format format, lg_text *out)
{
    lg_table *table = NULL;
    lg_status status =
        question_table(name, graph, analysis, options, &table, NULL);
    if (!status)
        status = format == LG_FORMAT_JSON ? lg_table_json(table, out, NULL)
                                          : lg_table_text(table, 0, out, NULL);
    lg_table_free(table);
    return status;
}

lg_status
tensors_report(const lg_graph *graph, const lg_analysis *analysis,
               uint32_t device, lg_tensor_group group, size_t limit,
               lg_format format, lg_text *out)
{
    static const char *const groups[] = {"place",  "storage", "kind",
                                         "device", "dtype",   "shape"};
    char options[128];
    char most[24] = "all";
    lg_string name = {"cuda:99", 7};
    if (device != LG_NONE && device <= lg_graph_device_count(graph))
        name = lg_graph_device_name(graph, device);
    if (limit > 0)
        snprintf(most, sizeof most, "%zu", limit);
    snprintf(options, sizeof options, "limit=%s group=%s%s%.*s", most,
             groups[group], device == LG_NONE ? "" : " device=",
             device == LG_NONE ? 0 : (int)name.length, name.data);
    return question_report("tensors", graph, analysis, options, format, out);
}

lg_status
top_table(const lg_analysis *analysis, const lg_top_options *options,
          lg_table **out, lg_error *err)
{
    lg_top top;
    const lg_ask ask = {.graph = lg_analysis_graph(analysis),
                        .analysis = analysis};
    lg_status status = lg_analysis_top(analysis, options, NULL, &top, err);
    if (status != LG_OK)
        return status;
    status =
        lg_question_tabulate(lg_question_find("top"), &ask, &top, out, err);
    lg_top_free(&top);
    return status;
}

lg_status
top_report(const lg_analysis *analysis, const lg_top_options *options,
           lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = top_table(analysis, options, &table, err);
    if (status == LG_OK)
        status = format == LG_FORMAT_JSON ? lg_table_json(table, out, err)
                                          : lg_table_text(table, 0, out, err);
    lg_table_free(table);
    return status;
}
