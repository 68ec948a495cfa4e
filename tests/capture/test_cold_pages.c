// Memory that is compressed while nobody uses it: what was written is read,
// whatever was touched in between.
#include "test.h"

#include "capture/memory/arena.h"
#include "capture/memory/cold_pages.h"

#include <leakgraph/internal/piece.h>

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE_WORDS = LG_PIECE_BYTES / 4, MANY = 400 };

static char fault_stack[1 << 16];

static void
serve(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    if (!lg__cold_serve(info->si_addr))
        _exit(3);
}

static void
begin(void)
{
    sigaltstack(&(stack_t){.ss_sp = fault_stack, .ss_size = sizeof fault_stack},
                NULL);
    struct sigaction action = {.sa_sigaction = serve};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    lg__cold_begin();
}

static uint32_t *
block_of(size_t pieces)
{
    uint32_t *block = lg__cold_take(pieces * LG_PIECE_BYTES);
    REQUIRE(block != NULL);
    return block;
}

static void
fill(uint32_t *block, size_t pieces)
{
    for (size_t i = 0; i < pieces * PIECE_WORDS; i++)
        block[i] = (uint32_t)i;
}

static size_t
wrong(const uint32_t *block, size_t pieces)
{
    size_t count = 0;
    for (size_t i = 0; i < pieces * PIECE_WORDS; i++)
        count += block[i] != (uint32_t)i;
    return count;
}

static void
few_pieces_are_in_use(void)
{
    uint32_t *block = block_of(MANY);
    fill(block, MANY);
    const lg__cold_figures after = lg__cold_count();
    CHECK(after.in_use < 200);
    CHECK(after.in_use + after.compressed == MANY);
    CHECK(after.stored_bytes < MANY * LG_PIECE_BYTES / 8);
    CHECK(lg__pages_resident((uintptr_t)block,
                             (uintptr_t)block + MANY * LG_PIECE_BYTES) <=
          after.in_use * LG_PIECE_BYTES);
    CHECK(wrong(block, MANY) == 0);
}

// A change of a restored piece outlasts the next time that it is compressed.
static void
late_changes(void)
{
    uint32_t *block = block_of(MANY);
    fill(block, MANY);
    for (size_t i = 0; i < MANY; i++)
        block[i * PIECE_WORDS + i] = 0xffffff00;
    size_t right = 0;
    for (size_t i = 0; i < MANY; i++) {
        right += block[i * PIECE_WORDS + i] == 0xffffff00;
        block[i * PIECE_WORDS + i] = (uint32_t)(i * PIECE_WORDS + i);
    }
    CHECK(right == MANY);
    CHECK(wrong(block, MANY) == 0);
}

// Memory that is read in any order stays in use, before it costs much.
static void
any_order(void)
{
    uint32_t *block = block_of(MANY);
    fill(block, MANY);
    const size_t before = lg__cold_count().restored;
    uint32_t at = 1;
    for (size_t i = 0; i < 500 * MANY; i++) {
        at = at * 1664525 + 1013904223;
        const uint32_t word = (at >> 8) % MANY * PIECE_WORDS + 5;
        CHECK(block[word] == word);
    }
    CHECK(lg__cold_count().restored - before < 60 * MANY);
}

static void
what_is_given_back_is_zeros(void)
{
    uint32_t *block = block_of(MANY);
    const lg__cold_figures before = lg__cold_count();
    fill(block, MANY);
    lg__cold_give(block + PIECE_WORDS, (MANY - 1) * LG_PIECE_BYTES);
    CHECK(lg__cold_count().compressed + lg__cold_count().in_use <=
          before.compressed + before.in_use + 1);
    for (size_t i = 1; i < MANY; i++)
        CHECK(block[i * PIECE_WORDS] == 0 && block[i * PIECE_WORDS + 9] == 0);
    CHECK(block[7] == 7);
}

// What cannot become shorter stays, and leaves the others their room.
static void
noise(void)
{
    uint32_t *block = block_of(MANY);
    uint64_t at = 1;
    for (size_t i = 0; i < MANY * PIECE_WORDS; i++)
        block[i] =
            (uint32_t)((at = at * UINT64_C(6364136223846793005) + 1) >> 32);
    uint32_t *plain = block_of(MANY);
    fill(plain, MANY);
    CHECK(wrong(plain, MANY) == 0);
    at = 1;
    size_t different = 0;
    for (size_t i = 0; i < MANY * PIECE_WORDS; i++)
        different +=
            block[i] !=
            (uint32_t)((at = at * UINT64_C(6364136223846793005) + 1) >> 32);
    CHECK(different == 0);
}

// The capture's allocator has large blocks there, which grow in place, and
// small ones elsewhere.
static void
blocks_of_an_arena(void)
{
    const lg_allocator arena = lg__arena_new(0);
    const size_t small = (size_t)1 << 19, large = (size_t)4 << 20;
    uint32_t *block = arena.resize(arena.context, NULL, 0, small);
    REQUIRE(block != NULL && !lg__cold_holds(block));
    fill(block, small / LG_PIECE_BYTES);
    block = arena.resize(arena.context, block, small, large);
    REQUIRE(lg__cold_holds(block));
    CHECK(wrong(block, small / LG_PIECE_BYTES) == 0);
    CHECK(arena.resize(arena.context, block, large, 4 * large) == block);
    fill(block, 4 * large / LG_PIECE_BYTES);
    CHECK(arena.resize(arena.context, block, 4 * large, large) == block);
    CHECK(wrong(block, large / LG_PIECE_BYTES) == 0);
    CHECK(block[large / sizeof *block] == 0);
    arena.resize(arena.context, block, large, 0);
    arena.release(arena.context);
}

// Takes all ranges of pages that a process may have apart, in one mapping.
static char *
take_ranges(size_t size)
{
    char *taken = mmap(NULL, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(taken != MAP_FAILED);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < size; at += 2 * page)
        if (mprotect(taken + at, page, PROT_READ) != 0)
            return taken;
    munmap(taken, size);
    return NULL;
}

static void
fill_one(uint32_t *block, size_t piece)
{
    for (size_t i = 0; i < PIECE_WORDS; i++)
        block[piece * PIECE_WORDS + i] = (uint32_t)(piece * PIECE_WORDS + i);
}

// The first pieces to be compressed are between others in use, and the system
// does not let the process protect most of them, so they keep their bytes.
static void
no_range_is_left(void)
{
    enum { APART = 10, AROUND = 80 };
    const size_t size = (size_t)1 << 30;
    uint32_t *block = block_of(MANY);
    for (size_t piece = APART; piece < AROUND; piece += APART)
        fill_one(block, piece);
    fill(block, AROUND);
    char *taken = take_ranges(size);
    if (taken == NULL)
        return;
    for (size_t piece = AROUND; piece < MANY; piece++)
        fill_one(block, piece);
    munmap(taken, size);
    CHECK(wrong(block, MANY) == 0);
}

static void
nothing_to_serve(void)
{
    uint32_t *block = block_of(1);
    *block = 1;
    CHECK(!lg__cold_serve(block));
    CHECK(!lg__cold_serve(fault_stack));
    CHECK(!lg__cold_serve(NULL));
}

SUITE(cold_pages)
{
    CHECK(lg__cold_take(1) == NULL);
    begin();
    RUN(few_pieces_are_in_use);
    RUN(no_range_is_left);
    RUN(late_changes);
    RUN(what_is_given_back_is_zeros);
    RUN(blocks_of_an_arena);
    RUN(nothing_to_serve);
    RUN(any_order);
    RUN(noise);
    return test_result();
}
