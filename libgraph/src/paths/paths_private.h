/**
 * Paths from roots: what makes one better than another, the shortest to one
 * node and to every node, and how names select nodes.
 */
#ifndef LEAKGRAPH_PATHS_PRIVATE_H
#define LEAKGRAPH_PATHS_PRIVATE_H

#include "analysis/analysis_private.h"
#include "paths/common.h"
#include "paths/author.h"
#include "paths/guess.h"
#include "paths/keepers.h"
#include "paths/merged_tree.h"
#include "paths/path_hops.h"
#include "paths/measure.h"
#include "paths/root_tree.h"

#include <leakgraph/internal/scope.h>
#include <leakgraph/internal/why_facts.h>

#endif
