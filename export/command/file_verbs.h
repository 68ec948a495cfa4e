/** The verbs that compare snapshots or make files of them. */
#ifndef LEAKGRAPH_FILE_VERBS_H
#define LEAKGRAPH_FILE_VERBS_H

#include "command/command.h"

/** ends with NULL */
const lg__verb *lg__file_verb_at(size_t index);

#endif
