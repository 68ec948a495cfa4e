#include "capture/run/held.h"

#include <sys/stat.h>
#include <unistd.h>

static uint64_t
inode_of(int number)
{
    struct stat known;
    return fstat(number, &known) == 0 ? known.st_ino : 0;
}

lg__held
lg__held_take(int number)
{
    return (lg__held){number, inode_of(number)};
}

bool
lg__held_is_there(const lg__held *self)
{
    return self->inode != 0 && inode_of(self->number) == self->inode;
}

void
lg__held_close(const lg__held *self)
{
    if (lg__held_is_there(self))
        close(self->number);
}
