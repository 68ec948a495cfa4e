/** The fields of named tuples about several snapshots. */
#ifndef LEAKGRAPH_GROWTH_TUPLES_H
#define LEAKGRAPH_GROWTH_TUPLES_H

#include "binding/support/shim.h"
#include <structseq.h>

extern PyStructSequence_Field growth_row_fields[];
extern PyStructSequence_Field growth_tally_fields[];
extern PyStructSequence_Field growth_type_fields[];
extern PyStructSequence_Field growth_account_fields[];
extern PyStructSequence_Field rank_row_fields[];
extern PyStructSequence_Field rank_repeat_fields[];
extern PyStructSequence_Field rank_fields[];

#endif
