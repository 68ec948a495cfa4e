/** Snapshots or summaries of one program, the oldest first, for the verbs that
 *  make pages of them. */
#ifndef LEAKGRAPH_COMPARISON_H
#define LEAKGRAPH_COMPARISON_H

#include "command/command.h"

#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/page.h>

typedef struct lg__compared_files {
    const lg__arguments *arguments;
    size_t count;
    lg_summary **summaries;
    lg_graph *graph; /* NULL: the newest is a summary */
    lg_analysis *analysis;
    double *steps;         /* or NULL */
    lg_growth_order order; /* after they are sorted */
    bool rows;             /* a page compares the rows of all answers */
    bool words; /* places have words in all summaries, not only in the
                   newest */
    lg_baseline *baseline; /* or NULL */
} lg__compared_files;

/** Opens and sorts what the arguments name, for a page about the newest, which
 *  must be a snapshot. Returns false after a complaint, with the exit code in
 *  *code. The options borrow the state. */
bool lg__comparison_page(lg__compared_files *state, lg_page_options *options,
                         int *code);
/** Returns the name of a file without its folder. */
const char *lg__file_name(const char *path);
void lg__comparison_end(lg__compared_files *state);

#endif
