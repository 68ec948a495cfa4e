/**
 * Small heaps with the objects that make up known mistakes: tensors with
 * autograd graphs, dicts, functions and frames.
 */
#ifndef LEAKGRAPH_HEAPS_H
#define LEAKGRAPH_HEAPS_H

#include "story.h"

#include <leakgraph/text.h>

enum { HEAP_BIG = 1 << 20 };

/** Begins a story with a module `app` and the base types that these tests
 *  need. */
story heap_begin(uint32_t *app);
/** Ends the story. Returns the names of the patterns found in it, in order,
 *  with a space after each. */
void heap_findings(story *made, lg_text *out);
/** Ends the story. Returns whether these patterns, as heap_findings returns
 * them, are found in it, and says if not. */
bool heap_finds(story *made, const char *expected);

/** Ends the story. Returns what the first finding retains on the host and on
 *  devices, or 0 if there is no finding. */
uint64_t heap_finding_bytes(story *made);

/** Ends the story. Returns whether it has a finding whose example is of that
 *  type. */
bool heap_finding_shows(story *made, const char *type);

/** Adds a tensor of `bytes` bytes; it has a graph unless `grad_fn` is
 *  LG_NONE. */
uint32_t heap_tensor(story *to, uint64_t bytes, uint32_t grad_fn);
/** Gives a tensor or an array memory of its own: a buffer of HEAP_BIG bytes. */
void heap_memory(story *to, uint32_t tensor);
/** Gives it a buffer of `bytes` bytes, at most HEAP_BIG. */
void heap_memory_of(story *to, uint32_t tensor, uint64_t bytes);
/** Adds an autograd node that passes gradients on to others (LG_NONE: to
 *  none). */
uint32_t heap_grad_fn(story *to, const char *operation, uint32_t first,
                      uint32_t second);
/** Adds a number with a graph of one node. The node comes just before the
 *  number. */
uint32_t heap_loss(story *to);
/** Adds the AccumulateGrad node of a leaf, with its variable. */
uint32_t heap_leaf(story *to, uint32_t variable);
/** Adds a list with that element, if there is one. */
uint32_t heap_list(story *to, uint32_t element);
void heap_append(story *to, uint32_t list, uint32_t element);
/** Sets dict[key] = value, where the key is a str. */
void heap_item(story *to, uint32_t dict, const char *key, uint32_t value);
/** Adds a function with one closure variable, if there is one. */
uint32_t heap_function(story *to, uint32_t variable);

#endif
