/**
 * Small heaps with the objects that known mistakes are made of: tensors with
 * autograd graphs, dicts, functions, frames.
 */
#ifndef LG_HEAPS_H
#define LG_HEAPS_H

#include "story.h"

#include <leakgraph/text.h>

enum { HEAP_BIG = 1 << 20 };

/** A story with a module `app`, and the bases of the types that matter. */
story heap_begin(uint32_t *app);
/** Ends the story: the names of the patterns found in it, in order, each with a
 *  space behind. */
void heap_findings(story *made, lg_text *out);

/** Ends the story: what the first finding retains, host and devices; 0: there
 * is none. */
uint64_t heap_finding_bytes(story *made);

/** A tensor with that many bytes; with a graph if `grad_fn` is not LG_NONE. */
uint32_t heap_tensor(story *to, uint64_t bytes, uint32_t grad_fn);
/** Gives a tensor or array memory of its own: a buffer of HEAP_BIG bytes. */
void heap_memory(story *to, uint32_t tensor);
/** The same with at most HEAP_BIG bytes. */
void heap_memory_of(story *to, uint32_t tensor, uint64_t bytes);
/** An autograd node that passes on to others (LG_NONE: none). */
uint32_t heap_grad_fn(story *to, const char *operation, uint32_t first,
                      uint32_t second);
/** A number with a graph of one node, which is added just before it. */
uint32_t heap_loss(story *to);
/** A leaf's AccumulateGrad, with its variable. */
uint32_t heap_leaf(story *to, uint32_t variable);
/** A list with that element, if any. */
uint32_t heap_list(story *to, uint32_t element);
void heap_append(story *to, uint32_t list, uint32_t element);
/** dict[key] = value, the key a name. */
void heap_item(story *to, uint32_t dict, const char *key, uint32_t value);
/** A function with one closure variable, if any. */
uint32_t heap_function(story *to, uint32_t variable);

#endif
