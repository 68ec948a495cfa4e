// What kinds of native memory are called, and what helps when they grow.
#include "graph/graph_private.h"

#include <leakgraph/internal/growth.h>

#define LIBRARIES                                                              \
    "No Python object has this memory: look at the C libraries that the "      \
    "program calls between two snapshots."

static const struct {
    const char *text;
    const char *what;
    const char *fix;
} kinds[LG_NATIVE_COUNT] = {
    [LG_NATIVE_MALLOC] = {"memory that no object explains",
                          "native memory grows", LIBRARIES},
    [LG_NATIVE_STACKS] = {"stacks of threads", "native memory grows",
                          "End threads that the program no longer needs."},
    [LG_NATIVE_MAPPED] = {"mapped memory that no object explains",
                          "native memory grows", LIBRARIES},
    [LG_NATIVE_SMALL] = {"small blocks of Python that no object explains",
                         "native memory grows",
                         "Look for a C extension that forgets to release a "
                         "reference to a string, a number or a tuple."},
    [LG_NATIVE_CODE] = {"code that compilers made at run time (JIT)",
                        "executable memory grows",
                        "Look for functions, kernels or shapes that a JIT "
                        "compiles anew in each call."},
    [LG_NATIVE_FREE] = {"freed memory that malloc keeps between blocks in use",
                        "fragmentation grows: equal sizes, malloc_trim(0) or "
                        "jemalloc help",
                        "Allocate blocks of equal sizes, or once for all; call "
                        "malloc_trim(0) now and then; set "
                        "MALLOC_MMAP_THRESHOLD_; or try jemalloc or tcmalloc."},
};

const char *
lg_native_kind_text(lg_native_kind kind)
{
    return (unsigned)kind < LG_NATIVE_COUNT ? kinds[kind].text : "unknown";
}

const char *
lg__native_kind_what(lg_native_kind kind)
{
    return (unsigned)kind < LG_NATIVE_COUNT ? kinds[kind].what : "";
}

const char *
lg_native_kind_fix(lg_native_kind kind)
{
    return (unsigned)kind < LG_NATIVE_COUNT ? kinds[kind].fix : "";
}
