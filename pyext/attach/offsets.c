#include "attach/offsets.h"

#include <stddef.h>

static const lg__offsets known[] = {
    {9, false, false, 80, 344, 0, 0, 0, 0},
    {10, false, false, 80, 344, 0, 0, 0, 0},
    {11, false, false, 112, 352, 0, 0, 0, 0},
    {12, true, false, 2024, 480, 16, 0, 0, 0},
    {13, true, true, 2648, 1096, 16, 0, 0, 0},
    {14, true, true, 2856, 1272, 16, 712, 10640, 10912},
    {15, true, true, 2984, 1400, 16, 840, 10760, 10888},
};

const lg__offsets *
lg__offsets_of(unsigned minor)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].minor == minor)
            return &known[i];
    return NULL;
}
