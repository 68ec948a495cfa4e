/**
 * What dump.c reads snapshots with: its position, its error messages, and the
 * values of dicts. Private to dump.c.
 */
#ifndef LEAKGRAPH_DUMP_READER_H
#define LEAKGRAPH_DUMP_READER_H

#include "bytes/cuda/dump.h"
#include "bytes/common/bytes_common.h"

/** The keys to look up, made once. */
typedef enum lg__dump_key {
    LG__KEY_STATE,
    LG__KEY_HISTORY,
    LG__KEY_FRAMES,
    LG__KEY_REQUESTED_SIZE,
    LG__KEY_REAL_SIZE,
    LG__KEY_ADDRESS,
    LG__KEY_BLOCKS,
    LG__KEY_SEGMENT_POOL_ID,
    LG__KEY_SEGMENT_TYPE,
    LG__KEY_IS_EXPANDABLE,
    LG__KEY_STREAM,
    LG__KEY_SEGMENTS,
    LG__KEY_SIZE,
    LG__KEY_TOTAL_SIZE,
    LG__KEY_DEVICE,
    LG__KEY_USER_METADATA,
    LG__KEYS
} lg__dump_key;

typedef struct lg__dump_reader {
    lg__dump dump;
    PyObject *keys[LG__KEYS];
    lg__frames *frames; // NULL: leave them out
    size_t block_capacity;
    size_t text_capacity;
    size_t at_segment;
    size_t at_block; // SIZE_MAX: not in a block
    lg_error *err;
    lg_status status;
} lg__dump_reader;

/** False when memory ran out, with the error set. Close the reader in any
 *  case. */
bool lg__dump_open(lg__dump_reader *self, bool with_frames);
void lg__dump_close(lg__dump_reader *self);

/** Sets an error that says where the reader is and what is wrong. Returns
 *  false. */
bool lg__dump_complain(lg__dump_reader *self, const char *format, ...)
    LG_PRINTF(2, 3);
bool lg__dump_run_out(lg__dump_reader *self);

/** A borrowed item, or NULL; leaves no exception. */
PyObject *lg__dump_item(const lg__dump_reader *self, PyObject *dict,
                        lg__dump_key key);
/** Returns whether the value, which may be NULL, is a whole number. */
bool lg__dump_number(PyObject *value, uint64_t *out);
/** Fails unless the dict has such a number. */
bool lg__dump_need(lg__dump_reader *self, PyObject *dict, lg__dump_key key,
                   uint64_t *out);

#endif
