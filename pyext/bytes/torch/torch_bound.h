/** Searches for tensors behind C++ objects without a known layout. */
#ifndef LEAKGRAPH_TORCH_BOUND_H
#define LEAKGRAPH_TORCH_BOUND_H

#include "bytes/torch/torch.h"

/** Notes a search for tensors behind a C++ object with an unknown layout, or,
 *  if it is `waiting`, behind what a future keeps until it has a value. */
void lg__torch_search_later(lg__torch *torch, uintptr_t address, uint32_t node,
                            bool waiting);

/** If a word is the address of a tensor or a TorchScript object, links that and
 *  returns its record; NULL if it is not, or is stale. */
lg__torch_record *lg__torch_link_owned(lg__torch *torch, uint32_t source,
                                       uintptr_t address, uint32_t label);

/** Runs the next search; false: none waits. */
bool lg__torch_run_search(lg__torch *torch);

/** Links the unit of compiled code that a word leads to, if one does. */
void lg__torch_link_unit(lg__torch *torch, uint32_t source, uintptr_t word);

#endif
