/** Finds which of the system calls that an attach needs a seccomp filter
 *  refuses. */
#ifndef LEAKGRAPH_FILTER_H
#define LEAKGRAPH_FILTER_H

#include "attach/visit.h"

/** Has the process try each system call without which an attach would leave
 *  something in it, or could not tell how it went. They fail without having
 *  done anything. LG_EUNSUPPORTED names the one that a filter refuses,
 * LG_ECHILD the one that it ended the process for. */
lg_status lg__filter_probe(const lg__attach_target *target, lg_error *err);

#endif
