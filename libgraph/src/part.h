/**
 * What a torch.nn.Module calls its parts. It keeps submodules, parameters and
 * buffers in dicts of its own, and finds them there when it is asked for an
 * attribute: `model._modules['fc']._parameters['weight']` is `model.fc.weight`
 * to everybody (torch.nn.Module.__getattr__).
 */
#ifndef LG_PART_H
#define LG_PART_H

#include "hop.h"

/** Whether a hop leads from such a module to one of the dicts. */
bool lg__hop_opens_parts(const lg_graph *graph, const lg_hop *hop,
                         lg_text *scratch);

/** `.fc`, or `[0]` as in a torch.nn.Sequential, of a hop from one of the dicts
 *  to a part. False, and nothing is said, if its key is neither. */
bool lg__say_part(const lg_graph *graph, const lg_hop *hop, lg_text *scratch,
                  lg_text *out);

#endif
