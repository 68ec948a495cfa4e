/**
 * Figures with what belongs to each: its canvas and manager, its axes and all
 * its other artists.
 */
#ifndef LG_FIGURES_H
#define LG_FIGURES_H

#include <leakgraph/bytes.h>

#include "gather.h"
#include "roottree.h"
#include "set.h"

/** What a type is to figures; bits. */
enum {
    LG__IS_FIGURE = 1 << 0,
    LG__IS_PART = 1 << 1, /**< of a figure, and holds artists itself */
    LG__IS_ARTIST = 1 << 2,
    LG__IS_PIXELS = 1 << 3,
    LG__IS_ANIMATION = 1 << 4,
};

typedef struct lg__figures {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg__walk walk;
    uint8_t *classes;    /**< [type] */
    lg_figure_rows rows; /**< biggest retained first */
    /** [node] the number of the figure that the node belongs to, or that alone
     *  keeps it alive; LG__SHARED: several do; 0: none. A row's number is its
     *  node's. */
    uint32_t *label;
    lg__gathered members; /**< by number */
    lg__gathered first;   /**< [number - 1] into members, and the end */
} lg__figures;

/** Free with lg__figures_free, also on failure. O(nodes + edges). */
lg_status lg__figures_find(const lg_analysis *analysis, lg__figures *out,
                           lg_error *err);
void lg__figures_free(lg__figures *figures);

static inline unsigned
lg__figures_class(const lg__figures *figures, uint32_t node)
{
    return figures->classes[figures->graph->columns.type[node]];
}

/** Who keeps a figure, from outside of all that goes with it. */
typedef enum lg__holder_kind {
    LG__HOLDER_PYPLOT = 0, /**< its registry of open figures */
    LG__HOLDER_ANIMATION,
    LG__HOLDER_CALLBACK,
    LG__HOLDER_VARIABLE,
    LG__HOLDER_NATIVE, /**< references that are not to be seen */
} lg__holder_kind;

typedef struct lg__holder {
    lg__holder_kind kind;
    uint32_t steps; /**< from the root */
    lg_text where;  /**< `train.figures[0]`; pyplot's registry needs none */
} lg__holder;

typedef struct lg__holders {
    lg__holder *items; /**< by kind, the nearest first; none twice */
    size_t count;
    uint64_t more; /**< left out */
} lg__holders;

/** Who holds the figure of a row, a few of each kind. */
lg_status lg__figure_holders(const lg__figures *figures,
                             const lg__roottree *tree, uint32_t figure,
                             lg__holders *out, lg_error *err);
void lg__holders_free(lg__holders *holders);
/** "pyplot", "animation", ... */
const char *lg__holder_name(lg__holder_kind kind);

#endif
