// The verb that prints what is known of a snapshot: info.

#include "command/command.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/report.h>

// A partial snapshot has no analysis: this then gives NULL.
lg_status
lg__find_analysis_if_any(const lg_graph *graph, lg_analysis **out,
                         lg_error *err)
{
    *out = NULL;
    lg_status status = lg__find_analysis(graph, out, err);
    return status == LG_EPARTIAL || status == LG_EUNSUPPORTED ? LG_OK : status;
}

int
lg__verb_info(const lg__arguments *arguments)
{
    int code;
    lg_text text = {0};
    lg_error error = {0};
    const char *path = lg__input_path(arguments->words[0], &code);
    if (path == NULL)
        return code;
    lg_status status =
        lg_report_info_file(path, LG_LOAD_MAPPED, lg__format_of(arguments),
                            lg__monitor(), &text, &error);
    code = status ? lg__fail_to_open(&error) : lg__print(&text);
    lg_text_free(&text);
    return code;
}
