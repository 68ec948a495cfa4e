#include "capture/run/held.h"

#include <sys/stat.h>
#include <unistd.h>

/* Devices number their files alike, and inodes rarely have the upper bits. */
static uint64_t
identity_of(int number)
{
    enum { DEVICE_SHIFT = 32 };
    struct stat known;
    if (fstat(number, &known) != 0)
        return 0;
    return (uint64_t)known.st_ino ^ (uint64_t)known.st_dev << DEVICE_SHIFT;
}

lg__held
lg__held_take(int number)
{
    return (lg__held){number, identity_of(number)};
}

bool
lg__held_is_there(const lg__held *self)
{
    return self->identity != 0 && identity_of(self->number) == self->identity;
}

void
lg__held_close(const lg__held *self)
{
    if (lg__held_is_there(self))
        close(self->number);
}
