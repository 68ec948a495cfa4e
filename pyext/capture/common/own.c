#include "capture/common/own.h"

static _Atomic uint64_t sum;

void
lg__own_share_set(lg__own_share *share, uint64_t bytes)
{
    uint64_t before = atomic_exchange(share, bytes);
    atomic_fetch_add(&sum, bytes - before);
}

uint64_t
lg__own_bytes(void)
{
    return sum;
}
