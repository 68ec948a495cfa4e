/**
 * What dump.c reads snapshots with: its position, its error messages, and the
 * values of dicts. Private to dump.c.
 */
#ifndef LEAKGRAPH_DUMP_READER_H
#define LEAKGRAPH_DUMP_READER_H

#include "bytes/cuda/dump.h"
#include "bytes/common/frames.h"

/** The keys to look up, made once. */
typedef enum lg_dump_key {
    LG_KEY_STATE,
    LG_KEY_HISTORY,
    LG_KEY_FRAMES,
    LG_KEY_REQUESTED_SIZE,
    LG_KEY_REAL_SIZE,
    LG_KEY_ADDRESS,
    LG_KEY_BLOCKS,
    LG_KEY_SEGMENT_POOL_ID,
    LG_KEY_SEGMENT_TYPE,
    LG_KEY_IS_EXPANDABLE,
    LG_KEY_STREAM,
    LG_KEY_SEGMENTS,
    LG_KEY_SIZE,
    LG_KEY_TOTAL_SIZE,
    LG_KEY_DEVICE,
    LG_KEY_USER_METADATA,
    LG_KEYS
} lg_dump_key;

typedef struct lg_dump_reader {
    lg_dump dump;
    PyObject *keys[LG_KEYS];
    lg_frames *frames; // NULL: leave them out
    size_t block_capacity;
    size_t text_capacity;
    size_t at_segment;
    size_t at_block; // SIZE_MAX: not in a block
    lg_error *err;
    lg_status status;
} lg_dump_reader;

/** False when memory ran out, with the error set. Close the reader in any
 *  case. */
bool lg_dump_open(lg_dump_reader *self, bool with_frames);
void lg_dump_close(lg_dump_reader *self);

/** Sets an error that says where the reader is and what is wrong. Returns
 *  false. */
bool lg_dump_complain(lg_dump_reader *self, const char *format, ...)
    LG_PRINTF(2, 3);
bool lg_dump_run_out(lg_dump_reader *self);

/** A borrowed item, or NULL; leaves no exception. */
PyObject *lg_dump_item(const lg_dump_reader *self, PyObject *dict,
                       lg_dump_key key);
/** Returns whether the value, which may be NULL, is a whole number. */
bool lg_dump_number(PyObject *value, uint64_t *out);
/** Fails unless the dict has such a number. */
bool lg_dump_need(lg_dump_reader *self, PyObject *dict, lg_dump_key key,
                  uint64_t *out);

#endif
