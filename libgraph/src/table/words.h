/**
 * Formats nodes, hops, paths and sizes for reports.
 */
#ifndef LEAKGRAPH_WORDS_H
#define LEAKGRAPH_WORDS_H

#include <leakgraph/internal/json.h>
#include <leakgraph/why.h>
#include <leakgraph/internal/why_facts.h>

#include "graph/graph_private.h"

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

/** Writes a node's title and number. Adds the whole name of a type that the
 *  title shortens: `Tensor · torch.Tensor #17`. */
void lg__format_step(const lg_graph *graph, uint32_t node, lg_text *out);
/** Returns whether allocators spend so much more than the bytes on the host
 *  that people should see it. */
bool lg__spent_matters(uint64_t spent, uint64_t bytes);
/** Writes a line about what allocators spend on what the object retains, if
 *  that is much more; else nothing. */
void lg__format_spent(const lg_why *why, lg_text *out);

/** Returns the bytes on one device. The context says of what. */
typedef uint64_t lg__vector_on(const void *context, uint32_t device);
/** Writes `1.93 GiB cuda:0 · 12 MiB host`, without zeros. If there is only the
 *  host, it is not named. */
void lg__format_vector(const lg_graph *graph, lg__vector_on *on,
                       const void *context, lg_text *out);

/** Returns the bytes that a node or a component retains on a device. */
typedef uint64_t lg__retained_on(const lg_analysis *analysis, uint32_t which,
                                 uint32_t device);
/** What a retained size belongs to: a node or component of an analysis. */
typedef struct lg__retainer {
    const lg_analysis *analysis;
    lg__retained_on *on;
    uint32_t which;
} lg__retainer;
/** The bytes of an lg__retainer on a device. */
uint64_t lg__retainer_on(const void *retainer, uint32_t device);
/** Writes `1.93 GiB cuda:0 · 12 MiB host`, or `12 MiB` without devices. */
void lg__format_retained(const lg_analysis *analysis, lg__retained_on *on,
                         uint32_t which, lg_text *out);
/** Writes bytes by device, [lg_graph_device_count + 1], in the same form. */
void lg__format_each(const lg_graph *graph, const uint64_t *bytes,
                     lg_text *out);

/** Writes a line below an example: `   and 12 more just like it`; nothing for
 *  0. */
void lg__format_repeats(size_t count, lg_text *out);

/** Writes an empty line, and a line for each library whose memory the capture
 *  could not inspect, with the reason. */
void lg__format_uninspected(const lg_graph *graph, lg_text *out);

/** Returns what to do about a reference that closes a cycle, or why nothing can
 *  be cut: a clause; "" of LG_CUT_NONE. */
const char *lg__cut_words(lg_cut_reason reason);
/** Writes the hops of a cycle, and underlines the label of the hop to cut.
 *  Lines begin with `indent`: one line if it fits, else one line per hop. */
void lg__format_cycle(const lg_graph *graph, const lg_hops *round_trip,
                      size_t cut, const char *indent, lg_text *out);
/** Writes why the collector cannot free something, as a clause. */
void lg__format_reason(const lg_graph *graph, lg_cycle_reason reason,
                       uint32_t culprit, lg_text *out);

/** Writes a share in percent: `12.3 %`. */
void lg__format_share(uint64_t part, uint64_t whole, lg_text *out);

/** Write members and elements of JSON; `name` as in report.h. The first one
 * frees the text. */
void lg__write_formatted(lg_json *json, const char *name, lg_text *formatted);
void lg__write_retained(lg_json *json, const char *name,
                        const lg_analysis *analysis, lg__retained_on *on,
                        uint32_t which);
void lg__write_hops(lg_json *json, const char *name, const lg_graph *graph,
                    const lg_hop *hops, size_t count);

/** Writes the members `"node": 1, "type": "list", "title": "list of 2"`. */
void lg__write_node(lg_json *json, const lg_graph *graph, uint32_t node);
/** Writes the node's number, or null for LG_NONE. */
void lg__write_node_or_null(lg_json *json, const char *name, uint32_t node);
/** Writes `{"kind": "module", "name": "train", "node": 1}`. */
void lg__write_root(lg_json *json, const char *name, const lg_root *root);
/** Writes one of the references to cut: `Child.parent: the back reference
 *  ...`. */
void lg__format_cut(const lg_graph *graph, const lg_cycle *cycle,
                    const lg_cycle_cut *cut, lg_text *out);

#endif
