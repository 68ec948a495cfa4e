/**
 * Programs: which script or module a process of Python runs.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_PROGRAM_H
#define LEAKGRAPH_PROGRAM_H

#include <leakgraph/base.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a process runs. Snapshots have it as the info text "program":
 *  `src/train.py`, or `-m pkg.train` for a module. */
typedef struct lg_program {
    lg_string text; /**< the path of a script, or the name of a module; empty:
                         neither is known */
    bool is_module;
} lg_program;

/**
 * Finds the program in the arguments of a process, as /proc/PID/cmdline has
 * them: each ends with a zero byte. Nothing is found if the first one is no
 * Python, as in a process that has renamed itself, and for `python -c`. What
 * runs another program in its own process, such as `coverage run`, counts as
 * that program. The text points into `arguments`. Allocates nothing. O(length).
 */
lg_program lg_program_of_arguments(const char *arguments, size_t length);
/** Reads the info text "program". */
lg_program lg_program_of_info(lg_string info);
/** How messages call it: without its folder. */
lg_string lg_program_name(lg_program program);
/** Returns whether both are known and have different names. A script and a
 *  module of the same name are the same: `pkg/train.py` and `-m pkg.train`. */
bool lg_program_differs(lg_program one, lg_program other);

#ifdef __cplusplus
}
#endif

#endif
