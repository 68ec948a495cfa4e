// Finds out which process of a job this is.
#include <leakgraph/internal/ranks.h>

#include <stdlib.h>
#include <string.h>

// Returns whether the text is a number, because any program may have a variable
// RANK.
static bool
is_rank(const char *text)
{
    enum { MOST_DIGITS = 9 };
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits > 0 && digits <= MOST_DIGITS && text[digits] == '\0';
}

const char *
lg_process_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "PMI_RANK", "MV2_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};
    const char *rank = getenv("RANK");
    if (is_rank(rank) && getenv("WORLD_SIZE") != NULL)
        return rank;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rank = getenv(names[i]);
        if (is_rank(rank))
            return rank;
    }
    return NULL;
}
