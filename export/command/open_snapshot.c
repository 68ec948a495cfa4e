// Opens a snapshot, analyses it, and finds the objects of a selector.

#include "command/command.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
lg__fail_to_open(const lg_error *error)
{
    int code = lg__fail(error);
    return code == LG__EXIT_USAGE ? LG__EXIT_UNREADABLE : code;
}

// The file in memory that has what standard input had, once it is read.
static char input[64];

// Copies standard input into a file in memory. Returns false after a complaint.
static bool
read_input(void)
{
    char bytes[1 << 16];
    ssize_t length = -1;
    int file = memfd_create("standard input", 0);
    while (file >= 0 &&
           (length = read(STDIN_FILENO, bytes, sizeof bytes)) > 0) {
        for (ssize_t done = 0, part; done < length; done += part) {
            part = write(file, bytes + done, (size_t)(length - done));
            if (part < 0) {
                lg__complain("cannot keep standard input: %s", strerror(errno));
                return false;
            }
        }
    }
    if (length < 0) {
        lg__complain("cannot read standard input: %s", strerror(errno));
        return false;
    }
    snprintf(input, sizeof input, "/proc/self/fd/%d", file);
    lg__complaints_name(input, "standard input");
    return true;
}

const char *
lg__input_path(const char *path, int *code)
{
    if (strcmp(path, "-"))
        return path;
    *code = LG__EXIT_UNREADABLE;
    return *input || read_input() ? input : NULL;
}

bool
lg__open(const char *path, lg_graph **out, int *code)
{
    lg_error error = {0};
    path = lg__input_path(path, code);
    if (path == NULL)
        return false;
    if (!lg_graph_load(path, LG_LOAD_MAPPED, lg__monitor(), out, &error))
        return true;
    *code = lg__fail_to_open(&error);
    return false;
}

bool
lg__select_all(const lg_graph *graph, const char *selector, lg_nodes *out,
               int *code)
{
    lg_error error = {0};
    if (!lg_graph_select(graph, selector, lg__monitor(), out, &error))
        return true;
    *code = lg__fail(&error);
    return false;
}

bool
lg__select_one(const lg_graph *graph, const char *selector, lg_node *out,
               int *code)
{
    lg_nodes nodes = {0};
    if (!lg__select_all(graph, selector, &nodes, code))
        return false;
    if (nodes.count > 1) {
        lg_text count = {0};
        lg_text_add_count(&count, nodes.count);
        fprintf(stderr, "leakgraph: %s matches %s objects: here is the first\n",
                selector, count.data ? count.data : "many");
        lg_text_free(&count);
    }
    *out = nodes.items[0];
    lg_nodes_free(&nodes);
    return true;
}

lg_status
lg__find_analysis(const lg_graph *graph, lg_analysis **out, lg_error *err)
{
    lg_status status = lg_analysis_load(graph, out, err);
    if (status == LG_ENOTFOUND)
        status = lg_analysis_new(graph, lg__monitor(), out, err);
    return status;
}

bool
lg__analyse(const lg_graph *graph, lg_analysis **out, int *code)
{
    lg_error error = {0};
    lg_status status = lg__find_analysis(graph, out, &error);
    if (status)
        *code = lg__fail(&error);
    return !status;
}

bool
lg__open_analysed(const char *path, lg_graph **graph, lg_analysis **out,
                  int *code)
{
    if (!lg__open(path, graph, code))
        return false;
    if (lg__analyse(*graph, out, code))
        return true;
    lg_graph_free(*graph);
    return false;
}

lg_status
lg__find_scope(const lg_graph *graph, const lg__arguments *arguments,
               lg_scope **out, lg_error *err)
{
    return lg_scope_new(graph, arguments->mine, arguments->module,
                        lg__monitor(), out, err);
}
