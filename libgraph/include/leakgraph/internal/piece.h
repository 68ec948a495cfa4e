/**
 * Compresses pieces of memory that hold columns, for a process that has no room
 * for them. It needs no other memory than it is given and takes no lock, so a
 * handler of signals may call it. One user at a time.
 */
#ifndef LEAKGRAPH_PIECE_H
#define LEAKGRAPH_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LG_PIECE_BYTES = 1 << 16 };

/** What becomes of the bytes before they are compressed. */
typedef enum lg_piece_form {
    LG_PIECE_PLAIN = 0,
    LG_PIECE_HALVES, /**< numbers of two bytes: lower bytes, then upper ones */
    LG_PIECE_WORDS,  /**< numbers of four bytes: the lower three as the distance
                          to the number before; byte by byte */
    LG_PIECE_FORMS,
} lg_piece_form;

typedef struct lg_piece_coder lg_piece_coder;

/** The bytes that a coder needs. */
size_t lg_piece_coder_size(void);
/** Makes a coder in zeroed memory of that size, which begins at a page. */
lg_piece_coder *lg_piece_coder_begin(void *memory);

/** Compresses a piece in a form. Returns how many bytes it becomes, which stand
 *  at *out until the next call; LG_PIECE_BYTES if they are not fewer. */
size_t lg_piece_compress(lg_piece_coder *coder, const void *piece,
                         lg_piece_form form, const void **out);
/** Writes the piece again. Returns false if the bytes are not of a piece. */
bool lg_piece_restore(lg_piece_coder *coder, const void *bytes, size_t length,
                      lg_piece_form form, void *piece);

#ifdef __cplusplus
}
#endif

#endif
