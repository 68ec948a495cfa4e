// malloc through the linker's --wrap.
#include "scarce.h"
#include "test.h"

long malloc_left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool
may_allocate(void)
{
    return malloc_left < 0 || malloc_left-- > 0;
}

void *
__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *
__wrap_realloc(void *old, size_t size)
{
    return may_allocate() ? __real_realloc(old, size) : NULL;
}

int
sweep(const lg_graph *graph, lg_status (*work)(const lg_graph *))
{
    lg_status status = LG_ENOMEM;
    for (long allowed = 0; status != LG_OK && allowed < 10000; allowed++) {
        malloc_left = allowed;
        status = work(graph);
        malloc_left = -1;
        CHECK(status == LG_OK || status == LG_ENOMEM);
    }
    CHECK(status == LG_OK);
    return test_failures;
}
