/**
 * Search by words: which variables, attributes, keys, types and modules of the
 * program have a name like that, and what do they retain?
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_SEARCH_H
#define LEAKGRAPH_SEARCH_H

#include <leakgraph/internal/answers.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What has the name. */
typedef enum lg_hit_kind {
    LG_HIT_OBJECT = 0, /**< an object that a selector names */
    LG_HIT_VARIABLE,   /**< of a module: `train.losses` */
    LG_HIT_ATTRIBUTE,  /**< of the objects of a type, or of a class:
                            `train.Trainer.losses` */
    LG_HIT_KEY,        /**< of mappings: `dict['losses']` */
    LG_HIT_LOCAL,      /**< of a frame: `step() train.py:3 local losses` */
    LG_HIT_TYPE,       /**< its objects: `torch.Tensor` */
    LG_HIT_MODULE,
} lg_hit_kind;

/** A name, and the objects that it leads to. */
typedef struct lg_hit {
    lg_hit_kind kind;
    bool mine;       /**< the program's own modules hold them */
    lg_node owner;   /**< what has the name; of an object, a type and a module,
                          the node */
    lg_edge edge;    /**< of the others: from there to the node */
    lg_node node;    /**< the object that retains the most */
    uint64_t count;  /**< objects */
    uint64_t weight; /**< what they retain on all devices */
    const uint64_t *retained; /**< by device; what one of them retains with
                                   another counts once */
    lg_where where;           /**< of the node */
} lg_hit;

typedef struct lg_search {
    lg_hit *rows; /**< the program's own first, then by what they retain */
    size_t count;
    size_t total_rows;
    uint32_t devices;
    uint64_t *bytes; /**< what the rows point into */
} lg_search;

/** Start from LG_SEARCH_OPTIONS_INIT. */
typedef struct lg_search_options {
    size_t size;       /**< of this struct */
    const char *words; /**< see lg_analysis_search */
    size_t limit;      /**< rows (0: all) */
} lg_search_options;

#define LG_SEARCH_OPTIONS_INIT                                                 \
    {                                                                          \
        .size = sizeof(lg_search_options), .limit = 20                         \
    }

/**
 * Finds the names that have all the words, whatever their case; the last part
 * of a name, as it stands after the last dot, has at least the end of one.
 * Names with two underscores at both ends count only if a word has two. A text
 * that is a selector (`type:torch.Tensor`, `#17`, `train.losses[0]`, see
 * lg_graph_select) finds the objects that it names, each in a row of its own;
 * so does one word that no name has. Of the variables of libraries that lead to
 * one object, one has a row. Without words, the variables of the
 * program's own modules. LG_ENOTFOUND, with the message of lg_graph_select:
 * nothing has such a name. O(nodes + edges).
 */
lg_status lg_analysis_search(const lg_analysis *analysis,
                             const lg_search_options *options,
                             const lg_monitor *monitor, lg_search *out,
                             lg_error *err);
void lg_search_free(lg_search *search);
/** Writes the name of a hit: `train.Trainer.losses`. */
void lg_hit_name(const lg_graph *graph, const lg_hit *hit, lg_text *out);

#ifdef __cplusplus
}
#endif

#endif
