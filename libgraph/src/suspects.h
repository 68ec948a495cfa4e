/**
 * The hops of a path that would each free its target.
 */
#ifndef LG_SUSPECTS_H
#define LG_SUSPECTS_H

#include "hop.h"
#include "retained.h"

/** Sets suspect[i] for each hop of the path without which no root reaches the
 *  target; returns how many there are. Hops that no program can cut, as from a
 *  thread to its frame, do not count. The walk has the reverse index. */
size_t lg__suspects_mark(const lg_analysis *analysis, const lg__walk *walk,
                         const lg_path *path, uint32_t target, bool *suspect);

#endif
