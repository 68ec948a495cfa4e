/** The look of each category: a colour for those who see it, and a shape,
 * border or badge for everyone. */
#ifndef LEAKGRAPH_LOOK_H
#define LEAKGRAPH_LOOK_H

#include "view/view_parts.h"

typedef struct lg__view_look {
    const char *name;   /* in the legend */
    const char *border; /* colours */
    const char *fill;
    const char *text;
    const char *badge; /* one or two letters before the title; NULL: none */
    bool square;       /* its corners are square */
} lg__view_look;

#define LG__INK "#1F2328"
#define LG__QUIET "#57606A"
#define LG__FAINT "#8C959F"
#define LG__PALE "#D0D7DE"
#define LG__SUSPECT "#BC4C00"
#define LG__SUSPECT_FILL "#FFF1E5"
#define LG__ALARM "#CF222E"
#define LG__ALARM_FILL "#FFEBE9"

const lg__view_look *lg__look_of(const lg__view_node *node);
/** Returns the badge that fits the type best: `{}` for a dict. */
const char *lg__badge_of(const lg__view_node *node, const lg__view_look *look);
/** Lists the looks that a legend explains, in its order; NULL at the end. */
const lg__view_look *lg__look_at(size_t index);

/** Adds text in an HTML-like label, cut to `limit` characters. */
void lg__html_add(lg_text *out, const lg_text *word, size_t limit);
/** Adds the HTML-like label of a node, brackets included. */
void lg__label_add(lg_text *out, const lg__view_node *node);

#endif
