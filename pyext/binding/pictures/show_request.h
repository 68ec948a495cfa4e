/** What show_refs(), show_backrefs() and show_path() are asked for. */
#ifndef LEAKGRAPH_SHOW_REQUEST_H
#define LEAKGRAPH_SHOW_REQUEST_H

#include "binding/pictures/drawing.h"
#include "binding/support/binding_support.h"

typedef struct lg__show_request {
    PyObject *target;      /* borrowed */
    PyObject *also;        /* fast sequence, or NULL */
    PyObject *path;        /* bytes, or NULL: no file */
    lg_renderer *renderer; /* starts during the capture; or NULL */
    lg_view_options view;
    bool chosen; /* whether the caller chose to show or hide retained bytes */
    bool retained;
    lg__drawing_style style;
    char suffix_format[16];
    lg__progress progress;
} lg__show_request;

enum lg__show_argument {
    LG__ARG_TARGET,
    LG__ARG_PATH,
    LG__ARG_ALSO,
    LG__ARG_MAX_DEPTH,
    LG__ARG_MAX_NODES,
    LG__ARG_FORMAT,
    LG__ARG_WEAK,
    LG__ARG_TYPES,
    LG__ARG_TITLE,
    LG__ARG_LEGEND,
    LG__ARG_RETAINED,
    LG__ARG_PROGRESS,
    LG__ARG_COUNT,
};

#define LG__SHOW_NAMES(first)                                                  \
    {                                                                          \
        first, "path", "also", "max_depth", "max_nodes", "format", "weak",     \
            "types", "title", "legend", "retained", "progress", NULL           \
    }

#define LG__SHOW_SIGNATURE(first)                                              \
    first ", path=None, *, also=(), max_depth=3,\n"                            \
          "          max_nodes=120, format=None, weak=False, types=False,\n"   \
          "          title=None, legend=True, retained=None, "                 \
          "progress=None)\n--\n\n"

#define LG__SHOW_OPTIONS                                                       \
    "\n\n"                                                                     \
    "path      write the picture there; the suffix chooses the format; {pid} " \
    "and {n}\n"                                                                \
    "          stand for the process id and the next free number\n"            \
    "also      more objects to start from\n"                                   \
    "max_depth follow at most this many hops\n"                                \
    "max_nodes draw at most this many boxes; similar siblings share one\n"     \
    "format    overrides the suffix; without a file, the format for a "        \
    "notebook\n"                                                               \
    "weak      follow weak references, too\n"                                  \
    "types     draw the references from objects to their types\n"              \
    "title     a line above the picture\n"                                     \
    "legend    explain the colours below the picture\n"                        \
    "retained  True shows retained sizes, which need a snapshot of the whole " \
    "heap\n"                                                                   \
    "          and its analysis; False shows the objects' own sizes; None "    \
    "shows\n"                                                                  \
    "          retained sizes if that is quick: with up to 300,000 objects "   \
    "in the\n"                                                                 \
    "          collector, or 2,000,000 in a snapshot\n"                        \
    "progress  as in snapshot()"

/** Parses; false with an exception. Call lg__request_clear in any case. */
bool lg__request_parse(lg__show_request *self, lg__core_state *state,
                       lg_direction direction, PyObject *const *values);
void lg__request_clear(lg__show_request *self);

#endif
