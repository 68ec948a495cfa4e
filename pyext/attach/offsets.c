#include "attach/offsets.h"

#include <stddef.h>

/* Members that are 0 are left out. */
static const lg__offsets known[] = {
    {.minor = 9, .lock = 80, .signals = 344},
    {.minor = 10, .lock = 80, .signals = 344},
    {.minor = 11, .lock = 112, .signals = 352},
    {.minor = 12,
     .is_shared = true,
     .lock = 2024,
     .signals = 480,
     .stride = 16},
    {.minor = 13,
     .is_shared = true,
     .is_mutex = true,
     .lock = 2648,
     .signals = 1096,
     .stride = 16},
    {.minor = 14,
     .is_shared = true,
     .is_mutex = true,
     .lock = 2856,
     .signals = 1272,
     .stride = 16,
     .support = 712,
     .audit = 10640,
     .audit_python = 10912},
    {.minor = 15,
     .is_shared = true,
     .is_mutex = true,
     .lock = 2984,
     .signals = 1400,
     .stride = 16,
     .support = 840,
     .audit = 10760,
     .audit_python = 10888},
};

const lg__offsets *
lg__offsets_of(unsigned minor)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].minor == minor)
            return &known[i];
    return NULL;
}
