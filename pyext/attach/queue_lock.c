#include "attach/queue_lock.h"

/** Where the lock lies: in the state of the interpreter, or in that of all; a
 *  pointer to a semaphore of the C library, or a mutex of one byte. */
typedef struct place {
    unsigned minor;
    bool shared;
    bool mutex;
    uint64_t offset;
} place;

static const place places[] = {
    {9, false, false, 80},   {10, false, false, 80}, {11, false, false, 112},
    {12, true, false, 2024}, {13, true, true, 2648}, {14, true, true, 2856},
    {15, true, true, 2984},
};

/** The lowest bits of a semaphore count how often it can be taken. */
static bool
is_taken(const lg__remote *remote, uint64_t address)
{
    uint64_t semaphore;
    uint32_t count;
    return lg__remote_read(remote, address, &semaphore, sizeof semaphore) &&
           lg__remote_read(remote, semaphore, &count, sizeof count) &&
           count == 0;
}

static bool
is_locked(const lg__remote *remote, uint64_t address)
{
    unsigned char byte;
    return lg__remote_read(remote, address, &byte, sizeof byte) && (byte & 1);
}

bool
lg__queue_lock_held(const lg__remote *remote, unsigned minor, uint64_t runtime,
                    uint64_t interpreter)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const place *at = &places[i];
        uint64_t address = (at->shared ? runtime : interpreter) + at->offset;
        if (at->minor == minor)
            return at->mutex ? is_locked(remote, address)
                             : is_taken(remote, address);
    }
    return false;
}
