/** The fields of named tuples about several snapshots. */
#ifndef LEAKGRAPH_GROWTH_TUPLES_H
#define LEAKGRAPH_GROWTH_TUPLES_H

#include "binding/support/binding_support.h"
#include <structseq.h>

extern PyStructSequence_Field lg__growth_row_fields[];
extern PyStructSequence_Field lg__growth_tally_fields[];
extern PyStructSequence_Field lg__growth_type_fields[];
extern PyStructSequence_Field lg__growth_account_fields[];
extern PyStructSequence_Field lg__rank_row_fields[];
extern PyStructSequence_Field lg__rank_repeat_fields[];
extern PyStructSequence_Field lg__rank_fields[];

#endif
