/**
 * What the text reports share.
 */
#ifndef LEAKGRAPH_REPORT_PARTS_H
#define LEAKGRAPH_REPORT_PARTS_H

#include "graph/graph_private.h"

void lg__text_add_string(lg_text *out, lg_string string);
void lg__text_add_json_string(lg_text *out, lg_string string);
/** Adds spaces until the text since `start` is `width` columns wide, but at
 *  least one space. Columns count characters, not bytes. */
void lg__text_pad(lg_text *out, size_t start, size_t width);
/** Cuts the text to an earlier length. */
void lg__text_cut(lg_text *text, size_t length);
/** Returns how many columns the text since `start` takes. */
size_t lg__text_width(const lg_text *out, size_t start);
/** Moves a finished report into *out; LG_ENOMEM if memory ran out. The text
 *  before a tab is the first cell of a line. All first cells become as wide as
 *  the widest, flush right. No text of a graph has tabs. */
lg_status lg__report_finish(lg_text *report, lg_text *out, lg_error *err);

#endif
