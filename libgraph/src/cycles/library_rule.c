// Why nothing can be cut among objects of a library.
#include "cycles/cut_rule.h"

#define FIGURE_OPEN                                                            \
    "the parts of a figure refer back to it; close it with pyplot.close() "    \
    "and drop the last reference to it"
#define FIGURE_CLOSED                                                          \
    "the parts of a figure refer back to it; drop the last reference to it"

const char *
lg__rule_of_library(const lg_graph *graph, const uint32_t *members,
                    uint32_t count)
{
    bool classes = true;
    for (uint32_t i = 0; i < count; i++)
        if (lg__node_origin(graph, members[i], NULL) == LG__ORIGIN_PROGRAM)
            return NULL;
    const char *reason = NULL;
    for (uint32_t i = 0; i < count; i++) {
        lg_category category = lg__node_category(graph, members[i]);
        if (category == LG_CATEGORY_FIGURE)
            return lg__string_is(lg_node_fact(graph, members[i], "closed"),
                                 "no")
                       ? FIGURE_OPEN
                       : FIGURE_CLOSED;
        if (lg__node_origin(graph, members[i], NULL) != LG__ORIGIN_LIBRARY)
            continue;
        classes &= category == LG_CATEGORY_TYPE;
        reason = classes ? LG__CLASSY : LG__OWN_STRUCTURE;
    }
    return reason;
}
