/**
 * Scopes: what some modules hold, so that an answer can be about these alone.
 *
 * The conventions of leakgraph.h hold. A module holds what a shortest path from
 * a root reaches by its names, or by the locals of its functions that run. An
 * object that no module holds, such as garbage, belongs to the module of its
 * class.
 */
#ifndef LEAKGRAPH_SCOPE_H
#define LEAKGRAPH_SCOPE_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lg_scope lg_scope;

/** What the modules hold whose names match `module` (`*` stands for any text;
 *  NULL: any name), with `mine` only the program's own: those whose file is
 *  neither in the standard library nor in an installed package, and
 *  `__main__`. The figures that pyplot holds are the program's, too. *out is
 *  NULL, which stands for everything, if neither is given. The scope borrows
 *  the graph. LG_ENOTFOUND, with a suggestion: no module has such a name.
 *  O(nodes + edges). */
lg_status lg_scope_new(const lg_graph *graph, bool mine, const char *module,
                       const lg_monitor *monitor, lg_scope **out,
                       lg_error *err);
/** `scope` may be NULL: everything. O(1). */
bool lg_scope_has(const lg_scope *scope, lg_node node);
void lg_scope_free(lg_scope *scope);

#ifdef __cplusplus
}
#endif

#endif
