// Pieces of memory: each comes back in every form.
#include <leakgraph/internal/piece.h>

#include "test.h"

static union {
    uint8_t bytes[LG_PIECE_BYTES];
    uint16_t halves[LG_PIECE_BYTES / 2];
    uint32_t words[LG_PIECE_BYTES / 4];
} piece;

static lg_piece_coder *coder;

static uint32_t
draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 40);
}

// Returns how many bytes the piece becomes in a form.
static size_t
length_in(lg_piece_form form)
{
    static uint8_t kept[LG_PIECE_BYTES];
    static uint8_t back[LG_PIECE_BYTES];
    const void *bytes;
    const size_t length = lg_piece_compress(coder, &piece, form, &bytes);
    if (length == LG_PIECE_BYTES)
        return length;
    memcpy(kept, bytes, length);
    memset(back, 0xaa, sizeof back);
    CHECK(lg_piece_restore(coder, kept, length, form, back));
    CHECK(memcmp(back, &piece, sizeof back) == 0);
    CHECK(!lg_piece_restore(coder, kept, length - 1, form, back));
    return length;
}

static void
zeros(void)
{
    memset(&piece, 0, sizeof piece);
    for (lg_piece_form form = 0; form < LG_PIECE_FORMS; form++)
        CHECK(length_in(form) < 64);
}

// Words that differ little from the one before, also across zero, below a byte
// that says something else.
static void
words(void)
{
    uint32_t at = 0;
    for (size_t i = 0; i < LG_PIECE_BYTES / 4; i++) {
        at = (at + 3 - 5 * (uint32_t)(i % 2)) & 0xffffff;
        piece.words[i] = at | (uint32_t)(i % 3) << 24;
    }
    CHECK(length_in(LG_PIECE_WORDS) < 2048);
    CHECK(length_in(LG_PIECE_WORDS) < length_in(LG_PIECE_PLAIN) / 4);
}

static void
halves(void)
{
    uint64_t state = 7;
    for (size_t i = 0; i < LG_PIECE_BYTES / 2; i++)
        piece.halves[i] = (uint16_t)(0x4200 | draw(&state) % 256);
    CHECK(length_in(LG_PIECE_HALVES) < LG_PIECE_BYTES * 9 / 16);
}

static void
noise(void)
{
    uint64_t state = 8;
    for (size_t i = 0; i < LG_PIECE_BYTES; i++)
        piece.bytes[i] = (uint8_t)draw(&state);
    for (lg_piece_form form = 0; form < LG_PIECE_FORMS; form++)
        CHECK(length_in(form) == LG_PIECE_BYTES);
}

static void
no_piece(void)
{
    CHECK(!lg_piece_restore(coder, "none", 4, LG_PIECE_PLAIN, &piece));
}

SUITE(piece)
{
    void *memory = NULL;
    REQUIRE(posix_memalign(&memory, 4096, lg_piece_coder_size()) == 0);
    memset(memory, 0, lg_piece_coder_size());
    coder = lg_piece_coder_begin(memory);
    REQUIRE(coder != NULL);
    RUN(zeros);
    RUN(words);
    RUN(halves);
    RUN(noise);
    RUN(no_piece);
    free(memory);
    return test_result();
}
