/**
 * Words for known mistakes.
 */
#ifndef LEAKGRAPH_WORDS_FINDINGS_H
#define LEAKGRAPH_WORDS_FINDINGS_H

#include <leakgraph/internal/findings.h>
#include <leakgraph/text.h>

/** Returns how many holders make a known mistake; they come first. */
size_t lg__count_mistakes(const lg_finding *finding);
/** Writes the place of a holder. */
lg_status lg__format_holder_place(const lg_analysis *analysis,
                                  const lg_holder *holder, lg_text *out,
                                  lg_error *err);
/** Writes a holder: its place, title and number. */
lg_status lg__format_holder(const lg_analysis *analysis,
                            const lg_holder *holder, lg_text *out,
                            lg_error *err);
/** Writes the first holders of a finding, a line for each. If they share what
 *  they keep, adds what each frees alone. */
lg_status lg__format_holders(const lg_analysis *analysis,
                             const lg_finding *finding, lg_text *out,
                             lg_error *err);
/** Writes the causes of all holders, or their fixes, each once. */
void lg__format_advice(const lg_graph *graph, const lg_finding *finding,
                       bool fix, lg_text *out);
/** Writes what else the snapshot knows of the holders, a sentence each; often
 *  nothing. */
void lg__format_evidence(const lg_graph *graph, const lg_finding *finding,
                         lg_text *out);
/** Writes `loss-history: 12 MiB, `. */
void lg__format_mistake(const lg_graph *graph, const lg_pattern *pattern,
                        const uint64_t *retained, lg_text *out);
/** Writes `; the fix alone frees 12 KiB` if that is less than what all holders
 *  keep: others keep a part, too, or the fix keeps values. */
void lg__format_freed(const lg_graph *graph, const uint64_t *retained,
                      const uint64_t *freed, lg_text *out);
/** Writes `10 x Tensor`, or `10 objects, 8 of them Tensor` if there are several
 *  types. `varied`: writes the type without what differs. */
void lg__format_kept(const lg_graph *graph, uint64_t count, uint64_t of_type,
                     uint32_t example, bool varied, lg_text *out);

#endif
