// Pieces of columns: zstd at its quickest, behind a change of the bytes that
// puts those together which are alike.
#include <leakgraph/internal/piece.h>

#include <string.h>
#include <zstd.h>

enum {
    LEVEL = 1,
    HALVES = LG_PIECE_BYTES / 2,
    WORDS = LG_PIECE_BYTES / 4,
    ROOM = LG_PIECE_BYTES + (LG_PIECE_BYTES >> 7), // what zstd wants
    ALIGNMENT = 64,
};

#define LOW_BYTES UINT32_C(0xffffff)

struct lg_piece_coder {
    ZSTD_CCtx *compressor;
    ZSTD_DCtx *restorer;
    uint8_t planes[LG_PIECE_BYTES];
    uint8_t out[ROOM];
};

static size_t
aligned(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static size_t
compressor_size(void)
{
    return aligned(ZSTD_estimateCCtxSize(LEVEL));
}

size_t
lg_piece_coder_size(void)
{
    return aligned(sizeof(lg_piece_coder)) + compressor_size() +
           aligned(ZSTD_estimateDCtxSize());
}

lg_piece_coder *
lg_piece_coder_begin(void *memory)
{
    lg_piece_coder *coder = memory;
    char *behind = (char *)memory + aligned(sizeof *coder);
    coder->compressor = ZSTD_initStaticCCtx(behind, compressor_size());
    coder->restorer = ZSTD_initStaticDCtx(behind + compressor_size(),
                                          ZSTD_estimateDCtxSize());
    return coder->compressor != NULL && coder->restorer != NULL ? coder : NULL;
}

// The loops copy numbers, because the memory may hold those of any type.

static void
split_halves(const uint8_t *halves, uint8_t *planes)
{
    for (size_t i = 0; i < HALVES; i++) {
        planes[i] = halves[2 * i];
        planes[HALVES + i] = halves[2 * i + 1];
    }
}

static void
join_halves(const uint8_t *planes, uint8_t *halves)
{
    for (size_t i = 0; i < HALVES; i++) {
        halves[2 * i] = planes[i];
        halves[2 * i + 1] = planes[HALVES + i];
    }
}

static void
split_words(const uint8_t *words, uint8_t *planes)
{
    uint32_t before = 0;
    for (size_t i = 0; i < WORDS; i++) {
        uint32_t word;
        memcpy(&word, words + i * sizeof word, sizeof word);
        const uint32_t distance = word - before;
        before = word;
        planes[i] = (uint8_t)distance;
        planes[WORDS + i] = (uint8_t)(distance >> 8);
        planes[2 * WORDS + i] = (uint8_t)(distance >> 16);
        planes[3 * WORDS + i] = (uint8_t)(word >> 24);
    }
}

static void
join_words(const uint8_t *planes, uint8_t *words)
{
    uint32_t low = 0;
    for (size_t i = 0; i < WORDS; i++) {
        low += planes[i] | (uint32_t)planes[WORDS + i] << 8 |
               (uint32_t)planes[2 * WORDS + i] << 16;
        const uint32_t word =
            (low & LOW_BYTES) | (uint32_t)planes[3 * WORDS + i] << 24;
        memcpy(words + i * sizeof word, &word, sizeof word);
    }
}

size_t
lg_piece_compress(lg_piece_coder *coder, const void *piece, lg_piece_form form,
                  const void **out)
{
    const void *bytes = form == LG_PIECE_PLAIN ? piece : coder->planes;
    if (form == LG_PIECE_HALVES)
        split_halves(piece, coder->planes);
    else if (form == LG_PIECE_WORDS)
        split_words(piece, coder->planes);
    const size_t length =
        ZSTD_compressCCtx(coder->compressor, coder->out, sizeof coder->out,
                          bytes, LG_PIECE_BYTES, LEVEL);
    *out = coder->out;
    return ZSTD_isError(length) || length > LG_PIECE_BYTES ? LG_PIECE_BYTES
                                                           : length;
}

bool
lg_piece_restore(lg_piece_coder *coder, const void *bytes, size_t length,
                 lg_piece_form form, void *piece)
{
    void *to = form == LG_PIECE_PLAIN ? piece : coder->planes;
    if (ZSTD_decompressDCtx(coder->restorer, to, LG_PIECE_BYTES, bytes,
                            length) != LG_PIECE_BYTES)
        return false;
    if (form == LG_PIECE_HALVES)
        join_halves(coder->planes, piece);
    else if (form == LG_PIECE_WORDS)
        join_words(coder->planes, piece);
    return true;
}
