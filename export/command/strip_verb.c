// The verb strip: writes a snapshot without the user's own texts, to share it.

#include "command/command.h"

#include <leakgraph/file.h>

int
lg__verb_strip(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_graph *stripped = NULL;
    lg_error error = {0};
    lg_save_options options = {.size = sizeof options,
                               .compress = (int)arguments->compress};
    if (!arguments->output) {
        lg__complain("strip needs a file to write: give -o stripped.lgs");
        return LG__EXIT_USAGE;
    }
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    lg_status status = lg_graph_strip(graph, &stripped, &error);
    if (!status)
        status = lg_graph_save(stripped, arguments->output, &options,
                               lg__monitor(), &error);
    code = status ? lg__fail(&error) : LG__EXIT_FINE;
    lg_graph_free(stripped);
    lg_graph_free(graph);
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
}
