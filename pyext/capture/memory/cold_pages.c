#include "capture/memory/cold_pages.h"
#include "capture/memory/arena.h"

#include <leakgraph/internal/piece.h>

#include <string.h>

enum {
    WINDOWS = 128, /* one for each block */
    UNIT = 256,    /* of what is compressed */
    UNITS = LG_PIECE_BYTES / UNIT,
    /** How many pieces are in use to begin with: the ends that columns grow at,
     *  and what the walk has not left. */
    LEAST_IN_USE = 160,
    /** From so many on, nothing is compressed any more. */
    MOST_IN_USE = 1 << 14,
    /** The credit of a new piece, and for each one more that is in use. */
    FOR_EACH = 8,
    FOR_ONE_MORE = 64,
    /** What a piece costs that is wanted again soon. */
    SOON = 8,
    /** How often each form of a block is tried. */
    TRIALS = 16,
};

#define WINDOW LG__COLD_BLOCK
#define RANGE (WINDOWS * WINDOW)
#define PIECES (RANGE / LG_PIECE_BYTES)
#define STORE ((size_t)1 << 37)
#define STORE_STEP ((size_t)1 << 20)

typedef enum piece_state {
    UNTOUCHED = 0, /* zeros */
    COMPRESSED,
    READ,    /* in use, and compressed as well */
    WRITTEN, /* in use */
} piece_state;

typedef struct piece {
    uint32_t unit;   /* where the compressed bytes are */
    uint32_t cooled; /* how many were compressed before it */
    uint16_t length; /* of the compressed bytes */
    uint8_t state;
    uint8_t form;
} piece;

/** How pieces of a block are compressed. */
typedef struct window_form {
    uint32_t pieces; /* so far */
    uint8_t best;
} window_form;

typedef struct cold_pages {
    char *start; /* [RANGE] */
    char *store; /* [STORE], of which a part may be used */
    size_t store_open;
    uint32_t unit_count;
    uint32_t windows_taken;
    uint32_t most;   /* how many pieces may be in use */
    uint32_t cooled; /* how many were compressed */
    uint64_t credit; /* for pieces that come back */
    lg__cold_figures figures;
    lg_piece_coder *coder;
    window_form forms[WINDOWS];
    /** Units that are free: a list for each number of units. */
    uint32_t free[UNITS + 1];
    /** Pieces in the order in which they came into use: a ring. Some have been
     *  given back since. */
    uint32_t queue[2 * MOST_IN_USE];
    uint32_t first, count;
    piece pieces[PIECES];
} cold_pages;

static cold_pages *cold;

static void *
reserve(size_t size)
{
    void *start = mmap(NULL, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start != MAP_FAILED ? start : NULL;
}

void
lg__cold_begin(void)
{
    cold_pages *made = lg__pages_map(sizeof *made);
    void *coder = lg__pages_map(lg_piece_coder_size());
    if (made == NULL || coder == NULL)
        return;
    made->start = reserve(RANGE);
    made->store = reserve(STORE);
    made->coder = lg_piece_coder_begin(coder);
    made->most = LEAST_IN_USE;
    made->unit_count = 1; /* 0 is the end of a list */
    if (made->start != NULL && made->store != NULL && made->coder != NULL)
        cold = made;
}

void *
lg__cold_take(size_t size)
{
    if (cold == NULL || size > WINDOW || cold->windows_taken == WINDOWS)
        return NULL;
    return cold->start + cold->windows_taken++ * WINDOW;
}

bool
lg__cold_holds(const void *address)
{
    return cold != NULL && (const char *)address >= cold->start &&
           (const char *)address < cold->start + cold->windows_taken * WINDOW;
}

lg__cold_figures
lg__cold_count(void)
{
    return cold != NULL ? cold->figures : (lg__cold_figures){0};
}

static char *
memory_of(uint32_t number)
{
    return cold->start + (size_t)number * LG_PIECE_BYTES;
}

static char *
stored(uint32_t unit)
{
    return cold->store + (size_t)unit * UNIT;
}

static uint32_t
units_of(size_t length)
{
    return (uint32_t)((length + UNIT - 1) / UNIT);
}

static bool
protect(uint32_t number, int protection)
{
    return mprotect(memory_of(number), LG_PIECE_BYTES, protection) == 0;
}

/* Keeps compressed bytes. */

static bool
store_reaches(size_t end)
{
    while (cold->store_open < end) {
        if (end > STORE || mprotect(cold->store + cold->store_open, STORE_STEP,
                                    PROT_READ | PROT_WRITE) != 0)
            return false;
        cold->store_open += STORE_STEP;
    }
    return true;
}

static void
give_units(uint32_t unit, uint32_t count)
{
    memcpy(stored(unit), &cold->free[count], sizeof unit);
    cold->free[count] = unit;
}

/** Takes units that are free, from the shortest row that has enough. Returns 0
 *  if there are none. */
static uint32_t
take_free(uint32_t count)
{
    uint32_t row = count;
    while (row <= UNITS && cold->free[row] == 0)
        row++;
    if (row > UNITS)
        return 0;
    const uint32_t unit = cold->free[row];
    memcpy(&cold->free[row], stored(unit), sizeof unit);
    if (row > count)
        give_units(unit + count, row - count);
    return unit;
}

/** Returns where so many units are free; 0 without memory. */
static uint32_t
take_units(uint32_t count)
{
    const uint32_t unit = take_free(count);
    if (unit != 0)
        return unit;
    const uint32_t fresh = cold->unit_count;
    if (!store_reaches(((size_t)fresh + count) * UNIT))
        return 0;
    cold->unit_count += count;
    cold->figures.stored_bytes += (size_t)count * UNIT;
    return fresh;
}

/* Compresses a piece. */

/** Finds the form in which a piece is shortest. */
static uint8_t
best_form(const void *memory)
{
    size_t least = LG_PIECE_BYTES;
    uint8_t best = LG_PIECE_PLAIN;
    const void *bytes;
    for (uint8_t form = 0; form < LG_PIECE_FORMS; form++) {
        const size_t length =
            lg_piece_compress(cold->coder, memory, form, &bytes);
        if (length < least) {
            least = length;
            best = form;
        }
    }
    return best;
}

static uint8_t
form_of(uint32_t number)
{
    window_form *form = &cold->forms[number / (WINDOW / LG_PIECE_BYTES)];
    if (form->pieces++ % TRIALS == 0)
        form->best = best_form(memory_of(number));
    return form->best;
}

/** Returns false if the piece would not become shorter, or without memory. */
static bool
compress(uint32_t number)
{
    piece *at = &cold->pieces[number];
    const void *bytes;
    at->form = form_of(number);
    const size_t length =
        lg_piece_compress(cold->coder, memory_of(number), at->form, &bytes);
    if (length == LG_PIECE_BYTES)
        return false;
    at->unit = take_units(units_of(length));
    at->length = (uint16_t)length;
    if (at->unit != 0)
        memcpy(stored(at->unit), bytes, length);
    return at->unit != 0;
}

static bool
is_in_use(const piece *at)
{
    return at->state == READ || at->state == WRITTEN;
}

static void
drop(uint32_t number)
{
    madvise(memory_of(number), LG_PIECE_BYTES, MADV_DONTNEED);
}

/** Returns false if the piece stays in use. A process may have only so many
 *  ranges of pages apart, so the system may refuse to protect one: a piece
 * loses its bytes only once nobody can read it without a fault. */
static bool
cool(uint32_t number)
{
    piece *at = &cold->pieces[number];
    const bool is_written = at->state == WRITTEN;
    if (is_written && !compress(number))
        return false;
    if (!protect(number, PROT_NONE)) {
        if (is_written)
            give_units(at->unit, units_of(at->length));
        return false;
    }
    drop(number);
    at->state = COMPRESSED;
    at->cooled = cold->cooled++;
    cold->figures.in_use--;
    cold->figures.compressed++;
    return true;
}

/* The queue of pieces in use. */

static void
append(uint32_t number)
{
    cold->queue[(cold->first + cold->count++) % (2 * MOST_IN_USE)] = number;
}

static uint32_t
take_first(void)
{
    const uint32_t number = cold->queue[cold->first];
    cold->first = (cold->first + 1) % (2 * MOST_IN_USE);
    cold->count--;
    return number;
}

/** Compresses pieces until another one may come into use. One that cannot be
 *  compressed stays, and does not count. */
static void
make_room(void)
{
    while (cold->most < MOST_IN_USE && cold->count > 0 &&
           (cold->figures.in_use >= cold->most ||
            cold->count == 2 * MOST_IN_USE)) {
        const uint32_t number = take_first();
        if (is_in_use(&cold->pieces[number]) && !cool(number))
            cold->most++;
    }
}

static void
use(uint32_t number, piece_state state)
{
    cold->pieces[number].state = (uint8_t)state;
    cold->figures.in_use++;
    if (cold->most < MOST_IN_USE)
        append(number);
}

/* Serves a fault. */

static bool
begin(uint32_t number)
{
    make_room();
    if (!protect(number, PROT_READ | PROT_WRITE))
        return false;
    use(number, WRITTEN);
    cold->credit += FOR_EACH;
    return true;
}

/** Columns are passed over some times each, which has its price. Whatever is
 *  wanted again while pieces that were in use with it still are has a higher
 *  one: it is read in any order, and would have been kept if there were room
 *  for a few more. Once the credit is spent, there is room for one more. */
static void
learn(const piece *at)
{
    const uint32_t price = cold->cooled - at->cooled < cold->most ? SOON : 1;
    if (cold->credit < price) {
        cold->credit += FOR_ONE_MORE;
        cold->most += cold->most < MOST_IN_USE;
    }
    cold->credit -= price;
}

static bool
restore(uint32_t number)
{
    piece *at = &cold->pieces[number];
    learn(at);
    make_room();
    if (!protect(number, PROT_READ | PROT_WRITE) ||
        !lg_piece_restore(cold->coder, stored(at->unit), at->length, at->form,
                          memory_of(number)) ||
        !protect(number, PROT_READ))
        return false;
    use(number, READ);
    cold->figures.compressed--;
    cold->figures.restored++;
    return true;
}

static bool
change(uint32_t number)
{
    piece *at = &cold->pieces[number];
    if (!protect(number, PROT_READ | PROT_WRITE))
        return false;
    give_units(at->unit, units_of(at->length));
    at->state = WRITTEN;
    return true;
}

bool
lg__cold_serve(const void *address)
{
    if (!lg__cold_holds(address))
        return false;
    const uint32_t number =
        (uint32_t)((size_t)((const char *)address - cold->start) /
                   LG_PIECE_BYTES);
    switch (cold->pieces[number].state) {
    case UNTOUCHED:
        return begin(number);
    case COMPRESSED:
        return restore(number);
    case READ:
        return change(number);
    default:
        return false;
    }
}

/* Gives memory back. */

static void
forget(uint32_t number)
{
    piece *at = &cold->pieces[number];
    if (at->state == UNTOUCHED)
        return;
    if (at->state != WRITTEN)
        give_units(at->unit, units_of(at->length));
    cold->figures.compressed -= at->state == COMPRESSED;
    cold->figures.in_use -= is_in_use(at);
    protect(number, PROT_NONE);
    drop(number);
    at->state = UNTOUCHED;
}

void
lg__cold_give(void *start, size_t size)
{
    const size_t begins = (size_t)((char *)start - cold->start);
    const uint32_t first =
        (uint32_t)((begins + LG_PIECE_BYTES - 1) / LG_PIECE_BYTES);
    const uint32_t end = (uint32_t)((begins + size) / LG_PIECE_BYTES);
    for (uint32_t number = first; number < end; number++)
        forget(number);
}
