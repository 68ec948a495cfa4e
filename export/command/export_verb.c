// Writes a snapshot in the format of another tool.

#include "command/command.h"

#include <leakgraph/export.h>
#include <stdlib.h>
#include <string.h>

// Parquet is written by pyarrow.
static int
write_parquet(const lg__arguments *arguments)
{
    static char verb[] = "export", option[] = "--parquet", end[] = "--";
    if (arguments->output || arguments->format) {
        lg__complain("export writes tables or a file: give --parquet or -o");
        return LG__EXIT_USAGE;
    }
    int code = LG__EXIT_INCOMPLETE;
    const char *path = lg__input_path(arguments->words[0], &code);
    char *folder = strdup(arguments->parquet);
    char *file = path ? strdup(path) : NULL;
    char *words[] = {verb, option, folder, end, file, NULL};
    if (folder && file)
        code = lg__run_python(words);
    free(file);
    free(folder);
    return code;
}

int
lg__verb_export(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis = NULL;
    lg_export_format format;
    lg_error error = {0};
    if (arguments->parquet)
        return write_parquet(arguments);
    if (!arguments->output) {
        lg__complain("export needs a file to write: give -o run.graphml");
        return LG__EXIT_USAGE;
    }
    if (lg_export_format_find(arguments->format, arguments->output, &format,
                              &error))
        return lg__fail(&error);
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    if (!lg_export_needs_analysis(format) ||
        lg__analyse(graph, &analysis, &code)) {
        lg_status status = lg_export_file(
            graph, analysis, format, arguments->output, lg__monitor(), &error);
        code = status ? lg__fail(&error) : LG__EXIT_FINE;
        if (status == LG_EIO)
            code = LG__EXIT_INCOMPLETE;
    }
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}
